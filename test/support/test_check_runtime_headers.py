#===- test_check_runtime_headers.py - the header check finds offenders ----===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
"""Checks check_runtime_headers.py on dependency lists in the form that `ninja -t deps` prints."""

import check_runtime_headers as checker

BUILD = checker.ROOT / "build" / "runtime-asan"


def found(*paths):
    deps = "lib/X.cpp.o: #deps 1, deps mtime 1 (VALID)\n" + "".join(f"    {path}\n" for path in paths)
    headers, objects = checker.forbidden_headers(deps, BUILD)
    assert objects == 1
    return [header for _, header in headers]


def test_own_and_system_headers_pass():
    assert not found(checker.ROOT / "runtime/include/quench-rt/abi.h", "../../runtime/lib/Formats/Half.cpp",
                     "/usr/include/absl/status/status.h", "/usr/lib/llvm-22/lib/clang/22/include/stddef.h",
                     "lib/generated.h")


def test_headers_of_llvm_and_of_the_compiler_are_found():
    offenders = ["/usr/lib/llvm-22/include/llvm/ADT/StringRef.h", "/usr/include/llvm-22/mlir/IR/Operation.h",
                 "/usr/lib/llvm-22/include/mlir-c/IR.h", "../../include/quench/Import/GGUF.h",
                 str(checker.ROOT / "lib/Import/Detail.h")]
    assert found(*offenders) == offenders
