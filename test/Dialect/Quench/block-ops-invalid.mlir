// One case for each message of the verifiers of block ops, and of the ops of threads and buffers.
// RUN: quench-opt %s --split-input-file --verify-diagnostics

func.func @shaped(%x: vector<4x64xf32>, %c: tensor<?x64xi8>, %s: tensor<?x2xf32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor or memref, but got 'vector<4x64xf32>'}}
  %0:3 = quench.block_quantize ins(%x : vector<4x64xf32>) outs(%c, %s, %s : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  return
}

// -----

func.func @no_results(%x: tensor<?x64xf32>, %c: tensor<?x64xi8>, %s: tensor<?x2xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (3)}}
  quench.block_quantize ins(%x : tensor<?x64xf32>) outs(%c, %s, %s : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>)
  return
}

// -----

func.func @mixed(%x: tensor<?x64xf32>, %c: memref<?x64xi8>, %s: tensor<?x2xf32>) {
  // expected-error @+1 {{expected tensors or buffers as destinations, got both}}
  %0:2 = quench.block_quantize ins(%x : tensor<?x64xf32>) outs(%c, %s, %s : memref<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>, tensor<?x2xf32>
  return
}

// -----

func.func @result_type(%x: tensor<?x64xf32>, %c: tensor<?x64xi8>, %s: tensor<?x2xf32>) {
  // expected-error @+1 {{expected a result of the destination's type 'tensor<?x2xf32>', got 'tensor<3x2xf32>'}}
  %0:3 = quench.block_quantize ins(%x : tensor<?x64xf32>) outs(%c, %s, %s : tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @destinations(%x: memref<?x64xf32>, %c: memref<?x64xi8>) {
  // expected-error @+1 {{expected 3 destinations, got 1}}
  quench.block_quantize ins(%x : memref<?x64xf32>) outs(%c : memref<?x64xi8>)
  return
}

// -----

func.func @destination_element(%x: memref<?x64xf32>, %c: memref<?x64xi8>, %s: memref<?x2xf16>) {
  // expected-error @+1 {{expected a destination of element type 'f32', got 'f16'}}
  quench.block_quantize ins(%x : memref<?x64xf32>) outs(%c, %s, %s : memref<?x64xi8>, memref<?x2xf16>, memref<?x2xf16>)
  return
}

// -----

func.func @rank(%x: memref<64xf32>, %c: memref<?x64xi8>, %s: memref<?x2xf32>) {
  // expected-error @+1 {{expected operand 0 of rank 2, got 'memref<64xf32>'}}
  quench.block_quantize ins(%x : memref<64xf32>) outs(%c, %s, %s : memref<?x64xi8>, memref<?x2xf32>, memref<?x2xf32>)
  return
}

// -----

func.func @stride(%x: memref<?x64xf32, strided<[128, 2]>>, %c: memref<?x64xi8>, %s: memref<?x2xf32>) {
  // expected-error @+1 {{expected operand 0 with neighbours next to each other in its last dimension, got 'memref<?x64xf32, strided<[128, 2]>>'}}
  quench.block_quantize ins(%x : memref<?x64xf32, strided<[128, 2]>>) outs(%c, %s, %s : memref<?x64xi8>, memref<?x2xf32>, memref<?x2xf32>)
  return
}

// -----

func.func @multiple(%x: memref<?x48xf32>, %c: memref<?x64xi8>, %s: memref<?x2xf32>) {
  // expected-error @+1 {{expected operand 0 to have a multiple of 32 elements, got 'memref<?x48xf32>'}}
  quench.block_quantize ins(%x : memref<?x48xf32>) outs(%c, %s, %s : memref<?x64xi8>, memref<?x2xf32>, memref<?x2xf32>)
  return
}

// -----

func.func @domain(%x: memref<?x64xf32>, %c: memref<?x64xi8>, %s: memref<?x3xf32>) {
  // expected-error @+1 {{expected operand 2 to have 2 elements where it has 3, got 'memref<?x3xf32>'}}
  quench.block_quantize ins(%x : memref<?x64xf32>) outs(%c, %s, %s : memref<?x64xi8>, memref<?x3xf32>, memref<?x3xf32>)
  return
}

// -----

func.func @quantize_element(%x: memref<?x64xf16>, %c: memref<?x64xi8>, %s: memref<?x2xf32>) {
  // expected-error @+1 {{expected x of element type 'f32', got 'f16'}}
  quench.block_quantize ins(%x : memref<?x64xf16>) outs(%c, %s, %s : memref<?x64xi8>, memref<?x2xf32>, memref<?x2xf32>)
  return
}

// -----

func.func @matmul_acts(%w: memref<1x2x160xi8>, %a: memref<?x64xf16>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected activations of i8 or f32, got 'f16'}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x160xi8>) acts(%a : memref<?x64xf16>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_no_scales(%w: memref<1x2x160xi8>, %a: memref<?x64xi8>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected scales and sums with i8 activations only}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x160xi8>) acts(%a : memref<?x64xi8>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_scales(%w: memref<1x2x160xi8>, %a: memref<?x64xf32>, %s: memref<?x2xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected scales and sums with i8 activations only}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x160xi8>) acts(%a : memref<?x64xf32>) scales(%s : memref<?x2xf32>) sums(%s : memref<?x2xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_dynamic(%w: memref<1x2x160xi8>, %a: memref<?x?xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected activations with a static number of columns, got 'memref<?x?xf32>'}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x160xi8>) acts(%a : memref<?x?xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_format(%w: memref<1x1x1184xi8>, %a: memref<?x128xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{format q4_k has no form in layout rows8 for 128 columns}}
  quench.block_matmul #quench.q4_k weights(%w : memref<1x1x1184xi8>) acts(%a : memref<?x128xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_columns(%w: memref<1x1x160xi8>, %a: memref<?x40xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{format q4_1 has no form in layout rows8 for 40 columns}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x1x160xi8>) acts(%a : memref<?x40xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_weights(%w: memref<1x2x272xi8>, %a: memref<?x64xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected packed weights of 'tensor<1x2x160xi8>' for each group of 8 features, got 'memref<1x2x272xi8>'}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x272xi8>) acts(%a : memref<?x64xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_float_format(%w: memref<1x64x8xf16>, %a: memref<?x64xi8>, %s: memref<?x2xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected f32 activations for weights of format f16, got i8}}
  quench.block_matmul #quench.f16 weights(%w : memref<1x64x8xf16>) acts(%a : memref<?x64xi8>) scales(%s : memref<?x2xf32>) sums(%s : memref<?x2xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_scale_element(%w: memref<1x2x160xi8>, %a: memref<?x64xi8>, %s: memref<?x2xf16>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected scales of element type 'f32', got 'f16'}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x160xi8>) acts(%a : memref<?x64xi8>) scales(%s : memref<?x2xf16>) sums(%s : memref<?x2xf16>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @matmul_scale_columns(%w: memref<1x2x160xi8>, %a: memref<?x64xi8>, %s: memref<?x2xf32>, %z: memref<?x1xf32>, %o: memref<?x8xf32>) {
  // expected-error @+1 {{expected sums with 2 columns, got 'memref<?x1xf32>'}}
  quench.block_matmul #quench.q4_1 weights(%w : memref<1x2x160xi8>) acts(%a : memref<?x64xi8>) scales(%s : memref<?x2xf32>) sums(%z : memref<?x1xf32>) outs(%o : memref<?x8xf32>)
  return
}

// -----

func.func @embedding_ids(%w: memref<1x2x160xi8>, %i: memref<?xi64>, %o: memref<?x64xf32>) {
  // expected-error @+1 {{expected ids of element type 'i32', got 'i64'}}
  quench.block_embedding #quench.q4_1 weights(%w : memref<1x2x160xi8>) rows(8) ids(%i : memref<?xi64>) outs(%o : memref<?x64xf32>)
  return
}

// -----

func.func @embedding_weights(%w: memref<1x2x160xi8>, %i: memref<?xi32>, %o: memref<?x32xf32>) {
  // expected-error @+1 {{expected packed weights of 'tensor<1x1x160xi8>' for each group of 8 features, got 'memref<1x2x160xi8>'}}
  quench.block_embedding #quench.q4_1 weights(%w : memref<1x2x160xi8>) rows(8) ids(%i : memref<?xi32>) outs(%o : memref<?x32xf32>)
  return
}

// -----

// Ids are clamped to the rows, so there must not be more of them than there are bytes.
func.func @embedding_rows(%w: memref<1x2x160xi8>, %i: memref<?xi32>, %o: memref<?x64xf32>) {
  // expected-error @+1 {{expected 1 to 8 rows, got 9}}
  quench.block_embedding #quench.q4_1 weights(%w : memref<1x2x160xi8>) rows(9) ids(%i : memref<?xi32>) outs(%o : memref<?x64xf32>)
  return
}

// -----

func.func @norm_bias(%x: memref<?x64xf32>, %w: memref<64xf32>) {
  // expected-error @+1 {{expected no bias for an rms norm}}
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<?x64xf32>, memref<64xf32>) bias(%w : memref<64xf32>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @norm_weight(%x: memref<?x64xf32>, %w: memref<48xf32>) {
  // expected-error @+1 {{expected a weight with 64 columns or a divisor of them, got 'memref<48xf32>'}}
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<?x64xf32>, memref<48xf32>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @norm_weight_element(%x: memref<?x64xf32>, %w: memref<64xf16>) {
  // expected-error @+1 {{expected a weight of element type 'f32', got 'f16'}}
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<?x64xf32>, memref<64xf16>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @norm_out(%x: memref<?x64xf32>, %w: memref<64xf32>, %o: memref<?x32xf32>) {
  // expected-error @+1 {{expected a destination with 64 columns, got 'memref<?x32xf32>'}}
  quench.block_norm rms eps(1.0) ins(%x, %w : memref<?x64xf32>, memref<64xf32>) outs(%o : memref<?x32xf32>)
  return
}

// -----

func.func @norm_bias_columns(%x: memref<?x64xf32>, %w: memref<64xf32>, %b: memref<32xf32>) {
  // expected-error @+1 {{expected a bias with 64 columns, got 'memref<32xf32>'}}
  quench.block_norm layer eps(1.0) ins(%x, %w : memref<?x64xf32>, memref<64xf32>) bias(%b : memref<32xf32>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @table_positions(%p: memref<?xf32>, %o: memref<?x2xf32>) {
  // expected-error @+1 {{expected positions of element type 'i32', got 'f32'}}
  quench.block_rope_table ins(%p : memref<?xf32>) inv_freq([1.0]) outs(%o : memref<?x2xf32>)
  return
}

// -----

func.func @table_width(%p: memref<?xi32>, %o: memref<?x4xf32>) {
  // expected-error @+1 {{expected a destination with 2 columns, got 'memref<?x4xf32>'}}
  quench.block_rope_table ins(%p : memref<?xi32>) inv_freq([1.0]) outs(%o : memref<?x4xf32>)
  return
}

// -----

func.func @rope_dim(%x: memref<?x64xf32>, %t: memref<?x6xf32>) {
  // expected-error @+1 {{expected columns divisible by an even head dimension, got 64 and 6}}
  quench.block_rope halves dim(6) ins(%x, %t : memref<?x64xf32>, memref<?x6xf32>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @rope_wide_table(%x: memref<?x64xf32>, %t: memref<?x6xf32>) {
  // expected-error @+1 {{expected a table of an even number of columns, at most 4, got 6}}
  quench.block_rope halves dim(4) ins(%x, %t : memref<?x64xf32>, memref<?x6xf32>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @rope_table(%x: memref<?x64xf32>, %t: memref<?x4xf64>) {
  // expected-error @+1 {{expected a table of element type 'f32', got 'f64'}}
  quench.block_rope halves dim(4) ins(%x, %t : memref<?x64xf32>, memref<?x4xf64>) outs(%x : memref<?x64xf32>)
  return
}

// -----

func.func @rope_out(%x: memref<?x64xf32>, %t: memref<?x4xf32>, %o: memref<?x32xf32>) {
  // expected-error @+1 {{expected a destination with 64 columns, got 'memref<?x32xf32>'}}
  quench.block_rope halves dim(4) ins(%x, %t : memref<?x64xf32>, memref<?x4xf32>) outs(%o : memref<?x32xf32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @append_keys(%k: memref<?x8xf32>, %v: memref<?x16xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected keys with 16 columns, got 'memref<?x8xf32>'}}
  quench.block_append ins(%k, %v, %p : memref<?x8xf32>, memref<?x16xf32>, memref<?xi32>) cache(%kv layer %l : !cache)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @append_values(%k: memref<?x16xf32>, %v: memref<?x8xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected values with 16 columns, got 'memref<?x8xf32>'}}
  quench.block_append ins(%k, %v, %p : memref<?x16xf32>, memref<?x8xf32>, memref<?xi32>) cache(%kv layer %l : !cache)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @append_element(%k: memref<?x16xf16>, %v: memref<?x16xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected keys of element type 'f32', got 'f16'}}
  quench.block_append ins(%k, %v, %p : memref<?x16xf16>, memref<?x16xf32>, memref<?xi32>) cache(%kv layer %l : !cache)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @append_outputs(%k: memref<?x16xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected 0 destinations, got 1}}
  quench.block_append ins(%k, %k, %p : memref<?x16xf32>, memref<?x16xf32>, memref<?xi32>) cache(%kv layer %l : !cache) outs(%k : memref<?x16xf32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attend_group(%q: memref<?x32xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected a positive group of query heads, got 0}}
  quench.block_attend ins(%q, %p : memref<?x32xf32>, memref<?xi32>) cache(%kv layer %l : !cache) heads(%l group 0) scale(1.0) outs(%q : memref<?x32xf32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attend_window(%q: memref<?x32xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected a positive window, got -1}}
  quench.block_attend ins(%q, %p : memref<?x32xf32>, memref<?xi32>) cache(%kv layer %l : !cache) heads(%l group 1) scale(1.0) window(-1) outs(%q : memref<?x32xf32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attend_heads(%q: memref<?x12xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected operand 0 to have a multiple of 8 elements, got 'memref<?x12xf32>'}}
  quench.block_attend ins(%q, %p : memref<?x12xf32>, memref<?xi32>) cache(%kv layer %l : !cache) heads(%l group 1) scale(1.0) outs(%q : memref<?x12xf32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attend_positions(%q: memref<?x16xf32>, %p: memref<?xi64>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected positions of element type 'i32', got 'i64'}}
  quench.block_attend ins(%q, %p : memref<?x16xf32>, memref<?xi64>) cache(%kv layer %l : !cache) heads(%l group 1) scale(1.0) outs(%q : memref<?x16xf32>)
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attend_dynamic(%q: memref<?x?xf32>, %p: memref<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected a query with a static number of columns, got 'memref<?x?xf32>'}}
  quench.block_attend ins(%q, %p : memref<?x?xf32>, memref<?xi32>) cache(%kv layer %l : !cache) heads(%l group 1) scale(1.0) outs(%q : memref<?x?xf32>)
  return
}

// -----

func.func @argmax_segment(%x: memref<?x64xf32>, %o: index, %v: memref<?x2xf32>, %i: memref<?x2xi32>) {
  // expected-error @+1 {{expected a positive segment, got 0}}
  quench.block_argmax ins(%x : memref<?x64xf32>) segment(0) origin(%o) outs(%v, %i : memref<?x2xf32>, memref<?x2xi32>)
  return
}

// -----

func.func @argmax_parts(%x: memref<?x64xf32>, %o: index, %v: memref<?x2xf32>, %i: memref<?x3xi32>) {
  // expected-error @+1 {{expected operand 3 to have 2 elements where it has 3, got 'memref<?x3xi32>'}}
  quench.block_argmax ins(%x : memref<?x64xf32>) segment(32) origin(%o) outs(%v, %i : memref<?x2xf32>, memref<?x3xi32>)
  return
}

// -----

func.func @merge_ids(%v: memref<?x2xf32>, %i: memref<?x3xi32>, %bi: memref<?xi32>, %bv: memref<?xf32>) {
  // expected-error @+1 {{expected ids with 2 columns, got 'memref<?x3xi32>'}}
  quench.block_argmax_merge ins(%v, %i : memref<?x2xf32>, memref<?x3xi32>) outs(%bi, %bv : memref<?xi32>, memref<?xf32>)
  return
}

// -----

func.func @merge_element(%v: memref<?x2xf32>, %i: memref<?x2xi64>, %bi: memref<?xi32>, %bv: memref<?xf32>) {
  // expected-error @+1 {{expected ids of element type 'i32', got 'i64'}}
  quench.block_argmax_merge ins(%v, %i : memref<?x2xf32>, memref<?x2xi64>) outs(%bi, %bv : memref<?xi32>, memref<?xf32>)
  return
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<20x64, #quench.q4_1>
func.func @packed_form() {
  // expected-error @+1 {{expected the packed form 'tensor<3x2x160xi8>' of the weight, got 'tensor<2x2x160xi8>'}}
  %0 = quench.packed_weight @w layout(#quench.rows<8>) : tensor<2x2x160xi8>
  return
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<64, #quench.f32>
func.func @packed_layout() {
  // expected-error @+1 {{layout rows8 has no form for '!quench.qtensor<64, #quench.f32>'}}
  %0 = quench.packed_weight @w layout(#quench.rows<8>) : tensor<8x8xf32>
  return
}

// -----

func.func @packed_unknown() {
  // expected-error @+1 {{expected a quench.weight named @w, found none}}
  %0 = quench.packed_weight @w layout(#quench.plain) : tensor<64xf32>
  return
}

// -----

func.func @draft_pending(%p: memref<?xi64>, %k: index, %c: memref<7xi32>, %n: memref<1xi64>) {
  // expected-error @+1 {{expected pending tokens of element type 'i32', got 'i64'}}
  quench.host_draft "lookup" ins(%p : memref<?xi64>) limit(%k) outs(%c, %n : memref<7xi32>, memref<1xi64>)
  return
}

// -----

func.func @draft_destinations(%p: memref<?xi32>, %k: index, %c: memref<7xi32>) {
  // expected-error @+1 {{expected 2 destinations, got 1}}
  quench.host_draft "lookup" ins(%p : memref<?xi32>) limit(%k) outs(%c : memref<7xi32>)
  return
}

// -----

func.func @draft_rank(%p: memref<?xi32>, %k: index, %c: memref<1x7xi32>, %n: memref<1xi64>) {
  // expected-error @+1 {{expected vectors, got 'memref<1x7xi32>'}}
  quench.host_draft "lookup" ins(%p : memref<?xi32>) limit(%k) outs(%c, %n : memref<1x7xi32>, memref<1xi64>)
  return
}

// -----

func.func @draft_number(%p: memref<?xi32>, %k: index, %c: memref<7xi32>, %n: memref<2xi64>) {
  // expected-error @+1 {{expected one number of candidates, got 'memref<2xi64>'}}
  quench.host_draft "lookup" ins(%p : memref<?xi32>) limit(%k) outs(%c, %n : memref<7xi32>, memref<2xi64>)
  return
}

// -----

func.func @draft_results(%p: tensor<?xi32>, %k: index, %c: memref<7xi32>, %n: tensor<1xi64>) {
  // expected-error @+1 {{expected tensors or buffers as destinations, got both}}
  %0 = quench.host_draft "lookup" ins(%p : tensor<?xi32>) limit(%k) outs(%c, %n : memref<7xi32>, tensor<1xi64>) -> tensor<1xi64>
  return
}

// -----

func.func @workspace_sizes(%n: index) {
  // expected-error @+1 {{expected one size for each dynamic dimension (1), got 0}}
  %0 = quench.workspace 0() : memref<?x8xf32>
  return
}

// -----

func.func @workspace_layout(%n: index) {
  // expected-error @+1 {{expected a dense buffer, got 'memref<?x8xf32, strided<[16, 1]>>'}}
  %0 = quench.workspace 0(%n) : memref<?x8xf32, strided<[16, 1]>>
  return
}

// -----

func.func @workspace_offset() {
  // expected-error @+1 {{expected an offset of at least 0, got -64}}
  %0 = quench.workspace -64() : memref<8xf32>
  return
}

// -----

func.func @result_index(%n: index) {
  // expected-error @+1 {{expected an index of at least 0, got -1}}
  quench.result -1 = %n : index
  return
}

// -----

func.func @result_kind(%t: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must be memref or scalar, but got 'tensor<8xf32>'}}
  quench.result 0 = %t : tensor<8xf32>
  return
}

// -----

func.func @page(%kv: !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f16, slots = 16>, %i: index) {
  // expected-error @+1 {{expected a result of type 'memref<16x8xf16>', got 'memref<8x16xf16>'}}
  %0 = quench.cache_page values of %kv[%i, %i, %i] : !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f16, slots = 16> -> memref<8x16xf16>
  return
}
