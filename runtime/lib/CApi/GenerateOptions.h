//===- GenerateOptions.h - qrt_generate_options as the runtime has them ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CAPI_GENERATEOPTIONS_H
#define QUENCH_RT_LIB_CAPI_GENERATEOPTIONS_H

#include "quench-rt/Model/TextSession.h"
#include "quench-rt/quench.h"

#include "absl/status/statusor.h"

namespace qrt::capi {

/// A usage error for what no model could do. Null: the defaults.
absl::StatusOr<TextOptions> textOptions(const qrt_generate_options *options);

} // namespace qrt::capi

#endif // QUENCH_RT_LIB_CAPI_GENERATEOPTIONS_H
