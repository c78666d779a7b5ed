# ===- test_sampling.py - quench-run generate with a temperature -------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Options about how a token is chosen, on a tiny model, and against the definitions written down here in NumPy."""

import numpy as np
import pytest
from make_tiny_model import TinyModel

PROMPT = "to be or not to be, to be or not"
VOCABULARY = 288
PROCESSORS = {
    "logit bias": ["--logit-bias", "40+10", "--logit-bias", "41-inf"],
    "repeat penalty": ["--repeat-penalty", "1.3"],
    "frequency penalty": ["--frequency-penalty", "0.4", "--repeat-last-n", "-1"],
    "presence penalty": ["--presence-penalty", "0.7", "--repeat-last-n", "6"],
    "log-probabilities": ["--logprobs", "3"],
    "top-k": ["--top-k", "3"],
    "top-p": ["--top-p", "0.5"],
    "min-p": ["--min-p", "0.3"],
}
# Two tokens are likely to follow whatever the text is, so that texts repeat and some drafts are right and some are wrong.
TEMPERATURE = ["--temp", "0.6", "--seed", "3", "--logit-bias", "50+9", "--logit-bias", "60+9"]


@pytest.fixture(scope="module")
def package(quench_run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sampling")
    (folder / "tiny.gguf").write_bytes(TinyModel().build().build())
    quench_run("compile", folder / "tiny.gguf", "-o", folder / "tiny")
    return folder / "tiny"


@pytest.fixture
def generate(quench_run, package):
    """The object that `generate -n 40 --ignore-end` prints with these options."""
    def call(*options):
        return quench_run.json("generate", package, "-p", PROMPT, "-n", 40, "--ignore-end", *options)

    return call


@pytest.mark.parametrize("temperature", [[], ["--temp", "0"], TEMPERATURE], ids=["default", "0", "0.6"])
@pytest.mark.parametrize("options", PROCESSORS.values(), ids=PROCESSORS)
def test_every_option_is_lossless(generate, options, temperature):
    plain = generate(*options, *temperature, "--speculate", "off", "--threads", 1)
    drafted = generate(*options, *temperature, "--check-lossless", "--draft-tokens", 7, "--threads", 2)
    assert drafted["lossless"] is True and drafted["cache_hash"] == drafted["plain_cache_hash"]
    for key in ("token_ids", "text", "prompt_token_ids"):
        assert drafted[key] == plain[key]
    assert drafted.get("logprobs") == plain.get("logprobs")
    assert drafted["rounds"] + drafted["accepted"] == 40 and plain["rounds"] == 40
    if temperature is TEMPERATURE:
        assert drafted["drafted"] > drafted["accepted"]
        assert drafted["accepted"] > 0 or "penalty" in options[0]


def test_greedy_with_log_probabilities_is_greedy(generate, quench_run, package):
    """The route through all logits chooses as the fused one; log-probabilities are those of `score`."""
    fused, result = generate(), generate("--logprobs", 2)
    assert "logprobs" not in fused and "seed" not in result
    assert result["token_ids"] == fused["token_ids"]
    tokens = result["prompt_token_ids"] + result["token_ids"]
    positions = quench_run.json("score", package, "--tokens", ",".join(map(str, tokens)), "--top", 2)["positions"]
    for position, token, logprobs in zip(positions[len(result["prompt_token_ids"]) - 1:], result["token_ids"], result["logprobs"]):
        assert list(logprobs) == ["logprob", "top"]
        assert logprobs["logprob"] == -position["nll_of_next"]
        assert [id for id, _ in logprobs["top"]] == [id for id, _ in position["top"]]
        assert logprobs["top"][0] == [token, logprobs["logprob"]]


def test_seed(generate, quench_run, package):
    one, other = generate("--temp", 1, "--seed", 1), generate("--temp", 1, "--seed", 2)
    assert one["seed"] == 1 and one["token_ids"] != other["token_ids"]
    first, second = generate("--temp", 1), generate("--temp", 1)
    assert first["seed"] != second["seed"]
    assert generate("--temp", 1, "--seed", first["seed"], "--speculate", "off")["token_ids"] == first["token_ids"]
    quench_run("generate", package, "-p", PROMPT, "-n", 4, "--temp", 1, "--seed", 2**63 - 1)
    assert f"seed {2**63 - 1}]" in quench_run.error


def test_top_k_of_1_is_greedy(generate):
    greedy = generate()["token_ids"]
    for options in (["--top-k", 1], ["--top-p", 0], ["--min-p", 1]):
        assert generate("--temp", 5, "--seed", 1, *options)["token_ids"] == greedy


def processed(logits, text, repeat=1.0, frequency=0.0, presence=0.0, window=64, biases=()):
    """Logits after biases and penalties."""
    logits = logits.astype(np.float64)
    for token, bias in biases:
        logits[token] += bias
    for token in set(text[-window:]):
        logits[token] = logits[token] / repeat if logits[token] > 0 else logits[token] * repeat
        logits[token] -= frequency * text[-window:].count(token) + presence
    return logits


@pytest.mark.parametrize("options, meaning", [
    (["--repeat-penalty", "1.5", "--repeat-last-n", "9"], {"repeat": 1.5, "window": 9}),
    (["--frequency-penalty", "0.35", "--presence-penalty", "0.2"], {"frequency": 0.35, "presence": 0.2}),
    (["--logit-bias", "40+2.5", "--logit-bias", "40-0.5", "--logit-bias", "44-inf", "--frequency-penalty", "-0.1"],
     {"biases": [(40, 2.0), (44, -np.inf)], "frequency": -0.1}),
], ids=["repetition", "frequency and presence", "bias"])
def test_greedy_choices_follow_the_definitions(generate, quench_run, package, options, meaning):
    result = generate(*options)
    tokens = result["prompt_token_ids"] + result["token_ids"]
    positions = quench_run.json("score", package, "--tokens", ",".join(map(str, tokens)), "--top", VOCABULARY)["positions"]
    changed = 0
    for i in range(len(result["prompt_token_ids"]), len(tokens)):
        logits = np.zeros(VOCABULARY)
        for id, logit in positions[i - 1]["top"]:
            logits[id] = logit
        assert tokens[i] == int(np.argmax(processed(logits, tokens[:i], **meaning)))
        changed += tokens[i] != int(np.argmax(logits))
    assert changed > 0, "nothing was tested"


def test_options_without_a_temperature_are_noted(quench_run, package):
    arguments = ("generate", package, "-p", PROMPT, "-n", 4)
    quench_run(*arguments, "--top-k", 5, "--seed", 1)
    assert "note: --top-k has no effect without a temperature (--temp T)\n" in quench_run.error
    assert "note: --seed has" in quench_run.error
    quench_run(*arguments, "--top-k", 5, "--temp", 0)
    assert "note" not in quench_run.error
