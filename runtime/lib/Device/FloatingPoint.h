//===- FloatingPoint.h - the floating-point environment of a thread -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_DEVICE_FLOATINGPOINT_H
#define QUENCH_RT_LIB_DEVICE_FLOATINGPOINT_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace qrt {

/// While it lives, this thread rounds to nearest, keeps subnormal numbers and does
/// not trap.
class DefaultFloatingPoint {
public:
  DefaultFloatingPoint() : saved(read()) { write(kDefault); }
  ~DefaultFloatingPoint() { write(saved); }
  DefaultFloatingPoint(const DefaultFloatingPoint &) = delete;
  DefaultFloatingPoint &operator=(const DefaultFloatingPoint &) = delete;

private:
#if defined(__x86_64__)
  // MXCSR after reset: all exceptions masked, nearest, no DAZ, no FTZ.
  static constexpr uint64_t kDefault = 0x1F80;
  static uint64_t read() { return _mm_getcsr(); }
  static void write(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#elif defined(__aarch64__)
  // FPCR: nearest, no FZ, no FZ16, no traps.
  static constexpr uint64_t kDefault = 0;
  static uint64_t read() {
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void write(uint64_t value) { __asm__ volatile("msr fpcr, %0" ::"r"(value)); }
#else
  static constexpr uint64_t kDefault = 0;
  static uint64_t read() { return 0; }
  static void write(uint64_t) {}
#endif

  uint64_t saved;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_DEVICE_FLOATINGPOINT_H
