# ===- test_run_fuzzers.py - the runner of the fuzz targets sees failures ---===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""With targets that are shell scripts; what libFuzzer itself does is not tested here."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

SCRIPT = pathlib.Path(__file__).with_name("run_fuzzers.py")
DONE = 'case "$*" in *max_total_time=3*) echo "stat::number_of_executed_units: 5";; esac'


def run(folder, body, name="fuzz-gguf"):
    target = folder / name
    target.write_text(f"#!/bin/sh\n{body}\n")
    target.chmod(0o755)
    done = subprocess.run([sys.executable, SCRIPT, "--seconds", "3", "--findings", folder, "--junit", folder / "out.xml", target],
                          capture_output=True, text=True, check=False)
    cases = ElementTree.parse(folder / "out.xml").getroot().iter("testcase")
    return done.returncode, {case.get("name"): case.find("failure") for case in cases}


def test_success(tmp_path):
    status, cases = run(tmp_path, DONE)
    assert status == 0 and cases == {"gguf.corpus": None, "gguf.random": None}


@pytest.mark.parametrize("body, failing", [
    ("printf 'bad \\001 input'; exit 77", ["gguf.corpus"]),
    ('case "$*" in *max_total_time*) exit 1;; esac', ["gguf.random"]),
    ("exit 0", ["gguf.random"]),  # it executed nothing
])
def test_failures(tmp_path, body, failing):
    status, cases = run(tmp_path, body)
    assert status == 1 and [name for name, failure in cases.items() if failure is not None] == failing


def test_no_corpus(tmp_path):
    status, cases = run(tmp_path, DONE, name="fuzz-nothing")
    assert status == 1 and "no input" in cases["nothing.corpus"].get("message")
