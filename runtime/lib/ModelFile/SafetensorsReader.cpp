//===- SafetensorsReader.cpp - mapped safetensors files -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"
#include "SafetensorsLayout.h"

#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace qrt;

unsigned qrt::safetensorsDtypeBits(std::string_view dtype) {
  struct Row {
    std::string_view name;
    unsigned bits;
  };
  static constexpr Row rows[] = {{"BOOL", 8},    {"U8", 8},      {"I8", 8},      {"F8_E4M3", 8},
                                 {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"U16", 16},    {"I16", 16},
                                 {"F16", 16},    {"BF16", 16},   {"U32", 32},    {"I32", 32},
                                 {"F32", 32},    {"U64", 64},    {"I64", 64},    {"F64", 64},
                                 {"C64", 64},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}};
  for (const Row &row : rows)
    if (row.name == dtype)
      return row.bits;
  return 0;
}

std::string detail::checkSafetensorsBytes(std::string_view dtype, absl::Span<const int64_t> shape,
                                          uint64_t bytes) {
  uint64_t bits = safetensorsDtypeBits(dtype);
  if (bits == 0)
    return {};
  bool empty = false, overflow = false;
  for (int64_t size : shape) {
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(bits, static_cast<uint64_t>(size), &bits);
  }
  if (empty) // a product with a zero is zero, whatever overflowed on the way
    bits = 0, overflow = false;
  if (!overflow && bits % 8 == 0 && bits / 8 == bytes)
    return {};
  std::string takes = overflow        ? std::string("more than 2^61")
                      : bits % 8 == 0 ? absl::StrCat(bits / 8)
                                      : "no whole number of";
  return absl::StrCat("shape [", absl::StrJoin(shape, ", "), "] of ", toAbsl(dtype), " takes ",
                      takes, " bytes, found ", bytes);
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  return parse(std::move(file));
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::parse(MappedFile file) {
  SafetensorsFile result;
  result.file = std::move(file);
  QRT_RETURN_IF_ERROR(result.readHeader());
  return result;
}

absl::Status SafetensorsFile::readHeader() {
  auto bad = [&](const std::string &what) {
    return absl::InvalidArgumentError(absl::StrCat(path(), ": header: ", what));
  };
  if (file.size() < 8)
    return bad(absl::StrCat("the file has ", file.size(), " bytes, expected at least 8"));
  uint64_t length;
  std::memcpy(&length, file.data(), sizeof(length));
  if (length > kMaxHeader || length > file.size() - 8)
    return bad(absl::StrCat("length ", length, ", but the file has ", file.size() - 8,
                            " bytes left and the limit is ", kMaxHeader));
  const uint8_t *data = file.data() + 8 + length;
  std::string_view json(reinterpret_cast<const char *>(file.data()) + 8, length);
  if (json.empty() || json[0] != '{')
    return bad("not a safetensors file (no JSON object behind the length)");

  SafetensorsHeaderReader reader(*this);
  if (std::string problem = reader.read(json); !problem.empty())
    return bad(problem);
  return checkTensors(data, file.size() - 8 - length);
}

absl::Status SafetensorsFile::checkTensors(const uint8_t *data, size_t available) {
  auto bad = [&](const SafetensorsTensor &tensor, const std::string &what) {
    return absl::InvalidArgumentError(
        absl::StrCat(path(), ": tensor ", qrt::quoted(tensor.name), ": ", what));
  };
  for (size_t i = 0; i < tensorList.size(); ++i) {
    SafetensorsTensor &tensor = tensorList[i];
    auto [begin, end] = offsets[i];
    if (begin > end || end > available)
      return bad(tensor, absl::StrCat("data_offsets [", begin, ", ", end, "], but the file has ",
                                      available, " bytes of data"));
    tensor.data = data + begin;
    tensor.bytes = end - begin;
    if (std::string problem =
            detail::checkSafetensorsBytes(tensor.dtype, tensor.shape, tensor.bytes);
        !problem.empty())
      return bad(tensor, problem);
  }

  std::vector<size_t> order(tensorList.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return offsets[a] < offsets[b]; });
  uint64_t covered = 0;
  for (size_t i : order) {
    if (offsets[i].first != covered)
      return bad(tensorList[i],
                 absl::StrCat("its data starts at ", offsets[i].first, ", expected ", covered,
                              " (tensors may neither overlap nor leave holes)"));
    covered = offsets[i].second;
  }
  if (covered != available)
    return absl::InvalidArgumentError(absl::StrCat(path(), ": the tensors cover ", covered,
                                                   " bytes of data, the file has ", available));
  offsets = {};
  return absl::OkStatus();
}

const SafetensorsTensor *SafetensorsFile::find(std::string_view name) const {
  auto it = index.find(std::string(name));
  return it == index.end() ? nullptr : &tensorList[it->second];
}

absl::StatusOr<const SafetensorsTensor *> SafetensorsFile::get(std::string_view name) const {
  if (const SafetensorsTensor *tensor = find(name))
    return tensor;
  return absl::NotFoundError(absl::StrCat(path(), ": tensor ", qrt::quoted(name), " is missing"));
}
