# ===- test_warm_start.py - what a start without compiling needs ------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The compiler is not in the process that runs a model, and the process is about as large as the model."""

import os
import pathlib
import re
import signal
import subprocess

import pytest

PROMPT = "The capital of France is"
MEGABYTE = 1_000_000


def maps_while_generating(tool, *arguments):
    """The files mapped into `quench-run generate` when its first text has appeared."""
    command = [tool.path, "generate", *map(str, arguments), "-n", "400", "--ignore-end"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(1), process.stderr.read()
        os.kill(process.pid, signal.SIGSTOP)
        try:
            maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
        finally:
            process.kill()
    return {line.split(maxsplit=5)[5] for line in maps.splitlines() if len(line.split(maxsplit=5)) == 6}


def peak_memory(tool, *arguments):
    """Bytes that a run, and a process that it waited for, had resident at most, mapped pages included."""
    with subprocess.Popen([tool.path, *map(str, arguments)], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss * 1024


@pytest.fixture(scope="module")
def warm_model(quench_run, model):
    """The model as a GGUF file that was run once."""
    timings = quench_run.json("generate", model, "-p", PROMPT, "-n", 2, "--timings")["timings"]
    assert timings["start"] == "cold" and timings["kernels"] and timings["compiler"]
    return model


@pytest.mark.parametrize("kind", ["gguf", "package"])
def test_compiler_is_not_mapped(request, quench_run, kind):
    subject = request.getfixturevalue("warm_model" if kind == "gguf" else "package")
    quench_run("generate", subject, "-p", PROMPT, "-n", 2)
    names = maps_while_generating(quench_run, subject, "-p", PROMPT)
    # The program itself is there, so the list means something.
    assert str(quench_run.path) in names
    assert [name for name in names if re.search(r"LLVM|MLIR|lld|QuenchCompiler", name)] == []


def test_nothing_is_compiled(quench_run, warm_model):
    timings = quench_run.json("generate", warm_model, "-p", PROMPT, "-n", 2, "--timings")["timings"]
    assert timings["start"] == "warm" and timings["kernels"] == [] and timings["compiler"] == []
    assert timings["first_token"] > 0
    stages = {stage["name"] for stage in timings["stages"]}
    assert "read weights" in stages and "compile" not in stages and "pack weights" not in stages


@pytest.mark.parametrize("kind", ["gguf", "package", "package_f32"])
def test_memory(request, quench_run, model, kind):
    subject = request.getfixturevalue("warm_model" if kind == "gguf" else kind)
    tokens = 600 if kind != "package_f32" else 10
    options = ["-p", PROMPT, "-n", tokens, "--ignore-end"]
    quench_run("generate", subject, "-p", PROMPT, "-n", 1)
    element = 4 if kind == "package_f32" else 2
    cache = 30 * 3 * 64 * 2 * element * (tokens + 5)  # layers, heads, channels, keys and values
    assert peak_memory(quench_run, "generate", subject, *options) <= 1.3 * model.stat().st_size + cache + 250 * MEGABYTE


def test_memory_of_a_cold_start(quench_run, model, tmp_path):
    """The same with everything to be compiled and packed first, the compiler's process included."""
    environment = {"QUENCH_CACHE": str(tmp_path / "cache")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUENCH_CACHE", environment["QUENCH_CACHE"])
        peak = peak_memory(quench_run, "generate", model, "-p", PROMPT, "-n", "4")
    assert (tmp_path / "cache" / "code").is_dir()
    assert peak <= 1.3 * model.stat().st_size + 250 * MEGABYTE
