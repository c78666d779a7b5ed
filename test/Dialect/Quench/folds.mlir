// Folds of the dialect's ops. Semantics: WEIGHT-3
// RUN: quench-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @slice_of_all
// CHECK-SAME: (%[[W:.+]]: !quench.qtensor<8x64, #quench.q4_1>)
func.func @slice_of_all(%w: !quench.qtensor<8x64, #quench.q4_1>) -> !quench.qtensor<8x64, #quench.q4_1> {
  // CHECK-NEXT: return %[[W]]
  %0 = quench.slice %w[0] : !quench.qtensor<8x64, #quench.q4_1> -> !quench.qtensor<8x64, #quench.q4_1>
  return %0 : !quench.qtensor<8x64, #quench.q4_1>
}

// CHECK-LABEL: func.func @slice_of_slice
// CHECK-SAME: (%[[W:.+]]: !quench.qtensor<16x64, #quench.q4_1>)
func.func @slice_of_slice(%w: !quench.qtensor<16x64, #quench.q4_1>) -> !quench.qtensor<2x64, #quench.q4_1> {
  // CHECK-NEXT: %[[S:.+]] = quench.slice %[[W]][7] : !quench.qtensor<16x64, #quench.q4_1> -> !quench.qtensor<2x64, #quench.q4_1>
  // CHECK-NEXT: return %[[S]]
  %0 = quench.slice %w[4] : !quench.qtensor<16x64, #quench.q4_1> -> !quench.qtensor<8x64, #quench.q4_1>
  %1 = quench.slice %0[3] : !quench.qtensor<8x64, #quench.q4_1> -> !quench.qtensor<2x64, #quench.q4_1>
  return %1 : !quench.qtensor<2x64, #quench.q4_1>
}
