# ===- test_c_api.py - libquench-rt.so as a program in C has it -------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The example of docs/Embedding.md, and what the library shows to the outside. Its functions are tested in
test/Runtime/CApi."""

import os
import pathlib
import re
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "runtime" / "include" / "quench-rt" / "quench.h"
PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def library(quench_run):
    return quench_run.path.parents[1] / "lib" / "libquench-rt.so"


@pytest.fixture(scope="module")
def example(library, tmp_path_factory):
    program = tmp_path_factory.mktemp("example") / "continue"
    subprocess.run(["clang-22", "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", ROOT / "examples/embedding/continue.c", "-o",
                    program, f"-I{HEADER.parents[1]}", library, f"-Wl,-rpath,{library.parent}"], check=True)
    return program


def run(program, *arguments, **options):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=600, **options)


@pytest.mark.parametrize("kind", ["package", "model"])
def test_same_text(request, quench_run, example, kind):
    """As quench-run, from a package and from a GGUF file, which the library has compiled."""
    path = request.getfixturevalue(kind)
    done = run(example, path, PROMPT, 24)
    assert done.returncode == 0, done.stderr
    assert done.stdout == quench_run("generate", path, "-p", PROMPT, "-n", 24)
    assert re.fullmatch(r"24 tokens in [\d.]+ s, \d+ drafted, \d+ accepted\n", done.stderr)


def test_errors(example, tmp_path):
    done = run(example, tmp_path / "none", PROMPT)
    assert done.returncode == 1
    assert done.stderr == f"error: {tmp_path}/none: No such file or directory, expected a package folder or a GGUF file\n"


def test_cancelled_by_a_signal(example, package):
    with subprocess.Popen([example, package, "Once upon a time", "8000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.read(1)
        os.kill(process.pid, signal.SIGINT)
        text, report = process.communicate(timeout=60)
    assert process.returncode == 0 and text.endswith(b"\n")
    assert 0 < int(report.split()[0]) < 8000


def test_symbols(library):
    """Those of the header and no others: a host may have another version of what is inside."""
    text = subprocess.run(["llvm-nm-22", "-D", "--defined-only", "--format=just-symbols", library], check=True, capture_output=True,
                          text=True).stdout
    assert set(text.split()) == set(re.findall(r"^QRT_API .*?\b(qrt_\w+)\(", HEADER.read_text(encoding="utf-8"), re.M))


def test_needed_libraries(library):
    text = subprocess.run(["llvm-readelf-22", "-d", library], check=True, capture_output=True, text=True).stdout
    assert "Library soname: [libquench-rt.so.0.1]" in text
    needed = re.findall(r"NEEDED.*\[(.+)\]", text)
    assert needed and not [name for name in needed if re.search("LLVM|MLIR|lld|Quench", name)]
