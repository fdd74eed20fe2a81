/* Calls of NCCL by processes of the job. Each has a number within its communicator; some are told, all are counted. */
#include "calls.h"

enum { KEPT_PER_WINDOW = 8, MOST_PER_WINDOW = 64, TAIL = 16, RING_BYTES = 4 << 20 };
enum { IN_PROGRESS = 7 }; /* ncclResult_t */

struct series_key {
  u64 comm;
  u32 pid;
  u32 what; /* COLLECTIVE or PEER */
};

struct past {
  u64 since;
  u64 amount;
  u64 seq;
  s32 root;
  u16 id;
  u16 type;
};

struct series {
  u64 calls; /* so far: the number of the next one */
  u32 window; /* of 2^30 ns, about a second */
  u32 in_window;
  u32 kept;
  u32 shift; /* of 2^shift calls one is told */
  u64 completed; /* at least so many, in order */
  u64 returned;
  u64 last_return;
  struct past tail[TAIL]; /* the latest, by number modulo TAIL */
};

MAP(series, BPF_MAP_TYPE_HASH, struct series_key, struct series);
MAP(no_series, BPF_MAP_TYPE_PERCPU_ARRAY, u32, struct series);

struct record {
  u64 since;
  u64 took; /* 0 while it is open */
  u64 amount;
  u64 comm;
  u64 seq;
  u64 unique_id;
  u32 pid;
  u32 tid;
  u16 id;
  u16 type;
  s32 result;
  s32 a;
  s32 b;
  u32 is_return;
  u32 zero;
};

RING(records);

static __always_inline int tell(u64 thread, u64 cookie, const struct open *call, u64 took, s32 result, u32 is_return) {
  struct record record = {
      .since = call->since,
      .took = took,
      .amount = call->amount,
      .comm = call->comm,
      .seq = call->seq,
      .unique_id = call->unique_id,
      .pid = thread >> 32,
      .tid = thread,
      .id = ID(cookie),
      .type = call->type,
      .result = result,
      .a = call->a,
      .b = call->b,
      .is_return = is_return,
  };
  return SEND(records, &record, sizeof record, WAKE(records, RING_BYTES)) ? dropped(LOST_RECORD) : 0;
}

/* Of a busy communicator every 2^shift-th call is told: by its number, so that all ranks tell of the same ones. */
static __always_inline u32 is_kept(struct series *of, u64 now) {
  u32 window = now >> 30, before, shift = 0, mask;
  if (window != of->window) {
    before = window == of->window + 1 ? of->in_window : 0;
#pragma unroll
    for (int i = 0; i < 16; i++)
      if (before >> i > KEPT_PER_WINDOW) shift = i + 1;
    of->shift = shift;
    of->window = window;
    of->in_window = of->kept = 0;
  }
  of->in_window++;
  mask = (1 << (of->shift & 31)) - 1;
  if (((u32)of->calls & mask) || of->kept >= MOST_PER_WINDOW) return 0;
  of->kept++;
  return 1;
}

/* A wait that began after all calls of a series so far had returned proves them all. */
static __always_inline void prove(u32 pid, struct series *of) {
  struct survey *seen = GET(surveyed, &pid);
  if (seen && of->returned == of->calls && seen->waited > of->last_return) of->completed = of->calls;
}

static __always_inline void launched(u32 pid, u64 comm, u64 now) {
  struct series_key key = {.comm = comm, .pid = pid, .what = COLLECTIVE};
  struct series *of = GET(series, &key);
  if (!of) return;
  of->last_return = now;
  __sync_fetch_and_add(&of->returned, 1); /* behind it, also for who reads both from another CPU */
}

static __always_inline int change_groups(u32 pid, u32 by) {
  struct survey *of = GET(surveyed, &pid);
  if (of) __sync_fetch_and_add(&of->groups, by);
  return 0;
}

static __always_inline void number(u32 pid, u64 cookie, struct open *call) {
  struct series_key key = {.comm = call->comm, .pid = pid, .what = WHAT(cookie)};
  struct series *of = GET(series, &key), *none;
  struct past *past;
  u32 zero = 0;
  if (!of) {
    none = GET(no_series, &zero);
    if (none) ADD(series, &key, none);
    of = GET(series, &key);
  }
  if (!of) {
    dropped(LOST_SERIES);
    return;
  }
  prove(pid, of);
  call->seq = of->calls;
  call->kept = is_kept(of, call->since);
  past = &of->tail[of->calls & (TAIL - 1)];
  past->since = call->since;
  past->amount = call->amount;
  past->seq = call->seq;
  past->root = call->b;
  past->id = ID(cookie);
  past->type = call->type;
  of->calls++; /* calls on one communicator never run side by side */
}

