//===- SystemError.h - a failed system call as a status -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_SUPPORT_SYSTEMERROR_H
#define QUENCH_RT_LIB_SUPPORT_SYSTEMERROR_H

#include "absl/status/status.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace qrt {

/// "PATH: WHAT: REASON", with a code that tells a missing file from other trouble.
inline absl::Status systemError(const char *what, const std::string &path, int error) {
  std::string message = path + ": " + what + ": " + std::generic_category().message(error);
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return absl::NotFoundError(message);
  case EACCES:
  case EPERM:
  case EROFS:
    return absl::PermissionDeniedError(message);
  case ENOSPC:
  case EDQUOT:
    return absl::ResourceExhaustedError(message);
  default:
    return absl::UnavailableError(message);
  }
}

} // namespace qrt

#endif // QUENCH_RT_LIB_SUPPORT_SYSTEMERROR_H
