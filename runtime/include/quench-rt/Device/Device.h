//===- Device.h - where compiled code runs and its memory lies ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A Device gives out memory, loads the code of a compiled model and runs its entry
// points (see abi.h for what an entry point is). Everything above it (cache, weights,
// sessions) asks a Device and knows nothing else about where it runs:
//
//   absl::StatusOr<std::unique_ptr<Device>> device = createCpuDevice({});
//   absl::StatusOr<std::unique_ptr<Image>> image = (*device)->load(bytes, "model.so");
//   absl::Status done = (*device)->run(**image, 0, launch, args);
//
// The memory of every device so far can be addressed by the host as well, so there
// is no copying in this interface.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DEVICE_DEVICE_H
#define QUENCH_RT_DEVICE_DEVICE_H

#include "quench-rt/abi.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace qrt {

/// Memory of a device. Aligned to 64 bytes at least, zero at first. Freed when the
/// object goes; it may outlive the device.
class Buffer {
public:
  virtual ~Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  uint8_t *data() const { return bytes; }
  size_t size() const { return length; }

protected:
  Buffer() = default;
  uint8_t *bytes = nullptr;
  size_t length = 0;
};

/// The code of a compiled model, loaded. It may outlive the device.
class Image {
public:
  virtual ~Image() = default;
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  /// The JSON text that describes it (see qrt_library in abi.h), not yet checked.
  virtual absl::string_view descriptor() const = 0;
  virtual size_t numEntries() const = 0;

protected:
  Image() = default;
};

/// What compiled code asks of the session that runs it.
class HostCallbacks {
public:
  virtual ~HostCallbacks() = default;

  /// Writes at most `candidates.size()` tokens that may follow `pending`, the last
  /// tokens of the session's sequence, and returns how many. `source` is an index
  /// into the draft sources of the descriptor. Called on any one thread of the
  /// device while an entry runs, so it must not run an entry itself.
  virtual int64_t draft(int64_t source, absl::Span<const int32_t> pending,
                        absl::Span<int32_t> candidates) = 0;
};

/// What an entry runs on; everything is borrowed for the time of the call.
struct Launch {
  const void *const *weights = nullptr; ///< packed, in the order of the descriptor
  void *workspace = nullptr;            ///< as large as abi.h says, for numThreads()
  HostCallbacks *callbacks = nullptr;   ///< null: drafts are empty
};

class Device {
public:
  virtual ~Device() = default;

  /// For messages and reports, such as "cpu, 2 threads".
  virtual std::string name() const = 0;

  /// Threads that run an entry, the `num_threads` of the ABI.
  virtual int numThreads() const = 0;

  /// ResourceExhausted, with the number of bytes, if there is not enough memory.
  virtual absl::StatusOr<std::unique_ptr<Buffer>> allocate(size_t bytes) = 0;

  /// Loads code from memory. It runs with the rights of this process: whether `code`
  /// can be trusted is for the caller to know. `label` is for messages. An image of
  /// another ABI version is a FailedPrecondition.
  virtual absl::StatusOr<std::unique_ptr<Image>> load(absl::Span<const uint8_t> code,
                                                      absl::string_view label) = 0;

  /// Runs an entry of an image that this device loaded and returns when it is done.
  /// `args` are its arguments and results, as abi.h describes. One entry runs at a
  /// time: calls from several threads wait for each other.
  virtual absl::Status run(const Image &image, size_t entry, const Launch &launch,
                           absl::Span<qrt_tensor> args) = 0;

protected:
  Device() = default;
};

} // namespace qrt

#endif // QUENCH_RT_DEVICE_DEVICE_H
