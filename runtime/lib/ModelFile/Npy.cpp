//===- Npy.cpp - NumPy array files ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Npy.h"

#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstring>

using namespace qrt;

namespace {

struct TypeRow {
  NpyType type;
  std::string_view name;
  std::string_view descr; ///< as NumPy writes it
  size_t size;
};

constexpr TypeRow kTypes[] = {
    {NpyType::F32, "f32", "<f4", 4}, {NpyType::F16, "f16", "<f2", 2},
    {NpyType::I32, "i32", "<i4", 4}, {NpyType::I64, "i64", "<i8", 8},
    {NpyType::I8, "i8", "|i1", 1},   {NpyType::U8, "u8", "|u1", 1},
};

const TypeRow &rowOf(NpyType type) { return kTypes[static_cast<size_t>(type)]; }

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxRank = 32; // NumPy's own limit was this for long
constexpr size_t kAlignment = 64;

/// Reads the header: a Python dictionary literal with exactly the keys descr,
/// fortran_order and shape, in any order.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  std::string_view descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;

  /// Empty if all is well, else what was expected.
  std::string parse() {
    bool haveDescr = false, haveOrder = false, haveShape = false;
    if (!accept('{'))
      return "expected a dictionary";
    while (!accept('}')) {
      std::string_view key;
      if (!string(key) || !accept(':'))
        return "expected a key in quotes and a colon";
      if (key == "descr" && !haveDescr) {
        haveDescr = true;
        if (!string(descr))
          return "expected 'descr' to be a string";
      } else if (key == "fortran_order" && !haveOrder) {
        haveOrder = true;
        if (!boolean(fortranOrder))
          return "expected 'fortran_order' to be True or False";
      } else if (key == "shape" && !haveShape) {
        haveShape = true;
        if (!tuple(shape))
          return "expected 'shape' to be a tuple of at most 32 sizes below 2^63";
      } else {
        return "expected each of the keys descr, fortran_order and shape once";
      }
      if (!accept(',') && peek() != '}')
        return "expected a comma or the end of the dictionary";
    }
    if (!haveDescr || !haveOrder || !haveShape)
      return "expected the keys descr, fortran_order and shape";
    skipSpace();
    return at == text.size() ? "" : "expected nothing behind the dictionary";
  }

private:
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  char peek() {
    skipSpace();
    return at < text.size() ? text[at] : '\0';
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  bool string(std::string_view &value) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t close = text.find(quote, at + 1);
    if (close == std::string_view::npos)
      return false;
    value = text.substr(at + 1, close - at - 1);
    at = close + 1;
    return true;
  }
  bool boolean(bool &value) {
    skipSpace();
    for (std::string_view word : {"True", "False"})
      if (text.substr(at, word.size()) == word) {
        at += word.size();
        value = word == "True";
        return true;
      }
    return false;
  }
  bool number(int64_t &value) {
    char c = peek();
    if (c < '0' || c > '9')
      return false;
    value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
        return false;
    return true;
  }
  bool tuple(std::vector<int64_t> &values) {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      int64_t value;
      if (values.size() == kMaxRank || !number(value))
        return false;
      values.push_back(value);
      if (!accept(',') && peek() != ')')
        return false;
    }
    return true;
  }

  std::string_view text;
  size_t at = 0;
};

std::optional<NpyType> typeOfDescr(std::string_view descr) {
  for (const TypeRow &row : kTypes) {
    if (descr == row.descr)
      return row.type;
    // One byte has no order; other writers may name one all the same.
    if (row.size == 1 && descr.size() == 3 && descr[0] == '<' &&
        descr.substr(1) == row.descr.substr(1))
      return row.type;
  }
  return std::nullopt;
}

} // namespace

size_t qrt::npyTypeSize(NpyType type) { return rowOf(type).size; }

std::string_view qrt::npyTypeName(NpyType type) { return rowOf(type).name; }

