/* How long the job's threads waited for a CPU, and for whom: summed up in the kernel by process, by what the thread did
 * before (it was running and could have gone on, or it slept and was woken), and by the process that ran instead.
 */
#include "kernel.h"

enum { SLEEPING, RUNNABLE };
enum { LOST_WAIT, LOST_SUM };

struct wait {
  u64 since_ns;
  u32 before;
  u32 by; /* who took the CPU from a runnable thread */
  char by_comm[16];
};

struct sum_key {
  u32 pid;
  u32 by; /* 0: nobody, the CPU was idle */
  u32 before;
  u32 half; /* sums are kept twice: one half is written to while the other is read and emptied */
};

struct sum {
  u64 count;
  u64 total_ns;
  u64 max_ns;
  char by_comm[16];
};

MAP(waits, BPF_MAP_TYPE_HASH, u32, struct wait);
MAP(sums, BPF_MAP_TYPE_HASH, struct sum_key, struct sum);
MAP(half_in_use, BPF_MAP_TYPE_ARRAY, u32, u32);

static __always_inline int add(const struct wait *wait, u32 pid, u32 by, const char *by_comm)
{
  u32 zero = 0, *half = GET(half_in_use, &zero);
  u64 waited = bpf_ktime_get_ns() - wait->since_ns;
  struct sum_key key = {.pid = pid, .by = by, .before = wait->before, .half = half ? *half : 0};
  struct sum *sum = GET(sums, &key);
  if (!sum) {
    struct sum first = {};
    __builtin_memcpy(first.by_comm, by_comm, sizeof(first.by_comm));
    ADD(sums, &key, &first);
    sum = GET(sums, &key);
    if (!sum)
      return dropped(LOST_SUM);
  }
  __sync_fetch_and_add(&sum->count, 1);
  __sync_fetch_and_add(&sum->total_ns, waited);
  if (waited > sum->max_ns)
    sum->max_ns = waited; /* two CPUs at once may keep the lesser of two: a maximum, never a sum */
  return 0;
}

static __always_inline void begin_to_wait(struct ids ids, const struct wait *wait)
{
  /* Not over a wait that has begun: woken again while it waits, it has waited since the first time. */
  if (ADD(waits, &ids.pid, wait) && !GET(waits, &ids.pid))
    dropped(LOST_WAIT);
}

static __always_inline int woken(struct bpf_raw_tracepoint_args *ctx)
{
  struct layout *at = layout_of_kernel();
  struct wait wait = {};
  if (!at)
    return 0;
  struct ids ids = read_ids((void *)ctx->args[0], at);
  if (!is_tracked(ids.tgid))
    return 0;
  wait.since_ns = bpf_ktime_get_ns();
  wait.before = SLEEPING;
  begin_to_wait(ids, &wait);
  return 0;
}

PROGRAM(sched_woken)
{
  return woken(ctx);
}

PROGRAM(sched_begun)
{
  return woken(ctx);
}

PROGRAM(sched_switched)
{
  struct layout *at = layout_of_kernel();
  void *before = (void *)ctx->args[1], *after = (void *)ctx->args[2];
  char comm[16] = {};
  if (!at)
    return 0;
  struct ids went = read_ids(before, at), came = read_ids(after, at);
  struct wait *ended = came.pid ? GET(waits, &came.pid) : 0;
  if (ended) {
    if (ended->before == RUNNABLE) {
      add(ended, came.tgid, ended->by, ended->by_comm);
    } else {
      if (went.pid)
        bpf_probe_read_kernel(comm, sizeof(comm), before + at->task_comm);
      add(ended, came.tgid, went.tgid, comm);
    }
    DEL(waits, &came.pid);
  }
  if (!went.pid || !is_tracked(went.tgid))
    return 0;
  u32 state = at->switch_has_state ? (u32)ctx->args[3] : read_u32(before, at->task_state);
  if (state && !ctx->args[0])
    return 0; /* it went to sleep, or ended */
  struct wait wait = {.since_ns = bpf_ktime_get_ns(), .before = RUNNABLE, .by = came.tgid};
  bpf_probe_read_kernel(wait.by_comm, sizeof(wait.by_comm), after + at->task_comm);
  begin_to_wait(went, &wait);
  return 0;
}
