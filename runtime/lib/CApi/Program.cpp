//===- Program.cpp - compiling and calling functions in the C API ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Boundary.h"

#include "quench-rt/Model/LoadedModel.h"
#include "quench-rt/Model/LoadedProgram.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Model/PackageCompiler.h"
#include "quench-rt/Support/Status.h"

#include <cstdlib>
#include <memory>
#include <vector>

using namespace qrt;
using namespace qrt::capi;

struct qrt_program {
  std::string path;
  LoadedProgram program;
};

static_assert(static_cast<int>(ElementType::F32) == QRT_F32 &&
              static_cast<int>(ElementType::F16) == QRT_F16 &&
              static_cast<int>(ElementType::I64) == QRT_I64 &&
              static_cast<int>(ElementType::I32) == QRT_I32 &&
              static_cast<int>(ElementType::I8) == QRT_I8 &&
              static_cast<int>(ElementType::U8) == QRT_U8);

static absl::StatusOr<LoadedProgram> load(const std::string &path,
                                          const qrt_program_options &given) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(path, /*programs=*/true));
  const Listener listener = listenerOf(given.note, given.note_data);
  if (kind == ModelKind::Program) {
    ProgramOptions options;
    options.program = path;
    options.weights = textOr(given.weights, "");
    options.dumpStages = textOr(given.dump_stages, "");
    options.threads = given.threads;
    options.target.target = textOr(given.target, "native");
    options.listener = listener;
    return loadProgram(options);
  }
  if (given.weights || given.dump_stages)
    return usageError("weights and dump_stages are for program files (.mlir, .mlirbc); a package "
                      "has its own weights");
  ModelOptions options;
  options.model = path;
  options.threads = given.threads;
  options.target.target = textOr(given.target, "native");
  options.trustCode = given.trust_code != 0;
  options.listener = listener;
  QRT_ASSIGN_OR_RETURN(LoadedModel model, loadModel(options));
  return LoadedProgram{std::move(model.device), std::move(model.executable),
                       std::move(model.timings)};
}

static absl::StatusOr<HostTensor> tensorOf(const qrt_array &array, size_t index) {
  const std::string where = absl::StrCat("input ", index);
  if (array.element < QRT_F32 || array.element > QRT_U8)
    return usageError(
        absl::StrCat(where, ": element is ", array.element, ", expected one of qrt_element"));
  if (array.rank < 0 || array.rank > QRT_ARRAY_MAX_RANK)
    return usageError(
        absl::StrCat(where, ": rank is ", array.rank, ", expected 0 to ", QRT_ARRAY_MAX_RANK));
  HostTensor tensor;
  tensor.element = static_cast<ElementType>(array.element);
  size_t bytes = elementBytes(tensor.element);
  for (int32_t i = 0; i < array.rank; ++i) {
    const int64_t dim = array.dims[i];
    if (dim < 0 || (dim > 0 && bytes > (size_t(1) << 40) / static_cast<size_t>(dim)))
      return usageError(absl::StrCat(where, ": dimension ", i, " is ", dim,
                                     ", expected 0 or more, and less than 1 TiB in all"));
    bytes *= static_cast<size_t>(dim);
    tensor.dims.push_back(dim);
  }
  if (bytes > 0)
    QRT_RETURN_IF_ERROR(checkPointer(array.data, absl::StrCat(where, ": data").c_str()));
  tensor.bytes.resize(bytes);
  if (bytes > 0)
    std::memcpy(tensor.bytes.data(), array.data, bytes);
  return tensor;
}

