# ===- test_call_shapes.py - hand-written IR on arrays of odd shapes --------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""`quench-run call` against NumPy: sizes that no tile and no vector divides, all element types, any number of threads."""

import json

import gguf
import numpy as np
import pytest


def element_wise(shape, kind, op):
    """A function that applies an op of two operands to two arrays of a shape."""
    rank = shape.count("x")
    dims = ", ".join(f"d{i}" for i in range(rank))
    type_ = f"tensor<{shape}{kind}>"
    return f"""
  func.func @f(%a: {type_}, %b: {type_}) -> {type_} {{
    %c0 = arith.constant 0 : index
    {"%n = tensor.dim %a, %c0 : " + type_ if "?" in shape else ""}
    %e = tensor.empty({"%n" if "?" in shape else ""}) : {type_}
    %r = linalg.generic {{indexing_maps = [{", ".join([f"affine_map<({dims}) -> ({dims})>"] * 3)}],
        iterator_types = [{", ".join(['"parallel"'] * rank)}]}} ins(%a, %b : {type_}, {type_}) outs(%e : {type_}) {{
    ^bb0(%x: {kind}, %y: {kind}, %o: {kind}):
      %s = {op} %x, %y : {kind}
      linalg.yield %s : {kind}
    }} -> {type_}
    return %r : {type_}
  }}"""


@pytest.fixture
def call(quench_run, tmp_path):
    """call(program, function, arrays, results=1) is what a function returns."""
    def run(program, function, arrays, *options, results=1):
        (tmp_path / "prog.mlir").write_text("module attributes {quench.max_rows = 64 : i64} {" + program + "\n}\n")
        inputs, outputs = [], []
        for i, array in enumerate(arrays):
            np.save(tmp_path / f"in{i}.npy", array)
            inputs.append(tmp_path / f"in{i}.npy")
        for i in range(results):
            outputs += ["-o", tmp_path / f"out{i}.npy"]
        quench_run("call", tmp_path / "prog.mlir", function, *inputs, *outputs, *options)
        found = [np.load(tmp_path / f"out{i}.npy") for i in range(results)]
        return found[0] if results == 1 else found

    return run


@pytest.mark.parametrize("shape", ["?x40x", "7x5x", "1x1x", "3x257x", "13x"])
def test_shapes(call, shape):
    rng = np.random.default_rng(1)
    program = element_wise(shape, "f32", "arith.mulf")
    for rows in (1, 7, 33) if "?" in shape else (0,):
        sizes = [rows if size == "?" else int(size) for size in shape.split("x")[:-1]]
        a, b = (rng.standard_normal(sizes, dtype=np.float32) for _ in range(2))
        found = call(program, "@f", [a, b])
        assert found.dtype == np.float32 and found.shape == a.shape
        assert (found == a * b).all()


TYPES = {"f32": (np.float32, "arith.addf"), "f16": (np.float16, "arith.addf"), "i32": (np.int32, "arith.addi"),
         "i64": (np.int64, "arith.addi"), "i8": (np.int8, "arith.addi")}


@pytest.mark.parametrize("kind", TYPES)
def test_element_types(call, kind):
    dtype, op = TYPES[kind]
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-60, 60, (5, 11)).astype(dtype) for _ in range(2))
    found = call(element_wise("?x11x", kind, op), "@f", [a, b])
    assert found.dtype == dtype and (found == a + b).all()


def write_weights(path, tensors):
    """A safetensors file of plain F32 tensors, and of quantized ones given as (format name, shape, bytes)."""
    header, data, metadata = {}, b"", {}
    for name, tensor in tensors.items():
        if isinstance(tensor, np.ndarray):
            dtype, shape, contents = "F32", list(tensor.shape), tensor.astype("<f4").tobytes()
        else:
            dtype, shape, contents = "U8", [len(tensor[2])], tensor[2]
            metadata[name] = f"{tensor[0].lower()} {tensor[1][0]}x{tensor[1][1]}"
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(contents)]}
        data += contents
    text = json.dumps({"__metadata__": metadata, **header}).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


@pytest.mark.parametrize("name, rows_out, columns", [
    ("F32", 33, 96), ("F32", 1, 7), ("F16", 33, 96), ("Q8_0", 257, 32), ("Q4_1", 1, 64)])
