//===- SealTest.cpp - checksums and keys of programs and code -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Seal.h"

#include "gtest/gtest.h"

using namespace qrt;

namespace {

const std::string kKey(32, 'a');
const std::string kBytecode("ML\xefR\0 and more", 14);

TEST(Seal, ProgramsComeBack) {
  std::string sealed = sealProgram(kBytecode, kKey);
  absl::StatusOr<SealedProgram> program = openProgram(sealed, "file");
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(std::string(program->bytecode), kBytecode);
  EXPECT_EQ(program->key, kKey);
}

TEST(Seal, EveryChangedByteIsNoticed) {
  const std::string sealed = sealProgram(kBytecode, kKey);
  for (size_t i = 0; i < sealed.size(); ++i)
    for (char bit : {1, 0x20}) {
      std::string damaged = sealed;
      damaged[i] = static_cast<char>(damaged[i] ^ bit);
      EXPECT_EQ(openProgram(damaged, "file").status().code(), absl::StatusCode::kDataLoss) << i;
    }
}

TEST(Seal, EveryCutIsNoticed) {
  const std::string sealed = sealProgram(kBytecode, kKey);
  for (size_t size = 0; size < sealed.size(); ++size) {
    absl::Status status = openProgram(absl::string_view(sealed).substr(0, size), "file").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
    EXPECT_EQ(status.message().substr(0, 6), "file: ");
  }
}

TEST(Seal, KeysDependOnEverything) {
  std::string key = codeKey("program", "options", "compiler");
  EXPECT_EQ(key.size(), 32u);
  EXPECT_NE(key, codeKey("other", "options", "compiler"));
  EXPECT_NE(key, codeKey("program", "other", "compiler"));
  EXPECT_NE(key, codeKey("program", "options", "other"));
}

TEST(Seal, CodeBelongsToOneKey) {
  std::string text = "code" + codeSeal(kKey);
  absl::Span<const uint8_t> code(reinterpret_cast<const uint8_t *>(text.data()), text.size());
  EXPECT_TRUE(hasCodeSeal(code, kKey));
  EXPECT_FALSE(hasCodeSeal(code, std::string(32, 'b')));
  EXPECT_FALSE(hasCodeSeal(code.subspan(0, code.size() - 1), kKey));
  EXPECT_FALSE(hasCodeSeal({}, kKey));
}

} // namespace
