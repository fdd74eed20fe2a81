/* What programs on functions of libraries share: which function they stand on, its arguments, and calls that are open.
 *
 * One program serves many functions. What a function is comes as the attach cookie, made from the table in
 * capture/ebpf/functions.py: which argument holds what. The layouts here are unpacked in capture/ebpf/calls.py. */
#pragma once
#include "probe.h"

/* What a call is: class What in capture/ebpf/functions.py. */
enum { CALL, LAUNCH, COLLECTIVE, PEER, INIT, INIT_SCALABLE, SPLIT, END, ASYNC_ERROR };
enum { GROUP_START = ASYNC_ERROR + 1, GROUP_END, RETAIN, WAIT };
enum { LOST_RECORD, LOST_SUM, LOST_OPEN, LOST_SERIES };

/* --- arguments ------------------------------------------------------------------------------------------------ */

/* All registers are loaded before one is chosen: the verifier refuses an address within ctx that was computed. */
static __always_inline u64 argument(struct pt_regs *ctx, u32 number) {
#if defined(INQUEST_x86_64)
  u64 a1 = ctx->di, a2 = ctx->si, a3 = ctx->dx, a4 = ctx->cx, a5 = ctx->r8, a6 = ctx->r9, stack = ctx->sp, a7 = 0;
#else
  u64 a1 = ctx->regs[0], a2 = ctx->regs[1], a3 = ctx->regs[2], a4 = ctx->regs[3], a5 = ctx->regs[4],
      a6 = ctx->regs[5], a7 = ctx->regs[6];
#endif
  barrier_var(a1);
  barrier_var(a2);
  barrier_var(a3);
  barrier_var(a4);
  barrier_var(a5);
  barrier_var(a6);
  if (number == 1) return a1;
  if (number == 2) return a2;
  if (number == 3) return a3;
  if (number == 4) return a4;
  if (number == 5) return a5;
  if (number == 6) return a6;
  if (number != 7) return 0;
#if defined(INQUEST_x86_64)
  bpf_probe_read_user(&a7, sizeof a7, (void *)(stack + 8)); /* the first above the return address */
#endif
  return a7;
}

static __always_inline s32 returned(struct pt_regs *ctx) {
#if defined(INQUEST_x86_64)
  return ctx->ax;
#else
  return ctx->regs[0];
#endif
}

#define ID(cookie) ((u32)(cookie)&0xffff)
#define WHAT(cookie) ((u32)((cookie) >> 16) & 15)
#define BYTES_ARG(cookie) ((u32)((cookie) >> 20) & 15)
#define TYPE_ARG(cookie) ((u32)((cookie) >> 24) & 15)
#define COMM_ARG(cookie) ((u32)((cookie) >> 28) & 15)
#define ROOT_ARG(cookie) ((u32)((cookie) >> 32) & 15)
#define KIND_ARG(cookie) ((u32)((cookie) >> 36) & 15)
#define DIRECTION(cookie) ((u32)((cookie) >> 40) & 15)
#define BLURS(cookie) ((u32)((cookie) >> 44) & 1)

/* --- calls that are open ------------------------------------------------------------------------------------- */

struct open_key {
  u64 thread; /* process << 32 | thread */
  u64 id;
};

struct open {
  u64 since;
  u64 amount; /* bytes; of a collective: elements; of an init or split: where the new handle will be stored */
  u64 comm;
  u64 seq;
  u64 unique_id; /* hash of the ncclUniqueId */
  s32 a;         /* ranks, or colour of a split */
  s32 b;         /* rank, key of a split, root or peer */
  u16 type;      /* ncclDataType_t, or direction of a copy */
  u16 kept;
  u32 zero;
};

MAP(open_calls, BPF_MAP_TYPE_HASH, struct open_key, struct open);

static __always_inline void blur(u32 pid) {
  struct survey *of = GET(surveyed, &pid);
  if (of) of->blurred = 1;
}

static __always_inline struct open *open_of(u64 thread, u64 cookie, struct open_key *key) {
  key->thread = thread;
  key->id = ID(cookie);
  return GET(open_calls, key);
}
