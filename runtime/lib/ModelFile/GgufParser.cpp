//===- GgufParser.cpp - header and metadata of a GGUF file ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "GgufParser.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

// Least bytes of an entry: key length, one letter, type, one byte of value; and of a
// tensor: name length, one letter, rank, one size, type, offset. They bound counts.
static constexpr uint64_t kLeastMetadata = 8 + 1 + 4 + 1;
static constexpr uint64_t kLeastTensor = 8 + 1 + 4 + 8 + 4 + 8;

absl::Status GgufParser::error(const std::string &item, const std::string &what) const {
  return absl::InvalidArgumentError(absl::StrCat(file.path(), ": ", item, ": ", what));
}

absl::Status GgufParser::truncated(const std::string &item) const {
  return error(item, absl::StrCat("the file ends inside it (", file.file.size(), " bytes)"));
}

absl::Status GgufParser::readString(std::string_view &text, const std::string &item) {
  uint64_t length;
  QRT_RETURN_IF_ERROR(read(length, item));
  if (length > remaining())
    return error(item, absl::StrCat("string of ", length, " bytes, but the file has ", remaining(),
                                    " left"));
  text = {reinterpret_cast<const char *>(at), static_cast<size_t>(length)};
  at += length;
  return absl::OkStatus();
}

absl::Status GgufParser::readName(std::string_view &name, const std::string &item) {
  QRT_RETURN_IF_ERROR(readString(name, item));
  if (name.empty() || name.size() > GgufFile::kMaxName)
    return error(
        item, absl::StrCat("name of ", name.size(), " bytes, expected 1 to ", GgufFile::kMaxName));
  return absl::OkStatus();
}

absl::Status GgufParser::parse() {
  uint64_t tensorCount, metadataCount;
  QRT_RETURN_IF_ERROR(parseHeader(tensorCount, metadataCount));
  QRT_RETURN_IF_ERROR(parseMetadata(metadataCount));
  QRT_RETURN_IF_ERROR(readAlignment());
  return parseTensors(tensorCount);
}

absl::Status GgufParser::parseHeader(uint64_t &tensorCount, uint64_t &metadataCount) {
  if (remaining() < 4 || std::memcmp(at, "GGUF", 4) != 0)
    return error("header", remaining() == 0 ? "the file is empty, expected a GGUF file"
                                            : "not a GGUF file (does not start with 'GGUF')");
  at += 4;
  QRT_RETURN_IF_ERROR(read(file.formatVersion, "header"));
  if (file.formatVersion != 2 && file.formatVersion != 3) {
    // The version is small, so its low half is empty only with the bytes reversed.
    bool swapped = (file.formatVersion & 0xffff) == 0 && file.formatVersion != 0;
    return error("header",
                 swapped ? std::string("big-endian GGUF file, expected little-endian")
                         : absl::StrCat("GGUF version ", file.formatVersion, ", expected 2 or 3"));
  }
  QRT_RETURN_IF_ERROR(read(tensorCount, "header"));
  QRT_RETURN_IF_ERROR(read(metadataCount, "header"));

  QRT_RETURN_IF_ERROR(checkCount("tensors", tensorCount, GgufFile::kMaxTensors, kLeastTensor));
  QRT_RETURN_IF_ERROR(
      checkCount("metadata entries", metadataCount, GgufFile::kMaxMetadata, kLeastMetadata));
  return absl::OkStatus();
}

/// Keeps a lying count from deciding how much memory is taken.
absl::Status GgufParser::checkCount(const char *what, uint64_t count, uint64_t most,
                                    uint64_t leastBytes) {
  if (count > most)
    return error("header", absl::StrCat(count, " ", what, ", expected at most ", most));
  if (count > remaining() / leastBytes)
    return error("header",
                 absl::StrCat(count, " ", what, ", but the file has ", remaining(), " bytes left"));
  return absl::OkStatus();
}

