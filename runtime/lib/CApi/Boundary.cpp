//===- Boundary.cpp - what every function of the C API does ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include <cstdlib>

using namespace qrt;

static_assert(QRT_VERSION_NUMBER == QUENCH_VERSION_NUMBER, "quench.h and CMakeLists.txt");

static thread_local std::string lastError;

qrt_status capi::report(const absl::Status &status) {
  if (status.ok())
    return QRT_OK;
  lastError = std::string(status.message());
  if (absl::IsCancelled(status))
    return QRT_CANCELLED;
  switch (exitStatusOf(status)) {
  case ExitStatus::Usage:
    return QRT_ERROR_USAGE;
  case ExitStatus::Environment:
    return QRT_ERROR_ENVIRONMENT;
  default:
    return QRT_ERROR_INPUT;
  }
}

absl::StatusOr<void *> capi::copyOut(const void *bytes, size_t size) {
  auto *copy = static_cast<char *>(std::malloc(size + 1));
  if (!copy)
    return environmentError(absl::StrCat("no memory for a result of ", size, " bytes"));
  if (size > 0)
    std::memcpy(copy, bytes, size);
  copy[size] = 0;
  return copy;
}

extern "C" {

int32_t qrt_version(void) { return QRT_VERSION_NUMBER; }

const char *qrt_last_error(void) { return lastError.c_str(); }

void qrt_free(void *memory) { std::free(memory); }

} // extern "C"
