/*===- quench.h - the runtime for programs in C and other languages --------===*/
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    */
/*===----------------------------------------------------------------------===*/
/* The API of libquench-rt.so, in C11. docs/Embedding.md has a program that uses it.
 *
 * Errors. A function that can fail returns a qrt_status and writes its results only
 * if that is QRT_OK. qrt_last_error() then says in a sentence what was found, where,
 * and what would be accepted. No function ends the process or lets an exception out.
 *
 * Memory. Each kind of handle has a function that frees it; freeing NULL does
 * nothing. A handle keeps alive what it was made from, so the order does not matter.
 * Arrays and texts that are returned through `T **` belong to the caller, who frees
 * them with qrt_free(). What is returned as `const` is borrowed: it is valid as long
 * as the text at the function says. What is passed in is not needed after the call.
 *
 * Threads. A tokenizer may be used by several threads at once. Sessions of one model
 * may be used by several threads, each its own: their steps take turns, since each
 * step runs on all threads of the model. Everything else is for one thread at a time,
 * except qrt_session_cancel(). Loading may compile: a child process does (fork).
 *
 * Texts are UTF-8. A text with a size may hold zero bytes and is not terminated,
 * names and paths are. A text that is returned through `char **` has its size and a
 * zero byte behind it.
 *
 * Structures with a member `size` may grow at their end. Start with the
 * initializer of the same name, which sets `size` and the defaults:
 *
 *   qrt_generate_options options = QRT_GENERATE_OPTIONS_INIT;
 *
 * Before version 1.0 a minor version may change anything; the name of the shared
 * library has both numbers. */
#ifndef QUENCH_RT_QUENCH_H
#define QUENCH_RT_QUENCH_H

#include <stddef.h>
#include <stdint.h>

#define QRT_VERSION_MAJOR 0
#define QRT_VERSION_MINOR 1
#define QRT_VERSION_PATCH 0
#define QRT_VERSION_NUMBER (QRT_VERSION_MAJOR * 10000 + QRT_VERSION_MINOR * 100 + QRT_VERSION_PATCH)

#if defined(__GNUC__)
#define QRT_API __attribute__((visibility("default")))
#else
#define QRT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===--- Errors, version, memory ------------------------------------------===*/

typedef enum qrt_status {
  QRT_OK = 0,
  QRT_ERROR_INPUT = 1,       /* something is wrong with a model, a file or a text */
  QRT_ERROR_USAGE = 2,       /* something is wrong with the arguments of the call */
  QRT_ERROR_ENVIRONMENT = 3, /* memory, cache folder, missing compiler; or our mistake */
  QRT_CANCELLED = 4          /* qrt_session_cancel() was called */
} qrt_status;

/* QRT_VERSION_NUMBER of the library, which may differ from that of this header. */
QRT_API int32_t qrt_version(void);

/* What went wrong in the last call that failed in this thread; "" if none has. Valid
 * until the next call that fails in this thread. */
QRT_API const char *qrt_last_error(void);

/* Frees an array or a text. */
QRT_API void qrt_free(void *memory);

/* Called with something that is not as it should be and does no harm, such as a
 * damaged entry of the cache. */
typedef void (*qrt_note_function)(void *data, const char *line);

/*===--- Tokenizers --------------------------------------------------------===*/

typedef struct qrt_tokenizer qrt_tokenizer;

/* The tokenizer of a package or GGUF file; the weights are not read. */
QRT_API qrt_status qrt_tokenizer_load(const char *path, qrt_tokenizer **tokenizer);
QRT_API void qrt_tokenizer_free(qrt_tokenizer *tokenizer);

/* Token ids are 0 to this number less one. */
QRT_API int32_t qrt_tokenizer_size(const qrt_tokenizer *tokenizer);

/* Whether a model has nothing more to say after this token. */
QRT_API int32_t qrt_tokenizer_is_end(const qrt_tokenizer *tokenizer, int32_t token);

enum {
  QRT_ENCODE_NO_BOS = 1,    /* leave out the beginning-of-text token that the model asks for */
  QRT_ENCODE_NO_SPECIAL = 2 /* names of special tokens are ordinary text: for text from outside */
};

/* The tokens of a text, as a prompt for the model. `flags` are QRT_ENCODE_*. Bytes that
 * the vocabulary cannot express are left out. */
QRT_API qrt_status qrt_tokenizer_encode(const qrt_tokenizer *tokenizer, const char *text,
                                        size_t size, uint32_t flags, int32_t **tokens,
                                        size_t *count);

