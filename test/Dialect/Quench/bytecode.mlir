// Bytecode carries the dialect's version: a later one is refused by number, before anything is made of the rest.
// RUN: quench-opt %s --emit-bytecode -o %t.mlirbc
// RUN: quench-opt %t.mlirbc | FileCheck %s
// RUN: %python %S/Inputs/set_dialect_version.py %t.mlirbc %t.same.mlirbc 1
// RUN: cmp %t.mlirbc %t.same.mlirbc
// RUN: %python %S/Inputs/set_dialect_version.py %t.mlirbc %t.later.mlirbc 2
// RUN: not quench-opt %t.later.mlirbc 2>&1 | FileCheck %s --check-prefix=LATER

// CHECK: quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.q4_1>
// LATER: error: quench bytecode has version 2, this build reads up to 1
quench.weight @w {key = "w"} : !quench.qtensor<8x32, #quench.q4_1>
