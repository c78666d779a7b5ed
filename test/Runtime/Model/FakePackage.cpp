//===- FakePackage.cpp - a package with code written by hand --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Model/FakePackage.h"

#include "FakeModel.h"

#include "quench-rt/Model/TargetOptions.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Program/Seal.h"

#include "gtest/gtest.h"

using namespace qrt;

Vocabulary test::fakeVocabulary() {
  Vocabulary vocabulary;
  vocabulary.model = "llama";
  const auto add = [&](const std::string &token, TokenType type) {
    vocabulary.tokens.push_back(token);
    vocabulary.types.push_back(static_cast<int32_t>(type));
    vocabulary.scores.push_back(0);
  };
  for (char letter = 'a'; letter <= 'y'; ++letter)
    add(std::string(1, letter), TokenType::Normal);
  for (const char *token : {"\n", "\u2581"})
    add(token, TokenType::Normal);
  for (const char *token : {"<s>", "</s>", "<|im_start|>", "<|im_end|>", "<unk>"})
    add(token, token[1] == 'u' ? TokenType::Unknown : TokenType::Control);
  vocabulary.bos = 27;
  vocabulary.eos = 28;
  vocabulary.unk = 31;
  vocabulary.addBos = true;
  vocabulary.chatTemplate = "{{ '<|im_start|>' + message['role'] + '<|im_end|>' }}";
  return vocabulary;
}

void test::writeFakePackage(const std::string &path, bool periodic) {
  const std::string programKey(32, '3'), producer = "by hand";
  NewPackage package;
  package.manifest.producer = producer;
  package.manifest.activations = "f32";
  package.manifest.contextLength = 64;
  package.manifest.vocabularySize = 32;
  package.manifest.weights.kind = WeightsRecord::InPackage;
  package.writeWeights = [&](const std::string &file) {
    writeFakeWeights(file, periodic);
    return absl::OkStatus();
  };
  package.program = sealProgram("a program", programKey);
  package.tokenizer = vocabularyToJson(fakeVocabulary());
  const TargetOptions target;
  PackageLibrary library;
  library.target = target.folderName();
  library.key = codeKey(programKey, target.keyText(), producer);
  library.code = fakeLibrary();
  for (char c : codeSeal(library.key))
    library.code.push_back(static_cast<uint8_t>(c));
  package.libraries.push_back(std::move(library));
  const absl::Status status = writePackage(path, std::move(package));
  ASSERT_TRUE(status.ok()) << status;
}
