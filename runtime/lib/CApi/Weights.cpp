//===- Weights.cpp - formats of weights in the C API -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "quench-rt/Formats/Format.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/ascii.h"

#include <cstdlib>
#include <limits>

using namespace qrt;
using namespace qrt::capi;

/// "F32, Q8_0, …": those with an encoder, or all.
static std::string formatNames(bool encodable) {
  std::string names;
  for (size_t i = 0; i < kNumFormats; ++i) {
    const FormatInfo &info = formatInfo(static_cast<Format>(i));
    if (!encodable || info.encode)
      absl::StrAppend(&names, names.empty() ? "" : ", ", absl::AsciiStrToLower(toAbsl(info.name)));
  }
  return names;
}

static absl::StatusOr<Format> findFormat(const char *name, bool encodable) {
  QRT_RETURN_IF_ERROR(checkPointer(name, "format"));
  const std::optional<Format> format = formatByName(absl::AsciiStrToUpper(name));
  if (format && (!encodable || formatInfo(*format).encode))
    return *format;
  return usageError(absl::StrCat("format: found ", qrt::quoted(name), ", expected one of ",
                                 formatNames(encodable)));
}

/// Bytes of a matrix of that shape.
static absl::StatusOr<size_t> matrixBytes(Format format, int64_t rows, int64_t columns) {
  const size_t row = rowBytes(format, columns);
  if (row == 0)
    return usageError(absl::StrCat("columns: found ", columns, ", expected a positive multiple of ",
                                   formatInfo(format).blockElements, " for ",
                                   absl::AsciiStrToLower(toAbsl(formatName(format)))));
  if (rows < 1 || static_cast<uint64_t>(rows) > std::numeric_limits<size_t>::max() / 2 / row)
    return usageError(absl::StrCat("rows: found ", rows, ", expected at least 1"));
  return row * static_cast<size_t>(rows);
}

extern "C" {

qrt_status qrt_encode_weights(const char *format, const float *values, int64_t rows,
                              int64_t columns, void **bytes, size_t *size) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(values, "values"));
    QRT_RETURN_IF_ERROR(checkPointer(bytes, "bytes"));
    QRT_RETURN_IF_ERROR(checkPointer(size, "size"));
    QRT_ASSIGN_OR_RETURN(Format found, findFormat(format, /*encodable=*/true));
    QRT_ASSIGN_OR_RETURN(size_t total, matrixBytes(found, rows, columns));
    auto *to = static_cast<uint8_t *>(std::malloc(total));
    if (!to)
      return environmentError(absl::StrCat("no memory for weights of ", total, " bytes"));
    for (int64_t row = 0; row < rows; ++row)
      encodeRow(found, values + row * columns, to + static_cast<size_t>(row) * (total / rows),
                columns);
    *bytes = to;
    *size = total;
    return absl::OkStatus();
  });
}

qrt_status qrt_decode_weights(const char *format, const void *bytes, size_t size, int64_t rows,
                              int64_t columns, float *values) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(bytes, "bytes"));
    QRT_RETURN_IF_ERROR(checkPointer(values, "values"));
    QRT_ASSIGN_OR_RETURN(Format found, findFormat(format, /*encodable=*/false));
    QRT_ASSIGN_OR_RETURN(size_t total, matrixBytes(found, rows, columns));
    if (size != total)
      return usageError(absl::StrCat("size: found ", size, " bytes, expected ", total, " for ",
                                     rows, "x", columns, " numbers"));
    const size_t row = total / static_cast<size_t>(rows);
    for (int64_t i = 0; i < rows; ++i)
      decodeRow(found, static_cast<const uint8_t *>(bytes) + static_cast<size_t>(i) * row,
                values + i * columns, columns);
    return absl::OkStatus();
  });
}

} // extern "C"
