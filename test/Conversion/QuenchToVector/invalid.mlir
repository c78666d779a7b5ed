// RUN: quench-opt %s --verify-diagnostics --convert-quench-to-vector

func.func @tensors(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{block op has no vector form here; is it bufferized and its rows static?}}
  %0 = quench.block_norm rms eps(1.0) ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>) outs(%x : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
