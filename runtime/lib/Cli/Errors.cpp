//===- Errors.cpp - how failures reach the user ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

#include <cstdio>
#include <string>

using namespace qrt;

// A payload keeps the message as the user sees it.
static constexpr char kKind[] = "quench-run/kind";

static absl::Status withKind(absl::StatusCode code, absl::string_view message, const char *kind) {
  absl::Status status(code, message);
  status.SetPayload(kKind, absl::Cord(kind));
  return status;
}

absl::Status cli::usageError(absl::string_view message) {
  return withKind(absl::StatusCode::kInvalidArgument, message, "usage");
}

absl::Status cli::environmentError(absl::string_view message) {
  return withKind(absl::StatusCode::kUnavailable, message, "environment");
}

ExitStatus cli::exitStatusOf(const absl::Status &status) {
  if (auto kind = status.GetPayload(kKind))
    return *kind == "usage" ? ExitStatus::Usage : ExitStatus::Environment;
  return qrt::exitStatusOf(status.code());
}

static void printLine(const char *kind, absl::string_view message) {
  std::string line = absl::StrCat("quench-run: ", kind, ": ");
  bool gap = false;
  for (char c : message) {
    if (c == '\n' || c == '\r') {
      gap = true;
      continue;
    }
    if (gap && c != ' ') {
      line += "; ";
      gap = false;
    }
    if (!gap)
      line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  line += '\n';
  std::fflush(stdout);
  std::fputs(line.c_str(), stderr);
}

void cli::printError(absl::string_view message) { printLine("error", message); }

void cli::printNote(absl::string_view message) { printLine("note", message); }

absl::Status cli::withContext(const absl::Status &status, absl::string_view context) {
  if (status.ok())
    return status;
  absl::Status result(status.code(), absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord &payload) { result.SetPayload(url, payload); });
  return result;
}
