# ===- test_program.py - a package's program is what runs -------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Print a package's program, change one number in the text, compile that: the change shows, and nothing else does."""

import json
import shutil

import pytest

TEXT = "Monday, Tuesday, Wednesday, Thursday, Friday.\n" * 4 + "Monday, Tuesday,"


@pytest.fixture(scope="module")
def program(quench_opt, package):
    return quench_opt(package / "program.mlirbc")


@pytest.fixture
def edited(quench_run, package, program, tmp_path):
    """edited(old, new) is a package of the changed program."""
    def call(old, new):
        assert program.count(old) > 0
        path = tmp_path / "edited.mlir"
        path.write_text(program.replace(old, new))
        quench_run("compile", path, "--from", package, "-o", tmp_path / "new")
        return tmp_path / "new"

    yield call
    shutil.rmtree(tmp_path / "new", ignore_errors=True)


def test_nothing_changed(quench_run, package, edited):
    """The way through text loses nothing: the same program, the same weights, the same tokenizer."""
    new = edited("", "")
    for name in ("tokenizer.json", "weights.safetensors"):
        assert (new / name).read_bytes() == (package / name).read_bytes()
    old_manifest, new_manifest = (json.loads((p / "manifest.json").read_text()) for p in (package, new))
    for key in ("name", "architecture", "context_length", "activations", "vocabulary_size"):
        assert new_manifest[key] == old_manifest[key], key
    # Code is found by the program, without the names and places that text does not keep.
    assert [path.name for path in new.glob("lib/*/*.so")] == [path.name for path in package.glob("lib/*/*.so")]
    old, new = (quench_run.json("score", p, "-p", TEXT, "--top", 20) for p in (package, new))
    assert old == new


def test_epsilon_of_the_norms(quench_run, package, edited):
    new = edited("eps(9.99999974E-6", "eps(1.000000e-02")
    old_top, new_top = (
        [dict(map(tuple, position["top"])) for position in
         quench_run.json("score", p, "-p", TEXT, "--top", 20)["positions"]] for p in (package, new))
    for old, changed in zip(old_top, new_top):
        common = old.keys() & changed.keys()
        assert len(common) >= 5, "the model is still a model"
        assert all(old[token] != changed[token] for token in common)


def test_draft_limit(quench_run, package, edited):
    """Semantics: BOUND-3"""
    new = edited("max 7)", "max 2)")
    options = ("-p", TEXT, "-n", 32, "--draft-tokens", 7)
    wide, narrow = (quench_run.json("generate", p, *options) for p in (package, new))
    assert narrow["text"] == wide["text"] and narrow["token_ids"] == wide["token_ids"]
    assert narrow["drafted"] != wide["drafted"] and narrow["rounds"] > wide["rounds"]
    # At most two drafted tokens and one more in each round.
    assert narrow["drafted"] <= 2 * narrow["rounds"] and 32 <= 3 * narrow["rounds"]
    assert 32 > 3 * wide["rounds"]
