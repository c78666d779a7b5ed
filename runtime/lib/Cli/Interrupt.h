//===- Interrupt.h - Ctrl-C while an answer is generated -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_INTERRUPT_H
#define QUENCH_RT_LIB_CLI_INTERRUPT_H

#include <csignal>

namespace qrt::cli {

/// While one exists SIGINT only sets a flag. One at a time; not for several threads.
class CatchInterrupt {
public:
  CatchInterrupt();
  ~CatchInterrupt();
  CatchInterrupt(const CatchInterrupt &) = delete;
  CatchInterrupt &operator=(const CatchInterrupt &) = delete;

  /// Whether the signal has come since construction.
  bool happened() const;

private:
  struct sigaction before;
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_INTERRUPT_H
