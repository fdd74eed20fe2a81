/* Life and death of the job's processes, as the kernel tells it: forks and execs, how each process ended, who signalled
 * whom, and whom the kernel killed for memory. Keeps `tracked` up to date: children of the job are of the job.
 */
#include "kernel.h"

enum { FORK, EXEC, EXIT, SIGNAL, OOM };
enum { LOST_EVENT, LOST_CHILD };

#define PATH_BYTES 128
#define STACK_DEPTH 24
#define SIGNAL_GROUP_EXIT 4
#define SENDER 1
#define RECEIVER 2

struct event {
  u64 mono_ns;
  u64 start_ns; /* boot time the process began at: with the pid, its identity */
  u32 kind;
  u32 pid;
  u32 parent; /* of a signal: its sender */
  s32 code; /* wait status, or signal number */
  s32 si_code;
  u32 uid; /* of a signal: user id of its sender */
  u32 result; /* of a signal: enum of trace/events/signal.h, 0 is delivered */
  u32 detail; /* of an exit: pages resident at most, 0 where not known; of a signal: who is of the job, SENDER and RECEIVER */
  char comm[16];
  char other_comm[16];
};

struct exec_event {
  struct event head;
  char path[PATH_BYTES];
};

struct oom_event {
  struct event head;
  u64 total_vm; /* this and the following in pages */
  s64 anon_rss;
  s64 file_rss;
  s64 shmem_rss;
  u64 pgtables; /* bytes */
  s64 oom_score_adj;
  u64 stack[STACK_DEPTH]; /* who ran out of memory: the caller tells a cgroup's limit from the whole host */
};

RING(life_events);
MAP(oom_scratch, BPF_MAP_TYPE_PERCPU_ARRAY, u32, struct oom_event);

static __always_inline void describe(struct event *event, u32 kind, const void *task, const struct layout *at)
{
  void *parent = read_pointer(task, at->task_parent), *leader = read_pointer(task, at->task_leader);
  event->mono_ns = bpf_ktime_get_ns();
  event->kind = kind;
  event->pid = read_ids(task, at).tgid;
  event->parent = read_ids(parent, at).tgid;
  event->start_ns = read_u64(leader, at->task_start);
  read_command(event->comm, task, at);
}

PROGRAM(life_fork)
{
  struct layout *at = layout_of_kernel();
  if (!at)
    return 0;
  u32 parent = read_ids((void *)ctx->args[0], at).tgid, child = read_ids((void *)ctx->args[1], at).tgid;
  u32 yes = 1;
  if (parent == child || !is_tracked(parent))
    return 0;
  return PUT(tracked, &child, &yes) ? dropped(LOST_CHILD) : 0;
}

PROGRAM(life_exec)
{
  struct layout *at = layout_of_kernel();
  u32 pid = bpf_get_current_pid_tgid() >> 32;
  struct exec_event event = {};
  if (!at || !is_tracked(pid))
    return 0;
  DEL(surveyed, &pid); /* another program, of which nothing is known */
  describe(&event.head, EXEC, (void *)ctx->args[0], at);
  bpf_probe_read_kernel_str(event.path, sizeof(event.path),
          read_pointer((void *)ctx->args[2], at->binprm_filename));
  /* Whoever reads the environment of a process that lives for milliseconds has to hurry. */
  return SEND(life_events, &event, sizeof(event), BPF_RB_FORCE_WAKEUP) ? dropped(LOST_EVENT) : 0;
}

/* Pages resident at most: the kernel notes the peak only when it falls. */
static __always_inline u64 peak_of(const void *mm, const struct layout *at)
{
  s64 now = read_u64(mm, at->mm_anon_rss) + read_u64(mm, at->mm_file_rss) + read_u64(mm, at->mm_shmem_rss);
  s64 noted = read_u64(mm, at->mm_hiwater_rss);
  return now > noted ? now : noted;
}

