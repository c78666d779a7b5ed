# ===- test_command_line.py - quench-run on a tiny model --------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Commands, options and JSON keys as docs/CommandLine.md describes them. What the model says means nothing here."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest
from make_tiny_model import TinyModel, set_entry

PROMPT = "to be or not to be, to be or not"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny") / "tiny.gguf"
    path.write_bytes(TinyModel().build().build())
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("command-line")


@pytest.fixture
def run(quench_run, folder):
    """quench-run with a cache that the tests of this file share."""
    def call(*arguments, cache="cache", **options):
        env = {"QUENCH_CACHE": str(folder / cache), **options.pop("env", {})}
        output = quench_run(*arguments, env=env, **options)
        call.error = quench_run.error
        return output

    call.json = lambda *arguments, **options: json.loads(call(*arguments, "--json", **options))
    return call


@pytest.fixture
def tiny_package(run, tiny, folder):
    path = folder / "package"
    if not path.exists():
        run("compile", tiny, "-o", path)
    return path


def test_help(run):
    assert "generate" in run("--help")
    assert run("--version").startswith("quench-run ")
    for command in ("compile", "generate", "chat", "tokenize", "score", "eval", "bench", "inspect", "call", "cache"):
        text = run(command, "--help")
        assert f"quench-run {command}" in text[text.index("examples:"):]


def test_tokenize(run, tiny, folder):
    ids = run.json("tokenize", tiny, "-p", "abc <|pad|>")["ids"]
    assert run("tokenize", tiny, "-p", "abc <|pad|>") == ",".join(map(str, ids)) + "\n"
    assert run.json("tokenize", tiny, "--decode", ",".join(map(str, ids)))["text"] == "abc <|pad|>"
    assert run("tokenize", tiny, "--decode", str(ids)) == "abc <|pad|>\n"
    plain = run.json("tokenize", tiny, "-p", "abc <|pad|>", "--no-special")["ids"]
    assert len(plain) > len(ids)
    (folder / "text").write_text("abc <|pad|>")
    assert run.json("tokenize", tiny, "-f", folder / "text")["ids"] == ids


def test_beginning_of_text(run, folder):
    model = TinyModel().build()
    set_entry(model, "tokenizer.ggml.add_bos_token", True)
    model.tensors.clear()
    path = folder / "vocabulary.gguf"
    path.write_bytes(model.build())
    without = run.json("tokenize", path, "-p", "abc", "--no-bos")["ids"]
    assert run.json("tokenize", path, "-p", "abc")["ids"] == [1] + without


def test_package_and_gguf_agree(run, tiny, tiny_package):
    one, two = (run.json("generate", model, "-p", PROMPT, "-n", 40) for model in (tiny, tiny_package))
    assert one["token_ids"] == two["token_ids"] and one["text"] == two["text"]


def test_keys_of_generate(run, tiny_package):
    result = run.json("generate", tiny_package, "-p", PROMPT, "-n", 40, "--timings")
    assert list(result) == ["text", "token_ids", "prompt_token_ids", "tokens_per_second", "drafted", "accepted",
                            "rounds", "stop_reason", "timings"]
    assert result["stop_reason"] in ("length", "end") and len(result["token_ids"]) <= 40
    assert result["prompt_token_ids"] == run.json("tokenize", tiny_package, "-p", PROMPT)["ids"]
    assert result["timings"]["start"] == "warm" and result["timings"]["first_token"] > 0


def test_drafts_change_nothing(run, tiny_package):
    plain = run.json("generate", tiny_package, "-p", PROMPT, "-n", 60, "--ignore-end", "--speculate", "off")
    assert plain["drafted"] == 0 and plain["rounds"] == len(plain["token_ids"]) == 60
    for draft in (0, 1, 4, 7):
        result = run.json("generate", tiny_package, "-p", PROMPT, "-n", 60, "--ignore-end", "--draft-tokens", draft,
                          "--threads", 1 + draft % 3, "--check-lossless")
        assert result["token_ids"] == plain["token_ids"] and result["text"] == plain["text"]
        assert result["lossless"] and result["cache_hash"] == result["plain_cache_hash"]
        assert (result["drafted"] > 0) == (draft > 0)
        assert result["rounds"] == 60 - result["accepted"]


def test_ends(run, tiny_package):
    full = run.json("generate", tiny_package, "-p", PROMPT, "--ignore-end")
    prompt = len(full["prompt_token_ids"])
    assert full["stop_reason"] == "context" and prompt + len(full["token_ids"]) == 128
    short = run.json("generate", tiny_package, "-p", PROMPT, "--ignore-end", "--context", prompt + 3)
    assert short["stop_reason"] == "context" and short["token_ids"] == full["token_ids"][:3]
    text = full["text"]
    letter = next(c for c in text if c.isascii() and c.isprintable())
    stopped = run.json("generate", tiny_package, "-p", PROMPT, "--ignore-end", "--stop", letter, "--stop", "never")
    assert stopped["stop_reason"] == "stop" and stopped["text"] == text[:text.index(letter)]


