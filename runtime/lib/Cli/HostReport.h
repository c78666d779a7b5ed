//===- HostReport.h - what a bug report needs to know of a machine --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_HOSTREPORT_H
#define QUENCH_RT_LIB_CLI_HOSTREPORT_H

#include "Output.h"

namespace qrt::cli {

/// {processor: {name, architecture, extensions, cores, load}, memory: {total, available,
/// huge_pages}, system: {kernel, distribution, libc}}. What cannot be found out is left
/// out.
Json hostReport();

/// {version, program, compiler: {path, build_id} or {path, error}}.
Json installationReport();

/// {folder, entries, bytes, limit, free}, or {error}.
Json cacheReport();

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_HOSTREPORT_H
