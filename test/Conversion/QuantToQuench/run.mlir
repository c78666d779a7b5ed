// The whole way: a program in quant types becomes a program of the dialect and a file of weights, and computes what it said.
// RUN: quench-opt %s --convert-quant-to-quench=weights=%t.safetensors -o %t.mlir
// RUN: %python %S/Inputs/product.py write %t.x.npy
// RUN: quench-run call %t.mlir @product %t.x.npy --weights %t.safetensors -o %t.y.npy -o %t.z.npy
// RUN: %python %S/Inputs/product.py check %t.x.npy %t.y.npy %t.z.npy

module attributes {quench.max_rows = 4 : i64} {
  // Row 0 counts up from 0 in halves, row 1 down from 7 in quarters.
  func.func @product(%x: tensor<4x32xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) attributes {quench.entry} {
    %zero = arith.constant dense<0.0> : tensor<4x2xf32>
    %c = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
      [28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3]]> : tensor<2x32xi8>
    %q = quant.scast %c : tensor<2x32xi8> to tensor<2x32x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
    %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f32:0, {0.5, 0.25}>> to tensor<2x32xf32>
    %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<4x32xf32>, tensor<2x32xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
    // The same with four bits: -8 … 7 twice in row 0 and in row 1.
    %d = arith.constant dense<[[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7],
      [7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8]]> : tensor<2x32xi4>
    %r = quant.scast %d : tensor<2x32xi4> to tensor<2x32x!quant.uniform<i4:f32, 0.5>>
    %v = quant.dcast %r : tensor<2x32x!quant.uniform<i4:f32, 0.5>> to tensor<2x32xf32>
    %z = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %v : tensor<4x32xf32>, tensor<2x32xf32>) outs(%zero : tensor<4x2xf32>) -> tensor<4x2xf32>
    return %y, %z : tensor<4x2xf32>, tensor<4x2xf32>
  }
}
