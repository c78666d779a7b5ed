# ===- test_page_blocks.py - output that a page shows is compared -----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#

import pytest

from page_blocks import blocks, console, shows

PAGE = """Text.

```console
$ first --option
one
two
$ second
```

Write this to `a.mlir`:

```mlir
module {}
```
"""


def test_blocks_and_commands():
    (language, text, name), other = blocks(PAGE)
    assert (language, name) == ("console", None)
    assert console(text) == [("first --option", "one\ntwo\n"), ("second", "")]
    assert other == ("mlir", "module {}\n", "a.mlir")


def test_output_before_a_command():
    with pytest.raises(AssertionError, match="starts with a command"):
        console("output\n$ command\n")


@pytest.mark.parametrize("shown, output", [
    ("a (b) 2\n", "a (b) 2"),
    ("speed 12.5, 3 rounds", "speed   101.25, 3 rounds"),
    ("[… tokens]", "[7 tokens]"),
    ("first\n…\nlast", "first\n2\n3\nlast\n"),
])
def test_shown(shown, output):
    assert shows(shown, output)


@pytest.mark.parametrize("shown, output", [
    ("", "a line"),
    ("a line", ""),
    ("3 rounds", "4 rounds"),
    ("12.5", "12"),
    ("first\n…\nlast", "first\n2"),
    ("a.b", "axb"),
    ("one", "one\ntwo"),
])
def test_not_shown(shown, output):
    assert not shows(shown, output)
