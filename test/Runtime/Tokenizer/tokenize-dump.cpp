//===- tokenize-dump.cpp - ids and decoded ids of many texts ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// usage: tokenize-dump VOCABULARY.gguf, see check_against_sentencepiece.py
//
// Reads texts, each after its length in bytes; writes for each the number of its ids, the
// ids, and the bytes that the ids decode to, after their length. Numbers have 32 bits.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

using namespace qrt;

static void writeNumber(size_t number) {
  const auto raw = static_cast<uint32_t>(number);
  std::cout.write(reinterpret_cast<const char *>(&raw), sizeof(raw));
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tokenize-dump VOCABULARY.gguf\n");
    return 2;
  }
  const auto fail = [](const absl::Status &status) {
    std::cerr << status << "\n";
    return 1;
  };
  absl::StatusOr<GgufFile> file = GgufFile::open(argv[1]);
  if (!file.ok())
    return fail(file.status());
  absl::StatusOr<Vocabulary> vocabulary = vocabularyFromGguf(*file);
  if (!vocabulary.ok())
    return fail(vocabulary.status());
  absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(*std::move(vocabulary));
  if (!tokenizer.ok())
    return fail(tokenizer.status());

  EncodeOptions options;
  options.parseSpecial = false; // The library takes names of control tokens as text.
  uint32_t length = 0;
  while (std::cin.read(reinterpret_cast<char *>(&length), sizeof(length))) {
    std::string text(length, '\0');
    if (!std::cin.read(text.data(), length))
      return fail(absl::InvalidArgumentError("standard input ends inside of a text"));
    absl::StatusOr<std::vector<int32_t>> ids = (*tokenizer)->encode(text, options);
    if (!ids.ok())
      return fail(ids.status());
    const std::string decoded = (*tokenizer)->decode(*ids);
    writeNumber(ids->size());
    std::cout.write(reinterpret_cast<const char *>(ids->data()),
                    static_cast<std::streamsize>(ids->size() * sizeof(int32_t)));
    writeNumber(decoded.size());
    std::cout << decoded;
  }
  return 0;
}
