# ===- test_formats.py - formats of the dialect and of the runtime ----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""QuenchAttrs.td repeats name and block of each format of the runtime's table. Here they are compared: what the
generated reference says, which comes from the same parameters as the code, and what format-dump prints."""

import re
import subprocess

FORMAT = re.compile(r"(?ms)^_Storage format (\w+)_$.*?^Syntax: `#quench\.(\w+)`$.*?"
                    r"^Blocks of (\d+) elements in (\d+) bytes, `(\w+)` in the runtime's format table\.$")


def test_blocks(build):
    listed = subprocess.run([build / "bin" / "format-dump", "list"], capture_output=True, text=True, check=True).stdout
    table = {name: (int(elements), int(size)) for name, elements, size, _ in map(str.split, listed.splitlines())}
    page = (build / "docs" / "reference" / "Dialect.md").read_text(encoding="utf-8")
    found = FORMAT.findall(page)
    assert len(found) == page.count("_Storage format ")
    assert {name: (int(elements), int(size)) for _, _, elements, size, name in found} == table
    # In the IR a format is its name in the table in lower case.
    assert all(name.lower() == summary == syntax for summary, syntax, _, _, name in found)
