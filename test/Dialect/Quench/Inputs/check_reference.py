#===- check_reference.py - every op, attribute, type and pass is described --===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
"""Fails if something in the generated pages has no summary or no description, or a line was not replaced.

usage: check_reference.py FOLDER_OF_PAGES
"""

import pathlib
import re
import sys

# What mlir-tblgen writes about something whatever its definition says.
GENERATED = re.compile(r"^(Syntax:|Traits:|Interfaces:|Effects:|#### .*|\|.*|_.*_|)$")


def described(section):
    """Whether a section has a sentence of its own: outside of code, tables and what is always there."""
    text = re.sub(r"(?s)```.*?```", "", section.split("\n", 1)[1])
    return any(not GENERATED.match(line.strip()) and not line.startswith(("Traits:", "Interfaces:", "Effects:"))
               for line in text.split("\n"))


def main():
    pages = pathlib.Path(sys.argv[1])
    problems, seen = [], 0
    for page in sorted(pages.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if page.parent.name != "reference":
            problems += [f"{page}: {line}" for line in re.findall(r"(?m)^\[include .*$", text)]
            continue
        # Enums have no description, but cases.
        enums = re.search(r"(?s)\n## Enums\n.*?(?=\n## |\Z)", text)
        cases = re.findall(r"(?m)^### (\w+)$", enums.group()) if enums else []
        text = text.replace(enums.group(), "") if enums else text
        for section in re.split(r"(?m)^### ", text)[1:]:
            name = section.split("\n", 1)[0]
            seen += 1
            if name.removesuffix("Attr") in cases:
                continue
            if not re.search(r"(?m)^_.+_$", section) and page.name.endswith(("Dialect.md", "Passes.md")):
                problems.append(f"{page.name}: {name}: no summary")
            if not described(section):
                problems.append(f"{page.name}: {name}: no description")
    print(f"{seen} sections")
    sys.exit("\n".join(problems) or (0 if seen > 60 else "fewer sections than there are ops, formats and passes"))


main()