def test_text_goes_to_standard_output(run, tiny_package):
    printed = run("generate", tiny_package, "-p", PROMPT, "-n", 20, "--stop", "[x]")
    text = run.json("generate", tiny_package, "-p", PROMPT, "-n", 20)["text"] + "\n"
    # A random model also says bytes that are no text.
    assert printed.replace("\ufffd", "") == text.replace("\ufffd", "")
    run("generate", tiny_package, "-p", PROMPT, "-n", 4)
    assert run.error.startswith("[") and "per second" in run.error


def test_score(run, tiny_package):
    tokens = run.json("tokenize", tiny_package, "-p", PROMPT)["ids"]
    positions = run.json("score", tiny_package, "--tokens", ",".join(map(str, tokens)), "--top", 288)["positions"]
    assert [p["token"] for p in positions] == tokens
    for position, follower in zip(positions, tokens[1:]):
        logits = dict(map(tuple, position["top"]))
        assert len(logits) == 288 and list(logits.values()) == sorted(logits.values(), reverse=True)
        values = np.array(list(logits.values()))
        loss = np.log(np.exp(values - values.max()).sum()) + values.max() - logits[follower]
        assert position["nll_of_next"] == pytest.approx(loss, rel=1e-9)
    assert positions[-1]["nll_of_next"] is None
    greedy = run.json("generate", tiny_package, "-p", PROMPT, "-n", 1, "--ignore-end")["token_ids"]
    assert positions[-1]["top"][0][0] == greedy[0]
    assert "mean loss" in run("score", tiny_package, "-p", PROMPT)


def test_eval(run, tiny_package, folder):
    (folder / "prose").write_text(PROMPT * 20)
    result = run.json("eval", tiny_package, "--text", folder / "prose", "--context", 64)
    assert list(result) == ["perplexity", "stderr", "tokens"]
    tokens = len(run.json("tokenize", tiny_package, "-f", folder / "prose")["ids"])
    assert result["tokens"] == tokens // 64 * 31 and result["perplexity"] > 1 and result["stderr"] > 0


def test_bench(run, tiny_package):
    result = run.json("bench", tiny_package, "--prompt-tokens", 32, "--gen-tokens", 8, "--widths", "1,3", "--repeat", 2,
                      "--threads", 2)
    assert [w["width"] for w in result["widths"]] == [1, 3]
    for key in ("prompt_tokens_per_second", "decode_tokens_per_second"):
        assert result[key] > 0
    for width in result["widths"]:
        assert width["milliseconds"] > 0 and width["deviation"] >= 0
    assert result["threads"] == 2 and result["repeat"] == 2 and result["activations"] == "i8"
    # Prompt and decoding start from an empty cache: each may fill the context of 128 alone.
    run("bench", tiny_package, "--prompt-tokens", 128, "--gen-tokens", 120, "--widths", "8", "--repeat", 1)
    run("bench", tiny_package, "--prompt-tokens", 128, "--gen-tokens", 0, "--widths", "8", "--repeat", 1)
    run("bench", tiny_package, "--prompt-tokens", 8, "--gen-tokens", 121, "--widths", "8", status=1)
    assert "129 positions" in run.error
    assert "step of width 3" in run("bench", tiny_package, "--prompt-tokens", 8, "--gen-tokens", 4, "--widths", "3",
                                    "--repeat", 1)


