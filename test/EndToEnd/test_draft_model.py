# ===- test_draft_model.py - a second model drafts --------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Two models joined into one program: the draft changes the speed and nothing else, however good it is.

Semantics: SPEC-2, SPEC-4
"""

import pytest
from make_tiny_model import TinyModel
from tiny_gguf import STRING, vocabulary

PROMPT = "the cat and the dog and the cat"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A target, itself in a second file, one with other weights and another shape, and one with another vocabulary."""
    folder = tmp_path_factory.mktemp("draft")
    models = {
        "target": TinyModel(layers=3),
        "same": TinyModel(layers=3),
        "other": TinyModel(layers=1, seed=2, embedding=32, heads=2, cache_heads=1),
        "larger": TinyModel(layers=1, tokens=320),
        "short": TinyModel(layers=1, context=64),
    }
    for name, model in models.items():
        (folder / f"{name}.gguf").write_bytes(model.build().build())
    renamed = TinyModel(layers=1).build()
    tokens = vocabulary()[0]
    tokens[200] = "zzz"
    renamed.remove("tokenizer.ggml.tokens")
    renamed.add_array("tokenizer.ggml.tokens", STRING, tokens + [f"<|unused{i}|>" for i in range(len(tokens), 288)])
    (folder / "renamed.gguf").write_bytes(renamed.build())
    return folder


@pytest.fixture
def generate(quench_run, files):
    def call(draft, *options, model="target.gguf", **keywords):
        return quench_run.json("generate", files / model, "-p", PROMPT, "--ignore-end", "--speculate",
                               f"draft={files / draft}", *options, **keywords)

    return call


