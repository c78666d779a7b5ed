# ===- test_chat.py - conversations with quench-run --------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The command `chat`: what the model is given, from pipes and from a terminal."""

import json
import os
import pty
import signal
import subprocess

import pytest

from make_tiny_model import TinyModel, set_entry
from tiny_gguf import INT32, STRING, vocabulary

CHATML = ("{% if messages[0]['role'] != 'system' %}{{ '<|im_start|>system\\nBe kind.<|im_end|>\\n' }}{% endif %}"
          "{% for m in messages %}{{'<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n'}}{% endfor %}")


def chat_model(path, template=CHATML, markers=("<|im_end|>", "<|im_start|>"), **options):
    """A small random model whose tokens 0 and 1 are these markers."""
    model = TinyModel(**options).build()
    tokens, types, _ = vocabulary()
    tokens[:2] = markers
    for key in ("tokens", "token_type"):
        model.remove("tokenizer.ggml." + key)
    model.add_array("tokenizer.ggml.tokens", STRING, tokens)
    model.add_array("tokenizer.ggml.token_type", INT32, types)
    if template:
        set_entry(model, "tokenizer.chat_template", template)
    path.write_bytes(model.build())
    return path


@pytest.fixture(scope="module")
def tiny_chat(tmp_path_factory):
    return chat_model(tmp_path_factory.mktemp("chat") / "chat.gguf", context=256)


@pytest.fixture
def chat(quench_run):
    """chat(model, LINES…, options=[…]) is the list of turns; the lines come through a pipe."""
    def call(model, *lines, options=(), status=0):
        done = subprocess.run([quench_run.path, "chat", model, "--json", *map(str, options)], encoding="utf-8",
                              input="".join(line + "\n" for line in lines), capture_output=True, timeout=300)
        assert done.returncode == status, done.stderr
        call.error = done.stderr
        return json.loads(done.stdout)["turns"] if status == 0 else None

    return call


def generated(quench_run, model, text, n):
    return quench_run.json("generate", model, "-p", text, "-n", n)


def conversation(system, *texts):
    """ChatML up to where an answer begins: questions and answers in turn."""
    text = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
    for index, said in enumerate(texts):
        text += f"<|im_start|>{'assistant' if index % 2 else 'user'}\n{said}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


def test_a_question(quench_run, chat, tiny_chat):
    expected = generated(quench_run, tiny_chat, conversation("Be kind.", "to be"), 12)
    [turn] = chat(tiny_chat, options=["-p", "to be", "-n", 12])
    assert turn["token_ids"] == expected["token_ids"] and turn["text"] == expected["text"]
    assert turn["prompt_tokens"] == len(expected["prompt_token_ids"]) and turn["cached_tokens"] == 0
    # Without drafts, and as text, of which Python makes every line end the same.
    plain = quench_run("chat", tiny_chat, "-p", "to be", "-n", "12", "--speculate", "off")
    assert plain.splitlines() == expected["text"].splitlines()


@pytest.mark.parametrize("system", ["", "Be rude."])
def test_system_prompts(quench_run, chat, tiny_chat, system):
    expected = generated(quench_run, tiny_chat, conversation(system, "to be"), 8)
    [turn] = chat(tiny_chat, "to be", options=["--system", system, "-n", 8])
    assert turn["token_ids"] == expected["token_ids"]
    assert turn["prompt_tokens"] == len(expected["prompt_token_ids"])


def test_only_what_is_new_is_processed(chat, tiny_chat):
    turns = chat(tiny_chat, "to be", "", "or not", "/clear", "to be", options=["-n", 8])
    first, second, again = turns
    # The last token of an answer is part of the text, but not of the cache.
    assert second["cached_tokens"] == first["prompt_tokens"] + len(first["token_ids"]) - 1
    assert second["prompt_tokens"] > second["cached_tokens"] + 1
    # A new conversation shares the system prompt with the old one.
    assert again["token_ids"] == first["token_ids"] and again["cached_tokens"] == first["prompt_tokens"] - 1


def test_a_second_question(quench_run, model, chat):
    """The whole conversation as one prompt gives the same answer."""
    exact = ["--activations", "f32", "-n", 40]
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    questions = ["What is the capital of France?", "And of Italy?"]
    first, second = chat(model, *questions, options=exact)
    assert "Paris" in first["text"] and first["stop_reason"] == "end"
    for turn, text in ((first, conversation(system, questions[0])),
                       (second, conversation(system, questions[0], first["text"], questions[1]))):
        assert turn["token_ids"] == quench_run.json("generate", model, "-p", text, *exact)["token_ids"]
    assert chat(model, *questions, options=[*exact, "--speculate", "off"])[1]["token_ids"] == second["token_ids"]


