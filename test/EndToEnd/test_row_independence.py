# ===- test_row_independence.py - a token's result is its own ---------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""A result depends neither on threads nor on how many tokens are computed together: the same bits, not about the same.

`score` prints logits with all their digits, so equal numbers are equal bits.
"""

import pytest

PROMPT = "The capital of France is"


@pytest.fixture(params=["i8", "f32"])
def subject(request, oracle):
    """A package, and ids to run it on: fewer where products are exact and slow."""
    name, length = {"i8": ("package", 130), "f32": ("package_f32", 40)}[request.param]
    return request.getfixturevalue(name), oracle["passage"]["ids"][:length]


def test_threads(score, subject):
    package, ids = subject
    one, two, three = (score(package, ids, "--threads", threads, top=50) for threads in (1, 2, 3))
    assert len(one) == len(ids) and len(one[0]["top"]) == 50
    assert one == two == three


def test_rows(score, subject):
    """The last token of a shorter text, alone or with another number of rows, has the logits that it has in the middle
    of a longer one."""
    package, ids = subject
    whole = score(package, ids, top=50)
    for length in (1, 2, 3, 8, 9, 17, 31, len(ids) - 1):
        part = score(package, ids[:length], top=50)
        assert [position["top"] for position in part] == [position["top"] for position in whole[:length]], length


def test_generation(quench_run, package):
    results = [quench_run.json("generate", package, "-p", PROMPT, "-n", 40, "--threads", threads)
               for threads in (1, 2, 3)]
    assert results[0]["token_ids"] == results[1]["token_ids"] == results[2]["token_ids"]
    assert [results[0][key] for key in ("drafted", "accepted")] == [results[2][key] for key in ("drafted", "accepted")]


def test_decoding_and_scoring_agree(quench_run, score, package):
    """Decoding token by token, with drafts, takes the likeliest token of what one pass over the whole text finds."""
    result = quench_run.json("generate", package, "-p", PROMPT, "-n", 40)
    ids = result["prompt_token_ids"] + result["token_ids"]
    best = [position["top"][0][0] for position in score(package, ids, top=1)]
    first = len(result["prompt_token_ids"]) - 1
    assert best[first:-1] == result["token_ids"]
