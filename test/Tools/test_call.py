# ===- test_call.py - quench-run call, and programs that are no models ------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Hand-written IR on arrays, and hand-written IR as a package."""

import json

import gguf
import numpy as np
import pytest

PROGRAM = """
module attributes {quench.max_rows = 16 : i64} {
  quench.weight @w {key = "w"} : !quench.qtensor<40x64, #quench.q8_0>
  quench.weight @g {key = "g"} : !quench.qtensor<64, #quench.f32>
  func.func @project(%x: tensor<?x64xf32>) -> tensor<?x40xf32> attributes {quench.entry} {
    %w = quench.get_weight @w : !quench.qtensor<40x64, #quench.q8_0>
    %y = quench.linear %x, %w : tensor<?x64xf32>, !quench.qtensor<40x64, #quench.q8_0> -> tensor<?x40xf32>
    return %y : tensor<?x40xf32>
  }
  func.func @norm(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
    %g = quench.get_weight @g : !quench.qtensor<64, #quench.f32>
    %y = quench.rms_norm %x, %g eps(1.0e-5) : tensor<?x64xf32>, !quench.qtensor<64, #quench.f32>
    return %y : tensor<?x64xf32>
  }
  func.func @best(%x: tensor<?x64xf32>) -> (tensor<?xi32>, tensor<?xf32>) {
    %i, %v = quench.argmax %x : tensor<?x64xf32> -> tensor<?xi32>, tensor<?xf32>
    return %i, %v : tensor<?xi32>, tensor<?xf32>
  }
}
"""


def write_safetensors(path, tensors, metadata):
    """name: (dtype, shape, bytes)"""
    header, offset = {"__metadata__": metadata}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(t[2] for t in tensors.values()))


@pytest.fixture
def program(tmp_path):
    rng = np.random.default_rng(3)
    w = gguf.quants.quantize(rng.standard_normal((40, 64), dtype=np.float32), gguf.GGMLQuantizationType.Q8_0)
    g = rng.standard_normal(64, dtype=np.float32)
    (tmp_path / "prog.mlir").write_text(PROGRAM)
    write_safetensors(tmp_path / "w.safetensors",
                      {"w": ("U8", [w.nbytes], w.tobytes()), "g": ("F32", [64], g.tobytes())},
                      {"w": "q8_0 40x64"})
    decoded = gguf.quants.dequantize(w, gguf.GGMLQuantizationType.Q8_0)
    return tmp_path / "prog.mlir", tmp_path / "w.safetensors", decoded, g


@pytest.mark.parametrize("rows", [1, 3, 16])
def test_functions(quench_run, tmp_path, program, rows):
    path, weights, w, g = program
    x = np.random.default_rng(rows).standard_normal((rows, 64), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    arguments = ("--weights", weights, "-o", tmp_path / "y.npy")
    quench_run("call", path, "@project", tmp_path / "x.npy", *arguments)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), x.astype(np.float64) @ w.T.astype(np.float64), rtol=1e-4,
                               atol=1e-4)
    quench_run("call", path, "@norm", tmp_path / "x.npy", *arguments)
    exact = x / np.sqrt((x.astype(np.float64)**2).mean(1, keepdims=True) + 1e-5) * g
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), exact, rtol=1e-5, atol=1e-6)
    quench_run("call", path, "@best", tmp_path / "x.npy", "-o", tmp_path / "i.npy", "--output", tmp_path / "v.npy",
               "--weights", weights)
    ids = np.load(tmp_path / "i.npy")
    assert ids.dtype == np.int32 and (ids == x.argmax(1)).all()
    assert (np.load(tmp_path / "v.npy") == x.max(1)).all()


REFUSALS = {
    "an unknown function": (["@other", "X", "-o", "y.npy"], 1, "@project"),
    "too few results": (["@best", "X", "-o", "y.npy"], 2, "2 results"),
    "no results": (["@norm", "X"], 2, "1 result"),
    "too few arguments": (["@norm", "-o", "y.npy"], 1, "0 inputs"),
    "a missing array": (["@norm", "missing.npy", "-o", "y.npy"], 1, "missing.npy"),
    "another shape": (["@norm", "WIDE", "-o", "y.npy"], 1, "tensor<1x65xf32>"),
    "too many rows": (["@norm", "LONG", "-o", "y.npy"], 1, "16"),
    "another type": (["@norm", "DOUBLE", "-o", "y.npy"], 1, "f8"),
}


@pytest.mark.parametrize("arguments, status, mention", REFUSALS.values(), ids=REFUSALS)
def test_refusals(quench_run, tmp_path, program, arguments, status, mention):
    path, weights, _, _ = program
    arrays = {"X": np.zeros((1, 64), np.float32), "WIDE": np.zeros((1, 65), np.float32),
              "LONG": np.zeros((17, 64), np.float32), "DOUBLE": np.zeros((1, 64))}
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    arguments = [tmp_path / f"{a}.npy" if a in arrays else tmp_path / a if a.endswith(".npy") else a for a in arguments]
    quench_run("call", path, *arguments, "--weights", weights, status=status)
    assert quench_run.error.count("\n") == 1 and mention in quench_run.error
    assert not (tmp_path / "y.npy").exists()


def test_missing_weights(quench_run, tmp_path, program):
    path, weights, _, _ = program
    np.save(tmp_path / "x.npy", np.zeros((1, 64), np.float32))
    quench_run("call", path, "@norm", tmp_path / "x.npy", "-o", tmp_path / "y.npy", status=1)
    assert "--weights" in quench_run.error


def test_package(quench_run, tmp_path, program):
    """A program that is no language model can be compiled, inspected, and not generated from."""
    path, weights, _, _ = program
    quench_run("compile", path, "--weights", weights, "-o", tmp_path / "package")
    report = quench_run.json("inspect", tmp_path / "package")
    assert {t["name"]: t["format"] for t in report["tensors"]} == {"w": "Q8_0", "g": "F32"}
    quench_run("generate", tmp_path / "package", "-p", "x", status=1)
    assert quench_run.error.count("\n") == 1


def test_weights_that_do_not_fit(quench_run, tmp_path, program):
    path, weights, _, _ = program
    path.write_text(PROGRAM.replace("40x64", "48x64").replace("x40xf32", "x48xf32"))
    quench_run("compile", path, "--weights", weights, "-o", tmp_path / "new", status=1)
    for mention in (str(weights), "'w'", "q8_0 40x64", "q8_0 48x64"):
        assert mention in quench_run.error
    assert not (tmp_path / "new").exists()
