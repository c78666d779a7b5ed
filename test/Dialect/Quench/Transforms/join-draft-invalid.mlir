// RUN: quench-opt %s --split-input-file --verify-diagnostics --quench-join-draft

// expected-error @+1 {{expected a nested module @draft, found none}}
module {
}

// -----

module {
  // expected-error @+1 {{'draft.f': the program has a draft already}}
  func.func private @draft.f()
  module @draft {
  }
}

// -----

module {
  module @draft {
    // expected-error @+1 {{'draft.f': the draft has a draft already}}
    func.func private @draft.f()
  }
}
