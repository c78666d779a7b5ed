// NUM-8: a processor without AVX, FMA and F16C: multiplications and additions stay apart, f16 is converted by integer code,
// and nothing calls a library.
// RUN: quench-opt %S/Inputs/linear.mlir --quench-cpu='tile=portable fma=false f16=false' | mlir-translate --mlir-to-llvmir --allow-unregistered-dialect | llc -mcpu=x86-64-v2 | FileCheck %s

// CHECK-NOT: {{[[:space:]]}}v{{[a-z0-9]+}}{{[[:space:]]}}
// CHECK-NOT: ymm
// CHECK-NOT: cvtph
// CHECK-NOT: extendhf
// CHECK-NOT: truncsfhf
// CHECK-NOT: fmaf
// CHECK: quench_matmul_f16_f32:
// CHECK-NOT: {{[[:space:]]}}v{{[a-z0-9]+}}{{[[:space:]]}}
// CHECK: mulps
// CHECK: addps
// CHECK-NOT: {{[[:space:]]}}v{{[a-z0-9]+}}{{[[:space:]]}}
// CHECK-NOT: call
