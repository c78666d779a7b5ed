//===- SafetensorsWriter.cpp - writing safetensors files ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SafetensorsLayout.h"

#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/Support/Utf8.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <nlohmann/json.hpp>

#include <cstring>

using namespace qrt;

static constexpr size_t kDataAlignment = 64;

/// A JSON string. The text is known to be UTF-8, so that nothing throws.
static std::string jsonString(const std::string &text) { return nlohmann::json(text).dump(); }

absl::Status SafetensorsWriter::setMetadata(std::string_view key, std::string_view value) {
  if (!isUtf8(key) || !isUtf8(value))
    return absl::InvalidArgumentError(
        absl::StrCat("safetensors metadata ", qrt::quoted(key), ": key or value is not UTF-8"));
  strings[std::string(key)] = std::string(value);
  return absl::OkStatus();
}

absl::Status SafetensorsWriter::addTensor(std::string_view name, std::string_view dtype,
                                          absl::Span<const int64_t> shape, const void *data,
                                          size_t bytes) {
  auto bad = [&](const std::string &what) {
    return absl::InvalidArgumentError(
        absl::StrCat("safetensors tensor ", qrt::quoted(name), ": ", what));
  };
  if (!isUtf8(name) || !isUtf8(dtype))
    return bad("name or dtype is not UTF-8");
  if (name == detail::kSafetensorsMetadata)
    return bad("the name is reserved");
  for (int64_t size : shape)
    if (size < 0)
      return bad(absl::StrCat("negative size ", size));
  if (shape.size() > SafetensorsFile::kMaxRank)
    return bad(
        absl::StrCat(shape.size(), " dimensions, expected at most ", SafetensorsFile::kMaxRank));
  if (std::string problem = detail::checkSafetensorsBytes(dtype, shape, bytes); !problem.empty())
    return bad(problem);
  if (!index.emplace(std::string(name), tensorList.size()).second)
    return bad("added twice");
  SafetensorsTensor tensor;
  tensor.name = std::string(name);
  tensor.dtype = std::string(dtype);
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.data = static_cast<const uint8_t *>(data);
  tensor.bytes = bytes;
  tensorList.push_back(std::move(tensor));
  return absl::OkStatus();
}

absl::Status SafetensorsWriter::write(const std::string &path) const {
  std::string header = "{";
  const char *separator = "";
  if (!strings.empty()) {
    header += "\"__metadata__\":{";
    for (const auto &[key, value] : strings) {
      absl::StrAppend(&header, separator, jsonString(key), ":", jsonString(value));
      separator = ",";
    }
    header += "}";
  }
  uint64_t offset = 0;
  for (const SafetensorsTensor &tensor : tensorList) {
    absl::StrAppend(&header, separator, jsonString(tensor.name),
                    ":{\"dtype\":", jsonString(tensor.dtype), ",\"shape\":[",
                    absl::StrJoin(tensor.shape, ","), "],\"data_offsets\":[", offset, ",",
                    offset + tensor.bytes, "]}");
    offset += tensor.bytes;
    separator = ",";
  }
  header += "}";
  size_t end = sizeof(uint64_t) + header.size();
  header.append((kDataAlignment - end % kDataAlignment) % kDataAlignment, ' ');
  if (header.size() > SafetensorsFile::kMaxHeader)
    return absl::InvalidArgumentError(absl::StrCat(path, ": header of ", header.size(),
                                                   " bytes, the format allows ",
                                                   SafetensorsFile::kMaxHeader));

  uint64_t length = header.size();
  QRT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  QRT_RETURN_IF_ERROR(file.write(&length, sizeof(length)));
  QRT_RETURN_IF_ERROR(file.write(header));
  for (const SafetensorsTensor &tensor : tensorList)
    QRT_RETURN_IF_ERROR(file.write(tensor.data, tensor.bytes));
  return file.commit();
}
