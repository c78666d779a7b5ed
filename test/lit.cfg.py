#===- lit.cfg.py - how the tests with RUN lines are run -------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===-----------------------------------------------------------------------===#
#
# The project's tools, FileCheck, not, and MLIR's and LLVM's own tools are called by name. Substitutions beside lit's:
#   %python           the interpreter of build/venv
#   %make-tiny-model  support/make_tiny_model.py, which writes a GGUF file; its options are in its head
#   %plugin           the library of lib/Plugin, for mlir-opt
#   %docs             the folder of the generated pages
#   %clang, %clangxx  LLVM 22's compilers, for this host
#   %clang-aarch64, %clangxx-aarch64, %run-aarch64   compile an AArch64 program, link it statically, run it
#   %model            the example model (SmolLM2-135M-Instruct, GGUF)
# Features name hardware, since set-up installs every program that a test needs: the host's architecture (x86_64,
# aarch64), and those of its instruction sets that are in INSTRUCTION_SETS. With QUENCH_ROUND_TRIP=1 in the
# environment each quench-opt writes its input as text and as bytecode, reads both back and compares.

import os
import platform
import re

import lit.formats

# Feature, and how Linux calls it in /proc/cpuinfo.
INSTRUCTION_SETS = {
    "avx2": "avx2",
    "fma": "fma",
    "f16c": "f16c",
    "avxvnni": "avx_vnni",
    "avx512f": "avx512f",
    "avx512vnni": "avx512_vnni",
}

config.name = "Quench"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.quench_build, "test")

tools = os.path.join(config.quench_build, "bin")
config.environment["PATH"] = os.pathsep.join([tools, config.llvm_tools, os.environ["PATH"]])
# A variable captured in one block is not seen in the next, and a prefix that no line uses is an error.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"
# What tests compile and pack stays inside the build.
config.environment["QUENCH_CACHE"] = os.path.join(config.test_exec_root, "cache")

aarch64 = "--target=aarch64-linux-gnu -fuse-ld=lld -static"
config.substitutions += [
    (r"%python\b", config.python),
    (r"%make-tiny-model\b", f"{config.python} {config.test_source_root}/support/make_tiny_model.py"),
    (r"%plugin\b", os.path.join(config.quench_build, "lib", "libQuenchPlugin.so")),
    (r"%docs\b", os.path.join(config.quench_build, "docs")),
    (r"%clang-aarch64\b", f"clang-22 {aarch64}"),
    (r"%clangxx-aarch64\b", f"clang++-22 {aarch64}"),
    (r"%run-aarch64\b", "qemu-aarch64"),
    (r"%clang\b", "clang-22"),
    (r"%clangxx\b", "clang++-22"),
    (r"%model\b", os.path.join(config.model_folder, "SmolLM2-135M-Instruct.Q4_1.gguf")),
]
if os.environ.get("QUENCH_ROUND_TRIP") == "1":
    config.substitutions.append((r"(?<![-/.\w])quench-opt(?![-/.\w])", "quench-opt --verify-roundtrip"))


def host_features():
    machine = platform.machine()
    flags = set()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as cpuinfo:
        found = re.search(r"^flags\s*:(.*)$", cpuinfo.read(), re.MULTILINE)
        if found:
            flags.update(found.group(1).split())
    return [machine] + [feature for feature, flag in INSTRUCTION_SETS.items() if flag in flags]


config.available_features.update(host_features())
