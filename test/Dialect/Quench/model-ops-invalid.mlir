// One case for each message of the verifiers of model ops.
// RUN: quench-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a non-empty key}}
quench.weight @w {key = ""} : !quench.qtensor<8x32, #quench.f32>

// -----

// expected-error @+1 {{expected a hash of 32 hexadecimal digits or none, got 'abc'}}
quench.weight @w {key = "w", hash = "abc"} : !quench.qtensor<8x32, #quench.f32>

// -----

// expected-error @+1 {{expected a hash of 32 hexadecimal digits or none, got '0123456789abcdefg123456789abcdef'}}
quench.weight @w {key = "w", hash = "0123456789abcdefg123456789abcdef"} : !quench.qtensor<8x32, #quench.f32>

// -----

func.func @unknown_weight() {
  // expected-error @+1 {{expected a quench.weight named @w, found none}}
  %0 = quench.get_weight @w : !quench.qtensor<8x32, #quench.f32>
  return
}

// -----

// A symbol of another kind is no weight.
func.func @not_a_weight() {
  // expected-error @+1 {{expected a quench.weight named @not_a_weight, found none}}
  %0 = quench.get_weight @not_a_weight : !quench.qtensor<8x32, #quench.f32>
  return
}

// -----

quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.f32>
func.func @other_type() {
  // expected-error @+1 {{expected the type of the weight '!quench.qtensor<8x32, #quench.f32>', got '!quench.qtensor<8x32, #quench.f16>'}}
  %0 = quench.get_weight @w : !quench.qtensor<8x32, #quench.f16>
  return
}

// -----

// Semantics: WEIGHT-3
func.func @slice_columns(%w: !quench.qtensor<8x64, #quench.q4_1>) {
  // expected-error @+1 {{expected a result that differs from '!quench.qtensor<8x64, #quench.q4_1>' in its rows only, got '!quench.qtensor<8x32, #quench.q4_1>'}}
  %0 = quench.slice %w[0] : !quench.qtensor<8x64, #quench.q4_1> -> !quench.qtensor<8x32, #quench.q4_1>
  return
}

// -----

func.func @slice_end(%w: !quench.qtensor<8x64, #quench.q4_1>) {
  // expected-error @+1 {{expected 4 rows within [0, 8), got offset 5}}
  %0 = quench.slice %w[5] : !quench.qtensor<8x64, #quench.q4_1> -> !quench.qtensor<4x64, #quench.q4_1>
  return
}

// -----

func.func @slice_start(%w: !quench.qtensor<8x64, #quench.q4_1>) {
  // expected-error @+1 {{expected 4 rows within [0, 8), got offset -1}}
  %0 = quench.slice %w[-1] : !quench.qtensor<8x64, #quench.q4_1> -> !quench.qtensor<4x64, #quench.q4_1>
  return
}

// -----

// No sum of these two overflows into the range.
func.func @slice_overflow(%w: !quench.qtensor<8x64, #quench.q4_1>) {
  // expected-error @+1 {{expected 4 rows within [0, 8), got offset 9223372036854775807}}
  %0 = quench.slice %w[9223372036854775807] : !quench.qtensor<8x64, #quench.q4_1> -> !quench.qtensor<4x64, #quench.q4_1>
  return
}

// -----

func.func @slice_block(%w: !quench.qtensor<64, #quench.q8_0>) {
  // expected-error @+1 {{expected an offset that is a multiple of the block (32), got 16}}
  %0 = quench.slice %w[16] : !quench.qtensor<64, #quench.q8_0> -> !quench.qtensor<32, #quench.q8_0>
  return
}

// -----

func.func @dequantize(%w: !quench.qtensor<8x64, #quench.q4_1>) {
  // expected-error @+1 {{expected result 'tensor<8x64xf32>', got 'tensor<8x64xf16>'}}
  %0 = quench.dequantize %w : !quench.qtensor<8x64, #quench.q4_1> -> tensor<8x64xf16>
  return
}

// -----

func.func @embedding_rank(%i: tensor<?xi32>, %w: !quench.qtensor<64, #quench.f32>) {
  // expected-error @+1 {{expected a weight of rank 2, got '!quench.qtensor<64, #quench.f32>'}}
  %0 = quench.embedding %i, %w : tensor<?xi32>, !quench.qtensor<64, #quench.f32> -> tensor<?x64xf32>
  return
}

// -----

func.func @embedding_columns(%i: tensor<?xi32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected rows of 64 elements, got 32}}
  %0 = quench.embedding %i, %w : tensor<?xi32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x32xf32>
  return
}

// -----

// Semantics: SHAPE-3
func.func @embedding_rows(%i: tensor<3xi32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected as many rows in the result as in ids (3), got 4}}
  %0 = quench.embedding %i, %w : tensor<3xi32>, !quench.qtensor<8x64, #quench.f32> -> tensor<4x64xf32>
  return
}

// -----

