# ===- test_examples.py - the examples of the documentation work ------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Runs a page's examples in order, in one folder, as somebody who reads it would.

A block ```mlir or ```python is written to the file that the line before it names; the lines of a block ```sh are
commands that have to succeed. A block ```console shows commands with their output, which has to be what they print; one
that shows an error has to fail. model.gguf, which pages speak of as the reader's own, is the example model in tours.
Elsewhere it is a small random model, and `package` what `compile` makes of it.
"""

import os
import pathlib
import subprocess
import sys

import pytest

from make_tiny_model import TinyModel, set_entry
from page_blocks import blocks, console, shows

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE_MODEL = '''export PATH="$PWD/build/bin:$PATH"
ln -s ~/.cache/quench/models/SmolLM2-135M-Instruct.Q4_1.gguf model.gguf'''
# Blocks that set up a machine, or that fetch the example model.
NOT_HERE = {"GettingStarted.md": ["./quickstart.sh", "./check.sh", EXAMPLE_MODEL], "CommandLine.md": [], "CompilerTools.md": [],
            "Embedding.md": [], "Python.md": ["pip install ./python"],
            "Tours/RunModels.md": [], "Tours/WorkOnTheCompiler.md": [], "Tours/EmitTheDialect.md": []}


@pytest.fixture
def desk(tmp_path, quench_run):
    """As a checkout that is built, with build/venv/bin/python."""
    venv = tmp_path / "build" / "venv" / "bin"
    venv.mkdir(parents=True)
    for found in quench_run.path.parents[1].iterdir():
        if found.name != "venv":
            (tmp_path / "build" / found.name).symlink_to(found)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "python").symlink_to(ROOT / "python")
    python = venv / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return tmp_path


@pytest.fixture
def small_model(desk, quench_run):
    model = TinyModel().build()
    set_entry(model, "llama.context_length", 1024)
    (desk / "model.gguf").write_bytes(model.build())
    quench_run("compile", desk / "model.gguf", "-o", desk / "package")


@pytest.mark.parametrize("page", NOT_HERE)
def test_page(desk, quench_run, page, request):
    if page.startswith("Tours/"):
        (desk / "model.gguf").symlink_to(request.getfixturevalue("model"))
    else:
        request.getfixturevalue("small_model")
    left_out, commands = [], 0
    environment = {**os.environ, "PATH": f"{quench_run.path.parent}{os.pathsep}{os.environ['PATH']}"}

    if page == "Python.md":
        environment["PYTHONPATH"] = str(request.getfixturevalue("python_package"))

    def run(command):
        return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=desk, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace",
                              env=environment, timeout=1200)

    for language, text, name in blocks((ROOT / "docs" / page).read_text(encoding="utf-8")):
        if language == "sh" and text.strip() in NOT_HERE[page]:
            left_out.append(text.strip())
        elif language == "sh":
            done = run(text)
            assert done.returncode == 0, f"{page}:\n{text}\n{done.stdout}"
            commands += 1
        elif language == "console":
            for command, shown in console(text):
                done = run(command)
                assert shows(shown, done.stdout), f"{page} shows:\n$ {command}\n{shown}\nbut the output is\n{done.stdout}"
                assert (done.returncode != 0) == ("error: " in shown), f"{command}: {done.returncode}\n{done.stdout}"
                commands += 1
        elif name:
            (desk / name).write_text(text)
        elif language == "cmake":
            assert text in (ROOT / "examples/out-of-tree/weight-opt/CMakeLists.txt").read_text()
        else:
            assert language == "", f"{page}: where does this go?\n{text}"
    assert left_out == NOT_HERE[page]
    assert commands > 0
