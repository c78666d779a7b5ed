# ===- test_models.py - models, sessions and conversations in Python --------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""What quench-run says, the package says as well."""

import ast
import inspect
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def smollm2(quench, package):
    return quench.Model(str(package))


def test_generate(quench_run, smollm2, package):
    expected = quench_run.json("generate", package, "-p", PROMPT, "-n", 24)
    generation = smollm2.session().generate(PROMPT, max_tokens=24)
    pieces = list(generation)
    assert len(pieces) > 1 and all(pieces)
    assert "".join(pieces) == generation.text == expected["text"]
    assert generation.tokens == expected["token_ids"]
    stats = generation.stats
    assert (stats.stop, stats.tokens, stats.prompt_tokens) == ("length", 24, len(expected["prompt_token_ids"]))
    assert stats.drafted == expected["drafted"] and stats.accepted == expected["accepted"]
    assert list(generation) == [] and "length" in repr(stats)


def test_sampling(quench_run, smollm2, package):
    """Options mean what they mean on the command line."""
    expected = quench_run.json("generate", package, "-p", PROMPT, "-n", 16, "--temp", 0.9, "--top-k", 30, "--top-p", 0.9, "--seed", 7,
                               "--repeat-penalty", 1.3, "--logit-bias", "260-inf", "--logprobs", 0)
    generation = smollm2.session().generate(PROMPT, max_tokens=16, temperature=0.9, top_k=30, top_p=0.9, seed=7, repeat_penalty=1.3,
                                            logit_bias={260: -float("inf")}, logprobs=True)
    assert generation.read() == expected["text"]
    assert generation.tokens == expected["token_ids"]
    np.testing.assert_allclose(generation.logprobs, [entry["logprob"] for entry in expected["logprobs"]], rtol=1e-6)


def test_stop_and_tokens(smollm2):
    ids = smollm2.tokenizer.encode(PROMPT)
    assert smollm2.session().generate(ids, max_tokens=24, stop=["Paris"]).read() == " "
    plain = smollm2.session().generate(ids, max_tokens=24, speculate="off")
    plain.read()
    assert plain.stats.drafted == 0 and plain.stats.rounds == 24


def test_score(quench_run, smollm2, package, eval_text):
    positions = quench_run.json("score", package, "-p", PROMPT)["positions"]
    losses = smollm2.session().score(PROMPT)
    assert losses.dtype == np.float64
    np.testing.assert_array_equal(losses, [position["nll_of_next"] for position in positions[:-1]])
    text = eval_text.read_bytes()[:3000].decode()
    result = smollm2.session().perplexity(text)
    assert result.tokens == 255 and 5 < result.perplexity < 60 and 0 < result.standard_error < 10


def test_chat(quench_run, smollm2, package):
    done = quench_run.json("chat", package, "-p", "What is the capital of France?", "-n", 12)
    chat = smollm2.session().chat()
    answer = chat.ask("What is the capital of France?", max_tokens=12)
    assert answer.read() == done["turns"][0]["text"]
    again = chat.ask("And of Italy?", max_tokens=4)
    again.read()
    assert again.stats.cached_tokens > answer.stats.prompt_tokens


def test_tokenizer(smollm2):
    tokenizer = smollm2.tokenizer
    ids = tokenizer.encode("Hello, <|im_end|>")
    assert tokenizer.decode(ids, special=True).endswith("<|im_end|>") and tokenizer.is_end(ids[-1])
    assert not tokenizer.is_end(tokenizer.encode("<|im_end|>", special=False)[-1])
    euro = tokenizer.encode("€")
    assert tokenizer.decode_bytes(euro) == "€".encode() and tokenizer.decode(euro[:1]) in "�€"
    assert len(tokenizer) == 49152


def test_errors(quench, tiny, tmp_path):
    with pytest.raises(quench.InputError, match="No such file"):
        quench.Model(str(tmp_path / "none"))
    with pytest.raises(quench.InputError, match="exceed the context"):
        tiny.session(16).generate([1, 2], max_tokens=100)
    with pytest.raises(quench.UsageError, match="'auto', 'lookup' or 'off'"):
        tiny.session().generate([1], speculate="x")
    with pytest.raises(quench.Error, match="no tokens"):
        tiny.session().generate([])
    with pytest.raises(TypeError):
        tiny.session().generate("x", temperatur=1)
    assert issubclass(quench.EnvironmentFailure, quench.Error) and issubclass(quench.Error, RuntimeError)


def test_other_threads_go_on(tiny):
    """The interpreter's lock is free while Quench works."""
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0.001)

    session = tiny.session()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counts[0]
        losses = session.score([1] * 4000)
        during = counts[0] - before
    finally:
        stop.set()
        thread.join()
    assert len(losses) == 3999 and during > 5


def test_cancel_from_another_thread(tiny):
    session = tiny.session()
    generation = session.generate([1], ignore_end=True)
    canceller = threading.Timer(0.05, session.cancel)
    canceller.start()
    generation.read()
    canceller.join()
    assert generation.stats.stop == "cancelled" and 0 < generation.stats.tokens < 4000


@pytest.mark.parametrize("work, proof", [
    ("generation.read()", "generation.stats.stop == 'cancelled' and generation.stats.tokens < 4000"),
    ("[piece for piece in generation]", "generation.stats.tokens < 4000"),
    ("result = session.perplexity([1] * 200000)", "result is None"),
])
def test_keyboard_interrupt(python_package, package, work, proof):
    """In the middle of the work, of which each would take many seconds."""
    script = textwrap.dedent(f"""
        import signal, sys, quench
        # A shell ignores the signal in what it starts in the background.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        session = quench.Model(sys.argv[1]).session()
        generation, result = session.generate([1], ignore_end=True, max_tokens=4000), None
        try:
            print("working", flush=True)
            {work}
        except KeyboardInterrupt:
            assert {proof}
            session.score([1, 2, 3])
            print("interrupted", flush=True)
    """)
    with subprocess.Popen([sys.executable, "-c", script, package], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(python_package)}) as process:
        assert process.stdout.readline() == "working\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            output, _ = process.communicate(timeout=60)
        finally:
            process.kill()  # if it was not interrupted, it would go on for minutes
    assert output == "interrupted\n" and process.returncode == 0


def test_types_and_docs(quench, python_package):
    folder = python_package / "quench"
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_quench.pyi").read_text(encoding="utf-8"))
    names = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert {"Model", "Session", "Generation", "Chat", "Program", "Tokenizer"} <= names
    assert "piece" not in names
    for name in quench.__all__:
        thing = getattr(quench, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
