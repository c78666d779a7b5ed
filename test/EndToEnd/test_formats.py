# ===- test_formats.py - models in every format of weights ------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Random models, whose logits NumPy computes from the weights as another package decodes them."""

import numpy as np
import pytest
from make_tiny_model import MIXED, WIDE, TinyModel
from numpy_llama import NumpyLlama

FORMATS = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"]
TOKENS = np.random.default_rng(5).integers(0, 288, 40).tolist()
PROMPT = "the cat and the dog and the cat and the"


def models():
    for name in FORMATS:
        yield pytest.param(TinyModel(format=name, embedding_format=name, **WIDE), id=name)
    yield pytest.param(TinyModel(formats=MIXED, **WIDE), id="mixed")


@pytest.fixture(scope="module", params=models())
def file(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("formats") / "model.gguf"
    path.write_bytes(request.param.build().build())
    return path


def found(quench_run, file, activations):
    positions = quench_run.json("score", file, "--tokens", ",".join(map(str, TOKENS)), "--top", 288, "--activations", activations)["positions"]
    logits = np.empty((len(TOKENS), 288))
    for row, position in zip(logits, positions):
        for token, logit in position["top"]:
            row[token] = logit
    return logits


def test_logits(quench_run, file):
    expected = NumpyLlama(file).logits(TOKENS)
    spread = np.std(expected)
    exact, integers = (found(quench_run, file, activations) for activations in ("f32", "i8"))
    assert np.abs(exact - expected).max() <= 1e-4 * spread
    # Rounding activations to 8 bits (or keys and values to 16) changes something, but not much: 3 % in such a random
    # model. The exact bounds are in test/Numerics.
    error = np.abs(integers - expected).mean() / spread
    assert 0 < error <= 0.06


def test_speculation_is_lossless(quench_run, file):
    result = quench_run.json("generate", file, "-p", PROMPT, "-n", 48, "--ignore-end", "--check-lossless")
    assert result["lossless"] is True
    assert result["drafted"] > 0
