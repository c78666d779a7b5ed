//===- GgufValue.h - a typed value of a GGUF file's metadata --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODELFILE_GGUFVALUE_H
#define QUENCH_RT_MODELFILE_GGUFVALUE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qrt {

/// Numbers as in the file.
enum class GgufType : uint32_t {
  Uint8 = 0,
  Int8 = 1,
  Uint16 = 2,
  Int16 = 3,
  Uint32 = 4,
  Int32 = 5,
  Float32 = 6,
  Bool = 7,
  String = 8,
  Array = 9,
  Uint64 = 10,
  Int64 = 11,
  Float64 = 12,
};

/// "uint8", …, "float64"; empty for a number that GGUF does not define.
std::string_view ggufTypeName(GgufType type);

/// Bytes of a value of fixed size; 0 for strings, arrays and undefined types.
size_t ggufTypeSize(GgufType type);

inline bool isGgufInteger(GgufType type) {
  return type <= GgufType::Int32 || type == GgufType::Uint64 || type == GgufType::Int64;
}

/// A checked view of a value inside a mapped file, valid as long as the file's object.
/// Nothing is copied until it is asked for. Every accessor gives nothing where the type
/// differs; integers of any width convert where the value fits.
class GgufValue {
public:
  GgufType type() const { return kind; }

  std::optional<int64_t> asInt() const;
  std::optional<uint64_t> asUint() const;
  /// float32, float64 and integers.
  std::optional<double> asFloat() const;
  std::optional<bool> asBool() const;
  std::optional<std::string_view> asString() const;

  bool isArray() const { return kind == GgufType::Array; }
  /// Type and number of an array's elements.
  GgufType elementType() const { return element; }
  uint64_t arraySize() const { return isArray() ? count : 0; }

  /// An array's elements, one conversion for all: none if this is no array or one
  /// element does not convert.
  std::optional<std::vector<std::string_view>> asStrings() const;
  std::optional<std::vector<int64_t>> asInts() const;
  std::optional<std::vector<float>> asFloats() const;

  /// "uint32", "array of 49152 string": for messages.
  std::string describeType() const;

private:
  friend class GgufParser;

  /// Reads the element at `at`, which is no array, and moves `at` behind it. The bytes were
  /// checked.
  GgufValue nextElement(const uint8_t *&at) const;

  template <typename T, typename Convert>
  std::optional<std::vector<T>> convertElements(Convert convert) const;

  GgufType kind = GgufType::Uint8;
  GgufType element = GgufType::Uint8; ///< of an array
  uint64_t count = 0;                 ///< elements of an array, bytes of a string
  const uint8_t *payload = nullptr;   ///< the number, the text, or the first element
};

} // namespace qrt

#endif // QUENCH_RT_MODELFILE_GGUFVALUE_H
