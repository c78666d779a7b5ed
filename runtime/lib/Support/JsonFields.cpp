//===- JsonFields.cpp - reading members of a JSON object from outside -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Support/JsonFields.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

using namespace qrt;
using nlohmann::json;

absl::StatusOr<json> qrt::parseJsonObject(absl::string_view text, size_t limit,
                                          absl::string_view where) {
  if (text.size() > limit)
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": ", text.size(), " bytes of JSON, expected at most ", limit));
  // The parser keeps its own stack, so nesting costs memory in proportion to the text.
  json value = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded())
    return absl::InvalidArgumentError(absl::StrCat(where, ": not valid JSON"));
  if (!value.is_object())
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": found JSON of type ", value.type_name(), ", expected an object"));
  return value;
}

absl::StatusOr<JsonFields> JsonFields::of(const json &value, std::string where) {
  if (!value.is_object())
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": found ", value.type_name(), ", expected an object"));
  return JsonFields(value, std::move(where));
}

absl::Status JsonFields::error(absl::string_view name, absl::string_view text) const {
  return absl::InvalidArgumentError(absl::StrCat(place, ": '", name, "': ", text));
}

absl::StatusOr<const json *> JsonFields::member(const char *name) const {
  auto found = object->find(name);
  if (found == object->end())
    return error(name, "missing");
  return &*found;
}

absl::StatusOr<bool> JsonFields::boolean(const char *name) const {
  QRT_ASSIGN_OR_RETURN(const json *value, member(name));
  if (!value->is_boolean())
    return error(name, absl::StrCat("found ", value->type_name(), ", expected true or false"));
  return value->get<bool>();
}

static absl::StatusOr<int64_t> toInteger(const json &value, int64_t least, int64_t most) {
  std::string range = absl::StrCat("expected an integer from ", least, " to ", most);
  if (!value.is_number_integer())
    return absl::InvalidArgumentError(absl::StrCat("found ", value.type_name(), ", ", range));
  // Unsigned numbers beyond int64_t would turn negative.
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
    return absl::InvalidArgumentError(absl::StrCat("found ", value.get<uint64_t>(), ", ", range));
  int64_t number = value.get<int64_t>();
  if (number < least || number > most)
    return absl::InvalidArgumentError(absl::StrCat("found ", number, ", ", range));
  return number;
}

absl::StatusOr<int64_t> JsonFields::integer(const char *name, int64_t least, int64_t most) const {
  QRT_ASSIGN_OR_RETURN(const json *value, member(name));
  absl::StatusOr<int64_t> number = toInteger(*value, least, most);
  if (!number.ok())
    return error(name, number.status().message());
  return number;
}

absl::StatusOr<std::string> JsonFields::text(const char *name, size_t longest) const {
  QRT_ASSIGN_OR_RETURN(const json *value, member(name));
  if (!value->is_string())
    return error(name, absl::StrCat("found ", value->type_name(), ", expected a string"));
  const std::string &text = value->get_ref<const std::string &>();
  if (text.size() > longest)
    return error(name, absl::StrCat("found ", text.size(), " bytes, expected at most ", longest));
  return text;
}

absl::StatusOr<const json *> JsonFields::array(const char *name, size_t longest) const {
  QRT_ASSIGN_OR_RETURN(const json *value, member(name));
  if (!value->is_array())
    return error(name, absl::StrCat("found ", value->type_name(), ", expected an array"));
  if (value->size() > longest)
    return error(name,
                 absl::StrCat("found ", value->size(), " elements, expected at most ", longest));
  return value;
}

absl::StatusOr<std::vector<int64_t>> JsonFields::integers(const char *name, size_t longest,
                                                          int64_t least, int64_t most) const {
  QRT_ASSIGN_OR_RETURN(const json *values, array(name, longest));
  std::vector<int64_t> result;
  for (const json &value : *values) {
    absl::StatusOr<int64_t> number = toInteger(value, least, most);
    if (!number.ok())
      return error(absl::StrCat(name, "[", result.size(), "]"), number.status().message());
    result.push_back(*number);
  }
  return result;
}

absl::StatusOr<std::vector<std::string>> JsonFields::texts(const char *name, size_t longest) const {
  QRT_ASSIGN_OR_RETURN(const json *values, array(name, longest));
  std::vector<std::string> result;
  for (const json &value : *values) {
    if (!value.is_string())
      return error(name, absl::StrCat("found ", value.type_name(), ", expected strings"));
    result.push_back(value.get<std::string>());
  }
  return result;
}

absl::StatusOr<JsonFields> JsonFields::child(const char *name) const {
  QRT_ASSIGN_OR_RETURN(const json *value, member(name));
  return of(*value, absl::StrCat(place, ": '", name, "'"));
}
