//===- Seal.h - what ends programs and code: checksum and key -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A program (program.mlirbc) ends with a line that holds a checksum of all bytes before
// it, and the program's key: a hash of what compiled code depends on, which is the
// program without the hashes of its weights. So code is found without understanding the
// program, and models that differ in their weights alone share it.
//
//   "\nquench-program-1 CHECKSUM KEY\n"       hashes as contentHash writes them
//
// Code of a package (an ELF file, whose loader ignores what follows its sections) ends
// with the key that it was compiled under, whatever its file is called:
//
//   "\nquench-code-1 KEY\n"
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_SEAL_H
#define QUENCH_RT_PROGRAM_SEAL_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <string>

namespace qrt {

struct SealedProgram {
  absl::string_view bytecode; ///< in the given bytes
  std::string key;
};

/// Checks and removes a program's seal. DataLoss if there is none or it is wrong;
/// `where` names the file in the message.
absl::StatusOr<SealedProgram> openProgram(absl::string_view bytes, absl::string_view where);

/// Bytecode with its seal.
std::string sealProgram(absl::string_view bytecode, absl::string_view key);

/// The key of code: everything it depends on. `options` are target and options in one
/// text, `compiler` identifies the compiler's version.
std::string codeKey(absl::string_view programKey, absl::string_view options,
                    absl::string_view compiler);

/// What has to be appended to code that has this key.
std::string codeSeal(absl::string_view key);

/// Whether code ends with the seal of this key.
bool hasCodeSeal(absl::Span<const uint8_t> code, absl::string_view key);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_SEAL_H
