// A llama of one layer, as quench-import writes it: 128 features, 2 query heads and 1 cache head of 64, a gate of 256, a
// vocabulary of 512. A layer is a function, so that twice the layers are twice the calls.
!cache = !quench.paged_cache<layers = 1, heads = 1, dim = 64, element = f16, slots = 32>
!vector = !quench.qtensor<128, #quench.f32>
!square = !quench.qtensor<128x128, #quench.q4_1>
!narrow = !quench.qtensor<64x128, #quench.q4_1>
!up = !quench.qtensor<256x128, #quench.q4_1>
!down = !quench.qtensor<128x256, #quench.q4_1>
!vocabulary = !quench.qtensor<512x128, #quench.q8_0>

module attributes {quench.max_rows = 64 : i64} {
  quench.weight @token_embd {key = "token_embd.weight"} : !vocabulary
  quench.weight @output_norm {key = "output_norm.weight"} : !vector
  quench.weight @blk0.attn_norm {key = "blk.0.attn_norm.weight"} : !vector
  quench.weight @blk0.attn_q {key = "blk.0.attn_q.weight"} : !square
  quench.weight @blk0.attn_k {key = "blk.0.attn_k.weight"} : !narrow
  quench.weight @blk0.attn_v {key = "blk.0.attn_v.weight"} : !narrow
  quench.weight @blk0.attn_output {key = "blk.0.attn_output.weight"} : !square
  quench.weight @blk0.ffn_norm {key = "blk.0.ffn_norm.weight"} : !vector
  quench.weight @blk0.ffn_gate {key = "blk.0.ffn_gate.weight"} : !up
  quench.weight @blk0.ffn_up {key = "blk.0.ffn_up.weight"} : !up
  quench.weight @blk0.ffn_down {key = "blk.0.ffn_down.weight"} : !down

