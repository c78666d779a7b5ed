//===- Errors.cpp - statuses of the C API as exceptions --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include <chrono>
#include <future>

namespace nb = nanobind;
using namespace quench;

void quench::addExceptions(nb::module_ &module) {
  nb::exception<Error> error(module, "Error", PyExc_RuntimeError);
  error.doc() =
      "Something went wrong in Quench. The message says what was found, where, and what would be "
      "accepted.";
  nb::exception<InputError> input(module, "InputError", error.ptr());
  input.doc() = "Something is wrong with a model, a file, a program or a text.";
  nb::exception<UsageError> usage(module, "UsageError", error.ptr());
  usage.doc() = "Something is wrong with the arguments of the call.";
  nb::exception<EnvironmentFailure> environment(module, "EnvironmentFailure", error.ptr());
  environment.doc() = "Memory, cache folder or compiler cannot be had; or a mistake of Quench's.";
}

static void throwPendingSignal() {
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
}

void quench::check(const Outcome &outcome) {
  throwPendingSignal();
  switch (outcome.status) {
  case QRT_OK:
    return;
  case QRT_ERROR_INPUT:
    throw InputError(outcome.message);
  case QRT_ERROR_USAGE:
    throw UsageError(outcome.message);
  case QRT_ERROR_ENVIRONMENT:
    throw EnvironmentFailure(outcome.message);
  case QRT_CANCELLED:
    break;
  }
  throw Error(outcome.message);
}

void quench::interruptibleCall(const std::function<qrt_status()> &work,
                               const std::function<void()> &cancel) {
  std::future<Outcome> running = std::async(std::launch::async, [&] { return Outcome(work()); });
  bool interrupted = false;
  while (true) {
    std::future_status state;
    {
      nb::gil_scoped_release release;
      state = running.wait_for(std::chrono::milliseconds(50));
    }
    if (state == std::future_status::ready)
      break;
    if (!interrupted && PyErr_CheckSignals() != 0) {
      interrupted = true;
      cancel();
    }
  }
  const Outcome outcome = running.get();
  if (interrupted)
    throw nb::python_error();
  check(outcome);
}

void Notes::warn() const {
  for (const std::string &line : lines)
    if (PyErr_WarnEx(PyExc_RuntimeWarning, line.c_str(), 1) != 0)
      throw nb::python_error();
}

nb::str quench::textOf(const char *text, size_t size) {
  PyObject *decoded = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(size), "replace");
  if (!decoded)
    throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}
