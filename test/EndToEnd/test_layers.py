# ===- test_layers.py - compile time depends on kernels, not on layers ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Twice the layers compile no further kernel and no further function: layers call the same ones.

No time is measured here: a loaded machine would decide.
"""

import re

import pytest
from make_tiny_model import TinyModel

LAYERS = 30  # as many as the example model has


@pytest.fixture(scope="module")
def compiled(quench_run, tmp_path_factory):
    """For each number of layers the kernels that were compiled and the IR of the stage that made them."""
    folder = tmp_path_factory.mktemp("layers")
    found = {}
    for layers in (LAYERS, 2 * LAYERS):
        path = folder / f"{layers}.gguf"
        path.write_bytes(TinyModel(layers=layers).build().build())
        report = quench_run.json("compile", path, "-o", folder / str(layers), "--dump-stages", folder / f"{layers}-stages")
        found[layers] = {
            "kernels": [re.sub(r"paged\d+x", "paged", kernel["name"]) for kernel in report["timings"]["kernels"]],
            "vector": (folder / f"{layers}-stages" / "06-vector.mlir").read_text(),
        }
    return found


def test_kernels(compiled):
    assert len(compiled[LAYERS]["kernels"]) >= 3
    assert compiled[LAYERS]["kernels"] == compiled[2 * LAYERS]["kernels"]


def test_functions(compiled):
    few, many = (re.findall(r"func\.func (?:private )?@(\w+)", re.sub(r"paged\d+x", "paged", compiled[n]["vector"]))
                 for n in (LAYERS, 2 * LAYERS))
    assert few == many
