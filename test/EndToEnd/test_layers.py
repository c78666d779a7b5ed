# ===- test_layers.py - compile time depends on kernels, not on layers ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Twice the layers add little to compile time, since a kernel is compiled once and layers call it.

No time is measured here: a loaded machine would decide. What takes the time is the IR that code generation gets and
the code that comes out, and those are counted.
"""

import re

import pytest
from make_tiny_model import TinyModel

LAYERS = 30  # as many as the example model has


@pytest.fixture(scope="module")
def compiled(quench_run, tmp_path_factory):
    """For each number of layers the kernels that were compiled and the IR of some stages."""
    folder = tmp_path_factory.mktemp("layers")
    found = {}
    for layers in (LAYERS, 2 * LAYERS):
        path = folder / f"{layers}.gguf"
        path.write_bytes(TinyModel(layers=layers).build().build())
        report = quench_run.json("compile", path, "-o", folder / str(layers), "--dump-stages", folder / f"{layers}-stages")
        found[layers] = {
            "kernels": [re.sub(r"paged\d+x", "paged", kernel["name"]) for kernel in report["timings"]["kernels"]],
            "LLVM IR": lines((folder / f"{layers}-stages" / "08-module.ll").read_text(), r"^  \S"),
            "assembly": lines((folder / f"{layers}-stages" / "09-module.s").read_text(), r"^\t[a-z]"),
            "vector": (folder / f"{layers}-stages" / "06-vector.mlir").read_text(),
        }
    return found


def lines(text, pattern):
    """Instructions of a module."""
    return len(re.findall(pattern, text, re.M))


def test_kernels(compiled):
    assert len(compiled[LAYERS]["kernels"]) >= 3
    assert compiled[LAYERS]["kernels"] == compiled[2 * LAYERS]["kernels"]


def test_functions(compiled):
    """Besides those that do nothing but call layers."""
    few, many = (re.findall(r"func\.func (?:private )?@(?!layers_)(\w+)", re.sub(r"paged\d+x", "paged", compiled[n]["vector"]))
                 for n in (LAYERS, 2 * LAYERS))
    assert few == many


@pytest.mark.parametrize("measure", ["LLVM IR", "assembly"])
def test_growth(compiled, measure):
    few, many = (compiled[n][measure] for n in (LAYERS, 2 * LAYERS))
    assert many < 1.1 * few, f"{few} -> {many}: {many / few - 1:.0%}"
