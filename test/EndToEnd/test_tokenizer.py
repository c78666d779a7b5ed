# ===- test_tokenizer.py - the example model's tokenizer --------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Ids are those of another implementation: byte-level ones from the GGUF file as from a package, and SentencePiece's."""

import pytest

START, END = 1, 2  # <|im_start|>, <|im_end|>


def joined(ids):
    return ",".join(map(str, ids))


def test_prompts(quench_run, model, oracle):
    for case in oracle["cases"]:
        assert quench_run.json("tokenize", model, "-p", case["prompt"])["ids"] == case["prompt_ids"]


def test_passage(quench_run, package, oracle, tmp_path):
    passage = oracle["passage"]
    path = tmp_path / "passage"
    path.write_text(passage["text"], encoding="utf-8")
    # The stored ids are the first 512.
    assert quench_run.json("tokenize", package, "-f", path)["ids"][:512] == passage["ids"]


def test_generated_text(quench_run, package, oracle):
    for case in oracle["cases"]:
        text = quench_run.json("tokenize", package, "--decode", joined(case["greedy_ids"]))["text"]
        assert text == case["greedy_text"]


def test_special_tokens(quench_run, package):
    text = "<|im_start|>user\nHi<|im_end|>\n"
    ids = quench_run.json("tokenize", package, "-p", text)["ids"]
    assert ids[0] == START and ids.count(END) == 1 and ids[-1] != END
    inner = quench_run.json("tokenize", package, "-p", "user\nHi")["ids"]
    assert ids[1:ids.index(END)] == inner
    plain = quench_run.json("tokenize", package, "-p", text, "--no-special")["ids"]
    assert START not in plain and END not in plain and len(plain) > len(ids)
    for each in (ids, plain):
        assert quench_run.json("tokenize", package, "--decode", joined(each))["text"] == text


def test_no_beginning_of_text(quench_run, package, oracle):
    """This model's file asks for none, so --no-bos has nothing to leave out."""
    case = oracle["cases"][0]
    assert quench_run.json("tokenize", package, "-p", case["prompt"], "--no-bos")["ids"] == case["prompt_ids"]


@pytest.mark.parametrize("text", [
    " ", "   leading and trailing   ", "\n\n\n", "\ttab\r\nline", "a" * 1000, "2024-01-22 12:12:53", "naïve Ωμέγα 漢字 🙂👩‍👩‍👧",
    "don't I'll we've", "x=1;y<<=2\n\n    return", "\u00a0\u3000\u2028", "{\"a\": [1, 2]}"])
def test_every_text_comes_back(quench_run, package, text):
    ids = quench_run.json("tokenize", package, "-p", text)["ids"]
    assert quench_run.json("tokenize", package, "--decode", joined(ids))["text"] == text


def test_sentencepiece_prompts(quench_run, gemma3, gemma3_oracle):
    for case in gemma3_oracle["cases"]:
        assert quench_run.json("tokenize", gemma3, "-p", case["prompt"])["ids"] == case["prompt_ids"]
        text = quench_run.json("tokenize", gemma3, "--decode", joined(case["greedy_ids"]))["text"]
        assert text == case["greedy_text"]


def test_sentencepiece_passage(quench_run, gemma3, gemma3_oracle, tmp_path):
    passage = gemma3_oracle["passage"]
    path = tmp_path / "passage"
    path.write_text(passage["text"], encoding="utf-8")
    ids = quench_run.json("tokenize", gemma3, "-f", path)["ids"]
    assert ids[:512] == passage["ids"]
    assert quench_run.json("tokenize", gemma3, "--decode", joined(ids))["text"] == "<bos>" + passage["text"]


@pytest.mark.parametrize("text", ["   leading and trailing   ", "\n\n\n\ttab\r\nline", "a" * 1000, "naïve Ωμέγα 漢字 🙂👩‍👩‍👧",
                                  "<start_of_turn>user\nHi<end_of_turn>\n", "<b>bold</b>", "\x01\x7f\u0378"])
def test_sentencepiece_texts_come_back(quench_run, gemma3, text):
    for options in ([], ["--no-special"]):
        ids = quench_run.json("tokenize", gemma3, "--no-bos", "-p", text, *options)["ids"]
        assert quench_run.json("tokenize", gemma3, "--decode", joined(ids))["text"] == text
        # User-defined tokens, such as HTML's, are text; those that structure a prompt are not.
        assert (105 in ids) == (text.startswith("<start_of_turn>") and not options)
        assert (184 <= ids[0] < 236 or ids[0] > 236) if text.startswith("<b>") else True
