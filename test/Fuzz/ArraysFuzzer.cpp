//===- ArraysFuzzer.cpp - any bytes as safetensors or NumPy file -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Fuzz/Input.h"

#include "quench-rt/ModelFile/Npy.h"
#include "quench-rt/ModelFile/Safetensors.h"
#include "quench-rt/Program/WeightSource.h"

using namespace qrt;
using namespace qrt::fuzz;

static void readAsNpy(const uint8_t *data, size_t size) {
  InputFile input(data, size);
  auto array = parseNpy(input.take());
  if (!array.ok())
    return requireMessage(array.status());
  size_t bytes = npyTypeSize(array->type);
  for (int64_t dim : array->shape)
    bytes *= static_cast<size_t>(dim);
  require(bytes == array->bytes, "the size of the data follows from type and shape");
  readAll(array->data, array->bytes);
}

static void readAsSafetensors(const uint8_t *data, size_t size) {
  InputFile input(data, size);
  auto file = SafetensorsFile::parse(input.take());
  if (!file.ok())
    return requireMessage(file.status());
  for (const SafetensorsTensor &tensor : file->tensors()) {
    require(file->find(tensor.name) == &tensor, "each tensor is found");
    readAll(tensor.data, tensor.bytes);
  }

  InputPath path(data, size);
  auto weights = openSafetensorsWeights(path.path());
  require(weights.ok(), "a sound file is a source of weights");
  for (const SafetensorsTensor &tensor : file->tensors()) {
    auto weight = (*weights)->find({tensor.name.data(), tensor.name.size()});
    if (!weight.ok()) {
      requireMessage(weight.status());
      continue;
    }
    __int128 bytes = weight->rows;
    bytes *= weight->columns / formatInfo(weight->format).blockElements;
    bytes *= formatInfo(weight->format).blockBytes;
    require(weight->rows > 0 && weight->columns > 0 && bytes == __int128(weight->bytes),
            "the size of a weight follows from format and shape");
    readAll(weight->data, weight->bytes);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  readAsNpy(data, size);
  readAsSafetensors(data, size);
  return 0;
}
