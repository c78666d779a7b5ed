//===- ModelPath.cpp - what the argument MODEL stands for -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/ModelPath.h"

#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Program/Package.h"
#include "quench-rt/Support/Errors.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

using namespace qrt;

/// Whether a file starts with GGUF's magic number.
static bool startsAsGguf(const std::string &path) {
  char magic[4] = {};
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return false;
  bool found = std::fread(magic, 1, 4, file) == 4 && std::memcmp(magic, "GGUF", 4) == 0;
  std::fclose(file);
  return found;
}

absl::StatusOr<ModelKind> qrt::classifyModel(const std::string &path, bool programs) {
  const char *expected = programs ? "a GGUF file, an .mlir file or a package folder"
                                  : "a package folder or a GGUF file";
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return absl::NotFoundError(
        absl::StrCat(path, ": ", std::strerror(errno), ", expected ", expected));
  if (S_ISDIR(info.st_mode)) {
    if (::stat((path + "/manifest.json").c_str(), &info) != 0)
      return absl::NotFoundError(absl::StrCat(
          path,
          ": a folder without manifest.json, expected a package made by `quench-run compile`"));
    return ModelKind::Package;
  }
  // Opening a pipe would wait for someone to write into it.
  if (!S_ISREG(info.st_mode))
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": not a regular file, expected ", expected));
  if (programs && (absl::EndsWith(path, ".mlir") || absl::EndsWith(path, ".mlirbc")))
    return ModelKind::Program;
  // Whatever is called .gguf is opened as such, so that the message says what is wrong.
  if (absl::EndsWith(path, ".gguf") || startsAsGguf(path))
    return ModelKind::Gguf;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": does not start with GGUF, expected ", expected));
}

absl::StatusOr<std::unique_ptr<Tokenizer>> qrt::loadTokenizer(const std::string &model) {
  QRT_ASSIGN_OR_RETURN(ModelKind kind, classifyModel(model));
  Vocabulary vocabulary;
  std::string source = model;
  if (kind == ModelKind::Package) {
    source = model + "/tokenizer.json";
    QRT_ASSIGN_OR_RETURN(Package package, Package::open(model));
    QRT_ASSIGN_OR_RETURN(std::string text, package.tokenizer()); // checked against the manifest
    QRT_ASSIGN_OR_RETURN(vocabulary, vocabularyFromJson(text, toAbsl(source)));
  } else {
    QRT_ASSIGN_OR_RETURN(GgufFile file, GgufFile::open(model));
    QRT_ASSIGN_OR_RETURN(vocabulary, vocabularyFromGguf(file));
  }
  absl::StatusOr<std::unique_ptr<Tokenizer>> tokenizer = Tokenizer::create(std::move(vocabulary));
  if (!tokenizer.ok())
    return withContext(tokenizer.status(), source);
  return tokenizer;
}

EncodeOptions qrt::promptEncoding() {
  EncodeOptions options;
  options.addEos = false;
  return options;
}

absl::StatusOr<std::vector<int32_t>> qrt::encodePrompt(const Tokenizer &tokenizer,
                                                       absl::string_view text,
                                                       EncodeOptions options,
                                                       const Listener &listener) {
  int64_t dropped = 0;
  options.droppedBytes = &dropped;
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> ids, tokenizer.encode(text, options));
  if (dropped > 0 && listener.note)
    listener.note(
        absl::StrCat(dropped, dropped == 1 ? " byte" : " bytes",
                     " of the text left out: the model's vocabulary has no token for them"));
  return ids;
}
