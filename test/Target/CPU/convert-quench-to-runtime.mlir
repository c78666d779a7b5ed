// RUN: quench-opt %s --split-input-file --convert-quench-to-runtime | FileCheck %s

// Entry points get the thread, the size of the team, the context and an array of qrt_tensor; other functions the first
// three, which calls pass on; kernels nothing. Dense memrefs go to functions as a pointer and their dynamic sizes.
// CHECK: module attributes {quench.weight_table = []}
// CHECK: llvm.mlir.global internal @quench_host() {{.*}} : !llvm.ptr
// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%[[T:.+]]: i64, %[[N:.+]]: i64, %[[C:.+]]: !llvm.ptr, %[[A:.+]]: !llvm.ptr) attributes {quench.entry}
// CHECK: %[[DATA:.+]] = llvm.load %[[A]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[VIEW:.+]] = memref.subview
// CHECK: call @inner(%[[T]], %[[N]], %[[C]], %[[DATA]], %{{.+}}, %[[VIEW]]) : (i64, i64, !llvm.ptr, !llvm.ptr, i64, memref<2xf32, strided<[3]>>) -> ()
func.func @entry(%x: memref<?xf32>) attributes {quench.entry} {
  %v = memref.subview %x[0] [2] [3] : memref<?xf32> to memref<2xf32, strided<[3]>>
  call @inner(%x, %v) : (memref<?xf32>, memref<2xf32, strided<[3]>>) -> ()
  return
}
// CHECK-LABEL: func.func private @inner
// CHECK-SAME: (%{{.+}}: i64, %{{.+}}: i64, %{{.+}}: !llvm.ptr, %[[DATA:.+]]: !llvm.ptr, %[[SIZE:.+]]: i64, %{{.+}}: memref<2xf32, strided<[3]>>)
// CHECK: %[[INDEX:.+]] = arith.index_cast %[[SIZE]] : i64 to index
// CHECK: %[[N:.+]] = arith.index_cast %[[INDEX]] : index to i64
// CHECK: llvm.insertvalue %[[DATA]], %{{.+}}[1]
// CHECK: llvm.insertvalue %[[N]], %{{.+}}[3, 0]
// CHECK: %[[X:.+]] = builtin.unrealized_conversion_cast %{{.+}} to memref<?xf32>
// CHECK: call @kernel(%[[X]]) : (memref<?xf32>) -> ()
func.func private @inner(%x: memref<?xf32>, %v: memref<2xf32, strided<[3]>>) {
  call @kernel(%x) : (memref<?xf32>) -> ()
  return
}
// CHECK-LABEL: func.func private @kernel
// CHECK-SAME: (%{{.+}}: memref<?xf32>)
func.func private @kernel(%x: memref<?xf32>) attributes {quench.kernel} {
  return
}

// -----

