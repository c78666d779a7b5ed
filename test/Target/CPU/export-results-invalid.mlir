// RUN: quench-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(quench-export-results))'

// expected-error @+1 {{expected structured control flow}}
func.func @blocks() attributes {quench.entry} {
  cf.br ^end
^end:
  return
}