PROGRAM(life_exit)
{
  struct layout *at = layout_of_kernel();
  u32 pid = bpf_get_current_pid_tgid() >> 32;
  struct event event = {};
  if (!at || !is_tracked(pid))
    return 0;
  void *task = (void *)ctx->args[0], *signal = read_pointer(task, at->task_signal);
  if (read_u32(signal, at->signal_live))
    return 0; /* other threads live on */
  describe(&event, EXIT, task, at);
  if (read_u32(signal, at->signal_flags) & SIGNAL_GROUP_EXIT)
    event.code = read_u32(signal, at->signal_exit_code);
  else
    event.code = read_u32(read_pointer(task, at->task_leader), at->task_exit_code);
  void *mm = read_pointer(task, at->task_mm);
  if (mm) /* kernels before 6.15 have let go of it by now; what they keep beside it counts what was there before exec */
    event.detail = peak_of(mm, at);
  DEL(tracked, &pid);
  return SEND(life_events, &event, sizeof(event), 0) ? dropped(LOST_EVENT) : 0;
}

/* Signals that tell nothing of how a job ended, and come by the thousand: children, timers, data, windows. */
enum { ALRM = 14, CHLD = 17, URG = 23, VTALRM = 26, PROF = 27, WINCH = 28, IO = 29, FIRST_REALTIME = 32 };
#define CHATTER (1u << ALRM | 1u << CHLD | 1u << URG | 1u << VTALRM | 1u << PROF | 1u << WINCH | 1u << IO)

static __always_inline int is_chatter(u32 number)
{
  return number >= FIRST_REALTIME || (1u << number & CHATTER);
}

PROGRAM(life_signal)
{
  struct layout *at = layout_of_kernel();
  u32 number = ctx->args[0], sender = bpf_get_current_pid_tgid() >> 32;
  void *info = (void *)ctx->args[1], *task = (void *)ctx->args[2];
  struct event event = {};
  if (!at || is_chatter(number))
    return 0;
  event.detail = (is_tracked(sender) ? SENDER : 0) | (is_tracked(read_ids(task, at).tgid) ? RECEIVER : 0);
  if (!event.detail)
    return 0;
  describe(&event, SIGNAL, task, at);
  event.parent = sender;
  event.code = number;
  event.uid = bpf_get_current_uid_gid();
  event.result = ctx->args[4];
  /* 0 and 1 stand for "by a process, with nothing to say" and "by the kernel": SI_USER and SI_KERNEL. */
  event.si_code = (u64)info > 1 ? (s32)read_u32(info, at->siginfo_code) : (u64)info == 1 ? 128 : 0;
  read_command(event.other_comm, (void *)bpf_get_current_task(), at);
  return SEND(life_events, &event, sizeof(event), 0) ? dropped(LOST_EVENT) : 0;
}

PROGRAM(life_oom)
{
  struct layout *at = layout_of_kernel();
  u32 zero = 0;
  struct oom_event *event = GET(oom_scratch, &zero);
  if (!at || !event)
    return 0;
  __builtin_memset(event, 0, sizeof(*event));
  if (at->victim_is_pid) {
    event->head.mono_ns = bpf_ktime_get_ns();
    event->head.kind = OOM;
    event->head.pid = ctx->args[0];
  } else {
    void *task = (void *)ctx->args[0], *mm = read_pointer(task, at->task_mm);
    describe(&event->head, OOM, task, at);
    event->total_vm = read_u64(mm, at->mm_total_vm);
    event->anon_rss = read_u64(mm, at->mm_anon_rss);
    event->file_rss = read_u64(mm, at->mm_file_rss);
    event->shmem_rss = read_u64(mm, at->mm_shmem_rss);
    event->pgtables = read_u64(mm, at->mm_pgtables);
    event->oom_score_adj = (short)read_u32(read_pointer(task, at->task_signal), at->signal_oom_adj);
  }
  if (!is_tracked(event->head.pid))
    return 0;
  event->head.code = 9;
  bpf_get_stack(ctx, event->stack, sizeof(event->stack), 0);
  return SEND(life_events, event, sizeof(*event), 0) ? dropped(LOST_EVENT) : 0;
}
