#===- summarize.py - one count of every test of a run ---------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Adds up the results that check.sh left in a folder and prints `N passed, N failed, N skipped` as its last line.

usage: summarize.py FOLDER

FOLDER/steps.tsv has a line for each step: name, kind, exit status. What a step counts for depends on its kind:
  suite  the test cases of FOLDER/<name>.xml (JUnit format, as ctest, lit and pytest write it); a suite that ran
         no case, or that exited non-zero with no case failed, is one failure
  check  one test, passed if the exit status is 0
  build  nothing, or one failure
A case may be skipped only for want of hardware, which the reason has to name; any other skip is a failure.
The exit status is 0 if at least one test passed and none failed, and 1 otherwise.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

KINDS = ("suite", "check", "build")
# What a reason for skipping must contain: an instruction set (lit names the feature), or a kind of device.
HARDWARE = re.compile(
    r"\b(avx2|avx-?vnni|avx-?512\w*|f16c|fma|neon|x86[-_]64|aarch64|cuda[- ]device|gpu|cores?|memory)\b",
    re.IGNORECASE)


class Summary:
    """Counts, with a line of text for each failure and each skip."""

    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def add_step(self, folder, name, kind, status):
        if kind not in KINDS:
            raise ValueError(f"step {name}: kind '{kind}' is none of {', '.join(KINDS)}")
        if kind == "suite":
            self._add_suite(folder / f"{name}.xml", name, status)
        elif status != 0:
            self.failures.append(f"{name}: exit status {status}")
        elif kind == "check":
            self.passed += 1

    def _add_suite(self, path, name, status):
        try:
            cases = list(ElementTree.parse(path).getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError) as error:
            self.failures.append(f"{name}: no readable results ({error}), exit status {status}")
            return
        failed_before = len(self.failures)
        for case in cases:
            self._add_case(f"{name}: {label_of(case)}", case)
        if not cases:
            self.failures.append(f"{name}: ran no test, exit status {status}")
        elif status != 0 and len(self.failures) == failed_before:
            self.failures.append(f"{name}: no test failed, but the exit status is {status}")

    def _add_case(self, label, case):
        skip = case.find("skipped")
        # ctest marks a test that could not be started as not run, and one switched off as disabled.
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            self.failures.append(label)
        elif skip is not None or case.get("status") in ("notrun", "disabled"):
            reason = reason_of(case, skip)
            if HARDWARE.search(reason):
                self.skips.append(f"{label}: {reason}")
            else:
                self.failures.append(f"{label}: skipped, but the reason names no hardware: {reason or 'none given'}")
        else:
            self.passed += 1

    def exit_status(self):
        return 1 if self.failures or self.passed == 0 else 0

    def last_line(self):
        return f"{self.passed} passed, {len(self.failures)} failed, {len(self.skips)} skipped"


def label_of(case):
    group, name = case.get("classname", ""), case.get("name", "")
    return name if group in ("", name) else f"{group}.{name}"


def reason_of(case, skip):
    """Why a case was skipped: ctest passes on what the test printed, the others give a message."""
    # GoogleTest prints `file:line: Skipped`, then the reason on the lines up to the next marker.
    output = case.findtext("system-out") or ""
    found = re.search(r"^.*: Skipped\n(.*?)(?=^\[)", output, re.MULTILINE | re.DOTALL)
    if found:
        reason = found.group(1)
    elif skip is not None:
        reason = f"{skip.get('message', '')} {skip.text or ''}"
    else:
        reason = ""
    return " ".join(reason.split())


def read_steps(folder):
    """The steps as (name, kind, exit status)."""
    for line in (folder / "steps.tsv").read_text(encoding="utf-8").splitlines():
        name, kind, status = line.split("\t")
        yield name, kind, int(status)


def summarize(folder):
    summary = Summary()
    for name, kind, status in read_steps(folder):
        summary.add_step(folder, name, kind, status)
    return summary


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: summarize.py FOLDER")
    summary = summarize(pathlib.Path(sys.argv[1]))
    for line in summary.skips:
        print(f"skipped: {line}")
    for line in summary.failures:
        print(f"failed:  {line}")
    print(summary.last_line())
    return summary.exit_status()


if __name__ == "__main__":
    sys.exit(main())
