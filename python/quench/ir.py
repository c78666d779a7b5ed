# ===- ir.py - building programs in the dialect -----------------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""A small builder of programs: values know their types, and its text is what quench-opt reads.

    module = ir.Module(max_rows=16)
    w = module.weight("w", (40, 64), "q8_0")
    with module.function("project", ir.Tensor(None, 64)) as (f, x):
        f.returns(f.linear(x, w))

Shapes are checked as far as the ops here need them; everything else the dialect's verifiers say when the program is
compiled. Ops that have no method are written with Function.op().
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A type: a dense array. A dimension None is the number of rows of a call, at most Module.max_rows."""

    shape: tuple[int | None, ...]
    element: str

    def __init__(self, *shape: int | None, element: str = "f32"):
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "element", element)

    def __str__(self) -> str:
        return "tensor<" + "".join(f"{'?' if size is None else size}x" for size in self.shape) + f"{self.element}>"


@dataclasses.dataclass(frozen=True)
class Weight:
    """A declared weight: a matrix, or a vector."""

    key: str
    shape: tuple[int, ...]
    format: str

    def __str__(self) -> str:
        return f"!quench.qtensor<{'x'.join(map(str, self.shape))}, #quench.{self.format}>"


@dataclasses.dataclass(frozen=True)
class Value:
    """A value of a function."""

    name: str
    type: Tensor | Weight

    def __str__(self) -> str:
        return self.name


class Function:
    """The body of a function. Methods append ops and return their results."""

    def __init__(self, name: str, inputs: Sequence[Tensor]):
        self.name = name
        self.inputs = [Value(f"%arg{i}", type) for i, type in enumerate(inputs)]
        self._lines: list[str] = []
        self._results: tuple[Value, ...] | None = None
        self._count = 0
        self._weights: dict[str, Value] = {}

    def op(self, text: str, *results: Tensor | Weight) -> Value | tuple[Value, ...]:
        """Appends an op: its text without the results, and their types."""
        values = tuple(Value(f"%{self._count + i}", type) for i, type in enumerate(results))
        self._count += len(values)
        self._lines.append((", ".join(map(str, values)) + " = " if values else "") + text)
        return values[0] if len(values) == 1 else values

    def _one(self, text: str, result: Tensor | Weight) -> Value:
        value = self.op(text, result)
        assert isinstance(value, Value)
        return value

    def weight(self, weight: Weight) -> Value:
        """The value of a declared weight."""
        if weight.key not in self._weights:
            self._weights[weight.key] = self._one(f'quench.get_weight @"{weight.key}" : {weight}', weight)
        return self._weights[weight.key]

    def linear(self, x: Value, weight: Weight) -> Value:
        """The rows of x times the transposed weight."""
        if not isinstance(x.type, Tensor) or x.type.shape[-1] != weight.shape[-1]:
            raise ValueError(f"linear: found {x.type} and {weight}, expected equal numbers of columns")
        w = self.weight(weight)
        result = Tensor(x.type.shape[0], weight.shape[0])
        return self._one(f"quench.linear {x}, {w} : {x.type}, {weight} -> {result}", result)

    def rms_norm(self, x: Value, weight: Weight, eps: float) -> Value:
        """Rows divided by their root mean square, times the weight."""
        w = self.weight(weight)
        return self._one(f"quench.rms_norm {x}, {w} eps({eps:e}) : {x.type}, {weight}", x.type)

    def elementwise(self, name: str, *operands: Value) -> Value:
        """An op of upstream's arith or math dialects on equal types, such as 'arith.addf' or 'math.exp'."""
        return self._one(f"{name} {', '.join(map(str, operands))} : {operands[0].type}", operands[0].type)

    def constant(self, value: float, type: Tensor) -> Value:
        """A tensor of equal numbers; its shape has no None."""
        if None in type.shape:
            raise ValueError(f"constant: found {type}, expected a static shape")
        return self._one(f"arith.constant dense<{float(value):e}> : {type}", type)

    def returns(self, *values: Value) -> None:
        """Ends the function."""
        self._results = values

    def __str__(self) -> str:
        if self._results is None:
            raise ValueError(f"function {self.name}: it has no end, expected returns()")
        types = ", ".join(str(value.type) for value in self._results)
        arguments = ", ".join(f"{value}: {value.type}" for value in self.inputs)
        end = f"return {', '.join(map(str, self._results))} : {types}" if self._results else "return"
        body = "".join(f"    {line}\n" for line in [*self._lines, end])
        return (f"  func.func @{self.name}({arguments}) -> ({types}) "
                f"attributes {{quench.entry}} {{\n{body}  }}\n")


class Module:
    """A program. str() is its text."""

    def __init__(self, *, max_rows: int = 16):
        self.max_rows = max_rows
        self._weights: dict[str, Weight] = {}
        self._functions: list[Function] = []

    def weight(self, key: str, shape: tuple[int, ...], format: str) -> Weight:
        """Declares a weight, which a file of weights has under this key."""
        if key in self._weights:
            raise ValueError(f"weight {key}: declared already")
        self._weights[key] = Weight(key, tuple(shape), format)
        return self._weights[key]

    @contextlib.contextmanager
    def function(self, name: str, *inputs: Tensor) -> Iterator[tuple]:
        """Adds a function. Gives its body and the values of its arguments."""
        function = Function(name, inputs)
        yield (function, *function.inputs)
        str(function)  # so that a missing end is said here
        self._functions.append(function)

    def __str__(self) -> str:
        weights = "".join(f'  quench.weight @"{w.key}" {{key = "{w.key}"}} : {w}\n' for w in self._weights.values())
        return (f"module attributes {{quench.max_rows = {self.max_rows} : i64}} {{\n{weights}"
                f"{''.join(map(str, self._functions))}}}\n")
