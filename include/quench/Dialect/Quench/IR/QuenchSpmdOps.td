//===- QuenchSpmdOps.td - threads of a team, workspace, entry arguments ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHSPMDOPS_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHSPMDOPS_TD

include "quench/Dialect/Quench/IR/QuenchModelOps.td"

def Quench_ThreadIdOp : Quench_Op<"thread_id", [Pure]> {
  let summary = "index of the executing thread in its team";
  let description = [{ From 0; thread 0 is the one that executes what must happen once. }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Quench_NumThreadsOp : Quench_Op<"num_threads", [Pure]> {
  let summary = "number of threads of the team";
  let description = [{ At least 1, and the same for the whole call of an entry point. }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Quench_BarrierOp : Quench_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all threads of the team";
  let description = [{ What any thread wrote before is visible to all after. Every thread executes it, or none. }];
  let assemblyFormat = "attr-dict";
}

def Quench_WorkspaceOp : Quench_Op<"workspace", [Pure]> {
  let summary = "a buffer in the workspace of the call";
  let description = [{
    `offset` is in bytes, from the start of the shared workspace or, with `private`, of the executing thread's own.
  }];
  let arguments = (ins Variadic<Index>:$sizes, I64Attr:$offset, UnitAttr:$thread_private);
  let results = (outs AnyMemRef:$result);
  let hasVerifier = 1;
  let assemblyFormat = "(`private` $thread_private^)? $offset `(` $sizes `)` attr-dict `:` type($result)";
}

def Quench_ResultOp : Quench_Op<"result", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "hands a result of an entry point to its caller";
  let description = [{ Copies the elements into the caller's buffer number `index` (results follow the entry point's arguments) and stores its dimensions. Executed by one thread. }];
  let arguments = (ins AnyTypeOf<[AnyMemRef, Index, AnySignlessInteger, AnyFloat], "memref or scalar">:$value, I64Attr:$index);
  let assemblyFormat = "$index `=` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Quench_CachePart : I32EnumAttr<"CachePart", "what of a page", [
    I32EnumAttrCase<"Keys", 0, "keys">, I32EnumAttrCase<"Values", 1, "values">]> {
  let cppNamespace = "::mlir::quench";
  let genSpecializedAttr = 0;
}
def Quench_CachePartAttr : EnumAttr<Quench_Dialect, Quench_CachePart, "cache_part">;

def Quench_CachePageOp : Quench_Op<"cache_page"> {
  let summary = "keys or values of one head in a page";
  let description = [{ Keys are `dim x slots`, values `slots x dim`, in the cache's element type. `page` counts from the sequence's start. }];
  let arguments = (ins Quench_CachePartAttr:$part, Arg<Quench_AnyCache, "", [MemRead<Quench_CacheResource>]>:$cache, Index:$page, Index:$layer, Index:$head);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "custom<Keyword>($part) `of` $cache `[` $page `,` $layer `,` $head `]` attr-dict `:` type($cache) `->` type($result)";
  let hasVerifier = 1;
}

def Quench_CacheCapacityOp : Quench_Op<"cache_capacity"> {
  let summary = "number of positions that have a page";
  let description = [{ The runtime reserves pages before a step; appending beyond them is dropped. }];
  let arguments = (ins Arg<Quench_AnyCache, "", [MemRead<Quench_CacheResource>]>:$cache);
  let results = (outs Index:$capacity);
  let assemblyFormat = "$cache attr-dict `:` type($cache)";
}

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHSPMDOPS_TD
