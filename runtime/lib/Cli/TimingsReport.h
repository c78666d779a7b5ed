//===- TimingsReport.h - what --timings shows -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_TIMINGSREPORT_H
#define QUENCH_RT_LIB_CLI_TIMINGSREPORT_H

#include "Output.h"

#include "quench-rt/Model/Timings.h"

#include <string>

namespace qrt::cli {

/// {"start": "cold" or "warm", "stages": [{name, milliseconds}], "compiler": […],
/// "kernels": […], "first_token": milliseconds}.
Json timingsAsJson(const Timings &timings);

/// A table for people.
std::string timingsAsText(const Timings &timings);

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_TIMINGSREPORT_H
