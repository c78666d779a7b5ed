//===- Executable.cpp - code, weights and scratch memory, ready to run ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Executable.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

using namespace qrt;

absl::StatusOr<std::unique_ptr<Executable>>
Executable::create(Device &device, std::unique_ptr<CompiledLibrary> library,
                   std::unique_ptr<WeightStore> weights) {
  std::unique_ptr<Executable> result(new Executable());
  const LibraryDescriptor &description = library->descriptor();
  size_t bytes = description.workspaceBytes +
                 static_cast<size_t>(device.numThreads()) * description.threadWorkspaceBytes;
  if (bytes) {
    QRT_ASSIGN_OR_RETURN(result->workspace, device.allocate(bytes));
  }
  result->runsOn = &device;
  result->library = std::move(library);
  result->weightStore = std::move(weights);
  return result;
}

/// Whether `found` is `expected`, in which `*` stands for a dimension.
static bool matches(absl::string_view expected, const std::string &found) {
  std::vector<absl::string_view> a = absl::StrSplit(expected, 'x'), b = absl::StrSplit(found, 'x');
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && a[i] != "*")
      return false;
  return true;
}

static std::string signature(const std::vector<ArgSpec> &args,
                             const std::vector<ArgSpec> &results) {
  auto list = [](const std::vector<ArgSpec> &items) {
    return absl::StrJoin(items, ", ", [](std::string *out, const ArgSpec &arg) {
      absl::StrAppend(out, describe(arg));
    });
  };
  return absl::StrCat("(", list(args), ") -> (", list(results), ")");
}

absl::StatusOr<size_t> Executable::entry(absl::string_view name,
                                         absl::Span<const absl::string_view> args,
                                         absl::Span<const absl::string_view> results) const {
  const EntrySpec *found = descriptor().findEntry(name);
  if (!found)
    return absl::NotFoundError(absl::StrCat("the program has no entry '", name, "'"));
  bool same = found->args.size() == args.size() && found->results.size() == results.size();
  for (size_t i = 0; same && i < args.size(); ++i)
    same = matches(args[i], describe(found->args[i]));
  for (size_t i = 0; same && i < results.size(); ++i)
    same = matches(results[i], describe(found->results[i]));
  if (!same)
    return absl::FailedPreconditionError(absl::StrCat(
        "the program's entry '", name, "' is ", signature(found->args, found->results),
        ", expected (", absl::StrJoin(args, ", "), ") -> (", absl::StrJoin(results, ", "), ")"));
  return descriptor().indexOf(*found);
}

absl::Status Executable::run(size_t entry, absl::Span<qrt_tensor> args,
                             HostCallbacks *callbacks) const {
  Launch launch;
  launch.weights = weightStore->pointers();
  launch.workspace = workspace ? workspace->data() : nullptr;
  launch.callbacks = callbacks;
  return runsOn->run(library->image(), entry, launch, args);
}
