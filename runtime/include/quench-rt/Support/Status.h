//===- Status.h - passing absl::Status on ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   QRT_RETURN_IF_ERROR(doIt());
//   QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
//
// The enclosing function returns absl::Status or absl::StatusOr. The second macro
// declares a hidden variable, so it stands in a block of its own, not as the sole
// statement of an `if`; a type with a comma needs parentheses or `auto`.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_STATUS_H
#define QUENCH_RT_SUPPORT_STATUS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <utility>

#define QRT_RETURN_IF_ERROR(expr)                                                                  \
  do {                                                                                             \
    if (absl::Status qrtStatus = (expr); !qrtStatus.ok())                                          \
      return qrtStatus;                                                                            \
  } while (false)

#define QRT_ASSIGN_OR_RETURN(lhs, expr)                                                            \
  QRT_ASSIGN_OR_RETURN_IMPL(QRT_STATUS_NAME(qrtStatusOr, __LINE__), lhs, expr)

#define QRT_ASSIGN_OR_RETURN_IMPL(name, lhs, expr)                                                 \
  auto name = (expr);                                                                              \
  if (!name.ok())                                                                                  \
    return std::move(name).status();                                                               \
  lhs = std::move(name).value()

#define QRT_STATUS_NAME(prefix, line) QRT_STATUS_NAME_IMPL(prefix, line)
#define QRT_STATUS_NAME_IMPL(prefix, line) prefix##line

#endif // QUENCH_RT_SUPPORT_STATUS_H
