//===- Descriptor.cpp - what a compiled library says about itself ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Descriptor.h"

#include "Names.h"

#include "quench-rt/Limits.h"
#include "quench-rt/Support/JsonFields.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/abi.h"

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

#include <algorithm>

using namespace qrt;
using nlohmann::json;

namespace {

constexpr size_t kMaxText = size_t(64) << 20;
constexpr size_t kMaxItems = 1 << 20;
constexpr size_t kMaxArgs = 1024; // a traced model returns one for each layer
constexpr size_t kMaxFeatures = 1024;
constexpr size_t kMaxWeights = 1 << 20;
constexpr int64_t kMaxDim = int64_t(1) << 40;
constexpr int64_t kMaxBytes = int64_t(1) << 46;

constexpr struct {
  ElementType type;
  const char *name;
  size_t bytes;
} kElements[] = {
    {ElementType::F32, "f32", 4}, {ElementType::F16, "f16", 2}, {ElementType::I64, "i64", 8},
    {ElementType::I32, "i32", 4}, {ElementType::I8, "i8", 1},   {ElementType::U8, "u8", 1},
};

absl::optional<ElementType> elementByName(absl::string_view name) {
  if (name == "index")
    return ElementType::I64;
  for (const auto &element : kElements)
    if (name == element.name)
      return element.type;
  return absl::nullopt;
}

absl::StatusOr<ElementType> parseElement(const JsonFields &fields) {
  QRT_ASSIGN_OR_RETURN(std::string name, fields.text("element"));
  if (absl::optional<ElementType> type = elementByName(name))
    return *type;
  return fields.error("element", "found " + qrt::quoted(name) +
                                     ", expected f32, f16, i64, index, i32, i8 or u8");
}

absl::StatusOr<WeightSpec> parseWeight(const JsonFields &fields) {
  WeightSpec weight;
  QRT_ASSIGN_OR_RETURN(weight.key, fields.text("key"));
  QRT_ASSIGN_OR_RETURN(std::string formatText, fields.text("format"));
  if (std::optional<Format> format = formatByAnyCase(formatText))
    weight.format = *format;
  else
    return fields.error("format", "found " + qrt::quoted(formatText) + ", supported are " +
                                      supportedFormatNames());
  QRT_ASSIGN_OR_RETURN(std::string layoutText, fields.text("layout"));
  if (std::optional<Layout> layout = layoutByName(layoutText))
    weight.layout = *layout;
  else
    return fields.error("layout", "found " + qrt::quoted(layoutText) + ", expected plain or rows8");
  QRT_ASSIGN_OR_RETURN(std::vector<int64_t> shape, fields.integers("shape", 2, 1, kMaxDim));
  if (shape.empty())
    return fields.error("shape", "expected [N, K] or [K]");
  weight.vector = shape.size() == 1;
  weight.rows = weight.vector ? 1 : shape[0];
  weight.columns = shape.back();
  QRT_ASSIGN_OR_RETURN(int64_t bytes, fields.integer("bytes", 1, kMaxBytes));
  weight.bytes = static_cast<size_t>(bytes);
  size_t expected = packedBytes(weight.format, weight.layout, weight.rows, weight.columns);
  if (expected != weight.bytes)
    return fields.error(
        "bytes",
        expected ? absl::StrCat("found ", bytes, ", but format, layout and shape need ", expected)
                 : "this format has no such layout or shape");
  return weight;
}

absl::StatusOr<CacheSpec> parseCache(const JsonFields &fields) {
  QRT_ASSIGN_OR_RETURN(std::string kind, fields.text("kind"));
  if (kind != "paged")
    return fields.error("kind", "found " + qrt::quoted(kind) + ", expected paged");
  QRT_ASSIGN_OR_RETURN(ElementType element, parseElement(fields));
  if (element != ElementType::F16 && element != ElementType::F32)
    return fields.error("element",
                        absl::StrCat("found ", elementName(element), ", expected f16 or f32"));
  QRT_ASSIGN_OR_RETURN(int64_t layers, fields.integer("layers", 1, 1 << 20));
  QRT_ASSIGN_OR_RETURN(int64_t heads, fields.integer("heads", 1, 1 << 20));
  QRT_ASSIGN_OR_RETURN(int64_t dim, fields.integer("dim", 1, 1 << 20));
  QRT_ASSIGN_OR_RETURN(int64_t slots, fields.integer("slots", 1, 1 << 20));
  auto geometry =
      CacheGeometry::create(layers, heads, dim, slots, static_cast<int64_t>(elementBytes(element)));
  if (!geometry.ok())
    return fields.error("slots", geometry.status().message());
  QRT_ASSIGN_OR_RETURN(int64_t pageBytes, fields.integer("page_bytes", 1, kMaxBytes));
  if (static_cast<size_t>(pageBytes) != geometry->pageBytes())
    return fields.error("page_bytes", absl::StrCat("found ", pageBytes, ", but the shape needs ",
                                                   geometry->pageBytes()));
  return CacheSpec{std::move(kind), *geometry, element};
}

absl::StatusOr<DraftSpec> parseDraft(const JsonFields &fields) {
  DraftSpec draft;
  QRT_ASSIGN_OR_RETURN(draft.source, fields.text("source"));
  QRT_ASSIGN_OR_RETURN(draft.max, fields.integer("max", 0, kMaxDraft));
  return draft;
}

absl::StatusOr<KernelSpec> parseKernel(const JsonFields &fields) {
  KernelSpec kernel;
  QRT_ASSIGN_OR_RETURN(kernel.name, fields.text("name"));
  QRT_ASSIGN_OR_RETURN(kernel.uses, fields.integer("uses", 0, INT64_MAX));
  QRT_ASSIGN_OR_RETURN(kernel.reads, fields.texts("reads", kMaxWeights));
  QRT_ASSIGN_OR_RETURN(kernel.beside, fields.texts("beside", kMaxWeights));
  return kernel;
}

absl::StatusOr<ArgSpec> parseArg(const JsonFields &fields, const LibraryDescriptor &library,
                                 bool isResult) {
  ArgSpec arg;
  QRT_ASSIGN_OR_RETURN(std::string kind, fields.text("kind"));
  if (kind == "cache" && !isResult) {
    arg.kind = ArgSpec::Cache;
    if (library.caches.empty())
      return fields.error("kind", "found cache, but the library declares none");
    QRT_ASSIGN_OR_RETURN(
        int64_t cache, fields.integer("cache", 0, static_cast<int64_t>(library.caches.size()) - 1));
    arg.cache = static_cast<size_t>(cache);
    return arg;
  }
  if (kind != "tensor" && kind != "scalar")
    return fields.error("kind", "found " + qrt::quoted(kind) + ", expected tensor" +
                                    (isResult ? " or scalar" : ", scalar or cache"));
  if (fields.has("name")) {
    QRT_ASSIGN_OR_RETURN(arg.name, fields.text("name"));
  }
  QRT_ASSIGN_OR_RETURN(arg.element, parseElement(fields));
  if (kind == "scalar") {
    arg.kind = ArgSpec::Scalar;
    if (arg.element != ElementType::I64)
      return fields.error("element", "expected i64 or index for a scalar");
    return arg;
  }
  QRT_ASSIGN_OR_RETURN(arg.dims, fields.integers("dims", QRT_MAX_RANK, -1, kMaxDim));
  int64_t most = static_cast<int64_t>(elementBytes(arg.element));
  for (int64_t dim : arg.dims) {
    int64_t bound = dim < 0 ? library.maxRows : dim;
    if (__builtin_mul_overflow(most, bound, &most) || most > kMaxBytes)
      return fields.error("dims", absl::StrCat("more than ", kMaxBytes, " bytes"));
  }
  return arg;
}

absl::StatusOr<EntrySpec> parseEntry(const JsonFields &fields, const LibraryDescriptor &library) {
  EntrySpec entry;
  QRT_ASSIGN_OR_RETURN(entry.name, fields.text("name"));
  for (bool isResult : {false, true}) {
    const char *name = isResult ? "results" : "args";
    QRT_ASSIGN_OR_RETURN(const json *items, fields.array(name, kMaxArgs));
    std::vector<ArgSpec> &list = isResult ? entry.results : entry.args;
    for (const json &item : *items) {
      QRT_ASSIGN_OR_RETURN(
          JsonFields inner,
          JsonFields::of(item, absl::StrCat(fields.where(), ": ", name, "[", list.size(), "]")));
      QRT_ASSIGN_OR_RETURN(ArgSpec arg, parseArg(inner, library, isResult));
      list.push_back(std::move(arg));
    }
  }
  return entry;
}

/// Parses each element of the array `name` with `parse`.
template <typename T, typename Parse>
absl::Status parseList(const JsonFields &fields, const char *name, std::vector<T> &list,
                       Parse parse) {
  QRT_ASSIGN_OR_RETURN(const json *items, fields.array(name, kMaxItems));
  for (const json &item : *items) {
    QRT_ASSIGN_OR_RETURN(
        JsonFields inner,
        JsonFields::of(item, absl::StrCat(fields.where(), ": ", name, "[", list.size(), "]")));
    QRT_ASSIGN_OR_RETURN(T value, parse(inner));
    list.push_back(std::move(value));
  }
  return absl::OkStatus();
}

} // namespace

