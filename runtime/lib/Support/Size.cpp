//===- Size.cpp - sizes as people write them ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/Size.h"

#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cmath>
#include <iterator>

using namespace qrt;

absl::StatusOr<uint64_t> qrt::parseSize(absl::string_view text, absl::string_view option) {
  static constexpr absl::string_view kUnits = "kMGT";
  absl::string_view digits = text;
  double factor = 1;
  if (!digits.empty() && digits.back() == 'B')
    digits.remove_suffix(1);
  if (!digits.empty()) {
    size_t unit = kUnits.find(digits.back());
    if (unit != absl::string_view::npos) {
      factor = std::pow(1000.0, static_cast<double>(unit + 1));
      digits.remove_suffix(1);
    }
  }
  double value;
  if (!absl::SimpleAtod(digits, &value) || !(value >= 0) || value * factor > 1e18)
    return usageError(absl::StrCat(option, ": found ",
                                   qrt::quoted(std::string_view(text.data(), text.size())),
                                   ", expected a size such as 512M or 20G"));
  return static_cast<uint64_t>(value * factor);
}

std::string qrt::formatBytes(uint64_t bytes) {
  static constexpr const char *kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000)
    return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}
