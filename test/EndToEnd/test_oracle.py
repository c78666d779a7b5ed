# ===- test_oracle.py - logits and text of another implementation -----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The example model against answers that another implementation gave in float32.

With exact products nothing but the order of float additions differs. With activations of 8 bits the differences are
those of rounding activations to blocks of 32 integers, of which peers show as much.
"""

import statistics

import pytest
from stored_answers import TOLERANCE, differences, mean_loss


@pytest.fixture(scope="module")
def passage_f32(score, package_f32, oracle):
    return score(package_f32, oracle["passage"]["ids"])


def test_exact_logits(score, package_f32, oracle):
    for case in oracle["cases"]:
        # A few more than 8, where the eighth and ninth are equal up to the tolerance.
        positions = score(package_f32, case["prompt_ids"], top=32)
        assert max(differences(positions, case["top8"])) <= TOLERANCE, case["prompt"]


def test_exact_greedy_text(quench_run, package_f32, oracle):
    for case in oracle["cases"]:
        result = quench_run.json("generate", package_f32, "-p", case["prompt"], "-n", 48)
        assert result["token_ids"] == case["greedy_ids"], case["prompt"]
        assert result["text"] == case["greedy_text"].removesuffix("<|im_end|>")
        assert result["stop_reason"] == ("end" if len(case["greedy_ids"]) < 48 else "length")


def test_exact_loss(passage_f32, oracle):
    passage = oracle["passage"]
    assert [position["token"] for position in passage_f32] == passage["ids"]
    assert mean_loss(passage_f32) == pytest.approx(passage["mean_nll"], abs=TOLERANCE)
    for position, loss in zip(passage_f32, passage["nll"]):
        # A loss is a logit and the logarithm of a sum over all of them.
        assert position["nll_of_next"] == pytest.approx(loss, abs=2 * TOLERANCE)


def test_integer_logits(score, package, oracle):
    found = [difference for case in oracle["cases"]
             for difference in differences(score(package, case["prompt_ids"], top=1000), case["top8"])]
    assert statistics.fmean(found) <= 0.25
    assert max(found) <= 2


def test_integer_loss(score, package, passage_f32, oracle):
    positions = score(package, oracle["passage"]["ids"])
    assert mean_loss(positions) == pytest.approx(oracle["passage"]["mean_nll"], abs=0.01)
    # The two modes are different programs, or one of the tests above shows nothing.
    assert positions[0]["top"] != passage_f32[0]["top"]
