# ===- mlp.py - a front end: a quantized two-layer MLP ----------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Emits y = W2 · relu(W1 · x) with quantized weights, compiles it, and holds it against NumPy.

usage: mlp.py [FORMAT]

A front end for a framework does the same: it walks a graph, declares a weight for each parameter, emits an op for each
node, and hands both to Quench.
"""

import sys

import numpy as np

import quench
from quench import ir

ROWS, INPUTS, HIDDEN, OUTPUTS = 8, 64, 256, 32


def emit(layers):
    """The program, from a list of (key, weight): each layer but the last is followed by relu."""
    module = ir.Module(max_rows=ROWS)
    with module.function("mlp", ir.Tensor(ROWS, layers[0][1].shape[1])) as (f, x):
        for key, weight in layers:
            if x is not f.inputs[0]:
                x = f.elementwise("arith.maximumf", x, f.constant(0, x.type))
            x = f.linear(x, module.weight(key, weight.shape, weight.format))
        f.returns(x)
    return module


def reference(layers, x):
    """The same in NumPy, in double precision."""
    x = x.astype(np.float64)
    for i, (_, weight) in enumerate(layers):
        x = np.maximum(x, 0) if i else x
        x = x @ weight.dequantize().astype(np.float64).T
    return x


def main(weight_format="q4_1"):
    rng = np.random.default_rng(1)
    shapes = [(HIDDEN, INPUTS), (OUTPUTS, HIDDEN)]
    layers = [(f"layer.{i}", quench.quantize(rng.standard_normal(shape) / np.sqrt(shape[1]), weight_format))
              for i, shape in enumerate(shapes)]
    module = emit(layers)
    print(module)

    program = quench.load_program(module, weights=dict(layers))
    x = rng.standard_normal((ROWS, INPUTS)).astype(np.float32)
    y = program.call("mlp", x)
    error = np.abs(y - reference(layers, x)).max()
    print(f"{weight_format}: largest error {error:.1e}, largest result {np.abs(y).max():.2f}")
    return 0 if error < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