// How wide a row is belongs to the program. Semantics: SHAPE-1
func.func @dynamic_columns(%x: tensor<?x?xf32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{operand #0 must be 2D tensor of f32 with a static number of columns, but got 'tensor<?x?xf32>'}}
  %0 = quench.linear %x, %w : tensor<?x?xf32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x8xf32>
  return
}

// -----

func.func @no_columns(%x: tensor<?x0xf32>) {
  // expected-error @+1 {{operand #0 must be 2D tensor of f32 with a static number of columns, but got 'tensor<?x0xf32>'}}
  %0:2 = quench.argmax %x : tensor<?x0xf32> -> tensor<?xi32>, tensor<?xf32>
  return
}

// -----

func.func @linear_no_weight(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected at least one weight}}
  "quench.linear"(%x) : (tensor<?x64xf32>) -> ()
  return
}

// -----

func.func @linear_results(%x: tensor<?x64xf32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected as many results as weights (2), got 1}}
  %0 = quench.linear %x, %w, %w : tensor<?x64xf32>, !quench.qtensor<8x64, #quench.f32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x8xf32>
  return
}

// -----

func.func @linear_rank(%x: tensor<?x64xf32>, %w: !quench.qtensor<64, #quench.f32>) {
  // expected-error @+1 {{expected a weight of rank 2, got '!quench.qtensor<64, #quench.f32>'}}
  %0 = quench.linear %x, %w : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32> -> tensor<?x8xf32>
  return
}

// -----

func.func @linear_input(%x: tensor<?x32xf32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected an input of 64 features as weight '!quench.qtensor<8x64, #quench.f32>' has, got 32}}
  %0 = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x8xf32>
  return
}

// -----

func.func @linear_output(%x: tensor<?x64xf32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected a result of 8 features as weight '!quench.qtensor<8x64, #quench.f32>' has, got 16}}
  %0 = quench.linear %x, %w : tensor<?x64xf32>, !quench.qtensor<8x64, #quench.f32> -> tensor<?x16xf32>
  return
}

// -----

func.func @linear_rows(%x: tensor<3x64xf32>, %w: !quench.qtensor<8x64, #quench.f32>) {
  // expected-error @+1 {{expected as many rows in the result as in the input (3), got 2}}
  %0 = quench.linear %x, %w : tensor<3x64xf32>, !quench.qtensor<8x64, #quench.f32> -> tensor<2x8xf32>
  return
}

// -----

func.func @norm_rank(%x: tensor<?x64xf32>, %w: !quench.qtensor<1x64, #quench.f32>) {
  // expected-error @+1 {{expected a weight of 64 elements or a divisor of them, got '!quench.qtensor<1x64, #quench.f32>'}}
  %0 = quench.rms_norm %x, %w eps(0.0) : tensor<?x64xf32>, !quench.qtensor<1x64, #quench.f32>
  return
}

// -----

func.func @norm_elements(%x: tensor<?x64xf32>, %w: !quench.qtensor<48, #quench.f32>) {
  // expected-error @+1 {{expected a weight of 64 elements or a divisor of them, got '!quench.qtensor<48, #quench.f32>'}}
  %0 = quench.layer_norm %x, %w eps(0.0) : tensor<?x64xf32>, !quench.qtensor<48, #quench.f32>
  return
}

// -----

