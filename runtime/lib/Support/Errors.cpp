//===- Errors.cpp - who is at fault, kept with a status -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

using namespace qrt;

// A payload keeps the message as the user sees it.
static constexpr char kKind[] = "quench/kind";

static absl::Status withKind(absl::StatusCode code, absl::string_view message, const char *kind) {
  absl::Status status(code, message);
  status.SetPayload(kKind, absl::Cord(kind));
  return status;
}

absl::Status qrt::usageError(absl::string_view message) {
  return withKind(absl::StatusCode::kInvalidArgument, message, "usage");
}

absl::Status qrt::environmentError(absl::string_view message) {
  return withKind(absl::StatusCode::kUnavailable, message, "environment");
}

ExitStatus qrt::exitStatusOf(const absl::Status &status) {
  if (auto kind = status.GetPayload(kKind))
    return *kind == "usage" ? ExitStatus::Usage : ExitStatus::Environment;
  return exitStatusOf(status.code());
}

absl::Status qrt::withContext(const absl::Status &status, absl::string_view context) {
  if (status.ok())
    return status;
  absl::Status result(status.code(), absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord &payload) { result.SetPayload(url, payload); });
  return result;
}
