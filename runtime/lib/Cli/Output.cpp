//===- Output.cpp - results on standard output, progress on standard error ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace qrt;

static const Stopwatch sinceStart;

double cli::millisecondsSinceStart() { return sinceStart.milliseconds(); }

void cli::print(absl::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void cli::printJson(const Json &object) {
  print(object.dump(-1, ' ', false, Json::error_handler_t::replace));
  print("\n");
}

std::string cli::formatTable(const std::vector<std::vector<std::string>> &rows) {
  std::vector<size_t> widths;
  std::vector<bool> numeric;
  for (size_t r = 0; r < rows.size(); ++r) {
    widths.resize(std::max(widths.size(), rows[r].size()), 0);
    numeric.resize(widths.size(), true);
    for (size_t c = 0; c < rows[r].size(); ++c) {
      const std::string &cell = rows[r][c];
      widths[c] = std::max(widths[c], cell.size());
      if (r > 0 && !cell.empty() && !(cell[0] >= '0' && cell[0] <= '9') && cell[0] != '-')
        numeric[c] = false;
    }
  }
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      std::string gap(widths[c] - row[c].size(), ' ');
      absl::StrAppend(&line, c == 0 ? "" : "  ", numeric[c] ? gap : "", row[c],
                      numeric[c] ? "" : gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

cli::Progress::Progress(std::string what)
    : what(std::move(what)), active(isatty(STDERR_FILENO) != 0) {
  if (active)
    show("");
}

cli::Progress::~Progress() {
  if (active)
    std::fputs("\r\033[K", stderr);
}

void cli::Progress::update(uint64_t done, uint64_t total) {
  auto now = std::chrono::steady_clock::now();
  if (!active || now - last < std::chrono::milliseconds(100))
    return;
  last = now;
  show(absl::StrFormat(" %d %%", static_cast<int>(100.0 * done / total)));
}

void cli::Progress::show(absl::string_view text) {
  std::fputs(absl::StrCat("\r\033[K", what, text).c_str(), stderr);
  std::fflush(stderr);
}
