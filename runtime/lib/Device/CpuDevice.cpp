//===- CpuDevice.cpp - the processor of this machine as a device ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/CpuDevice.h"

#include "SharedLibrary.h"

#include "absl/strings/str_cat.h"

#include <utility>

using namespace qrt;

namespace {

void hostBarrier(void *team, uint64_t tid) { static_cast<ThreadTeam *>(team)->barrier(tid); }

int64_t hostDraft(void *session, int64_t source, const int32_t *pending, int64_t numPending,
                  int64_t limit, int32_t *candidates) {
  if (!session || limit <= 0)
    return 0;
  return static_cast<HostCallbacks *>(session)->draft(
      source, absl::MakeConstSpan(pending, static_cast<size_t>(numPending)),
      absl::MakeSpan(candidates, static_cast<size_t>(limit)));
}

constexpr qrt_host kHost = {QRT_ABI_VERSION, sizeof(qrt_host), hostBarrier, hostDraft};

class CpuImage final : public Image {
public:
  CpuImage(SharedLibrary code, const qrt_library *library)
      : code(std::move(code)), library(library) {}

  absl::string_view descriptor() const override { return library->descriptor; }
  size_t numEntries() const override { return library->num_entries; }
  qrt_entry entry(size_t index) const { return library->entries[index]; }

private:
  SharedLibrary code;
  const qrt_library *library; ///< inside `code`
};

class CpuDevice final : public Device {
public:
  CpuDevice(std::unique_ptr<ThreadTeam> team, std::string codeFolder)
      : team(std::move(team)), codeFolder(std::move(codeFolder)) {}

  std::string name() const override {
    return absl::StrCat("cpu, ", team->size(), team->size() == 1 ? " thread" : " threads");
  }

  int numThreads() const override { return team->size(); }

  absl::StatusOr<std::unique_ptr<Buffer>> allocate(size_t bytes) override {
    return allocateHostBuffer(bytes);
  }

  absl::StatusOr<std::unique_ptr<Image>> load(absl::Span<const uint8_t> code,
                                              absl::string_view label) override {
    absl::StatusOr<SharedLibrary> loaded = SharedLibrary::load(code, label, codeFolder);
    if (!loaded.ok())
      return loaded.status();
    auto query = reinterpret_cast<qrt_query>(loaded->symbol(QRT_QUERY_SYMBOL));
    if (!query)
      return absl::InvalidArgumentError(
          absl::StrCat(label, ": not a compiled model: it exports no ", QRT_QUERY_SYMBOL));
    const qrt_library *library = query(&kHost);
    if (!library || library->abi_version != QRT_ABI_VERSION)
      return absl::FailedPreconditionError(absl::StrCat(
          label, ": compiled for ",
          library ? absl::StrCat("version ", library->abi_version) : "another version",
          " of the interface between code and runtime, this is version ", QRT_ABI_VERSION));
    if (!library->descriptor || (library->num_entries && !library->entries))
      return absl::InvalidArgumentError(
          absl::StrCat(label, ": its description or its table of entries is missing"));
    return std::unique_ptr<Image>(std::make_unique<CpuImage>(*std::move(loaded), library));
  }

  absl::Status run(const Image &image, size_t entry, const Launch &launch,
                   absl::Span<qrt_tensor> args) override {
    const auto *code = dynamic_cast<const CpuImage *>(&image);
    if (!code)
      return absl::InvalidArgumentError("the code was not loaded by a CPU device");
    if (entry >= code->numEntries())
      return absl::InvalidArgumentError(
          absl::StrCat("there is no entry ", entry, ", the code has ", code->numEntries()));
    qrt_context context = {launch.weights, launch.workspace, team.get(), launch.callbacks};
    qrt_entry function = code->entry(entry);
    team->run(
        [&](uint64_t tid, uint64_t threads) { function(tid, threads, &context, args.data()); });
    return absl::OkStatus();
  }

private:
  std::unique_ptr<ThreadTeam> team;
  std::string codeFolder;
};

} // namespace

absl::StatusOr<std::unique_ptr<Device>> qrt::createCpuDevice(const ThreadTeamOptions &options,
                                                             const std::string &codeFolder) {
  absl::StatusOr<std::unique_ptr<ThreadTeam>> team = ThreadTeam::create(options);
  if (!team.ok())
    return team.status();
  return std::unique_ptr<Device>(std::make_unique<CpuDevice>(*std::move(team), codeFolder));
}
