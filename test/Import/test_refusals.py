# ===- test_refusals.py - what quench-import refuses, and how ---------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Each refusal is one line that names file and item, exit status 1, and no output file."""

import json
import random
import subprocess
import sys

import make_malformed
import numpy as np
import pytest
from make_tiny_model import TinyModel, make_tensor, set_entry


def check_refused(quench_import, path, *mentions):
    """Imports a file that has to be refused."""
    output = path.with_suffix(".mlir")
    quench_import(path, "-o", output, status=1)
    message = quench_import.error
    assert message.count("\n") == 1 and message.startswith(f"quench-import: {path}: "), message
    for mention in mentions:
        assert mention in message
    assert not list(output.parent.glob(output.name + "*")), "something was left behind"


# What a key is set to (None: removed), and what the message says of it or, in quotes, of another item that it contradicts.
METADATA = {
    "a mixture of experts": ("llama.expert_count", 8, "8 is not supported, expected 0"),
    "a window": ("llama.attention.sliding_window", 4096, "4096 is not supported"),
    "attention both ways": ("llama.attention.causal", False, "0 is not supported, expected 1"),
    "a scaled embedding": ("llama.embedding_scale", 12.0, "12 is not supported"),
    "a scale that is text": ("llama.logit_scale", "big", "string is not supported"),
    "no number of layers": ("llama.block_count", None, "missing"),
    "a number of layers that is text": ("llama.block_count", "two", "string, expected an integer"),
    "more layers than tensors": ("llama.block_count", 3, "'blk.2.attn_norm.weight': missing, expected [64]"),
    "fewer layers than tensors": ("llama.block_count", 1, "'blk.1.attn_norm.weight': not supported"),
    "a context beyond 2^24": ("llama.context_length", 2**24 + 1, "expected 1 to 16777216"),
    "an embedding of 0": ("llama.embedding_length", 0, "0, expected 1 to"),
    "a wide embedding": ("llama.embedding_length", 2**40, "1099511627776, expected 1 to"),
    "another embedding": ("llama.embedding_length", 128, "'token_embd.weight': [288, 64] in Q8_0, expected [vocabulary, 128]"),
    "another feed-forward length": ("llama.feed_forward_length", 64, "'blk.0.ffn_gate.weight': [96, 64] in Q4_1, expected [64, 64]"),
    "more heads than channels": ("llama.attention.head_count", 128, "'blk.0.attn_q.weight': [64, 64] in Q4_1, expected [2048, 64]"),
    "small heads": ("llama.attention.head_count", 16, "heads of 4 elements, expected a multiple of 8"),
    "more cache heads than heads": ("llama.attention.head_count_kv", 8, "8, expected a divisor of the 4 heads"),
    "another key length": ("llama.attention.key_length", 32, "'llama.attention.value_length': 16, expected the 32"),
    "another value length": ("llama.attention.value_length", 32, "32, expected the 16"),
    "a rotation in part": ("llama.rope.dimension_count", 8, "8, expected all 16"),
    "a negative epsilon": ("llama.attention.layer_norm_rms_epsilon", -1e-5, "expected 0 to 1"),
    "an infinite epsilon": ("llama.attention.layer_norm_rms_epsilon", float("inf"), "inf, expected 0 to 1"),
    "a base of 0": ("llama.rope.freq_base", 0.0, "0, expected a positive finite number"),
    "a base that is no number": ("llama.rope.freq_base", float("nan"), "nan, expected a positive finite number"),
    "frequencies beyond f32": ("llama.rope.scaling.factor", 1e-39, "'llama.rope.freq_base': 10000 gives frequency"),
    "an unknown scaling": ("llama.rope.scaling.type", "yarn", "'yarn' is not supported, expected 'none' or 'linear'"),
    "a negative scaling": ("llama.rope.scaling.factor", -2.0, "-2, expected a positive finite number"),
    "a scaling that is text": ("llama.rope.scaling.factor", "2", "string, expected a number"),
    "another vocabulary": ("llama.vocab_size", 289, "289 tokens, expected the 288 rows"),
    "a name that is a number": ("general.name", 3, "uint32, expected a string"),
}


@pytest.mark.parametrize("case", METADATA)
def test_metadata(quench_import, tmp_path, case):
    key, value, said = METADATA[case]
    model = TinyModel().build()
    if case != "small heads":
        # Stated, so that nothing follows from other numbers.
        set_entry(model, "llama.attention.key_length", 16)
        set_entry(model, "llama.attention.value_length", 16)
    if value is None:
        model.remove(key)
    else:
        set_entry(model, key, value)
    path = tmp_path / "model.gguf"
    path.write_bytes(model.build())
    item = "" if said.startswith("'") else f"metadata '{key}'"
    check_refused(quench_import, path, item, said)


