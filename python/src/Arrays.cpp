//===- Arrays.cpp - programs on arrays, compiling, formats of weights ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "Models.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;
using namespace nb::literals;
using namespace quench;

namespace {

using InputArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutputArray = nb::ndarray<nb::numpy>;

const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

struct {
  nb::dlpack::dtype_code code;
  uint8_t bits;
  qrt_element element;
} const kTypes[] = {
    {nb::dlpack::dtype_code::Float, 32, QRT_F32}, {nb::dlpack::dtype_code::Float, 16, QRT_F16},
    {nb::dlpack::dtype_code::Int, 64, QRT_I64},   {nb::dlpack::dtype_code::Int, 32, QRT_I32},
    {nb::dlpack::dtype_code::Int, 8, QRT_I8},     {nb::dlpack::dtype_code::UInt, 8, QRT_U8}};

/// An array as the C API has it; refers to the data of the input.
qrt_array arrayOf(const InputArray &input, size_t index) {
  const std::string where = "input " + std::to_string(index);
  qrt_array array = {-1, static_cast<int32_t>(input.ndim()), {}, const_cast<void *>(input.data())};
  for (const auto &type : kTypes)
    if (input.dtype().code == static_cast<uint8_t>(type.code) && input.dtype().bits == type.bits)
      array.element = type.element;
  if (array.element < 0)
    throw UsageError(where + ": its element type is not supported, expected float32, float16, "
                             "int64, int32, int8 or uint8");
  if (input.ndim() > QRT_ARRAY_MAX_RANK)
    throw UsageError(where + ": it has " + std::to_string(input.ndim()) +
                     " dimensions, expected at most 4");
  for (size_t i = 0; i < input.ndim(); ++i)
    array.dims[i] = static_cast<int64_t>(input.shape(i));
  return array;
}

OutputArray outputOf(const qrt_array &array, const nb::capsule &owner) {
  size_t shape[QRT_ARRAY_MAX_RANK] = {};
  for (int32_t i = 0; i < array.rank; ++i)
    shape[i] = static_cast<size_t>(array.dims[i]);
  nb::dlpack::dtype type{};
  for (const auto &known : kTypes)
    if (known.element == array.element)
      type = {static_cast<uint8_t>(known.code), known.bits, 1};
  return OutputArray(array.data, static_cast<size_t>(array.rank), shape, owner, nullptr, type);
}

struct Program {
  Program(const std::string &path, const std::optional<std::string> &weights,
          const std::optional<std::string> &target, const std::optional<std::string> &dumpStages,
          int32_t threads, bool trustCode) {
    qrt_program *loaded = nullptr;
    Notes notes;
    qrt_program_options options = QRT_PROGRAM_OPTIONS_INIT;
    options.weights = orNull(weights);
    options.target = orNull(target);
    options.dump_stages = orNull(dumpStages);
    options.threads = threads;
    options.trust_code = trustCode;
    options.note = Notes::add;
    options.note_data = &notes;
    checkedCall([&] { return qrt_program_load(path.c_str(), &options, &loaded); });
    handle.reset(loaded, qrt_program_free);
    notes.warn();
  }

  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < qrt_program_num_functions(handle.get()); ++i)
      names.emplace_back(qrt_program_function_name(handle.get(), i));
    return names;
  }

  nb::object call(const std::string &function, const nb::args &inputs) const {
    std::vector<InputArray> kept;
    std::vector<qrt_array> arrays;
    for (nb::handle input : inputs) {
      InputArray array;
      if (!nb::try_cast(input, array))
        throw UsageError("input " + std::to_string(kept.size()) + ": found a " +
                         nb::cast<std::string>(nb::str(input.type().attr("__name__"))) +
                         ", expected an array");
      arrays.push_back(arrayOf(array, kept.size()));
      kept.push_back(std::move(array));
    }
    qrt_array *results = nullptr;
    size_t count = 0;
    checkedCall([&] {
      return qrt_program_call(handle.get(), function.c_str(), arrays.data(), arrays.size(),
                              &results, &count);
    });
    nb::capsule owner(results, [](void *memory) noexcept { qrt_free(memory); });
    if (count == 1)
      return nb::cast(outputOf(results[0], owner));
    nb::list list;
    for (size_t i = 0; i < count; ++i)
      list.append(nb::cast(outputOf(results[i], owner)));
    return nb::tuple(list);
  }

  std::shared_ptr<qrt_program> handle;
};

