//===- Poison.h - telling AddressSanitizer which bytes are unused ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Memory that is handed out in parts of a larger mapping looks valid to
// AddressSanitizer as a whole. These calls mark the parts that nobody owns, so that
// compiled code that leaves its buffer is caught. Without the sanitizer they are
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_DEVICE_POISON_H
#define QUENCH_RT_DEVICE_POISON_H

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QRT_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(QRT_HAS_ASAN)
#define QRT_HAS_ASAN 1
#endif

#ifdef QRT_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace qrt {

#ifdef QRT_HAS_ASAN
/// Bytes left between two neighbours of one mapping, so that stepping from one into
/// the other is an error under the sanitizer.
inline constexpr size_t kRedZone = 64;

/// Any access to the bytes is an error until they are unpoisoned.
inline void poisonMemory(const void *data, size_t size) { __asan_poison_memory_region(data, size); }
inline void unpoisonMemory(const void *data, size_t size) {
  __asan_unpoison_memory_region(data, size);
}
/// Whether a byte is marked; always false without the sanitizer.
inline bool isPoisoned(const void *byte) { return __asan_address_is_poisoned(byte) != 0; }
#else
inline constexpr size_t kRedZone = 0;
inline void poisonMemory(const void *, size_t) {}
inline void unpoisonMemory(const void *, size_t) {}
inline bool isPoisoned(const void *) { return false; }
#endif

} // namespace qrt

#endif // QUENCH_RT_DEVICE_POISON_H