size_t qrt::elementBytes(ElementType type) { return kElements[static_cast<size_t>(type)].bytes; }

absl::string_view qrt::elementName(ElementType type) {
  return kElements[static_cast<size_t>(type)].name;
}

const EntrySpec *LibraryDescriptor::findEntry(absl::string_view name) const {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const EntrySpec &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::string qrt::describe(const ArgSpec &arg) {
  if (arg.kind == ArgSpec::Cache)
    return "cache";
  std::string element(elementName(arg.element));
  if (arg.kind == ArgSpec::Scalar)
    return element;
  std::string text = "tensor<";
  for (int64_t dim : arg.dims)
    absl::StrAppend(&text, dim < 0 ? std::string("?") : absl::StrCat(dim), "x");
  return text + element + ">";
}

absl::StatusOr<LibraryDescriptor> qrt::parseDescriptor(absl::string_view text,
                                                       absl::string_view where) {
  QRT_ASSIGN_OR_RETURN(json value, parseJsonObject(text, kMaxText, where));
  QRT_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::of(value, std::string(where)));
  QRT_ASSIGN_OR_RETURN(int64_t version, fields.integer("abi_version", 0, INT64_MAX));
  if (version != QRT_ABI_VERSION)
    return absl::FailedPreconditionError(absl::StrCat(
        where, ": compiled for version ", version,
        " of the interface between code and runtime, this is version ", QRT_ABI_VERSION));
  LibraryDescriptor library;
  QRT_ASSIGN_OR_RETURN(library.target, fields.text("target"));
  QRT_ASSIGN_OR_RETURN(library.cpuFeatures, fields.texts("cpu_features", kMaxFeatures));
  QRT_ASSIGN_OR_RETURN(library.activations, fields.text("activations"));
  QRT_ASSIGN_OR_RETURN(library.maxRows, fields.integer("max_rows", 1, 1 << 20));
  QRT_ASSIGN_OR_RETURN(int64_t workspace, fields.integer("workspace_bytes", 0, kMaxBytes));
  QRT_ASSIGN_OR_RETURN(int64_t perThread,
                       fields.integer("thread_workspace_bytes", 0, kMaxBytes >> 10));
  library.workspaceBytes = static_cast<size_t>(workspace);
  library.threadWorkspaceBytes = static_cast<size_t>(perThread);
  QRT_RETURN_IF_ERROR(parseList(fields, "weights", library.weights, parseWeight));
  QRT_RETURN_IF_ERROR(parseList(fields, "caches", library.caches, parseCache));
  QRT_RETURN_IF_ERROR(parseList(fields, "drafts", library.drafts, parseDraft));
  QRT_RETURN_IF_ERROR(parseList(fields, "entries", library.entries, [&](const JsonFields &entry) {
    return parseEntry(entry, library);
  }));
  QRT_RETURN_IF_ERROR(parseList(fields, "kernels", library.kernels, parseKernel));
  return library;
}