# The same for other families; keys without the prefix.
FAMILY_METADATA = {
    "gemma3: no window": ("gemma3", "attention.sliding_window", None, "missing"),
    "gemma3: a window of 0": ("gemma3", "attention.sliding_window", 0, "0, expected 1 to 16777216"),
    "gemma3: a pattern of 0": ("gemma3", "attention.sliding_window_pattern", 0, "0, expected 1 to"),
    "gemma3: a pattern that is text": ("gemma3", "attention.sliding_window_pattern", "6", "string, expected an integer"),
    "gemma3: a base of windows of 0": ("gemma3", "rope.freq_base_swa", 0.0, "0, expected a positive finite number"),
    "gemma3: capped logits": ("gemma3", "final_logit_softcapping", 30.0, "30 is not supported, expected 0"),
    "gemma3: capped scores": ("gemma3", "attn_logit_softcapping", 50.0, "50 is not supported"),
    "gemma3: attention both ways": ("gemma3", "attention.causal", False, "0 is not supported, expected 1"),
    "gemma3: another scale": ("gemma3", "attention.scale", 0.5, "0.5 is not supported"),
    "gemma3: a rotation in part": ("gemma3", "rope.dimension_count", 8, "8, expected all 16"),
    "gpt2: no epsilon": ("gpt2", "attention.layer_norm_epsilon", None, "missing"),
    "gpt2: attention both ways": ("gpt2", "attention.causal", False, "0 is not supported, expected 1"),
    "gpt2: more positions than rows": ("gpt2", "context_length", 129, "'position_embd.weight': [128, 64] in Q8_0, expected [129, 64]"),
    "gpt2: fewer cache heads": ("gpt2", "attention.head_count_kv", 1, "'blk.0.attn_qkv.weight': [192, 64] in Q4_1, expected [96, 64]"),
    "phi3: an odd rotation": ("phi3", "rope.dimension_count", 7, "7, expected an even number, at most the 16"),
    "phi3: a long rotation": ("phi3", "rope.dimension_count", 18, "18, expected an even number, at most the 16"),
    "phi3: a long window": ("phi3", "attention.sliding_window", 2**24 + 1, "16777217, expected 1 to 16777216"),
    "phi3: a negative window": ("phi3", "attention.sliding_window", "-1", "string, expected an integer"),
    "phi3: scores for long contexts": ("phi3", "rope.scaling.attn_factor", 1.19, "1.19 is not supported"),
    "phi3: an odd feed-forward length": ("phi3", "feed_forward_length", 100, "100, expected a multiple of 8 in architecture 'phi3'"),
    "phi3: experts": ("phi3", "expert_count", 16, "16 is not supported"),
    "qwen2: a window": ("qwen2", "attention.sliding_window", 4096, "4096 is not supported"),
    "qwen2: experts": ("qwen2", "expert_count", 60, "60 is not supported"),
    "qwen3: a window": ("qwen3", "attention.sliding_window", 4096, "4096 is not supported"),
    "qwen3: experts": ("qwen3", "expert_count", 128, "128 is not supported"),
}


@pytest.mark.parametrize("case", FAMILY_METADATA)
def test_family_metadata(quench_import, tmp_path, case):
    family, key, value, said = FAMILY_METADATA[case]
    model = TinyModel(family, cache_heads=4 if family == "gpt2" else 2).build()
    key = f"{family}.{key}"
    if value is None:
        model.remove(key)
    else:
        set_entry(model, key, value)
    path = tmp_path / "model.gguf"
    path.write_bytes(model.build())
    check_refused(quench_import, path, "" if said.startswith("'") else f"metadata '{key}'", said)


def numbers(*shape):
    return np.ones(shape, dtype=np.float32)


# A tensor that replaces the one of its name or comes on top, and what the message says of it.
TENSORS = {
    "a norm in F16": (make_tensor("blk.1.attn_norm.weight", numbers(64), "F16"), "[64] in F16, expected F32"),
    "a norm of rank 2": (make_tensor("output_norm.weight", numbers(1, 64)), "[1, 64] in F32, expected [64]"),
    "a turned weight": (make_tensor("blk.0.ffn_down.weight", numbers(96, 64)), "[96, 64] in F32, expected [64, 96]"),
    "an embedding of rank 1": (make_tensor("token_embd.weight", numbers(64)), "[64] in F32, expected [vocabulary, 64]"),
    "an embedding of rank 3": (make_tensor("token_embd.weight", numbers(2, 144, 64)), "expected [vocabulary, 64]"),
    "another head": (make_tensor("output.weight", numbers(280, 64)), "[280, 64] in F32, expected [288, 64]"),
    "a bias": (make_tensor("blk.0.attn_q.bias", numbers(64)), "not supported in architecture 'llama'"),
    "experts": (make_tensor("blk.0.ffn_gate_exps.weight", numbers(2, 96, 64)), "not supported in architecture 'llama'"),
    "few divisors": (make_tensor("rope_freqs.weight", numbers(4)), "[4] in F32, expected [8] in F32"),
    "divisors in F16": (make_tensor("rope_freqs.weight", numbers(8), "F16"), "[8] in F16, expected [8] in F32"),
    "a divisor of 0": (make_tensor("rope_freqs.weight", 0 * numbers(8)), "0, expected a positive finite number"),
}


