// RUN: quench-opt %s --split-input-file --verify-diagnostics --convert-quench-to-runtime

// expected-error @+1 {{has no body; every function of a program must have one}}
func.func private @external(memref<4xf32>)

// -----

// expected-error @+1 {{entry points hand out results through quench.result}}
func.func @results(%n: index) -> index attributes {quench.entry} {
  return %n : index
}

// -----

func.func @caller(%n: index) {
  // expected-error @+1 {{calls an entry point; make the shared part a private function}}
  call @entry(%n) : (index) -> ()
  return
}
func.func @entry(%n: index) attributes {quench.entry} {
  return
}

// -----

// expected-error @+1 {{argument 1 of an entry point has type 'f64'; supported: tensors of rank at most}}
func.func @scalar(%n: index, %f: f64) attributes {quench.entry} {
  return
}

// -----

// expected-error @+1 {{argument 0 of an entry point has type 'memref<1x1x1x1x1x1x1x1x1xf32>'; supported: tensors of rank at most}}
func.func @rank(%x: memref<1x1x1x1x1x1x1x1x1xf32>) attributes {quench.entry} {
  return
}

// -----

// expected-error @+1 {{argument 0 of an entry point has type 'memref<4xf32, strided<[2]>>'}}
func.func @strides(%x: memref<4xf32, strided<[2]>>) attributes {quench.entry} {
  return
}

// -----

// expected-error @+1 {{is a kernel and an entry point; expected one of both}}
func.func @both() attributes {quench.entry, quench.kernel} {
  return
}

// -----

func.func private @kernel() attributes {quench.kernel} {
  // expected-error @+1 {{'quench.barrier' op cannot be in a kernel, which gets neither threads nor memory of the runtime}}
  quench.barrier
  return
}
