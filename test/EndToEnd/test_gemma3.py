# ===- test_gemma3.py - Gemma 3 against another implementation --------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Gemma 3 270M as it is published: block formats that differ within a layer, a vocabulary of 262,144. As
test_oracle.py does for the example model; what a text longer than the window does is in test_families.py.
"""

import shutil
import statistics

import pytest
from stored_answers import TOLERANCE, differences, mean_loss


@pytest.fixture(scope="module", params=["f32", "i8"])
def mode(request):
    return request.param


@pytest.fixture(scope="module")
def package(quench_run, gemma3, mode, tmp_path_factory):
    path = tmp_path_factory.mktemp("gemma3") / mode
    quench_run("compile", gemma3, "-o", path, "--activations", mode)
    yield path
    shutil.rmtree(path)


def test_logits(score, package, mode, gemma3_oracle):
    found = []
    for case in gemma3_oracle["cases"]:
        # Of a vocabulary of this size more are close together than of a small one.
        positions = score(package, case["prompt_ids"], top=32 if mode == "f32" else 2000)
        found += differences(positions, case["top8"])
    if mode == "f32":
        assert max(found) <= TOLERANCE
    else:
        assert statistics.fmean(found) <= 0.25
        assert TOLERANCE < max(found) <= 2


def test_loss(score, package, mode, gemma3_oracle):
    passage = gemma3_oracle["passage"]
    positions = score(package, passage["ids"])
    assert [position["token"] for position in positions] == passage["ids"]
    assert mean_loss(positions) == pytest.approx(passage["mean_nll"], abs=TOLERANCE if mode == "f32" else 0.01)
    if mode == "f32":
        for position, loss in zip(positions, passage["nll"]):
            assert position["nll_of_next"] == pytest.approx(loss, abs=2 * TOLERANCE)


def test_greedy_text(quench_run, package, mode, gemma3_oracle):
    drafted = 0
    for case in gemma3_oracle["cases"]:
        # Exit status 3 if tokens, bits of logits or the cache differ between drafts and none.
        result = quench_run.json("generate", package, "-p", case["prompt"], "-n", 48, "--check-lossless")
        assert result["lossless"] is True
        drafted += result["drafted"]
        if mode == "f32":
            assert result["token_ids"] == case["greedy_ids"], case["prompt"]
            assert result["text"] == case["greedy_text"].removesuffix("<eos>")
    assert drafted > 0
