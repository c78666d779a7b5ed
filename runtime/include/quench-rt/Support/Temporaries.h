//===- Temporaries.h - things being written, and what became of them ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// A file or folder is written as TARGET.tmp-PROCESS-NUMBER and renamed once it is whole. A
// process that is killed leaves it behind. So that a later one can tell it from what is
// still being written, the writer holds a lock (flock) on it, which ends with the process;
// a process id would not do, since a folder may be shared by containers.
//
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_SUPPORT_TEMPORARIES_H
#define QUENCH_RT_SUPPORT_TEMPORARIES_H

#include <string>
#include <string_view>

namespace qrt {

/// A name that this process has not used before.
std::string temporaryName(const std::string &target);

/// Whether a name is of that form.
bool isTemporaryName(std::string_view name);

/// Locks what was made under a temporary name and is open as `fd`. False if someone has
/// taken it for a leftover before that: then it is gone, and another name is to be taken.
/// Where the file system knows no locks it is true, and nobody removes anything.
bool lockTemporary(int fd, const std::string &path);

/// Removes what ended processes have left of `target`. Failing to is no error.
void removeLeftovers(const std::string &target);

/// The same for all that lies in `folder`, of whatever target: for folders of which all
/// files are ours.
void removeAllLeftovers(const std::string &folder);

} // namespace qrt

#endif // QUENCH_RT_SUPPORT_TEMPORARIES_H
