// A llama layer takes 8 barriers: after each of norm, Q/K/V, rope and append, attention, output, norm, gate/up, down.
// RUN: quench-opt %S/Inputs/llama.mlir --quench-stage-model --quench-stage-blocks --quench-stage-tile --quench-stage-buffers --quench-stage-threads | FileCheck %s

// CHECK-LABEL: func.func private @block
// CHECK-COUNT-8: quench.barrier
// CHECK-NOT: quench.barrier
// CHECK: return

// Around the layers none: a row is embedded and normalized by the same thread, and whoever runs an entry point waits for all
// threads to return.
// CHECK-LABEL: func.func @prefill
// CHECK-NOT: quench.barrier
// CHECK: return

// After the last norm, and before thread 0 hands out the logits.
// CHECK-LABEL: func.func @logits
// CHECK-COUNT-2: quench.barrier
// CHECK-NOT: quench.barrier
// CHECK: return
