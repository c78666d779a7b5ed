// An existing @round is somebody's decision: it stays, whatever the options say.
// RUN: quench-opt %s --quench-add-speculation='max=3' | FileCheck %s

// CHECK: func.func private @round()
// CHECK-NOT: quench.draft
func.func private @round()
