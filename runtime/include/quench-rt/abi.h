/*===- abi.h - contract between compiled libraries and the runtime ---------===*/
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    */
/*===----------------------------------------------------------------------===*/
/* Plain C. A compiled model is a shared library with one exported symbol,
 * `quench_query`, and no undefined symbols but memcpy and memset. This header
 * and lib/Target/CPU change together, and every change raises
 * QRT_ABI_VERSION: a library of another version is compiled again.
 *
 * Every entry point is an SPMD function: each of `num_threads` threads calls it
 * with its own `tid` and the same other arguments. Its results are complete when
 * it has returned on all of them; waiting for that is up to the caller. */
#ifndef QUENCH_RT_ABI_H
#define QUENCH_RT_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QRT_ABI_VERSION 2u
#define QRT_MAX_RANK 4

/* A dense row-major array, its `data` aligned to 64 bytes. Scalars (index, i64)
 * have rank 0 and are stored as int64_t, with the alignment of that type.
 * For a result the caller provides a buffer that holds the largest possible
 * result (every dynamic dimension at its bound, see the descriptor); the callee
 * writes data and the dynamic members of dims.
 * For a cache argument `data` points to a qrt_cache_view. */
typedef struct qrt_tensor {
  void *data;
  int64_t dims[QRT_MAX_RANK];
} qrt_tensor;

/* One sequence of a paged cache, as compiled code sees it. Position p lives in
 * pages[p / slots] at slot p % slots. One page holds, for every layer and then
 * every head, first the keys as [dim][slots], then the values as [slots][dim].
 * The caller has made every page up to `capacity` positions present, and those
 * from `length` on writable. Compiled code appends at positions from `length`
 * on and sets `length` to what it commits; it never changes anything else. */
typedef struct qrt_cache_view {
  void *const *pages;
  int64_t length;
  int64_t capacity;
} qrt_cache_view;

/* What a call runs on. All pointers are borrowed for the time of the call. */
typedef struct qrt_context {
  const void *const *weights; /* packed weights, in the descriptor's order */
  void *workspace;            /* workspace_bytes + num_threads * thread_workspace_bytes */
  void *team;                 /* passed back to qrt_host.barrier */
  void *session;              /* passed back to qrt_host.draft */
} qrt_context;

/* Services of the process, the same for every library and call. */
typedef struct qrt_host {
  uint32_t abi_version; /* QRT_ABI_VERSION */
  uint32_t size;        /* sizeof(qrt_host) */
  /* Returns on all threads of the team once all have called; memory written
   * before is visible after. */
  void (*barrier)(void *team, uint64_t tid);
  /* Called on one thread. Writes at most `limit` proposed tokens that follow
   * the sequence whose last `num_pending` tokens are `pending`, and returns how
   * many. `source` is the index into the descriptor's draft sources. */
  int64_t (*draft)(void *session, int64_t source, const int32_t *pending, int64_t num_pending,
                   int64_t limit, int32_t *candidates);
} qrt_host;

/* `args` has one qrt_tensor for each argument, then one for each result. */
typedef void (*qrt_entry)(uint64_t tid, uint64_t num_threads, const qrt_context *context,
                          qrt_tensor *args);

/* What a library offers. `descriptor` is JSON text, NUL-terminated:
 *   abi_version, target, cpu_features: [LLVM's names], activations, max_rows,
 *   workspace_bytes, thread_workspace_bytes,
 *   weights:  [{key, format, layout, shape: [N, K] or [K], bytes}]
 *   caches:   [{kind, layers, heads, dim, element: "f16"|"f32", slots,
 *               page_bytes}]
 *   drafts:   [{source: "lookup"|"model", max}]
 *   entries:  [{name, args: [{kind: "tensor"|"scalar"|"cache", element, dims,
 *               cache, name}], results: [...]}]   dynamic dimensions are -1 and
 *               never exceed max_rows; a name is optional
 *   kernels:  [{name, uses, reads: [keys of weights], beside: [keys of weights
 *               that its callers have, if it reads none]}] */
typedef struct qrt_library {
  uint32_t abi_version;
  uint32_t num_entries;
  const char *descriptor;
  const qrt_entry *entries; /* in the order of the descriptor */
} qrt_library;

/* The exported symbol. Returns NULL if the host's version or size is not the
 * library's. `host` must outlive the library. */
typedef const qrt_library *(*qrt_query)(const qrt_host *host);
#define QRT_QUERY_SYMBOL "quench_query"

#ifdef __cplusplus
}
#endif
#endif /* QUENCH_RT_ABI_H */
