# ===- test_lossless.py - drafts change the speed and nothing else ----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The example model with drafts and without: the same ids, logits and text, whatever ends a generation and wherever.

Each test also makes sure that there were drafts, and where it matters that some were accepted or some were not.
Semantics: SPEC-4, CACHE-1
"""

import pytest
from make_tiny_model import TinyModel

DAYS = "Monday, Tuesday, Wednesday, Thursday, Friday.\n" * 4 + "Monday, Tuesday,"
# The model ends each line with the token that ends a text, and drafts contain it.
ENDED_COLOURS = "red, green, blue, yellow<|im_end|>\n" * 2 + "red, green,"
REPEAT = ("<|im_start|>user\nRepeat this text exactly: The quick brown fox jumps over the lazy dog near the old stone bridge "
          "while seven grey geese fly slowly south.<|im_end|>\n<|im_start|>assistant\n")


@pytest.fixture
def both(quench_run, package):
    """both(*options) runs without and with drafts, checks that the results are the same, and returns the second."""
    def call(*options, model=package):
        plain = quench_run.json("generate", model, *options, "--speculate", "off")
        assert plain["drafted"] == plain["accepted"] == 0
        drafted = quench_run.json("generate", model, *options, "--draft-tokens", 7)
        for key in ("token_ids", "text", "stop_reason", "prompt_token_ids"):
            assert drafted[key] == plain[key], key
        return drafted

    return call


def test_prompts(quench_run, package, oracle):
    drafted = accepted = 0
    for prompt in [REPEAT, DAYS, *(case["prompt"] for case in oracle["cases"])]:
        plain = quench_run.json("generate", package, "-p", prompt, "-n", 48, "--speculate", "off")
        # Exit status 3 if tokens, bits of logits or the cache differ.
        result = quench_run.json("generate", package, "-p", prompt, "-n", 48, "--check-lossless")
        assert result["lossless"] is True and result["cache_hash"] == result["plain_cache_hash"]
        assert result["token_ids"] == plain["token_ids"] and result["text"] == plain["text"]
        # Accepted drafts beyond the end of the text are none.
        assert len(result["token_ids"]) <= result["rounds"] + result["accepted"]
        assert result["rounds"] + result["accepted"] <= len(result["token_ids"]) + 1
        drafted += result["drafted"]
        accepted += result["accepted"]
    # Some drafts were right and some were wrong.
    assert 0 < accepted < drafted


def test_exact_products(quench_run, package_f32):
    result = quench_run.json("generate", package_f32, "-p", DAYS, "-n", 12, "--check-lossless", "--draft-tokens", 7)
    assert result["lossless"] is True and result["accepted"] >= 7


def test_proof_covers_what_it_says(quench_run, package):
    """The hash of the cache depends on the tokens in it and on nothing else."""
    def run(n, *options):
        return quench_run.json("generate", package, "-p", DAYS, "-n", n, "--check-lossless", *options)["cache_hash"]

    assert run(8) == run(8, "--draft-tokens", 2, "--threads", 1) != run(9)


def test_stop_string_across_tokens(quench_run, package, both):
    full = both("-p", DAYS, "-n", 24)
    assert full["accepted"] >= 14
    pieces = [quench_run.json("tokenize", package, "--decode", token)["text"] for token in full["token_ids"]]
    assert "".join(pieces) == full["text"]
    stopped_inside = 0
    for before, after in [(0, 1), (1, 2), (3, 4), (5, 6), (8, 9)]:
        # The end of one token and the start of the next.
        stop = pieces[before][-1:] + pieces[after][:2]
        result = both("-p", DAYS, "-n", 24, "--stop", stop)
        end = full["text"].index(stop)
        assert result["stop_reason"] == "stop" and result["text"] == full["text"][:end]
        stopped_inside += result["rounds"] < len(result["token_ids"])
    assert stopped_inside > 0, "no stop string ended an accepted run"


def test_stop_string_that_does_not_come(both):
    """What might begin a stop string is held back, and appears after all."""
    result = both("-p", DAYS, "-n", 24, "--stop", "Friday.\nMonday, Wednesday", "--stop", "Thursday, Friday\n")
    assert result["stop_reason"] == "length" and "Thursday, Friday.\nMonday, Tuesday" in result["text"]
    assert result["accepted"] > 0


def test_end_inside_an_accepted_run(both):
    result = both("-p", ENDED_COLOURS, "-n", 30)
    assert result["stop_reason"] == "end"
    assert result["token_ids"][-1] == 2 and result["text"] == " blue, yellow"
    # One round: all tokens were drafted and accepted, the last one too, and the draft went on behind it.
    assert result["rounds"] == 1 and result["accepted"] == len(result["token_ids"]) == 4
    assert result["drafted"] > result["accepted"]
    longer = both("-p", ENDED_COLOURS, "-n", 30, "--ignore-end")
    assert longer["token_ids"][:4] == result["token_ids"] and len(longer["token_ids"]) == 30


@pytest.mark.parametrize("left", range(1, 10))
def test_draft_longer_than_the_context(quench_run, package, both, left):
    prompt = len(quench_run.json("tokenize", package, "-p", DAYS)["ids"])
    result = both("-p", DAYS, "--context", prompt + left)
    assert result["stop_reason"] == "context" and len(result["token_ids"]) == left
    # The last token needs no draft, and the one before it has room for one.
    assert (result["drafted"] > 0) == (left > 1)


@pytest.mark.parametrize("n", range(1, 10))
def test_draft_longer_than_the_tokens_left(both, n):
    result = both("-p", DAYS, "-n", n)
    assert result["stop_reason"] == "length" and len(result["token_ids"]) == n


def test_package_with_a_small_context(quench_run, both, tmp_path):
    """The same at the end of the context that was compiled in."""
    (tmp_path / "tiny.gguf").write_bytes(TinyModel(seed=3).build().build())
    quench_run("compile", tmp_path / "tiny.gguf", "-o", tmp_path / "tiny", "--context", 48)
    result = both("-p", "to be or not to be", "--ignore-end", model=tmp_path / "tiny")
    assert result["stop_reason"] == "context"
    assert len(result["prompt_token_ids"]) + len(result["token_ids"]) == 48
    assert result["drafted"] > 0
    quench_run("generate", tmp_path / "tiny", "-p", "to be or not to be", "-n", 48, status=1)
    assert "48" in quench_run.error and quench_run.error.count("\n") == 1


SAMPLING = {
    "repeat penalty": ["--repeat-penalty", "1.1"],
    "frequency and presence": ["--frequency-penalty", "0.05", "--presence-penalty", "0.1", "--repeat-last-n", "16"],
    "bias and log-probabilities": ["--logit-bias", "0-inf", "--logprobs", "5"],
    "temperature": ["--temp", "0.6", "--seed", "1"],
    "everything": ["--temp", "0.5", "--seed", "2", "--top-k", "50", "--top-p", "0.9", "--min-p", "0.02", "--repeat-penalty", "1.02",
                   "--frequency-penalty", "0.01", "--presence-penalty", "0.02", "--logit-bias", "30+0.1", "--logprobs", "1"],
}


@pytest.mark.parametrize("options", SAMPLING.values(), ids=SAMPLING)
def test_sampling(both, quench_run, package, options):
    """A choice among all logits, whatever decides it, is the same with drafts and without."""
    accepted = rejected = 0
    for prompt in (DAYS, REPEAT):
        result = both("-p", prompt, "-n", 48, "--ignore-end", *options)
        proof = quench_run.json("generate", package, "-p", prompt, "-n", 48, "--ignore-end", "--check-lossless", "--threads", 1, *options)
        assert proof["lossless"] is True and proof["token_ids"] == result["token_ids"]
        accepted += result["accepted"]
        rejected += result["drafted"] - result["accepted"]
    assert accepted > 0 and rejected > 0


def test_all_logits_and_the_fused_choice_agree(quench_run, package, oracle):
    for case in oracle["cases"]:
        fused = quench_run.json("generate", package, "-p", case["prompt"], "-n", 24)
        assert quench_run.json("generate", package, "-p", case["prompt"], "-n", 24, "--logprobs", 0)["token_ids"] == fused["token_ids"]