def test_linear(call, tmp_path, name, rows_out, columns):
    rng = np.random.default_rng(rows_out)
    w = rng.standard_normal((rows_out, columns), dtype=np.float32)
    kind = gguf.GGMLQuantizationType[name]
    packed = gguf.quants.quantize(w, kind)
    decoded = np.asarray(gguf.quants.dequantize(packed, kind), dtype=np.float64)
    write_weights(tmp_path / "w.safetensors", {"w": (name, w.shape, packed.tobytes())})
    type_ = f"!quench.qtensor<{rows_out}x{columns}, #quench.{name.lower()}>"
    program = f"""
  quench.weight @w {{key = "w"}} : {type_}
  func.func @f(%x: tensor<?x{columns}xf32>) -> tensor<?x{rows_out}xf32> {{
    %w = quench.get_weight @w : {type_}
    %y = quench.linear %x, %w activations(f32) : tensor<?x{columns}xf32>, {type_} -> tensor<?x{rows_out}xf32>
    return %y : tensor<?x{rows_out}xf32>
  }}"""
    x = rng.standard_normal((5, columns), dtype=np.float32)
    results = [call(program, "@f", [x[:n]], "--weights", tmp_path / "w.safetensors", "--threads", threads)
               for n, threads in ((5, 1), (5, 3), (1, 2))]
    np.testing.assert_allclose(results[0], x @ decoded.T, rtol=2e-5, atol=2e-5)
    assert (results[0] == results[1]).all() and (results[0][:1] == results[2]).all()


def test_scalars_and_several_results(call):
    program = """
  func.func @f(%n: index, %i: i64, %x: tensor<?x3xi32>, %a: tensor<i32>) -> (tensor<?x3xi32>, index, i64) {
    %c0 = arith.constant 0 : index
    %rows = tensor.dim %x, %c0 : tensor<?x3xi32>
    %e = tensor.empty(%rows) : tensor<?x3xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %a : tensor<?x3xi32>, tensor<i32>) outs(%e : tensor<?x3xi32>) {
    ^bb0(%v: i32, %factor: i32, %o: i32):
      %s = arith.muli %v, %factor : i32
      linalg.yield %s : i32
    } -> tensor<?x3xi32>
    %sum = arith.addi %n, %rows : index
    return %r, %sum, %i : tensor<?x3xi32>, index, i64
  }"""
    x = np.arange(12, dtype=np.int32).reshape(4, 3)
    inputs = [np.int64(38), np.int64(-(2**62)), x, np.int32(-7)]
    scaled, total, same = call(program, "@f", inputs, results=3)
    assert (scaled == -7 * x).all() and total == 42 and same == -(2**62)
    assert total.shape == same.shape == () and total.dtype == same.dtype == np.int64


@pytest.mark.parametrize("width", [5, 8, 13])
def test_division(call, width):
    """Lanes behind the last column divide nothing by nothing."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(1, 100, (3, width), dtype=np.int32) for _ in range(2))
    assert (call(element_wise(f"?x{width}x", "i32", "arith.divsi"), "@f", [a, b]) == a // b).all()


def test_no_bound_and_no_op_of_the_dialect(quench_run, tmp_path):
    """All sizes known: no quench.max_rows; and nothing says that this is more than upstream's IR."""
    (tmp_path / "prog.mlir").write_text(element_wise("9x70x", "f32", "arith.addf"))
    x = np.random.default_rng(4).standard_normal((9, 70), dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    quench_run("call", tmp_path / "prog.mlir", "@f", tmp_path / "x.npy", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
    assert (np.load(tmp_path / "y.npy") == x + x).all()


def test_rows_agree(call, quench_run, tmp_path):
    program = element_wise("?x4x", "f32", "arith.addf")
    call(program, "@f", [np.zeros((3, 4), np.float32)] * 2)
    np.save(tmp_path / "few.npy", np.zeros((1, 4), np.float32))
    quench_run("call", tmp_path / "prog.mlir", "@f", tmp_path / "in0.npy", tmp_path / "few.npy", "-o", tmp_path / "y.npy",
               status=1)
    assert "found 1 rows, expected 3 as in input 0" in quench_run.error


def test_argmax_of_what_is_no_number(call):
    """NaN never wins, not even against minus infinity; a row of NaN gives the first."""
    program = """
  func.func @best(%x: tensor<?x21xf32>) -> (tensor<?xi32>, tensor<?xf32>) {
    %i, %v = quench.argmax %x : tensor<?x21xf32> -> tensor<?xi32>, tensor<?xf32>
    return %i, %v : tensor<?xi32>, tensor<?xf32>
  }"""
    rows = np.full((4, 21), np.nan, np.float32)
    rows[0, 13:] = -np.inf
    rows[1, 20] = -np.inf
    rows[2, 7] = rows[2, 19] = 3
    ids, values = call(program, "@best", [rows], results=2)
    assert ids.tolist() == [13, 20, 7, 0]
    assert values.tolist() == [-np.inf, -np.inf, 3, -np.inf]


def test_other_processors(call, quench_run, tmp_path):
    """Code that this processor cannot run is not run."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        flags = info.read()
    if "amx_tile" in flags:
        pytest.skip("needs a processor without AMX")
    x = np.zeros((3, 4), np.float32)
    call(element_wise("3x4x", "f32", "arith.addf"), "@f", [x, x])
    quench_run("call", tmp_path / "prog.mlir", "@f", tmp_path / "in0.npy", tmp_path / "in1.npy", "-o", tmp_path / "y.npy",
               "--target", "sapphirerapids", status=1)
    assert "amx-tile" in quench_run.error and "which this one lacks" in quench_run.error
