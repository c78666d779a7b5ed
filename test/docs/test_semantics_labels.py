# ===- test_semantics_labels.py - each rule of the dialect has a test -------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The labels of docs/Dialects/Quench/Semantics.md are those that comments of tests cite."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Dialects" / "Quench" / "Semantics.md"
THEMES = "SHAPE|WEIGHT|NUM|BOUND|CACHE|SPEC"


def cited():
    """Label: files below test/ that have it."""
    files = {}
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix in (".mlir", ".test", ".cpp", ".h", ".c", ".py") and path != pathlib.Path(__file__).resolve():
            for label in re.findall(rf"\b(?:{THEMES})-\d+\b", path.read_text(encoding="utf-8")):
                files.setdefault(label, set()).add(path.relative_to(ROOT).as_posix())
    return files


def test_labels():
    text = PAGE.read_text(encoding="utf-8")
    labels = re.findall(r"(?m)^\*\*([A-Z]+-\d+)", text)
    assert len(labels) == len(set(labels)) > 20
    assert {label.split("-")[0] for label in labels} == set(THEMES.split("|"))
    files = cited()
    assert not set(labels) - set(files), "no test cites these"
    assert not set(files) - set(labels), "tests cite these, and the page lacks them"
    assert set(re.findall(rf"\b(?:{THEMES})-\d+\b", text)) == set(labels), "the page refers to a label that it lacks"
