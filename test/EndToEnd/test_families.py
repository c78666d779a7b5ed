# ===- test_families.py - model families against another implementation -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""A small random model of each family, and what Hugging Face transformers computed in float32 from the same weights
(test/support/make_family_models.py). Prompts are longer than windows and pages.
"""

import json
import pathlib

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).parent / "data" / "families"
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.json"))
# Of logits of about 1. In float32 only the order of additions differs; each family is within 2e-5.
EXACT = 1e-4
# Rounding activations to 8 bits in blocks of 32 changes logits by some hundredths of their deviation.
ROUNDED = 0.1


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.fixture(scope="module")
def answers(family):
    return json.loads((FOLDER / f"{family}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def packages(quench_run, family, tmp_path_factory):
    """The model compiled in both modes."""
    folder = tmp_path_factory.mktemp(family)
    for mode in ("f32", "i8"):
        quench_run("compile", FOLDER / f"{family}.gguf", "-o", folder / mode, "--activations", mode)
    return folder


def logits_of(score, package, answers):
    """What is computed and what is expected, one row for each stored position."""
    positions = score(package, answers["prompt_ids"], top=len(answers["logits"][0][1]))
    found = np.array([[logit for _, logit in sorted(positions[position]["top"])] for position, _ in answers["logits"]])
    return found, np.array([row for _, row in answers["logits"]])


def test_exact_logits(score, packages, answers):
    found, expected = logits_of(score, packages / "f32", answers)
    assert np.abs(found - expected).max() <= EXACT


def test_integer_logits(score, packages, answers):
    found, expected = logits_of(score, packages / "i8", answers)
    difference = np.abs(found - expected)
    assert difference.mean() <= ROUNDED * expected.std()
    # Weights in block formats were multiplied with integers, or the test shows nothing.
    assert difference.max() > EXACT


def test_greedy_tokens_with_and_without_drafts(quench_run, packages, answers):
    count = len(answers["greedy_ids"])
    arguments = ["-p", answers["prompt"], "-n", count, "--ignore-end"]
    plain = quench_run.json("generate", packages / "f32", *arguments, "--speculate", "off")
    assert plain["prompt_token_ids"] == answers["prompt_ids"]
    assert plain["token_ids"] == answers["greedy_ids"]
    for mode in ("f32", "i8"):
        # Exit status 3 if tokens, bits of logits or the cache differ.
        result = quench_run.json("generate", packages / mode, *arguments, "--check-lossless", "--draft-tokens", 7)
        assert result["lossless"] is True and result["drafted"] > 0
        assert mode == "i8" or result["token_ids"] == answers["greedy_ids"]
