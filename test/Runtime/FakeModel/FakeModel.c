/*===- FakeModel.c - a compiled library written by hand -------------------===*/
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    */
/*===----------------------------------------------------------------------===*/
/* A "language model" with the entry points of a real one, whose next token is a
 * hash of everything in the cache:
 *
 *   layer 0 of the cache at position p   a hash of token and position
 *   layer 1 at position p                a hash of layer 0 at positions 0 … p
 *   logits at position p                 a hash of layer 1 at positions 0 … p,
 *                                        mixed with the weights
 *
 * so that a single wrong byte at any committed position changes the text. Rows
 * are shared out to the threads, which meet at barriers as those of a real step.
 * If seed[0] is not 0 the text is periodic instead: tokens count modulo 6.
 * seed[2] chooses how the program misbehaves, see `fault`. */

#include "quench-rt/abi.h"

enum {
  VOCABULARY = 32,
  LAYERS = 2,
  HEADS = 2,
  DIM = 4,
  SLOTS = 4,
  MAX_ROWS = 8,
  PERIOD = 6,
  TABLE_COLUMNS = 3,
};

#ifndef FAKE_VERSION
#define FAKE_VERSION QRT_ABI_VERSION
#endif
#ifndef FAKE_ENTRIES
#define FAKE_ENTRIES 5
#endif

static const qrt_host *host;

/* The part of the workspace that all threads share. */
typedef struct {
  int32_t tokens[MAX_ROWS];
  int32_t ids[MAX_ROWS];
  float scores[MAX_ROWS];
  int64_t rows;
} shared_memory;

/* 0: not at all. */
enum fault {
  COMMITS_TOO_MUCH = 1,
  COMMITS_NOTHING = 2,
  NO_NUMBER = 3,
  NO_TOKEN = 4,
  ACCEPTS_TOO_MANY = 5,
  WRONG_PENDING = 6,
  WRONG_ROWS = 7,
};

static enum fault fault(const qrt_context *context) {
  return (enum fault)((const float *)context->weights[0])[2];
}

static uint32_t mix(uint32_t hash, uint32_t word) {
  hash = (hash ^ word) * 0x85EBCA6Bu;
  return hash ^ (hash >> 13);
}

/* The elements of a page: [layer][head]{keys [dim][slots], values [slots][dim]}. */
static uint32_t *element(const qrt_cache_view *view, int64_t position, int layer, int head, int dim,
                         int is_value) {
  uint32_t *page = (uint32_t *)view->pages[position / SLOTS];
  int slot = (int)(position % SLOTS);
  page += (layer * HEADS + head) * 2 * DIM * SLOTS;
  return is_value ? page + DIM * SLOTS + slot * DIM + dim : page + dim * SLOTS + slot;
}

static void write_layer(const qrt_cache_view *view, int64_t position, int layer, uint32_t hash) {
  for (int head = 0; head < HEADS; ++head)
    for (int dim = 0; dim < DIM; ++dim)
      for (int is_value = 0; is_value < 2; ++is_value)
        *element(view, position, layer, head, dim, is_value) =
            mix(hash, (uint32_t)((head * DIM + dim) * 2 + is_value));
}

static uint32_t read_layer(const qrt_cache_view *view, int64_t last, int layer) {
  uint32_t hash = 1;
  for (int64_t position = 0; position <= last; ++position)
    for (int head = 0; head < HEADS; ++head)
      for (int dim = 0; dim < DIM; ++dim)
        for (int is_value = 0; is_value < 2; ++is_value)
          hash = mix(hash, *element(view, position, layer, head, dim, is_value));
  return hash;
}

/* weights[0]: seed, f32 [8]. weights[1]: table, f32 in rows8 [VOCABULARY, 3]. */
static float logit(const qrt_context *context, uint32_t hash, int32_t token, int32_t id) {
  const float *seed = (const float *)context->weights[0];
  const float *table = (const float *)context->weights[1];
  if (seed[0] != 0)
    return id == (token + 1) % PERIOD ? 2.0f : -1.0f;
  float value = (float)(mix(hash, (uint32_t)id) >> 16) * (1.0f / 65536.0f);
  for (int column = 0; column < TABLE_COLUMNS; ++column)
    value += table[((id / 8) * TABLE_COLUMNS + column) * 8 + id % 8];
  return value + seed[1];
}

