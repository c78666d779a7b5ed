// RUN: quench-opt %s --convert-quench-to-vector | FileCheck %s

!cache = !quench.paged_cache<layers = 2, heads = 1, dim = 8, element = f16, slots = 16>

// BOUND-2: a position beyond the capacity is not stored, and a layer beyond the last is the last; keys and values are rounded to the cache's element type (NUM-5).
// CHECK-LABEL: func.func @append
// CHECK: %[[CAPACITY:.+]] = quench.cache_capacity
// CHECK: %[[LAYER:.+]] = arith.minui %{{.+}}, %{{.+}} : index
// CHECK: arith.cmpi ult, %{{.+}}, %[[CAPACITY]]
// CHECK: scf.if
// CHECK: quench.cache_page keys of %{{.+}}[%{{.+}}, %[[LAYER]], %{{.+}}]
// CHECK: quench.cache_page values of %{{.+}}[%{{.+}}, %[[LAYER]], %{{.+}}]
// CHECK: arith.truncf %{{.+}} : vector<8xf32> to vector<8xf16>
// CHECK: arith.truncf %{{.+}} : vector<8xf32> to vector<8xf16>
func.func @append(%k: memref<?x8xf32>, %p: memref<?xi32>, %kv: !cache, %layer: index) {
  quench.block_append ins(%k, %k, %p : memref<?x8xf32>, memref<?x8xf32>, memref<?xi32>) cache(%kv layer %layer : !cache)
  return
}

// One kernel for each geometry of cache, and one for windows, whatever their length. Semantics: NUM-5
// CHECK-LABEL: func.func @attend
// CHECK: call @quench_attend_paged2x1x8_f16_16(
// CHECK: call @quench_attend_paged2x1x8_f16_16(
// CHECK: call @quench_attend_paged2x1x8_f16_16_window(
// CHECK: call @quench_attend_paged2x1x8_f16_16_window(
func.func @attend(%q: memref<?x16xf32>, %p: memref<?xi32>, %kv: !cache, %layer: index, %o: memref<?x16xf32>) {
  quench.block_attend ins(%q, %p : memref<?x16xf32>, memref<?xi32>) cache(%kv layer %layer : !cache) heads(%layer group 2) scale(0.5) outs(%o : memref<?x16xf32>)
  quench.block_attend ins(%o, %p : memref<?x16xf32>, memref<?xi32>) cache(%kv layer %layer : !cache) heads(%layer group 2) scale(0.25) outs(%q : memref<?x16xf32>)
  quench.block_attend ins(%q, %p : memref<?x16xf32>, memref<?xi32>) cache(%kv layer %layer : !cache) heads(%layer group 2) scale(0.5) window(20) outs(%o : memref<?x16xf32>)
  quench.block_attend ins(%o, %p : memref<?x16xf32>, memref<?xi32>) cache(%kv layer %layer : !cache) heads(%layer group 2) scale(0.5) window(7) outs(%q : memref<?x16xf32>)
  return
}
// CHECK: func.func private @quench_attend_paged2x1x8_f16_16(
// CHECK: %[[BOUNDED:.+]] = arith.minui
// CHECK: quench.cache_page keys of %{{.+}}[%{{.+}}, %[[BOUNDED]], %{{.+}}]
// CHECK: func.func private @quench_attend_paged2x1x8_f16_16_window(
// CHECK-SAME: %[[WINDOW:[^ ]+]]: index)
// CHECK: %[[END:.+]] = arith.addi %[[LAST:.+]], %{{.+}} : index
// CHECK: %[[SEEN:.+]] = arith.minui %{{.+}}, %[[WINDOW]] : index
// CHECK: %[[EARLIEST:.+]] = arith.subi %{{.+}}, %[[SEEN]] : index
// CHECK: %[[FIRST:.+]] = arith.divui %[[EARLIEST]], %{{.+}} : index
// CHECK: scf.for %{{.+}} = %[[FIRST]] to
// CHECK-NOT: func.func private @quench_attend
