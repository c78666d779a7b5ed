/*===- Compiler.h - the compiler as a shared library -----------------------===*/
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    */
/*===----------------------------------------------------------------------===*/
/* Plain C; JSON in, JSON out. quench-run opens libQuenchCompiler.so.VERSION and
 * calls these functions only when it has something to compile, so that LLVM and
 * MLIR are not part of a process that merely runs a model.
 *
 * A request is one object:
 *
 *   input         path of a GGUF file, of MLIR text (.mlir), or of a program with
 *                 its checksum (.mlirbc). To compile a package again: its
 *                 program.mlirbc, and the package as `from`
 *   package       folder that is written: program, weights, tokenizer, manifest
 *                 and the library. It is an error if there is something of that
 *                 name already
 *   package_else  folder that is written if `package` cannot be; empty: that is an
 *                 error
 *   replace       true: a package of that name is replaced
 *   library_fd    file descriptor that receives the bare library; either or both
 *                 of `package` and `library_fd` may be given
 *   from          package that weights, tokenizer and metadata come from, for a
 *                 program (.mlir, .mlirbc)
 *   weights       safetensors or GGUF file with the weights of a program
 *   draft         package of a draft model with the input's vocabulary: its program
 *                 is joined with the input's, which then drafts with it
 *   draft_name    what messages call the draft; empty: its package
 *   draft_weights file with the draft's weights; empty: where its package says
 *   copy_weights  false: the package refers to the weights' file by its path
 *                 (default: true); so for the draft's
 *   activations   "i8" (default) or "f32", for a GGUF file
 *   context       positions of a sequence, for a GGUF file; 0: the file's number
 *   layers        those to keep, for a GGUF file: "0-11,15-29"; empty: all
 *   target        "native" (default), a CPU name, or ARCHITECTURE:CPU
 *   portable      true: no target-specific inner tile
 *   sanitize      "", "address" or "thread": LLVM's passes on the emitted code
 *   dump_stages   folder for the IR after each stage, LLVM IR and assembly
 *   crash_reproducer  file for the IR and the pass if one fails or crashes: what
 *                 `quench-opt FILE --run-reproducer` reads; weights are not in it
 *   entries       "marked" (default): functions with quench.entry are exported;
 *                 "public": so are all public functions
 *   trace         true: the one function exported is @trace (see quench-add-trace)
 *   compiler      identifies this compiler: goes into the manifest and the key
 *   weights_hash  content hash of the weights' file, if it is known
 *   code_target   the folder of the code in the package; empty: the package gets
 *                 no code
 *   code_options  what the code's key depends on besides program and compiler
 *
 * A response is one object:
 *
 *   error         one line: file, item, what was found, what was expected; only
 *                 if the call failed
 *   program       the program's key (see quench-rt/Program/Seal.h)
 *   key           the code's key
 *   package_error why `package` could not be written and `package_else` was
 *   code          secure hash of the library (see quench-rt/Support/Hash.h)
 *   llvm          version of LLVM and MLIR that made it
 *   stages        [{name, milliseconds}] in order, from reading to linking
 *   kernels       [{name, milliseconds}] code generation of each kernel
 *
 * Nothing but what dump_stages and crash_reproducer ask for is left behind by a failed call: files
 * appear under their names when they are complete. */
#ifndef QUENCH_C_COMPILER_H
#define QUENCH_C_COMPILER_H

#if defined(__GNUC__)
#define QUENCH_EXPORTED __attribute__((visibility("default")))
#else
#define QUENCH_EXPORTED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Handles a request. Returns 0, 1 (the input is at fault), 2 (the request is) or
 * 3 (environment, or a mistake of the compiler's). `*response` is set in every
 * case and belongs to the caller. One call at a time in each thread. */
QUENCH_EXPORTED int quench_compile(const char *request, char **response);

/* Frees a response. */
QUENCH_EXPORTED void quench_free_response(char *response);

#ifdef __cplusplus
}
#endif
#endif /* QUENCH_C_COMPILER_H */
