// Bytecode carries the dialect's version: another one is refused by number, before anything is made of the rest.
// RUN: quench-opt %s --emit-bytecode -o %t.mlirbc
// RUN: quench-opt %t.mlirbc | FileCheck %s
// RUN: %python %S/Inputs/set_dialect_version.py %t.mlirbc %t.same.mlirbc 2
// RUN: cmp %t.mlirbc %t.same.mlirbc
// RUN: %python %S/Inputs/set_dialect_version.py %t.mlirbc %t.later.mlirbc 3
// RUN: not quench-opt %t.later.mlirbc 2>&1 | FileCheck %s --check-prefix=LATER
// RUN: %python %S/Inputs/set_dialect_version.py %t.mlirbc %t.earlier.mlirbc 1
// RUN: not quench-opt %t.earlier.mlirbc 2>&1 | FileCheck %s --check-prefix=EARLIER

// CHECK: quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.q4_1>
// LATER: error: quench bytecode has version 3, this build reads version 2
// EARLIER: error: quench bytecode has version 1, this build reads version 2
quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.q4_1>
