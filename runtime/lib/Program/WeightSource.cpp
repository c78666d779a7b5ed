//===- WeightSource.cpp - canonical weights by name -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/WeightSource.h"

#include "Names.h"

#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/MappedFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cctype>
#include <cstring>

using namespace qrt;

namespace {

class GgufWeights final : public WeightSource {
public:
  explicit GgufWeights(GgufFile file) : file(std::move(file)) {}

  const std::string &path() const override { return file.path(); }

  absl::StatusOr<CanonicalWeight> find(absl::string_view key) const override {
    QRT_ASSIGN_OR_RETURN(const GgufTensor *tensor,
                         file.getTensor(std::string_view(key.data(), key.size())));
    CanonicalWeight weight;
    QRT_ASSIGN_OR_RETURN(weight.format, file.formatOf(*tensor));
    weight.vector = tensor->rank == 1;
    weight.rows = tensor->rows();
    weight.columns = tensor->columns();
    weight.data = tensor->data;
    weight.bytes = tensor->bytes;
    return weight;
  }

private:
  GgufFile file;
};

class SafetensorsWeights final : public WeightSource {
public:
  explicit SafetensorsWeights(SafetensorsFile file) : file(std::move(file)) {}

  const std::string &path() const override { return file.path(); }

  absl::StatusOr<CanonicalWeight> find(absl::string_view key) const override {
    QRT_ASSIGN_OR_RETURN(const SafetensorsTensor *tensor,
                         file.get(std::string_view(key.data(), key.size())));
    auto fail = [&](absl::string_view text) {
      return absl::InvalidArgumentError(
          absl::StrCat(path(), ": tensor ", qrt::quoted(tensor->name), ": ", text));
    };
    CanonicalWeight weight;
    weight.data = tensor->data;
    weight.bytes = tensor->bytes;
    auto described = file.metadata().find(tensor->name);
    if (described != file.metadata().end()) {
      if (tensor->dtype != "U8")
        return fail(absl::StrCat("its metadata describe block bytes, but its type is ",
                                 tensor->dtype, ", expected U8"));
      if (!parse(described->second, weight))
        return fail(absl::StrCat("metadata ", qrt::quoted(described->second),
                                 ", expected a format and a shape such as 'q4_1 576x576'; "
                                 "formats are ",
                                 supportedFormatNames()));
    } else {
      std::optional<Format> format = formatByName(tensor->dtype);
      if (!format || formatInfo(*format).blockElements != 1)
        return fail(absl::StrCat("type ", tensor->dtype,
                                 ", expected F32, F16 or BF16, or U8 with its format in the "
                                 "file's metadata"));
      weight.format = *format;
      if (tensor->shape.empty() || tensor->shape.size() > 2)
        return fail(absl::StrCat("rank ", tensor->shape.size(), ", expected 1 or 2"));
      weight.vector = tensor->shape.size() == 1;
      weight.rows = weight.vector ? 1 : tensor->shape[0];
      weight.columns = tensor->shape.back();
    }
    size_t expected = packedBytes(weight);
    if (expected == 0 || expected != weight.bytes)
      return fail(
          absl::StrCat("has ", weight.bytes, " bytes, but ",
                       weightMetadata(weight.format, weight.rows, weight.columns, weight.vector),
                       " needs ", expected));
    return weight;
  }

private:
  /// Canonical size; 0 where there is none.
  static size_t packedBytes(const CanonicalWeight &weight) {
    size_t row = rowBytes(weight.format, weight.columns), bytes = 0;
    if (weight.rows <= 0 || __builtin_mul_overflow(row, static_cast<size_t>(weight.rows), &bytes))
      return 0;
    return bytes;
  }

  static bool parse(std::string_view text, CanonicalWeight &weight) {
    size_t space = text.find(' ');
    std::optional<Format> format = formatByAnyCase(text.substr(0, space));
    if (!format || space == std::string_view::npos)
      return false;
    weight.format = *format;
    std::string_view shape = text.substr(space + 1);
    size_t x = shape.find('x');
    weight.vector = x == std::string_view::npos;
    if (!weight.vector && !number(shape.substr(0, x), weight.rows))
      return false;
    return number(weight.vector ? shape : shape.substr(x + 1), weight.columns);
  }

  static bool number(std::string_view text, int64_t &value) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
           absl::SimpleAtoi(toAbsl(text), &value) && value > 0;
  }

  SafetensorsFile file;
};

class JoinedWeights final : public WeightSource {
public:
  JoinedWeights(std::unique_ptr<WeightSource> own, std::unique_ptr<WeightSource> draft)
      : own(std::move(own)), draft(std::move(draft)) {}

  const std::string &path() const override { return own->path(); }

  absl::StatusOr<CanonicalWeight> find(absl::string_view key) const override {
    return absl::ConsumePrefix(&key, kDraftPrefix) ? draft->find(key) : own->find(key);
  }

  absl::StatusOr<std::string> contentHash() const override {
    QRT_ASSIGN_OR_RETURN(std::string first, own->contentHash());
    QRT_ASSIGN_OR_RETURN(std::string second, draft->contentHash());
    return joinedWeightsHash(first, second);
  }

private:
  std::unique_ptr<WeightSource> own, draft;
};

} // namespace

absl::StatusOr<std::string> WeightSource::contentHash() const { return hashFile(path()); }

std::unique_ptr<WeightSource> qrt::joinWeights(std::unique_ptr<WeightSource> own,
                                               std::unique_ptr<WeightSource> draft) {
  return std::make_unique<JoinedWeights>(std::move(own), std::move(draft));
}

std::string qrt::joinedWeightsHash(absl::string_view own, absl::string_view draft) {
  return qrt::contentHash(absl::StrCat(own, " and ", draft));
}

absl::StatusOr<std::unique_ptr<WeightSource>> qrt::openWeights(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  const bool isGguf = file.size() >= 4 && std::memcmp(file.data(), "GGUF", 4) == 0;
  if (isGguf) {
    QRT_ASSIGN_OR_RETURN(GgufFile gguf, GgufFile::parse(std::move(file)));
    return std::unique_ptr<WeightSource>(std::make_unique<GgufWeights>(std::move(gguf)));
  }
  QRT_ASSIGN_OR_RETURN(SafetensorsFile tensors, SafetensorsFile::parse(std::move(file)));
  return std::unique_ptr<WeightSource>(std::make_unique<SafetensorsWeights>(std::move(tensors)));
}

absl::StatusOr<std::unique_ptr<WeightSource>> qrt::openGgufWeights(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(path));
  return std::unique_ptr<WeightSource>(std::make_unique<GgufWeights>(std::move(file)));
}

absl::StatusOr<std::unique_ptr<WeightSource>> qrt::openSafetensorsWeights(const std::string &path) {
  QRT_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  return std::unique_ptr<WeightSource>(std::make_unique<SafetensorsWeights>(std::move(file)));
}

std::string qrt::weightMetadata(Format format, int64_t rows, int64_t columns, bool vector) {
  std::string text(formatName(format));
  for (char &c : text)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return vector ? absl::StrCat(text, " ", columns) : absl::StrCat(text, " ", rows, "x", columns);
}
