//===- Gguf.cpp - looking things up in a GGUF file ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Gguf.h"

#include "GgufParser.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

absl::StatusOr<GgufFile> GgufFile::open(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  return parse(std::move(file));
}

absl::StatusOr<GgufFile> GgufFile::parse(MappedFile file) {
  GgufFile result;
  result.file = std::move(file);
  QRT_RETURN_IF_ERROR(GgufParser(result).parse());
  return result;
}

const GgufValue *GgufFile::find(std::string_view key) const {
  auto it = entryIndex.find(key);
  return it == entryIndex.end() ? nullptr : &entries[it->second].value;
}

const GgufTensor *GgufFile::findTensor(std::string_view name) const {
  auto it = tensorIndex.find(name);
  return it == tensorIndex.end() ? nullptr : &tensorList[it->second];
}

/// Looks `key` up and applies `convert`; `expected` names what it accepts.
template <typename T, typename Convert>
static absl::StatusOr<T> get(const GgufFile &file, std::string_view key, const char *expected,
                             Convert convert) {
  const GgufValue *value = file.find(key);
  if (!value)
    return absl::NotFoundError(absl::StrCat(file.path(), ": metadata ", qrt::quoted(key),
                                            " is missing, expected ", expected));
  std::optional<T> converted = convert(*value);
  if (!converted)
    return absl::InvalidArgumentError(absl::StrCat(file.path(), ": metadata ", qrt::quoted(key),
                                                   ": ", value->describeType(), ", expected ",
                                                   expected));
  return *std::move(converted);
}

absl::StatusOr<int64_t> GgufFile::getInt(std::string_view key) const {
  return get<int64_t>(*this, key, "an integer below 2^63",
                      [](const GgufValue &v) { return v.asInt(); });
}

absl::StatusOr<double> GgufFile::getFloat(std::string_view key) const {
  return get<double>(*this, key, "a number", [](const GgufValue &v) { return v.asFloat(); });
}

absl::StatusOr<bool> GgufFile::getBool(std::string_view key) const {
  return get<bool>(*this, key, "a boolean", [](const GgufValue &v) { return v.asBool(); });
}

absl::StatusOr<std::string_view> GgufFile::getString(std::string_view key) const {
  return get<std::string_view>(*this, key, "a string",
                               [](const GgufValue &v) { return v.asString(); });
}

absl::StatusOr<std::vector<std::string_view>> GgufFile::getStrings(std::string_view key) const {
  return get<std::vector<std::string_view>>(*this, key, "an array of strings",
                                            [](const GgufValue &v) { return v.asStrings(); });
}

absl::StatusOr<std::vector<int64_t>> GgufFile::getInts(std::string_view key) const {
  return get<std::vector<int64_t>>(*this, key, "an array of integers below 2^63",
                                   [](const GgufValue &v) { return v.asInts(); });
}

absl::StatusOr<std::vector<float>> GgufFile::getFloats(std::string_view key) const {
  return get<std::vector<float>>(*this, key, "an array of floats",
                                 [](const GgufValue &v) { return v.asFloats(); });
}

absl::StatusOr<int64_t> GgufFile::getIntOr(std::string_view key, int64_t otherwise) const {
  return find(key) ? getInt(key) : otherwise;
}

absl::StatusOr<double> GgufFile::getFloatOr(std::string_view key, double otherwise) const {
  return find(key) ? getFloat(key) : otherwise;
}

absl::StatusOr<bool> GgufFile::getBoolOr(std::string_view key, bool otherwise) const {
  return find(key) ? getBool(key) : otherwise;
}

absl::StatusOr<std::string_view> GgufFile::getStringOr(std::string_view key,
                                                       std::string_view otherwise) const {
  return find(key) ? getString(key) : otherwise;
}

absl::StatusOr<const GgufTensor *> GgufFile::getTensor(std::string_view name) const {
  if (const GgufTensor *tensor = findTensor(name))
    return tensor;
  return absl::NotFoundError(absl::StrCat(path(), ": tensor ", qrt::quoted(name), " is missing"));
}

absl::StatusOr<Format> GgufFile::formatOf(const GgufTensor &tensor) const {
  if (std::optional<Format> format = formatByGgmlType(tensor.ggmlType))
    return *format;
  std::string_view name = ggmlTypeName(tensor.ggmlType);
  return absl::UnimplementedError(
      absl::StrCat(path(), ": tensor ", qrt::quoted(tensor.name), ": type ",
                   name.empty() ? "number " : "", name.empty() ? "" : toAbsl(name),
                   name.empty() ? absl::StrCat(tensor.ggmlType) : std::string(),
                   " is not supported; supported: ", supportedFormatNames()));
}
