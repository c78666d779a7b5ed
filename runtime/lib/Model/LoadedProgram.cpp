//===- LoadedProgram.cpp - programs whose functions are called on arrays --===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/LoadedProgram.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Model/CodeFinder.h"
#include "quench-rt/Model/UserCache.h"
#include "quench-rt/Program/CompiledLibrary.h"
#include "quench-rt/Program/WeightSource.h"
#include "quench-rt/Program/WeightStore.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

using namespace qrt;

namespace {
/// For programs that declare no weights.
class NoWeights final : public WeightSource {
public:
  absl::StatusOr<CanonicalWeight> find(absl::string_view key) const override {
    return absl::NotFoundError(absl::StrCat("the program needs the weight '", key,
                                            "', expected a file with weights (--weights FILE)"));
  }
  const std::string &path() const override { return none; }

private:
  std::string none;
};
} // namespace

static absl::StatusOr<std::unique_ptr<WeightSource>> weightsOf(const ProgramOptions &options) {
  if (options.weights.empty())
    return std::unique_ptr<WeightSource>(std::make_unique<NoWeights>());
  return openWeights(options.weights);
}

absl::StatusOr<LoadedProgram> qrt::loadProgram(const ProgramOptions &options) {
  LoadedProgram program;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache,
                       openUserCacheIfPossible(options.listener));
  QRT_ASSIGN_OR_RETURN(std::vector<uint8_t> code,
                       findProgramCode(*cache, options.program, options.target, options.dumpStages,
                                       options.listener, program.timings));
  ThreadTeamOptions team;
  team.numThreads = static_cast<int>(options.threads);
  QRT_ASSIGN_OR_RETURN(program.device, createCpuDevice(team, options.keepCode));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*program.device, code, options.program));
  WeightStoreOptions storeOptions;
  storeOptions.threads = program.device->numThreads();
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightStore> weights,
                       WeightStore::load(
                           *program.device, library->descriptor(),
                           [&] { return weightsOf(options); }, storeOptions));
  QRT_ASSIGN_OR_RETURN(program.executable,
                       Executable::create(*program.device, std::move(library), std::move(weights)));
  return program;
}

absl::StatusOr<const EntrySpec *> qrt::findFunction(const Executable &executable,
                                                    const std::string &program,
                                                    absl::string_view name) {
  const LibraryDescriptor &library = executable.descriptor();
  if (const EntrySpec *entry = library.findEntry(name))
    return entry;
  return absl::NotFoundError(absl::StrCat(
      program, ": there is no public function @", name, ", expected ",
      absl::StrJoin(library.entries, ", ", [](std::string *out, const EntrySpec &known) {
        absl::StrAppend(out, "@", known.name);
      })));
}
