#!/usr/bin/env python3
# ===- make_malformed.py - GGUF files that must be refused ------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""Writes named malformed GGUF files, each the tiny valid model with one thing wrong.

usage: make_malformed.py FOLDER

FOLDER gets `valid.gguf`, one file per case and `cases.json`: a list of objects
  {"name", "file", "level": "container" | "model", "mentions"}
A tool given the file must exit with status 1 to 3 and one line of text that holds the
file's name and `mentions`. Cases of level "container" are wrong as GGUF files, those of
level "model" are sound GGUF files with an impossible model in them.
"""

import json
import os
import struct
import sys

import tiny_gguf
from tiny_gguf import ARRAY, BOOL, FLOAT32, INT32, STRING, UINT32, UINT64

HUGE = 2**64 - 1
CASES = []


def case(level, mentions):
    """Registers a function that changes a Gguf, or returns the file's bytes itself."""

    def register(function):
        CASES.append((function.__name__, level, mentions, function))
        return function

    return register


def attention(model):
    return model.tensor("blk.1.attn_q.weight")


# --- the file as a whole -------------------------------------------------------------


@case("container", "is empty")
def empty_file(model):
    return b""


@case("container", "GGUF")
def text_file(model):
    return b"This is not a model.\n" * 100


@case("container", "GGUF")
def zeros(model):
    return bytes(4096)


@case("container", "header")
def only_magic(model):
    return b"GGUF"


@case("container", "header: the file ends")
def header_cut_off(model):
    return model.build()[:20]


@case("container", "tensors, but")
def metadata_cut_off(model):
    return model.build()[:100]


@case("container", "tokenizer.ggml.tokens")
def tokens_cut_off(model):
    data = model.build()
    return data[: data.index(b"tokenizer.ggml.tokens") + 1000]


@case("container", "blk.1.attn_k.weight")
def descriptions_cut_off(model):
    data = model.build()
    return data[: data.index(b"blk.1.attn_k.weight") + 30]


@case("container", "blk.1.ffn_down.weight")
def data_cut_off(model):
    return model.build()[:-600]


@case("container", "output_norm.weight")
def last_byte_missing(model):
    return model.build()[:-1]


# --- header --------------------------------------------------------------------------


@case("container", "version 1")
def version_1(model):
    model.version = 1


@case("container", "version 77")
def version_77(model):
    model.version = 77


@case("container", "big-endian")
def big_endian(model):
    model.version = 0x03000000


@case("container", "tensors")
def tensor_count_huge(model):
    model.tensor_count = HUGE


@case("container", "metadata entries")
def metadata_count_huge(model):
    model.metadata_count = 2**40


@case("container", "tensor 20")
def tensor_count_one_more(model):
    model.tensor_count = len(model.tensors) + 1


# --- metadata ------------------------------------------------------------------------


@case("container", "given twice")
def key_twice(model):
    model.add("llama.block_count", UINT32, 2)


@case("container", "llama.block_count")
def value_type_unknown(model):
    model.entry("llama.block_count")[1] = 99


@case("container", "general.name")
def string_huge(model):
    model.entry("general.name")[2] = struct.pack("<Q", HUGE)


@case("container", "name of 0 bytes")
def key_empty(model):
    model.entry("general.name")[0] = ""


@case("container", "boolean")
def flag_of_7(model):
    model.set("tokenizer.ggml.add_bos_token", BOOL, 7)


@case("container", "tokenizer.ggml.token_type")
def array_huge(model):
    model.entry("tokenizer.ggml.token_type")[2] = struct.pack("<IQ", INT32, HUGE)


@case("container", "nested")
def arrays_too_deep(model):
    model.entry("general.name")[1:] = [ARRAY, struct.pack("<IQ", ARRAY, 1) * 20000]


@case("container", "general.alignment")
def alignment_zero(model):
    model.set("general.alignment", UINT32, 0)


@case("container", "general.alignment")
def alignment_33(model):
    model.set("general.alignment", UINT32, 33)