@pytest.mark.parametrize("tokens", [0, 1, 2, 7])
def test_perfect_draft(generate, tokens):
    """A model that drafts for itself is always right: a row's bits depend on no other row."""
    result = generate("same.gguf", "-n", 48, "--draft-tokens", tokens, "--check-lossless")
    assert result["lossless"] is True
    assert result["accepted"] == result["drafted"]
    # The last round is cut at the wanted number of tokens.
    assert result["rounds"] == -(-48 // (1 + tokens))


def test_poor_draft(generate):
    """Most candidates are wrong, so the draft's cache is rolled back again and again."""
    result = generate("other.gguf", "-n", 90, "--check-lossless")
    assert result["lossless"] is True
    assert result["accepted"] < result["drafted"] / 2
    assert result["rounds"] + result["accepted"] == 90


@pytest.mark.parametrize("activations", ["i8", "f32"])
def test_threads_and_activations(generate, activations):
    one, two = (generate("other.gguf", "-n", 24, "--threads", n, "--activations", activations, "--check-lossless") for n in (1, 2))
    assert one["token_ids"] == two["token_ids"] and one["cache_hash"] == two["cache_hash"]
    assert (one["drafted"], one["accepted"]) == (two["drafted"], two["accepted"])


def test_up_to_the_end_of_the_context(generate):
    result = generate("same.gguf", "--context", 50, "--check-lossless")
    assert result["stop_reason"] == "context"
    assert len(result["prompt_token_ids"]) + len(result["token_ids"]) == 50


def test_stop_inside_an_accepted_run(quench_run, generate, files):
    full = generate("same.gguf", "-n", 24)
    stop = quench_run.json("tokenize", files / "target.gguf", "--decode", full["token_ids"][9])["text"]
    plain = quench_run.json("generate", files / "target.gguf", "-p", PROMPT, "--ignore-end", "-n", 24, "--stop", stop, "--speculate", "off")
    result = generate("same.gguf", "-n", 24, "--stop", stop, "--check-lossless", "--draft-tokens", 7)
    assert result["stop_reason"] == "stop" and result["token_ids"] == plain["token_ids"]


def test_packages(quench_run, generate, files, tmp_path):
    """Target, draft or both may be packages; the second start reads everything from the cache."""
    for name in ("target", "same"):
        quench_run("compile", files / f"{name}.gguf", "-o", tmp_path / name)
    expected = generate("same.gguf", "-n", 24)
    for model in ("target.gguf", tmp_path / "target"):
        for draft in ("same.gguf", tmp_path / "same"):
            result = generate(draft, "-n", 24, "--timings", model=model)
            again = generate(draft, "-n", 24, "--timings", model=model)
            assert result["token_ids"] == again["token_ids"] == expected["token_ids"]
            assert result["accepted"] == result["drafted"] > 0
            assert again["timings"]["start"] == "warm"


@pytest.mark.parametrize("draft, message", [
    ("renamed.gguf", "another vocabulary: token 200 is 'zzz', expected "),
    ("larger.gguf", "another vocabulary: has 320 tokens, expected 288 as in the target"),
    ("missing.gguf", "missing.gguf: No such file or directory, expected a package folder or a GGUF file"),
])
def test_refusals(quench_run, files, draft, message):
    quench_run("generate", files / "target.gguf", "-p", PROMPT, "-n", 4, "--speculate", f"draft={files / draft}", status=1)
    assert message in quench_run.error
    assert draft in quench_run.error


def test_context_of_the_draft(generate, quench_run, files):
    """The pair goes as far as the draft."""
    assert len(generate("short.gguf", "-n", 40)["token_ids"]) == 40
    quench_run("generate", files / "target.gguf", "-p", PROMPT, "-n", 10, "--context", 100, "--speculate",
               f"draft={files / 'short.gguf'}", status=1)
    assert "found 100, but the model's context is 64" in quench_run.error


@pytest.mark.parametrize("value", ["draft=", "guess", "draft"])
def test_sources(quench_run, files, value):
    quench_run("generate", files / "target.gguf", "-p", PROMPT, "-n", 4, "--speculate", value, status=2)
    assert f"--speculate: found '{value}', expected lookup, draft=MODEL or off" in quench_run.error


SAMPLING = {
    "penalties": ["--repeat-penalty", "1.2", "--frequency-penalty", "0.1"],
    "log-probabilities": ["--logprobs", "2"],
    "temperature": ["--temp", "0.3", "--seed", "5"],
}


@pytest.mark.parametrize("draft", ["same.gguf", "other.gguf"])
@pytest.mark.parametrize("options", SAMPLING.values(), ids=SAMPLING)
def test_sampling(quench_run, generate, files, draft, options):
    """The draft then runs by itself, greedily; what is sampled does not depend on it."""
    plain = quench_run.json("generate", files / "target.gguf", "-p", PROMPT, "--ignore-end", "-n", 40, "--speculate", "off", *options)
    result = generate(draft, "-n", 40, "--check-lossless", *options)
    assert result["lossless"] is True and result["token_ids"] == plain["token_ids"]
    assert result["rounds"] + result["accepted"] == 40 and result["drafted"] > 0
    # A model that drafts for itself is right where nothing but its largest logit counts.
    if draft == "same.gguf" and options is SAMPLING["log-probabilities"]:
        assert result["accepted"] == result["drafted"]
    else:
        assert result["accepted"] < result["drafted"]


TEMPERATURE = ["--temp", "0.6", "--repeat-penalty", "1.1"]
REJECTION = [*TEMPERATURE, "--acceptance", "rejection"]


def test_rejection_sampling(generate):
    """Candidates are drawn: the same seed gives the same text, and more of them are accepted than by matching."""
    accepted = {"match": 0, "rejection": 0}
    for seed in range(5):
        one, two = (generate("other.gguf", "-n", 40, *REJECTION, "--seed", seed, "--threads", threads) for threads in (1, 2))
        assert one["token_ids"] == two["token_ids"] and one["accepted"] == two["accepted"]
        assert one["rounds"] + one["accepted"] == 40
        accepted["rejection"] += one["accepted"]
        accepted["match"] += generate("other.gguf", "-n", 40, *TEMPERATURE, "--seed", seed)["accepted"]
    assert accepted["match"] < accepted["rejection"]


def test_rejection_of_an_equal_draft(generate):
    """The same distribution, to the bit, has nothing to reject."""
    result = generate("same.gguf", "-n", 48, *REJECTION, "--seed", 3)
    assert result["accepted"] == result["drafted"] > 0


def test_rejection_at_temperature_0(generate, quench_run):
    plain = generate("other.gguf", "-n", 24)
    assert generate("other.gguf", "-n", 24, "--acceptance", "rejection")["token_ids"] == plain["token_ids"]
    assert "--acceptance has no effect without a temperature" in quench_run.error


@pytest.mark.parametrize("options, message", [
    (["--speculate", "lookup"], "--acceptance rejection: found --speculate lookup, which samples no tokens; expected --speculate draft=MODEL"),
    ([], "--acceptance rejection is for tokens that a draft model sampled, expected --speculate draft=MODEL as well"),
    (["--speculate", "draft=same.gguf", "--check-lossless"], "--check-lossless: found --acceptance rejection, whose texts are as likely as"),
])
def test_where_nothing_is_rejected(quench_run, files, options, message):
    quench_run("generate", files / "target.gguf", "-p", PROMPT, "-n", 4, *REJECTION, *options, status=2)
    assert message in quench_run.error


PROMPTS = ["The capital of France is", "def fibonacci(n):", "Once upon a time there was a"]


def test_dropped_layers(quench_run, model, tmp_path):
    """The example model drafts for itself with 27 of its 30 layers: sometimes right and sometimes wrong."""
    quench_run("compile", model, "-o", tmp_path / "draft", "--layers", "0-11,15-29")
    drafted = accepted = 0
    for prompt in PROMPTS:
        result = quench_run.json("generate", model, "-p", prompt, "-n", 40, "--speculate", f"draft={tmp_path / 'draft'}", "--check-lossless")
        assert result["lossless"] is True
        drafted += result["drafted"]
        accepted += result["accepted"]
    assert 0.2 < accepted / drafted < 0.9


def test_kept_layers(quench_run, files, tmp_path):
    """A list of all layers is the model; others leave some out, with their weights."""
    quench_run("compile", files / "target.gguf", "-o", tmp_path / "kept", "--layers", "0,1")
    quench_run("compile", files / "target.gguf", "-o", tmp_path / "all", "--layers", "0-2")
    ids = "5,6,7,8,9"
    whole, kept, all_layers = (quench_run.json("score", package, "--tokens", ids, "--top", 5)
                               for package in (files / "target.gguf", tmp_path / "kept", tmp_path / "all"))
    assert whole == all_layers != kept
    assert quench_run.json("inspect", tmp_path / "kept")["name"] == "tiny (layers 0,1)"
    names = {tensor["name"] for tensor in quench_run.json("inspect", tmp_path / "kept", "--tensors")["tensors"]}
    assert "blk.1.ffn_up.weight" in names and "blk.2.ffn_up.weight" not in names


@pytest.mark.parametrize("layers", ["2-1", "0-3", "0,0", "1,0", "x", "1-", "-1", "0,,1", "99999999999999999999"])
def test_layers_that_are_not_there(quench_run, files, tmp_path, layers):
    quench_run("compile", files / "target.gguf", "-o", tmp_path / "kept", f"--layers={layers}", status=1)
    assert f"layers: found '{layers}', expected ascending numbers and ranges from 0 to 2, such as 0-1,2" in quench_run.error
    assert not (tmp_path / "kept").exists()


def test_layers_of_what_has_none(quench_run, files, tmp_path):
    quench_run("compile", files / "target.gguf", "-o", tmp_path / "package")
    quench_run("compile", tmp_path / "package", "-o", tmp_path / "kept", "--layers", "0", status=2)
    assert "--layers are for GGUF files" in quench_run.error
