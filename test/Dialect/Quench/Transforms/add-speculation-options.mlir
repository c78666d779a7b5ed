// RUN: not quench-opt %s --quench-add-speculation='source=oracle' 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not quench-opt %s --quench-add-speculation='max=8' 2>&1 | FileCheck %s --check-prefix=MOST
// RUN: not quench-opt %s --quench-add-speculation='max=0' 2>&1 | FileCheck %s --check-prefix=LEAST

// SOURCE: error: unknown draft source 'oracle'; supported: lookup, model
// MOST: error: expected a draft limit between 1 and 7, got 8
// LEAST: error: expected a draft limit between 1 and 7, got 0
module {
}
