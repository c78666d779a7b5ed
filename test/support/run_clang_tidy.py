#===- run_clang_tidy.py - clang-tidy over what has changed ----------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Runs clang-tidy on every source file of the build that lies in one of the given folders.

usage: run_clang_tidy.py BUILD_FOLDER CACHE_FOLDER SOURCE_FOLDER...

A file that includes MLIR takes as long here as it takes to compile. So a file found clean leaves an empty entry in
CACHE_FOLDER, named by a hash of everything the result depends on: the checks, the compile command, the contents of
the project's files that the compiler read (Ninja knows them), and the size and time of those of the system.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIDY = "clang-tidy-22"


def dependencies(build):
    """The files that each object was made from, by the object's path inside the build folder."""
    text = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    files, current = {}, None
    for line in text.splitlines():
        if ": #deps" in line:
            current = files.setdefault(line.split(": #deps")[0], [])
        elif line.startswith(" "):
            current.append(os.path.normpath(build / line.strip()))
    return files


def object_of(entry):
    """The object that an entry of compile_commands.json writes, as Ninja calls it."""
    words = shlex.split(entry["command"])
    return words[words.index("-o") + 1]


class Fingerprint:
    """Hashes files, each once however many sources include it."""

    def __init__(self, version):
        self._seed = version + (ROOT / ".clang-tidy").read_text(encoding="utf-8")
        self._known = {}

    def _of_file(self, path):
        if path not in self._known:
            try:
                if path.startswith(f"{ROOT}/"):
                    content = pathlib.Path(path).read_bytes()
                else:
                    status = os.stat(path)
                    content = f"{status.st_size} {status.st_mtime_ns}".encode()
                self._known[path] = hashlib.sha256(content).hexdigest()
            except OSError:
                self._known[path] = "absent"
        return self._known[path]

    def of(self, command, files):
        parts = [self._seed, command] + [f"{path} {self._of_file(path)}" for path in sorted(files)]
        # Relative to the root, so that another checkout of the same text finds the entry.
        return hashlib.sha256("\n".join(parts).replace(str(ROOT), ".").encode()).hexdigest()


def check(build, source):
    """The complaints about one file, an empty text if there is none."""
    done = subprocess.run([TIDY, "--quiet", "-p", str(build), source], capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    return done.stdout.strip() or done.stderr.strip() or f"{source}: exit status {done.returncode}"


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: run_clang_tidy.py BUILD_FOLDER CACHE_FOLDER SOURCE_FOLDER...")
    build, cache = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    folders = tuple(f"{pathlib.Path(folder).resolve()}/" for folder in sys.argv[3:])
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, text=True, check=True).stdout
    fingerprint, files = Fingerprint(version), dependencies(build)

    sources, pending = 0, {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = entry["file"]
        if not source.startswith(folders):
            continue
        sources += 1
        mark = cache / fingerprint.of(entry["command"], files.get(object_of(entry), []) + [source])
        if not mark.exists():
            pending[source] = mark
    if sources == 0:
        sys.exit(f"error: {build} compiles nothing in {', '.join(folders)}")

    started, complaints = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        # Concurrent runs write the same thing into one entry: nothing.
        running = {pool.submit(check, build, source): source for source in pending}
        for future in concurrent.futures.as_completed(running):
            if future.result():
                complaints += 1
                print(future.result(), flush=True)
            else:
                pending[running[future]].touch()
    print(f"{sources} files, {len(pending)} checked now in {time.monotonic() - started:.0f} s, {complaints} with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
