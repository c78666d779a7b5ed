//===- JsonFields.h - reading members of a JSON object from outside -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Manifests, descriptors and vocabularies come from files. Each accessor checks that the member is
// there, has the type and lies in range; the message is
// "WHERE: 'MEMBER': what was found, what was expected".
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_JSONFIELDS_H
#define QUENCH_RT_SUPPORT_JSONFIELDS_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "nlohmann/json.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

/// Parses text of at most `limit` bytes whose outermost value is an object.
absl::StatusOr<nlohmann::json> parseJsonObject(absl::string_view text, size_t limit,
                                               absl::string_view where);

/// Borrows the object. `where` is the file, or the file and the item inside of it.
class JsonFields {
public:
  /// Fails if `value` is no object.
  static absl::StatusOr<JsonFields> of(const nlohmann::json &value, std::string where);

  const std::string &where() const { return place; }

  bool has(const char *name) const { return object->contains(name); }

  /// The member whatever its type.
  absl::StatusOr<const nlohmann::json *> member(const char *name) const;

  absl::StatusOr<bool> boolean(const char *name) const;

  /// An integer from `least` to `most`.
  absl::StatusOr<int64_t> integer(const char *name, int64_t least, int64_t most) const;

  /// A string of at most `longest` bytes.
  absl::StatusOr<std::string> text(const char *name, size_t longest = 4096) const;

  /// An array of at most `longest` elements.
  absl::StatusOr<const nlohmann::json *> array(const char *name, size_t longest) const;

  /// An array of integers from `least` to `most`.
  absl::StatusOr<std::vector<int64_t>> integers(const char *name, size_t longest, int64_t least,
                                                int64_t most) const;

  /// An array of at most `longest` strings.
  absl::StatusOr<std::vector<std::string>> texts(const char *name, size_t longest) const;

  /// An object inside this one.
  absl::StatusOr<JsonFields> child(const char *name) const;

  /// All members, for a range-based loop: each has key() and value().
  auto items() const { return object->items(); }

  /// "WHERE: 'MEMBER': TEXT".
  absl::Status error(absl::string_view name, absl::string_view text) const;

private:
  JsonFields(const nlohmann::json &object, std::string place)
      : object(&object), place(std::move(place)) {}

  const nlohmann::json *object;
  std::string place;
};

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_JSONFIELDS_H
