//===- VocabularyJson.cpp - the tokenizer.json of a package ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/MappedFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <utility>

using namespace qrt;
using nlohmann::json;

static constexpr const char *formatName = "quench.tokenizer";
static constexpr int32_t formatVersion = 1;

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
  object["bos"] = vocabulary.bos;
  object["eos"] = vocabulary.eos;
  object["unk"] = vocabulary.unk;
  object["pad"] = vocabulary.pad;
  object["eog"] = vocabulary.eog;
  object["add_bos"] = vocabulary.addBos;
  object["add_eos"] = vocabulary.addEos;
  object["chat_template"] = writeString(vocabulary.chatTemplate);
  return object.dump() + "\n";
}

absl::Status qrt::saveVocabulary(const Vocabulary &vocabulary, const std::string &path) {
  return writeFileAtomically(path, vocabularyToJson(vocabulary));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Reads the members of an object, naming the place in every error.
class Reader {
public:
  Reader(const json &object, absl::string_view source) : object(object), source(source) {}

  absl::Status error(absl::string_view where, absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(source, ": ", where, ": ", what));
  }

  absl::Status expected(absl::string_view where, absl::string_view kind, const json &found) const {
    return error(where, absl::StrCat("expected ", kind, ", found ", found.type_name()));
  }

  absl::Status read(const json &value, absl::string_view where, std::string &out) const {
    if (value.is_string()) {
      out = value.get_ref<const std::string &>();
      return absl::OkStatus();
    }
    if (!value.is_object() || value.size() != 1 || !value.contains("hex"))
      return expected(where, "a string or {\"hex\": \"00ff\"}", value);
    const json &hex = value["hex"];
    if (!hex.is_string())
      return expected(where, "hexadecimal digits in a string", hex);
    const std::string &digits = hex.get_ref<const std::string &>();
    if (digits.size() % 2 != 0 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      return error(
          where, absl::StrCat("expected pairs of hexadecimal digits, found ", qrt::quoted(digits)));
    out = absl::HexStringToBytes(digits);
    return absl::OkStatus();
  }

  absl::Status read(const json &value, absl::string_view where, int32_t &out) const {
    if (!value.is_number_integer())
      return expected(where, "an integer", value);
    // A number above the signed range is stored unsigned, and the cast below would make
    // it negative.
    constexpr int64_t low = std::numeric_limits<int32_t>::min();
    constexpr int64_t high = std::numeric_limits<int32_t>::max();
    const bool tooLarge =
        value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(high);
    if (tooLarge || value.get<int64_t>() < low || value.get<int64_t>() > high)
      return error(where, absl::StrCat("expected an integer of 32 bits, found ", value.dump()));
    out = value.get<int32_t>();
    return absl::OkStatus();
  }

  absl::Status read(const json &value, absl::string_view where, bool &out) const {
    if (!value.is_boolean())
      return expected(where, "true or false", value);
    out = value.get<bool>();
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status read(const json &value, absl::string_view where, std::vector<T> &out) const {
    if (!value.is_array())
      return expected(where, "an array", value);
    out.resize(value.size());
    // The name of a place is only made once it is needed: there are 10^5 strings.
    for (size_t i = 0; i < value.size(); ++i)
      if (!read(value[i], where, out[i]).ok())
        return read(value[i], absl::StrCat(where, "[", i, "]"), out[i]);
    return absl::OkStatus();
  }

  template <typename T> absl::Status required(const char *key, T &out) const {
    const auto member = object.find(key);
    if (member == object.end())
      return error(key, "missing");
    return read(*member, key, out);
  }

  /// Leaves `out` as it is if there is no such member.
  template <typename T> absl::Status optional(const char *key, T &out) const {
    return object.contains(key) ? required(key, out) : absl::OkStatus();
  }

private:
  const json &object;
  absl::string_view source;
};

} // namespace

absl::StatusOr<Vocabulary> qrt::vocabularyFromJson(absl::string_view text,
                                                   absl::string_view source) {
  const json object = json::parse(text.begin(), text.end(), /*cb=*/nullptr,
                                  /*allow_exceptions=*/false);
  if (object.is_discarded())
    return absl::InvalidArgumentError(absl::StrCat(source, ": not valid JSON"));
  if (!object.is_object())
    return absl::InvalidArgumentError(
        absl::StrCat(source, ": expected an object, found ", object.type_name()));

  const Reader reader(object, source);
  std::string format;
  int32_t version = 0;
  QRT_RETURN_IF_ERROR(reader.required("format", format));
  if (format != formatName)
    return reader.error("format",
                        absl::StrCat("expected '", formatName, "', found ", qrt::quoted(format)));
  QRT_RETURN_IF_ERROR(reader.required("version", version));
  if (version != formatVersion)
    return reader.error("version", absl::StrCat("expected ", formatVersion, ", found ", version));

  Vocabulary vocabulary;
  QRT_RETURN_IF_ERROR(reader.required("model", vocabulary.model));
  QRT_RETURN_IF_ERROR(reader.required("pre_tokenizer", vocabulary.preTokenizer));
  QRT_RETURN_IF_ERROR(reader.required("tokens", vocabulary.tokens));
  QRT_RETURN_IF_ERROR(reader.optional("types", vocabulary.types));
  QRT_RETURN_IF_ERROR(reader.required("merges", vocabulary.merges));
  QRT_RETURN_IF_ERROR(reader.optional("bos", vocabulary.bos));
  QRT_RETURN_IF_ERROR(reader.optional("eos", vocabulary.eos));
  QRT_RETURN_IF_ERROR(reader.optional("unk", vocabulary.unk));
  QRT_RETURN_IF_ERROR(reader.optional("pad", vocabulary.pad));
  QRT_RETURN_IF_ERROR(reader.optional("eog", vocabulary.eog));
  QRT_RETURN_IF_ERROR(reader.optional("add_bos", vocabulary.addBos));
  QRT_RETURN_IF_ERROR(reader.optional("add_eos", vocabulary.addEos));
  QRT_RETURN_IF_ERROR(reader.optional("chat_template", vocabulary.chatTemplate));
  if (absl::Status status = checkVocabulary(vocabulary); !status.ok())
    return absl::Status(status.code(), absl::StrCat(source, ": ", status.message()));
  return vocabulary;
}

absl::StatusOr<Vocabulary> qrt::loadVocabulary(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  return vocabularyFromJson(
      absl::string_view(reinterpret_cast<const char *>(file.data()), file.size()), path);
}
