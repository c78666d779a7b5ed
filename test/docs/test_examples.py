# ===- test_examples.py - the examples of the documentation work ------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Runs a page's examples in order, in one folder, as somebody who reads it would.

A block ```mlir or ```python is written to the file that the line before it names; the lines of a block ```sh are
commands. model.gguf, which pages speak of as the reader's own, is a small random model, and `package` what `compile`
makes of it. What the model says means nothing here: a command has to succeed.
"""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from make_tiny_model import TinyModel, set_entry

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"(?ms)^(?P<before>[^\n]*)\n(?:\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$")
# Commands that set up a machine, or that fetch the example model.
NOT_HERE = {"GettingStarted.md": ["./quickstart.sh", "./check.sh"], "CommandLine.md": [], "CompilerTools.md": []}


def blocks(page):
    """(language, text, file that the line before names) of each block; an indented one is none of ours."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        name = re.search(r"`([\w.]+)`:$", match["before"])
        found.append((match["language"], match["text"], name and name[1]))
    assert len(found) == len(re.findall(r"(?m)^```\w*$", text)) // 2, "a block that is not understood"
    return found


@pytest.fixture
def desk(tmp_path, quench_run):
    """As a checkout that is built, with build/venv/bin/python, and a model."""
    venv = tmp_path / "build" / "venv" / "bin"
    venv.mkdir(parents=True)
    for found in quench_run.path.parents[1].iterdir():
        if found.name != "venv":
            (tmp_path / "build" / found.name).symlink_to(found)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    python = venv / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    model = TinyModel().build()
    set_entry(model, "llama.context_length", 1024)
    (tmp_path / "model.gguf").write_bytes(model.build())
    quench_run("compile", tmp_path / "model.gguf", "-o", tmp_path / "package")
    return tmp_path


@pytest.mark.parametrize("page", NOT_HERE)
def test_page(desk, quench_run, page):
    left_out, commands = [], 0
    path = f"{quench_run.path.parent}{os.pathsep}{os.environ['PATH']}"
    for language, text, name in blocks(page):
        if language == "sh" and text.strip() in NOT_HERE[page]:
            left_out.append(text.strip())
        elif language == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=desk, stdin=subprocess.DEVNULL,
                                  capture_output=True, encoding="utf-8", errors="replace",
                                  env={**os.environ, "PATH": path}, timeout=1200)
            assert done.returncode == 0, f"{page}:\n{text}\n{done.stderr}"
            commands += 1
        elif name:
            (desk / name).write_text(text)
        elif language == "cmake":
            assert text in (ROOT / "examples/out-of-tree/weight-opt/CMakeLists.txt").read_text()
        else:
            assert language == "", f"{page}: where does this go?\n{text}"
    assert left_out == NOT_HERE[page]
    assert commands > 0
    if page == "GettingStarted.md":
        assert np.array_equal(np.load(desk / "y.npy"), 2 * np.load(desk / "x.npy"))
