// @round gets the body of @logits as the region of a verify: its positions are the region's, its commit is the verify's.
// RUN: quench-opt %s --quench-add-speculation | FileCheck %s --check-prefixes=CHECK,MAX7
// RUN: quench-opt %s --quench-add-speculation='source=lookup max=3' | FileCheck %s --check-prefixes=CHECK,MAX3

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>

// The other entry points stay.
// CHECK-LABEL: func.func @logits
// CHECK: quench.positions
// CHECK: quench.cache_commit
func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x64xf32> attributes {quench.entry} {
  %positions = quench.positions %tokens, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
  %x = func.call @trunk(%tokens, %positions, %kv) : (tensor<?xi32>, tensor<?xi32>, !cache) -> tensor<?x64xf32>
  %length = quench.cache_length %kv : !cache
  quench.cache_commit %kv, %length : !cache
  return %x : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @round
// CHECK-SAME: (%[[PENDING:.+]]: tensor<?xi32>, %[[LIMIT:.+]]: index, %[[KV:.+]]: !quench.paged_cache{{.+}}) -> (tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>) attributes {quench.entry}
// MAX7-NEXT: %[[C:.+]] = quench.draft source(#quench.lookup) %[[PENDING]] limit(%[[LIMIT]] : max 7)
// MAX3-NEXT: %[[C:.+]] = quench.draft source(#quench.lookup) %[[PENDING]] limit(%[[LIMIT]] : max 3)
// CHECK-NEXT: %[[R:.+]], %[[L:.+]], %[[N:.+]], %[[NEXT:.+]] = quench.verify %[[PENDING]], %[[C]] rule(#quench.greedy) caches(%[[KV]]
// CHECK-NEXT: ^bb0(%[[T:.+]]: tensor<?xi32>, %[[P:.+]]: tensor<?xi32>):
// CHECK-NOT: quench.positions
// CHECK: %[[X:.+]] = func.call @trunk(%[[T]], %[[P]], %[[KV]])
// CHECK-NOT: quench.cache_commit
// CHECK: quench.yield %[[X]] : tensor<?x64xf32>
// CHECK: return %[[R]], %[[L]], %[[N]], %[[NEXT]]

func.func private @trunk(tensor<?xi32>, tensor<?xi32>, !cache) -> tensor<?x64xf32>