/* Appends rows behind the committed ones. `logits` may be null. */
static void forward(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                    const int32_t *tokens, int64_t rows, const qrt_cache_view *view, float *logits,
                    int32_t *ids, float *scores) {
  const int64_t first = view->length;
  for (int64_t row = (int64_t)tid; row < rows; row += (int64_t)num_threads)
    write_layer(view, first + row, 0, mix((uint32_t)tokens[row], (uint32_t)(first + row)));
  host->barrier(context->team, tid);
  for (int64_t row = (int64_t)tid; row < rows; row += (int64_t)num_threads)
    write_layer(view, first + row, 1, read_layer(view, first + row, 0));
  host->barrier(context->team, tid);
  for (int64_t row = (int64_t)tid; row < rows; row += (int64_t)num_threads) {
    uint32_t hash = read_layer(view, first + row, 1);
    int32_t best = 0;
    float best_score = 0;
    for (int32_t id = 0; id < VOCABULARY; ++id) {
      float score = logit(context, hash, tokens[row], id);
      if (logits)
        logits[row * VOCABULARY + id] = score;
      if (id == 0 || score > best_score) {
        best = id;
        best_score = score;
      }
    }
    if (ids) {
      ids[row] = best;
      scores[row] = best_score;
    }
  }
  if (tid == 0 && ids && fault(context) == NO_TOKEN)
    ids[0] = VOCABULARY;
  if (tid == 0 && ids && fault(context) == NO_NUMBER)
    scores[0] = __builtin_nanf("");
  if (tid == 0 && logits && fault(context) == NO_NUMBER)
    logits[4] = __builtin_nanf("");
  host->barrier(context->team, tid);
}

/* How many positions a step over `rows` commits. */
static int64_t commits(const qrt_context *context, int64_t rows) {
  return fault(context) == COMMITS_TOO_MUCH ? 1000 : fault(context) == COMMITS_NOTHING ? 0 : rows;
}

static void prefill(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                    qrt_tensor *args) {
  qrt_cache_view *view = (qrt_cache_view *)args[1].data;
  forward(tid, num_threads, context, (const int32_t *)args[0].data, args[0].dims[0], view, 0, 0, 0);
  if (tid == 0)
    view->length += commits(context, args[0].dims[0]);
  host->barrier(context->team, tid);
}

static void logits(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                   qrt_tensor *args) {
  qrt_cache_view *view = (qrt_cache_view *)args[1].data;
  forward(tid, num_threads, context, (const int32_t *)args[0].data, args[0].dims[0], view,
          (float *)args[2].data, 0, 0);
  if (tid == 0) {
    view->length += commits(context, args[0].dims[0]);
    args[2].dims[0] = args[0].dims[0] + (fault(context) == WRONG_ROWS);
  }
  host->barrier(context->team, tid);
}

static void greedy(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                   qrt_tensor *args) {
  qrt_cache_view *view = (qrt_cache_view *)args[1].data;
  forward(tid, num_threads, context, (const int32_t *)args[0].data, args[0].dims[0], view, 0,
          (int32_t *)args[2].data, (float *)args[3].data);
  if (tid == 0) {
    view->length += commits(context, args[0].dims[0]);
    args[2].dims[0] = args[3].dims[0] = args[0].dims[0] + (fault(context) == WRONG_ROWS);
  }
  host->barrier(context->team, tid);
}

