# ===- test_programs.py - programs built, compiled and called in Python -----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Programs as text and from the builder, on arrays, held against NumPy and the gguf package."""

import os
import pathlib
import subprocess
import sys

import gguf
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

TEXT = """
module attributes {quench.max_rows = 8 : i64} {
func.func @scale(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = arith.addf %x, %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @best(%x: tensor<?x4xf32>) -> (tensor<?xi32>, tensor<?xf32>) {
  %i, %v = quench.argmax %x : tensor<?x4xf32> -> tensor<?xi32>, tensor<?xf32>
  return %i, %v : tensor<?xi32>, tensor<?xf32>
}
}
"""


@pytest.fixture(scope="module")
def program(quench):
    return quench.load_program(TEXT)


def test_text(program):
    assert sorted(program.functions) == ["best", "scale"]
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(program.call("scale", x), 2 * x)
    np.testing.assert_array_equal(program.call("scale", x.T.copy().T), 2 * x)  # another memory order
    ids, values = program.call("best", x)
    assert ids.dtype == np.int32 and ids.tolist() == [3, 3, 3] and values.tolist() == [3, 7, 11]
    del ids
    assert values.tolist() == [3, 7, 11]


@pytest.mark.parametrize("inputs, error, message", [
    ([np.zeros((2, 4))], "UsageError", "element type"),
    ([np.zeros((2, 5), np.float32)], "InputError", "tensor<2x5xf32>"),
    ([], "InputError", "0 inputs"),
    ([None], "UsageError", "NoneType"),
])
def test_refusals(quench, program, inputs, error, message):
    with pytest.raises(getattr(quench, error), match=message):
        program.call("scale", *inputs)


def test_unknown_function(quench, program):
    with pytest.raises(quench.InputError, match="@scale"):
        program.call("other")


def test_diagnosis(quench):
    with pytest.raises(quench.InputError, match="program.mlir:2"):
        quench.load_program("\nfunc.func @f( {")


@pytest.mark.parametrize("name", ["q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "f16"])
def test_formats(quench, name):
    values = np.random.default_rng(2).standard_normal((3, 64)).astype(np.float32)
    kind = getattr(gguf.GGMLQuantizationType, name.upper())
    weight = quench.quantize(values, name)
    data = gguf.quants.quantize(values, kind)
    assert weight.data == data.tobytes()
    np.testing.assert_array_equal(weight.dequantize(), gguf.quants.dequantize(data, kind))


def test_builder(quench, tmp_path):
    """A norm and a linear layer, from a package too."""
    from quench import ir
    rng = np.random.default_rng(3)
    g = rng.standard_normal(64, dtype=np.float32)
    w = quench.quantize(rng.standard_normal((40, 64)), "q8_0")
    module = ir.Module(max_rows=4)
    gain = module.weight("gain", (64,), "f32")
    matrix = module.weight("matrix", w.shape, w.format)
    with module.function("head", ir.Tensor(None, 64)) as (f, x):
        f.returns(f.linear(f.rms_norm(x, gain, 1e-5), matrix))
    x = rng.standard_normal((3, 64), dtype=np.float32)
    normal = x / np.sqrt((x.astype(np.float64)**2).mean(1, keepdims=True) + 1e-5) * g
    expected = normal @ w.dequantize().T.astype(np.float64)
    weights = {"gain": g, "matrix": w}
    np.testing.assert_allclose(quench.load_program(module, weights=weights).call("head", x), expected, atol=1e-4)
    package = quench.compile(module, tmp_path / "package", weights=weights)
    np.testing.assert_allclose(quench.load_program(package).call("head", x), expected, atol=1e-4)
    with pytest.raises(quench.UsageError, match="exists already"):
        quench.compile(module, package, weights=weights)


def test_builder_mistakes():
    from quench import ir
    module = ir.Module()
    w = module.weight("w", (8, 32), "q8_0")
    with pytest.raises(ValueError, match="declared already"):
        module.weight("w", (8, 32), "q8_0")
    with pytest.raises(ValueError, match="equal numbers of columns"):
        with module.function("f", ir.Tensor(None, 64)) as (f, x):
            f.linear(x, w)
    with pytest.raises(ValueError, match="returns"):
        with module.function("f", ir.Tensor(None, 32)) as (f, x):
            f.linear(x, w)
    assert "func.func" not in str(module)


@pytest.mark.parametrize("weight_format", ["q4_1", "q8_0"])
def test_example(python_package, weight_format):
    """It compares with NumPy, and ends with 0 if the results are the same."""
    done = subprocess.run([sys.executable, ROOT / "python/examples/mlp.py", weight_format], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(python_package)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "quench.linear" in done.stdout and "largest error" in done.stdout
