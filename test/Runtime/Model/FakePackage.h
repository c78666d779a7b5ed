//===- FakePackage.h - a package with code written by hand ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_MODEL_FAKEPACKAGE_H
#define QUENCH_TEST_RUNTIME_MODEL_FAKEPACKAGE_H

#include "quench-rt/Tokenizer/Vocabulary.h"

#include <string>

namespace qrt::test {

/// As many tokens as the model of FakeModel.h has: a beginning of text, an end, ChatML's
/// two markers, and letters and the like.
Vocabulary fakeVocabulary();

/// Writes a package that runs without a compiler, if its code is trusted. Its context has
/// 64 positions.
void writeFakePackage(const std::string &path, bool periodic = false);

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_MODEL_FAKEPACKAGE_H