def test_inspect(run, tiny, tiny_package):
    for model, kind in ((tiny, "gguf"), (tiny_package, "package")):
        report = run.json("inspect", model)
        assert (report["kind"], report["architecture"], report["name"]) == (kind, "llama", "tiny")
        assert (report["context"], report["vocabulary"]) == (128, 288)
        tensors = {t["name"]: t for t in report["tensors"]}
        assert len(tensors) == 20
        query = tensors["blk.1.attn_q.weight"]
        assert (query["format"], query["shape"], query["bytes"]) == ("Q4_1", [64, 64], 64 * 64 * 20 // 32)
        assert report["kernels"] and query["kernels"], "which kernels each layer uses"
        text = run("inspect", model)
        assert "blk.0 to 1, each" in text and "7 Q4_1" in text
        assert "blk.0.attn_k.weight" in run("inspect", model, "--tensors", "--no-kernels")


def test_activations(run, tiny, folder):
    run("compile", tiny, "-o", folder / "f32", "--activations", "f32", "--context", 64)
    manifest = json.loads((folder / "f32" / "manifest.json").read_text())
    assert manifest["activations"] == "f32" and manifest["context_length"] == 64
    i8 = run.json("score", tiny, "-p", PROMPT, "--top", 4)
    f32 = run.json("score", tiny, "-p", PROMPT, "--top", 4, "--activations", "f32")
    assert f32 == run.json("score", folder / "f32", "-p", PROMPT, "--top", 4)
    assert f32 != i8


def test_portable_code_gives_the_same(run, tiny):
    """Integer sums and everything after them agree with the tuned tile's, bit by bit."""
    scores = [run.json("score", tiny, "-p", PROMPT, "--top", 288, *options) for options in ([], ["--portable"])]
    assert scores[0] == scores[1]


def test_code_from_elsewhere(run, tiny_package, folder):
    """Native code of a package runs only if this user's compiler made it, or if told so."""
    arguments = ("generate", tiny_package, "-p", PROMPT, "-n", 4)
    expected = run(*arguments)
    assert run(*arguments, cache="trusting", env={}, timeout=60) == expected and "not made here" in run.error
    shutil.rmtree(folder / "trusting")
    assert run(*arguments, "--trust-code", cache="trusting") == expected and "not made here" not in run.error
    names = [e["name"] for e in run.json("cache", cache="trusting")["entries"]]
    assert not any(name.startswith("code/") for name in names)


def test_code_of_another_program(run, tiny, tiny_package, folder):
    """A library that was renamed to another's key is ignored."""
    run("compile", tiny, "-o", folder / "other", "--activations", "f32")
    (library,) = (folder / "other").glob("lib/*/*.so")
    expected = run.json("generate", folder / "other", "-p", PROMPT, "-n", 20)
    (wrong,) = tiny_package.glob("lib/*/*.so")
    shutil.copy(wrong, library)
    run("cache", "clear")
    (folder / "cache" / "own").mkdir(exist_ok=True)
    result = run.json("generate", folder / "other", "-p", PROMPT, "-n", 20, "--trust-code")
    assert "made of another program" in run.error
    assert result["token_ids"] == expected["token_ids"]


def test_compile_refuses_what_is_there_and_compiles_again(run, tiny_package, folder):
    run("compile", tiny_package, "-o", tiny_package, status=2)
    run("compile", tiny_package, "-o", folder / "again", "--target", "x86-64-v2")
    arguments = ("generate", "-p", PROMPT, "-n", 20)
    run("generate", folder / "again", "-p", PROMPT, "-n", 20, "--target", "x86-64-v2")
    assert list((folder / "again").glob("lib/x86-64-v2/*.so")), arguments


def test_dump_stages(run, tiny, folder):
    run("compile", tiny, "-o", folder / "dumped", "--dump-stages", folder / "stages", "--timings")
    names = sorted(os.listdir(folder / "stages"))
    assert names[0].endswith("program.mlir") and any(n.endswith(".ll") for n in names)
    assert any(n.endswith(".s") for n in names)


def test_cache(run, tiny):
    run("generate", tiny, "-p", PROMPT, "-n", 4, cache="own")
    listing = run.json("cache", cache="own")
    kinds = {entry["name"].split("/")[0] for entry in listing["entries"]}
    assert {"code", "weights", "packages"} <= kinds
    assert listing["bytes"] == sum(entry["bytes"] for entry in listing["entries"])
    assert "code/" in run("cache", cache="own")
    cleared = run.json("cache", "clear", cache="own")
    assert cleared["removed"] == len(listing["entries"])
    assert run.json("cache", cache="own")["entries"] == []


def test_damaged_cache(run, tiny, folder):
    """A damaged entry costs a note and some time."""
    arguments = ("generate", tiny, "-p", PROMPT, "-n", 20)
    expected = run(*arguments, cache="damaged")
    for kind in ("code", "weights", "packages"):
        for path in sorted((folder / "damaged" / kind).rglob("*")):
            if path.is_file():
                data = bytearray(path.read_bytes())
                data[len(data) // 2] ^= 1
                path.write_bytes(data)
        assert run(*arguments, cache="damaged") == expected
        assert "quench-run: note: " in run.error, kind


def test_without_the_compiler(quench_run, tiny_package, tiny, folder, run):
    """The tool alone runs what is compiled, and says what is missing otherwise."""
    (folder / "alone" / "bin").mkdir(parents=True)
    alone = folder / "alone" / "bin" / "quench-run"
    shutil.copy(quench_run.path, alone)

    def call(*arguments, cache="cache"):
        return subprocess.run([alone, *map(str, arguments)], capture_output=True, encoding="utf-8",
                              errors="replace", env={**os.environ, "QUENCH_CACHE": str(folder / cache)})

    for model in (tiny_package, tiny):
        expected = run("generate", model, "-p", PROMPT, "-n", 4)
        assert call("generate", model, "-p", PROMPT, "-n", 4).stdout == expected, model
    failed = call("generate", tiny, "-p", PROMPT, "-n", 4, cache="empty")
    assert failed.returncode == 3 and failed.stderr.count("\n") == 1
    assert "libQuenchCompiler.so" in failed.stderr


def test_output_that_cannot_be_written(quench_run, tiny):
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([quench_run.path, "tokenize", tiny, "-p", "abc"], stdout=full, stderr=subprocess.PIPE,
                              text=True)
    assert done.returncode == 3 and "standard output" in done.stderr
