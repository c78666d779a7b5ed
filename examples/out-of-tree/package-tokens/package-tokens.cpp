//===- package-tokens.cpp - the runtime by itself --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   package-tokens PACKAGE TEXT     how many tokens the text is to the package's model
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Package.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

#include <iostream>

static absl::StatusOr<size_t> countTokens(const std::string &path, const std::string &text) {
  QRT_ASSIGN_OR_RETURN(qrt::Package package, qrt::Package::open(path));
  QRT_ASSIGN_OR_RETURN(std::string json, package.tokenizer());
  QRT_ASSIGN_OR_RETURN(qrt::Vocabulary vocabulary, qrt::vocabularyFromJson(json, path));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<qrt::Tokenizer> tokenizer,
                       qrt::Tokenizer::create(std::move(vocabulary)));
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer->encode(text));
  return ids.size();
}

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: package-tokens PACKAGE TEXT\n";
    return 2;
  }
  absl::StatusOr<size_t> count = countTokens(argv[1], argv[2]);
  if (!count.ok()) {
    std::cerr << "package-tokens: error: " << count.status().message() << "\n";
    return 1;
  }
  std::cout << *count << " tokens\n";
  return 0;
}
