// RUN: quench-opt %s --convert-quench-to-vector | FileCheck %s

// NUM-2: sums of a row run in eight lanes, then ((0+4)+(2+6)) + ((1+5)+(3+7)); a last partial group goes through the same
// code, masked.
// CHECK-LABEL: func.func @norm
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK: vector.load
// CHECK: math.fma
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: math.fma
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [0, 1, 2, 3]
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [4, 5, 6, 7]
// CHECK: arith.addf
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [0, 1]
// CHECK: vector.shuffle %{{.+}}, %{{.+}} [2, 3]
// CHECK: math.sqrt
// CHECK: vector.maskedstore
func.func @norm(%x: memref<?x20xf32>, %w: memref<20xf32>) {
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<?x20xf32>, memref<20xf32>) outs(%x : memref<?x20xf32>)
  return
}

// A weight of fewer elements: each group of the row by itself.
// CHECK-LABEL: func.func @groups
// CHECK: scf.for
// CHECK: %[[ROW:.+]] = arith.constant 60 : index
// CHECK: %[[WIDTH:.+]] = arith.constant 20 : index
// CHECK: scf.for %{{.+}} = %{{.+}} to %[[ROW]] step %[[WIDTH]]
// CHECK: math.sqrt
func.func @groups(%x: memref<?x60xf32>, %w: memref<20xf32>) {
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<?x60xf32>, memref<20xf32>) outs(%x : memref<?x60xf32>)
  return
}

// NUM-4: the largest magnitude over integers, codes by adding 1.5 * 2^23, sums of codes in integers.
// CHECK-LABEL: func.func @quantize
// CHECK: vector.reduction <maxsi>
// CHECK: arith.divf
// CHECK: arith.trunci %{{.+}} : vector<8xi32> to vector<8xi8>
// CHECK: vector.reduction <add>, %{{.+}} : vector<8xi32> into i32
func.func @quantize(%x: memref<?x64xf32>, %c: memref<?x64xi8>, %s: memref<?x2xf32>, %z: memref<?x2xf32>) {
  quench.block_quantize ins(%x : memref<?x64xf32>) outs(%c, %s, %z : memref<?x64xi8>, memref<?x2xf32>, memref<?x2xf32>)
  return
}

// NUM-6: angles in f64, rounded once.
// CHECK-LABEL: func.func @rope
// CHECK: arith.extf %{{.+}} : vector<8xf32> to vector<8xf64>
// CHECK: arith.truncf %{{.+}} : vector<8xf64> to vector<8xf32>
// CHECK: vector.deinterleave
// CHECK: vector.interleave
func.func @rope(%p: memref<?xi32>, %t: memref<?x4xf32>, %x: memref<?x8xf32>) {
  quench.block_rope_table ins(%p : memref<?xi32>) inv_freq([1.0, 0.5]) outs(%t : memref<?x4xf32>)
  quench.block_rope adjacent dim(4) ins(%x, %t : memref<?x8xf32>, memref<?x4xf32>) outs(%x : memref<?x8xf32>)
  return
}

// Elements of a head that are not rotated are copied.
// CHECK-LABEL: func.func @rope_part
// CHECK: vector.store %{{.+}} : memref<?x24xf32>, vector<4xf32>
// CHECK: %[[REST:.+]] = vector.maskedload %{{.+}} : memref<?x24xf32>
// CHECK: vector.maskedstore %{{.+}}, %{{.+}}, %[[REST]] : memref<?x24xf32>
func.func @rope_part(%t: memref<?x8xf32>, %x: memref<?x24xf32>, %y: memref<?x24xf32>) {
  quench.block_rope halves dim(12) ins(%x, %t : memref<?x24xf32>, memref<?x8xf32>) outs(%y : memref<?x24xf32>)
  return
}

// An id outside of the weight is clamped into it. Semantics: BOUND-1
// CHECK-LABEL: func.func @embedding
// CHECK-DAG: %[[LAST:.+]] = arith.constant 19 : i32
// CHECK: arith.maxsi
// CHECK: arith.minsi %{{.+}}, %[[LAST]]
func.func @embedding(%w: memref<3x2x160xi8>, %ids: memref<?xi32>, %o: memref<?x64xf32>) {
  quench.block_embedding #quench.q4_1 weights(%w : memref<3x2x160xi8>) rows(20) ids(%ids : memref<?xi32>) outs(%o : memref<?x64xf32>)
  return
}

// NUM-7: a greater value wins, among equal ones the lower column; a NaN is never greater.
// CHECK-LABEL: func.func @argmax
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpi slt
func.func @argmax(%x: memref<?x64xf32>, %o: index, %v: memref<?x2xf32>, %i: memref<?x2xi32>, %bi: memref<?xi32>, %bv: memref<?xf32>) {
  quench.block_argmax ins(%x : memref<?x64xf32>) segment(32) origin(%o) outs(%v, %i : memref<?x2xf32>, memref<?x2xi32>)
  // CHECK: arith.cmpf ogt
  quench.block_argmax_merge ins(%v, %i : memref<?x2xf32>, memref<?x2xi32>) outs(%bi, %bv : memref<?xi32>, memref<?xf32>)
  return
}
