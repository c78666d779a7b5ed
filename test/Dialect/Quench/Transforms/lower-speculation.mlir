// RUN: quench-opt %s --quench-lower-speculation --canonicalize --cse | FileCheck %s

!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>

// CHECK-LABEL: func.func @positions
// CHECK-SAME: (%[[T:.+]]: tensor<?xi32>, %[[KV:.+]]: !quench
func.func @positions(%t: tensor<?xi32>, %kv: !cache) -> tensor<?xi32> {
  // CHECK-DAG: %[[N:.+]] = quench.cache_length %[[KV]]
  // CHECK-DAG: %[[DIM:.+]] = tensor.dim %[[T]]
  // CHECK: linalg.generic {{.*}} outs(%{{.+}} : tensor<?xi32>)
  // CHECK: %[[I:.+]] = linalg.index 0
  // CHECK: %[[P:.+]] = arith.addi %[[N]], %[[I]] : index
  // CHECK: arith.index_cast %[[P]] : index to i32
  %p = quench.positions %t, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
  return %p : tensor<?xi32>
}

// CHECK-LABEL: func.func @static_positions
// CHECK: return %{{.+}} : tensor<4xi32>
func.func @static_positions(%t: tensor<4xi32>, %kv: !cache) -> tensor<4xi32> {
  %p = quench.positions %t, %kv : tensor<4xi32>, !cache -> tensor<4xi32>
  return %p : tensor<4xi32>
}

