# ===- test_hostile_input.py - damaged and lying files, and their cost ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Whatever a file says, a tool ends soon, with exit status 0 to 3, at most one line of error and bounded memory.

That each malformed file is refused for the right reason is tested with each tool. Here the tools run under limits, and
files are damaged at random.
"""

import os
import random
import re
import resource
import subprocess
import sys

import make_malformed
import pytest
from make_tiny_model import TinyModel

MEGABYTE = 1 << 20


def run_limited(tool, *arguments, megabytes, seconds=60):
    """Exit status, standard error and peak memory in MB of a run that may not ask for more than so much memory."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with subprocess.Popen([tool.path, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, preexec_fn=limit) as process:
        error = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, error, usage.ru_maxrss // 1024


def check_end(status, error, name):
    """A run that went well, or that failed as it should. Notes about what was put right are no errors."""
    lines = [line for line in error.splitlines() if ": note: " not in line]
    if status == 0:
        assert lines == [] or lines[0].startswith("["), error
        return
    assert status in (1, 2, 3), f"{status}: {error}"
    assert len(lines) == 1 and str(name) in lines[0], error
    assert "crashed" not in error and "without a diagnosis" not in error and "bad_alloc" not in error, error


@pytest.fixture(scope="module")
def malformed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("malformed")
    subprocess.run([sys.executable, make_malformed.__file__, folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def test_memory_of_malformed_files(quench_run, quench_import, malformed):
    """Files of 80 kB that speak of 2^64 bytes cost what the sound one costs, and a few MB at most."""
    commands = {"inspect": (quench_run, ["inspect", None, "--no-kernels"], 256),
                "tokenize": (quench_run, ["tokenize", None, "-p", "x"], 256),
                "import": (quench_import, [None, "-o", malformed / "out.mlir"], 1024)}
    for tool, arguments, limit in commands.values():
        def run(path):
            return run_limited(tool, *(path if a is None else a for a in arguments), megabytes=limit)

        status, error, usual = run(malformed / "valid.gguf")
        assert (status, error) == (0, "")
        (malformed / "out.mlir").unlink(missing_ok=True)
        for path in sorted(malformed.glob("*.gguf")):
            status, error, peak = run(path)
            check_end(status, error, path)
            assert peak <= usual + 8, f"{path}: {peak} MB, the sound file takes {usual} MB"
        (malformed / "out.mlir").unlink(missing_ok=True)
    # Nothing lies beside the files: no output, no temporary file.
    assert {path.suffix for path in malformed.iterdir()} == {".gguf", ".json"}


def flipped(data, rng, end=None):
    damaged = bytearray(data)
    for _ in range(rng.choice([1, 1, 3])):
        damaged[rng.randrange(end or len(data))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def test_damaged_vocabularies(quench_run, tmp_path):
    rng = random.Random(11)
    model = TinyModel().build()
    model.tensors.clear()
    valid, path = model.build(), tmp_path / "vocabulary.gguf"
    refused = 0
    for _ in range(120):
        path.write_bytes(flipped(valid, rng))
        status, error, _ = run_limited(quench_run, "tokenize", path, "-p", "to be or not\n<|end|>", megabytes=256)
        check_end(status, error, path)
        refused += status != 0
    assert 0 < refused < 120


@pytest.fixture(scope="module")
def tiny_package(quench_run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.gguf").write_bytes(TinyModel().build().build())
    quench_run("compile", folder / "tiny.gguf", "-o", folder / "package")
    quench_run("generate", folder / "package", "-p", "x", "-n", "2")
    return folder / "package"


@pytest.mark.parametrize("name", ["manifest.json", "tokenizer.json", "program.mlirbc", "weights.safetensors"])
def test_damaged_packages(quench_run, tiny_package, name):
    rng = random.Random(name)
    path = tiny_package / name
    good = path.read_bytes()
    try:
        for _ in range(40):
            path.write_bytes(good[:rng.randrange(len(good))] if rng.random() < 0.2 else flipped(good, rng))
            status, error, _ = run_limited(quench_run, "generate", tiny_package, "-p", "x", "-n", "2", megabytes=4096)
            check_end(status, error, tiny_package)
            if name in ("tokenizer.json", "program.mlirbc"):
                assert status == 1 and name in error
    finally:
        path.write_bytes(good)


def test_damaged_library(quench_run, tiny_package):
    """Code with a flipped bit is not this user's product any more: ignored and made again."""
    rng = random.Random(5)
    (library,) = tiny_package.glob("lib/*/*.so")
    good = library.read_bytes()
    expected = quench_run.json("generate", tiny_package, "-p", "to be or not", "-n", 20)["token_ids"]
    try:
        for damaged in (flipped(good, rng), good[:1000], b"", flipped(good, rng)):
            library.write_bytes(damaged)
            quench_run("cache", "clear")
            result = quench_run.json("generate", tiny_package, "-p", "to be or not", "-n", 20)
            assert result["token_ids"] == expected
            assert "note: " in quench_run.error and library.name in quench_run.error
    finally:
        library.write_bytes(good)


PROGRAM = """module attributes {quench.max_rows = 16 : i64} {
  quench.weight @g {key = "g"} : !quench.qtensor<64, #quench.f32>
  func.func @f(%x: tensor<?x64xf32>, %kv: !quench.paged_cache<layers = 2, heads = 1, dim = 32, element = f16, slots = 32>,
      %pos: tensor<?xi32>) -> tensor<?x32xf32> attributes {quench.entry} {
    %g = quench.get_weight @g : !quench.qtensor<64, #quench.f32>
    %n = quench.rms_norm %x, %g eps(1.0e-5) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
    %k = tensor.extract_slice %n[0, 32] [1, 32] [1, 1] : tensor<?x64xf32> to tensor<1x32xf32>
    %y = tensor.cast %k : tensor<1x32xf32> to tensor<?x32xf32>
    %l = arith.constant 1 : index
    %a = quench.attention %y, %y, %y, %pos cache(%kv layer %l) scale(0.25) : tensor<?x32xf32>, tensor<?x32xf32>,
        tensor<?x32xf32>, tensor<?xi32>, !quench.paged_cache<layers = 2, heads = 1, dim = 32, element = f16, slots = 32>
        -> tensor<?x32xf32>
    return %a : tensor<?x32xf32>
  }
}
"""
NUMBERS = ["0", "-1", "7", "2147483648", "9223372036854775807", "18446744073709551616", "?"]


def test_programs_with_other_numbers(quench_opt, tmp_path):
    """Each number of a program replaced, by ones that no type and no memory holds among them: an error or code."""
    path = tmp_path / "prog.mlir"
    rng = random.Random(2)
    places = [match.span() for match in re.finditer(r"(?<=[x<\[ ])\d+(?![\d.])", PROGRAM)]
    assert len(places) > 30
    path.write_text(PROGRAM)
    status, error, _ = run_limited(quench_opt, path, "--quench-cpu", megabytes=2048)
    assert (status, error) == (0, "")
    refused = 0
    for start, end in places * 2:
        path.write_text(PROGRAM[:start] + rng.choice(NUMBERS) + PROGRAM[end:])
        status, error, peak = run_limited(quench_opt, path, "--quench-cpu", megabytes=2048)
        assert status in (0, 1), f"{status}: {error}"
        assert status == 0 or "error: " in error
        assert peak < 600
        refused += status
    assert refused > len(places)


def test_damaged_programs(quench_run, tmp_path):
    """Through the tool there is one line, however many errors there are."""
    path = tmp_path / "prog.mlir"
    rng = random.Random(3)
    pieces = re.findall(r"\w+|\W", PROGRAM)
    for _ in range(40):
        damaged = pieces.copy()
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(damaged))
            damaged[at] = rng.choice(["", damaged[at] * 2, rng.choice(pieces)])
        path.write_text("".join(damaged))
        status, error, _ = run_limited(quench_run, "compile", path, "--weights", path, "-o", tmp_path / "new",
                                       megabytes=4096)
        check_end(status, error, path)
        assert status == 1 and list(tmp_path.iterdir()) == [path]
