#!/usr/bin/env python3
# ===- check_against_gguf.py - our coders against the PyPI package gguf -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""Compares every format of the table, bit for bit, with `gguf.quants`.

usage: check_against_gguf.py FORMAT-DUMP [--blocks N] [--seed S]

Decoding: random bytes, and random bytes whose f16 scales are replaced by chosen ones
(zeros, subnormals, infinities, NaNs, the largest and smallest normal numbers). Any NaN
equals any NaN. Semantics: WEIGHT-1. Encoding: finite rows of many magnitudes, ties and constant blocks
included. Prints one line per format; exits with 1 at the first difference.
"""

import argparse
import subprocess
import sys

import gguf
import numpy as np

# Byte offsets of the f16 words in a block.
SCALES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0],
    "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208],
}
SPECIAL_HALVES = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0200, 0x0400, 0x8400, 0x3C00,
    0xBC00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0xFC01, 0x7FFF,
]


def run(tool, *arguments, data=b""):
    done = subprocess.run([tool, *arguments], input=data, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{tool} {' '.join(arguments)}: exit status {done.returncode}")
    return done.stdout


def reference_decode(name, blocks):
    """Little-endian f32 of the public definition. `blocks` is [n, block bytes] uint8."""
    kind = gguf.GGMLQuantizationType[name]
    with np.errstate(all="ignore"):
        return gguf.quants.dequantize(blocks, kind).astype(np.float32).reshape(-1)


def special_bits(generator, count, width):
    """Float bit patterns at the edges, among random ones."""
    words = generator.integers(0, 2**width, count, dtype=np.uint64)
    exponents = 0x7F80 if width == 16 else 0x7F800000
    edge = generator.integers(0, 5, count)
    words[edge == 0] |= np.uint64(exponents)  # infinities and NaNs
    words[edge == 1] &= np.uint64((2**width - 1) ^ exponents)  # zeros and subnormals
    return words


def random_blocks(generator, name, block_bytes, count):
    if name in ("F32", "F16", "BF16"):
        if name == "F16":  # every half there is
            words = np.arange(2**16, dtype=np.uint16)
        elif name == "BF16":
            words = np.arange(2**16, dtype=np.uint16)
        else:
            words = special_bits(generator, 32 * count, 32).astype(np.uint32)
        return words.view(np.uint8).reshape(-1, block_bytes)
    blocks = generator.integers(0, 256, (count, block_bytes), dtype=np.uint8)
    for offset in SCALES[name]:
        chosen = generator.choice(np.array(SPECIAL_HALVES, dtype=np.uint16), count)
        use = generator.random(count) < 0.5
        words = chosen.view(np.uint8).reshape(count, 2)
        blocks[use, offset : offset + 2] = words[use]
    return blocks


def check_decode(tool, name, block_bytes, generator, count):
    blocks = random_blocks(generator, name, block_bytes, count)
    ours = np.frombuffer(run(tool, "decode", name, data=blocks.tobytes()), dtype=np.float32)
    theirs = reference_decode(name, blocks)
    same = (ours.view(np.uint32) == theirs.view(np.uint32)) | (np.isnan(ours) & np.isnan(theirs))
    if ours.size != theirs.size or not same.all():
        where = int(np.argmin(same))
        sys.exit(f"{name}: decoded number {where} is {ours[where]!r}, expected {theirs[where]!r}")
    return ours.size


def random_rows(generator, elements, count):
    """Finite numbers, [count, elements]."""
    rows = generator.standard_normal((count, elements)).astype(np.float32)
    rows *= np.exp2(generator.integers(-30, 20, (count, 1))).astype(np.float32)
    kind = generator.integers(0, 8, count)
    rows[kind == 0] = 0  # whole blocks of zeros,
    rows[kind == 1] = rows[kind == 1][:, :1]  # of one number,
    ties = generator.integers(-16, 16, (count, elements)).astype(np.float32) / 2
    rows[kind == 2] = ties[kind == 2]  # and many halves
    rows[kind == 3] = np.abs(rows[kind == 3])
    return rows


def check_encode(tool, name, elements, generator, count):
    if elements == 1:
        rows = special_bits(generator, 32 * count, 32).astype(np.uint32).view(np.float32)
        # Around every half: the numbers in the middle between neighbours, and next to them.
        halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
        middle = (halves[:-1] + halves[1:]) / 2
        near = [np.nextafter(middle, np.float32(s * np.inf), dtype=np.float32) for s in (-1, 1)]
        rows = np.concatenate([rows, middle, -middle, *near]).reshape(-1, 1)
    else:
        rows = random_rows(generator, elements, count)
    kind = gguf.GGMLQuantizationType[name]
    with np.errstate(all="ignore"):
        theirs = gguf.quants.quantize(rows.copy(), kind).view(np.uint8).reshape(-1)
    ours = np.frombuffer(run(tool, "encode", name, data=rows.tobytes()), dtype=np.uint8)
    same = ours == theirs
    if elements == 1:  # any NaN equals any NaN
        width = theirs.size // rows.size
        same = same.reshape(-1, width).all(axis=1)
        with np.errstate(all="ignore"):
            both = [np.isnan(reference_decode(name, b.reshape(-1, width))) for b in (ours, theirs)]
        same |= both[0] & both[1]
    if not same.all():
        where = int(np.argmin(same))
        sys.exit(f"{name}: encoded item {where} is {ours[where]}, expected {theirs[where]}")
    return rows.size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--blocks", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    formats = run(options.tool, "list").decode().splitlines()
    if len(formats) < 13:
        sys.exit(f"the table has {len(formats)} formats, expected at least 13")
    for line in formats:
        name, elements, block_bytes, encodes = line.split()
        sizes = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]
        if sizes != (int(elements), int(block_bytes)):
            sys.exit(f"{name}: block is {elements} numbers, {block_bytes} bytes, expected {sizes}")
        generator = np.random.default_rng([options.seed, sum(name.encode())])
        decoded = check_decode(options.tool, name, int(block_bytes), generator, options.blocks)
        encoded = 0
        if encodes == "1":
            encoded = check_encode(options.tool, name, int(elements), generator, options.blocks)
        print(f"{name}: {decoded} numbers decoded and {encoded} encoded alike")


if __name__ == "__main__":
    main()
