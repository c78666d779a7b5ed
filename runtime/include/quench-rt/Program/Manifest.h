//===- Manifest.h - the table of contents of a package --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// manifest.json, an object:
//
//   format          "quench package"
//   version         1; a package of another version is refused by number
//   producer        who wrote it, such as "quench 0.1.0"
//   name            of the model, for people
//   architecture    such as "llama"; empty for a program that is no model
//   activations     "f32" or "i8"
//   context_length  the most positions the model was made for; 0 for no model
//   vocabulary_size 0 for no model
//   files           {"program.mlirbc": {"bytes": …, "hash": …}, …} for every file of the
//                   package but the manifest and the libraries under lib/; hashes are
//                   content hashes (Support/Hash.h)
//   weights         {"kind": "none"}, {"kind": "package"} (in weights.safetensors), or
//                   {"kind": "file", "path": …, "bytes": …, "hash": …} (elsewhere: GGUF or
//                   safetensors)
//   draft_weights   the same for the weights whose keys begin with "draft.", if they are
//                   not among those
//
// Members that are not known are ignored, so that a later version can add some.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_PROGRAM_MANIFEST_H
#define QUENCH_RT_PROGRAM_MANIFEST_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace qrt {

struct FileRecord {
  uint64_t bytes = 0;
  std::string hash;
};

struct WeightsRecord {
  enum Kind : uint8_t { None, InPackage, File };
  Kind kind = None;
  std::string path; ///< of the file, absolute
  FileRecord file;  ///< the file
};

struct Manifest {
  static constexpr int64_t kVersion = 1;

  std::string producer;
  std::string name;
  std::string architecture;
  std::string activations;
  int64_t contextLength = 0;
  int64_t vocabularySize = 0;
  std::map<std::string, FileRecord> files;
  WeightsRecord weights;
  WeightsRecord draftWeights; ///< None or File
};

/// Names of the files that a package may list.
inline constexpr const char *kProgramFile = "program.mlirbc";
inline constexpr const char *kWeightsFile = "weights.safetensors";
inline constexpr const char *kTokenizerFile = "tokenizer.json";
inline constexpr const char *kManifestFile = "manifest.json";

/// `where` is the file, for messages. InvalidArgument, naming the member;
/// FailedPrecondition for another version.
absl::StatusOr<Manifest> parseManifest(absl::string_view text, absl::string_view where);

/// Text that parseManifest reads. The same manifest gives the same text.
std::string formatManifest(const Manifest &manifest);

} // namespace qrt

#endif // QUENCH_RT_PROGRAM_MANIFEST_H
