# ===- test_instrumented_code.py - accesses that sanitizers can check -------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ===-----------------------------------------------------------------------===#
"""The thread sanitizer's pass leaves out accesses that are masked or wider than 128 bits, without a word. So there must
be none in code that is compiled for it. run_sanitized.py runs such code."""

import re

import pytest

from make_tiny_model import TinyModel

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "half": 16, "float": 32, "double": 64, "ptr": 64}
ACCESS = re.compile(r"\b(?:load|store) (?:volatile )?(?:<(\d+) x (\w+)>|(\w+))")


@pytest.mark.parametrize("activations", ["i8", "f32"])
@pytest.mark.parametrize("sanitizer, function",
                         [("thread", "@__tsan_unaligned_read16"), ("address", "@__asan_report_load_n")])
def test_accesses_are_narrow_and_plain(quench_run, tmp_path, activations, sanitizer, function):
    model = tmp_path / "model.gguf"
    model.write_bytes(TinyModel(feed_forward=96).build().build())
    quench_run("compile", model, "-o", tmp_path / "package", "--activations", activations, "--sanitize", sanitizer,
               "--dump-stages", tmp_path / "stages")
    [path] = (tmp_path / "stages").glob("*-module.ll")
    code = path.read_text()
    assert f"call void {function}" in code
    assert "@llvm.masked." not in code
    widths = [int(lanes) * BITS[element] if lanes else BITS[scalar] for lanes, element, scalar in ACCESS.findall(code)]
    assert max(widths) == 128
