//===- QuenchSpeculationOps.td - caches, draft and verify ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHSPECULATIONOPS_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHSPECULATIONOPS_TD

include "quench/Dialect/Quench/IR/QuenchModelOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

def Quench_CacheLengthOp : Quench_Op<"cache_length"> {
  let summary = "number of committed positions";
  let description = [{
    Appending does not change it, `quench.cache_commit` does.

    ```mlir
    %n = quench.cache_length %kv : !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
    ```
  }];
  let arguments = (ins Arg<Quench_AnyCache, "", [MemRead<Quench_CacheResource>]>:$cache);
  let results = (outs Index:$length);
  let assemblyFormat = "$cache attr-dict `:` type($cache)";
}

def Quench_CacheCommitOp : Quench_Op<"cache_commit"> {
  let summary = "sets the number of committed positions";
  let description = [{
    Positions below `length` belong to the sequence from now on; what lies beyond
    was appended but rejected, and will be overwritten. A smaller length than before
    rolls the sequence back.

    ```mlir
    quench.cache_commit %kv, %n : !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
    ```
  }];
  let arguments = (ins Arg<Quench_AnyCache, "", [MemWrite<Quench_CacheResource>]>:$cache, Index:$length);
  let assemblyFormat = "$cache `,` $length attr-dict `:` type($cache)";
}

def Quench_PositionsOp : Quench_Op<"positions"> {
  let summary = "positions of new rows";
  let description = [{
    `result[i] = length(cache) + i`, as many as there are tokens.

    ```mlir
    %pos = quench.positions %ids, %kv
        : tensor<?xi32>, !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8> -> tensor<?xi32>
    ```
  }];
  let arguments = (ins Quench_IdTensor:$tokens, Arg<Quench_AnyCache, "", [MemRead<Quench_CacheResource>]>:$cache);
  let results = (outs Quench_IdTensor:$result);
  let assemblyFormat = "$tokens `,` $cache attr-dict `:` type($tokens) `,` type($cache) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Draft and verify
//===----------------------------------------------------------------------===//

// How many tokens there are is never known before.
class Quench_DynamicVector<Type element> : Type<
    And<[1DTensorOf<[element]>.predicate, CPred<"::llvm::cast<::mlir::ShapedType>($_self).isDynamicDim(0)">]>,
    "1D tensor of " # element.summary # " of dynamic size", "::mlir::RankedTensorType">;
def Quench_TokenTensor : Quench_DynamicVector<I32>;
def Quench_TokenLogits : Quench_DynamicVector<F32>;

def Quench_DraftOp : Quench_Op<"draft", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "proposes the next tokens";
  let description = [{
    *Pending* tokens are those that were emitted but that at least one cache
    lacks; the last of them is the newest token of the sequence. The result has at
    most `min(limit, max)` candidates for the tokens after it, possibly none. A
    `model` source has a region (tokens, positions) that yields logits of the next
    token (or best ids and their logits), and caches that it appends to; other sources
    have neither. The region runs on all pending tokens, which are those that the draft's
    cache lacks, then on each candidate but the last one; with a limit of 0 on the pending tokens
    alone. What it appended is committed by `quench.verify`.

    ```mlir
    %cand = quench.draft source(#quench.lookup) %pending limit(%k : max 7) : tensor<?xi32> -> tensor<?xi32>
    ```
  }];
  let arguments = (ins Quench_TokenTensor:$pending, Index:$limit, Variadic<Quench_AnyCache>:$caches,
                       AnyAttr:$source, I64Attr:$max);
  let results = (outs Quench_TokenTensor:$candidates);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = [{
    `source` `(` $source `)` $pending `limit` `(` $limit `:` `max` $max `)` (`caches` `(` $caches^ `:` type($caches) `)`)?
    ($body^)? attr-dict `:` type($pending) `->` type($candidates)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Quench_VerifyOp : Quench_Op<"verify", [SingleBlock, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one pass of the target over pending tokens and candidates";
  let description = [{
    The region computes, for rows (tokens, positions), either logits
    (`tensor<?xVxf32>`) or, if the rule needs no more, best ids and their logits
    (`tensor<?xi32>, tensor<?xf32>`). It runs on the pending tokens that its cache
    lacks, followed by all candidates, at positions from the cache's length on.
    Let y_0 be the target's choice after the newest pending token and y_i after
    candidate i. The rule accepts the first n candidates; the results are
    `y_0 … y_n` (n + 1 tokens), their logits, n, and the new pending tokens: y_n, and before it
    the last candidate if it was accepted and a draft's cache lacks it. The first cache is the
    region's, others are those of the draft. Every cache is committed up to and including the
    last accepted candidate that it holds.

    ```mlir
    %out, %logits, %n, %next = quench.verify %pending, %cand rule(#quench.greedy) caches(%kv : !quench.paged_cache<…>) {
    ^bb0(%t: tensor<?xi32>, %p: tensor<?xi32>):
      …
      quench.yield %l : tensor<?x49152xf32>
    } : tensor<?xi32>, tensor<?xi32> -> tensor<?xi32>, tensor<?xf32>, index, tensor<?xi32>
    ```
  }];
  let arguments = (ins Quench_TokenTensor:$pending, Quench_TokenTensor:$candidates, Variadic<Quench_AnyCache>:$caches, AnyAttr:$rule);
  let results = (outs Quench_TokenTensor:$emitted, Quench_TokenLogits:$logits, Index:$accepted, Quench_TokenTensor:$next);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $pending `,` $candidates `rule` `(` $rule `)` `caches` `(` $caches `:` type($caches) `)` $body attr-dict
    `:` type($pending) `,` type($candidates) `->` type($emitted) `,` type($logits) `,` type($accepted) `,` type($next)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Quench_YieldOp : Quench_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["DraftOp", "VerifyOp"]>]> {
  let summary = "ends the region of draft or verify";
  let description = [{
    Its operands are what the op around it says that its region yields.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHSPECULATIONOPS_TD
