// C3: what belongs together is computed together, and no weight is ever dequantized into memory.
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-stage-model | FileCheck %s --check-prefix=MODEL
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-stage-model --quench-stage-blocks --quench-stage-tile -o %t.tile.mlir
// RUN: FileCheck %s --check-prefix=TILE < %t.tile.mlir
// RUN: quench-opt %t.tile.mlir --quench-stage-buffers --quench-stage-threads -o %t.threads.mlir
// RUN: FileCheck %s --check-prefix=ROUND < %t.threads.mlir
// RUN: FileCheck %s --check-prefix=BYTES --implicit-check-not='memref<{{(128x128|64x128|256x128|128x256|512x128)x}}' < %t.threads.mlir

// Q, K and V are one op, gate and up are one op.
// MODEL-LABEL: func.func private @block
// MODEL: quench.linear %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} activations(i8)
// MODEL: quench.attention
// MODEL: quench.linear %{{.+}}, %{{.+}} activations(i8)
// MODEL: quench.linear %{{.+}}, %{{.+}}, %{{.+}} activations(i8)
// MODEL: quench.linear %{{.+}}, %{{.+}} activations(i8)
// MODEL-NOT: quench.linear
// MODEL: return

// The norm and the quantization of what it gives.
// TILE-LABEL: func.func private @block
// TILE: scf.forall
// TILE: quench.block_norm rms
// TILE: quench.block_quantize
// TILE: } {mapping = [#quench.thread]}
// Q, K and V read the same codes.
// TILE: scf.forall
// TILE-NEXT: tensor.extract_slice
// TILE: quench.block_matmul
// TILE: scf.forall
// TILE: quench.block_matmul
// TILE: scf.forall
// TILE: quench.block_matmul
// TILE-NOT: block_quantize
// Rotated queries; rotated keys straight into the cache.
// TILE: scf.forall
// TILE: quench.block_rope_table
// TILE: quench.block_rope adjacent
// TILE: scf.forall
// TILE: quench.block_rope_table
// TILE: quench.block_rope adjacent
// TILE: quench.block_append
// Attention and the quantization of what it gives, for each row and head.
// TILE: scf.forall
// TILE: quench.block_attend
// TILE: quench.block_quantize
// TILE: } {mapping = [#quench.thread, #quench.thread]}
// The output projection and the residual.
// TILE: scf.forall
// TILE: quench.block_matmul
// TILE: arith.addf
// TILE: } {mapping = [#quench.thread]}
// TILE: scf.forall
// TILE: quench.block_norm rms
// TILE: quench.block_quantize
// Gate, up, the activation function and the quantization of what it gives.
// TILE: scf.forall
// TILE: quench.block_matmul
// TILE: quench.block_matmul
// TILE: math.exp
// TILE: quench.block_quantize
// TILE: } {mapping = [#quench.thread]}
// TILE: scf.forall
// TILE: quench.block_matmul
// TILE: arith.addf
// TILE: } {mapping = [#quench.thread]}
// TILE-NOT: scf.forall
// TILE: return

// The head and its best columns: a tile of 64 logits at a time, never a row of 512.
// TILE-LABEL: func.func @round
// TILE: quench.block_norm rms
// TILE: quench.block_quantize
// TILE: scf.forall
// TILE: quench.block_matmul #quench.q8_0
// TILE: quench.block_argmax
// TILE: quench.block_argmax_merge
// ROUND-LABEL: func.func @round
// ROUND-NOT: x512xf32
// ROUND: quench.workspace private {{.*}} : memref<?x64xf32>
// ROUND-NEXT: quench.block_matmul #quench.q8_0
// ROUND-NOT: x512xf32
// ROUND: return

// Weights are read as the bytes of their layout, and no buffer has the shape of a decoded one.
// BYTES-DAG: quench.packed_weight @token_embd layout(#quench.rows<8>) : memref<64x4x272xi8>
// BYTES-DAG: quench.packed_weight @blk0.ffn_down layout(#quench.rows<8>) : memref<16x8x160xi8>
