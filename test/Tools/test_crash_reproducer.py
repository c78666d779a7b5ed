# ===- test_crash_reproducer.py - quench-run compile --crash-reproducer ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""A pass that fails or crashes leaves a file with which quench-opt does the same again."""

import os
import pathlib
import re
import signal
import subprocess
import time

import pytest


@pytest.fixture(scope="module")
def program(quench_opt, package, tmp_path_factory):
    """The example model's program as text, with an op in each layer function that no kernel can do."""
    text = quench_opt(package / "program.mlirbc")
    text, count = re.subn(r"(?m)^(  func.func private @block_.*?(%arg\d+): (!quench.qtensor<(576x576), #quench.q4_1>).*\{)$",
                          r"\1\n    %bad = quench.dequantize \2 : \3 -> tensor<\4xf32>", text)
    assert count > 0
    path = tmp_path_factory.mktemp("program") / "program.mlir"
    path.write_text(text)
    return path


def test_failure(quench_run, quench_opt, program, package, tmp_path):
    reproducer = tmp_path / "repeat.mlir"
    quench_run("compile", program, "--from", package, "-o", tmp_path / "out", "--crash-reproducer", reproducer, status=1)
    message = "'quench.dequantize' op has no kernel for a weight of format q4_1"
    assert message in quench_run.error
    assert f"reproducer generated at `{reproducer}`" in quench_run.error
    assert quench_run.error.count("\n") == 1
    assert not (tmp_path / "out").exists()
    quench_opt(reproducer, "--run-reproducer", status=1)
    assert message in quench_opt.error
    assert 'pipeline: "builtin.module(quench-assign-layout)"' in reproducer.read_text()
    # 90 MB of weights are not in it.
    assert reproducer.stat().st_size < 2_000_000


def test_no_failure(quench_run, package, tmp_path):
    quench_run("compile", package, "-o", tmp_path / "out", "--crash-reproducer", tmp_path / "repeat.mlir")
    assert not (tmp_path / "repeat.mlir").exists()


def segfault(pid):
    """As if the compiler, a child of quench-run, had read address 0."""
    [compiler] = map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    os.kill(compiler, signal.SIGSEGV)


def crash_in_a_pass(quench_run, package, folder, delay):
    """Starts a compilation, and sends the compiler SIGSEGV once `threads` is written: the longest stages follow."""
    process = subprocess.Popen(
        [quench_run.path, "compile", package, "-o", folder / "out", "--crash-reproducer", folder / "repeat.mlir",
         "--dump-stages", folder / "stages"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "QUENCH_CACHE": str(folder / "cache")})
    while process.poll() is None and not list(folder.glob("stages/*-threads.mlir")):
        time.sleep(0.001)
    time.sleep(delay)
    if process.poll() is None:
        segfault(process.pid)
    return process.communicate(timeout=600)[1], process.returncode


def test_crash(quench_run, quench_opt, package, tmp_path):
    """Between two passes a signal just ends the compiler, with another message; then once more, later."""
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        error, status = crash_in_a_pass(quench_run, package, folder, delay=0.02 * (attempt + 1))
        assert status == 3, error
        assert not (folder / "out").exists()
        if "reproducer generated" in error:
            break
        assert "the compiler crashed (Segmentation fault)" in error
    assert re.search(r"program.mlirbc: Pipeline failed while executing `\w+` on .*: reproducer generated at `", error)
    # There is nothing wrong with the pass, so this time it works.
    quench_opt(folder / "repeat.mlir", "--run-reproducer")


def test_names_that_no_file_has(quench_run, package, tmp_path):
    for name, found in {"": "found nothing", tmp_path: "which is no file", tmp_path / "no/file": "is no folder"}.items():
        quench_run("compile", package, "-o", tmp_path / "out", "--crash-reproducer", name, status=2)
        assert "--crash-reproducer: found" in quench_run.error and found in quench_run.error
