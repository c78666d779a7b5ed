//===- GgufFuzzer.cpp - any bytes as a GGUF file ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Fuzz/Input.h"

#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

using namespace qrt;
using namespace qrt::fuzz;

static void readMetadata(const GgufFile &file) {
  for (const GgufMetadata &entry : file.metadata()) {
    std::string_view key = entry.key;
    require(file.find(key) == &entry.value, "each key is found");
    for (const absl::Status &status :
         {file.getInt(key).status(), file.getFloat(key).status(), file.getBool(key).status(),
          file.getString(key).status(), file.getStrings(key).status(), file.getInts(key).status(),
          file.getFloats(key).status()})
      if (!status.ok())
        requireMessage(status);
    if (auto text = file.getString(key); text.ok())
      readAll(text->data(), text->size());
    if (auto texts = file.getStrings(key); texts.ok())
      for (std::string_view text : *texts)
        readAll(text.data(), text.size());
  }
}

static void readTensors(const GgufFile &file) {
  auto contents = file.contents();
  for (const GgufTensor &tensor : file.tensors()) {
    require(file.findTensor(tensor.name) == &tensor, "each tensor is found");
    for (int64_t size : tensor.shape())
      require(size > 0, "sizes are positive");
    require(tensor.rows() > 0 && tensor.columns() > 0, "the sizes' product fits");
    require(tensor.data >= contents.begin() && tensor.data <= contents.end() &&
                tensor.bytes <= static_cast<size_t>(contents.end() - tensor.data),
            "data lie inside of the file");
    auto format = file.formatOf(tensor);
    if (format.ok())
      require(static_cast<size_t>(tensor.rows()) * rowBytes(*format, tensor.columns()) ==
                  tensor.bytes,
              "the size of the data follows from format and shape");
    else
      requireMessage(format.status());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  InputFile input(data, size);
  auto file = GgufFile::parse(input.take());
  if (!file.ok()) {
    requireMessage(file.status());
    return 0;
  }
  readMetadata(*file);
  readTensors(*file);

  auto vocabulary = vocabularyFromGguf(*file);
  if (!vocabulary.ok()) {
    requireMessage(vocabulary.status());
    return 0;
  }
  auto tokenizer = Tokenizer::create(*std::move(vocabulary));
  if (!tokenizer.ok()) {
    requireMessage(tokenizer.status());
    return 0;
  }
  auto ids = (*tokenizer)->encode("to be or not\n<|end|>");
  if (ids.ok())
    require((*tokenizer)->checkIds(*ids).ok(), "ids are in the vocabulary");
  else
    requireMessage(ids.status());
  return 0;
}
