# ===- programs.py - compiling programs from files, text or a builder -------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The functions of quench that take programs."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Union

import numpy.typing as npt

from quench import _quench
from quench.ir import Module
from quench.weights import Weight, save_weights

PathLike = Union[str, "os.PathLike[str]"]
Source = Union[str, "os.PathLike[str]", Module]
Weights = Union[str, "os.PathLike[str]", Mapping[str, Union[Weight, npt.ArrayLike]], None]


@contextlib.contextmanager
def _files(source: Source, weights: Weights) -> Iterator[tuple[str, str | None]]:
    """The source and the weights as files, some of them temporary."""
    with tempfile.TemporaryDirectory(prefix="quench-") as folder:
        if isinstance(source, Module) or (isinstance(source, str) and "\n" in source):
            path = pathlib.Path(folder, "program.mlir")
            path.write_text(str(source), encoding="utf-8")
        else:
            path = pathlib.Path(source)
        if weights is None or isinstance(weights, (str, os.PathLike)):
            file = None if weights is None else os.fspath(weights)
        else:
            file = os.path.join(folder, "weights.safetensors")
            save_weights(file, weights)
        yield os.fspath(path), file


def load_program(source: Source, *, weights: Weights = None, target: str | None = None,
                 dump_stages: PathLike | None = None, threads: int = 0, trust_code: bool = False) -> _quench.Program:
    """Compiles a program, all of whose public functions can then be called on arrays.

    source: a quench.ir.Module, MLIR as text of several lines, an .mlir or .mlirbc file, or a package.
    weights: the program's weights, as a file or as Weight and float arrays by key.
    target: a CPU as LLVM calls it; None: this machine.
    dump_stages: a folder for the IR after each stage.
    threads: 0: one for each core.
    trust_code: runs code that came with a package though it was not made here.
    """
    with _files(source, weights) as (path, file):
        return _quench.Program(path, weights=file, target=target, threads=threads, trust_code=trust_code,
                               dump_stages=None if dump_stages is None else os.fspath(dump_stages))


def compile(source: Source, package: PathLike, *, weights: Weights = None,
            from_package: PathLike | None = None, activations: str | None = None, layers: str | None = None,
            target: str | None = None, dump_stages: PathLike | None = None, context_length: int = 0) -> pathlib.Path:
    """Makes a package, a folder that must not exist yet. Returns its path.

    source: a GGUF file, a package, or a program as in load_program().
    weights, from_package: of a program: its weights, or the package that has weights and tokenizer.
    activations, layers, context_length: of a GGUF file: 'i8' (None: so) or 'f32', the layers to keep ('0-11,15-29'),
    and the most tokens of a sequence.
    """
    with _files(source, weights) as (path, file):
        _quench.compile(path, os.fspath(package), weights=file, activations=activations, layers=layers, target=target,
                        from_package=None if from_package is None else os.fspath(from_package),
                        dump_stages=None if dump_stages is None else os.fspath(dump_stages),
                        context_length=context_length)
    return pathlib.Path(package)
