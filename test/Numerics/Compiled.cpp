//===- Compiled.cpp - compiling and running jobs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/Executable.h"
#include "quench/Target/CPU/CPUTarget.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <unistd.h>

using namespace quench::numerics;
namespace fs = std::filesystem;

std::string quench::numerics::targetName(Target target) {
  switch (target) {
  case Target::Native:
    return "tuned tile";
  case Target::Portable:
    return "portable expansion";
  case Target::Baseline:
    return "x86-64-v2";
  case Target::Arm:
    return "AArch64";
  case Target::ArmHalf:
    return "AArch64 with f16";
  }
  return "";
}

bool quench::numerics::isFused(Target target) { return target != Target::Baseline; }

namespace {

/// A folder of its own, removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "quench-numerics-XXXXXX").string();
    path = mkdtemp(pattern.data()) ? pattern : "";
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  std::string path;
};

Bytes readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void writeFile(const std::string &path, const Bytes &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
}

mlir::quench::CPUTargetOptions optionsOf(Target target) {
  mlir::quench::CPUTargetOptions options;
  options.portable = target != Target::Native;
  if (target == Target::Baseline)
    options.cpu = "x86-64-v2";
  if (target == Target::Arm || target == Target::ArmHalf) {
    options.cpu = target == Target::Arm ? "generic" : "neoverse-n1";
    options.triple = "aarch64-linux-gnu";
  }
  return options;
}

/// Writes the weights that a library wants, as the runtime reads those of a program. A
/// job does not tell a vector from a matrix of one row; the library does.
absl::Status writeWeights(const std::string &path, const Job &job,
                          const qrt::LibraryDescriptor &library) {
  qrt::SafetensorsWriter writer;
  std::set<std::string> written;
  for (const qrt::WeightSpec &spec : library.weights) {
    const quench::reference::Weight &w = job.weights.at(spec.key);
    if (!written.insert(spec.key).second)
      continue;
    absl::Status status =
        writer.setMetadata(spec.key, qrt::weightMetadata(w.format, w.rows, w.columns, spec.vector));
    if (status.ok())
      status = writer.addTensor(spec.key, "U8", {int64_t(w.bytes.size())}, w.bytes.data(),
                                w.bytes.size());
    if (!status.ok())
      return status;
  }
  return writer.write(path);
}

/// One team of threads for each size, for the whole process.
qrt::Device &deviceOf(int threads) {
  static std::map<int, std::unique_ptr<qrt::Device>> devices;
  std::unique_ptr<qrt::Device> &device = devices[threads];
  if (!device) {
    qrt::ThreadTeamOptions options;
    options.numThreads = threads;
    options.adapt = false;
    device = *qrt::createCpuDevice(options);
  }
  return *device;
}

} // namespace

Library quench::numerics::compile(const std::string &text, Target target, bool keepIntermediate) {
  auto start = std::chrono::steady_clock::now();
  mlir::DialectRegistry registry;
  mlir::quench::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  std::string messages;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
    messages += diagnostic.str() + "\n";
    return mlir::success();
  });
  Library library;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
  if (!module) {
    ADD_FAILURE() << "not parsed: " << messages << "\n" << text.substr(0, 4000);
    return library;
  }
  TemporaryFolder folder;
  mlir::quench::CPUTargetOptions options = optionsOf(target);
  if (keepIntermediate)
    options.dumpDir = folder.path;
  mlir::quench::CompileReport report;
  std::string code;
  if (mlir::failed(mlir::quench::compileToLibrary(*module, options, code, report))) {
    ADD_FAILURE() << "not compiled for " << targetName(target) << ": " << messages;
    return library;
  }
  library.code.assign(code.begin(), code.end());
  if (keepIntermediate)
    for (const fs::directory_entry &entry : fs::directory_iterator(folder.path))
      if (entry.path().extension() == ".ll") {
        Bytes bytes = readFile(entry.path());
        library.intermediate.assign(bytes.begin(), bytes.end());
      }
  library.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return library;
}

Native::Native(const Library &library, const Job &job, int threads) {
  qrt::Device &device = deviceOf(threads);
  auto code = qrt::CompiledLibrary::load(device, library.code, "test");
  if (!code.ok()) {
    ADD_FAILURE() << code.status();
    return;
  }
  absl::string_view text = (*code)->image().descriptor();
  description = readDescriptor(std::string(text.data(), text.size()));
  const qrt::LibraryDescriptor &descriptor = (*code)->descriptor();
  TemporaryFolder folder;
  absl::Status written = writeWeights(folder / "weights.safetensors", job, descriptor);
  EXPECT_TRUE(written.ok()) << written;
  auto open = [&] { return qrt::openSafetensorsWeights(folder / "weights.safetensors"); };
  auto weights = qrt::WeightStore::load(device, descriptor, open, {});
  if (!weights.ok()) {
    ADD_FAILURE() << weights.status();
    return;
  }
  auto executable = qrt::Executable::create(device, *std::move(code), *std::move(weights));
  if (!executable.ok())
    ADD_FAILURE() << executable.status();
  else
    loaded = *std::move(executable);
}

Native::~Native() = default;

Outcome Native::run(const Job &job) const {
  return runJob(description, job, [&](size_t index, std::vector<qrt_tensor> &args) {
    absl::Status status = loaded->run(index, absl::MakeSpan(args));
    EXPECT_TRUE(status.ok()) << status;
  });
}

Outcome quench::numerics::runOnArm(const Library &library, const Job &job) {
  TemporaryFolder folder;
  writeFile(folder / "library.so", library.code);
  writeFile(folder / "job", serialize(job));
  std::string command = std::string(QUENCH_ARM_EMULATOR) + " " + QUENCH_ARM_HARNESS + " " +
                        (folder / "library.so") + " " + (folder / "job") + " " +
                        (folder / "outcome");
  int status = std::system(command.c_str());
  if (status != 0) {
    ADD_FAILURE() << "status " << status << " of " << command;
    return {};
  }
  return parseOutcome(readFile(folder / "outcome"));
}