absl::StatusOr<NpyArray> qrt::readNpy(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  return parseNpy(std::move(file));
}

absl::StatusOr<NpyArray> qrt::parseNpy(MappedFile file) {
  NpyArray array;
  array.file = std::move(file);
  const std::string &path = array.file.path();
  auto bad = [&](const std::string &what) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
  };

  std::string_view all(reinterpret_cast<const char *>(array.file.data()), array.file.size());
  if (all.substr(0, kMagic.size()) != kMagic)
    return bad("not a .npy file (does not start with \\x93NUMPY)");
  if (all.size() < 10)
    return bad("the file ends inside its header");
  unsigned major = array.file.data()[6], minor = array.file.data()[7];
  if (major < 1 || major > 3 || minor != 0)
    return bad(absl::StrCat(".npy version ", major, ".", minor, ", expected 1.0, 2.0 or 3.0"));
  size_t lengthSize = major == 1 ? 2 : 4, start = 8 + lengthSize;
  if (all.size() < start)
    return bad("the file ends inside its header");
  uint32_t length = 0;
  std::memcpy(&length, array.file.data() + 8, lengthSize);
  if (length > all.size() - start)
    return bad(absl::StrCat("header of ", length, " bytes, but the file has ", all.size() - start,
                            " left"));

  HeaderParser header(all.substr(start, length));
  if (std::string problem = header.parse(); !problem.empty())
    return bad(absl::StrCat("header: ", problem));
  std::optional<NpyType> type = typeOfDescr(header.descr);
  if (!type)
    return absl::UnimplementedError(
        absl::StrCat(path, ": element type ", qrt::quoted(header.descr),
                     " is not supported; supported: little-endian f32, f16, i32, i64, i8, u8"));
  if (header.fortranOrder)
    return absl::UnimplementedError(path + ": Fortran order is not supported, only C order");

  array.type = *type;
  array.shape = std::move(header.shape);
  array.data = array.file.data() + start + length;
  size_t available = all.size() - start - length;
  array.bytes = npyTypeSize(*type);
  bool overflow = false, empty = false;
  for (int64_t size : array.shape) {
    empty |= size == 0;
    overflow |= __builtin_mul_overflow(array.bytes, static_cast<size_t>(size), &array.bytes);
  }
  if (empty) // a product with a zero is zero, whatever overflowed on the way
    array.bytes = 0, overflow = false;
  if (overflow || array.bytes != available)
    return bad(absl::StrCat("shape (", absl::StrJoin(array.shape, ", "), ") of ",
                            toAbsl(npyTypeName(*type)), " takes ",
                            overflow ? "more than 2^64" : absl::StrCat(array.bytes),
                            " bytes, the file has ", available));
  return array;
}

absl::Status qrt::writeNpy(const std::string &path, NpyType type, absl::Span<const int64_t> shape,
                           const void *data) {
  size_t bytes = npyTypeSize(type);
  for (int64_t size : shape)
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes))
      return absl::InvalidArgumentError(absl::StrCat(path, ": shape (", absl::StrJoin(shape, ", "),
                                                     ") has a negative size or is too large"));

  std::string header = absl::StrCat(
      "{'descr': '", toAbsl(rowOf(type).descr), "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(shape, ", "), shape.size() == 1 ? ",), }" : "), }");
  // Spaces and a line end make the data start on a multiple of 64.
  size_t prefix = kMagic.size() + 4;
  size_t used = prefix + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  if (header.size() > 0xffff)
    return absl::InvalidArgumentError(path + ": too many dimensions for a .npy file");

  std::string start(kMagic);
  start += '\x01';
  start += '\0';
  start += static_cast<char>(header.size() & 0xff);
  start += static_cast<char>(header.size() >> 8);
  QRT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  QRT_RETURN_IF_ERROR(file.write(start + header));
  QRT_RETURN_IF_ERROR(file.write(data, bytes));
  return file.commit();
}
