#===- conftest.py - what the tests in Python share ------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Fixtures: the tools of a build, the example model, and text.

QUENCH_BUILD names the build folder (default: build/ of this checkout), QUENCH_CACHE the cache folder that keeps
the model and the text between runs, as in the scripts. The tools get a cache folder of their own, empty at first and
gone at the end, so that no test depends on what an earlier run has compiled.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("QUENCH_BUILD", ROOT / "build")).resolve()


def cache_folder():
    """The cache folder, found as the scripts and the tools find it."""
    named = os.environ.get("QUENCH_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(named) if named else pathlib.Path(base) / "quench"


DOWNLOADS = cache_folder()


def output_of(script, folder, *arguments):
    """Runs a script that fetches something into a folder and prints its path."""
    done = subprocess.run([sys.executable, str(ROOT / script), str(folder), *arguments], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"{script} failed"
    return pathlib.Path(done.stdout.strip())


class Tool:
    """A program of the build. A call returns its standard output and fails the test if the exit status differs
    from `status`; `error` then is what the last call wrote to standard error."""

    def __init__(self, name):
        self.path = BUILD / "bin" / name
        self.error = ""

    def __call__(self, *arguments, status=0, env=None, timeout=600):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, encoding="utf-8", errors="replace", timeout=timeout,
                              env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL)
        self.error = done.stderr
        assert done.returncode == status, f"{self.path.name} {' '.join(map(str, arguments))}\n{done.stderr}"
        return done.stdout

    def json(self, *arguments, **options):
        """The object that a call with --json prints."""
        return json.loads(self(*arguments, "--json", **options))


@pytest.fixture(scope="session")
def quench_run():
    return Tool("quench-run")


@pytest.fixture(scope="session")
def python_package(tmp_path_factory):
    """A folder for sys.path with the package of python/, made as `pip install` makes it. It has the libraries of the build."""
    folder = tmp_path_factory.mktemp("python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    environment = {**os.environ, "QUENCH_BUILD": str(BUILD), "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}
    for arguments in (["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, f"--config-settings=build-dir={BUILD}/python",
                       ROOT / "python"],
                      ["install", "--no-deps", "--no-index", "--find-links", folder, "--target", folder / "site", "quench"]):
        done = subprocess.run([*pip, *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
    yield folder / "site"
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def quench_opt():
    return Tool("quench-opt")


@pytest.fixture(scope="session")
def quench_import():
    return Tool("quench-import")


@pytest.fixture(scope="session")
def quench_lsp_server():
    return Tool("quench-lsp-server")


@pytest.fixture(scope="session")
def model():
    """SmolLM2-135M-Instruct (Q4_1) as a GGUF file."""
    return output_of("cmake/fetch_model.py", DOWNLOADS / "models")


@pytest.fixture(scope="session")
def gemma3():
    """Gemma 3 270M, pretrained (Q4_K_M), as a GGUF file."""
    return output_of("cmake/fetch_model.py", DOWNLOADS / "models", "gemma3")


@pytest.fixture(scope="session")
def eval_text():
    """157 kB of English prose, the same on every machine; the tests of perplexity read its first 100,000 bytes."""
    return output_of("test/support/handbook_text.py", DOWNLOADS / "text")


@pytest.fixture(scope="session", autouse=True)
def tool_cache(tmp_path_factory):
    """The cache folder of the tools."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUENCH_CACHE", str(folder))
        yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def package(quench_run, model, tmp_path_factory):
    """The example model compiled with the default options; a folder to read, not to change."""
    path = tmp_path_factory.mktemp("package") / "smollm2"
    quench_run("compile", model, "-o", path)
    yield path
    shutil.rmtree(path)
