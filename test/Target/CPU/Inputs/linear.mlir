module attributes {quench.max_rows = 8 : i64} {
  quench.weight @w {key = "w"} : !quench.qtensor<64x64, #quench.q4_1>
  quench.weight @v {key = "v"} : !quench.qtensor<64x64, #quench.q8_0>
  quench.weight @h {key = "h"} : !quench.qtensor<64x64, #quench.f16>
  func.func @linear(%x: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) attributes {quench.entry} {
    %w = quench.get_weight @w : !quench.qtensor<64x64, #quench.q4_1>
    %v = quench.get_weight @v : !quench.qtensor<64x64, #quench.q8_0>
    %h = quench.get_weight @h : !quench.qtensor<64x64, #quench.f16>
    %y:3 = quench.linear %x, %w, %v, %h activations(i8) : tensor<?x64xf32>, !quench.qtensor<64x64, #quench.q4_1>, !quench.qtensor<64x64, #quench.q8_0>, !quench.qtensor<64x64, #quench.f16> -> tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
    return %y#0, %y#1, %y#2 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  }
}