static void round_(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                   qrt_tensor *args) {
  shared_memory *shared = (shared_memory *)context->workspace;
  qrt_cache_view *view = (qrt_cache_view *)args[2].data;
  if (tid == 0) {
    const int32_t *pending = (const int32_t *)args[0].data;
    int64_t num_pending = args[0].dims[0];
    int64_t limit = *(const int64_t *)args[1].data;
    shared->tokens[0] = pending[num_pending - 1];
    shared->rows =
        1 + host->draft(context->session, 0, pending, num_pending, limit, shared->tokens + 1);
  }
  host->barrier(context->team, tid);
  forward(tid, num_threads, context, shared->tokens, shared->rows, view, 0, shared->ids,
          shared->scores);
  if (tid == 0) {
    int64_t accepted = 0;
    while (accepted + 1 < shared->rows && shared->ids[accepted] == shared->tokens[accepted + 1])
      ++accepted;
    for (int64_t i = 0; i <= accepted; ++i) {
      ((int32_t *)args[3].data)[i] = shared->ids[i];
      ((float *)args[4].data)[i] = shared->scores[i];
    }
    args[3].dims[0] = args[4].dims[0] = accepted + 1;
    *(int64_t *)args[5].data = accepted + (fault(context) == ACCEPTS_TOO_MANY);
    *(int32_t *)args[6].data = shared->ids[accepted] + (fault(context) == WRONG_PENDING);
    args[6].dims[0] = 1;
    view->length += commits(context, accepted + 1);
  }
  host->barrier(context->team, tid);
}

/* No model: y[i] = factor * x[i], each thread its part, by way of its own scratch
 * memory. */
static void scale(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                  qrt_tensor *args) {
  float *scratch = (float *)((char *)context->workspace + sizeof(shared_memory) + tid * 64);
  for (int64_t i = (int64_t)tid; i < args[0].dims[0]; i += (int64_t)num_threads) {
    scratch[0] = ((const float *)args[0].data)[i];
    ((float *)args[2].data)[i] = scratch[0] * (float)*(const int64_t *)args[1].data;
  }
  if (tid == 0)
    args[2].dims[0] = args[0].dims[0];
  host->barrier(context->team, tid);
}

#define TOKENS "{\"kind\":\"tensor\",\"element\":\"i32\",\"dims\":[-1]}"
#define FLOATS "{\"kind\":\"tensor\",\"element\":\"f32\",\"dims\":[-1]}"
#define SCALAR "{\"kind\":\"scalar\",\"element\":\"i64\"}"
#define CACHE "{\"kind\":\"cache\",\"cache\":0}"

static const char descriptor[] =
    "{\"abi_version\":2,\"target\":\"fake\",\"cpu_features\":[],\"activations\":\"f32\",\"max_"
    "rows\":8,"
    "\"workspace_bytes\":104,\"thread_workspace_bytes\":64,"
    "\"weights\":["
    "{\"key\":\"seed\",\"format\":\"f32\",\"layout\":\"plain\",\"shape\":[8],\"bytes\":32},"
    "{\"key\":\"table\",\"format\":\"f32\",\"layout\":\"rows8\",\"shape\":[32,3],"
    "\"bytes\":384}],"
    "\"caches\":[{\"kind\":\"paged\",\"layers\":2,\"heads\":2,\"dim\":4,\"element\":\"f32\","
    "\"slots\":4,\"page_bytes\":512}],"
    "\"drafts\":[{\"source\":\"lookup\",\"max\":7}],"
    "\"entries\":["
    "{\"name\":\"prefill\",\"args\":[" TOKENS "," CACHE "],\"results\":[]},"
    "{\"name\":\"logits\",\"args\":[" TOKENS "," CACHE "],\"results\":["
    "{\"kind\":\"tensor\",\"element\":\"f32\",\"dims\":[-1,32]}]},"
    "{\"name\":\"greedy\",\"args\":[" TOKENS "," CACHE "],\"results\":[" TOKENS "," FLOATS "]},"
    "{\"name\":\"round\",\"args\":[" TOKENS "," SCALAR "," CACHE "],\"results\":[" TOKENS "," FLOATS
    "," SCALAR "," TOKENS "]},"
    "{\"name\":\"scale\",\"args\":[" FLOATS "," SCALAR "],\"results\":[" FLOATS "]}],"
    "\"kernels\":[{\"name\":\"hash\",\"uses\":2,\"reads\":[],\"beside\":[]}]}";

_Static_assert(sizeof(shared_memory) == 104, "workspace_bytes");

static const qrt_entry entries[] = {prefill, logits, greedy, round_, scale};
static const qrt_library library = {FAKE_VERSION, FAKE_ENTRIES, descriptor, entries};

__attribute__((visibility("default"))) const qrt_library *quench_query(const qrt_host *given) {
  if (given->abi_version != QRT_ABI_VERSION || given->size != sizeof(qrt_host))
    return 0;
  host = given;
  return &library;
}
