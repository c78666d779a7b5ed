#!/usr/bin/env python3
# ===- make_tiny_model.py - small random models of any shape and format -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Writes a model with random weights and the vocabulary of tiny_gguf.py.

As a program, for RUN lines:

    make_tiny_model.py OUT.gguf [--architecture llama] [--seed 1] [--layers 2] [--format Q4_1] [--separate-head] …
                       [--tensor 'blk.1.*=Q8_0'] [--drop blk.1.ffn_up.weight] [--vector rope_freqs.weight=1.0,2.0]
                       [--set llama.context_length=64] [--unset llama.rope.freq_base]

As a module, TinyModel(layers=3).build() is a tiny_gguf.Gguf, which can be changed before its own build() gives the
file's bytes. The same arguments give the same bytes.
"""

import argparse
import ast
import dataclasses
import fnmatch

import gguf
import numpy as np

import tiny_families
from tiny_gguf import BOOL, FLOAT32, INT32, STRING, UINT32, UINT64, Gguf, Tensor, vocabulary

# Byte offsets of the f16 scales in the blocks of formats that the gguf package cannot encode.
K_SCALES = {"Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}


def encode(values, format_name, rng):
    """The bytes of a tensor. K formats get random codes under small scales, since the package encodes none of them."""
    kind = gguf.GGMLQuantizationType[format_name]
    if format_name not in K_SCALES:
        return gguf.quants.quantize(values, kind).tobytes()
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (values.size // elements, size), dtype=np.uint8)
    for offset in K_SCALES[format_name]:
        scales = rng.uniform(1e-4, 1e-3, len(blocks)).astype("<f2")
        blocks[:, offset:offset + 2] = scales[:, None].view(np.uint8)
    return blocks.tobytes()


def make_tensor(name, values, format_name="F32", rng=None):
    kind = int(gguf.GGMLQuantizationType[format_name])
    return Tensor(name, list(reversed(values.shape)), kind, encode(values, format_name, rng))


@dataclasses.dataclass
class TinyModel:
    architecture: str = "llama"
    layers: int = 2
    embedding: int = 64
    feed_forward: int = 96
    heads: int = 4
    cache_heads: int = 2
    head_dim: int = 16
    tokens: int = 288  # at least
    context: int = 128
    format: str = "Q4_1"
    embedding_format: str = "Q8_0"
    separate_head: bool = False
    seed: int = 1
    # Pairs of a pattern and a format for the tensors that match it; the last one decides.
    formats: list = dataclasses.field(default_factory=list)
    # Metadata, without the architecture's prefix, that is added or replaces what there would be.
    keys: dict = dataclasses.field(default_factory=dict)

    def build(self):
        model = Gguf()
        self.add_hyper_parameters(model)
        self.add_vocabulary(model)
        self.add_tensors(model)
        return model

    def add_hyper_parameters(self, model):
        model.add("general.architecture", STRING, self.architecture)
        model.add("general.name", STRING, "tiny")
        keys = {
            "block_count": self.layers, "context_length": self.context, "embedding_length": self.embedding,
            "feed_forward_length": self.feed_forward, "attention.head_count": self.heads,
            "attention.head_count_kv": self.cache_heads}
        if self.head_dim * self.heads != self.embedding:
            keys |= {"attention.key_length": self.head_dim, "attention.value_length": self.head_dim}
        keys |= tiny_families.keys(self) | {"vocab_size": self.tokens} | self.keys
        for key, value in keys.items():
            set_entry(model, f"{self.architecture}.{key}", value)

    def add_vocabulary(self, model):
        tokens, types, merges = vocabulary()
        unused = range(len(tokens), self.tokens)
        model.add("tokenizer.ggml.model", STRING, "gpt2")
        model.add("tokenizer.ggml.pre", STRING, "smollm")
        model.add_array("tokenizer.ggml.tokens", STRING, tokens + [f"<|unused{i}|>" for i in unused])
        model.add_array("tokenizer.ggml.token_type", INT32, types + [5 for _ in unused])
        model.add_array("tokenizer.ggml.merges", STRING, merges)
        model.add("tokenizer.ggml.bos_token_id", UINT32, 1)
        model.add("tokenizer.ggml.eos_token_id", UINT32, 0)
        model.add("tokenizer.ggml.add_bos_token", BOOL, 0)

    def add_tensors(self, model):
        rng = np.random.default_rng(self.seed)

        def add(name, values, format_name):
            for pattern, replacement in self.formats:
                if fnmatch.fnmatchcase(name, pattern):
                    format_name = replacement
            model.tensors.append(make_tensor(name, values, format_name, rng))

        def matrix(name, rows, columns, format_name=self.format):
            # Rows of length about 1, twice over: logits that differ enough to rank.
            scale = np.float32(2 / np.sqrt(columns))
            add(name, rng.standard_normal((rows, columns), dtype=np.float32) * scale, format_name)

        def vector(name, length):
            around = 1 if name.endswith("norm.weight") else 0
            add(name, around + rng.standard_normal(length, dtype=np.float32) / 8, "F32")

        matrix("token_embd.weight", self.tokens, self.embedding, self.embedding_format)
        if self.architecture == "gpt2":
            matrix("position_embd.weight", self.context, self.embedding, self.embedding_format)
        for layer in range(self.layers):
            for name, shape in tiny_families.layer_tensors(self):
                (vector if len(shape) == 1 else matrix)(f"blk.{layer}.{name}", *shape)
        for name, shape in tiny_families.norm_tensors(self, "output_norm"):
            vector(name, *shape)
        if self.separate_head:
            matrix("output.weight", self.tokens, self.embedding, self.embedding_format)


# A shape of which every format has whole blocks in a row.
WIDE = dict(layers=2, embedding=256, feed_forward=512, heads=4, cache_heads=2, head_dim=64, separate_head=True)
# Formats for such a model; those of neighbours that are merged into one op differ, as in files of mixed quality.
MIXED = [("blk.*.attn_q.*", "Q5_0"), ("blk.*.attn_k.*", "Q4_K"), ("blk.*.attn_v.*", "Q6_K"), ("blk.*.attn_output.*", "Q2_K"),
         ("blk.*.ffn_gate.*", "Q5_1"), ("blk.*.ffn_up.*", "Q3_K"), ("blk.0.ffn_down.*", "Q5_K"), ("blk.1.ffn_down.*", "Q4_0"),
         ("token_embd.*", "Q5_0"), ("output.*", "Q6_K")]


def set_entry(model, key, value):
    """Sets or adds metadata, in the type that files usually have for such a value."""
    if any(entry[0] == key for entry in model.entries):
        model.remove(key)
    if isinstance(value, bool):
        model.add(key, BOOL, value)
    elif isinstance(value, int):
        model.add(key, UINT32 if value < 2**32 else UINT64, value)
    elif isinstance(value, float):
        model.add(key, FLOAT32, value)
    else:
        model.add(key, STRING, value)


def pair(text):
    name, _, value = text.partition("=")
    return name, value


def literal(text):
    """A Python literal, or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    options = [field for field in dataclasses.fields(TinyModel) if field.name not in ("formats", "keys")]
    for field in options:
        name = "--" + field.name.replace("_", "-")
        if field.type is bool:
            parser.add_argument(name, action="store_true")
        else:
            parser.add_argument(name, type=field.type, default=field.default)
    parser.add_argument("--tensor", type=pair, action="append", default=[], metavar="PATTERN=FORMAT")
    parser.add_argument("--drop", action="append", default=[], metavar="TENSOR")
    parser.add_argument("--vector", type=pair, action="append", default=[], metavar="TENSOR=NUMBERS")
    parser.add_argument("--set", type=pair, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--unset", action="append", default=[], metavar="KEY")
    arguments = parser.parse_args()

    given = {field.name: getattr(arguments, field.name) for field in options}
    model = TinyModel(formats=arguments.tensor, **given).build()
    for name in arguments.drop:
        model.tensors.remove(model.tensor(name))
    for name, numbers in arguments.vector:
        model.tensors.append(make_tensor(name, np.array(numbers.split(","), dtype=np.float32)))
    for key, value in arguments.set:
        set_entry(model, key, literal(value))
    for key in arguments.unset:
        model.remove(key)
    with open(arguments.out, "wb") as out:
        out.write(model.build())


if __name__ == "__main__":
    main()
