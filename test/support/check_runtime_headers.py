#===- check_runtime_headers.py - the runtime stands without LLVM ----------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Fails if a stand-alone build of runtime/ read a header of LLVM, MLIR or the compiler, or links to them.

usage: check_runtime_headers.py BUILD_FOLDER

It asks Ninja which files each object really depended on, as the compiler reported them, so that a header that
comes in through another one is found as well; and it reads the dynamic section of every program that was linked.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where an installed header of the compiler's libraries is, apart from the compiler's own (stddef.h, immintrin.h).
LLVM_HEADER = re.compile(r"/llvm-[0-9.]+/include/|/include/(llvm|mlir|clang|lld)(-c)?(-[0-9.]+)?/")
BUILTIN_HEADER = re.compile(r"/lib/clang/[0-9.]+/include/")
# The folders of this repository that the runtime and its tests may read.
OWN_FOLDERS = ("runtime", "test", "build")
FORBIDDEN_LIBRARY = re.compile(r"lib(LLVM|MLIR|clang|lld|Quench)")


def is_forbidden(path):
    """Whether the runtime must not read the file, given by its absolute path."""
    if path.is_relative_to(ROOT):
        return path.relative_to(ROOT).parts[0] not in OWN_FOLDERS
    return bool(LLVM_HEADER.search(str(path)) and not BUILTIN_HEADER.search(str(path)))


def forbidden_headers(deps, build):
    """(object, header) pairs out of the text of `ninja -t deps`, and the number of objects in it."""
    found, objects, current = [], 0, ""
    for line in deps.splitlines():
        if line.startswith(" "):
            if is_forbidden(pathlib.Path(os.path.normpath(build / line.strip()))):
                found.append((current, line.strip()))
        elif ": #deps" in line:
            current = line.split(": #deps")[0]
            objects += 1
    return found, objects


def forbidden_libraries(program):
    """Names of needed shared libraries that belong to the compiler."""
    text = subprocess.run(["llvm-readelf-22", "--needed-libs", str(program)],
                          capture_output=True, text=True, check=True).stdout
    return [name.strip() for name in text.splitlines() if FORBIDDEN_LIBRARY.search(name)]


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_runtime_headers.py BUILD_FOLDER")
    build = pathlib.Path(sys.argv[1]).resolve()
    deps = subprocess.run(["ninja", "-C", str(build), "-t", "deps"],
                          capture_output=True, text=True, check=True).stdout
    found, objects = forbidden_headers(deps, build)
    if objects == 0:
        sys.exit(f"error: {build} has no compiled object")
    for name, header in found:
        print(f"{name} includes {header}")
    linked = 0
    for program in sorted((build / "bin").iterdir()):
        for library in forbidden_libraries(program):
            print(f"{program.name} needs {library}")
            linked += 1
    if found or linked:
        sys.exit(f"error: runtime/ depends on the compiler in {len(found) + linked} places")
    print(f"{objects} objects, none of which read a header of LLVM, MLIR or the compiler")


if __name__ == "__main__":
    main()
