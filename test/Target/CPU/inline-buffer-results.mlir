// RUN: quench-opt %s --quench-inline-buffer-results | FileCheck %s

// A function that returns a buffer of its own disappears into its callers, callees first; one that does not stays.
// CHECK-LABEL: func.func @caller
// CHECK-SAME: (%[[X:.+]]: memref<4xf32>, %[[N:.+]]: index)
func.func @caller(%x: memref<4xf32>, %n: index) -> memref<?xf32> {
  // CHECK: %[[C:.+]] = memref.cast %[[X]] : memref<4xf32> to memref<?xf32>
  // CHECK: %[[A:.+]] = memref.alloc(%[[N]]) : memref<?xf32>
  // CHECK: memref.copy %[[C]], %[[A]]
  // CHECK: call @in_place(%[[A]])
  // CHECK: return %[[A]]
  %c = memref.cast %x : memref<4xf32> to memref<?xf32>
  %0 = call @outer(%c, %n) : (memref<?xf32>, index) -> memref<?xf32>
  call @in_place(%0) : (memref<?xf32>) -> ()
  return %0 : memref<?xf32>
}
// CHECK-NOT: func.func private @outer
func.func private @outer(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %0 = call @inner(%x, %n) : (memref<?xf32>, index) -> memref<?xf32>
  return %0 : memref<?xf32>
}
// CHECK-NOT: func.func private @inner
func.func private @inner(%x: memref<?xf32>, %n: index) -> memref<?xf32> {
  %0 = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %0 : memref<?xf32> to memref<?xf32>
  return %0 : memref<?xf32>
}
// CHECK: func.func private @in_place
func.func private @in_place(%x: memref<?xf32>) {
  return
}
