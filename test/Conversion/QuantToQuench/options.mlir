// RUN: quench-opt %s --convert-quant-to-quench='weights=%t.safetensors activations=i8 round-scales' | FileCheck %s
// RUN: %python %S/Inputs/dump_weights.py %t.safetensors | FileCheck %s --check-prefix=ROUNDED
// RUN: not quench-opt %s --convert-quant-to-quench=round-scales 2>&1 | FileCheck %s --check-prefix=NO-FILE
// RUN: not quench-opt %s --convert-quant-to-quench=activations=i4 2>&1 | FileCheck %s --check-prefix=ACTIVATIONS
// RUN: not quench-opt %s --convert-quant-to-quench='weights=%t.nowhere/w.safetensors round-scales' 2>&1 | FileCheck %s --check-prefix=FOLDER

// A file that cannot be complete is not written.
// RUN: rm -f %t.none.safetensors
// RUN: not quench-opt %s --convert-quant-to-quench=weights=%t.none.safetensors 2>&1 | FileCheck %s --check-prefix=SCALE
// RUN: not ls %t.none.safetensors

// NO-FILE: error: has 1 weights, whose bytes go into a file: give the option weights=FILE
// ACTIVATIONS: error: unknown activations 'i4'; supported: f32, i8
// FOLDER: error: {{.*}}w.safetensors: cannot create: No such file or directory
// SCALE: error: {{.*}}is not a number of f16; round-scales rounds to the nearest one

// The nearest f16 to 0.1.
// ROUNDED: weight q8_0 2x32: 0.0999755859375 everywhere
// CHECK: quench.linear %{{.+}}, %{{.+}} activations(i8) :
func.func @product(%x: tensor<4x32xf32>) -> tensor<4x2xf32> {
  %c = arith.constant dense<1> : tensor<2x32xi8>
  %q = quant.scast %c : tensor<2x32xi8> to tensor<2x32x!quant.uniform<i8:f32, 0.1>>
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f32, 0.1>> to tensor<2x32xf32>
  %o = arith.constant dense<0.0> : tensor<4x2xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%x, %w : tensor<4x32xf32>, tensor<2x32xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
