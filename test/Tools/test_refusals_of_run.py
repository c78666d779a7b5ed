# ===- test_refusals_of_run.py - what quench-run refuses, and how -----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Every refusal is one line on standard error that names what is wrong, an exit status, and nothing left behind."""

import json
import os
import subprocess
import sys

import make_malformed
import pytest
from make_tiny_model import TinyModel


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny") / "tiny.gguf"
    path.write_bytes(TinyModel().build().build())
    return path


@pytest.fixture
def cache(tmp_path):
    """A cache of its own, so that what a failed run leaves there shows."""
    return {"QUENCH_CACHE": str(tmp_path / "cache")}


def check_refused(run, *arguments, status, mentions=(), env=None, timeout=600):
    assert run(*arguments, status=status, env=env, timeout=timeout) == ""
    message = run.error
    assert message.count("\n") == 1 and message.startswith("quench-run: error: "), message
    for mention in mentions:
        assert mention in message
    return message


USAGE = {
    "no command": ([], "generate"),
    "an unknown command": (["fly"], "'fly'"),
    "no model": (["tokenize"], "model is required"),
    "an unknown option": (["tokenize", "MODEL", "-p", "x", "--colour"], "--colour"),
    "no text": (["tokenize", "MODEL"], "-p TEXT"),
    "two texts": (["tokenize", "MODEL", "-p", "x", "-f", "y"], "--file"),
    "a text to decode": (["tokenize", "MODEL", "--decode", "1", "-p", "x"], "--decode"),
    "ids that are none": (["tokenize", "MODEL", "--decode", "1,x"], "'x'"),
    "negative ids": (["tokenize", "MODEL", "--decode", "-1"], "'-1'"),
    "no tokens to generate": (["generate", "MODEL", "-p", "x", "-n", "0"], "0"),
    "a number with letters": (["generate", "MODEL", "-p", "x", "-n", "3x"], "3x"),
    "a negative temperature": (["generate", "MODEL", "-p", "x", "--temp", "-1"], "--temp: found -1, expected 0"),
    "a temperature that is no number": (["generate", "MODEL", "-p", "x", "--temp", "nan"], "--temp: found nan"),
    "an infinite temperature": (["generate", "MODEL", "-p", "x", "--temp", "inf"], "--temp: found inf"),
    "a negative top-k": (["generate", "MODEL", "-p", "x", "--temp", "1", "--top-k", "-1"], "--top-k"),
    "a top-p over 1": (["generate", "MODEL", "-p", "x", "--temp", "1", "--top-p", "1.1"], "--top-p: found 1.1, expected 0 to 1"),
    "a negative min-p": (["generate", "MODEL", "-p", "x", "--temp", "1", "--min-p", "-0.1"], "--min-p: found -0.1, expected 0 to 1"),
    "a repeat penalty of 0": (["generate", "MODEL", "-p", "x", "--repeat-penalty", "0"], "--repeat-penalty: found 0, expected a positive"),
    "an infinite penalty": (["generate", "MODEL", "-p", "x", "--presence-penalty", "inf"], "--presence-penalty: found inf"),
    "a window of -2": (["generate", "MODEL", "-p", "x", "--repeat-last-n", "-2"], "--repeat-last-n"),
    "a bias of no token": (["generate", "MODEL", "-p", "x", "--logit-bias", "the+1"], "--logit-bias: found 'the+1', expected a token id"),
    "a bias without a sign": (["generate", "MODEL", "-p", "x", "--logit-bias", "5"], "'5'"),
    "a bias with two signs": (["generate", "MODEL", "-p", "x", "--logit-bias", "5+-1"], "'5+-1'"),
    "a bias that is no number": (["generate", "MODEL", "-p", "x", "--logit-bias", "5+nan"], "--logit-bias"),
    "a token that must come": (["generate", "MODEL", "-p", "x", "--logit-bias", "5+inf"], "found inf"),
    "a bias beyond the vocabulary": (["generate", "MODEL", "-p", "x", "--logit-bias", "288+1"], "expected a token from 0 to 287"),
    "log-probabilities without --json": (["generate", "MODEL", "-p", "x", "--logprobs", "1"], "--json"),
    "a negative seed": (["generate", "MODEL", "-p", "x", "--temp", "1", "--seed", "-1"], "--seed"),
    "an empty stop": (["generate", "MODEL", "-p", "x", "--stop", ""], "--stop"),
    "a draft of 8": (["generate", "MODEL", "-p", "x", "--draft-tokens", "8"], "8"),
    "an unknown source": (["generate", "MODEL", "-p", "x", "--speculate", "magic"], "magic"),
    "a proof without drafts": (["generate", "MODEL", "-p", "x", "--check-lossless", "--speculate", "off"], "--speculate"),
    "no threads": (["generate", "MODEL", "-p", "x", "--threads", "0"], "0"),
    "activations of no kind": (["generate", "MODEL", "-p", "x", "--activations", "i4"], "i4"),
    "nothing to score": (["score", "MODEL"], "--tokens"),
    "two things to score": (["score", "MODEL", "--tokens", "1", "-p", "x"], "--tokens"),
    "no text to evaluate": (["eval", "MODEL"], "--text"),
    "a window of 1": (["eval", "MODEL", "--text", "MODEL", "--context", "1"], "1"),
    "a window of 2": (["eval", "MODEL", "--text", "MODEL", "--context", "2"], "3"),
    "a width of 0": (["bench", "MODEL", "--prompt-tokens", "8", "--gen-tokens", "4", "--widths", "0"], "--widths: found 0"),
    "a width of 1000": (["bench", "MODEL", "--prompt-tokens", "8", "--gen-tokens", "4", "--widths", "1000"], "expected 1 to"),
    "no place for a package": (["compile", "MODEL"], "--output"),
    "a package in no folder": (["compile", "MODEL", "-o", "no/such/folder"], "no/such/"),
    "a package over a file": (["compile", "MODEL", "-o", "MODEL"], "exists already"),
    "weights for a GGUF file": (["compile", "MODEL", "-o", "new", "--weights", "w"], "--weights"),
    "a program of no package": (["compile", "prog.mlir", "--from", "MODEL", "-o", "new"], "prog.mlir"),
    "a function without @": (["call", "prog.mlir", "f"], "@main"),
    "an unknown action": (["cache", "burn"], "burn"),
}


