//===- TeamSize.cpp - how many threads are worth running ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TeamSize.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

using namespace qrt;

int64_t qrt::waitedForProcessor() {
  // "time on a processor, time waiting for one, time slices": Linux, Scheduler Statistics.
  const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return -1;
  char text[80];
  const ssize_t length = ::read(file, text, sizeof(text) - 1);
  ::close(file);
  text[std::max<ssize_t>(length, 0)] = '\0';
  const std::vector<absl::string_view> fields = absl::StrSplit(text, ' ');
  int64_t waited;
  return fields.size() > 1 && absl::SimpleAtoi(fields[1], &waited) ? waited : -1;
}

void TeamSize::set(int threads) {
  now = threads;
  haveBefore = false; // the threads are others, or on other processors
}

void TeamSize::judge(absl::Span<const int64_t> waited) {
  // With a share s of its processor for one thread, `now` of them are as fast as s * now;
  // without it they are now - 1. The factor is for what sleeping and waking costs.
  const double limit = 0.85 / now * static_cast<double>(ran);
  int hampered = 0;
  for (size_t i = 0; i < waited.size(); ++i)
    hampered += static_cast<double>(waited[i] - before[i]) > limit;
  if (now == most) {
    remaining = hold;
    hold = hampered ? std::min(2 * hold, kLongestHold) : kFirstHold;
  }
  if (hampered && now > 1)
    set(std::max(1, now - hampered));
}

void TeamSize::afterRun(int64_t duration, absl::Span<const int64_t> waited) {
  ran += duration;
  remaining -= duration;
  if (!waited.empty()) {
    unknown = *std::min_element(waited.begin(), waited.end()) < 0;
    if (unknown)
      return;
    if (haveBefore)
      judge(waited);
    if (waited.size() == static_cast<size_t>(now)) {
      std::copy(waited.begin(), waited.end(), before.begin());
      haveBefore = true;
    }
    ran = 0;
  }
  if (now < most && remaining <= 0)
    set(most);
}
