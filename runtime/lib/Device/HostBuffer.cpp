//===- HostBuffer.cpp - memory in huge pages where there are any ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Device/Poison.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

using namespace qrt;

namespace {

/// The huge page of x86-64 and of AArch64 with 4 KiB pages. Elsewhere the alignment
/// does no harm.
constexpr size_t kHugePage = size_t(2) << 20;

class HostBuffer final : public Buffer {
public:
  HostBuffer(uint8_t *mapping, size_t mapped, size_t size) : mapped(mapped) {
    bytes = mapping;
    length = size;
    poisonMemory(bytes + length, mapped - length);
  }
  ~HostBuffer() override {
    // The address range may be mapped again by someone who knows nothing of this.
    unpoisonMemory(bytes, mapped);
    munmap(bytes, mapped);
  }

private:
  size_t mapped;
};

size_t roundUp(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

absl::StatusOr<std::unique_ptr<Buffer>> qrt::allocateHostBuffer(size_t bytes) {
  auto failed = [&](absl::string_view why) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot allocate ", bytes, " bytes of memory: ", why));
  };
  // More than an address has is no reason to overflow below.
  if (bytes > (size_t(1) << 47))
    return failed("more than a process can address");
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const bool huge = bytes >= kHugePage;
  const size_t mapped = roundUp(bytes + kRedZone, huge ? kHugePage : page);
  // mmap aligns to small pages only: map more and give the ends back.
  const size_t slack = huge ? kHugePage - page : 0;
  void *raw =
      mmap(nullptr, mapped + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return failed(std::strerror(errno));
  auto *start = static_cast<uint8_t *>(raw);
  size_t before = 0;
  if (huge) {
    before =
        roundUp(reinterpret_cast<uintptr_t>(start), kHugePage) - reinterpret_cast<uintptr_t>(start);
    if (before)
      munmap(start, before);
    if (slack != before)
      munmap(start + before + mapped, slack - before);
    // Where the system has none the mapping works all the same.
    madvise(start + before, mapped, MADV_HUGEPAGE);
  }
  return std::unique_ptr<Buffer>(std::make_unique<HostBuffer>(start + before, mapped, bytes));
}