// The limit at run time counts as far as the bound; the host answers into a buffer of the bound's size.
// Semantics: BOUND-3
// CHECK-LABEL: func.func @draft
// CHECK-SAME: (%[[T:.+]]: tensor<?xi32>, %[[K:.+]]: index)
func.func @draft(%t: tensor<?xi32>, %k: index) -> tensor<?xi32> {
  // CHECK-DAG: %[[C3:.+]] = arith.constant 3 : index
  // CHECK-DAG: %[[OUT:.+]] = tensor.empty() : tensor<3xi32>
  // CHECK-DAG: %[[COUNT:.+]] = tensor.empty() : tensor<1xi64>
  // CHECK: %[[BOUND:.+]] = arith.minui %[[K]], %[[C3]]
  // CHECK: %[[R:.+]]:2 = quench.host_draft "lookup" ins(%[[T]] : tensor<?xi32>) limit(%[[BOUND]]) outs(%[[OUT]], %[[COUNT]] :
  // CHECK: %[[N64:.+]] = tensor.extract %[[R]]#1
  // CHECK: %[[N:.+]] = arith.index_cast %[[N64]]
  // CHECK: tensor.extract_slice %[[R]]#0[0] [%[[N]]] [1]
  %c = quench.draft source(#quench.lookup) %t limit(%k : max 3) : tensor<?xi32> -> tensor<?xi32>
  return %c : tensor<?xi32>
}

// SPEC-2: pending tokens, then candidates, at positions from the cache's length on; the leading candidates that equal the
// choice before them are accepted; the cache is committed up to the last of them (CACHE-1).
// CHECK-LABEL: func.func @verify
// CHECK-SAME: (%[[T:.+]]: tensor<?xi32>, %[[CAND:.+]]: tensor<?xi32>, %[[KV:.+]]: !quench
func.func @verify(%t: tensor<?xi32>, %c: tensor<?xi32>, %kv: !cache) -> (tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>) {
  // CHECK: %[[M:.+]] = tensor.dim %[[T]]
  // CHECK: %[[K:.+]] = tensor.dim %[[CAND]]
  // CHECK: %[[LEN:.+]] = quench.cache_length %[[KV]]
  // CHECK: %[[W:.+]] = arith.addi %[[M]], %[[K]]
  // CHECK: %[[E:.+]] = tensor.empty(%[[W]]) : tensor<?xi32>
  // CHECK: %[[A:.+]] = tensor.insert_slice %[[T]] into %[[E]][0] [%[[M]]] [1]
  // CHECK: %[[ROWS:.+]] = tensor.insert_slice %[[CAND]] into %[[A]][%[[M]]] [%[[K]]] [1]
  // CHECK: %[[POS:.+]] = linalg.generic
  // CHECK: %[[BEST:.+]]:2 = {{.*}}call @target(%[[ROWS]], %[[POS]], %[[KV]])
  // CHECK: %[[NEWEST:.+]] = arith.subi %[[M]], %{{.+}}
  // CHECK: %[[N:.+]] = scf.while
  // CHECK: arith.cmpi ult, %{{.+}}, %[[K]]
  // CHECK: tensor.extract %[[CAND]]
  // CHECK: tensor.extract %[[BEST]]#0
  // CHECK: arith.cmpi eq
  // CHECK: scf.condition
  // CHECK: %[[EMITTED:.+]] = arith.addi %[[N]], %{{.+}}
  // CHECK: tensor.extract_slice %[[BEST]]#0[%[[NEWEST]]] [%[[EMITTED]]] [1]
  // CHECK: tensor.extract_slice %[[BEST]]#1[%[[NEWEST]]] [%[[EMITTED]]] [1]
  // CHECK: %[[USED:.+]] = arith.addi %[[M]], %[[N]]
  // CHECK: %[[NEW:.+]] = arith.addi %[[LEN]], %[[USED]]
  // CHECK: quench.cache_commit %[[KV]], %[[NEW]]
  %r:4 = quench.verify %t, %c rule(#quench.greedy) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    %i, %v = func.call @target(%tokens, %positions, %kv) : (tensor<?xi32>, tensor<?xi32>, !cache) -> (tensor<?xi32>, tensor<?xf32>)
    quench.yield %i, %v : tensor<?xi32>, tensor<?xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
}
func.func private @target(tensor<?xi32>, tensor<?xi32>, !cache) -> (tensor<?xi32>, tensor<?xf32>)

// The first pass runs all pending tokens, each later one the candidate before; a limit of 0 leaves the first. What pass i
// chooses lies behind the i + m tokens that there are.
// CHECK-LABEL: func.func @draft_model
// CHECK-SAME: (%[[T:.+]]: tensor<?xi32>, %[[K:.+]]: index, %[[KV:.+]]: !quench
func.func @draft_model(%t: tensor<?xi32>, %k: index, %kv: !cache) -> tensor<?xi32> {
  // CHECK: %[[M:.+]] = tensor.dim %[[T]]
  // CHECK: %[[COUNT:.+]] = arith.minui %[[K]], %{{.+}}
  // CHECK: %[[PASSES:.+]] = arith.maxui %[[COUNT]], %{{.+}}
  // CHECK: %[[LEN:.+]] = quench.cache_length %[[KV]]
  // CHECK: %[[SIZE:.+]] = arith.addi %[[M]], %[[PASSES]]
  // CHECK: %[[EMPTY:.+]] = tensor.empty(%[[SIZE]])
  // CHECK: %[[SEQ:.+]] = tensor.insert_slice %[[T]] into %[[EMPTY]][0] [%[[M]]] [1]
  // CHECK: %[[ALL:.+]] = scf.for %[[I:.+]] = %{{.+}} to %[[PASSES]] step %{{.+}} iter_args(%[[S:.+]] = %[[SEQ]])
  // CHECK: %[[END:.+]] = arith.addi %[[M]], %[[I]]
  // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %[[I]], %{{.+}}
  // CHECK: %[[ROWS:.+]] = arith.select %[[FIRST]], %[[M]], %{{.+}}
  // CHECK: %[[START:.+]] = arith.subi %[[END]], %[[ROWS]]
  // CHECK: %[[TOKENS:.+]] = tensor.extract_slice %[[S]][%[[START]]] [%[[ROWS]]] [1]
  // CHECK: arith.addi %[[LEN]], %[[START]]
  // CHECK: %[[POS:.+]] = linalg.generic
  // CHECK: %[[BEST:.+]]:2 = {{.*}}call @target(%[[TOKENS]], %[[POS]], %[[KV]])
  // CHECK: %[[LAST:.+]] = arith.subi %[[ROWS]], %{{.+}}
  // CHECK: %[[CHOICE:.+]] = tensor.extract %[[BEST]]#0[%[[LAST]]]
  // CHECK: tensor.insert %[[CHOICE]] into %[[S]][%[[END]]]
  // CHECK: tensor.extract_slice %[[ALL]][%[[M]]] [%[[COUNT]]] [1]
  %c = quench.draft source(#quench.model) %t limit(%k : max 3) caches(%kv : !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    %i, %v = func.call @target(%tokens, %positions, %kv) : (tensor<?xi32>, tensor<?xi32>, !cache) -> (tensor<?xi32>, tensor<?xf32>)
    quench.yield %i, %v : tensor<?xi32>, tensor<?xf32>
  } : tensor<?xi32> -> tensor<?xi32>
  return %c : tensor<?xi32>
}

// With the cache of a draft: the target runs only the pending tokens that its cache lacks, and the draft's is committed as
// far as it has been run, which is one candidate less.
// CHECK-LABEL: func.func @verify_draft
// CHECK-SAME: (%[[T:.+]]: tensor<?xi32>, %[[CAND:.+]]: tensor<?xi32>, %[[KV:.+]]: !quench.paged_cache<{{.+}}>, %[[SMALL:.+]]: !quench
func.func @verify_draft(%t: tensor<?xi32>, %c: tensor<?xi32>, %kv: !cache, %small: !cache) -> (tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>) {
  // CHECK: %[[M:.+]] = tensor.dim %[[T]]
  // CHECK: %[[K:.+]] = tensor.dim %[[CAND]]
  // CHECK: %[[LEN:.+]] = quench.cache_length %[[KV]]
  // CHECK: %[[LEN2:.+]] = quench.cache_length %[[SMALL]]
  // CHECK: %[[SHORTEST:.+]] = arith.minui %[[LEN]], %[[LEN2]]
  // CHECK: %[[KNOWN:.+]] = arith.subi %[[LEN]], %[[SHORTEST]]
  // CHECK: %[[LACKING:.+]] = arith.subi %[[M]], %[[KNOWN]]
  // CHECK: %[[W:.+]] = arith.addi %[[LACKING]], %[[K]]
  // CHECK: tensor.extract_slice %[[T]][%[[KNOWN]]] [%[[LACKING]]] [1]
  // CHECK: %[[N:.+]] = scf.while
  // CHECK: %[[USED:.+]] = arith.addi %[[LACKING]], %[[N]]
  // CHECK: %[[NEW:.+]] = arith.addi %[[LEN]], %[[USED]]
  // CHECK: quench.cache_commit %[[KV]], %[[NEW]]
  // CHECK: %[[DRAFTED:.+]] = arith.maxui %[[K]], %{{.+}}
  // CHECK: %[[A:.+]] = arith.addi %[[SHORTEST]], %[[M]]
  // CHECK: %[[B:.+]] = arith.addi %[[A]], %[[DRAFTED]]
  // CHECK: %[[APPENDED:.+]] = arith.subi %[[B]], %{{.+}}
  // CHECK: %[[OTHERS:.+]] = arith.minui %[[NEW]], %[[APPENDED]]
  // CHECK: quench.cache_commit %[[SMALL]], %[[OTHERS]]
  // CHECK: %[[BEHIND:.+]] = arith.subi %[[NEW]], %[[OTHERS]]
  // CHECK: %[[NEXT:.+]] = arith.addi %[[BEHIND]], %{{.+}}
  // CHECK: tensor.extract_slice %{{.+}}[%{{.+}}] [%[[NEXT]]] [1]
  %r:4 = quench.verify %t, %c rule(#quench.greedy) caches(%kv, %small : !cache, !cache) {
  ^bb0(%tokens: tensor<?xi32>, %positions: tensor<?xi32>):
    %i, %v = func.call @target(%tokens, %positions, %kv) : (tensor<?xi32>, tensor<?xi32>, !cache) -> (tensor<?xi32>, tensor<?xf32>)
    quench.yield %i, %v : tensor<?xi32>, tensor<?xf32>
  } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
}
