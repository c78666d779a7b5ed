//===- Input.h - what the fuzz targets share -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_FUZZ_INPUT_H
#define QUENCH_TEST_FUZZ_INPUT_H

#include "quench-rt/Support/MappedFile.h"

#include "absl/status/status.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace qrt::fuzz {

/// Ends the program with a line, upon which libFuzzer keeps the input.
void require(bool condition, const char *what);

/// A refusal is one line of text, whatever the file contains.
void requireMessage(const absl::Status &status);

/// Reads each byte, so that one that is not there is noticed.
void readAll(const void *data, size_t size);

/// The input as a mapped file. What follows its last byte on the page must not be read as long
/// as this object lives, which is longer than the mapping.
class InputFile {
public:
  InputFile(const uint8_t *data, size_t size);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  /// Once.
  MappedFile take() { return std::move(file); }

private:
  MappedFile file;
  const uint8_t *end = nullptr;
  size_t padding = 0;
};

/// The input as a file with a path, for parsers that open it. It lies in memory.
class InputPath {
public:
  InputPath(const uint8_t *data, size_t size);
  ~InputPath();
  InputPath(const InputPath &) = delete;
  InputPath &operator=(const InputPath &) = delete;

  const std::string &path() const { return name; }

private:
  int file;
  std::string name;
};

} // namespace qrt::fuzz

#endif // QUENCH_TEST_FUZZ_INPUT_H
