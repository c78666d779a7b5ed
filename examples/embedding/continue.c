/* Continues a text: continue PACKAGE TEXT [TOKENS] */
#include <quench-rt/quench.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static qrt_session *session;

/* Ctrl-C ends the text, not the program. */
static void interrupt(int number) {
  (void)number;
  qrt_session_cancel(session);
}

static void check(qrt_status status) {
  if (status == QRT_OK)
    return;
  fprintf(stderr, "error: %s\n", qrt_last_error());
  exit((int)status);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: continue PACKAGE TEXT [TOKENS]\n");
    return QRT_ERROR_USAGE;
  }
  qrt_model *model;
  check(qrt_model_load(argv[1], NULL, &model));
  check(qrt_session_create(model, 0, &session));
  signal(SIGINT, interrupt);

  int32_t *prompt;
  size_t length;
  check(qrt_tokenizer_encode(qrt_model_tokenizer(model), argv[2], strlen(argv[2]), 0, &prompt,
                             &length));

  qrt_generate_options options = QRT_GENERATE_OPTIONS_INIT;
  options.max_tokens = argc > 3 ? atoi(argv[3]) : 32;
  qrt_generation *generation;
  check(qrt_session_generate(session, prompt, length, &options, &generation));
  qrt_piece piece = QRT_PIECE_INIT;
  while (!piece.done) {
    check(qrt_generation_next(generation, &piece));
    fwrite(piece.text, 1, piece.text_size, stdout);
    fflush(stdout);
  }
  putchar('\n');

  qrt_generation_stats stats = QRT_GENERATION_STATS_INIT;
  check(qrt_generation_get_stats(generation, &stats));
  fprintf(stderr, "%lld tokens in %.2f s, %lld drafted, %lld accepted\n", (long long)stats.tokens,
          stats.decode_seconds, (long long)stats.drafted, (long long)stats.accepted);

  qrt_free(prompt);
  qrt_generation_free(generation);
  qrt_session_free(session);
  qrt_model_free(model);
  return 0;
}
