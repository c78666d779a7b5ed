// RUN: quench-opt %s --split-input-file --pass-pipeline='builtin.module(quench-spmdize,canonicalize,cse)' | FileCheck %s

// Each thread takes a contiguous share of the tiles: [total * t / n, total * (t + 1) / n). A barrier stands before the
// function returns, since a caller goes on as it likes.
// CHECK-LABEL: func.func @share
// CHECK-SAME: (%[[X:.+]]: memref<?xf32>, %[[N:.+]]: index)
func.func @share(%x: memref<?xf32>, %n: index) {
  // CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
  // CHECK-DAG: %[[T:.+]] = quench.thread_id
  // CHECK-DAG: %[[TEAM:.+]] = quench.num_threads
  // CHECK: %[[A:.+]] = arith.muli %[[N]], %[[T]]
  // CHECK: %[[BEGIN:.+]] = arith.divui %[[A]], %[[TEAM]]
  // CHECK: %[[NEXT:.+]] = arith.addi %[[T]], %[[C1]]
  // CHECK: %[[B:.+]] = arith.muli %[[N]], %[[NEXT]]
  // CHECK: %[[END:.+]] = arith.divui %[[B]], %[[TEAM]]
  // CHECK: scf.for %[[I:.+]] = %[[BEGIN]] to %[[END]] step %[[C1]] {
  // CHECK-NEXT: memref.store %{{.+}}, %[[X]][%[[I]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: quench.barrier
  // CHECK-NEXT: return
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (%n) {
    memref.store %f, %x[%i] : memref<?xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

// Two dimensions are one row of tiles, the last dimension fastest.
// CHECK-LABEL: func.func @two_dimensions
// CHECK: scf.for %[[I:.+]] =
// CHECK: %[[COLUMN:.+]] = arith.remui %[[I]], %[[COUNT:.+]] :
// CHECK: %[[ROW:.+]] = arith.divui %[[I]], %[[COUNT]] :
// CHECK: %[[STEPS:.+]] = arith.muli %[[COLUMN]], %{{.+}}
// CHECK: memref.store %{{.+}}, %{{.+}}[%[[ROW]], %[[STEPS]]]
func.func @two_dimensions(%x: memref<?x8xf32>, %n: index) {
  %f = arith.constant 1.0 : f32
  scf.forall (%i, %j) = (0, 0) to (%n, 8) step (1, 2) {
    memref.store %f, %x[%i, %j] : memref<?x8xf32>
  } {mapping = [#quench.thread, #quench.thread]}
  return
}

// -----

// Loops that touch nothing of each other need no barrier between them.
// CHECK-LABEL: func.func @independent
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: return
func.func @independent(%x: memref<8xf32>, %y: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (8) {
    memref.store %f, %y[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

// Reading what another thread wrote waits, also through a view.
// CHECK-LABEL: func.func @read_after_write
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: return
func.func @read_after_write(%x: memref<8xf32>, %y: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  %v = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  scf.forall (%i) in (4) {
    %a = memref.load %v[%i] : memref<4xf32, strided<[1], offset: 4>>
    memref.store %a, %y[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

// Overwriting what another thread may still read waits as well; reading the same does not.
// CHECK-LABEL: func.func @write_after_read
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: return
func.func @write_after_read(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (8) {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %z[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

// Writes outside of a loop are thread 0's, neighbours under one condition; the others wait before they read.
// CHECK-LABEL: func.func @thread_zero
// CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : index
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: quench.barrier
// CHECK-NEXT: memref.load
func.func @thread_zero(%x: memref<8xf32>, %i: index, %j: index) -> f32 {
  %f = arith.constant 1.0 : f32
  memref.store %f, %x[%i] : memref<8xf32>
  memref.store %f, %x[%j] : memref<8xf32>
  %a = memref.load %x[%i] : memref<8xf32>
  return %a : f32
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
// A cache is memory: commits are thread 0's, after everybody has appended; the length is read after the commit.
// CHECK-LABEL: func.func @cache
// CHECK: scf.for
// CHECK: quench.block_append
// CHECK: quench.barrier
// CHECK: scf.if
// CHECK-NEXT: quench.cache_commit
// CHECK: quench.barrier
// CHECK-NEXT: quench.cache_length
func.func @cache(%k: memref<?x8xf32>, %p: memref<?xi32>, %kv: !cache, %n: index, %l: index) -> index {
  scf.forall (%i) in (%n) {
    %row = memref.subview %k[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    %at = memref.subview %p[%i] [1] [1] : memref<?xi32> to memref<1xi32, strided<[1], offset: ?>>
    quench.block_append ins(%row, %row, %at : memref<1x8xf32, strided<[8, 1], offset: ?>>, memref<1x8xf32, strided<[8, 1], offset: ?>>, memref<1xi32, strided<[1], offset: ?>>) cache(%kv layer %l : !cache)
  } {mapping = [#quench.thread]}
  quench.cache_commit %kv, %n : !cache
  %length = quench.cache_length %kv : !cache
  return %length : index
}

// -----

// All threads call; of a function without a body nothing is known, neither what it begins nor what it ends with.
// CHECK-LABEL: func.func @call
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: call @callee
// CHECK-NEXT: quench.barrier
// CHECK-NEXT: return
func.func @call(%x: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  call @callee(%x) : (memref<8xf32>) -> ()
  return
}
func.func private @callee(memref<8xf32>)

// -----

// An entry point leaves waiting to whoever runs it.
// CHECK-LABEL: func.func @entry
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: return
func.func @entry(%x: memref<8xf32>) attributes {quench.entry} {
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

!row = memref<1x8xf32, strided<[8, 1], offset: ?>>
// Two loops over all rows give a row to the same thread, if each iteration keeps to its own: no barrier, and none at the end.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: return
func.func @rows(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %own = memref.alloc(%n) : memref<?x8xf32>
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    %b = memref.subview %own[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    memref.copy %a, %b : !row to !row
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (%n) {
    %a = memref.subview %own[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    %b = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    memref.copy %a, %b : !row to !row
  } {mapping = [#quench.thread]}
  return
}

// -----

!row = memref<1x8xf32, strided<[8, 1], offset: ?>>
!two = memref<2x8xf32, strided<[8, 1], offset: ?>>
// Tiles of another height, the next row, or a count that is not the buffer's give rows to other threads.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-3: quench.barrier
// CHECK-NOT: quench.barrier
// CHECK: return
func.func @other_rows(%x: memref<8x8xf32>, %y: memref<9x8xf32>) attributes {quench.entry} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.forall (%i) in (8) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to !row
    memref.store %f, %a[%c0, %c0] : !row
  } {mapping = [#quench.thread]}
  scf.forall (%i) = (0) to (8) step (2) {
    %a = memref.subview %x[%i, 0] [2, 8] [1, 1] : memref<8x8xf32> to !two
    memref.store %f, %a[%c0, %c0] : !two
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (8) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<8x8xf32> to !row
    %b = memref.subview %y[%i, 0] [1, 8] [1, 1] : memref<9x8xf32> to !row
    memref.copy %a, %b : !row to !row
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (8) {
    %next = arith.addi %i, %c1 : index
    %b = memref.subview %y[%next, 0] [1, 8] [1, 1] : memref<9x8xf32> to !row
    memref.store %f, %b[%c0, %c0] : !row
  } {mapping = [#quench.thread]}
  return
}

// -----

!row = memref<1x8xf32, strided<[8, 1], offset: ?>>
// What matters of a callee is what it does before its own first barrier.
// CHECK-LABEL: func.func @callers
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: call @layer(%[[X:.+]], %{{.+}})
// CHECK-NEXT: call @layer(%[[X]], %{{.+}})
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: call @layer(%{{.+}}, %[[X]])
// CHECK-NEXT: return
func.func @callers(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    memref.store %f, %a[%c0, %c0] : !row
  } {mapping = [#quench.thread]}
  call @layer(%x, %y) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  call @layer(%x, %y) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  scf.forall (%i) in (8) {
    memref.store %f, %y[%i, %c0] : memref<?x8xf32>
  } {mapping = [#quench.thread]}
  call @layer(%y, %x) : (memref<?x8xf32>, memref<?x8xf32>) -> ()
  return
}
// CHECK-LABEL: func.func private @layer
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: return
func.func private @layer(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    memref.store %f, %a[%c0, %c0] : !row
  } {mapping = [#quench.thread]}
  scf.forall (%i) in (8) {
    %a = memref.load %x[%i, %c0] : memref<?x8xf32>
    memref.store %a, %y[%i, %c0] : memref<?x8xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

// All threads take the same way through control flow; nothing is pending where ways join.
// CHECK-LABEL: func.func @control_flow
// CHECK: scf.for
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK: }
func.func @control_flow(%x: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  scf.for %j = %c0 to %n step %c1 {
    scf.forall (%i) in (8) {
      memref.store %f, %x[%i] : memref<8xf32>
    } {mapping = [#quench.thread]}
  }
  return
}

// -----

// Buffers that a thread fills for itself are marked as its own.
// CHECK-LABEL: func.func @private
// CHECK: scf.for
// CHECK: memref.alloc() {quench.private}
func.func @private(%x: memref<8xf32>) {
  scf.forall (%i) in (8) {
    %own = memref.alloc() : memref<1xf32>
    %c0 = arith.constant 0 : index
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %own[%c0] : memref<1xf32>
    %b = memref.load %own[%c0] : memref<1xf32>
    memref.store %b, %x[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  return
}

// -----

!row = memref<1x8xf32, strided<[8, 1], offset: ?>>
// A callee that ends with rows leaves them to the thread that goes on with them: no barrier before the next loop over rows, one
// before any other. Its own buffer is the same in the next call, where it may have another number of rows.
// CHECK-LABEL: func.func @after_rows
// CHECK: call @copies
// CHECK-NOT: quench.barrier
// CHECK: scf.for
// CHECK: quench.barrier
// CHECK-NEXT: call @copies
// CHECK: quench.barrier
// CHECK: scf.for
// CHECK: return
func.func @after_rows(%x: memref<?x8xf32>) attributes {quench.entry} {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  call @copies(%x) : (memref<?x8xf32>) -> ()
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    memref.store %f, %a[%c0, %c0] : !row
  } {mapping = [#quench.thread]}
  call @copies(%x) : (memref<?x8xf32>) -> ()
  scf.forall (%j) in (8) {
    memref.store %f, %x[%c0, %j] : memref<?x8xf32>
  } {mapping = [#quench.thread]}
  return
}
// CHECK-LABEL: func.func private @copies
// CHECK-NOT: quench.barrier
// CHECK: return
func.func private @copies(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %own = memref.alloc(%n) : memref<?x8xf32>
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    %b = memref.subview %own[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    memref.copy %a, %b : !row to !row
  } {mapping = [#quench.thread]}
  return
}

// -----

!row = memref<1x8xf32, strided<[8, 1], offset: ?>>
// What a thread has to itself is no reason to wait between two calls, and a callee that does not wait ends nothing that was
// pending before it.
// CHECK-LABEL: func.func @twice
// CHECK: scf.for
// CHECK-NOT: quench.barrier
// CHECK: call @scratch
// CHECK-NEXT: call @scratch
// CHECK-NEXT: quench.barrier
// CHECK-NEXT: return
func.func @twice(%x: memref<?x8xf32>, %y: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (8) {
    memref.store %f, %y[%i] : memref<8xf32>
  } {mapping = [#quench.thread]}
  call @scratch(%x) : (memref<?x8xf32>) -> ()
  call @scratch(%x) : (memref<?x8xf32>) -> ()
  return
}
// CHECK-LABEL: func.func private @scratch
// CHECK-NOT: quench.barrier
// CHECK: return
func.func private @scratch(%x: memref<?x8xf32>) {
  %f = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  scf.forall (%i) in (%n) {
    %a = memref.subview %x[%i, 0] [1, 8] [1, 1] : memref<?x8xf32> to !row
    %b = memref.alloc() : memref<1x8xf32>
    memref.store %f, %b[%c0, %c0] : memref<1x8xf32>
    memref.copy %b, %a : memref<1x8xf32> to !row
  } {mapping = [#quench.thread]}
  return
}