enum {
  QRT_DECODE_SPECIAL = 1,  /* write special tokens by name instead of leaving them out */
  QRT_DECODE_CONTINUES = 2 /* the tokens follow others: a space before the first word stays */
};

/* The text of tokens. `flags` are QRT_DECODE_*. Its end need not be that of a
 * character. */
QRT_API qrt_status qrt_tokenizer_decode(const qrt_tokenizer *tokenizer, const int32_t *tokens,
                                        size_t count, uint32_t flags, char **text, size_t *size);

/*===--- Models -------------------------------------------------------------===*/

typedef struct qrt_model qrt_model;

typedef struct qrt_model_options {
  size_t size;
  const char *draft;       /* a smaller model with the same vocabulary that drafts; NULL: none */
  const char *activations; /* of a GGUF file: "i8" or "f32"; NULL: "i8" */
  const char *target;      /* a CPU as LLVM calls it; NULL: this machine */
  int32_t threads;         /* 1 to 1024; 0: one for each core */
  int32_t trust_code;      /* 1: run code that came with a package but was not made here */
  qrt_note_function note;  /* NULL: notes are dropped */
  void *note_data;
} qrt_model_options;
#define QRT_MODEL_OPTIONS_INIT {sizeof(qrt_model_options), NULL, NULL, NULL, 0, 0, NULL, NULL}

/* Loads a package, or a GGUF file, which is compiled into the user's cache on first
 * use. That takes the compiler, libQuenchCompiler.so, in the folder of this library or
 * in ../lib from there. `options` may be NULL. */
QRT_API qrt_status qrt_model_load(const char *path, const qrt_model_options *options,
                                  qrt_model **model);
QRT_API void qrt_model_free(qrt_model *model);

/* The most tokens of a sequence. */
QRT_API int64_t qrt_model_context_length(const qrt_model *model);
QRT_API int32_t qrt_model_threads(const qrt_model *model);
/* Valid as long as the model. */
QRT_API const qrt_tokenizer *qrt_model_tokenizer(const qrt_model *model);

/*===--- Sessions: one sequence and its cache -------------------------------===*/

typedef struct qrt_session qrt_session;

/* `context_length` is the most tokens of prompt and result, 0 for the model's number.
 * The memory of the cache is proportional to what it holds. */
QRT_API qrt_status qrt_session_create(qrt_model *model, int64_t context_length,
                                      qrt_session **session);
QRT_API void qrt_session_free(qrt_session *session);

/* Ends the work of the session in progress, or else the one that comes next, within a
 * step: a generation ends with the reason QRT_STOP_CANCELLED, other calls return
 * QRT_CANCELLED. May be called from any thread and from a signal handler. */
QRT_API void qrt_session_cancel(qrt_session *session);

/*===--- Generation ---------------------------------------------------------===*/

typedef struct qrt_logit_bias {
  int32_t token;
  double bias; /* added to its logit; -INFINITY excludes it */
} qrt_logit_bias;

typedef enum qrt_speculation {
  QRT_SPECULATION_AUTOMATIC = 0, /* what the program was compiled for */
  QRT_SPECULATION_LOOKUP = 1,    /* from earlier text; an error if the program cannot */
  QRT_SPECULATION_OFF = 2
} qrt_speculation;

typedef struct qrt_generate_options {
  size_t size;
  int64_t max_tokens;       /* -1: until the text or the context ends */
  int32_t ignore_end;       /* 1: go on where the model ends the text */
  int32_t logprobs;         /* 1: report the log-probability of each token */
  const char *const *stops; /* strings before which the text ends */
  size_t num_stops;

  /* How tokens are chosen, see docs/CommandLine.md. The temperature 0 is the
   * likeliest token always. The same seed gives the same tokens. */
  double temperature;
  int64_t top_k;         /* 0: all */
  double top_p;          /* 1: all */
  double min_p;          /* 0: all */
  int64_t repeat_last_n; /* penalties are for so many last tokens; -1: for all */
  double repeat_penalty;
  double frequency_penalty;
  double presence_penalty;
  const qrt_logit_bias *biases;
  size_t num_biases;
  uint64_t seed;

  /* Drafts change the speed only, unless `rejection` is 1: then a draft model's samples
   * are accepted by rejection sampling, which changes the text but not how likely it is. */
  int32_t speculation;  /* a qrt_speculation */
  int32_t draft_tokens; /* the most in a round */
  int32_t rejection;
} qrt_generate_options;
#define QRT_GENERATE_OPTIONS_INIT                                                                  \
  {sizeof(qrt_generate_options),                                                                   \
   -1,                                                                                             \
   0,                                                                                              \
   0,                                                                                              \
   NULL,                                                                                           \
   0,                                                                                              \
   0.0,                                                                                            \
   40,                                                                                             \
   0.95,                                                                                           \
   0.05,                                                                                           \
   64,                                                                                             \
   1.0,                                                                                            \
   0.0,                                                                                            \
   0.0,                                                                                            \
   NULL,                                                                                           \
   0,                                                                                              \
   0,                                                                                              \
   QRT_SPECULATION_AUTOMATIC,                                                                      \
   4,                                                                                              \
   0}

