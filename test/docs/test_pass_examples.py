# ===- test_pass_examples.py - the examples of docs/Passes.md are what passes do ===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Every pass of the project shows IR before and after; quench-opt makes the one of the other.

The first line of the IR before is the command. Names of values are not compared, nor in how many lines something stands:
both sides are printed by quench-opt.
"""

import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("QUENCH_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build")).resolve()
COMMAND = re.compile(r"\A// quench-opt (\S.*)\n")


def sections():
    """name of a pass: what the assembled page says of it"""
    page = (BUILD / "docs" / "Passes.md").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^### `-([\w-]+)`$", page)
    return dict(zip(parts[1::2], parts[2::2]))


def example(text):
    """Command, IR before and IR after."""
    found = re.search(r"(?ms)^```mlir\n((?:(?!^```).)*)^```\nbecomes\n```mlir\n((?:(?!^```).)*)^```$", text)
    assert found, "there is no example: a block ```mlir, a line `becomes` and another block"
    command = COMMAND.match(found[1])
    assert command, "the first line of the IR before is no // quench-opt OPTIONS"
    return command[1].split(), found[1], found[2]


def printed(text, options, folder):
    done = subprocess.run([BUILD / "bin" / "quench-opt", *options, "-"], input=text, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_pass_is_there():
    """Also one whose definition the page does not include."""
    done = subprocess.run([BUILD / "bin" / "quench-opt", "--list-passes"], check=True, capture_output=True, text=True)
    passes = {name for name in re.findall(r"(?m)^\s+--([\w-]+)", done.stdout) if "quench" in name}
    pipelines = {name for name in passes if name.startswith("quench-stage-") or name == "quench-cpu"}
    assert passes - pipelines == set(sections())


@pytest.mark.parametrize("name", sections())
def test_example(name, tmp_path):
    options, before, after = example(sections()[name])
    assert any(re.fullmatch(rf"--{name}(=.*)?", option) for option in options)
    assert printed(before, options, tmp_path) == printed(after, [], tmp_path)
    assert printed(before, options, tmp_path) != printed(before, [], tmp_path)
