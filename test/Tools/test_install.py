# ===- test_install.py - cmake --install, and what is in the prefix ----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The example of docs/CompilerTools.md builds projects against a prefix; here is what its programs and files do."""

import os
import re
import subprocess

import numpy as np
import pytest

PROGRAM = """
func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
"""


@pytest.fixture(scope="module")
def prefix(quench_run, tmp_path_factory):
    """Installed somewhere, then moved."""
    folder = tmp_path_factory.mktemp("prefix")
    subprocess.run(["cmake", "--install", quench_run.path.parents[1], "--prefix", folder / "first"], check=True,
                   stdout=subprocess.DEVNULL)
    return (folder / "first").rename(folder / "second")


def call(prefix, folder):
    """@double of four numbers, by the quench-run of the prefix, with a cache of its own."""
    (folder / "double.mlir").write_text(PROGRAM)
    np.save(folder / "x.npy", np.arange(4, dtype=np.float32))
    return subprocess.run([prefix / "bin" / "quench-run", "call", "double.mlir", "@double", "x.npy", "-o", "y.npy"],
                          cwd=folder, env={**os.environ, "QUENCH_CACHE": str(folder / "cache")}, capture_output=True,
                          text=True)


def test_compiler_beside_the_program(prefix, tmp_path):
    done = call(prefix, tmp_path)
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(tmp_path / "y.npy"), [0, 2, 4, 6])


def test_no_other_compiler(prefix, tmp_path):
    """That of the build would not be found in its place."""
    library = next((prefix / "lib").glob("libQuenchCompiler.so.*"))
    aside = library.rename(prefix / "aside")
    done = call(prefix, tmp_path)
    aside.rename(library)
    assert done.returncode == 3
    assert f"{library}: no such file" in done.stderr


def test_definitions(prefix):
    """TableGen reads what was installed, without the source tree."""
    include = prefix / "include"
    done = subprocess.run(["mlir-tblgen-22", "-gen-dialect-decls", "-dialect=quench", "-I", include,
                           "-I", "/usr/lib/llvm-22/include", include / "quench/Dialect/Quench/IR/QuenchOps.td"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "class QuenchDialect" in done.stdout


def test_files(prefix, quench_run):
    """Headers of both halves, none of the inside of programs, and no path of the source or build tree."""
    headers = {str(path.relative_to(prefix / "include")) for path in (prefix / "include").rglob("*") if path.is_file()}
    assert {"quench/Dialect/Quench/IR/QuenchOps.h", "quench/Dialect/Quench/IR/QuenchOps.h.inc", "quench-c/Compiler.h",
            "quench-rt/abi.h", "quench-rt/Decode/Session.h"} <= headers
    assert not [name for name in headers if "/Cli/" in name]
    for package in (prefix / "lib/cmake").rglob("*.cmake"):
        assert str(quench_run.path.parents[1]) not in package.read_text()


def test_version(prefix, tmp_path):
    """Another minor version is not taken for this one."""
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES NONE)\n"
                                             "find_package(QuenchRuntime 0.999 REQUIRED CONFIG)\n")
    done = subprocess.run(["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True)
    assert done.returncode != 0
    assert re.search(r"QuenchRuntimeConfig.cmake, version: 0", done.stderr), done.stderr


def test_search_paths(prefix, quench_run):
    """No program or library, in the prefix or in the build, looks for libraries in the current folder."""
    files = [path for root in (prefix, quench_run.path.parents[1]) for pattern in ("bin/quench-*", "lib/*.so")
             for path in root.glob(pattern)]
    assert len(files) >= 14
    for path in files:
        done = subprocess.run(["/usr/lib/llvm-22/bin/llvm-readelf", "-d", path], check=True, capture_output=True, text=True)
        for found in re.findall(r"R(?:UN)?PATH.*\[(.*)\]", done.stdout):
            assert all(part.startswith(("$ORIGIN", "/")) for part in found.split(":")), f"{path}: {found}"
