// The portable expansion on AArch64: fused multiply-add and f16 conversion are the processor's.
// RUN: quench-opt %S/Inputs/linear.mlir --quench-cpu | mlir-translate --mlir-to-llvmir --allow-unregistered-dialect | llc -mtriple=aarch64-linux-gnu | FileCheck %s

// CHECK-LABEL: quench_matmul_q4_1_i8:
// CHECK: fmla
// CHECK-LABEL: quench_matmul_f16_f32:
// CHECK: fcvtl
// CHECK: fmla
// CHECK-NOT: bl{{[[:space:]]}}
