# ===- test_emitted_library.py - what the compiler emits --------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The library in a package stands alone, and the stages that led to it can be read."""

import re
import shutil
import subprocess

import pytest

NM = "/usr/lib/llvm-22/bin/llvm-nm"
READELF = "/usr/lib/llvm-22/bin/llvm-readelf"
STAGES = ["program", "model", "blocks", "tile", "buffers", "threads", "vector", "llvm", "module", "module"]


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def compiled(quench_run, model, tmp_path_factory):
    """Both modes of the example model: package and the folder of its stages."""
    folder = tmp_path_factory.mktemp("stages")
    for mode in ("i8", "f32"):
        quench_run("compile", model, "-o", folder / mode, "--activations", mode, "--dump-stages", folder / f"{mode}-stages")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=["i8", "f32"])
def mode(request):
    return request.param


def test_symbols(compiled, mode):
    (library,) = (compiled / mode).glob("lib/*/*.so")
    undefined = output_of(NM, "-D", "--undefined-only", "--just-symbol-name", library).split()
    assert set(undefined) <= {"memcpy", "memset"}
    exported = output_of(NM, "-D", "--defined-only", "--just-symbol-name", library).split()
    assert len(exported) == 1, exported


def test_library_needs_no_other(compiled, mode):
    (library,) = (compiled / mode).glob("lib/*/*.so")
    dynamic = output_of(READELF, "--dynamic-table", "--section-headers", library)
    assert "NEEDED" not in dynamic and "TEXTREL" not in dynamic
    assert ".text" in dynamic and ".llvmbc" not in dynamic and ".init_array" not in dynamic
    assert not re.search(r"\sWAX\s", dynamic), "a section that is written and executed"


def test_stages(compiled, mode):
    names = sorted(path.name for path in (compiled / f"{mode}-stages").iterdir())
    assert [re.fullmatch(r"\d\d-(\w+)\.(mlir|ll|s)", name)[1] for name in names] == STAGES
    assert [name.rsplit(".")[1] for name in names[-2:]] == ["ll", "s"]


def test_stages_lead_from_the_dialect_to_llvm(quench_opt, compiled, mode):
    """Each stage can be read back, and its ops are those that the stage is for."""
    ops = {}
    for path in (compiled / f"{mode}-stages").glob("*.mlir"):
        quench_opt(path, "-o", path.with_suffix(".again"))
        path.with_suffix(".again").unlink()
        ops[path.name[3:-5]] = set(re.findall(r"^\s*(?:%\S+(?:, %\S+)* = )?([a-z_]+\.[a-z_.0-9]+)", path.read_text(), re.M))
    assert {"quench.linear", "quench.attention", "quench.verify", "quench.draft"} <= ops["program"]
    assert "quench.linear" not in ops["blocks"] and "quench.verify" not in ops["blocks"]
    assert "scf.forall" in ops["tile"] and not any(op.startswith("tensor.") for op in ops["buffers"])
    assert "scf.forall" not in ops["threads"] and "quench.barrier" in ops["threads"]
    assert any(op.startswith("vector.") for op in ops["vector"])
    assert {op.split(".")[0] for op in ops["llvm"]} <= {"llvm", "builtin"}


def test_code_is_the_compilers(compiled, mode):
    """No kernel is hidden in assembler text or a linked module: what the IR does not say is not there."""
    module = (compiled / f"{mode}-stages" / "08-module.ll").read_text()
    assert not re.search(r"\basm\b", module)
    external = re.findall(r"^declare .*@([\w.$]+)\(", module, re.M)
    assert {name for name in external if not name.startswith("llvm.")} <= {"memcpy", "memset"}


def test_the_same_input_gives_the_same_library(quench_run, compiled, model, tmp_path):
    quench_run("compile", model, "-o", tmp_path / "again")
    (first,), (second,) = (folder.glob("lib/*/*.so") for folder in (compiled / "i8", tmp_path / "again"))
    assert first.name == second.name and first.read_bytes() == second.read_bytes()
    shutil.rmtree(tmp_path / "again")
