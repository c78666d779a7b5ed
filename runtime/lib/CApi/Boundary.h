//===- Boundary.h - what every function of the C API does ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CAPI_BOUNDARY_H
#define QUENCH_RT_LIB_CAPI_BOUNDARY_H

#include "quench-rt/Model/Listener.h"
#include "quench-rt/Support/Errors.h"
#include "quench-rt/quench.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

namespace qrt::capi {

/// Keeps the message for qrt_last_error().
qrt_status report(const absl::Status &status);

/// Runs the body of a function. Only libraries throw, for want of memory.
template <typename Work> qrt_status run(Work work) {
  try {
    return report(work());
  } catch (const std::exception &error) {
    return report(environmentError(error.what()));
  }
}

/// A usage error if a pointer that has to be there is not.
template <typename T> absl::Status checkPointer(const T *pointer, const char *name) {
  return pointer ? absl::OkStatus() : usageError(absl::StrCat(name, " is NULL"));
}

/// Copies options that the caller's version of the header may know fewer members of.
template <typename Options>
absl::StatusOr<Options> readOptions(const Options *given, Options defaults, const char *name) {
  if (!given)
    return defaults;
  if (given->size < sizeof(given->size) || given->size > sizeof(Options))
    return usageError(absl::StrCat(name, ": its size is ", given->size, ", expected at most ",
                                   sizeof(Options),
                                   "; start with the initializer of quench.h, of "
                                   "no later version than the library"));
  std::memcpy(&defaults, given, given->size);
  return defaults;
}

/// Fills in the members that the caller's version of the header knows.
template <typename Result> void writeResult(Result result, Result *to) {
  const size_t size = std::min(to->size, sizeof(Result));
  result.size = to->size;
  std::memcpy(to, &result, size);
}

/// The text at a pointer that may be null.
inline std::string textOr(const char *text, const char *otherwise) {
  return text ? text : otherwise;
}

inline Listener listenerOf(qrt_note_function note, void *data) {
  Listener listener;
  if (note)
    listener.note = [note, data](absl::string_view line) { note(data, std::string(line).c_str()); };
  return listener;
}

/// A copy that qrt_free() frees, with a zero byte behind it.
absl::StatusOr<void *> copyOut(const void *bytes, size_t size);

} // namespace qrt::capi

#endif // QUENCH_RT_LIB_CAPI_BOUNDARY_H
