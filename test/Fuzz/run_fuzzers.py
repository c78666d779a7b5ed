#!/usr/bin/env python3
# ===- run_fuzzers.py - the parsers on inputs that are kept and made up -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""Runs fuzz targets, two tests for each: the inputs of its corpus, and inputs made up for a while.

usage: run_fuzzers.py [--seconds N] [--jobs N] [--findings FOLDER] [--junit FILE] TARGET...

TARGET is a program fuzz-NAME; its corpus is the folder corpus/NAME beside this script. An input that makes a target
fail is written to the folder of findings: a fix puts it into the corpus. Without --seconds, $QUENCH_FUZZ_SECONDS or 60.
The made-up inputs are the same each time, so that a check fails because of a change and not by chance: $QUENCH_FUZZ_SEED is another seed.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
# Seconds for one input, MB for one allocation and for the process, bytes of an input. A parser allocates a small
# multiple of what it is given.
LIMITS = ["-timeout=20", "-malloc_limit_mb=64", "-rss_limit_mb=2048", "-max_len=2048"]


class Result:
    def __init__(self, name, seconds, failure, text):
        self.name, self.seconds, self.failure, self.text = name, seconds, failure, text


def run(name, command):
    start = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="backslashreplace", check=False)
    failure = f"exit status {done.returncode}" if done.returncode else None
    return Result(name, time.monotonic() - start, failure, done.stdout)


def run_corpus(target, corpus):
    files = sorted(map(str, corpus.iterdir())) if corpus.is_dir() else []
    name = f"{corpus.name}.corpus"
    if not files:
        return Result(name, 0, f"no input in {corpus}", "")
    result = run(name, [target, *LIMITS, *files])
    if not result.failure:
        result.text = f"{len(files)} inputs"
    return result


def run_random(target, corpus, seconds, seed, findings):
    name = f"{corpus.name}.random"
    with tempfile.TemporaryDirectory() as found:
        result = run(name, [target, *LIMITS, f"-max_total_time={seconds}", f"-seed={seed}", "-print_final_stats=1",
                            f"-artifact_prefix={findings}/{corpus.name}-", found, corpus])
    executed = re.search(r"^stat::number_of_executed_units:\s*(\d+)", result.text, re.MULTILINE)
    if not result.failure and not (executed and int(executed[1])):
        result.failure = "nothing was executed"
    if not result.failure:
        result.text = f"{executed[1]} inputs"
    return result


def run_target(target, options):
    corpus = CORPUS / target.name.removeprefix("fuzz-")
    results = [run_corpus(target, corpus)]
    # What fails on a known input would find that one again.
    if not results[0].failure:
        results.append(run_random(target, corpus, options.seconds, options.seed, options.findings))
    for result in results:
        print(f"{'FAILED' if result.failure else 'ok    '} {result.name:20} {result.seconds:5.1f} s  "
              f"{result.failure or ''} {result.text}".rstrip(), flush=True)
    return results


def write_junit(path, results):
    suite = ElementTree.Element("testsuite", name="fuzz", tests=str(len(results)))
    for result in results:
        case = ElementTree.SubElement(suite, "testcase", classname="Fuzz", name=result.name, time=f"{result.seconds:.1f}")
        if result.failure:
            # XML has no way to write most control characters.
            text = re.sub(r"[^\t\n -\uD7FF]", "?", result.text[-20000:])
            ElementTree.SubElement(case, "failure", message=result.failure).text = text
    ElementTree.ElementTree(suite).write(path, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="+", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--seconds", type=int, default=int(os.environ.get("QUENCH_FUZZ_SECONDS", "60")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("QUENCH_FUZZ_SEED", "1")), help="0: another one each time")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--findings", default=".")
    parser.add_argument("--junit")
    options = parser.parse_args()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = [r for several in pool.map(lambda target: run_target(target, options), options.targets) for r in several]
    if options.junit:
        write_junit(options.junit, results)
    return 1 if any(result.failure for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
