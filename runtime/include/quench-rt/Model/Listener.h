//===- Listener.h - what happens while a model is loaded ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_LISTENER_H
#define QUENCH_RT_MODEL_LISTENER_H

#include "absl/strings/string_view.h"

#include <functional>
#include <utility>

namespace qrt {

/// Either may be empty.
struct Listener {
  /// Something that is not as it should be and does no harm.
  std::function<void(absl::string_view line)> note;
  /// Something that takes long begins; an empty text: it has ended.
  std::function<void(absl::string_view what)> busy;
};

/// Says that something takes long, as long as it exists.
class Busy {
public:
  Busy(const Listener &listener, absl::string_view what) : busy(listener.busy) {
    if (busy)
      busy(what);
  }
  ~Busy() {
    if (busy)
      busy("");
  }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

private:
  std::function<void(absl::string_view)> busy;
};

} // namespace qrt

#endif // QUENCH_RT_MODEL_LISTENER_H
