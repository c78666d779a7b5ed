# ===- run_sanitized.py - emitted code under sanitizers ---------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Compiles tiny models with LLVM's sanitizers on the emitted code and runs them in sanitized builds of the runtime.

usage: run_sanitized.py --tools build/bin --asan-runner RUN_STEP --tsan-runner RUN_STEP --junit FILE [--filter TEXT]

thread   The intact code has to be free of races. Then each barrier is left out in turn, and each time a race has to be
         reported: there is no barrier without need, and a missing one does not go unnoticed.
address  Memory that the runtime hands out without giving it to anybody (the rest of an arena, of a page, and the gaps
         between buffers) is poisoned; the code has to keep away from it.

Every run is a test case of the JUnit file. The runners are `run-step` of the runtime's own builds.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from make_tiny_model import MIXED, WIDE, TinyModel  # noqa: E402

# Exit statuses that the sanitizers are told to use, unlike any of the runner's own.
FOUND = 66
QUICK = f"halt_on_error=1:exitcode={FOUND}:symbolize=0"
OPTIONS = {
    "TSAN_OPTIONS": f"halt_on_error=1:exitcode={FOUND}",
    "ASAN_OPTIONS": f"exitcode={FOUND}:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
# Seconds, many times what a busy machine takes: a missing barrier can also leave threads waiting for each other.
COMPILE_TIMEOUT, RUN_TIMEOUT = 3600, 300
# Runs of code without a barrier until one reports a race; a race that happens is reported almost always.
ATTEMPTS = 5


@dataclasses.dataclass
class Subject:
    """A model and how it is compiled. All take the threads through the same stages; the formats differ in kernels."""
    name: str
    activations: str
    model: TinyModel
    sanitizer: str
    portable: bool = False
    draft: bool = False  # the model drafts for itself


def subjects():
    # Three layers, so that there is one with neighbours on both sides. Heads of a multiple of 32 are quantized where
    # they are computed, others after a barrier.
    wide, narrow = TinyModel(layers=3, heads=2, cache_heads=1, head_dim=32), TinyModel(layers=3)
    yield Subject("i8", "i8", wide, "thread")
    yield Subject("f32", "f32", narrow, "thread")
    yield Subject("draft", "i8", wide, "thread", draft=True)
    # A layer that sees all positions, between layers with a window.
    yield Subject("gemma3", "i8", TinyModel("gemma3", layers=3, keys={"attention.sliding_window_pattern": 2}),
                  "thread")
    yield Subject("gpt2", "i8", TinyModel("gpt2", cache_heads=4), "thread")
    yield Subject("phi3", "i8", TinyModel("phi3", keys={"rope.dimension_count": 12, "attention.sliding_window": 3}), "address")
    yield Subject("gpt2-f32", "f32", TinyModel("gpt2", cache_heads=4, feed_forward=100, format="F16"), "address")
    yield Subject("q4_1-i8", "i8", narrow, "address")
    yield Subject("q4_1-f32", "f32", wide, "address")
    yield Subject("q8_0-portable", "i8", TinyModel(format="Q8_0", embedding_format="F32", separate_head=True), "address",
                  portable=True)
    yield Subject("f16", "f32", TinyModel(format="F16", embedding_format="F16"), "address")
    yield Subject("mixed-i8", "i8", TinyModel(formats=MIXED, **WIDE), "address")
    yield Subject("mixed-f32", "f32", TinyModel(formats=MIXED, **WIDE), "address")


class Failure(Exception):
    """What went wrong, for the report."""


def call(*command, timeout, ok=(0,), **environment):
    """Exit status and all output of a program."""
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                              stdin=subprocess.DEVNULL, env={**os.environ, **OPTIONS, **environment})
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(command)}: not finished after {timeout} s") from None
    output = done.stdout.decode(errors="replace")
    if done.returncode not in ok:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{output}")
    return done.returncode, output


def join_draft(program, tools):
    """Makes a program its own draft, too."""
    _, text = call(tools / "quench-opt", program, "--mlir-print-local-scope", timeout=COMPILE_TIMEOUT)
    head, brace, body = text.partition("{\n") if text.startswith("module {") else text.partition("} {\n")
    draft = head.replace("module", "module @draft", 1) + brace + body
    program.write_text(head + brace + draft + "\n" + body)
    _, text = call(tools / "quench-opt", program, "--quench-join-draft", "--quench-add-speculation=source=model",
                   timeout=COMPILE_TIMEOUT)
    program.write_text(text)


