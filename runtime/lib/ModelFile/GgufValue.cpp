//===- GgufValue.cpp - a typed value of a GGUF file's metadata ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/GgufValue.h"

#include <cstring>
#include <iterator>
#include <limits>

using namespace qrt;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are read as they lie in memory");

template <typename T> static T load(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

std::string_view qrt::ggufTypeName(GgufType type) {
  static constexpr std::string_view names[] = {"uint8",  "int8",    "uint16", "int16",  "uint32",
                                               "int32",  "float32", "bool",   "string", "array",
                                               "uint64", "int64",   "float64"};
  size_t index = static_cast<size_t>(type);
  return index < std::size(names) ? names[index] : std::string_view();
}

size_t qrt::ggufTypeSize(GgufType type) {
  switch (type) {
  case GgufType::Uint8:
  case GgufType::Int8:
  case GgufType::Bool:
    return 1;
  case GgufType::Uint16:
  case GgufType::Int16:
    return 2;
  case GgufType::Uint32:
  case GgufType::Int32:
  case GgufType::Float32:
    return 4;
  case GgufType::Uint64:
  case GgufType::Int64:
  case GgufType::Float64:
    return 8;
  default:
    return 0;
  }
}

std::optional<int64_t> GgufValue::asInt() const {
  switch (kind) {
  case GgufType::Uint8:
    return load<uint8_t>(payload);
  case GgufType::Int8:
    return load<int8_t>(payload);
  case GgufType::Uint16:
    return load<uint16_t>(payload);
  case GgufType::Int16:
    return load<int16_t>(payload);
  case GgufType::Uint32:
    return load<uint32_t>(payload);
  case GgufType::Int32:
    return load<int32_t>(payload);
  case GgufType::Int64:
    return load<int64_t>(payload);
  case GgufType::Uint64: {
    uint64_t value = load<uint64_t>(payload);
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
    return static_cast<int64_t>(value);
  }
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> GgufValue::asUint() const {
  if (kind == GgufType::Uint64)
    return load<uint64_t>(payload);
  std::optional<int64_t> value = asInt();
  if (!value || *value < 0)
    return std::nullopt;
  return static_cast<uint64_t>(*value);
}

std::optional<double> GgufValue::asFloat() const {
  if (kind == GgufType::Float32)
    return load<float>(payload);
  if (kind == GgufType::Float64)
    return load<double>(payload);
  if (std::optional<int64_t> value = asInt())
    return static_cast<double>(*value);
  if (kind == GgufType::Uint64)
    return static_cast<double>(load<uint64_t>(payload));
  return std::nullopt;
}

std::optional<bool> GgufValue::asBool() const {
  if (kind != GgufType::Bool)
    return std::nullopt;
  return *payload != 0;
}

std::optional<std::string_view> GgufValue::asString() const {
  if (kind != GgufType::String)
    return std::nullopt;
  return std::string_view(reinterpret_cast<const char *>(payload), count);
}

GgufValue GgufValue::nextElement(const uint8_t *&at) const {
  GgufValue value;
  value.kind = element;
  if (element == GgufType::String) {
    value.count = load<uint64_t>(at);
    value.payload = at + 8;
    at += 8 + value.count;
  } else {
    value.payload = at;
    at += ggufTypeSize(element);
  }
  return value;
}

template <typename T, typename Convert>
std::optional<std::vector<T>> GgufValue::convertElements(Convert convert) const {
  std::vector<T> result;
  result.reserve(arraySize());
  const uint8_t *at = payload;
  for (uint64_t i = 0; i < arraySize(); ++i) {
    auto value = convert(nextElement(at));
    if (!value)
      return std::nullopt;
    result.push_back(static_cast<T>(*value));
  }
  return result;
}

std::optional<std::vector<std::string_view>> GgufValue::asStrings() const {
  if (!isArray() || element != GgufType::String)
    return std::nullopt;
  return convertElements<std::string_view>([](const GgufValue &v) { return v.asString(); });
}

std::optional<std::vector<int64_t>> GgufValue::asInts() const {
  if (!isArray() || !isGgufInteger(element))
    return std::nullopt;
  return convertElements<int64_t>([](const GgufValue &v) { return v.asInt(); });
}

std::optional<std::vector<float>> GgufValue::asFloats() const {
  if (!isArray() || (element != GgufType::Float32 && element != GgufType::Float64))
    return std::nullopt;
  return convertElements<float>([](const GgufValue &v) { return v.asFloat(); });
}

std::string GgufValue::describeType() const {
  if (!isArray())
    return std::string(ggufTypeName(kind));
  return "array of " + std::to_string(count) + " " + std::string(ggufTypeName(element));
}