absl::Status GgufParser::parseMetadata(uint64_t count) {
  file.entries.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    GgufMetadata entry;
    std::string item = absl::StrCat("metadata entry ", i);
    QRT_RETURN_IF_ERROR(readName(entry.key, item));
    item = absl::StrCat("metadata ", qrt::quoted(entry.key));
    QRT_RETURN_IF_ERROR(parseValue(entry.value, item));
    if (!file.entryIndex.emplace(entry.key, file.entries.size()).second)
      return error(item, "given twice");
    file.entries.push_back(entry);
  }
  return absl::OkStatus();
}

absl::Status GgufParser::parseValue(GgufValue &value, const std::string &item) {
  uint32_t type;
  QRT_RETURN_IF_ERROR(read(type, item));
  value.kind = static_cast<GgufType>(type);
  return checkPayload(value, item, /*depth=*/0);
}

/// Checks and steps over the bytes of a value whose type is known.
absl::Status GgufParser::checkPayload(GgufValue &value, const std::string &item, int depth) {
  if (value.kind == GgufType::Array)
    return checkArray(value, item, depth + 1);

  if (value.kind == GgufType::String) {
    std::string_view text;
    QRT_RETURN_IF_ERROR(readString(text, item));
    value.payload = reinterpret_cast<const uint8_t *>(text.data());
    value.count = text.size();
    return absl::OkStatus();
  }

  size_t size = ggufTypeSize(value.kind);
  if (size == 0)
    return error(
        item, absl::StrCat("value type ", static_cast<uint32_t>(value.kind), ", expected 0 to 12"));
  if (remaining() < size)
    return truncated(item);
  if (value.kind == GgufType::Bool && *at > 1)
    return error(item, absl::StrCat("boolean with value ", *at, ", expected 0 or 1"));
  value.payload = at;
  at += size;
  return absl::OkStatus();
}

absl::Status GgufParser::checkArray(GgufValue &value, const std::string &item, int depth) {
  if (depth > GgufFile::kMaxArrayDepth)
    return error(item, absl::StrCat("arrays nested more than ", GgufFile::kMaxArrayDepth, " deep"));
  uint32_t type;
  QRT_RETURN_IF_ERROR(read(type, item));
  QRT_RETURN_IF_ERROR(read(value.count, item));
  value.element = static_cast<GgufType>(type);
  value.payload = at;

  // Least bytes of an element: a number's size, a string's length, an array's header.
  uint64_t least = ggufTypeSize(value.element);
  if (value.element == GgufType::String)
    least = 8;
  else if (value.element == GgufType::Array)
    least = 12;
  if (least == 0)
    return error(item, absl::StrCat("array of value type ", type, ", expected 0 to 12"));
  if (value.count > remaining() / least)
    return error(item, absl::StrCat(value.describeType(), ", but the file has ", remaining(),
                                    " bytes left"));

  bool needsLook = value.element == GgufType::String || value.element == GgufType::Array ||
                   value.element == GgufType::Bool;
  if (!needsLook) {
    at += least * value.count;
    return absl::OkStatus();
  }
  for (uint64_t i = 0; i < value.count; ++i) {
    GgufValue element;
    element.kind = value.element;
    QRT_RETURN_IF_ERROR(checkPayload(element, item, depth));
  }
  return absl::OkStatus();
}

absl::Status GgufParser::readAlignment() {
  const char *item = "metadata 'general.alignment'";
  const GgufValue *value = file.find("general.alignment");
  if (!value)
    return absl::OkStatus();
  if (value->type() != GgufType::Uint32)
    return error(item, absl::StrCat(value->describeType(), ", expected uint32"));
  file.dataAlignment = *value->asUint();
  bool powerOfTwo = (file.dataAlignment & (file.dataAlignment - 1)) == 0;
  if (file.dataAlignment < 8 || !powerOfTwo)
    return error(item, absl::StrCat(file.dataAlignment, ", expected a power of two of at least 8"));
  return absl::OkStatus();
}