def prepare(subject, tools, folder):
    """Compiles a subject; the model's path and the number of barriers."""
    folder.mkdir()
    model, program = folder / "model.gguf", folder / "program.mlir"
    model.write_bytes(subject.model.build().build())
    call(tools / "quench-import", model, f"--activations={subject.activations}", "-o", program,
         timeout=COMPILE_TIMEOUT)
    if subject.draft:
        join_draft(program, tools)
    options = ["--portable"] if subject.portable else []
    if subject.sanitizer == "thread":
        options.append("--without-barriers")
    _, output = call(tools / "compile-step", f"--sanitize={subject.sanitizer}", *options, program, folder,
                     timeout=COMPILE_TIMEOUT)
    return model, int(output)


def run_clean(runner, library, model):
    call(runner, library, model, 2, 3, timeout=RUN_TIMEOUT)


def run_racy(runner, library, model):
    for _ in range(ATTEMPTS):
        status, output = call(runner, library, model, 3, 2, timeout=RUN_TIMEOUT, ok=(0, 1, FOUND), TSAN_OPTIONS=QUICK)
        if "ThreadSanitizer: data race" in output:
            return
    raise Failure(f"no race was reported, exit status {status}\n{output}")


class Report:
    """Results by name, as a JUnit file and on standard output."""

    def __init__(self):
        self.suite = ElementTree.Element("testsuite", name="sanitize")
        self.failed = 0

    def add(self, group, name, seconds, message):
        case = ElementTree.SubElement(self.suite, "testcase", classname=group, name=name, time=f"{seconds:.2f}")
        print(f"{'FAILED' if message else 'ok':6} {group}.{name} ({seconds:.1f} s)", flush=True)
        if message:
            self.failed += 1
            ElementTree.SubElement(case, "failure", message=message.splitlines()[0]).text = message
            print(message, flush=True)

    def write(self, path):
        ElementTree.ElementTree(self.suite).write(path, encoding="utf-8", xml_declaration=True)


def timed(action, *arguments):
    """Seconds, the result and the failure's text, if any."""
    start = time.monotonic()
    result = message = None
    try:
        result = action(*arguments)
    except Failure as failure:
        message = str(failure)
    return time.monotonic() - start, result, message


def run_all(chosen, tools, runners, folder, report):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        compiled = {
            pool.submit(timed, prepare, subject, tools, folder / f"{subject.sanitizer}-{subject.name}"): subject
            for subject in chosen
        }
        runs = []
        for future in concurrent.futures.as_completed(compiled):
            subject = compiled[future]
            group = f"{subject.sanitizer}.{subject.name}"
            seconds, result, message = future.result()
            report.add(group, "compile", seconds, message)
            if message:
                continue
            model, barriers = result
            runner = runners[subject.sanitizer]
            runs.append((group, "intact", pool.submit(timed, run_clean, runner, model.parent / "intact.so", model)))
            if subject.sanitizer == "thread":
                runs += [(group, f"without-barrier-{i}",
                          pool.submit(timed, run_racy, runner, model.parent / f"without-{i}.so", model))
                         for i in range(barriers)]
        for group, name, future in runs:
            seconds, _, message = future.result()
            report.add(group, name, seconds, message)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--asan-runner", type=pathlib.Path, required=True)
    parser.add_argument("--tsan-runner", type=pathlib.Path, required=True)
    parser.add_argument("--junit", type=pathlib.Path, required=True)
    parser.add_argument("--filter", default="", help="only subjects with this in `sanitizer.name`")
    parser.add_argument("--keep", type=pathlib.Path, help="a new folder that keeps what is compiled")
    arguments = parser.parse_args()

    chosen = [s for s in subjects() if arguments.filter in f"{s.sanitizer}.{s.name}"]
    report = Report()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if arguments.keep:
            folder = arguments.keep
            folder.mkdir()
        run_all(chosen, arguments.tools, {"address": arguments.asan_runner, "thread": arguments.tsan_runner}, folder,
                report)
    report.write(arguments.junit)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
