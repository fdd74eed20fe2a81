/* What the programs on the kernel's own events share: where the kernel keeps what they read, and how they read it.
 *
 * Nothing here is relocated (CO-RE): offsets come from the kernel's BTF at run time, in the map `layout`, which
 * capture/ebpf/btf.py fills. So the same text is compiled by bcc, which has no types of the kernel at hand.
 */
#pragma once
#include "probe.h"

#define PROGRAM(name) SEC("raw_tp") int name(struct bpf_raw_tracepoint_args *ctx)

/* Where the running kernel keeps what we read, in bytes from the begin of the structure named first; order and names
 * are those of LAYOUT in capture/ebpf/btf.py. */
struct layout {
  u32 task_pid; /* tgid follows it: btf.py checks that */
  u32 task_comm;
  u32 task_signal;
  u32 task_mm;
  u32 task_leader;
  u32 task_parent;
  u32 task_exit_code;
  u32 task_state;
  u32 task_start;
  u32 task_files;
  u32 signal_live;
  u32 signal_flags;
  u32 signal_exit_code;
  u32 signal_oom_adj;
  u32 siginfo_code;
  u32 binprm_filename;
  u32 mm_total_vm;
  u32 mm_hiwater_rss;
  u32 mm_file_rss;
  u32 mm_anon_rss;
  u32 mm_shmem_rss;
  u32 mm_pgtables;
  u32 files_fdt;
  u32 fdtable_fd;
  u32 file_inode;
  u32 inode_mode;
  u32 regs_arg0;
  u32 regs_arg1;
  u32 regs_arg2;
  u32 victim_is_pid; /* mark_victim is handed a pid (kernels before 6.8), not a task */
  u32 switch_has_state; /* sched_switch is handed the previous task's state (5.18 and later) */
  u32 nr_write;
  u32 nr_writev;
};

MAP(layout, BPF_MAP_TYPE_ARRAY, u32, struct layout);

struct ids {
  u32 pid; /* the kernel's: a thread */
  u32 tgid; /* a process */
};

static __always_inline struct layout *layout_of_kernel(void)
{
  u32 zero = 0;
  return GET(layout, &zero);
}

static __always_inline u64 read_u64(const void *base, u32 offset)
{
  u64 value = 0;
  bpf_probe_read_kernel(&value, sizeof(value), base + offset);
  return value;
}

static __always_inline u32 read_u32(const void *base, u32 offset)
{
  u32 value = 0;
  bpf_probe_read_kernel(&value, sizeof(value), base + offset);
  return value;
}

static __always_inline void *read_pointer(const void *base, u32 offset)
{
  return (void *)read_u64(base, offset);
}

static __always_inline struct ids read_ids(const void *task, const struct layout *at)
{
  struct ids ids = {};
  bpf_probe_read_kernel(&ids, sizeof(ids), task + at->task_pid);
  return ids;
}

/* Name of the process a thread belongs to; its own may be that of a pool. */
static __always_inline void read_command(char *command, const void *task, const struct layout *at)
{
  bpf_probe_read_kernel(command, 16, read_pointer(task, at->task_leader) + at->task_comm);
}
