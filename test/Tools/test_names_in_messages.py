# ===- test_names_in_messages.py - what is at fault, in the words of the model ===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""An error of a pass names the layers or the weights that it is about, whatever form the program came in.

Layers of a kind share a function, so a name may stand for all of them. An op is made illegal by hand, since what the
importer emits is legal.
"""

import re

import numpy as np
import pytest

from make_tiny_model import TinyModel

# A weight that no kernel turns into numbers, right behind the linear layer that reads it.
QUERY = re.compile(r"(?m)^( +%\S+ = quench\.linear %\S+, (%\S+) .* : tensor<\?x\d+xf32>, (!quench\.qtensor<(\w+), #quench\.q4_1>)"
                   r" -> tensor<\?x\d+xf32>)(.*)$")


@pytest.fixture(scope="module")
def package(quench_run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.gguf").write_bytes(TinyModel().build().build())
    quench_run("compile", folder / "tiny.gguf", "-o", folder / "package")
    return folder / "package"


def with_illegal_op(text):
    """The program with a second, illegal use of the query weight, and the number of its line."""
    [layer] = re.findall(r"(?ms)^  func\.func private @block_0\(.*?^  \}", text)
    broken = QUERY.sub(r"\1\5\n    %bad = quench.dequantize \2 : \3 -> tensor<\4xf32>\5", layer, count=1)
    text = text.replace(layer, broken)
    return text, text[:text.index("%bad")].count("\n") + 1


def error_of(quench_run, program, package, folder):
    quench_run("compile", program, "--from", package, "-o", folder / "out", status=1)
    return quench_run.error


def test_text_without_locations(quench_run, quench_opt, package, tmp_path):
    """The place in the file, and the weights that the calls of the layer's function pass."""
    program = tmp_path / "edited.mlir"
    text, line = with_illegal_op(quench_opt(package / "program.mlirbc"))
    program.write_text(text)
    assert error_of(quench_run, program, package, tmp_path) == (
        f"quench-run: error: {program}:{line}:12: 'blk.0-1.attn_q.weight': 'quench.dequantize' op has no kernel for a weight of "
        "format q4_1; supported here: f32\n")


def test_names_of_the_importer(quench_run, quench_opt, package, tmp_path):
    """Locations go with the program: into a package, and into text that is printed with them."""
    program = tmp_path / "edited.mlir"
    program.write_text(with_illegal_op(quench_opt(package / "program.mlirbc", "--mlir-print-debuginfo"))[0])
    assert f"{program}: 'blk.0-1.attn_q': 'quench.dequantize' op has no kernel" in error_of(quench_run, program, package, tmp_path)


def test_bytecode(quench_run, quench_opt, package, tmp_path):
    text, _ = with_illegal_op(quench_opt(package / "program.mlirbc", "--mlir-print-debuginfo"))
    (tmp_path / "edited.mlir").write_text(text)
    program = tmp_path / "edited.mlirbc"
    quench_opt(tmp_path / "edited.mlir", "--emit-bytecode", "-o", program)
    assert f"{program}: 'blk.0-1.attn_q': 'quench.dequantize' op has no kernel" in error_of(quench_run, program, package, tmp_path)


def test_op_without_a_weight(quench_run, quench_opt, package, tmp_path):
    """What its function's weights have in common: the layers."""
    text = quench_opt(package / "program.mlirbc")
    found = re.search(r"(?m)^    %\S+ = quench\.attention .*$", text)
    masked = found[0].replace(" scale(", " mask(%mask : tensor<?x?xi1>) scale(")
    text = text.replace(found[0], "    %n = arith.constant 4 : index\n    %mask = tensor.empty(%n, %n) : tensor<?x?xi1>\n" + masked)
    program = tmp_path / "edited.mlir"
    program.write_text(text)
    message = error_of(quench_run, program, package, tmp_path)
    assert ": 'blk.0-1': 'quench.attention' op has no kernel for a mask" in message


NAMES = """
quench.weight @{0} {{key = "{0}"}} : !quench.qtensor<32, #quench.f16>
quench.weight @{1} {{key = "{1}"}} : !quench.qtensor<32, #quench.f16>
quench.weight @{2} {{key = "{2}"}} : !quench.qtensor<32, #quench.f16>
func.func private @layer(%x: tensor<4x32xf32>, %w: !quench.qtensor<32, #quench.f16>) -> tensor<4x32xf32> {{
  %y = quench.rms_norm %x, %w eps(0.0) : tensor<4x32xf32>, !quench.qtensor<32, #quench.f16>
  return %y : tensor<4x32xf32>
}}
func.func @f(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {{
  %a = quench.get_weight @{0} : !quench.qtensor<32, #quench.f16>
  %b = quench.get_weight @{1} : !quench.qtensor<32, #quench.f16>
  %c = quench.get_weight @{2} : !quench.qtensor<32, #quench.f16>
  %0 = call @layer(%x, %a) : (tensor<4x32xf32>, !quench.qtensor<32, #quench.f16>) -> tensor<4x32xf32>
  %1 = call @layer(%0, %b) : (tensor<4x32xf32>, !quench.qtensor<32, #quench.f16>) -> tensor<4x32xf32>
  %2 = call @layer(%1, %c) : (tensor<4x32xf32>, !quench.qtensor<32, #quench.f16>) -> tensor<4x32xf32>
  return %2 : tensor<4x32xf32>
}}
"""


@pytest.mark.parametrize("keys, name", [
    (("blk.2.norm", "blk.0.norm", "blk.1.norm"), "blk.0-2.norm"),
    (("blk.7.norm", "blk.0.norm", "blk.1.norm"), "blk.0-1_7.norm"),
    (("first", "second", "third"), "first and 2 more"),
    (("blk.0.a", "blk.0.b", "blk.1.a"), "blk.0.a and 2 more"),
    (("a.0", "a.0.1", "a.1"), "a.0 and 2 more"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_several_weights(quench_run, tmp_path, keys, name):
    program = tmp_path / "program.mlir"
    program.write_text(NAMES.format(*keys))
    np.save(tmp_path / "x.npy", np.zeros((4, 32), np.float32))
    quench_run("call", program, "@f", tmp_path / "x.npy", "-o", tmp_path / "y.npy", status=1)
    assert f"{program}:6:8: '{name}': 'quench.rms_norm' op has no kernel" in quench_run.error
