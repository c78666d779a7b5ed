#!/usr/bin/env python3
# ===- check_against_sentencepiece.py - ids against the SentencePiece library ===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""Compares ids and decoded text with the PyPI package `sentencepiece`.

usage: check_against_sentencepiece.py TOKENIZE-DUMP [--texts N] [--seed S]

Byte-pair models of several settings are trained on made-up text, their pieces written into GGUF files, and random
texts of many scripts encoded by both: with runs of spaces and letters, control characters, characters that no piece
has, and user-defined pieces. Prints one line per model; exits with 1 at the first difference.
"""

import argparse
import io
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import gguf
import sentencepiece

SPACE = "\u2581"
ALPHABETS = ["abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz", "abcde", "ABCDEFG", "äöüßéèñ", "абвгдежз", "αβγδε",
             "漢字日本語中文", "0123456789", ".,;:!?-_()[]{}<>=+*/", "😀🙂👩\u200d🚀", "กขคงจ"]
USER_DEFINED = ["<tag>", "<tag>x", "foo", SPACE * 2, SPACE * 3, SPACE * 4, "\n", "\n\n", "\t", "字日", "ab" + SPACE + "c"]

# Settings of the trainer; `unused`: pieces that are made unused afterwards.
MODELS = {
    "plain": {},
    "byte fallback": {"byte_fallback": True},
    "no prefix": {"byte_fallback": True, "add_dummy_prefix": False},
    "extra spaces removed": {"byte_fallback": True, "remove_extra_whitespaces": True},
    "spaces removed, no prefix": {"remove_extra_whitespaces": True, "add_dummy_prefix": False},
    "user-defined": {"byte_fallback": True, "user_defined_symbols": USER_DEFINED},
    "user-defined, no prefix": {"user_defined_symbols": USER_DEFINED, "add_dummy_prefix": False, "byte_fallback": True},
    "merges across spaces": {"byte_fallback": True, "split_by_whitespace": False},
    "unused pieces": {"byte_fallback": True, "unused": 0.3},
    "unused pieces, unknown": {"unused": 0.5},
}


def training_text(rng):
    words = ["".join(rng.choices(rng.choice(ALPHABETS), k=rng.randint(1, 7))) for _ in range(400)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    for _ in range(1500):
        yield rng.choice([" ", "  ", ""]).join(rng.choices(words, weights, k=rng.randint(2, 20)))


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def encoded(value):
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + encoded(value >> 7)


def with_unused(model, used):
    """The protobuf message with the type of pieces that are not used replaced: fields 1 are pieces, their field 3 is the
    type, of which the last one counts."""
    out, at, piece = b"", 0, 0
    while at < len(model):
        start, (key, at) = at, varint(model, at)
        length, at = varint(model, at)
        if key != 1 << 3 | 2:  # The others are messages as well.
            out, at = out + model[start:at + length], at + length
            continue
        body, at = model[at:at + length], at + length
        body += b"" if used[piece] else bytes([3 << 3, 5])
        out, piece = out + model[start:start + 1] + encoded(len(body)) + body, piece + 1
    return out


def train(rng, byte_fallback=False, remove_extra_whitespaces=False, unused=0.0, **settings):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=training_text(rng), model_writer=model, model_type="bpe", vocab_size=900 + 256 * byte_fallback,
        normalization_rule_name="identity", character_coverage=0.999, byte_fallback=byte_fallback, minloglevel=2,
        remove_extra_whitespaces=remove_extra_whitespaces, num_threads=1, **settings)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    if unused:
        # As by the library's own way to do it, single characters stay in use.
        used = [type_of(processor, i) != gguf.TokenType.NORMAL or len(processor.id_to_piece(i)) == 1
                or rng.random() >= unused for i in range(len(processor))]
        processor.LoadFromSerializedProto(with_unused(model.getvalue(), used))
    return processor


def type_of(processor, piece):
    kinds = [(processor.is_unknown, gguf.TokenType.UNKNOWN), (processor.is_control, gguf.TokenType.CONTROL),
             (processor.is_unused, gguf.TokenType.UNUSED), (processor.is_byte, gguf.TokenType.BYTE)]
    return next((kind for check, kind in kinds if check(piece)), gguf.TokenType.NORMAL)


def write_gguf(path, processor, settings):
    ids = range(len(processor))
    user_defined = set(settings.get("user_defined_symbols", []))
    tokens = [processor.id_to_piece(i) for i in ids]
    types = [gguf.TokenType.USER_DEFINED if tokens[i] in user_defined else type_of(processor, i) for i in ids]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    # As files have them: user-defined pieces with spaces.
    writer.add_token_list([t.replace(SPACE, " ") if t in user_defined else t for t in tokens])
    writer.add_token_scores([processor.get_score(i) for i in ids])
    writer.add_token_types([int(t) for t in types])
    writer.add_unk_token_id(processor.unk_id())
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(settings.get("add_dummy_prefix", True))
    writer.add_bool("tokenizer.ggml.remove_extra_whitespaces", settings.get("remove_extra_whitespaces", False))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def random_text(rng, pieces):
    parts = []
    for _ in range(rng.randint(0, 25)):
        kind = rng.random()
        if kind < 0.35:
            parts.append(rng.choice(pieces).replace(SPACE, " "))
        elif kind < 0.6:
            parts.append("".join(rng.choices(rng.choice(ALPHABETS), k=rng.randint(1, 9))))
        elif kind < 0.75:
            parts.append(" " * rng.choice([1, 1, 1, 2, 3, 4, 5, 9]))
        elif kind < 0.85:
            parts.append(rng.choice(["\n", "\t", "\r", "\0", "\x1b", "\x7f", "\u00a0", "\u3000", "\u200b", "\ufeff", SPACE]))
        elif kind < 0.93:
            parts.append(rng.choice("aeé字 ") * rng.randint(1, 60))
        else:
            parts.append(chr(rng.choice([*range(0x20, 0xD800), *range(0xE000, 0x11000), 0x1F600, 0x10FFFF])))
    return "".join(parts)


def dump(tool, path, texts):
    """Ids and decoded text of each."""
    data = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    done = subprocess.run([tool, path], input=data, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{tool} {path}: exit status {done.returncode}")
    out, at = done.stdout, 0
    for _ in texts:
        (count,) = struct.unpack_from("<I", out, at)
        ids = list(struct.unpack_from(f"<{count}i", out, at + 4))
        at += 4 + 4 * count
        (length,) = struct.unpack_from("<I", out, at)
        yield ids, out[at + 4:at + 4 + length].decode()
        at += 4 + length


def compare(tool, path, name, processor, texts):
    unknown = processor.unk_id()
    for text, (ids, decoded) in zip(texts, dump(tool, path, [text.encode() for text in texts])):
        expected = processor.encode(text)
        if ids != expected:
            sys.exit(f"{name}: {text!r}\n  found    {ids}\n  expected {expected}")
        # The library writes an unknown piece as a sign, which is text that was not there.
        if unknown not in ids and decoded != processor.decode(expected):
            sys.exit(f"{name}: {ids}\n  decoded  {decoded!r}\n  expected {processor.decode(expected)!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--texts", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "vocabulary.gguf"
        for name, settings in MODELS.items():
            processor = train(rng, **settings)
            write_gguf(path, processor, settings)
            pieces = [processor.id_to_piece(i) for i in range(len(processor))]
            texts = [random_text(rng, pieces) for _ in range(options.texts)]
            compare(options.tool, path, name, processor, texts)
            print(f"{name}: {len(pieces)} pieces, {len(texts)} texts")


if __name__ == "__main__":
    main()
