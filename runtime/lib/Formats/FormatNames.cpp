//===- FormatNames.cpp - the table for messages ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Apart from the table, so that harnesses for other machines need no compiled C++
// library, only its headers.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Format.h"

std::string qrt::supportedFormatNames() {
  std::string names;
  for (size_t i = 0; i < kNumFormats; ++i) {
    if (i > 0)
      names += ", ";
    names += formatName(static_cast<Format>(i));
  }
  return names;
}