typedef struct qrt_generation qrt_generation;

/* Starts a generation after these tokens. What they have in common with the sequence in
 * the session's cache is not processed again. `options` may be NULL. Work begins with the
 * first qrt_generation_next(). The session has one generation at a time: the one before
 * ends, and can only be asked for what it has. */
QRT_API qrt_status qrt_session_generate(qrt_session *session, const int32_t *prompt, size_t count,
                                        const qrt_generate_options *options,
                                        qrt_generation **generation);
QRT_API void qrt_generation_free(qrt_generation *generation);

/* What a step brought. Pointers are valid until the next call with the generation. */
typedef struct qrt_piece {
  size_t size;
  const char *text; /* ends where a character does, unless the generation ends */
  size_t text_size;
  const int32_t *tokens;  /* those whose text is still held back are among them */
  const double *logprobs; /* natural logarithms, one of each token; NULL unless asked for */
  size_t num_tokens;
  int32_t done; /* 1: the generation has ended, this is its last piece */
} qrt_piece;
#define QRT_PIECE_INIT {sizeof(qrt_piece), NULL, 0, NULL, NULL, 0, 0}

/* Does the next step: a part of the prompt, which brings no token, or a round, which
 * brings one or more. */
QRT_API qrt_status qrt_generation_next(qrt_generation *generation, qrt_piece *piece);

typedef enum qrt_stop {
  QRT_STOP_NOT_YET = 0,
  QRT_STOP_END = 1,      /* the model ended the text */
  QRT_STOP_STRING = 2,   /* a stop string occurred */
  QRT_STOP_LENGTH = 3,   /* max_tokens were generated */
  QRT_STOP_CONTEXT = 4,  /* the context is full */
  QRT_STOP_CANCELLED = 5 /* qrt_session_cancel(), or another use of the session */
} qrt_stop;

typedef struct qrt_generation_stats {
  size_t size;
  qrt_stop stop;
  int64_t prompt_tokens;
  int64_t cached_tokens; /* of the prompt; they were in the session's cache */
  int64_t tokens;
  int64_t rounds; /* steps after the prompt */
  int64_t drafted;
  int64_t accepted; /* of the drafted ones */
  double prompt_seconds;
  double decode_seconds;
} qrt_generation_stats;
#define QRT_GENERATION_STATS_INIT                                                                  \
  {sizeof(qrt_generation_stats), QRT_STOP_NOT_YET, 0, 0, 0, 0, 0, 0, 0.0, 0.0}

/* What has been done so far. Time between the calls of qrt_generation_next() does not
 * count. */
QRT_API qrt_status qrt_generation_get_stats(const qrt_generation *generation,
                                            qrt_generation_stats *stats);

/*===--- Conversations ------------------------------------------------------===*/

typedef struct qrt_chat qrt_chat;

/* A conversation in a session. `format` is "chatml", "llama3", "gemma" or "mistral"; NULL
 * recognises that of the model's template. `system` is the system prompt; NULL takes
 * that of the template, "" none. */
QRT_API qrt_status qrt_chat_create(qrt_session *session, const char *format, const char *system,
                                   qrt_chat **chat);
QRT_API void qrt_chat_free(qrt_chat *chat);

/* Starts the answer to a question. The conversation gets both once the generation has
 * ended, as far as it came; a question without any answer counts as not asked. Names of
 * special tokens in the question mean nothing. A `max_tokens` that exceeds the context
 * is no error here. */
QRT_API qrt_status qrt_chat_ask(qrt_chat *chat, const char *question, size_t size,
                                const qrt_generate_options *options, qrt_generation **answer);

/* Starts anew, with the same system prompt. */
QRT_API void qrt_chat_clear(qrt_chat *chat);

/*===--- Scoring ------------------------------------------------------------===*/

/* How likely a text is. `losses` gets count - 1 numbers: losses[i] is the negative
 * natural logarithm of the probability of tokens[i + 1] after tokens[0] to tokens[i]. */
QRT_API qrt_status qrt_session_score(qrt_session *session, const int32_t *tokens, size_t count,
                                     double *losses);

