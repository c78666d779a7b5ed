#!/usr/bin/env python3
# ===- make_family_models.py - random models and what transformers says ----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Makes a small random model of each family, and what Hugging Face transformers computes from it.

usage: make_family_models.py FOLDER [FAMILY...]

FAMILY.gguf has weights in several formats; FAMILY.json has logits and a greedy continuation that transformers computed
in float32 from the same weights, decoded. What it made is stored in test/EndToEnd/data/families, so that the tests need
neither torch nor transformers. To make it again:

    python3 -m venv oracle
    oracle/bin/pip install torch==2.6.0 transformers==4.56.2 gguf==0.19.0
    oracle/bin/python test/support/make_family_models.py test/EndToEnd/data/families
"""

import argparse
import dataclasses
import pathlib

import gguf
import numpy as np
import torch
import transformers

from make_tiny_model import TinyModel

# A multiple of neither 8 nor 32.
TOKENS = 293
CONTEXT = 128
# Each character is one token: no merge of the vocabulary has any of these.
PROMPT = "31415926535897932384626433832795028841971693993751058209749445923078164062862"
# Around the ends of windows and of pages, which have 32 positions.
POSITIONS = [0, 1, 7, 18, 19, 20, 21, 31, 32, 33, 52, 76]
GREEDY = 40
# Beside Q4_1, and Q8_0 at both ends.
FORMATS = [("*attn_q.weight", "Q8_0"), ("*attn_qkv.weight", "Q8_0"), ("*attn_v.weight", "F16"),
           ("blk.1.attn_output.weight", "Q8_0"), ("blk.1.ffn_[gu]*.weight", "Q8_0"), ("blk.1.ffn_down.weight", "F32")]


@dataclasses.dataclass
class Family:
    """One model, as a file and for transformers."""
    file: TinyModel
    config: transformers.PretrainedConfig
    # From a tensor's name ("{}" is the layer) to the parameter, less the prefix of the model's body.
    parameters: dict
    # Makes a parameter of a tensor of that name.
    convert: object = lambda name, values: values


def gemma3():
    file = TinyModel("gemma3", seed=7, layers=7, cache_heads=1, head_dim=24, feed_forward=64, separate_head=True, formats=[
        ("blk.[2-6].*.weight", "Q4_1"), ("*norm.weight", "F32"), ("output.weight", "Q4_1"), ("token_embd.weight", "Q4_1")], keys={
            "rope.freq_base": 1e6, "rope.scaling.type": "linear", "rope.scaling.factor": 8.0})
    config = transformers.Gemma3TextConfig(
        **sizes(file), head_dim=24, query_pre_attn_scalar=24, rms_norm_eps=1e-5, sliding_window=20,
        rope_theta=1e6, rope_local_base_freq=1e4, rope_scaling={"rope_type": "linear", "factor": 8.0},
        tie_word_embeddings=False)
    # The file leaves it to the family which layers have the window.
    assert config.layer_types == ["sliding_attention"] * 5 + ["full_attention", "sliding_attention"]
    parameters = GATED | {
        "output.weight": "lm_head.weight",
        "blk.{}.attn_q_norm.weight": "layers.{}.self_attn.q_norm.weight",
        "blk.{}.attn_k_norm.weight": "layers.{}.self_attn.k_norm.weight",
        "blk.{}.post_attention_norm.weight": "layers.{}.post_attention_layernorm.weight",
        "blk.{}.ffn_norm.weight": "layers.{}.pre_feedforward_layernorm.weight",
        "blk.{}.post_ffw_norm.weight": "layers.{}.post_feedforward_layernorm.weight"}
    # transformers adds 1 to the weights of norms, which is exact.
    return Family(file, config, parameters, lambda name, values: values - 1 if "norm" in name else values)


def qwen2():
    # The keys of a head are as long as embedding / heads, of which the file says nothing.
    file = TinyModel("qwen2", seed=1, layers=2, heads=6, cache_heads=2, head_dim=16, embedding=96, feed_forward=128, keys={
        "rope.freq_base": 1e6})
    config = transformers.Qwen2Config(**sizes(file), rms_norm_eps=1e-5, rope_theta=1e6, tie_word_embeddings=True)
    parameters = GATED | {f"blk.{{}}.attn_{letter}.bias": f"layers.{{}}.self_attn.{letter}_proj.bias" for letter in "qkv"}
    return Family(file, config, parameters)


def qwen3():
    file = TinyModel("qwen3", seed=4, layers=3, heads=4, cache_heads=2, head_dim=40, feed_forward=64, separate_head=True, keys={
        "rope.freq_base": 1e6})
    config = transformers.Qwen3Config(**sizes(file), head_dim=40, rms_norm_eps=1e-5, rope_theta=1e6)
    parameters = GATED | {
        "output.weight": "lm_head.weight",
        "blk.{}.attn_q_norm.weight": "layers.{}.self_attn.q_norm.weight",
        "blk.{}.attn_k_norm.weight": "layers.{}.self_attn.k_norm.weight"}
    return Family(file, config, parameters)


def phi3():
    # Three quarters of a head are rotated.
    file = TinyModel("phi3", seed=4, layers=3, heads=4, cache_heads=2, head_dim=16, separate_head=True, keys={
        "rope.dimension_count": 12, "attention.sliding_window": 20})
    config = transformers.Phi3Config(**sizes(file), rms_norm_eps=1e-5, partial_rotary_factor=0.75, sliding_window=20,
                                     pad_token_id=0)
    parameters = {tensor: name for tensor, name in GATED.items() if "_q" not in tensor} | {
        "output.weight": "lm_head.weight",
        "blk.{}.attn_qkv.weight": "layers.{}.self_attn.qkv_proj.weight",
        "blk.{}.ffn_up.weight": "layers.{}.mlp.gate_up_proj.weight"}
    return Family(file, config, parameters)


def gpt2():
    file = TinyModel("gpt2", seed=8, layers=3, heads=4, cache_heads=4, head_dim=16, feed_forward=160)
    config = transformers.GPT2Config(
        vocab_size=TOKENS, n_positions=CONTEXT, n_embd=file.embedding, n_layer=file.layers, n_head=file.heads,
        n_inner=file.feed_forward, layer_norm_epsilon=1e-5, activation_function="gelu_new")
    parameters = {"token_embd.weight": "wte.weight", "position_embd.weight": "wpe.weight"}
    for tensor, name in {"output_norm": "ln_f", "blk.{}.attn_norm": "h.{}.ln_1", "blk.{}.attn_qkv": "h.{}.attn.c_attn",
                         "blk.{}.attn_output": "h.{}.attn.c_proj", "blk.{}.ffn_norm": "h.{}.ln_2",
                         "blk.{}.ffn_up": "h.{}.mlp.c_fc", "blk.{}.ffn_down": "h.{}.mlp.c_proj"}.items():
        parameters |= {f"{tensor}.{kind}": f"{name}.{kind}" for kind in ("weight", "bias")}
    # transformers keeps the weights of layers the other way round.
    return Family(file, config, parameters,
                  lambda name, values: values.T if values.ndim == 2 and "blk" in name else values)


# Names that all families with gated feed-forward layers share.
GATED = {
    "token_embd.weight": "embed_tokens.weight",
    "output_norm.weight": "norm.weight",
    "blk.{}.attn_norm.weight": "layers.{}.input_layernorm.weight",
    "blk.{}.attn_q.weight": "layers.{}.self_attn.q_proj.weight",
    "blk.{}.attn_k.weight": "layers.{}.self_attn.k_proj.weight",
    "blk.{}.attn_v.weight": "layers.{}.self_attn.v_proj.weight",
    "blk.{}.attn_output.weight": "layers.{}.self_attn.o_proj.weight",
    "blk.{}.ffn_norm.weight": "layers.{}.post_attention_layernorm.weight",
    "blk.{}.ffn_gate.weight": "layers.{}.mlp.gate_proj.weight",
    "blk.{}.ffn_up.weight": "layers.{}.mlp.up_proj.weight",
    "blk.{}.ffn_down.weight": "layers.{}.mlp.down_proj.weight",
}


def sizes(file):
    """What the configurations of most families call the sizes of a model."""
    return {"vocab_size": TOKENS, "max_position_embeddings": CONTEXT, "hidden_size": file.embedding,
            "intermediate_size": file.feed_forward, "num_hidden_layers": file.layers,
            "num_attention_heads": file.heads, "num_key_value_heads": file.cache_heads}


FAMILIES = {function.__name__: function for function in (gemma3, gpt2, phi3, qwen2, qwen3)}


def decoded(tensor):
    kind = gguf.GGMLQuantizationType(tensor.kind)
    shape = list(reversed(tensor.sizes))
    data = np.frombuffer(tensor.data, np.uint8).reshape([*shape[:-1], -1])
    return gguf.quants.dequantize(data, kind).reshape(shape).astype(np.float32)


def load(family, model):
    """The weights of the file go into `model`, every one of them, and nothing else is left in it."""
    parameters = dict(model.named_parameters())
    names = {pattern.format(layer): parameter.format(layer)
             for pattern, parameter in family.parameters.items() for layer in range(family.file.layers)}
    missing = set(parameters)
    for tensor in family.content.tensors:
        suffix = names[tensor.name]
        name, = [name for name in missing if name == suffix or name.endswith("." + suffix)]
        missing.remove(name)
        values = np.ascontiguousarray(family.convert(tensor.name, decoded(tensor)))
        assert parameters[name].shape == values.shape, (name, parameters[name].shape, values.shape)
        parameters[name].data.copy_(torch.from_numpy(values))
    assert not missing, f"parameters that no tensor gives: {missing}"


def build(name):
    family = FAMILIES[name]()
    for field, value in {"tokens": TOKENS, "context": CONTEXT, "formats": FORMATS + family.file.formats}.items():
        setattr(family.file, field, value)
    family.content = family.file.build()
    return family


@torch.no_grad()
def make(name, folder):
    family = build(name)
    model = transformers.AutoModelForCausalLM.from_config(family.config, attn_implementation="eager",
                                                          dtype=torch.float32).eval()
    load(family, model)
    ids = [3 + ord(character) for character in PROMPT]
    logits = model(torch.tensor([ids]), use_cache=False).logits[0].numpy()
    tokens, gaps = list(ids), []
    for _ in range(GREEDY):
        last = model(torch.tensor([tokens]), use_cache=False).logits[0, -1]
        best = torch.topk(last, 2).values
        gaps.append(float(best[0] - best[1]))
        tokens.append(int(last.argmax()))
    print(f"{name}: logits deviate by {logits.std():.3f}, greedy candidates are at least {min(gaps):.4f} apart")
    # Far more than the order of additions can change.
    assert min(gaps) > 0.01, f"{name}: choose another seed"

    (folder / f"{name}.gguf").write_bytes(family.content.build())
    rows = ",\n".join(f"  [{position}, {[round(float(v), 5) for v in logits[position]]}]" for position in POSITIONS)
    (folder / f"{name}.json").write_text(
        f'{{\n "source": "transformers {transformers.__version__}, torch {torch.__version__.split("+")[0]}, float32",\n'
        f' "prompt": "{PROMPT}",\n "prompt_ids": {ids},\n "greedy_ids": {tokens[len(ids):]},\n'
        f' "logits": [\n{rows}\n ]\n}}\n', encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=f"of {', '.join(FAMILIES)}; without any, all")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.families or FAMILIES:
        make(name, arguments.folder)


if __name__ == "__main__":
    main()
