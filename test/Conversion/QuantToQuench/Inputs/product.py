#===- product.py - input of run.mlir, and what has to come out --------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
"""usage: product.py write X.npy | check X.npy Y.npy Z.npy

All numbers are small multiples of 1/8, so that products and sums are exact in any order.
"""

import sys

import numpy as np

EIGHT_BITS = np.array([np.arange(32) * 0.5, (28 - np.arange(32)) * 0.25])
FOUR_BITS = np.array([np.tile(np.arange(-8, 8), 2) * 0.5, np.tile(np.arange(7, -9, -1), 2) * 0.5])


def main():
    if sys.argv[1] == "write":
        rows = np.arange(4)[:, None] * 32 + np.arange(32)
        np.save(sys.argv[2], ((rows * 7 % 33 - 16) / 8).astype(np.float32))
        return
    x, y, z = (np.load(path) for path in sys.argv[2:])
    for got, weight in ((y, EIGHT_BITS), (z, FOUR_BITS)):
        expected = x.astype(np.float64) @ weight.T
        assert got.dtype == np.float32 and np.array_equal(got, expected), (got, expected)


main()
