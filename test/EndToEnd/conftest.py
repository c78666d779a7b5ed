# ===- conftest.py - what the end-to-end tests share ------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Fixtures: the stored answers and the example model compiled for exact products."""

import json
import pathlib
import shutil

import pytest


def stored(name):
    path = pathlib.Path(__file__).parent / "data" / name
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def oracle():
    """Another implementation's answers for the example model; data/README.md describes them."""
    return stored("smollm2-oracle.json")


@pytest.fixture(scope="session")
def gemma3_oracle():
    """The same for Gemma 3."""
    return stored("gemma3-oracle.json")


@pytest.fixture(scope="session")
def package_f32(quench_run, model, tmp_path_factory):
    """The example model compiled with --activations f32; a folder to read, not to change."""
    path = tmp_path_factory.mktemp("package-f32") / "smollm2"
    quench_run("compile", model, "-o", path, "--activations", "f32")
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def score(quench_run):
    """score(package, ids, top=8) is the list of positions that `quench-run score` finds."""
    def call(package, ids, *options, top=8):
        tokens = ",".join(map(str, ids))
        return quench_run.json("score", package, "--tokens", tokens, "--top", top, *options)["positions"]

    return call
