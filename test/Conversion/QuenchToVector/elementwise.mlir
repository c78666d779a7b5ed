// RUN: quench-opt %s --convert-quench-to-vector | FileCheck %s

// Eight columns at a time, the last 4 of 12 masked; exp is the polynomial of NUM-6, never a library's.
// CHECK-LABEL: func.func @silu
// CHECK-NOT: math.exp
// CHECK: scf.for
// CHECK: vector.load %{{.+}} : memref<?x12xf32>, vector<8xf32>
// CHECK: math.fma
// CHECK: arith.divf %{{.+}} : vector<8xf32>
// CHECK: vector.store
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: math.exp
// CHECK: return
func.func @silu(%x: memref<?x12xf32>, %y: memref<?x12xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x12xf32>) outs(%y : memref<?x12xf32>) {
  ^bb0(%a: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %r = arith.divf %a, %d : f32
    linalg.yield %r : f32
  }
  return
}

// A row vector (a bias, say) is read by its column.
// CHECK-LABEL: func.func @bias
// CHECK: vector.load %{{.+}}[%{{.+}}] : memref<8xf32>, vector<8xf32>
// CHECK: arith.addf %{{.+}} : vector<8xf32>
func.func @bias(%x: memref<?x8xf32>, %b: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%b : memref<8xf32>) outs(%x : memref<?x8xf32>) {
  ^bb0(%a: f32, %out: f32):
    %r = arith.addf %out, %a : f32
    linalg.yield %r : f32
  }
  return
}

// Copies of strided buffers are loops, for which there is no library either.
// CHECK-LABEL: func.func @copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @copy(%x: memref<4x8xf32, strided<[16, 1]>>, %y: memref<4x8xf32>) {
  memref.copy %x, %y : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
  return
}

// An op that may trap is not run on the lanes behind the last column: no vectors unless eight divides the width.
// CHECK-LABEL: func.func @may_trap
// CHECK-NOT: vector
// CHECK: linalg.generic
// CHECK: vector<8xi32>
func.func @may_trap(%x: memref<?x5xi32>, %y: memref<?x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%x : memref<?x5xi32>) {
  ^bb0(%a: i32):
    %r = arith.divsi %a, %a : i32
    linalg.yield %r : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x16xi32>) {
  ^bb0(%a: i32):
    %r = arith.divsi %a, %a : i32
    linalg.yield %r : i32
  }
  return
}

// A scalar exp is the same polynomial.
// CHECK-LABEL: func.func @scalar_exp
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.+}} : f32
func.func @scalar_exp(%x: f32) -> f32 {
  %e = math.exp %x : f32
  return %e : f32
}
