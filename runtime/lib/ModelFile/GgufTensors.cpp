//===- GgufTensors.cpp - tensor descriptions of a GGUF file ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GgufParser.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace qrt;

static std::string itemOf(const GgufTensor &tensor) {
  return absl::StrCat("tensor ", qrt::quoted(tensor.name));
}

absl::Status GgufParser::parseTensors(uint64_t count) {
  file.tensorList.reserve(count);
  std::vector<uint64_t> offsets(count);
  for (uint64_t i = 0; i < count; ++i)
    QRT_RETURN_IF_ERROR(parseTensor(i, offsets[i]));
  return placeTensors(offsets);
}

absl::Status GgufParser::parseTensor(uint64_t index, uint64_t &offset) {
  GgufTensor tensor;
  QRT_RETURN_IF_ERROR(readName(tensor.name, absl::StrCat("tensor ", index)));
  std::string item = itemOf(tensor);
  QRT_RETURN_IF_ERROR(parseShape(tensor, item));
  QRT_RETURN_IF_ERROR(read(tensor.ggmlType, item));
  QRT_RETURN_IF_ERROR(read(offset, item));
  QRT_RETURN_IF_ERROR(computeBytes(tensor, item));
  if (offset % file.dataAlignment != 0)
    return error(item, absl::StrCat("offset ", offset, " is no multiple of the alignment ",
                                    file.dataAlignment));
  if (!file.tensorIndex.emplace(tensor.name, file.tensorList.size()).second)
    return error(item, "given twice");
  file.tensorList.push_back(tensor);
  return absl::OkStatus();
}

absl::Status GgufParser::parseShape(GgufTensor &tensor, const std::string &item) {
  QRT_RETURN_IF_ERROR(read(tensor.rank, item));
  if (tensor.rank < 1 || tensor.rank > GgufTensor::kMaxRank)
    return error(item,
                 absl::StrCat(tensor.rank, " dimensions, expected 1 to ", GgufTensor::kMaxRank));
  int64_t elements = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    uint64_t size;
    QRT_RETURN_IF_ERROR(read(size, item));
    if (size == 0 || size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return error(item, absl::StrCat("dimension ", i, " is ", size, ", expected 1 to 2^63-1"));
    // The file counts from the fastest dimension.
    int64_t &slot = tensor.sizes[tensor.rank - 1 - i];
    slot = static_cast<int64_t>(size);
    if (__builtin_mul_overflow(elements, slot, &elements))
      return error(item, "the number of elements exceeds 2^63-1");
  }
  return absl::OkStatus();
}

/// Leaves 0 for a type that the table lacks.
absl::Status GgufParser::computeBytes(GgufTensor &tensor, const std::string &item) {
  std::optional<Format> format = formatByGgmlType(tensor.ggmlType);
  if (!format)
    return absl::OkStatus();
  const FormatInfo &info = formatInfo(*format);
  if (tensor.columns() % info.blockElements != 0)
    return error(item, absl::StrCat("rows of ", tensor.columns(), " numbers in ", toAbsl(info.name),
                                    ", whose blocks hold ", info.blockElements));
  size_t perRow = rowBytes(*format, tensor.columns());
  if (perRow == 0 ||
      __builtin_mul_overflow(perRow, static_cast<size_t>(tensor.rows()), &tensor.bytes))
    return error(item, absl::StrCat("shape [", absl::StrJoin(tensor.shape(), ", "), "] in ",
                                    toAbsl(info.name), " takes more than 2^64 bytes"));
  return absl::OkStatus();
}

/// Checks that the tensors' bytes lie in the data section and apart from each other, and
/// points the tensors at them.
absl::Status GgufParser::placeTensors(const std::vector<uint64_t> &offsets) {
  if (offsets.empty())
    return absl::OkStatus();
  uint64_t position = static_cast<uint64_t>(at - begin);
  uint64_t start = (position + file.dataAlignment - 1) / file.dataAlignment * file.dataAlignment;
  if (start > file.file.size())
    return error("tensor data", absl::StrCat("starts at byte ", start, ", but the file has ",
                                             file.file.size(), " bytes"));
  uint64_t available = file.file.size() - start;

  std::vector<uint32_t> order(offsets.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return offsets[a] < offsets[b]; });
  for (size_t i = 0; i < order.size(); ++i) {
    GgufTensor &tensor = file.tensorList[order[i]];
    uint64_t offset = offsets[order[i]];
    if (offset > available || tensor.bytes > available - offset)
      return error(itemOf(tensor),
                   absl::StrCat(tensor.bytes, " bytes at offset ", offset,
                                " of the data section, which has ", available, " bytes"));
    uint64_t limit = available;
    if (i + 1 < order.size()) {
      limit = std::min(limit, offsets[order[i + 1]]);
      if (limit == offset || tensor.bytes > limit - offset)
        return error(itemOf(tensor),
                     absl::StrCat("its ", tensor.bytes, " bytes at offset ", offset, " overlap ",
                                  itemOf(file.tensorList[order[i + 1]]), " at offset ",
                                  offsets[order[i + 1]]));
    }
    if (!formatByGgmlType(tensor.ggmlType))
      tensor.bytes = static_cast<size_t>(limit - offset);
    tensor.data = begin + start + offset;
  }
  return absl::OkStatus();
}
