// quench-reduce keeps what makes a pass fail, here a norm whose weight has a format without a kernel, and drops the rest: the
// other function, ops that nothing reads, and ops in between, in whose place their input goes.
// RUN: quench-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/has-no-kernel.sh' | FileCheck %s

// CHECK-NOT: func.func @other
func.func @other(%x: tensor<?x32xf32>, %w: !quench.qtensor<32, #quench.f32>) -> tensor<?x32xf32> {
  %0 = quench.rms_norm %x, %w eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
  return %0 : tensor<?x32xf32>
}

// CHECK: func.func @layer(%[[X:.+]]: tensor<?x32xf32>, %{{.+}}, %[[BAD:.+]]: !quench.qtensor<32, #quench.f16>
// CHECK-NEXT: %[[Y:.+]] = quench.rms_norm %[[X]], %[[BAD]]
// CHECK-NEXT: return %[[Y]]
func.func @layer(%x: tensor<?x32xf32>, %good: !quench.qtensor<32, #quench.f32>, %bad: !quench.qtensor<32, #quench.f16>,
                 %w: !quench.qtensor<32x32, #quench.q4_1>) -> tensor<?x32xf32> {
  %0 = quench.rms_norm %x, %good eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
  %1 = quench.linear %0, %w : tensor<?x32xf32>, !quench.qtensor<32x32, #quench.q4_1> -> tensor<?x32xf32>
  %unused = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<32x32, #quench.q4_1> -> tensor<?x32xf32>
  %2 = quench.rms_norm %1, %bad eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f16>
  %3 = quench.rms_norm %2, %good eps(0.0) : tensor<?x32xf32>, !quench.qtensor<32, #quench.f32>
  return %3 : tensor<?x32xf32>
}
