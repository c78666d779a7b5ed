# ===- tiny_families.py - which tensors and keys a family's files have ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""What make_tiny_model.py writes for each architecture. `model` is a TinyModel."""


def attention_tensors(model):
    query, cache = model.heads * model.head_dim, model.cache_heads * model.head_dim
    if model.architecture in ("gpt2", "phi3"):
        yield "attn_qkv.weight", (query + 2 * cache, model.embedding)
    else:
        yield "attn_q.weight", (query, model.embedding)
        yield "attn_k.weight", (cache, model.embedding)
        yield "attn_v.weight", (cache, model.embedding)
    if model.architecture == "gpt2":
        yield "attn_qkv.bias", (query + 2 * cache,)
    if model.architecture == "qwen2":
        yield "attn_q.bias", (query,)
        yield "attn_k.bias", (cache,)
        yield "attn_v.bias", (cache,)
    if model.architecture in ("gemma3", "qwen3"):
        yield "attn_q_norm.weight", (model.head_dim,)
        yield "attn_k_norm.weight", (model.head_dim,)
    yield "attn_output.weight", (model.embedding, query)
    if model.architecture == "gpt2":
        yield "attn_output.bias", (model.embedding,)


def feed_forward_tensors(model):
    narrow, wide = model.embedding, model.feed_forward
    if model.architecture == "phi3":
        yield "ffn_up.weight", (2 * wide, narrow)
    else:
        if model.architecture != "gpt2":
            yield "ffn_gate.weight", (wide, narrow)
        yield "ffn_up.weight", (wide, narrow)
    if model.architecture == "gpt2":
        yield "ffn_up.bias", (wide,)
    yield "ffn_down.weight", (narrow, wide)
    if model.architecture == "gpt2":
        yield "ffn_down.bias", (narrow,)


def norm_tensors(model, name):
    yield f"{name}.weight", (model.embedding,)
    if model.architecture == "gpt2":
        yield f"{name}.bias", (model.embedding,)


def layer_tensors(model):
    """Names (behind "blk.N.") and shapes of the tensors of a layer."""
    yield from norm_tensors(model, "attn_norm")
    yield from attention_tensors(model)
    if model.architecture == "gemma3":
        yield from norm_tensors(model, "post_attention_norm")
    yield from norm_tensors(model, "ffn_norm")
    yield from feed_forward_tensors(model)
    if model.architecture == "gemma3":
        yield from norm_tensors(model, "post_ffw_norm")


def keys(model):
    """Metadata beside what all architectures have, without the prefix."""
    if model.architecture == "gpt2":
        return {"attention.layer_norm_epsilon": 1e-5}
    keys = {"attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 10000.0}
    if model.architecture == "gemma3":
        keys["attention.sliding_window"] = 20
    if model.architecture in ("llama", "phi3"):
        keys["rope.dimension_count"] = model.head_dim
    return keys
