# ===- conftest.py - what the tests of the Python package share -------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Fixtures: the package, imported, and a small random model."""

import importlib
import sys

import pytest
from make_tiny_model import TinyModel, set_entry


@pytest.fixture(scope="session")
def quench(python_package):
    sys.path.insert(0, str(python_package))
    yield importlib.import_module("quench")
    sys.path.remove(str(python_package))


@pytest.fixture(scope="session")
def tiny_package(quench_run, tmp_path_factory):
    """A package of a model that says nothing in particular."""
    folder = tmp_path_factory.mktemp("tiny")
    model = TinyModel().build()
    set_entry(model, "llama.context_length", 4096)
    (folder / "tiny.gguf").write_bytes(model.build())
    quench_run("compile", folder / "tiny.gguf", "-o", folder / "package", "--activations", "f32")
    return folder / "package"


@pytest.fixture(scope="session")
def tiny(quench, tiny_package):
    return quench.Model(str(tiny_package))
