//===- SafetensorsHeader.cpp - the JSON header as a stream of events ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"
#include "SafetensorsLayout.h"

#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

#include <limits>

using namespace qrt;
using nlohmann::json;

/// The parser's callback interface; every event goes to one method of the reader.
struct qrt::SafetensorsEvents : nlohmann::json_sax<json> {
  explicit SafetensorsEvents(SafetensorsHeaderReader &reader) : reader(reader) {}

  bool null() override { return reader.onOther(); }
  bool boolean(bool) override { return reader.onOther(); }
  bool number_integer(number_integer_t) override { return reader.onOther(); }
  bool number_unsigned(number_unsigned_t value) override { return reader.onNumber(value); }
  bool number_float(number_float_t, const string_t &) override { return reader.onOther(); }
  bool string(string_t &value) override { return reader.onString(value); }
  bool binary(binary_t &) override { return reader.onOther(); }
  bool start_object(std::size_t) override { return reader.onObject(); }
  bool key(string_t &value) override { return reader.onKey(value); }
  bool end_object() override { return reader.onObjectEnd(); }
  bool start_array(std::size_t) override { return reader.onArray(); }
  bool end_array() override { return reader.onArrayEnd(); }
  bool parse_error(std::size_t position, const std::string &, const json::exception &) override {
    return reader.fail(absl::StrCat("no well-formed JSON at byte ", position));
  }

  SafetensorsHeaderReader &reader;
};

std::string SafetensorsHeaderReader::read(std::string_view text) {
  SafetensorsEvents events(*this);
  bool parsed = json::sax_parse(text.begin(), text.end(), &events);
  if (!parsed && problem.empty())
    problem = "no well-formed JSON";
  return problem;
}

bool SafetensorsHeaderReader::fail(std::string what) {
  if (problem.empty())
    problem = std::move(what);
  return false;
}

bool SafetensorsHeaderReader::onOther() {
  std::string where = name.empty() ? "the outer object" : qrt::quoted(name);
  if (!key.empty() && place != Place::Names)
    where += ", key " + qrt::quoted(key);
  return fail("value of the wrong type in " + where +
              "; expected {name: {dtype: string, shape: [sizes], data_offsets: [begin, end]}} and "
              "__metadata__: {key: string}");
}

bool SafetensorsHeaderReader::onObject() {
  if (place == Place::Start) {
    place = Place::Names;
    return true;
  }
  if (place != Place::Names)
    return onOther();
  if (name == detail::kSafetensorsMetadata) {
    if (haveMetadata)
      return fail("__metadata__ given twice");
    haveMetadata = true;
    place = Place::MetadataValue;
    return true;
  }
  place = Place::Tensor;
  tensor = SafetensorsTensor();
  tensor.name = name;
  range.clear();
  haveDtype = haveShape = haveOffsets = false;
  return true;
}

bool SafetensorsHeaderReader::onKey(std::string &text) {
  if (place == Place::Names) {
    name = std::move(text);
    key.clear();
    return true;
  }
  key = std::move(text);
  if (place != Place::Tensor)
    return true;
  bool *seen = key == "dtype"          ? &haveDtype
               : key == "shape"        ? &haveShape
               : key == "data_offsets" ? &haveOffsets
                                       : nullptr;
  if (!seen)
    return fail(absl::StrCat("tensor ", qrt::quoted(name), ": unknown key ", qrt::quoted(key),
                             ", expected dtype, shape and data_offsets"));
  if (*seen)
    return fail(absl::StrCat("tensor ", qrt::quoted(name), ": ", key, " given twice"));
  *seen = true;
  return true;
}

bool SafetensorsHeaderReader::onString(std::string &text) {
  if (place == Place::Tensor && key == "dtype") {
    tensor.dtype = std::move(text);
    return true;
  }
  if (place != Place::MetadataValue)
    return onOther();
  if (!file.strings.emplace(key, std::move(text)).second)
    return fail(absl::StrCat("__metadata__: ", qrt::quoted(key), " given twice"));
  return true;
}

bool SafetensorsHeaderReader::onArray() {
  if (place != Place::Tensor || key == "dtype")
    return onOther();
  place = key == "shape" ? Place::Shape : Place::Offsets;
  return true;
}

bool SafetensorsHeaderReader::onNumber(uint64_t number) {
  if (place == Place::Shape) {
    if (tensor.shape.size() == SafetensorsFile::kMaxRank)
      return fail(absl::StrCat("tensor ", qrt::quoted(name), ": more than ",
                               SafetensorsFile::kMaxRank, " dimensions"));
    if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return fail(absl::StrCat("tensor ", qrt::quoted(name), ": size ", number, " exceeds 2^63-1"));
    tensor.shape.push_back(static_cast<int64_t>(number));
    return true;
  }
  if (place == Place::Offsets) {
    if (range.size() == 2)
      return fail(
          absl::StrCat("tensor ", qrt::quoted(name), ": data_offsets has more than two numbers"));
    range.push_back(number);
    return true;
  }
  return onOther();
}

bool SafetensorsHeaderReader::onArrayEnd() {
  place = Place::Tensor;
  return true;
}

bool SafetensorsHeaderReader::onObjectEnd() {
  if (place == Place::Names) {
    place = Place::End;
    return true;
  }
  if (place == Place::Tensor) {
    if (!haveDtype || !haveShape || range.size() != 2)
      return fail(absl::StrCat("tensor ", qrt::quoted(name),
                               ": expected dtype, shape and two data_offsets"));
    if (!file.index.emplace(name, file.tensorList.size()).second)
      return fail(absl::StrCat("tensor ", qrt::quoted(name), " given twice"));
    file.tensorList.push_back(std::move(tensor));
    file.offsets.emplace_back(range[0], range[1]);
  }
  place = Place::Names;
  return true;
}
