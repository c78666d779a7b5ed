# ===- __init__.py - compile quantized language models and run them ---------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""Compiles quantized language models and runs them.

    import quench
    model = quench.Model("model.gguf")
    for piece in model.session().generate("The capital of France is", max_tokens=20):
        print(piece, end="", flush=True)

Programs in the dialect, as text or built with quench.ir, are compiled and called on NumPy arrays by load_program().
"""

from quench._quench import (Chat, EnvironmentFailure, Error, Generation, InputError, Model, Perplexity, Program,
                            Session, Stats, Tokenizer, UsageError)
from quench._quench import version as __version__
from quench.programs import compile, load_program
from quench.weights import Weight, quantize, save_weights

__all__ = ["Chat", "EnvironmentFailure", "Error", "Generation", "InputError", "Model", "Perplexity", "Program",
           "Session", "Stats", "Tokenizer", "UsageError", "Weight", "__version__", "compile", "load_program",
           "quantize", "save_weights"]
