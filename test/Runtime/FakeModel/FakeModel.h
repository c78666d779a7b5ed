//===- FakeModel.h - a model made of the hand-written library -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_TEST_RUNTIME_FAKEMODEL_H
#define QUENCH_TEST_RUNTIME_FAKEMODEL_H

#include "quench-rt/Device/Device.h"
#include "quench-rt/Program/Executable.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qrt::test {

/// A folder of its own in the system's temporary folder; removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  const std::string path;
};

/// The bytes of a file; empty if there is none.
std::vector<uint8_t> readFile(const std::string &path);
void writeFile(const std::string &path, const std::vector<uint8_t> &bytes);

/// The hand-written library (see FakeModel.c); one with another ABI version; one that
/// has fewer entries than it describes.
std::vector<uint8_t> fakeLibrary();
std::vector<uint8_t> fakeLibraryOfOtherVersion();
std::vector<uint8_t> lyingFakeLibrary();

/// Writes the weights that the library wants.
void writeFakeWeights(const std::string &path, bool periodic = false, int fault = 0);

struct FakeModel {
  std::unique_ptr<Device> device;
  std::unique_ptr<Executable> executable;
};

/// Ready to run. The text is periodic if asked, and the program misbehaves if asked (see
/// FakeModel.c).
FakeModel makeFakeModel(int threads = 1, bool periodic = false, int fault = 0);

} // namespace qrt::test

#endif // QUENCH_TEST_RUNTIME_FAKEMODEL_H
