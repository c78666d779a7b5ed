//===- Call.cpp - running an entry on given arrays ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Executable.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

using namespace qrt;

namespace {

absl::Status checkInput(const ArgSpec &spec, const HostTensor &tensor, int64_t maxRows,
                        absl::string_view where) {
  ArgSpec given;
  given.kind = spec.kind == ArgSpec::Scalar ? ArgSpec::Scalar : ArgSpec::Tensor;
  given.element = tensor.element;
  given.dims = tensor.dims;
  bool same = tensor.element == spec.element && tensor.dims.size() == spec.dims.size();
  size_t bytes = elementBytes(tensor.element);
  for (size_t i = 0; same && i < spec.dims.size(); ++i) {
    same = spec.dims[i] < 0 ? tensor.dims[i] >= 0 && tensor.dims[i] <= maxRows
                            : tensor.dims[i] == spec.dims[i];
    bytes *= static_cast<size_t>(tensor.dims[i]);
  }
  if (!same) {
    bool dynamic = std::find(spec.dims.begin(), spec.dims.end(), -1) != spec.dims.end();
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": found ", describe(given), ", expected ", describe(spec),
                     dynamic ? absl::StrCat(" with at most ", maxRows, " for each ?") : ""));
  }
  if (tensor.bytes.size() != bytes)
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": has ", tensor.bytes.size(), " bytes, its shape needs ", bytes));
  return absl::OkStatus();
}

/// Every ? is the number of rows of this call: compiled code runs over the rows of one
/// operand and takes those of the others to be as many.
absl::Status checkRows(const EntrySpec &spec, absl::Span<const HostTensor> inputs,
                       absl::string_view where) {
  int64_t rows = -1;
  size_t first = 0;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t d = 0; d < inputs[i].dims.size(); ++d) {
      if (spec.args[i].dims[d] >= 0)
        continue;
      int64_t size = inputs[i].dims[d];
      if (rows < 0) {
        rows = size;
        first = i;
      } else if (size != rows) {
        return absl::InvalidArgumentError(absl::StrCat(where, ": input ", i, ": found ", size,
                                                       " rows, expected ", rows, " as in input ",
                                                       first, " (each ? is the same number)"));
      }
    }
  return absl::OkStatus();
}

/// Bytes of the largest value of a result.
size_t largest(const ArgSpec &spec, int64_t maxRows) {
  size_t bytes = elementBytes(spec.element);
  for (int64_t dim : spec.dims)
    bytes *= static_cast<size_t>(dim < 0 ? maxRows : dim);
  return bytes;
}

} // namespace

absl::StatusOr<std::vector<HostTensor>> qrt::call(const Executable &executable,
                                                  absl::string_view entry,
                                                  absl::Span<const HostTensor> inputs) {
  const LibraryDescriptor &library = executable.descriptor();
  const EntrySpec *spec = library.findEntry(entry);
  if (!spec)
    return absl::NotFoundError(
        absl::StrCat("the program has no entry ", qrt::quoted({entry.data(), entry.size()})));
  std::string where = absl::StrCat("entry '", entry, "'");
  if (inputs.size() != spec->args.size())
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": got ", inputs.size(), " inputs, expected ", spec->args.size()));

  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<qrt_tensor> args;
  auto add = [&](size_t bytes, const std::vector<int64_t> &dims) -> absl::Status {
    // A zero-sized array still has an address.
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                         executable.device().allocate(bytes ? bytes : 1));
    qrt_tensor tensor = {buffer->data(), {}};
    std::copy(dims.begin(), dims.end(), tensor.dims);
    args.push_back(tensor);
    buffers.push_back(std::move(buffer));
    return absl::OkStatus();
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (spec->args[i].kind == ArgSpec::Cache)
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": takes a cache; only a session can run it"));
    QRT_RETURN_IF_ERROR(
        checkInput(spec->args[i], inputs[i], library.maxRows, absl::StrCat(where, ": input ", i)));
    QRT_RETURN_IF_ERROR(add(inputs[i].bytes.size(), inputs[i].dims));
    if (!inputs[i].bytes.empty())
      std::memcpy(args.back().data, inputs[i].bytes.data(), inputs[i].bytes.size());
  }
  QRT_RETURN_IF_ERROR(checkRows(*spec, inputs, where));
  for (const ArgSpec &result : spec->results)
    QRT_RETURN_IF_ERROR(add(largest(result, library.maxRows), result.dims));

  QRT_RETURN_IF_ERROR(executable.run(library.indexOf(*spec), absl::MakeSpan(args)));

  std::vector<HostTensor> results;
  for (size_t i = 0; i < spec->results.size(); ++i) {
    const ArgSpec &result = spec->results[i];
    const qrt_tensor &tensor = args[inputs.size() + i];
    HostTensor out{result.element, {}, {}};
    size_t bytes = elementBytes(result.element);
    for (size_t d = 0; d < result.dims.size(); ++d) {
      int64_t size = result.dims[d] < 0 ? tensor.dims[d] : result.dims[d];
      if (size < 0 || (result.dims[d] < 0 && size > library.maxRows))
        return absl::InternalError(absl::StrCat(where, ": result ", i, " has a dimension of ", size,
                                                ", expected at most ", library.maxRows));
      out.dims.push_back(size);
      bytes *= static_cast<size_t>(size);
    }
    auto *data = static_cast<const uint8_t *>(tensor.data);
    out.bytes.assign(data, data + bytes);
    results.push_back(std::move(out));
  }
  return results;
}
