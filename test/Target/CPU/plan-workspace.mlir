// RUN: quench-opt %s --quench-plan-workspace | FileCheck %s

// Dynamic sizes count as max_rows, places are multiples of 64 bytes; a thread's own buffers have a part of their own.
// CHECK: module attributes {quench.max_rows = 10 : i64, quench.thread_workspace_bytes = 64 : i64, quench.workspace_bytes = 448 : i64}
module attributes {quench.max_rows = 10 : i64} {
  // CHECK-LABEL: func.func @f
  func.func @f(%n: index) {
    // CHECK-NEXT: quench.workspace 0(%{{.+}}) : memref<?x8xf32>
    %a = memref.alloc(%n) : memref<?x8xf32>
    // CHECK-NEXT: quench.workspace private 0() : memref<3xi8>
    %b = memref.alloc() {quench.private} : memref<3xi8>
    // CHECK-NEXT: quench.workspace 320() : memref<2xi64>
    %c = memref.alloc() : memref<2xi64>
    memref.dealloc %a : memref<?x8xf32>
    // CHECK-NEXT: quench.workspace 384() : memref<1xi1>
    %d = memref.alloc() : memref<1xi1>
    // CHECK-NEXT: return
    return
  }
}
