//===- SelfTest.cpp - whether compiling and running work here -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "SelfTest.h"

#include "ModelFlags.h"
#include "Output.h"

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Model/CodeFinder.h"
#include "quench-rt/Program/ArtifactCache.h"
#include "quench-rt/Program/Executable.h"
#include "quench-rt/Program/WeightSource.h"
#include "quench-rt/Support/AtomicFile.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace qrt;
using namespace qrt::cli;

namespace {

constexpr int64_t kRows = 40, kColumns = 64, kTokens = 3;

constexpr char kProgram[] = R"(
module attributes {quench.max_rows = 8 : i64} {
  quench.weight @w {key = "w"} : !quench.qtensor<40x64, #quench.q8_0>
  func.func @project(%x: tensor<?x64xf32>) -> tensor<?x40xf32> {
    %w = quench.get_weight @w : !quench.qtensor<40x64, #quench.q8_0>
    %y = quench.linear %x, %w : tensor<?x64xf32>, !quench.qtensor<40x64, #quench.q8_0> -> tensor<?x40xf32>
    return %y : tensor<?x40xf32>
  }
}
)";

// Whole numbers up to 127 with a 127 in each block, which therefore has the scale 1 and loses
// nothing in 8 bits.
float number(int64_t row, int64_t column) {
  return column % 32 == 0 ? 127 : static_cast<float>((row * 37 + column * 11) % 255 - 127);
}

std::string weightsFile(const std::string &folder) { return folder + "/weights.safetensors"; }

absl::Status writeWeights(const std::string &folder) {
  const size_t size = rowBytes(Format::Q8_0, kColumns);
  std::vector<float> row(kColumns);
  std::string bytes(size * kRows, 0);
  for (int64_t n = 0; n < kRows; ++n) {
    for (int64_t k = 0; k < kColumns; ++k)
      row[static_cast<size_t>(k)] = number(n, k);
    encodeRow(Format::Q8_0, row.data(),
              reinterpret_cast<uint8_t *>(bytes.data()) + static_cast<size_t>(n) * size, kColumns);
  }
  const nlohmann::json header = {
      {"__metadata__", {{"w", weightMetadata(Format::Q8_0, kRows, kColumns, /*vector=*/false)}}},
      {"w", {{"dtype", "U8"}, {"shape", {bytes.size()}}, {"data_offsets", {0, bytes.size()}}}}};
  const std::string text = header.dump();
  std::string length(8, 0); // little-endian
  for (size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<char>(text.size() >> 8 * i);
  return writeFileAtomically(weightsFile(folder), absl::StrCat(length, text, bytes));
}

absl::StatusOr<CompiledCode> compileProgram(const std::string &folder) {
  const std::string file = folder + "/program.mlir";
  QRT_RETURN_IF_ERROR(writeFileAtomically(file, kProgram));
  QRT_RETURN_IF_ERROR(writeWeights(folder));
  nlohmann::json request = {{"input", file}, {"entries", "public"}};
  TargetOptions().addTo(request);
  return compileCode(std::move(request), commandLineListener());
}

absl::StatusOr<std::vector<uint8_t>> throughCache(const std::string &folder,
                                                  const std::vector<uint8_t> &code) {
  ArtifactCacheOptions options;
  options.folder = folder + "/cache";
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<ArtifactCache> cache,
                       ArtifactCache::open(std::move(options)));
  const std::string key = contentHash(code.data(), code.size());
  QRT_RETURN_IF_ERROR(cache->write(ArtifactKind::Code, key, code));
  absl::optional<std::vector<uint8_t>> found = cache->read(ArtifactKind::Code, key);
  if (!found || *found != code)
    return absl::InternalError("the cache did not return what it was given");
  return *std::move(found);
}

absl::Status runCode(const std::string &folder, absl::Span<const uint8_t> code) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, createCpuDevice());
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> library,
                       CompiledLibrary::load(*device, code, "the self-test"));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightStore> weights,
                       WeightStore::load(*device, library->descriptor(),
                                         [&] { return openWeights(weightsFile(folder)); }, {}));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                       Executable::create(*device, std::move(library), std::move(weights)));
  HostTensor input;
  input.dims = {kTokens, kColumns};
  std::vector<float> values;
  for (int64_t i = 0; i < kTokens * kColumns; ++i)
    values.push_back(number(i / kColumns + 5, i % kColumns));
  input.bytes.resize(values.size() * sizeof(float));
  std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
  QRT_ASSIGN_OR_RETURN(std::vector<HostTensor> results, call(*executable, "project", {input}));
  for (int64_t t = 0; t < kTokens; ++t)
    for (int64_t n = 0; n < kRows; ++n) {
      float expected = 0, found;
      for (int64_t k = 0; k < kColumns; ++k)
        expected += number(t + 5, k) * number(n, k);
      std::memcpy(&found, results[0].bytes.data() + static_cast<size_t>(t * kRows + n) * 4, 4);
      if (found != expected)
        return absl::InternalError(absl::StrCat("output ", n, " of token ", t, ": found ", found,
                                                ", expected ", expected));
    }
  return absl::OkStatus();
}

} // namespace

SelfTest cli::runSelfTest() {
  SelfTest test;
  auto step = [&](const char *name, auto &&work) {
    Stopwatch watch;
    absl::Status status = work();
    test.steps.push_back({name, watch.milliseconds(), status});
    return status.ok();
  };
  const char *chosen = std::getenv("TMPDIR");
  std::string folder = absl::StrCat(chosen ? chosen : "/tmp", "/quench-XXXXXX");
  std::vector<uint8_t> code;
  const bool ready = step("files", [&] {
    if (::mkdtemp(folder.data()))
      return absl::OkStatus();
    return absl::InternalError(absl::StrCat(folder, ": ", std::strerror(errno),
                                            "; TMPDIR names another folder for temporary files"));
  });
  if (!ready)
    return test;
  absl::Cleanup remove = [&] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  step("compile",
       [&] {
         QRT_ASSIGN_OR_RETURN(CompiledCode compiled, compileProgram(folder));
         test.llvm = compiled.response.value("llvm", "");
         code = std::move(compiled.bytes);
         return absl::OkStatus();
       }) &&
      step("cache",
           [&] {
             QRT_ASSIGN_OR_RETURN(code, throughCache(folder, code));
             return absl::OkStatus();
           }) &&
      step("run", [&] { return runCode(folder, code); });
  return test;
}
