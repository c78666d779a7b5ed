// RUN: quench-opt %s --pass-pipeline='builtin.module(func.func(quench-export-results))' | FileCheck %s

// Results follow the arguments in the caller's array.
// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%[[X:.+]]: memref<?xf32>, %[[N:.+]]: index) attributes {quench.entry} {
// CHECK-NEXT: quench.result 2 = %[[N]] : index
// CHECK-NEXT: quench.result 3 = %[[X]] : memref<?xf32>
// CHECK-NEXT: return{{$}}
func.func @entry(%x: memref<?xf32>, %n: index) -> (index, memref<?xf32>) attributes {quench.entry} {
  return %n, %x : index, memref<?xf32>
}

// CHECK-LABEL: func.func private @inner
// CHECK-NEXT: return %{{.+}} : index
func.func private @inner(%n: index) -> index {
  return %n : index
}
