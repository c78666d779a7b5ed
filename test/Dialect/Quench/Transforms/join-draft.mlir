// Symbols, keys and caches of the draft get names of their own, and the program a @round that drafts with it.
// RUN: quench-opt %s --quench-join-draft | FileCheck %s --implicit-check-not=@round
// RUN: quench-opt %s --quench-join-draft --quench-add-speculation='source=model max=3' | FileCheck %s --check-prefix=ROUND

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>

// The smaller of the two.
// CHECK: module attributes {quench.max_rows = 16 : i64}
module attributes {quench.max_rows = 64 : i64} {
  // CHECK-NOT: module @draft
  // CHECK: quench.weight @w {key = "w"}
  // CHECK: func.func @logits(%{{.+}}: tensor<?xi32>, %{{[a-z0-9]+}}: !quench.paged_cache<{{[^>]+}}>) ->
  // CHECK: call @trunk
  // CHECK: quench.weight @draft.w {key = "draft.w"}
  // CHECK: func.func private @draft.trunk
  // CHECK: quench.get_weight @draft.w
  // CHECK: func.func @draft.logits(%{{.+}}: tensor<?xi32>, %{{[a-z0-9]+}}: !quench.paged_cache<{{[^>]+}}> {quench.cache = "draft"}) -> {{.*}} attributes {quench.entry}
  // CHECK: call @draft.trunk
  quench.weight @w {key = "w"} : !quench.qtensor<64x64, #quench.f32>
  func.func private @trunk(tensor<?xi32>) -> tensor<?x64xf32>
  func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> attributes {quench.entry} {
    %positions = quench.positions %tokens, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
    %x = func.call @trunk(%positions) : (tensor<?xi32>) -> tensor<?x64xf32>
    return %x : tensor<?x64xf32>
  }
  func.func @round() attributes {quench.entry} {
    return
  }
  module @draft attributes {quench.max_rows = 16 : i64} {
    quench.weight @w {key = "w"} : !quench.qtensor<64x64, #quench.f32>
    func.func private @trunk(%tokens: tensor<?xi32>) -> tensor<?x64xf32> {
      %w = quench.get_weight @w : !quench.qtensor<64x64, #quench.f32>
      %x = quench.embedding %tokens, %w : tensor<?xi32>, !quench.qtensor<64x64, #quench.f32> -> tensor<?x64xf32>
      return %x : tensor<?x64xf32>
    }
    func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> attributes {quench.entry} {
      %x = call @trunk(%tokens) : (tensor<?xi32>) -> tensor<?x64xf32>
      return %x : tensor<?x64xf32>
    }
    func.func @round() attributes {quench.entry} {
      return
    }
  }
}

// ROUND-LABEL: func.func @round
// ROUND-SAME: (%[[PENDING:.+]]: tensor<?xi32>, %[[LIMIT:.+]]: index, %[[KV:[a-z0-9]+]]: !quench.paged_cache<{{[^>]+}}>, %[[SMALL:[a-z0-9]+]]: !quench.paged_cache<{{[^>]+}}> {quench.cache = "draft"})
// ROUND-NEXT: %[[C:.+]] = quench.draft source(#quench.model) %[[PENDING]] limit(%[[LIMIT]] : max 3) caches(%[[SMALL]] :
// ROUND-NEXT: ^bb0(%[[T:.+]]: tensor<?xi32>, %{{.+}}: tensor<?xi32>):
// ROUND-NEXT: func.call @draft.trunk(%[[T]])
// ROUND: quench.verify %[[PENDING]], %[[C]] rule(#quench.greedy) caches(%[[KV]], %[[SMALL]] :
// ROUND-NEXT: ^bb0(%{{.+}}: tensor<?xi32>, %[[P:.+]]: tensor<?xi32>):
// ROUND-NEXT: func.call @trunk(%[[P]])