# --- tensors -------------------------------------------------------------------------


@case("container", "given twice")
def tensor_twice(model):
    attention(model).name = "blk.0.attn_q.weight"


@case("container", "blk.1.attn_q.weight")
def rank_huge(model):
    attention(model).rank = 2**31


@case("container", "blk.1.attn_q.weight")
def five_dimensions(model):
    attention(model).sizes = [64, 64, 1, 1, 1]


@case("container", "blk.1.attn_q.weight")
def dimension_zero(model):
    attention(model).sizes = [64, 0]


@case("container", "blk.1.attn_q.weight")
def elements_overflow(model):
    attention(model).sizes = [2**32, 2**32]


@case("container", "blk.1.attn_q.weight")
def half_a_block(model):
    attention(model).sizes = [48, 64]


@case("container", "blk.1.attn_q.weight")
def larger_than_the_file(model):
    attention(model).sizes = [64, 2**40]


@case("container", "blk.1.attn_q.weight")
def offset_past_the_end(model):
    attention(model).offset = 2**40


@case("container", "blk.1.attn_q.weight")
def offset_overflow(model):
    attention(model).offset = HUGE - 31


@case("container", "blk.1.attn_q.weight")
def offset_not_aligned(model):
    attention(model).offset = 7


@case("container", "overlap")
def tensors_on_each_other(model):
    attention(model).offset = 32


# --- the model in a sound file -------------------------------------------------------


@case("model", "general.architecture")
def architecture_missing(model):
    model.remove("general.architecture")


@case("model", "mamba9")
def architecture_unknown(model):
    model.set("general.architecture", STRING, "mamba9")


@case("model", "general.architecture")
def architecture_is_a_number(model):
    model.set("general.architecture", UINT32, 7)


@case("model", "llama.embedding_length")
def width_missing(model):
    model.remove("llama.embedding_length")


@case("model", "llama.block_count")
def layers_huge(model):
    model.set("llama.block_count", UINT64, 2**40)


@case("model", "llama.attention.head_count")
def heads_zero(model):
    model.set("llama.attention.head_count", UINT32, 0)


@case("model", "llama.attention.head_count")
def heads_do_not_divide(model):
    model.set("llama.attention.head_count", UINT32, 5)


@case("model", "llama.attention.head_count_kv")
def kv_heads_do_not_divide(model):
    model.set("llama.attention.head_count_kv", UINT32, 3)


@case("model", "llama.attention.layer_norm_rms_epsilon")
def epsilon_not_a_number(model):
    model.set("llama.attention.layer_norm_rms_epsilon", FLOAT32, float("nan"))


@case("model", "llama.context_length")
def context_zero(model):
    model.set("llama.context_length", UINT32, 0)


@case("model", "blk.1.attn_q.weight")
def tensor_missing(model):
    model.tensors.remove(attention(model))


@case("model", "blk.1.attn_q.weight")
def tensor_shape_wrong(model):
    attention(model).sizes = [128, 32]


@case("model", "blk.1.attn_q.weight")
def tensor_type_unsupported(model):
    attention(model).kind = 20


@case("model", "tokenizer.ggml.tokens")
def tokens_missing(model):
    model.remove("tokenizer.ggml.tokens")


@case("model", "tokenizer.ggml.token_type")
def token_types_too_few(model):
    model.remove("tokenizer.ggml.token_type")
    model.add_array("tokenizer.ggml.token_type", INT32, [1, 2, 3])


@case("model", "tokenizer.ggml.eos_token_id")
def end_token_out_of_range(model):
    model.set("tokenizer.ggml.eos_token_id", UINT32, 100000)


@case("model", "token_embd.weight")
def tokens_too_many(model):
    tokens, types, _ = tiny_gguf.vocabulary()
    model.remove("tokenizer.ggml.tokens")
    model.remove("tokenizer.ggml.token_type")
    model.add_array("tokenizer.ggml.tokens", STRING, tokens + ["<|more|>"])
    model.add_array("tokenizer.ggml.token_type", INT32, types + [3])


