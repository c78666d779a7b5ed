// The AVX2 tile multiplies unsigned by signed bytes, pairs into words, words into doublewords; q8_0 takes signs apart first.
// RUN: quench-opt %S/Inputs/linear.mlir --quench-cpu=tile=avx2 | mlir-translate --mlir-to-llvmir --allow-unregistered-dialect | llc -mcpu=haswell | FileCheck %s
// RUN: quench-opt %S/Inputs/linear.mlir --quench-cpu=tile=portable | mlir-translate --mlir-to-llvmir --allow-unregistered-dialect | llc -mcpu=haswell | FileCheck %s --check-prefix=PORTABLE

// CHECK-LABEL: quench_matmul_q4_1_i8:
// CHECK-COUNT-8: vpmaddubsw
// CHECK: vpmaddwd
// CHECK: vfmadd
// CHECK-LABEL: quench_matmul_q8_0_i8:
// CHECK: vpabsb
// CHECK: vpsignb
// CHECK: vpmaddubsw
// CHECK: vpmaddwd
// CHECK-LABEL: quench_matmul_f16_f32:
// CHECK: vcvtph2ps
// CHECK: vfmadd

// The portable expansion has none of the tile's instructions.
// PORTABLE-LABEL: quench_matmul_q4_1_i8:
// PORTABLE-NOT: vpmaddubsw
// PORTABLE-NOT: vpsignb
