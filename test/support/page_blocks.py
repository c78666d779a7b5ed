# ===- page_blocks.py - the examples in a page of the documentation ----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===------------------------------------------------------------------------===#
"""Fenced blocks of a page, and what a ```console block shows.

Lines of such a block that start with `$ ` are commands, what follows is their output, both streams as a terminal shows
them. In it `…` stands for anything, also for lines. A number with a point is any such number, and a run of blanks any
other, because times and speeds are another machine's; everything else has to be there as it is shown.
"""

import re

FENCE = re.compile(r"(?ms)^(?P<before>[^\n]*)\n(?:\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$")


def blocks(text):
    """(language, text, file that the line before names) of each block; an indented one is none of ours."""
    found = []
    for match in FENCE.finditer(text):
        name = re.search(r"`([\w.]+)`:$", match["before"])
        found.append((match["language"], match["text"], name and name[1]))
    assert len(found) == len(re.findall(r"(?m)^```\w*$", text)) // 2, "a block that is not understood"
    return found


def console(text):
    """(command, output) of each command of a ```console block."""
    first, *rest = re.split(r"(?m)^\$ ", text)
    assert not first and rest, f"a console block starts with a command:\n{text}"
    return [tuple(part.split("\n", 1)) for part in rest]


def shows(shown, output):
    """Whether this output may be shown so."""
    pattern = re.escape(re.sub(r"[ \t]+", " ", shown.strip()))
    pattern = re.sub(r"\d+\\\.\d+", r"\\d+\\.\\d+", pattern).replace("…", "(?s:.*)")
    return re.fullmatch(pattern, re.sub(r"[ \t]+", " ", output.strip())) is not None
