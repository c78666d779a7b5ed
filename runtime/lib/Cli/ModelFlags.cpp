//===- ModelFlags.cpp - options of all commands that run a model ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ModelFlags.h"

#include "Errors.h"
#include "Output.h"

#include <memory>

using namespace qrt;
using namespace qrt::cli;

Listener cli::commandLineListener() {
  Listener listener;
  listener.note = [](absl::string_view line) { printNote(line); };
  listener.busy = [progress = std::shared_ptr<Progress>()](absl::string_view what) mutable {
    progress.reset();
    if (!what.empty())
      progress = std::make_shared<Progress>(std::string(what));
  };
  return listener;
}

void cli::addTargetFlags(Command &command, TargetOptions &target) {
  command.text("--target", "CPU", target.target,
               "What code is for: native (this machine; the default), a CPU as LLVM calls it, such "
               "as x86-64-v2, or ARCHITECTURE:CPU");
  command.flag("--portable", target.portable, "Uses no instructions of one kind of processor only");
}

void cli::addKeepCodeFlag(Command &command, std::string &folder) {
  command.text("--keep-code", "DIR", folder,
               "Loads the code from a file in this folder, which stays, so that perf and debuggers "
               "find its symbols");
}

void cli::addModelFlags(Command &command, ModelOptions &options) {
  options.listener = commandLineListener();
  command.argument("model", "MODEL", options.model,
                   "Package, or GGUF file (compiled into the cache on first use)");
  command.integer("--threads", "N", options.threads, 1, 1024,
                  "Threads (default: one for each core)");
  command.choice("--activations", "TYPE", options.activations, {"i8", "f32"},
                 "For a GGUF file: i8 (8-bit integers in blocks of 32; the default) or f32");
  addTargetFlags(command, options.target);
  command.flag("--trust-code", options.trustCode,
               "Runs code that came with the package, though it was not made here");
  addKeepCodeFlag(command, options.keepCode);
}
