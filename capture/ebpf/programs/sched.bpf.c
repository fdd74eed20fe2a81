/* How long the job's threads waited for a CPU, and for whom: summed up in the kernel by process, by what the thread did
 * before (it was running and could have gone on, or it slept and was woken), and by the process that ran instead.
 *
 * Of those that ran on that CPU meanwhile, that is the one with the longest stretch: who merely came in between (a
 * kernel thread, for microseconds) kept nobody waiting. Kept are the latest stretches that were worth it.
 */
#include "kernel.h"

enum { SLEEPING, RUNNABLE };
enum { LOST_WAIT, LOST_SUM };

struct wait {
  u64 since_ns;
  u64 before;
};

#define STRETCHES 8
#define WORTH_NS 100000

struct stretch {
  u64 end_ns;
  u64 ran_ns;
  u64 pid;
  char comm[16];
};

struct cpu {
  u64 since_ns; /* its present task runs since */
  u64 next;
  struct stretch stretches[STRETCHES];
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
MAP(cpus, BPF_MAP_TYPE_PERCPU_ARRAY, u32, struct cpu);
MAP(half_in_use, BPF_MAP_TYPE_ARRAY, u32, u32);

static __always_inline int add(const struct wait *wait, u32 pid, u64 now, struct cpu *cpu, const struct stretch *last)
{
  u32 zero = 0, *half = GET(half_in_use, &zero);
  u64 waited = now - wait->since_ns, longest = 0;
  const struct stretch *by = last;
  for (int i = 0; i < STRETCHES; i++) {
    struct stretch *other = &cpu->stretches[i];
    if (other->end_ns <= wait->since_ns)
      continue;
    u64 meanwhile = other->end_ns - wait->since_ns;
    if (other->ran_ns < meanwhile)
      meanwhile = other->ran_ns;
    if (meanwhile > longest) {
      longest = meanwhile;
      by = other;
    }
  }
  struct sum_key key = {.pid = pid, .by = by->pid, .before = wait->before, .half = half ? *half : 0};
  struct sum *sum = GET(sums, &key);
  if (!sum) {
    struct sum first = {};
    __builtin_memcpy(first.by_comm, by->comm, sizeof(first.by_comm));
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

static __always_inline void begin_to_wait(struct ids ids, struct wait *wait)
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
  void *before = (void *)ctx->args[1];
  u32 zero = 0;
  struct cpu *cpu = GET(cpus, &zero);
  if (!at || !cpu)
    return 0;
  u64 current = bpf_get_current_pid_tgid(); /* still the one that goes */
  struct ids went = {.pid = current, .tgid = current >> 32}, came = read_ids((void *)ctx->args[2], at);
  u64 now = bpf_ktime_get_ns();
  struct stretch last = {.end_ns = now, .ran_ns = cpu->since_ns ? now - cpu->since_ns : 0, .pid = went.tgid};
  struct wait *ended = came.pid ? GET(waits, &came.pid) : 0;
  int worth = went.pid && last.ran_ns >= WORTH_NS;
  cpu->since_ns = now;
  if (went.pid && (worth || ended))
    read_command(last.comm, before, at);
  if (worth)
    cpu->stretches[cpu->next++ & (STRETCHES - 1)] = last;
  if (ended) {
    add(ended, came.tgid, now, cpu, &last);
    DEL(waits, &came.pid);
  }
  if (!went.pid || !is_tracked(went.tgid))
    return 0;
  u32 state = at->switch_has_state ? (u32)ctx->args[3] : read_u32(before, at->task_state);
  if (state && !ctx->args[0])
    return 0; /* it went to sleep, or ended */
  struct wait wait = {.since_ns = now, .before = RUNNABLE};
  begin_to_wait(went, &wait);
  return 0;
}
