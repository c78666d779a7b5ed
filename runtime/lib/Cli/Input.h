//===- Input.h - texts and id lists from the command line ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_INPUT_H
#define QUENCH_RT_LIB_CLI_INPUT_H

#include "Command.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt::cli {

/// `-p TEXT` or `-f FILE`.
struct TextSource {
  std::string text;
  std::string file;
  Option textOption;
  Option fileOption;

  void addTo(Command &command);
  bool given() const { return textOption.given() || fileOption.given(); }

  /// The text. A usage error unless exactly one of the options was given.
  absl::StatusOr<std::string> read() const;
};

/// A whole file, or standard input for "-", of at most `limit` bytes.
absl::StatusOr<std::string> readTextFile(const std::string &path, uint64_t limit = uint64_t(1)
                                                                                   << 30);

/// Token ids separated by commas, spaces or line ends. `option` is for messages.
absl::StatusOr<std::vector<int32_t>> parseIds(absl::string_view text, absl::string_view option);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_INPUT_H
