// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-inline-buffer-results

func.func @caller(%n: index) -> memref<?xf32> {
  // expected-error @+1 {{expected a callee with structured control flow}}
  %0 = call @blocks(%n) : (index) -> memref<?xf32>
  return %0 : memref<?xf32>
}
func.func private @blocks(%n: index) -> memref<?xf32> {
  %0 = memref.alloc(%n) : memref<?xf32>
  cf.br ^end
^end:
  return %0 : memref<?xf32>
}

// -----

func.func private @recursive(%n: index) -> memref<?xf32> {
  // expected-error @+1 {{calls its own function, which has one workspace only}}
  %0 = call @recursive(%n) : (index) -> memref<?xf32>
  return %0 : memref<?xf32>
}
