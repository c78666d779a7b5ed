//===- Descriptor.h - what a compiled library says about itself -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The JSON text of qrt_library::descriptor (its members are listed in abi.h) as
// structures whose numbers have been checked against each other and against the
// tables of formats and layouts.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_DESCRIPTOR_H
#define QUENCH_RT_PROGRAM_DESCRIPTOR_H

#include "quench-rt/Formats/Format.h"
#include "quench-rt/Formats/Packing.h"
#include "quench-rt/KVCache/CacheGeometry.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qrt {

/// Elements of tensors that enter or leave compiled code. Sizes are their obvious
/// ones; `index` of the IR is I64.
enum class ElementType : uint8_t { F32, F16, I64, I32, I8, U8 };

size_t elementBytes(ElementType type);
/// "f32", "f16", "i64", "i32", "i8", "u8".
absl::string_view elementName(ElementType type);

struct WeightSpec {
  std::string key; ///< name of the canonical tensor
  Format format = Format::F32;
  Layout layout = Layout::Plain;
  int64_t rows = 1; ///< N; 1 for a vector
  int64_t columns = 0;
  bool vector = false; ///< shape is [K]
  size_t bytes = 0;    ///< packedBytes(format, layout, rows, columns)
};

struct CacheSpec {
  std::string kind; ///< "paged"
  CacheGeometry geometry;
  ElementType element = ElementType::F16;
};

struct DraftSpec {
  std::string source; ///< "lookup", or "model": the program's own draft model
  int64_t max = 0;    ///< most tokens it may propose in a round, 0 to kMaxDraft
};

struct ArgSpec {
  enum Kind : uint8_t { Tensor, Scalar, Cache };
  Kind kind = Tensor;
  ElementType element = ElementType::F32; ///< I64 for scalars
  std::vector<int64_t> dims;              ///< -1: known at the call, at most maxRows
  size_t cache = 0;                       ///< index into caches
  std::string name;                       ///< empty: none
};

struct EntrySpec {
  std::string name;
  std::vector<ArgSpec> args;
  std::vector<ArgSpec> results; ///< no caches among them
};

struct KernelSpec {
  std::string name;
  int64_t uses = 0;                ///< calls in the code
  std::vector<std::string> reads;  ///< keys of the weights that it reads
  std::vector<std::string> beside; ///< if none: of those that its callers are given
};

struct LibraryDescriptor {
  std::string target;
  std::vector<std::string> cpuFeatures; ///< that the code may use, by LLVM's names
  std::string activations;              ///< "f32" or "i8"
  int64_t maxRows = 0;
  size_t workspaceBytes = 0;
  size_t threadWorkspaceBytes = 0;
  std::vector<WeightSpec> weights;
  std::vector<CacheSpec> caches;
  std::vector<DraftSpec> drafts;
  std::vector<EntrySpec> entries;
  std::vector<KernelSpec> kernels;

  /// Null if there is no entry of this name.
  const EntrySpec *findEntry(absl::string_view name) const;
  /// Index of an entry of `entries`.
  size_t indexOf(const EntrySpec &entry) const {
    return static_cast<size_t>(&entry - entries.data());
  }
};

/// `where` names the library in messages. FailedPrecondition for another ABI version,
/// InvalidArgument, naming the member, for anything else that is wrong.
absl::StatusOr<LibraryDescriptor> parseDescriptor(absl::string_view text, absl::string_view where);

/// "tensor<?x49152xf32>", "i64", "cache": for messages.
std::string describe(const ArgSpec &arg);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_DESCRIPTOR_H
