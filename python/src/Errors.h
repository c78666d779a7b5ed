//===- Errors.h - statuses of the C API as exceptions ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_PYTHON_ERRORS_H
#define QUENCH_PYTHON_ERRORS_H

#include "quench-rt/quench.h"

#include <nanobind/nanobind.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace quench {

/// Become the Python exceptions of the same name.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct InputError : Error {
  using Error::Error;
};
struct UsageError : Error {
  using Error::Error;
};
struct EnvironmentFailure : Error {
  using Error::Error;
};

void addExceptions(nanobind::module_ &module);

/// What a call returned, with its message: the message is kept for the thread of the call.
struct Outcome {
  Outcome(qrt_status status) : status(status), message(status ? qrt_last_error() : "") {}
  qrt_status status;
  std::string message;
};

/// Throws the exception of a status. A Ctrl-C that came meanwhile goes first.
void check(const Outcome &outcome);

/// Calls without the lock of the interpreter, then checks.
template <typename Work> void checkedCall(Work work) {
  Outcome outcome = [&] {
    nanobind::gil_scoped_release release;
    return Outcome(work());
  }();
  check(outcome);
}

/// The same for work that takes long: on Ctrl-C it is cancelled by `cancel`.
void interruptibleCall(const std::function<qrt_status()> &work,
                       const std::function<void()> &cancel);

/// Collects notes, and shows them as Python warnings.
class Notes {
public:
  static void add(void *data, const char *line) {
    static_cast<Notes *>(data)->lines.push_back(line);
  }
  void warn() const;

private:
  std::vector<std::string> lines;
};

struct Free {
  void operator()(void *memory) const { qrt_free(memory); }
};

/// Text that may end, or be broken, inside a character.
nanobind::str textOf(const char *text, size_t size);

} // namespace quench

#endif // QUENCH_PYTHON_ERRORS_H