// Each weight in each layout is one place of the table, in the order of first use; what nothing uses has none. To a
// function it goes as a pointer.
// CHECK: module attributes {quench.weight_table = {{\[\[}}@b, #quench.plain], [@a, #quench.plain]]}
// CHECK-NOT: quench.weight @
quench.weight @a {key = "a"} : !quench.qtensor<4, #quench.f32>
quench.weight @b {key = "b"} : !quench.qtensor<4, #quench.f32>
quench.weight @c {key = "c"} : !quench.qtensor<4, #quench.f32>
func.func @weights(%i: index) attributes {quench.entry} {
  %b = quench.packed_weight @b layout(#quench.plain) : memref<4xf32>
  %a = quench.packed_weight @a layout(#quench.plain) : memref<4xf32>
  %c = quench.packed_weight @b layout(#quench.plain) : memref<4xf32>
  %unused = quench.packed_weight @c layout(#quench.plain) : memref<4xf32>
  // CHECK: llvm.insertvalue
  // CHECK: %[[TABLE:.+]] = llvm.load
  // CHECK-NEXT: %[[B:.+]] = llvm.load %[[TABLE]]
  // CHECK: %[[PLACE:.+]] = llvm.getelementptr %{{.+}}[8]
  // CHECK: %[[A:.+]] = llvm.load %[[PLACE]]
  // CHECK: call @layer(%{{.+}}, %{{.+}}, %{{.+}}, %[[B]], %[[A]])
  call @layer(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @kernel(%c) : (memref<4xf32>) -> ()
  return
}
func.func private @layer(%b: memref<4xf32>, %a: memref<4xf32>) {
  return
}
func.func private @kernel(%b: memref<4xf32>) attributes {quench.kernel} {
  return
}

// -----

// A thread's own workspace lies behind the shared one, one part for each thread.
module attributes {quench.workspace_bytes = 128 : i64, quench.thread_workspace_bytes = 64 : i64} {
  // CHECK-LABEL: func.func @workspace
  // CHECK-SAME: (%[[T:.+]]: i64, %{{.+}}: i64, %[[C:.+]]: !llvm.ptr, %{{.+}}: !llvm.ptr)
  func.func @workspace() attributes {quench.entry} {
    // CHECK: %[[OWN:.+]] = arith.constant 64 : i64
    // CHECK: %[[SKIP:.+]] = arith.muli %[[T]], %[[OWN]]
    // CHECK: %[[BEHIND:.+]] = llvm.getelementptr %{{.+}}[128]
    // CHECK: llvm.getelementptr %[[BEHIND]][%[[SKIP]]]
    %a = quench.workspace private 0() : memref<8xf32>
    return
  }
}

// -----

!cache = !quench.paged_cache<layers = 2, heads = 3, dim = 8, element = f16, slots = 16>
// What a cache is at run time: a pointer to qrt_cache_view. Pages hold layer by layer, head by head, keys before values.
// CHECK-LABEL: func.func @cache
// CHECK-SAME: attributes {quench.entry}
// CHECK-NOT: quench.cache
// CHECK-NOT: !quench
func.func @cache(%kv: !cache, %i: index) attributes {quench.entry} {
  // CHECK-DAG: %[[HEADS:.+]] = arith.constant 3 : index
  // CHECK-DAG: %[[HEAD_BYTES:.+]] = arith.constant 512 : index
  // CHECK: llvm.getelementptr %{{.+}}[256] : (!llvm.ptr) -> !llvm.ptr, i8
  %v = quench.cache_page values of %kv[%i, %i, %i] : !cache -> memref<16x8xf16>
  %n = quench.cache_length %kv : !cache
  %c = quench.cache_capacity %kv : !cache
  quench.cache_commit %kv, %n : !cache
  // CHECK: return
  return
}

// -----

// Threads, barrier and draft are calls through the host's table; an answer that is too long is cut to the limit.
// Semantics: BOUND-3
// CHECK-LABEL: func.func @host
func.func @host(%p: memref<?xi32>, %k: index) attributes {quench.entry} {
  // CHECK: llvm.mlir.addressof @quench_host
  // CHECK: llvm.call %{{.+}}(%{{.+}}, %{{.+}}) : !llvm.ptr, (!llvm.ptr, i64) -> ()
  quench.barrier
  %c = memref.alloca() : memref<7xi32>
  %n = memref.alloca() : memref<1xi64>
  // CHECK: %[[ANSWER:.+]] = llvm.call %{{.+}}({{.+}}) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, i64, i64, !llvm.ptr) -> i64
  // CHECK: %[[LOW:.+]] = arith.maxsi %[[ANSWER]]
  // CHECK: %[[BOUNDED:.+]] = arith.minsi %[[LOW]]
  // CHECK: memref.store %[[BOUNDED]]
  quench.host_draft "lookup" ins(%p : memref<?xi32>) limit(%k) outs(%c, %n : memref<7xi32>, memref<1xi64>)
  return
}

// -----

// A result's dynamic sizes are stored for the caller, its elements are copied; a scalar is stored.
// CHECK-LABEL: func.func @results
func.func @results(%x: memref<?x4xf32>, %k: index) attributes {quench.entry} {
  // CHECK: llvm.store %{{.+}}, %{{.+}} : i64, !llvm.ptr
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: memref.load
  // CHECK: memref.store
  // CHECK: llvm.store %{{.+}}, %{{.+}} : i64, !llvm.ptr
  quench.result 2 = %x : memref<?x4xf32>
  quench.result 3 = %k : index
  return
}