  func.func private @block(%x: tensor<?x128xf32>, %positions: tensor<?xi32>, %kv: !cache, %layer: index,
      %attn_norm: !vector, %wq: !square, %wk: !narrow, %wv: !narrow, %wo: !square, %ffn_norm: !vector, %wg: !up, %wu: !up, %wd: !down) -> tensor<?x128xf32> {
    %h = quench.rms_norm %x, %attn_norm eps(1.0e-5) : tensor<?x128xf32>, !vector
    %q = quench.linear %h, %wq activations(i8) : tensor<?x128xf32>, !square -> tensor<?x128xf32>
    %k = quench.linear %h, %wk activations(i8) : tensor<?x128xf32>, !narrow -> tensor<?x64xf32>
    %v = quench.linear %h, %wv activations(i8) : tensor<?x128xf32>, !narrow -> tensor<?x64xf32>
    %qr = quench.rope adjacent %q, %positions dim(64) inv_freq([1.0, 0.75, 0.56, 0.42, 0.32, 0.24, 0.18, 0.13, 0.1, 0.075, 0.056, 0.042, 0.032, 0.024, 0.018, 0.013, 0.01, 0.0075, 0.0056, 0.0042, 0.0032, 0.0024, 0.0018, 0.0013, 0.001, 0.00075, 0.00056, 0.00042, 0.00032, 0.00024, 0.00018, 0.00013]) : tensor<?x128xf32>, tensor<?xi32>
    %kr = quench.rope adjacent %k, %positions dim(64) inv_freq([1.0, 0.75, 0.56, 0.42, 0.32, 0.24, 0.18, 0.13, 0.1, 0.075, 0.056, 0.042, 0.032, 0.024, 0.018, 0.013, 0.01, 0.0075, 0.0056, 0.0042, 0.0032, 0.0024, 0.0018, 0.0013, 0.001, 0.00075, 0.00056, 0.00042, 0.00032, 0.00024, 0.00018, 0.00013]) : tensor<?x64xf32>, tensor<?xi32>
    %a = quench.attention %qr, %kr, %v, %positions cache(%kv layer %layer) scale(0.125) : tensor<?x128xf32>, tensor<?x64xf32>, tensor<?x64xf32>, tensor<?xi32>, !cache -> tensor<?x128xf32>
    %o = quench.linear %a, %wo activations(i8) : tensor<?x128xf32>, !square -> tensor<?x128xf32>
    %x1 = arith.addf %x, %o : tensor<?x128xf32>
    %h2 = quench.rms_norm %x1, %ffn_norm eps(1.0e-5) : tensor<?x128xf32>, !vector
    %g = quench.linear %h2, %wg activations(i8) : tensor<?x128xf32>, !up -> tensor<?x256xf32>
    %u = quench.linear %h2, %wu activations(i8) : tensor<?x128xf32>, !up -> tensor<?x256xf32>
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %g, %c0 : tensor<?x256xf32>
    %empty = tensor.empty(%rows) : tensor<?x256xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%g, %u : tensor<?x256xf32>, tensor<?x256xf32>) outs(%empty : tensor<?x256xf32>) {
    ^bb0(%gate: f32, %value: f32, %out: f32):
      %one = arith.constant 1.0 : f32
      %negative = arith.negf %gate : f32
      %exp = math.exp %negative : f32
      %sum = arith.addf %exp, %one : f32
      %silu = arith.divf %gate, %sum : f32
      %product = arith.mulf %silu, %value : f32
      linalg.yield %product : f32
    } -> tensor<?x256xf32>
    %d = quench.linear %s, %wd activations(i8) : tensor<?x256xf32>, !down -> tensor<?x128xf32>
    %x2 = arith.addf %x1, %d : tensor<?x128xf32>
    return %x2 : tensor<?x128xf32>
  }

  func.func private @trunk(%tokens: tensor<?xi32>, %positions: tensor<?xi32>, %kv: !cache) -> tensor<?x128xf32> {
    %embd = quench.get_weight @token_embd : !vocabulary
    %x = quench.embedding %tokens, %embd : tensor<?xi32>, !vocabulary -> tensor<?x128xf32>
    %layer = arith.constant 0 : index
    %attn_norm = quench.get_weight @blk0.attn_norm : !vector
    %wq = quench.get_weight @blk0.attn_q : !square
    %wk = quench.get_weight @blk0.attn_k : !narrow
    %wv = quench.get_weight @blk0.attn_v : !narrow
    %wo = quench.get_weight @blk0.attn_output : !square
    %ffn_norm = quench.get_weight @blk0.ffn_norm : !vector
    %wg = quench.get_weight @blk0.ffn_gate : !up
    %wu = quench.get_weight @blk0.ffn_up : !up
    %wd = quench.get_weight @blk0.ffn_down : !down
    %y = func.call @block(%x, %positions, %kv, %layer, %attn_norm, %wq, %wk, %wv, %wo, %ffn_norm, %wg, %wu, %wd)
        : (tensor<?x128xf32>, tensor<?xi32>, !cache, index, !vector, !square, !narrow, !narrow, !square, !vector, !up, !up, !down) -> tensor<?x128xf32>
    return %y : tensor<?x128xf32>
  }

  func.func @prefill(%tokens: tensor<?xi32>, %kv: !cache) attributes {quench.entry} {
    %positions = quench.positions %tokens, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
    %length = quench.cache_length %kv : !cache
    %x = func.call @trunk(%tokens, %positions, %kv) : (tensor<?xi32>, tensor<?xi32>, !cache) -> tensor<?x128xf32>
    %c0 = arith.constant 0 : index
    %count = tensor.dim %tokens, %c0 : tensor<?xi32>
    %new = arith.addi %length, %count : index
    quench.cache_commit %kv, %new : !cache
    return
  }

  func.func @logits(%tokens: tensor<?xi32>, %kv: !cache) -> tensor<?x512xf32> attributes {quench.entry} {
    %positions = quench.positions %tokens, %kv : tensor<?xi32>, !cache -> tensor<?xi32>
    %length = quench.cache_length %kv : !cache
    %x = func.call @trunk(%tokens, %positions, %kv) : (tensor<?xi32>, tensor<?xi32>, !cache) -> tensor<?x128xf32>
    %output_norm = quench.get_weight @output_norm : !vector
    %h = quench.rms_norm %x, %output_norm eps(1.0e-5) : tensor<?x128xf32>, !vector
    %head = quench.get_weight @token_embd : !vocabulary
    %logits = quench.linear %h, %head activations(i8) : tensor<?x128xf32>, !vocabulary -> tensor<?x512xf32>
    %c0 = arith.constant 0 : index
    %count = tensor.dim %tokens, %c0 : tensor<?xi32>
    %new = arith.addi %length, %count : index
    quench.cache_commit %kv, %new : !cache
    return %logits : tensor<?x512xf32>
  }
}
