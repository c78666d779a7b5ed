# ===- test_perplexity.py - perplexity of the example model -----------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#

# llama.cpp on the same bytes, windows of 512 tokens, second half of each scored.
PEER = 22.594


def test_perplexity(quench_run, package, eval_text, tmp_path):
    text = tmp_path / "eval.txt"
    text.write_bytes(eval_text.read_bytes()[:100_000])
    result = quench_run.json("eval", package, "--text", text)
    # Lower is better; far lower would be a mistake in what is scored.
    assert PEER * 0.98 < result["perplexity"] <= PEER * 1.005
    assert 0.5 < result["stderr"] < 0.8
    ids = quench_run.json("tokenize", package, "-f", text)["ids"]
    assert result["tokens"] == len(ids) // 512 * 255