/// The arrays and behind them their data, in one piece of memory.
static absl::StatusOr<qrt_array *> arraysOf(const std::vector<HostTensor> &tensors) {
  constexpr size_t kAlignment = 64;
  const auto padded = [](size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  };
  size_t size = padded(tensors.size() * sizeof(qrt_array) + 1);
  for (const HostTensor &tensor : tensors)
    size += padded(tensor.bytes.size());
  void *memory = nullptr;
  if (::posix_memalign(&memory, kAlignment, size) != 0)
    return environmentError(absl::StrCat("no memory for results of ", size, " bytes"));
  auto *arrays = static_cast<qrt_array *>(memory);
  char *data = static_cast<char *>(memory) + padded(tensors.size() * sizeof(qrt_array) + 1);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const HostTensor &tensor = tensors[i];
    qrt_array array = {};
    array.element = static_cast<int32_t>(tensor.element);
    array.rank = static_cast<int32_t>(tensor.dims.size());
    std::copy(tensor.dims.begin(), tensor.dims.end(), array.dims);
    array.data = data;
    arrays[i] = array;
    if (!tensor.bytes.empty())
      std::memcpy(data, tensor.bytes.data(), tensor.bytes.size());
    data += padded(tensor.bytes.size());
  }
  return arrays;
}

extern "C" {

qrt_status qrt_compile(const char *input, const char *package, const qrt_compile_options *options) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(input, "input"));
    QRT_RETURN_IF_ERROR(checkPointer(package, "package"));
    QRT_ASSIGN_OR_RETURN(qrt_compile_options given,
                         readOptions(options, QRT_COMPILE_OPTIONS_INIT, "qrt_compile_options"));
    PackageOptions request;
    request.input = input;
    request.package = package;
    request.from = textOr(given.from, "");
    request.weights = textOr(given.weights, "");
    if (given.activations)
      request.activations = given.activations;
    if (given.layers)
      request.layers = given.layers;
    request.context = given.context_length;
    request.dumpStages = textOr(given.dump_stages, "");
    request.target.target = textOr(given.target, "native");
    request.listener = listenerOf(given.note, given.note_data);
    return compilePackage(request).status();
  });
}

qrt_status qrt_program_load(const char *path, const qrt_program_options *options,
                            qrt_program **program) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(path, "path"));
    QRT_RETURN_IF_ERROR(checkPointer(program, "program"));
    QRT_ASSIGN_OR_RETURN(qrt_program_options given,
                         readOptions(options, QRT_PROGRAM_OPTIONS_INIT, "qrt_program_options"));
    QRT_ASSIGN_OR_RETURN(LoadedProgram loaded, load(path, given));
    *program = new qrt_program{path, std::move(loaded)};
    return absl::OkStatus();
  });
}

void qrt_program_free(qrt_program *program) { delete program; }

size_t qrt_program_num_functions(const qrt_program *program) {
  return program->program.executable->descriptor().entries.size();
}

const char *qrt_program_function_name(const qrt_program *program, size_t index) {
  const auto &entries = program->program.executable->descriptor().entries;
  return index < entries.size() ? entries[index].name.c_str() : nullptr;
}

qrt_status qrt_program_call(qrt_program *program, const char *function, const qrt_array *inputs,
                            size_t numInputs, qrt_array **results, size_t *numResults) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(program, "program"));
    QRT_RETURN_IF_ERROR(checkPointer(function, "function"));
    QRT_RETURN_IF_ERROR(numInputs == 0 ? absl::OkStatus() : checkPointer(inputs, "inputs"));
    QRT_RETURN_IF_ERROR(checkPointer(results, "results"));
    QRT_RETURN_IF_ERROR(checkPointer(numResults, "num_results"));
    const Executable &executable = *program->program.executable;
    QRT_RETURN_IF_ERROR(findFunction(executable, program->path, function).status());
    std::vector<HostTensor> tensors;
    for (size_t i = 0; i < numInputs; ++i) {
      QRT_ASSIGN_OR_RETURN(HostTensor tensor, tensorOf(inputs[i], i));
      tensors.push_back(std::move(tensor));
    }
    QRT_ASSIGN_OR_RETURN(std::vector<HostTensor> found, call(executable, function, tensors));
    QRT_ASSIGN_OR_RETURN(*results, arraysOf(found));
    *numResults = found.size();
    return absl::OkStatus();
  });
}

} // extern "C"
