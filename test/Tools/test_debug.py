# ===- test_debug.py - quench-run debug --------------------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""What each layer computes, and the first tensor at which two runs part."""

import numpy as np
import pytest
from make_tiny_model import TinyModel

IDS = [5, 6, 7, 8, 9, 5, 6]
TOKENS = ["--tokens", ",".join(map(str, IDS))]
NAMES = ["embedding", "blk.0", "blk.1", "blk.2", "output_norm", "logits"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model, and the same one but for the weights of its layer 1."""
    folder = tmp_path_factory.mktemp("debug")
    (folder / "model.gguf").write_bytes(TinyModel(layers=3).build().build())
    other = TinyModel(layers=3).build()
    for tensor in other.tensors:
        if tensor.name == "blk.1.ffn_norm.weight":
            tensor.data = (np.frombuffer(tensor.data, np.float32) * np.float32(1.25)).tobytes()
    (folder / "other.gguf").write_bytes(other.build())
    return folder


@pytest.fixture
def debug(quench_run, files):
    return lambda *options, **keywords: quench_run.json("debug", files / "model.gguf", *TOKENS, *options, **keywords)


@pytest.fixture
def refused(quench_run, files):
    def call(*options, status=1):
        assert quench_run("debug", files / "model.gguf", *TOKENS, *options, status=status) == ""
        return quench_run.error

    return call


def test_tensors(debug, files, quench_run):
    tensors = debug()["tensors"]
    assert [tensor["name"] for tensor in tensors] == NAMES
    assert all(tensor["largest"] >= tensor["root_mean_square"] > 0 and tensor["not_finite"] == 0 for tensor in tensors)
    text = quench_run("debug", files / "model.gguf", *TOKENS)
    assert [line.split()[0] for line in text.splitlines()[1:]] == NAMES


def test_the_last_tensor_is_what_score_says(debug, quench_run, files, tmp_path):
    """A trace runs the same code: its logits have the same bits."""
    debug("--dump", tmp_path / "trace")
    logits = np.load(tmp_path / "trace" / "logits.npy")
    assert sorted(path.name for path in (tmp_path / "trace").iterdir()) == sorted(f"{name}.npy" for name in NAMES)
    scores = quench_run.json("score", files / "model.gguf", *TOKENS, "--top", 1000)["positions"]
    assert logits.shape == (len(IDS), len(scores[0]["top"]))
    for row, score in zip(logits, scores):
        assert all(np.float32(logit) == row[token] for token, logit in score["top"])


@pytest.mark.parametrize("against", ["portable", "i8"])
def test_the_same(debug, against):
    result = debug("--against", against)
    assert result["first_divergence"] is None and all(tensor["same_bits"] for tensor in result["tensors"])


def test_layer_that_differs(debug, files, quench_run):
    result = debug("--against", f"model={files / 'other.gguf'}", status=1)
    assert result["first_divergence"] == "blk.1"
    assert [tensor["name"] for tensor in result["tensors"] if tensor["same_bits"]] == ["embedding", "blk.0"]
    assert "tensor 'blk.1' is the first that differs" in quench_run.error


def test_tolerance(debug):
    result = debug("--against", "f32", status=1)
    most = max(tensor["difference"] / tensor["largest"] for tensor in result["tensors"])
    assert 0 < most < 0.1
    assert debug("--against", "f32", "--tolerance", most * 1.01)["first_divergence"] is None
    debug("--against", "f32", "--tolerance", most * 0.99, status=1)


def test_reference(debug, refused, tmp_path):
    """Another program's arrays, not all of them there."""
    debug("--dump", tmp_path / "trace", "--threads", 1)
    assert debug("--threads", 2, "--against", tmp_path / "trace")["first_divergence"] is None
    (tmp_path / "trace" / "blk.0.npy").unlink()
    changed = np.load(tmp_path / "trace" / "blk.2.npy")
    changed[3, 7] = np.nan
    np.save(tmp_path / "trace" / "blk.2.npy", changed)
    result = debug("--against", tmp_path / "trace", "--tolerance", 1, status=1)
    assert [tensor["name"] for tensor in result["tensors"]] == [name for name in NAMES if name != "blk.0"]
    assert result["first_divergence"] == "blk.2"
    found = next(tensor for tensor in result["tensors"] if tensor["name"] == "blk.2")
    assert (found["row"], found["column"], found["difference"]) == (3, 7, None)
    np.save(tmp_path / "trace" / "blk.2.npy", changed[:3])
    assert "tensor 'blk.2': has 3 rows of 64 numbers, expected 7 of 64" in refused("--against", tmp_path / "trace")
    np.save(tmp_path / "trace" / "blk.2.npy", changed.astype(np.float64))
    assert "blk.2.npy" in refused("--against", tmp_path / "trace")


@pytest.mark.parametrize("options, status, message", [
    (["--against", "what"], 2, "--against: found 'what', expected portable, f32, i8, target=CPU, model=MODEL or a folder"),
    (["--against", "f32", "--tolerance", "-1"], 2, "--tolerance: found -1, expected 0 (the same bits) or a positive number"),
    (["--against", "EMPTY"], 1, "has no file of a traced tensor, such as embedding.npy"),
    (["--dump", "FULL"], 1, "is not empty, expected a new or an empty folder"),
])
def test_refusals(refused, tmp_path, options, status, message):
    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "FULL").mkdir()
    (tmp_path / "FULL" / "mine").touch()
    options = [tmp_path / option if option.isupper() else option for option in options]
    assert message in refused(*options, status=status)


def test_tokens_outside_of_the_vocabulary(quench_run, files):
    quench_run("debug", files / "model.gguf", "--tokens", "1,5000", status=1)
    assert "token 5000: expected 0 to 287" in quench_run.error


def test_later_use_of_the_model(quench_run, files, tmp_path):
    """A traced program is not what other commands find in the cache."""
    env = {"QUENCH_CACHE": str(tmp_path / "cache")}
    quench_run("debug", files / "model.gguf", *TOKENS, env=env)
    quench_run("debug", files / "model.gguf", *TOKENS, env=env)
    assert quench_run.error == ""
    assert len(quench_run.json("score", files / "model.gguf", *TOKENS, env=env)["positions"]) == len(IDS)
