//===- format-dump.cpp - the coders of the format table as a filter -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   format-dump list                      name, elements, bytes, encodes (0 or 1)
//   format-dump decode NAME <blocks >f32
//   format-dump encode NAME <f32 >blocks
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Formats/Format.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace qrt;

static std::vector<uint8_t> readAll(std::FILE *in) {
  std::vector<uint8_t> bytes;
  uint8_t buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), in))
    bytes.insert(bytes.end(), buffer, buffer + count);
  return bytes;
}

static int usage(const char *problem) {
  std::fprintf(stderr, "format-dump: %s\nusage: format-dump list | decode NAME | encode NAME\n",
               problem);
  return 1;
}

static void list() {
  for (size_t i = 0; i < kNumFormats; ++i) {
    const FormatInfo &info = formatInfo(static_cast<Format>(i));
    std::printf("%s %u %u %d\n", std::string(info.name).c_str(), info.blockElements,
                info.blockBytes, info.encode != nullptr);
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
    list();
    return 0;
  }
  if (argc != 3)
    return usage("wrong number of arguments");
  bool decode = std::strcmp(argv[1], "decode") == 0;
  if (!decode && std::strcmp(argv[1], "encode") != 0)
    return usage("unknown command");
  std::optional<Format> format = formatByName(argv[2]);
  if (!format)
    return usage("unknown format");

  const FormatInfo &info = formatInfo(*format);
  std::vector<uint8_t> in = readAll(stdin), out;
  std::vector<float> values;
  size_t unit = decode ? info.blockBytes : info.blockElements * sizeof(float);
  if (in.empty() || in.size() % unit != 0)
    return usage("the input is no whole number of blocks");
  size_t blocks = in.size() / unit;
  values.resize(blocks * info.blockElements);
  bool done;
  if (decode) {
    done = decodeRow(*format, in.data(), values.data(), static_cast<int64_t>(values.size()));
    out.resize(values.size() * sizeof(float));
    std::memcpy(out.data(), values.data(), out.size());
  } else {
    std::memcpy(values.data(), in.data(), in.size());
    out.resize(blocks * info.blockBytes);
    done = encodeRow(*format, values.data(), out.data(), static_cast<int64_t>(values.size()));
  }
  if (!done)
    return usage("the format has no encoder");
  return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}
