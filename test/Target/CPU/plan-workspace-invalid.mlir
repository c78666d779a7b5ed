// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-plan-workspace

func.func @no_bound(%n: index) {
  // expected-error @+1 {{has a dynamic size without a bound; put quench.max_rows on the module}}
  %0 = memref.alloc(%n) : memref<?xf32>
  return
}

// -----

func.func @too_large() {
  // expected-error @+1 {{is too large: 'memref<4611686018427387904x4xf32>'}}
  %0 = memref.alloc() : memref<4611686018427387904x4xf32>
  return
}

// -----

func.func @too_large_together() {
  %0 = memref.alloc() : memref<9223372036854775000xi8>
  // expected-error @+1 {{makes the workspace too large}}
  %1 = memref.alloc() : memref<9223372036854775000xi8>
  return
}
