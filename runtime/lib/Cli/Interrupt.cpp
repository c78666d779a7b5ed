//===- Interrupt.cpp - Ctrl-C while an answer is generated -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Interrupt.h"

#include <atomic>

using namespace qrt;

static std::atomic<bool> interrupted;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

static void noteInterrupt(int) { interrupted = true; }

cli::CatchInterrupt::CatchInterrupt() {
  interrupted = false;
  struct sigaction action = {};
  action.sa_handler = noteInterrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before);
}

cli::CatchInterrupt::~CatchInterrupt() { sigaction(SIGINT, &before, nullptr); }

bool cli::CatchInterrupt::happened() const { return interrupted; }
