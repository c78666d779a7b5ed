/*===- HeaderTest.c - the public header is C11 -----------------------------===*/
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    */
/*===----------------------------------------------------------------------===*/

#include "quench-rt/quench.h"

/* What the initializers are worth in C. */
size_t sum_of_initialized_sizes(void);

size_t sum_of_initialized_sizes(void) {
  const qrt_model_options model = QRT_MODEL_OPTIONS_INIT;
  const qrt_generate_options generate = QRT_GENERATE_OPTIONS_INIT;
  const qrt_piece piece = QRT_PIECE_INIT;
  const qrt_generation_stats stats = QRT_GENERATION_STATS_INIT;
  const qrt_perplexity perplexity = QRT_PERPLEXITY_INIT;
  const qrt_compile_options compile = QRT_COMPILE_OPTIONS_INIT;
  const qrt_program_options program = QRT_PROGRAM_OPTIONS_INIT;
  return model.size + generate.size + piece.size + stats.size + perplexity.size + compile.size +
         program.size;
}