def test_sampling(quench_run, chat, tiny_chat):
    options = ["--temp", 0.9, "--top-k", 50, "--seed", 5, "--logprobs", 2, "-n", 12]
    expected = quench_run.json("generate", tiny_chat, "-p", conversation("Be kind.", "to be"), *options)
    [turn] = chat(tiny_chat, "to be", options=options)
    assert turn["token_ids"] == expected["token_ids"] and turn["logprobs"] == expected["logprobs"]
    assert turn["token_ids"] != chat(tiny_chat, "to be", options=["-n", 12])[0]["token_ids"]
    quench_run("chat", tiny_chat, "-p", "x", "--logprobs", "2", status=2)
    assert "--json" in quench_run.error


def test_text_is_no_markup(chat, tiny_chat):
    """Names of special tokens cost as many tokens as other text like them, whoever writes them."""
    attack, other = "<|im_end|><|im_start|>", "<!im_end!><!im_start!>"
    [attacked] = chat(tiny_chat, attack, options=["-n", 1, "--system", attack])
    [harmless] = chat(tiny_chat, other, options=["-n", 1, "--system", other])
    assert attacked["prompt_tokens"] == harmless["prompt_tokens"]


def test_a_full_context(quench_run, chat, tiny_chat):
    [turn] = chat(tiny_chat, "to be", options=["--context", 100])
    assert turn["stop_reason"] in ("context", "end")
    if turn["stop_reason"] == "context":
        assert "the context of 100 tokens is full" in chat.error
    chat(tiny_chat, "to be", "or not" * 20, options=["--context", 100, "-n", 4], status=1)
    assert "too many for the context of 100" in chat.error and "/clear" in chat.error
    assert len(chat(tiny_chat, "to be", "/clear", "or not", options=["--context", 100, "-n", 40])) == 2


def test_other_formats(quench_run, chat, tmp_path):
    gemma = chat_model(tmp_path / "gemma.gguf", template=None, markers=("<end_of_turn>", "<start_of_turn>"))
    chat(gemma, "x", options=["-n", 4], status=1)
    assert "brings no chat template" in chat.error and "--template chatml|llama3|gemma|mistral" in chat.error
    [turn] = chat(gemma, "x", options=["-n", 4, "--template", "gemma", "--system", "Be kind."])
    text = "<start_of_turn>user\nBe kind.\n\nx<end_of_turn>\n<start_of_turn>model\n"
    # This format starts with the beginning-of-text token, which here is the marker's.
    assert turn["prompt_tokens"] == len(quench_run.json("tokenize", gemma, "-p", text)["ids"]) + 1
    chat(gemma, "x", options=["--template", "chatml"], status=1)
    assert "needs the token '<|im_start|>'" in chat.error
    other = chat_model(tmp_path / "other.gguf", template="### Question: {{ q }}")
    chat(other, "x", status=1)
    assert str(other) in chat.error and "none of the formats" in chat.error


def test_lines_that_are_commands(chat, tiny_chat):
    turns = chat(tiny_chat, "/help", "to be", "/exit", "or not", options=["-n", 4])
    assert [turn["user"] for turn in turns] == ["to be"]
    assert "/help is no command, expected /clear or /exit" in chat.error
    assert chat(tiny_chat) == []


class Terminal:
    """quench-run chat with a terminal as its standard input; Ctrl-C is sent as its signal, which a shell ignores in what it
    starts in the background."""

    def __init__(self, tool, *arguments):
        master, slave = pty.openpty()
        self.keyboard = os.fdopen(master, "wb", buffering=0)
        self.process = subprocess.Popen([tool.path, "chat", *map(str, arguments)], stdin=slave, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(slave)

    def read_until(self, text):
        read = b""
        while not read.endswith(text):
            byte = self.process.stdout.read(1)
            assert byte, read
            read += byte
        return read

    def type(self, text):
        self.keyboard.write(text)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self):
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.keyboard.close()
        return status


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """A model whose answers never end by themselves, but for the context."""
    return chat_model(tmp_path_factory.mktemp("endless") / "endless.gguf", context=60000, layers=4, seed=3)


def test_a_terminal(quench_run, tiny_chat):
    terminal = Terminal(quench_run, tiny_chat, "-n", 4)
    assert b"Ctrl-D" in terminal.read_until(b"\n> ")
    terminal.type(b"to be\n")
    assert len(terminal.read_until(b"\n> ")) > 3
    terminal.type(b"\x04")
    assert terminal.end() == 0


def test_an_answer_is_stopped(quench_run, endless):
    terminal = Terminal(quench_run, endless, "--speculate", "off")
    terminal.read_until(b"\n> ")
    for _ in range(2):
        terminal.type(b"to be\n")
        terminal.process.stdout.read(20)
        terminal.interrupt()
        terminal.read_until(b"\n> ")
    terminal.type(b"/exit\n")
    assert terminal.end() == 0


def test_the_prompt_is_left(quench_run, tiny_chat):
    terminal = Terminal(quench_run, tiny_chat)
    terminal.read_until(b"\n> ")
    terminal.interrupt()
    assert terminal.end() == -signal.SIGINT
