#===- dump_weights.py - what a file of weights decodes to -------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
"""Prints each weight of a safetensors file with block bytes, decoded by the PyPI package gguf.

usage: dump_weights.py FILE.safetensors

A line is `NAME FORMAT SHAPE: VALUES`, where equal numbers are said once: for the whole weight, for a row, or for each
block of 32 with ` / ` between rows. The values of a single block are listed.
"""

import json
import sys

import numpy as np
from gguf import GGMLQuantizationType, quants


def describe(values):
    if np.all(values == values[0, 0]):
        return f"{values[0, 0]} everywhere"
    if values.size == 32:
        return " ".join(f"{number:g}" for number in values[0])
    if all(np.all(row == row[0]) for row in values):
        return ", ".join(f"{row[0]} everywhere in row {i}" for i, row in enumerate(values))
    blocks = values.reshape(len(values), -1, 32)
    assert np.all(blocks == blocks[:, :, :1]), "blocks are not of one number each"
    return " / ".join(" ".join(str(number) for number in row) for row in blocks[:, :, 0]) + " by blocks"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    for name, tensor in header.items():
        if name == "__metadata__":
            continue
        assert tensor["dtype"] == "U8", tensor
        form, shape = header["__metadata__"][name].split(" ")
        begin, end = tensor["data_offsets"]
        rows = int(shape.split("x")[0]) if "x" in shape else 1
        raw = np.frombuffer(data[start + begin:start + end], dtype=np.uint8).reshape(rows, -1)
        values = quants.dequantize(raw, GGMLQuantizationType[form.upper()])
        print(f"{name} {form} {shape}: {describe(values)}")


main()
