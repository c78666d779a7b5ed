//===- VocabularyJson.cpp - the tokenizer.json of a package ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/Vocabulary.h"

#include "quench-rt/Support/JsonFields.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/Support/Utf8.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>

using namespace qrt;
using nlohmann::json;

static constexpr const char *formatName = "quench.tokenizer";
static constexpr int32_t formatVersion = 1;
/// A vocabulary takes as much memory as its text, which is a file's.
static constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// JSON is UTF-8; other bytes go into an object.
static json writeString(const std::string &text) {
  if (isUtf8(text))
    return text;
  return json{{"hex", absl::BytesToHexString(text)}};
}

static json writeStrings(const std::vector<std::string> &strings) {
  json array = json::array();
  for (const std::string &text : strings)
    array.push_back(writeString(text));
  return array;
}

std::string qrt::vocabularyToJson(const Vocabulary &vocabulary) {
  json object;
  object["format"] = formatName;
  object["version"] = formatVersion;
  object["model"] = writeString(vocabulary.model);
  object["pre_tokenizer"] = writeString(vocabulary.preTokenizer);
  object["tokens"] = writeStrings(vocabulary.tokens);
  object["types"] = vocabulary.types;
  object["merges"] = writeStrings(vocabulary.merges);
  object["scores"] = vocabulary.scores;
  object["bos"] = vocabulary.bos;
  object["eos"] = vocabulary.eos;
  object["unk"] = vocabulary.unk;
  object["pad"] = vocabulary.pad;
  object["eog"] = vocabulary.eog;
  object["add_bos"] = vocabulary.addBos;
  object["add_eos"] = vocabulary.addEos;
  object["add_space_prefix"] = vocabulary.addSpacePrefix;
  object["remove_extra_whitespaces"] = vocabulary.removeExtraWhitespaces;
  object["chat_template"] = writeString(vocabulary.chatTemplate);
  return object.dump() + "\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The reverse of writeString; `name` is the member, for messages.
static absl::Status readString(const JsonFields &fields, absl::string_view name, const json &value,
                               std::string &out) {
  if (value.is_string()) {
    out = value.get_ref<const std::string &>();
    return absl::OkStatus();
  }
  const bool isHex = value.is_object() && value.size() == 1 && value.contains("hex");
  if (!isHex || !value["hex"].is_string())
    return fields.error(name, absl::StrCat("found ", value.type_name(),
                                           ", expected a string or {\"hex\": \"00ff\"}"));
  const std::string &digits = value["hex"].get_ref<const std::string &>();
  if (digits.size() % 2 != 0 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    return fields.error(name, absl::StrCat("found ", qrt::quoted(digits),
                                           ", expected pairs of hexadecimal digits"));
  out = absl::HexStringToBytes(digits);
  return absl::OkStatus();
}

static absl::Status read(const JsonFields &fields, const char *name, std::string &out) {
  QRT_ASSIGN_OR_RETURN(const json *value, fields.member(name));
  return readString(fields, name, *value, out);
}

static absl::Status read(const JsonFields &fields, const char *name,
                         std::vector<std::string> &out) {
  QRT_ASSIGN_OR_RETURN(const json *values, fields.array(name, kAnyNumber));
  out.resize(values->size());
  // The name of a place is only made once it is needed: there are 10^5 strings.
  for (size_t i = 0; i < out.size(); ++i)
    if (!readString(fields, name, (*values)[i], out[i]).ok())
      return readString(fields, absl::StrCat(name, "[", i, "]"), (*values)[i], out[i]);
  return absl::OkStatus();
}

static absl::Status read(const JsonFields &fields, const char *name, std::vector<int32_t> &out) {
  QRT_ASSIGN_OR_RETURN(std::vector<int64_t> values,
                       fields.integers(name, kAnyNumber, INT32_MIN, INT32_MAX));
  out.assign(values.begin(), values.end());
  return absl::OkStatus();
}

static absl::Status read(const JsonFields &fields, const char *name, std::vector<float> &out) {
  QRT_ASSIGN_OR_RETURN(const json *values, fields.array(name, kAnyNumber));
  out.resize(values->size());
  for (size_t i = 0; i < out.size(); ++i) {
    const json &value = (*values)[i];
    if (!value.is_number())
      return fields.error(absl::StrCat(name, "[", i, "]"),
                          absl::StrCat("found ", value.type_name(), ", expected a number"));
    // One beyond the range of a float is found to be infinite when scores are checked.
    out[i] = static_cast<float>(value.get<double>());
  }
  return absl::OkStatus();
}

static absl::Status read(const JsonFields &fields, const char *name, int32_t &out) {
  QRT_ASSIGN_OR_RETURN(int64_t value, fields.integer(name, INT32_MIN, INT32_MAX));
  out = static_cast<int32_t>(value);
  return absl::OkStatus();
}

static absl::Status read(const JsonFields &fields, const char *name, bool &out) {
  QRT_ASSIGN_OR_RETURN(out, fields.boolean(name));
  return absl::OkStatus();
}

/// Leaves `out` as it is if there is no such member.
template <typename T>
static absl::Status readIfThere(const JsonFields &fields, const char *name, T &out) {
  return fields.has(name) ? read(fields, name, out) : absl::OkStatus();
}

absl::StatusOr<Vocabulary> qrt::vocabularyFromJson(absl::string_view text,
                                                   absl::string_view source) {
  QRT_ASSIGN_OR_RETURN(const json object, parseJsonObject(text, kAnyNumber, source));
  QRT_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::of(object, std::string(source)));
  QRT_ASSIGN_OR_RETURN(std::string format, fields.text("format"));
  if (format != formatName)
    return fields.error(
        "format", absl::StrCat("found ", qrt::quoted(format), ", expected '", formatName, "'"));
  QRT_ASSIGN_OR_RETURN(int64_t version, fields.integer("version", 0, INT64_MAX));
  if (version != formatVersion)
    return fields.error("version", absl::StrCat("found ", version, ", expected ", formatVersion));

  Vocabulary vocabulary;
  QRT_RETURN_IF_ERROR(read(fields, "model", vocabulary.model));
  QRT_RETURN_IF_ERROR(read(fields, "pre_tokenizer", vocabulary.preTokenizer));
  QRT_RETURN_IF_ERROR(read(fields, "tokens", vocabulary.tokens));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "types", vocabulary.types));
  QRT_RETURN_IF_ERROR(read(fields, "merges", vocabulary.merges));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "scores", vocabulary.scores));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "bos", vocabulary.bos));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "eos", vocabulary.eos));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "unk", vocabulary.unk));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "pad", vocabulary.pad));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "eog", vocabulary.eog));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "add_bos", vocabulary.addBos));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "add_eos", vocabulary.addEos));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "add_space_prefix", vocabulary.addSpacePrefix));
  QRT_RETURN_IF_ERROR(
      readIfThere(fields, "remove_extra_whitespaces", vocabulary.removeExtraWhitespaces));
  QRT_RETURN_IF_ERROR(readIfThere(fields, "chat_template", vocabulary.chatTemplate));
  if (absl::Status status = checkVocabulary(vocabulary); !status.ok())
    return absl::Status(status.code(), absl::StrCat(source, ": ", status.message()));
  return vocabulary;
}
