/* Calls of CUDA by processes of the job, added up where they happen: by process, function, direction and result. */
#include "calls.h"

enum { HISTOGRAM = 32 };

struct sum_key {
  u32 pid;
  u16 id;
  u16 direction;
  s32 result;
};

struct sum {
  u64 calls;
  u64 ns;
  u64 bytes;
  u64 max_ns[2]; /* of even and of odd intervals: one is written while the other is read */
  u32 interval[2];
  u32 histogram[HISTOGRAM];
};

MAP(sums, BPF_MAP_TYPE_HASH, struct sum_key, struct sum);
MAP(no_sum, BPF_MAP_TYPE_PERCPU_ARRAY, u32, struct sum);
MAP(interval, BPF_MAP_TYPE_ARRAY, u32, u32);
/* While it is found out whether the runtime's launches end in the driver's: threads inside one of the runtime's. */
MAP(on_trial, BPF_MAP_TYPE_ARRAY, u32, u32);
MAP(inside, BPF_MAP_TYPE_HASH, u64, u32);

static __always_inline struct sum *sum_of(u32 pid, u64 cookie, u32 direction, s32 result) {
  struct sum_key key = {.pid = pid, .id = ID(cookie), .direction = direction, .result = result};
  struct sum *sum = GET(sums, &key), *none;
  u32 zero = 0;
  if (sum) return sum;
  none = GET(no_sum, &zero);
  if (!none) return 0;
  ADD(sums, &key, none);
  return GET(sums, &key);
}

static __always_inline u32 log2_of(u64 ns) {
  u32 log = 0, value = ns >> 32 ? 0xffffffff : ns;
  if (value >> 16) log += 16, value >>= 16;
  if (value >> 8) log += 8, value >>= 8;
  if (value >> 4) log += 4, value >>= 4;
  if (value >> 2) log += 2, value >>= 2;
  return log + (value >> 1);
}

static __always_inline struct sum *add_call(struct pt_regs *ctx, u64 thread) {
  struct sum *sum;
  if (!is_tracked(thread >> 32)) return 0;
  sum = sum_of(thread >> 32, bpf_get_attach_cookie(ctx), 0, 0);
  if (!sum) {
    dropped(LOST_SUM);
    return 0;
  }
  __sync_fetch_and_add(&sum->calls, 1);
  return sum;
}

SEC("uprobe") int count(struct pt_regs *ctx) {
  u64 thread = bpf_get_current_pid_tgid();
  struct sum *sum = add_call(ctx, thread);
  u32 zero = 0, *trial = GET(on_trial, &zero);
  /* A launch has no bytes: in their place stands how many were made inside one of the runtime's. */
  if (sum && trial && *trial && GET(inside, &thread)) __sync_fetch_and_add(&sum->bytes, 1);
  return 0;
}

SEC("uprobe") int enter_launch(struct pt_regs *ctx) {
  u64 thread = bpf_get_current_pid_tgid();
  u32 yes = 1;
  if (add_call(ctx, thread)) PUT(inside, &thread, &yes);
  return 0;
}

SEC("uretprobe") int leave_launch(struct pt_regs *ctx) {
  u64 thread = bpf_get_current_pid_tgid();
  DEL(inside, &thread);
  return 0;
}

static __always_inline void use_device(u32 pid, u32 device) {
  struct survey *of = GET(surveyed, &pid);
  if (!of) return;
  if (device > 7) of->blurred = 1;
  ((u8 *)&of->devices)[device & 7] = 1; /* a byte each: two threads may do so at once */
}

/* What was called in a group need not have been launched before it ends. */
static __always_inline u32 may_prove(u32 pid) {
  struct survey *of = GET(surveyed, &pid);
  return of && !of->groups;
}

/* That there is one device is asked when the wait is over: a thread that chose none waits for the first, and takes it
 * into use for that. */
static __always_inline void waited(u32 pid, u64 since) {
  struct survey *of = GET(surveyed, &pid);
  if (!of || of->blurred || !of->devices || of->devices & (of->devices - 1)) return;
  if (of->waited < since) of->waited = since;
}

SEC("uprobe") int enter(struct pt_regs *ctx) {
  u64 thread = bpf_get_current_pid_tgid(), cookie = bpf_get_attach_cookie(ctx);
  struct open_key key = {.thread = thread, .id = ID(cookie)};
  struct open call = {};
  if (!is_tracked(thread >> 32)) return 0;
  if (BLURS(cookie)) blur(thread >> 32);
  if (WHAT(cookie) == RETAIN) use_device(thread >> 32, argument(ctx, 2));
  call.amount = argument(ctx, BYTES_ARG(cookie));
  call.type = KIND_ARG(cookie) ? (u32)argument(ctx, KIND_ARG(cookie)) + 1 : DIRECTION(cookie);
  call.since = bpf_ktime_get_ns();
  if (WHAT(cookie) == WAIT) call.kept = may_prove(thread >> 32);
  return PUT(open_calls, &key, &call) ? dropped(LOST_OPEN) : 0;
}

SEC("uretprobe") int leave(struct pt_regs *ctx) {
  u64 thread = bpf_get_current_pid_tgid(), cookie = bpf_get_attach_cookie(ctx), now = bpf_ktime_get_ns(), took;
  struct open_key key;
  struct open *call = open_of(thread, cookie, &key);
  struct sum *sum;
  u32 zero = 0, *current, half;
  if (!call) return 0; /* it was inside already when we came, or is not of the job */
  took = now - call->since;
  if (call->kept && !returned(ctx)) waited(thread >> 32, call->since);
  sum = sum_of(thread >> 32, cookie, call->type, returned(ctx));
  if (!sum) {
    dropped(LOST_SUM);
  } else {
    __sync_fetch_and_add(&sum->calls, 1);
    __sync_fetch_and_add(&sum->ns, took);
    __sync_fetch_and_add(&sum->bytes, call->amount);
    __sync_fetch_and_add(&sum->histogram[log2_of(took) & (HISTOGRAM - 1)], 1);
    current = GET(interval, &zero);
    if (current) {
      half = *current & 1;
      if (sum->interval[half] != *current) {
        sum->interval[half] = *current;
        sum->max_ns[half] = 0;
      }
      if (took > sum->max_ns[half]) sum->max_ns[half] = took;
    }
  }
  DEL(open_calls, &key);
  return 0;
}
