//===- Errors.cpp - how failures reach the user ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include "absl/strings/str_cat.h"

#include <cstdio>
#include <string>

using namespace qrt;

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
