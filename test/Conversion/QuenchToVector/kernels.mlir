// RUN: quench-opt %s --convert-quench-to-vector | FileCheck %s --check-prefixes=CHECK,PORTABLE
// RUN: quench-opt %s --convert-quench-to-vector=tile=avx2 | FileCheck %s --check-prefixes=CHECK,AVX2

// One kernel for each format and kind of activations, whatever the shapes: both calls here are of one function.
// CHECK-LABEL: func.func @matmuls
// CHECK: call @quench_matmul_q4_1_i8(
// CHECK: call @quench_matmul_q4_1_i8(
// CHECK: call @quench_matmul_f16_f32(
func.func @matmuls(%w: memref<3x2x160xi8>, %v: memref<1x1x160xi8>, %f: memref<1x64x8xf16>, %a: memref<?x64xi8>, %b: memref<?x32xi8>, %s: memref<?x2xf32>, %t: memref<?x1xf32>, %x: memref<?x64xf32>, %o: memref<?x24xf32>, %p: memref<?x8xf32>) {
  quench.block_matmul #quench.q4_1 weights(%w : memref<3x2x160xi8>) acts(%a : memref<?x64xi8>) scales(%s : memref<?x2xf32>) sums(%s : memref<?x2xf32>) outs(%o : memref<?x24xf32>)
  quench.block_matmul #quench.q4_1 weights(%v : memref<1x1x160xi8>) acts(%b : memref<?x32xi8>) scales(%t : memref<?x1xf32>) sums(%t : memref<?x1xf32>) outs(%p : memref<?x8xf32>)
  quench.block_matmul #quench.f16 weights(%f : memref<1x64x8xf16>) acts(%x : memref<?x64xf32>) outs(%p : memref<?x8xf32>)
  return
}

// Eight rows in one pass over a group of weights, then what is left: 1 to 7. Blocks ascend, so a row's sum has one order
// however many rows there are (NUM-1, NUM-3).
// CHECK: func.func private @quench_matmul_q4_1_i8
// CHECK-SAME: memref<?x?x160xi8, strided<[?, 160, 1], offset: ?>>, %{{.+}}: memref<?x?xi8, strided<[?, 1], offset: ?>>
// CHECK-SAME: attributes {quench.kernel}
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for %{{.+}} = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}, %{{.+}} = %{{.+}})
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.ub.sw"
// AVX2: llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
// PORTABLE-NOT: llvm.call_intrinsic
// CHECK: arith.sitofp %{{.+}} : vector<8xi32> to vector<8xf32>
// CHECK: math.fma
// CHECK: math.fma
// CHECK: scf.index_switch
// CHECK: case 1 {
// CHECK: case 7 {

// CHECK: func.func private @quench_matmul_f16_f32
// CHECK: vector.load %{{.+}} : memref<?x?x8xf16, {{.+}}>, vector<8xf16>
// CHECK: arith.extf %{{.+}} : vector<8xf16> to vector<8xf32>
// CHECK: math.fma
