//===- TokenSource.h - tokens from the command line -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_TOKENSOURCE_H
#define QUENCH_RT_LIB_CLI_TOKENSOURCE_H

#include "Command.h"
#include "Input.h"

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt::cli {

/// `--tokens IDS`, `-p TEXT` or `-f FILE`.
class TokenSource {
public:
  void addTo(Command &command);

  /// At least one token and no more than the model's context. A usage error unless
  /// exactly one of the options was given.
  absl::StatusOr<std::vector<int32_t>> read(const std::string &model) const;

private:
  absl::StatusOr<std::vector<int32_t>> tokensOf(const std::string &model) const;

  TextSource text;
  std::string ids;
  Option idsOption;
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_TOKENSOURCE_H
