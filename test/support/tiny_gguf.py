#!/usr/bin/env python3
# ===- tiny_gguf.py - a tiny random llama model as a GGUF file --------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""Writes a GGUF file of about 70 KB that a complete engine can run.

usage: tiny_gguf.py OUT.gguf [--seed S]

Two layers, 64 channels, 4 heads that share 2 key-value heads, 288 tokens (all bytes,
a few merges, three special tokens), weights in Q8_0 and Q4_1, norms in F32. Standard
library only; the same seed gives the same bytes. `Gguf` is also what make_malformed.py
starts from: its fields are public, so that a file can lie about any of them.
"""

import argparse
import random
import struct

UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY, UINT64 = range(11)
CODES = {
    UINT8: "<B", INT8: "<b", UINT16: "<H", INT16: "<h", UINT32: "<I", INT32: "<i",
    FLOAT32: "<f", BOOL: "<B", UINT64: "<Q",
}
F32, Q4_1, Q8_0 = 0, 3, 8


def string(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def number(kind, value):
    return struct.pack(CODES[kind], value)


def array(kind, values):
    encoded = [string(v) if kind == STRING else number(kind, v) for v in values]
    return struct.pack("<IQ", kind, len(encoded)) + b"".join(encoded)


class Tensor:
    def __init__(self, name, sizes, kind, data):
        self.name, self.sizes, self.kind, self.data = name, sizes, kind, data
        self.rank = self.offset = None  # set to lie


class Gguf:
    def __init__(self):
        self.magic, self.version, self.alignment = b"GGUF", 3, 32
        self.tensor_count = self.metadata_count = None  # set to lie
        self.entries = []  # [key, type, bytes]
        self.tensors = []

    def add(self, key, kind, value):
        data = string(value) if kind == STRING else number(kind, value)
        self.entries.append([key, kind, data])

    def add_array(self, key, kind, values):
        self.entries.append([key, ARRAY, array(kind, values)])

    def entry(self, key):
        return next(e for e in self.entries if e[0] == key)

    def set(self, key, kind, value):
        self.entry(key)[1:] = [kind, string(value) if kind == STRING else number(kind, value)]

    def remove(self, key):
        self.entries.remove(self.entry(key))

    def tensor(self, name):
        return next(t for t in self.tensors if t.name == name)

    def build(self):
        def count(lie, items):
            return len(items) if lie is None else lie

        out = self.magic + struct.pack("<I", self.version)
        out += struct.pack("<Q", count(self.tensor_count, self.tensors))
        out += struct.pack("<Q", count(self.metadata_count, self.entries))
        for key, kind, value in self.entries:
            out += string(key) + struct.pack("<I", kind) + value
        data = b""
        for tensor in self.tensors:
            data += bytes(-len(data) % self.alignment)
            rank = len(tensor.sizes) if tensor.rank is None else tensor.rank
            out += string(tensor.name) + struct.pack("<I", rank)
            out += b"".join(struct.pack("<Q", size) for size in tensor.sizes)
            offset = len(data) if tensor.offset is None else tensor.offset
            out += struct.pack("<IQ", tensor.kind, offset)
            data += tensor.data
        return out + bytes(-len(out) % self.alignment) + data


def byte_alphabet():
    """The printable stand-in of each byte in byte-level BPE vocabularies: printable Latin-1
    stands for itself, the rest for code points from 256 on, in order."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters, extra = {}, 0
    for byte in range(256):
        if byte in plain:
            letters[byte] = chr(byte)
        else:
            letters[byte] = chr(256 + extra)
            extra += 1
    return [letters[byte] for byte in range(256)]