@pytest.mark.parametrize("arguments, mention", USAGE.values(), ids=USAGE)
def test_command_line(quench_run, tiny, cache, arguments, mention):
    arguments = [str(tiny) if a == "MODEL" else a for a in arguments]
    status = 1 if "prog.mlir" in arguments and "--from" in arguments else 2
    check_refused(quench_run, *arguments, status=status, mentions=[mention], env=cache)


def test_limit_of_the_cache(quench_run, cache):
    check_refused(quench_run, "cache", status=2, env={**cache, "QUENCH_CACHE_LIMIT": "much"},
                  mentions=["QUENCH_CACHE_LIMIT", "'much'", "20G"])


COMMANDS = {
    "generate": ["-p", "x", "-n", "1"],
    "tokenize": ["-p", "x"],
    "score": ["--tokens", "1"],
    "bench": ["--prompt-tokens", "8", "--gen-tokens", "4"],
    "inspect": [],
    "compile": ["-o", "new"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_models_that_are_none(quench_run, cache, tmp_path, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("This is no model.\n")
    for name, mention in {"missing": "No such file", "folder": "manifest.json", "text": "GGUF"}.items():
        check_refused(quench_run, command, tmp_path / name, *COMMANDS[command], status=1, env=cache,
                      mentions=[str(tmp_path / name), mention])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_pipe_is_no_model(quench_run, cache, tmp_path, command):
    """Nobody writes into it, so it must not be waited for."""
    os.mkfifo(tmp_path / "pipe")
    check_refused(quench_run, command, tmp_path / "pipe", *COMMANDS[command], status=1, env=cache,
                  mentions=[str(tmp_path / "pipe"), "not a regular file"], timeout=20)


@pytest.fixture(scope="module")
def malformed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("malformed")
    subprocess.run([sys.executable, make_malformed.__file__, folder], check=True)
    return folder


# Cases that quench-run finds in the vocabulary, which it checks whatever file it came from.
MENTIONS = {"token_types_too_few": "3 token types", "end_token_out_of_range": "end-of-text token is 100000",
            "scores_too_few": "17 scores", "score_not_a_number": "token 7 has the score nan",
            "piece_twice": "is the same as token 270", "byte_token_without_a_byte": "token 68 ('<0xA>')",
            "byte_token_missing": "none for the byte 0x41"}


@pytest.mark.parametrize("name", [case[0] for case in make_malformed.CASES])
def test_malformed_files(quench_run, malformed, cache, tmp_path, name):
    case = next(c for c in json.loads((malformed / "cases.json").read_text()) if c["name"] == name)
    path = malformed / case["file"]
    check_refused(quench_run, "compile", path, "-o", tmp_path / "new", status=1, env=cache,
                  mentions=[str(path), MENTIONS.get(name, case["mentions"])])
    assert not list(tmp_path.glob("new*")), "something was left behind"
    check_refused(quench_run, "generate", path, "-p", "x", "-n", "1", status=1, env=cache, mentions=[str(path)])
    quench_run("inspect", path, "--no-kernels", status=1 if case["level"] == "container" else 0, env=cache)


def test_lengths_are_checked_before_work(quench_run, tiny, cache, tmp_path):
    """Prompt and -n over the context: nothing has been compiled by then."""
    message = check_refused(quench_run, "generate", tiny, "-p", "x" * 100, "-n", "100", status=1, env=cache)
    assert "100" in message and "128" in message
    check_refused(quench_run, "generate", tiny, "-p", "x" * 300, status=1, env=cache, mentions=["300", "128"])
    check_refused(quench_run, "generate", tiny, "-p", "x", "-n", "8", "--context", "8", status=1, env=cache,
                  mentions=["--context"])
    check_refused(quench_run, "generate", tiny, "-p", "", "-n", "1", status=1, env=cache, mentions=["no tokens"])
    check_refused(quench_run, "score", tiny, "--tokens", ",".join(["1"] * 129), status=1, env=cache, mentions=["129"])
    (tmp_path / "short").write_text("short")
    check_refused(quench_run, "eval", tiny, "--text", tmp_path / "short", "--context", "16", status=1, env=cache,
                  mentions=["5 tokens", "16"])
    assert json.loads(quench_run("cache", "--json", env=cache))["entries"] == []


@pytest.mark.parametrize("tokens", ["288", "0,1,999999", "2147483647"])
def test_ids_beyond_the_vocabulary(quench_run, tiny, tokens):
    check_refused(quench_run, "tokenize", tiny, "--decode", tokens, status=1, mentions=[tokens.split(",")[-1]])
    check_refused(quench_run, "score", tiny, "--tokens", tokens, status=1, mentions=[tokens.split(",")[-1]])


def test_unsupported_targets(quench_run, tiny, cache, tmp_path):
    for target in ("abacus", "pdp11:any", "../../x"):
        check_refused(quench_run, "compile", tiny, "-o", tmp_path / "new", "--target", target, status=1, env=cache,
                      mentions=["--target " + target])
        assert not list(tmp_path.glob("new*"))


ARRAY = "tensor<4x8xf32>"
PROGRAMS = {
    "nothing": ("", "no function"),
    "no MLIR": ("This is no program.", ":1:1"),
    "an unknown op": ('func.func @f() { "quench.fly"() : () -> () return }', "quench.fly"),
    "no entry": ("func.func @f() { return }", "quench.entry"),
    "a deep nest": ("module attributes {a = " + "[" * 100000 + "]" * 100000 + "} {}", "nested more than"),
    "a reserved name": ("func.func @quench_query() attributes {quench.entry} { return }", "the compiler's own"),
    "a long affine map": ("#m = affine_map<(d0) -> (" + "-" * 2000000 + "d0)>", "expression of more than"),
    "a long sum": (
        "func.func @f(%m: memref<4xf32>, %i: index) -> f32 { %0 = affine.load %m[" + "+".join(["%i"] * 400000) +
        "] : memref<4xf32> return %0 : f32 }", "expression of more than"),
    "a long chain of remainders": ("#m = affine_map <(d0) -> (d0" + " mod 2" * 400000 + ")>", "expression of more than"),
    "foreign code": (
        'llvm.func @system(!llvm.ptr)\nfunc.func @f() attributes {quench.entry} { return }', "'llvm.func' op is not part"),
    "inline assembly": (
        'func.func @f() attributes {quench.entry} { llvm.inline_asm "nop", "" : () -> () return }',
        "'llvm.inline_asm' op is not part"),
    "raw memory": (
        "func.func @f(%x: memref<4xf32>) attributes {quench.entry} { memref.dealloc %x : memref<4xf32> return }",
        "'memref.dealloc' op is not part"),
    "an op of a later stage": (
        "func.func @f() attributes {quench.entry} { quench.barrier return }", "'quench.barrier' op belongs to a later"),
    "a kernel of one's own": (
        "func.func @f() attributes {quench.entry, quench.kernel} { return }", "'func.func' op belongs to a later"),
    "a function of libm": (
        f"func.func @f(%x: {ARRAY}) -> {ARRAY} attributes {{quench.entry}} {{ %y = math.sin %x : {ARRAY} return %y : {ARRAY} }}",
        "'math.sin' op has no expansion"),
    "another function of libm": (
        f"func.func @f(%x: {ARRAY}) -> {ARRAY} attributes {{quench.entry}} {{ %y = arith.remf %x, %x : {ARRAY} return %y : {ARRAY} }}",
        "needs the function 'fmodf'"),
    "a result that nobody can take": (
        "func.func @f(%x: i64) -> i1 attributes {quench.entry} { %y = arith.trunci %x : i64 to i1 return %y : i1 }",
        "result 0 of an entry point has type 'i1'"),
    "an unbounded size": (
        "func.func @f(%x: tensor<?xf32>) attributes {quench.entry} { return }", "put quench.max_rows on the module"),
    "functions that double": ("\n".join(
        f"""func.func private @f{i}(%x: {ARRAY}) -> {ARRAY} {{
          %a = call @f{i - 1}(%x) : ({ARRAY}) -> {ARRAY}
          %b = call @f{i - 1}(%a) : ({ARRAY}) -> {ARRAY}
          %c = arith.addf %a, %b : {ARRAY}
          return %c : {ARRAY} }}""" for i in range(1, 31)) + f"""
        func.func private @f0(%x: {ARRAY}) -> {ARRAY} {{ %y = arith.addf %x, %x : {ARRAY} return %y : {ARRAY} }}
        func.func @f(%x: {ARRAY}) -> {ARRAY} attributes {{quench.entry}} {{
          %a = call @f30(%x) : ({ARRAY}) -> {ARRAY}
          return %a : {ARRAY} }}""", "make the program too large"),
    "weights from nowhere": (
        'quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.q8_0>\nfunc.func @f() attributes {quench.entry} { return }',
        "--weights"),
    "a broken shape": ('quench.weight @w {key = "w"} : !quench.qtensor<8x33, #quench.q8_0>', ":1:"),
}


@pytest.mark.parametrize("text, mention", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(quench_run, cache, tmp_path, text, mention):
    path = tmp_path / "prog.mlir"
    path.write_text(text)
    check_refused(quench_run, "compile", path, "-o", tmp_path / "new", status=1, env=cache,
                  mentions=[str(path), mention])
    assert not list(tmp_path.glob("new*"))


def test_bytecode_without_a_seal(quench_run, quench_opt, cache, tiny, tmp_path):
    """What upstream's reader might not survive never reaches it."""
    package = tmp_path / "package"
    quench_run("compile", tiny, "-o", package, env=cache)
    program = (package / "program.mlirbc").read_bytes()
    bare = tmp_path / "prog.mlirbc"
    for bad, mention in ((program[:program.rindex(b"\nquench-program")], "checksum"),
                         (program[:100] + b"\x7f" + program[101:], "damaged"), (program[:-1], "checksum")):
        bare.write_bytes(bad)
        check_refused(quench_run, "compile", bare, "--from", package, "-o", tmp_path / "new", status=1, env=cache,
                      mentions=[str(bare), mention])
        quench_opt(bare, status=1)
        assert mention in quench_opt.error
    bare.write_bytes(program)
    assert "quench.verify" in quench_opt(bare)
