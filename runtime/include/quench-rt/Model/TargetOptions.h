//===- TargetOptions.h - what code is made for, and how -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_MODEL_TARGETOPTIONS_H
#define QUENCH_RT_MODEL_TARGETOPTIONS_H

#include "nlohmann/json_fwd.hpp"

#include <string>

namespace qrt {

/// All of it goes into the key of the code.
struct TargetOptions {
  std::string target = "native"; ///< or a CPU name, or ARCHITECTURE:CPU
  bool portable = false;
  std::string sanitize;
  bool trace = false; ///< the one entry is @trace

  /// Names the folder of such code in a package: for this machine its architecture and
  /// extensions, such as "x86_64+avx2+fma".
  std::string folderName() const;

  /// Everything as one text, for keys.
  std::string keyText() const;

  /// Sets the members of a request for the compiler.
  void addTo(nlohmann::json &request) const;
};

} // namespace qrt

#endif // QUENCH_RT_MODEL_TARGETOPTIONS_H
