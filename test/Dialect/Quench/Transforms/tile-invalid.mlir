// RUN: quench-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(quench-tile))'

// How many groups of features there are has to be known.
func.func @dynamic(%w: tensor<?x2x160xi8>, %x: tensor<?x64xf32>, %o: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'quench.block_matmul' op cannot be divided among threads}}
  %0 = quench.block_matmul #quench.q4_1 weights(%w : tensor<?x2x160xi8>) acts(%x : tensor<?x64xf32>) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
