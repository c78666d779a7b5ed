# ===- test_messages.py - docs/Troubleshooting.md speaks of real messages ---===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Each message of the page is in a string of the sources, as the parts between its `…`."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "Troubleshooting.md"
LITERAL = r'"(?:[^"\\\n]|\\.)*"'


def strings(text):
    """The string literals of a C++ file; those that follow one another are one."""
    for run in re.findall(rf"{LITERAL}(?:\s*{LITERAL})*", text):
        yield "".join(part[1:-1] for part in re.findall(LITERAL, run)).replace('\\"', '"')


@pytest.fixture(scope="module")
def sources():
    return [string for folder in ("runtime/lib", "lib", "tools") for path in sorted((ROOT / folder).rglob("*.cpp"))
            for string in strings(path.read_text(encoding="utf-8"))]


def messages():
    found = re.findall(r"(?m)^\| `([^`\n]+)` \|", PAGE.read_text(encoding="utf-8"))
    assert len(found) == len(set(found)) > 30
    return found


@pytest.mark.parametrize("message", messages())
def test_message(sources, message):
    for part in message.split("…"):
        assert len(part) > 6 and any(part in string for string in sources), part


def test_every_row_is_a_message():
    rows = re.findall(r"(?m)^\| .*$", PAGE.read_text(encoding="utf-8"))
    assert len([row for row in rows if not row.startswith("| message |")]) == len(messages())