@pytest.mark.parametrize("case", TENSORS)
def test_tensors(quench_import, tmp_path, case):
    tensor, said = TENSORS[case]
    model = TinyModel().build()
    model.tensors = [each for each in model.tensors if each.name != tensor.name] + [tensor]
    path = tmp_path / "model.gguf"
    path.write_bytes(model.build())
    check_refused(quench_import, path, f"tensor '{tensor.name}': ", said)


@pytest.mark.parametrize("family, name, shape", [
    ("gemma3", "blk.0.attn_q_norm.weight", 16),
    ("gemma3", "blk.1.attn_k_norm.weight", 16),
    ("gemma3", "blk.0.post_attention_norm.weight", 64),
    ("gemma3", "blk.1.post_ffw_norm.weight", 64),
    ("gpt2", "blk.0.attn_norm.bias", 64),
    ("gpt2", "blk.1.attn_qkv.bias", 128),
    ("gpt2", "blk.0.attn_output.bias", 64),
    ("gpt2", "blk.1.ffn_norm.bias", 64),
    ("gpt2", "blk.0.ffn_up.bias", 96),
    ("gpt2", "blk.1.ffn_down.bias", 64),
    ("gpt2", "output_norm.bias", 64),
    ("qwen2", "blk.0.attn_q.bias", 64),
    ("qwen2", "blk.0.attn_k.bias", 32),
    ("qwen2", "blk.1.attn_v.bias", 32),
    ("qwen3", "blk.0.attn_q_norm.weight", 16),
    ("qwen3", "blk.1.attn_k_norm.weight", 16),
])
def test_family_tensors(quench_import, tmp_path, family, name, shape):
    """A vector that is missing, or has another length."""
    path = tmp_path / "model.gguf"
    for replacement, said in [([], "missing"), ([make_tensor(name, numbers(8))], "[8] in F32")]:
        model = TinyModel(family).build()
        model.tensors.remove(model.tensor(name))
        model.tensors += replacement
        path.write_bytes(model.build())
        check_refused(quench_import, path, f"tensor '{name}': {said}, expected [{shape}]")


@pytest.mark.parametrize("family, name", [
    ("phi3", "rope_factors_long.weight"), ("phi3", "rope_factors_short.weight"), ("phi3", "blk.0.attn_qkv.bias"),
    ("gpt2", "rope_freqs.weight"), ("gpt2", "blk.0.ffn_gate.weight"), ("qwen3", "blk.0.attn_q.bias"),
    ("gemma3", "position_embd.weight")])
def test_unknown_tensors(quench_import, tmp_path, family, name):
    model = TinyModel(family).build()
    model.tensors.append(make_tensor(name, numbers(8)))
    path = tmp_path / "model.gguf"
    path.write_bytes(model.build())
    check_refused(quench_import, path, f"tensor '{name}': not supported in architecture '{family}'")


@pytest.mark.parametrize("name", [
    "token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight", "blk.1.attn_v.weight",
    "blk.1.attn_output.weight", "blk.0.ffn_norm.weight", "blk.1.ffn_up.weight"])
def test_missing_tensors(quench_import, tmp_path, name):
    model = TinyModel().build()
    model.tensors.remove(model.tensor(name))
    path = tmp_path / "model.gguf"
    path.write_bytes(model.build())
    check_refused(quench_import, path, f"tensor '{name}'", "missing")


def test_malformed_files(quench_import, tmp_path):
    """The files that every tool has to refuse, less those whose only fault is in the tokenizer, which is not read
    here."""
    subprocess.run([sys.executable, make_malformed.__file__, tmp_path], check=True, stdout=subprocess.DEVNULL)
    cases = json.loads((tmp_path / "cases.json").read_text())
    read = [case for case in cases if case["level"] == "container" or "tokenizer." not in case["mentions"]]
    assert len(read) > 40
    for case in read:
        check_refused(quench_import, tmp_path / case["file"], case["mentions"])
    quench_import(tmp_path / "valid.gguf", "-o", tmp_path / "valid.mlir")


def test_damaged_files(quench_import, tmp_path):
    """A file cut anywhere is refused; one with flipped bits is refused or, where the bits do not matter, imported."""
    rng = random.Random(5)
    valid = TinyModel().build().build()
    header = valid.index(b"output_norm.weight") + 64
    path = tmp_path / "model.gguf"
    for length in [0, 1, 4, 23, 24, *rng.sample(range(25, len(valid) - 1), 40)]:
        path.write_bytes(valid[:length])
        check_refused(quench_import, path)
    imported = 0
    for _ in range(150):
        damaged = bytearray(valid)
        for _ in range(rng.choice([1, 1, 4])):
            damaged[rng.randrange(header)] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        done = subprocess.run([quench_import.path, path], capture_output=True, text=True, errors="replace", timeout=60)
        assert done.returncode in (0, 1), f"{done.returncode}: {done.stderr}"
        assert done.stderr.count("\n") == done.returncode
        imported += done.returncode == 0
    # Most of the header is tokens.
    assert 0 < imported < 150
