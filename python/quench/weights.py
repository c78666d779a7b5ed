# ===- weights.py - weights in the formats of model files -------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Quantizes arrays, and writes the weights of a program as a safetensors file."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from quench import _quench


@dataclasses.dataclass(frozen=True)
class Weight:
    """A matrix in a format: its rows one after another, as in GGUF files."""

    format: str
    """Such as 'q8_0' or 'q4_1'."""
    shape: tuple[int, int]
    """Rows (outputs of a linear layer), columns (its inputs)."""
    data: bytes

    def dequantize(self) -> npt.NDArray[np.float32]:
        """The numbers that the bytes stand for."""
        return _quench.decode_weights(self.data, self.format, *self.shape)


def quantize(values: npt.ArrayLike, format: str) -> Weight:
    """A matrix in a format, rounded to the nearest codes. An error names the formats that can be written."""
    matrix = np.ascontiguousarray(values, dtype=np.float32)
    if matrix.ndim != 2:
        raise _quench.UsageError(f"values: found {matrix.ndim} dimensions, expected 2")
    return Weight(format.lower(), (matrix.shape[0], matrix.shape[1]), _quench.encode_weights(matrix, format))


def save_weights(path: str | os.PathLike[str], weights: Mapping[str, Weight | npt.ArrayLike]) -> None:
    """Writes a program's weights by key, as `quench-run compile --weights` reads them.

    What is no Weight is stored as float32 numbers of any shape.
    """
    header: dict[str, object] = {}
    metadata, parts, offset = {}, [], 0
    for key, weight in weights.items():
        if isinstance(weight, Weight):
            data, dtype, shape = weight.data, "U8", [len(weight.data)]
            metadata[key] = f"{weight.format} {weight.shape[0]}x{weight.shape[1]}"
        else:
            array = np.ascontiguousarray(weight, dtype="<f4")
            data, dtype, shape = array.tobytes(), "F32", list(array.shape)
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + len(data)]}
        parts.append(data)
        offset += len(data)
    header["__metadata__"] = metadata
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.writelines(parts)
