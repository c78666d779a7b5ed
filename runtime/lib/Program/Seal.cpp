//===- Seal.cpp - what ends programs and code: checksum and key -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Seal.h"

#include "Names.h"

#include "quench-rt/Support/Hash.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace qrt;

static constexpr absl::string_view kProgramMark = "\nquench-program-1 ";
static constexpr absl::string_view kCodeMark = "\nquench-code-1 ";
static constexpr size_t kHashDigits = 32;
static constexpr size_t kProgramSealSize = kProgramMark.size() + 2 * kHashDigits + 2;

/// Covers the key as well.
static std::string programChecksum(absl::string_view bytecode, absl::string_view key) {
  ContentHasher hasher;
  hasher.update(bytecode.data(), bytecode.size());
  hasher.update(key.data(), key.size());
  return hasher.hex();
}

static std::string programSeal(absl::string_view checksum, absl::string_view key) {
  return absl::StrCat(kProgramMark, checksum, " ", key, "\n");
}

absl::StatusOr<SealedProgram> qrt::openProgram(absl::string_view bytes, absl::string_view where) {
  absl::string_view seal = bytes.substr(bytes.size() - std::min(bytes.size(), kProgramSealSize));
  if (seal.size() != kProgramSealSize || !absl::StartsWith(seal, kProgramMark))
    return absl::DataLossError(
        absl::StrCat(where, ": found no checksum at its end, expected an unchanged program as "
                            "Quench's tools write it"));
  absl::string_view bytecode = bytes.substr(0, bytes.size() - kProgramSealSize);
  absl::string_view key = seal.substr(kProgramMark.size() + kHashDigits + 1, kHashDigits);
  std::string found = programChecksum(bytecode, key);
  if (!isContentHash({key.data(), key.size()}) || seal != programSeal(found, key))
    return absl::DataLossError(absl::StrCat(where, ": damaged: found bytes with the checksum ",
                                            found, ", expected the checksum at its end"));
  return SealedProgram{bytecode, std::string(key)};
}

std::string qrt::sealProgram(absl::string_view bytecode, absl::string_view key) {
  return absl::StrCat(bytecode, programSeal(programChecksum(bytecode, key), key));
}

std::string qrt::codeKey(absl::string_view programKey, absl::string_view options,
                         absl::string_view compiler) {
  return contentHash(absl::StrCat("quench code 1\n", programKey, "\n", options, "\n", compiler));
}

std::string qrt::codeSeal(absl::string_view key) { return absl::StrCat(kCodeMark, key, "\n"); }

bool qrt::hasCodeSeal(absl::Span<const uint8_t> code, absl::string_view key) {
  return absl::EndsWith(absl::string_view(reinterpret_cast<const char *>(code.data()), code.size()),
                        codeSeal(key));
}