typedef struct qrt_perplexity {
  size_t size;
  double perplexity;
  double standard_error;
  int64_t tokens; /* scored */
} qrt_perplexity;
#define QRT_PERPLEXITY_INIT {sizeof(qrt_perplexity), 0.0, 0.0, 0}

/* Perplexity over windows of `window` tokens, of each of which the second half is scored,
 * as `quench-run eval` and llama.cpp define it. */
QRT_API qrt_status qrt_session_perplexity(qrt_session *session, const int32_t *tokens, size_t count,
                                          int64_t window, qrt_perplexity *result);

/*===--- Compiling, and calling functions on arrays -------------------------===*/

typedef struct qrt_compile_options {
  size_t size;
  const char *weights;     /* of a program: safetensors with formats, or GGUF; NULL: none */
  const char *from;        /* of a program: the package that has weights and tokenizer */
  const char *activations; /* of a GGUF file: "i8" or "f32"; NULL: "i8" */
  const char *layers;      /* of a GGUF file: those to keep, "0-11,15-29"; NULL: all */
  const char *target;      /* a CPU as LLVM calls it; NULL: this machine */
  const char *dump_stages; /* a folder for the IR after each stage; NULL: none */
  int64_t context_length;  /* of a GGUF file; 0: the file's number */
  qrt_note_function note;
  void *note_data;
} qrt_compile_options;
#define QRT_COMPILE_OPTIONS_INIT                                                                   \
  {sizeof(qrt_compile_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL}

/* Makes a package of a GGUF file, of a program (.mlir, .mlirbc) or of another package.
 * `package` is a folder that does not exist yet. `options` may be NULL. */
QRT_API qrt_status qrt_compile(const char *input, const char *package,
                               const qrt_compile_options *options);

typedef struct qrt_program qrt_program;

typedef struct qrt_program_options {
  size_t size;
  const char *weights;     /* of a program file: as in qrt_compile_options */
  const char *target;      /* a CPU as LLVM calls it; NULL: this machine */
  const char *dump_stages; /* of a program file: as in qrt_compile_options */
  int32_t threads;         /* 1 to 1024; 0: one for each core */
  int32_t trust_code;      /* of a package: as in qrt_model_options */
  qrt_note_function note;
  void *note_data;
} qrt_program_options;
#define QRT_PROGRAM_OPTIONS_INIT {sizeof(qrt_program_options), NULL, NULL, NULL, 0, 0, NULL, NULL}

/* Loads a program file (.mlir, .mlirbc), all of whose public functions can be called, or a
 * package. `options` may be NULL. */
QRT_API qrt_status qrt_program_load(const char *path, const qrt_program_options *options,
                                    qrt_program **program);
QRT_API void qrt_program_free(qrt_program *program);

/* Functions are numbered from 0. Names are valid as long as the program. */
QRT_API size_t qrt_program_num_functions(const qrt_program *program);
QRT_API const char *qrt_program_function_name(const qrt_program *program, size_t index);

typedef enum qrt_element {
  QRT_F32 = 0,
  QRT_F16 = 1,
  QRT_I64 = 2,
  QRT_I32 = 3,
  QRT_I8 = 4,
  QRT_U8 = 5
} qrt_element;

#define QRT_ARRAY_MAX_RANK 4

/* A dense row-major array, of any alignment. A scalar has rank 0. */
typedef struct qrt_array {
  int32_t element; /* a qrt_element */
  int32_t rank;
  int64_t dims[QRT_ARRAY_MAX_RANK];
  void *data;
} qrt_array;

/* Calls a function. `*results` is an array of `*num_results` arrays, one piece of memory:
 * qrt_free(*results) frees their data as well. */
QRT_API qrt_status qrt_program_call(qrt_program *program, const char *function,
                                    const qrt_array *inputs, size_t num_inputs, qrt_array **results,
                                    size_t *num_results);

/*===--- Formats of weights -------------------------------------------------===*/

/* Encodes `rows` rows of `columns` numbers in a format such as "q8_0" or "q4_1", as it lies
 * in GGUF files. An error names the formats that can be written. */
QRT_API qrt_status qrt_encode_weights(const char *format, const float *values, int64_t rows,
                                      int64_t columns, void **bytes, size_t *size);

/* The reverse; `values` gets rows * columns numbers. */
QRT_API qrt_status qrt_decode_weights(const char *format, const void *bytes, size_t size,
                                      int64_t rows, int64_t columns, float *values);

#ifdef __cplusplus
}
#endif
#endif /* QUENCH_RT_QUENCH_H */