/* 128 bytes, the same on every rank. On x86-64 passed by value: on the stack, above the return address. */
static __always_inline u64 unique_id_at(u64 address) {
  u64 words[16] = {}, hash = 14695981039346656037ull;
  if (bpf_probe_read_user(words, sizeof words, (void *)address)) return 0;
#pragma unroll
  for (int i = 0; i < 16; i++) hash = (hash ^ words[i]) * 1099511628211ull;
  return hash;
}

static __always_inline void read_init(struct pt_regs *ctx, u32 what, struct open *call) {
  call->amount = argument(ctx, 1);
  call->a = argument(ctx, 2);
#if defined(INQUEST_x86_64)
  call->b = argument(ctx, 3);
  call->unique_id = unique_id_at(what == INIT ? ctx->sp + 8 : argument(ctx, 5));
#else
  call->b = argument(ctx, what == INIT ? 4 : 3);
  call->unique_id = unique_id_at(argument(ctx, what == INIT ? 3 : 5));
#endif
}

/* Begin and end of communicators: rare, and told when they begin, because some never return. */
static __always_inline int is_life(u32 what) {
  return what == INIT || what == INIT_SCALABLE || what == SPLIT || what == END;
}

SEC("uprobe") int enter_nccl(struct pt_regs *ctx) {
  u64 thread = bpf_get_current_pid_tgid(), cookie = bpf_get_attach_cookie(ctx);
  struct open_key key = {.thread = thread, .id = ID(cookie)};
  struct open call = {};
  u32 what = WHAT(cookie);
  if (!is_tracked(thread >> 32)) return 0;
  if (BLURS(cookie)) blur(thread >> 32);
  if (what == GROUP_START) return change_groups(thread >> 32, 1);
  call.since = bpf_ktime_get_ns();
  call.comm = argument(ctx, COMM_ARG(cookie));
  if (what == COLLECTIVE || what == PEER) {
    call.amount = argument(ctx, BYTES_ARG(cookie));
    call.type = argument(ctx, TYPE_ARG(cookie));
    call.b = ROOT_ARG(cookie) ? (s32)argument(ctx, ROOT_ARG(cookie)) : -1;
    number(thread >> 32, cookie, &call);
  } else if (what == INIT || what == INIT_SCALABLE) {
    read_init(ctx, what, &call);
  } else if (what == SPLIT) {
    call.a = argument(ctx, 2);
    call.b = argument(ctx, 3);
    call.amount = argument(ctx, 4);
  } else if (what == ASYNC_ERROR) {
    call.amount = argument(ctx, 2); /* where the answer will be stored */
  }
  if (is_life(what)) tell(thread, cookie, &call, 0, 0, 0);
  return PUT(open_calls, &key, &call) ? dropped(LOST_OPEN) : 0;
}

static __always_inline void forget_series(u32 pid, u64 comm) {
  struct series_key key = {.comm = comm, .pid = pid, .what = COLLECTIVE};
  DEL(series, &key);
  key.what = PEER;
  DEL(series, &key);
}

SEC("uretprobe") int leave_nccl(struct pt_regs *ctx) {
  u64 now = bpf_ktime_get_ns(), thread = bpf_get_current_pid_tgid(), cookie = bpf_get_attach_cookie(ctx), fresh = 0;
  struct open_key key;
  struct open *found = open_of(thread, cookie, &key), call;
  s32 result = returned(ctx), answer = 0;
  u32 what = WHAT(cookie);
  if (!found) return 0;
  call = *found;
  DEL(open_calls, &key);
  if (what == ASYNC_ERROR) bpf_probe_read_user(&answer, sizeof answer, (void *)call.amount);
  if (result || answer) blur(thread >> 32); /* an error; or ncclInProgress: it goes on without its caller */
  if (what == GROUP_END) change_groups(thread >> 32, -1);
  if (what == COLLECTIVE) launched(thread >> 32, call.comm, now);
  if (what == ASYNC_ERROR) {
    return answer && answer != IN_PROGRESS ? tell(thread, cookie, &call, now - call.since, answer, 1) : 0;
  }
  if (what == INIT || what == INIT_SCALABLE || what == SPLIT) {
    bpf_probe_read_user(&fresh, sizeof fresh, (void *)call.amount);
    call.amount = fresh;
    if (fresh) forget_series(thread >> 32, fresh); /* the address may be that of an earlier communicator */
  }
  return is_life(what) || call.kept || result ? tell(thread, cookie, &call, now - call.since, result, 1) : 0;
}
