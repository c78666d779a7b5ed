# ===- test_memory.py - plans before memory is taken -------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""A model whose context would need more memory than there is."""

import os
import resource
import subprocess

import pytest
from make_tiny_model import TinyModel

CONTEXT = 1 << 24
LIMIT = 1 << 31


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    path = tmp_path_factory.mktemp("memory") / "long.gguf"
    path.write_bytes(TinyModel(context=CONTEXT).build().build())
    return path


def limited(tool, *arguments, limit=LIMIT):
    """Exit status and both outputs of a run that may map so many bytes."""
    done = subprocess.run([tool.path, *map(str, arguments)], capture_output=True, encoding="utf-8", errors="replace", stdin=subprocess.DEVNULL, env=os.environ,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    return done.returncode, done.stdout, done.stderr


def test_plan(quench_run, long):
    memory = quench_run.json("inspect", long)["memory"]
    assert memory["cache"] == CONTEXT * memory["cache_per_token"] > LIMIT
    assert memory["weights"] > 0 and memory["workspace"] > 0 and memory["logits"] > 0
    assert f"cache, {CONTEXT} tokens" in quench_run("inspect", long)
    assert "memory" not in quench_run.json("inspect", long, "--no-kernels")


def test_default_context(quench_run, long):
    """What fits is enough for this text."""
    plain = quench_run("generate", long, "-p", "to be or not", "-n", 8)
    status, text, error = limited(quench_run, "generate", long, "-p", "to be or not", "-n", 8)
    assert status == 0 and text == plain
    assert "note: the context is limited to " in error and f" tokens: {CONTEXT} would need " in error


def test_context_that_was_asked_for(quench_run, long):
    status, text, error = limited(quench_run, "generate", long, "-p", "to be or not", "-n", 8, "--context", CONTEXT)
    assert status == 3 and text == ""
    assert f"--context: not enough memory: {CONTEXT} tokens need " in error
    most = int(error.rsplit("expected at most ", 1)[1])
    assert limited(quench_run, "generate", long, "-p", "to be or not", "-n", 8, "--context", most // 2)[0] == 0