def vocabulary():
    """Tokens, types and merges: three control tokens, the bytes, then merges."""
    tokens = ["<|end|>", "<|start|>", "<|pad|>", *byte_alphabet()]
    types = [3] * 3 + [1] * 256
    space = byte_alphabet()[0x20]
    pairs = [("h", "e"), ("i", "n"), ("r", "e"), ("o", "n"), (space, "t"), (space + "t", "he")]
    pairs += [(space, "a"), ("e", "r"), ("n", "d"), (space + "a", "nd"), ("t", "o"), ("o", "f")]
    merges = [f"{left} {right}" for left, right in pairs]
    for left, right in pairs:
        tokens.append(left + right)
        types.append(1)
    while len(tokens) < 288:  # unused ids, so that the count is a multiple of 32
        tokens.append(f"<|unused{len(tokens)}|>")
        types.append(5)
    return tokens, types, merges


def q8_0(source, elements, scale):
    blocks = []
    for _ in range(elements // 32):
        codes = [source.randint(-127, 127) for _ in range(32)]
        blocks.append(struct.pack("<e32b", scale / 127, *codes))
    return b"".join(blocks)


def q4_1(source, elements, scale):
    blocks = []
    for _ in range(elements // 32):
        blocks.append(struct.pack("<ee", scale / 7.5, -scale) + source.randbytes(16))
    return b"".join(blocks)


def tiny_llama(seed=1):
    source = random.Random(seed)
    channels, hidden, heads, kv_heads, layers = 64, 128, 4, 2, 2
    kv = channels // heads * kv_heads
    tokens, types, merges = vocabulary()

    model = Gguf()
    model.add("general.architecture", STRING, "llama")
    model.add("general.name", STRING, "tiny random llama")
    model.add("general.alignment", UINT32, 32)
    model.add("llama.block_count", UINT32, layers)
    model.add("llama.context_length", UINT32, 256)
    model.add("llama.embedding_length", UINT32, channels)
    model.add("llama.feed_forward_length", UINT32, hidden)
    model.add("llama.attention.head_count", UINT32, heads)
    model.add("llama.attention.head_count_kv", UINT32, kv_heads)
    model.add("llama.rope.freq_base", FLOAT32, 10000.0)
    model.add("llama.rope.dimension_count", UINT32, channels // heads)
    model.add("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5)
    model.add("llama.vocab_size", UINT32, len(tokens))
    model.add("tokenizer.ggml.model", STRING, "gpt2")
    model.add("tokenizer.ggml.pre", STRING, "smollm")
    model.add_array("tokenizer.ggml.tokens", STRING, tokens)
    model.add_array("tokenizer.ggml.token_type", INT32, types)
    model.add_array("tokenizer.ggml.merges", STRING, merges)
    model.add("tokenizer.ggml.bos_token_id", UINT32, 1)
    model.add("tokenizer.ggml.eos_token_id", UINT32, 0)
    model.add("tokenizer.ggml.padding_token_id", UINT32, 2)
    model.add("tokenizer.ggml.add_bos_token", BOOL, 0)

    def weight(name, outputs, inputs, coder=q4_1, kind=Q4_1):
        data = coder(source, outputs * inputs, 2.0 / inputs**0.5)
        model.tensors.append(Tensor(name, [inputs, outputs], kind, data))

    def norm(name):
        values = [1 + source.uniform(-0.1, 0.1) for _ in range(channels)]
        model.tensors.append(Tensor(name, [channels], F32, struct.pack(f"<{channels}f", *values)))

    weight("token_embd.weight", len(tokens), channels, q8_0, Q8_0)
    for layer in range(layers):
        block = f"blk.{layer}."
        norm(block + "attn_norm.weight")
        weight(block + "attn_q.weight", channels, channels)
        weight(block + "attn_k.weight", kv, channels)
        weight(block + "attn_v.weight", kv, channels)
        weight(block + "attn_output.weight", channels, channels)
        norm(block + "ffn_norm.weight")
        weight(block + "ffn_gate.weight", hidden, channels)
        weight(block + "ffn_up.weight", hidden, channels)
        weight(block + "ffn_down.weight", channels, hidden)
    norm("output_norm.weight")
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    contents = tiny_llama(options.seed).build()
    with open(options.output, "wb") as out:
        out.write(contents)


if __name__ == "__main__":
    main()
