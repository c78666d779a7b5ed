# ===- test_keep_code.py - symbols of compiled code, for perf and debuggers --===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""perf finds the name of a function by the file that a mapping names, and that file's symbol table."""

import os
import pathlib
import re
import subprocess
import time

import pytest

LLVM = pathlib.Path("/usr/lib/llvm-22/bin")


def functions(library):
    """name: (address, bytes)"""
    lines = subprocess.run([LLVM / "llvm-nm", "--print-size", library], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"(?m)^(\w+) (\w+) [tT] (\S+)$", lines)
    return {name: (int(address, 16), int(size, 16)) for address, size, name in found}


@pytest.fixture(scope="module")
def kept(quench_run, package, tmp_path_factory):
    """The code of a run, and the kernels that the model has."""
    folder = tmp_path_factory.mktemp("code")
    quench_run("generate", package, "-p", "Once", "-n", 1, "--keep-code", folder)
    [library] = folder.iterdir()
    return library, [kernel["name"] for kernel in quench_run.json("inspect", package)["kernels"]]


def test_symbols(kept):
    """Kernels by what they do, layers by the function of their kind, entries; together all of the code."""
    library, kernels = kept
    found = functions(library)
    assert len(kernels) > 1 and set(kernels) <= set(found)
    assert {"block_0", "layers_0_7", "trunk", "logits", "round"} <= set(found)
    assert all(size > 0 for _, size in found.values())
    sections = subprocess.run([LLVM / "llvm-size", "-A", library], check=True, capture_output=True, text=True).stdout
    text = int(re.search(r"(?m)^\.text +(\d+)", sections)[1])
    assert sum(size for _, size in found.values()) > 0.99 * text


def test_addresses(kept):
    library, kernels = kept
    for name, (address, size) in functions(library).items():
        inside = f"{address + size // 2:#x}"
        shown = subprocess.run([LLVM / "llvm-symbolizer", "--obj", library, inside], check=True, capture_output=True, text=True).stdout
        assert shown.splitlines()[0] == name


def test_mapping(quench_run, package, tmp_path):
    """Where perf looks: the mappings of the process while it runs."""
    code = tmp_path / "code"
    code.mkdir()
    process = subprocess.Popen([quench_run.path, "bench", package, "--repeat", "100", "--keep-code", code],
                               stdout=subprocess.DEVNULL, env=os.environ)
    try:
        deadline = time.monotonic() + 300
        executable = []
        while not executable and process.poll() is None and time.monotonic() < deadline:
            maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
            executable = re.findall(r"(?m)^\S+ r-xp .* (\S*quench-code\S*)$", maps)
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    assert executable == [str(next(code.iterdir()))]


def test_no_folder(quench_run, package, tmp_path):
    quench_run("generate", package, "-p", "Once", "-n", 1, "--keep-code", tmp_path / "none", status=3)
    assert f"{tmp_path}/none: cannot make a file for the code: No such file or directory" in quench_run.error