void compile(const std::string &input, const std::string &package,
             const std::optional<std::string> &weights, const std::optional<std::string> &from,
             const std::optional<std::string> &activations,
             const std::optional<std::string> &layers, const std::optional<std::string> &target,
             const std::optional<std::string> &dumpStages, int64_t contextLength) {
  Notes notes;
  qrt_compile_options options = QRT_COMPILE_OPTIONS_INIT;
  options.weights = orNull(weights);
  options.from = orNull(from);
  options.activations = orNull(activations);
  options.layers = orNull(layers);
  options.target = orNull(target);
  options.dump_stages = orNull(dumpStages);
  options.context_length = contextLength;
  options.note = Notes::add;
  options.note_data = &notes;
  checkedCall([&] { return qrt_compile(input.c_str(), package.c_str(), &options); });
  notes.warn();
}

nb::bytes encodeWeights(const Matrix &values, const std::string &format) {
  void *bytes = nullptr;
  size_t size = 0;
  checkedCall([&] {
    return qrt_encode_weights(format.c_str(), values.data(), static_cast<int64_t>(values.shape(0)),
                              static_cast<int64_t>(values.shape(1)), &bytes, &size);
  });
  std::unique_ptr<void, Free> owned(bytes);
  return nb::bytes(bytes, size);
}

OutputArray decodeWeights(const nb::bytes &bytes, const std::string &format, int64_t rows,
                          int64_t columns) {
  if (rows < 1 || columns < 1 || rows > (int64_t(1) << 40) / columns)
    throw UsageError("shape: found " + std::to_string(rows) + "x" + std::to_string(columns) +
                     ", expected positive sizes");
  auto values = std::make_unique<float[]>(static_cast<size_t>(rows * columns));
  check(
      qrt_decode_weights(format.c_str(), bytes.c_str(), bytes.size(), rows, columns, values.get()));
  const size_t shape[] = {static_cast<size_t>(rows), static_cast<size_t>(columns)};
  float *data = values.release();
  nb::capsule owner(data, [](void *memory) noexcept { delete[] static_cast<float *>(memory); });
  return OutputArray(data, 2, shape, owner, nullptr, nb::dtype<float>());
}

} // namespace

void quench::addArrays(nb::module_ &module) {
  nb::class_<Program>(module, "Program", "A program whose functions can be called on arrays.")
      .def(nb::init<const std::string &, const std::optional<std::string> &,
                    const std::optional<std::string> &, const std::optional<std::string> &, int32_t,
                    bool>(),
           "path"_a, nb::kw_only(), "weights"_a = nb::none(), "target"_a = nb::none(),
           "dump_stages"_a = nb::none(), "threads"_a = 0, "trust_code"_a = false,
           "Loads a program file (.mlir, .mlirbc), which is compiled into the cache, or a "
           "package.\n\n"
           "weights: of a program file: a safetensors file with formats, or a GGUF file.\n"
           "dump_stages: of a program file: a folder for the IR after each stage.")
      .def_prop_ro("functions", &Program::functions, "The names of the functions.")
      .def("call", &Program::call, "function"_a, "inputs"_a,
           nb::sig("def call(self, function: str, *inputs: numpy.typing.ArrayLike) -> typing.Any"),
           "Calls a function. Returns an array, or a tuple of them if it has several results.\n"
           "Inputs have exactly the element types of the function's arguments.");
  module.def(
      "compile", compile, "input"_a, "package"_a, nb::kw_only(), "weights"_a = nb::none(),
      "from_package"_a = nb::none(), "activations"_a = nb::none(), "layers"_a = nb::none(),
      "target"_a = nb::none(), "dump_stages"_a = nb::none(), "context_length"_a = 0,
      "Makes a package of a GGUF file, a program file or another package.\n\n"
      "weights, from_package: of a program: the file, or the package, that has its weights.\n"
      "activations, layers, context_length: of a GGUF file, as options of quench-run compile.");
  module.def("encode_weights", encodeWeights, "values"_a, "format"_a,
             "The rows of a matrix in a format such as 'q8_0', as bytes.");
  module.def("decode_weights", decodeWeights, "data"_a, "format"_a, "rows"_a, "columns"_a,
             nb::sig("def decode_weights(data: bytes, format: str, rows: int, columns: int) -> "
                     "numpy.typing.NDArray[numpy.float32]"),
             "The reverse of encode_weights.");
}
