//===- Input.cpp - what the fuzz targets share -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Fuzz/Input.h"

#include "quench-rt/Device/Poison.h"
#include "quench-rt/Support/Utf8.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace qrt;
using namespace qrt::fuzz;

void fuzz::require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void fuzz::requireMessage(const absl::Status &status) {
  absl::string_view text = status.message();
  bool ok = !text.empty() && isUtf8({text.data(), text.size()}) &&
            std::none_of(text.begin(), text.end(),
                         [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; });
  if (!ok)
    std::fprintf(stderr, "message: <%.*s>\n", static_cast<int>(text.size()), text.data());
  require(ok, "a message is one line of text");
}

void fuzz::readAll(const void *data, size_t size) {
  uint8_t sum = 0;
  for (size_t i = 0; i < size; ++i)
    sum = static_cast<uint8_t>(sum + static_cast<const uint8_t *>(data)[i]);
  __asm__ volatile("" : : "r"(sum)); // so that it counts as used
}

InputFile::InputFile(const uint8_t *data, size_t size) {
  auto mapped = MappedFile::fromBytes({reinterpret_cast<const char *>(data), size}, "input");
  require(mapped.ok(), "there is memory for the input");
  file = *std::move(mapped);
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  end = file.data() + size;
  padding = (page - size % page) % page;
  poisonMemory(end, padding);
}

InputFile::~InputFile() { unpoisonMemory(end, padding); }

InputPath::InputPath(const uint8_t *data, size_t size) : file(memfd_create("input", MFD_CLOEXEC)) {
  require(file >= 0 && write(file, data, size) == static_cast<ssize_t>(size),
          "there is memory for the input");
  name = "/proc/self/fd/" + std::to_string(file);
}

InputPath::~InputPath() { close(file); }