func.func @norm_bias(%x: tensor<?x64xf32>, %w: !quench.qtensor<64, #quench.f32>, %b: !quench.qtensor<32, #quench.f32>) {
  // expected-error @+1 {{expected a bias of 64 elements as the weight has, got '!quench.qtensor<32, #quench.f32>'}}
  %0 = quench.layer_norm %x, %w bias(%b : !quench.qtensor<32, #quench.f32>) eps(0.0) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  return
}

// -----

func.func @norm_eps(%x: tensor<?x64xf32>, %w: !quench.qtensor<64, #quench.f32>) {
  // expected-error @+1 {{expected a finite eps of at least 0, got -1}}
  %0 = quench.rms_norm %x, %w eps(-1.0) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  return
}

// -----

func.func @norm_nan(%x: tensor<?x64xf32>, %w: !quench.qtensor<64, #quench.f32>) {
  // expected-error @+1 {{expected a finite eps of at least 0, got NaN}}
  %0 = quench.layer_norm %x, %w eps(0x7fc00000) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
  return
}

// -----

func.func @rope_dim(%x: tensor<?x64xf32>, %p: tensor<?xi32>) {
  // expected-error @+1 {{expected an even head dimension, got 3}}
  %0 = quench.rope adjacent %x, %p dim(3) inv_freq([1.0]) : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @rope_features(%x: tensor<?x64xf32>, %p: tensor<?xi32>) {
  // expected-error @+1 {{expected features divisible by the head dimension 6, got 64}}
  %0 = quench.rope adjacent %x, %p dim(6) inv_freq([1.0, 1.0, 1.0]) : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @rope_frequencies(%x: tensor<?x64xf32>, %p: tensor<?xi32>) {
  // expected-error @+1 {{expected 1 to 2 inverse frequencies, got 3}}
  %0 = quench.rope adjacent %x, %p dim(4) inv_freq([1.0, 1.0, 1.0]) : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @rope_no_frequencies(%x: tensor<?x64xf32>, %p: tensor<?xi32>) {
  // expected-error @+1 {{expected 1 to 2 inverse frequencies, got 0}}
  %0 = quench.rope adjacent %x, %p dim(4) inv_freq([]) : tensor<?x64xf32>, tensor<?xi32>
  return
}

// -----

func.func @rope_rows(%x: tensor<2x64xf32>, %p: tensor<3xi32>) {
  // expected-error @+1 {{expected as many rows in the positions as in the input (2), got 3}}
  %0 = quench.rope adjacent %x, %p dim(2) inv_freq([1.0]) : tensor<2x64xf32>, tensor<3xi32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_keys(%q: tensor<?x32xf32>, %k: tensor<?x8xf32>, %v: tensor<?x16xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected keys of 16 features as the cache has, got 8}}
  %0 = quench.attention %q, %k, %v, %p cache(%kv layer %l) scale(1.0) : tensor<?x32xf32>, tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, !cache -> tensor<?x32xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_values(%q: tensor<?x32xf32>, %k: tensor<?x16xf32>, %v: tensor<?x8xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected values of 16 features as the cache has, got 8}}
  %0 = quench.attention %q, %k, %v, %p cache(%kv layer %l) scale(1.0) : tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x8xf32>, tensor<?xi32>, !cache -> tensor<?x32xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_query(%q: tensor<?x24xf32>, %k: tensor<?x16xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected a query of a multiple of 16 features, got 24}}
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) scale(1.0) : tensor<?x24xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?xi32>, !cache -> tensor<?x24xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_result(%q: tensor<?x32xf32>, %k: tensor<?x16xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected a result of 32 features as the query has, got 16}}
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) scale(1.0) : tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?xi32>, !cache -> tensor<?x16xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_window(%q: tensor<?x32xf32>, %k: tensor<?x16xf32>, %p: tensor<?xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected a positive window, got 0}}
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) scale(1.0) window(0) : tensor<?x32xf32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<?xi32>, !cache -> tensor<?x32xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_rows(%q: tensor<2x32xf32>, %k: tensor<3x16xf32>, %p: tensor<2xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected as many rows in the keys as in the query (2), got 3}}
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) scale(1.0) : tensor<2x32xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<2xi32>, !cache -> tensor<2x32xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_sequences(%q: tensor<2x32xf32>, %k: tensor<2x16xf32>, %p: tensor<2xi32>, %s: tensor<3xi32>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected as many rows in the sequences as in the query (2), got 3}}
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) sequences(%s : tensor<3xi32>) scale(1.0) : tensor<2x32xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2xi32>, !cache -> tensor<2x32xf32>
  return
}

// -----

!cache = !quench.paged_cache<layers = 1, heads = 2, dim = 8, element = f32, slots = 8>
func.func @attention_mask(%q: tensor<2x32xf32>, %k: tensor<2x16xf32>, %p: tensor<2xi32>, %m: tensor<3x?xi1>, %kv: !cache, %l: index) {
  // expected-error @+1 {{expected as many rows in the mask as in the query (2), got 3}}
  %0 = quench.attention %q, %k, %k, %p cache(%kv layer %l) mask(%m : tensor<3x?xi1>) scale(1.0) : tensor<2x32xf32>, tensor<2x16xf32>, tensor<2x16xf32>, tensor<2xi32>, !cache -> tensor<2x32xf32>
  return
}

// -----

func.func @quantize_features(%x: tensor<?x48xf32>) {
  // expected-error @+1 {{expected features divisible by 32, got 48}}
  %0:3 = quench.quantize %x : tensor<?x48xf32> -> tensor<?x48xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  return
}

// -----

func.func @quantize_codes(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected 64 codes in a row, got 32}}
  %0:3 = quench.quantize %x : tensor<?x64xf32> -> tensor<?x32xi8>, tensor<?x2xf32>, tensor<?x2xf32>
  return
}

// -----

func.func @quantize_scales(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{expected 2 scales and sums in a row, got 2 and 1}}
  %0:3 = quench.quantize %x : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>, tensor<?x1xf32>
  return
}

// -----

func.func @quantize_rows(%x: tensor<2x64xf32>) {
  // expected-error @+1 {{expected as many rows in the sums as in the input (2), got 3}}
  %0:3 = quench.quantize %x : tensor<2x64xf32> -> tensor<2x64xi8>, tensor<2x2xf32>, tensor<3x2xf32>
  return
}

// -----

func.func @argmax_rows(%x: tensor<2x64xf32>) {
  // expected-error @+1 {{expected as many rows in the ids as in the input (2), got 3}}
  %0:2 = quench.argmax %x : tensor<2x64xf32> -> tensor<3xi32>, tensor<2xf32>
  return
}

// -----

func.func @argmax_values(%x: tensor<2x64xf32>) {
  // expected-error @+1 {{expected as many rows in the values as in the input (2), got 3}}
  %0:2 = quench.argmax %x : tensor<2x64xf32> -> tensor<2xi32>, tensor<3xf32>
  return
}