# --- a vocabulary of SentencePiece ---------------------------------------------------


def with_pieces(model):
    """Turns the vocabulary into one of as many pieces with scores."""
    tokens, types, _ = tiny_gguf.vocabulary()
    pieces = [*tokens[:3], *(f"<0x{byte:02X}>" for byte in range(256)), *(f"piece{i}" for i in range(259, len(tokens)))]
    model.set("tokenizer.ggml.model", STRING, "llama")
    for key in ("tokens", "token_type", "merges", "pre"):
        model.remove("tokenizer.ggml." + key)
    model.add_array("tokenizer.ggml.tokens", STRING, pieces)
    model.add_array("tokenizer.ggml.token_type", INT32, [3] * 3 + [6] * 256 + [1] * (len(pieces) - 259))
    model.add_array("tokenizer.ggml.scores", FLOAT32, [-float(i) for i in range(len(pieces))])
    return pieces


@case("model", "tokenizer.ggml.scores")
def scores_missing(model):
    with_pieces(model)
    model.remove("tokenizer.ggml.scores")


@case("model", "tokenizer.ggml.scores")
def scores_too_few(model):
    with_pieces(model)
    model.remove("tokenizer.ggml.scores")
    model.add_array("tokenizer.ggml.scores", FLOAT32, [0.0] * 17)


@case("model", "tokenizer.ggml.scores")
def score_not_a_number(model):
    pieces = with_pieces(model)
    model.remove("tokenizer.ggml.scores")
    model.add_array("tokenizer.ggml.scores", FLOAT32, [float("nan") if i == 7 else 0.0 for i in range(len(pieces))])


@case("model", "tokenizer.ggml.token_type")
def piece_types_missing(model):
    with_pieces(model)
    model.remove("tokenizer.ggml.token_type")


@case("model", "tokenizer.ggml.tokens")
def piece_twice(model):
    pieces = with_pieces(model)
    model.remove("tokenizer.ggml.tokens")
    model.add_array("tokenizer.ggml.tokens", STRING, pieces[:-1] + [pieces[270]])


@case("model", "tokenizer.ggml.tokens")
def byte_token_without_a_byte(model):
    pieces = with_pieces(model)
    model.remove("tokenizer.ggml.tokens")
    model.add_array("tokenizer.ggml.tokens", STRING, [p.replace("<0x41>", "<0xA>") for p in pieces])


@case("model", "tokenizer.ggml.token_type")
def byte_token_missing(model):
    pieces = with_pieces(model)
    model.remove("tokenizer.ggml.token_type")
    types = [3] * 3 + [6] * 256 + [1] * (len(pieces) - 259)
    types[3 + 0x41] = 1
    model.add_array("tokenizer.ggml.token_type", INT32, types)


@case("model", "tokenizer.ggml.precompiled_charsmap")
def characters_replaced(model):
    with_pieces(model)
    model.add_array("tokenizer.ggml.precompiled_charsmap", INT32, [1, 2, 3])


def write(path, contents):
    with open(path, "wb") as out:
        out.write(contents)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: make_malformed.py FOLDER")
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    valid = tiny_gguf.tiny_llama().build()
    write(os.path.join(folder, "valid.gguf"), valid)
    listed = []
    for name, level, mentions, change in CASES:
        model = tiny_gguf.tiny_llama()
        contents = change(model)
        if contents is None:
            contents = model.build()
        assert contents != valid, name
        assert mentions not in name + ".gguf", name  # the name alone must not pass
        write(os.path.join(folder, name + ".gguf"), contents)
        listed.append(
            {"name": name, "file": name + ".gguf", "level": level, "mentions": mentions}
        )
    write(os.path.join(folder, "cases.json"), json.dumps(listed, indent=2).encode())
    print(f"{len(listed)} malformed files")


if __name__ == "__main__":
    main()
