/* What every program here begins with: types, registers and maps, in both dialects the programs are compiled in.
 *
 * Precompiled (make bpf) they name their maps by symbol, which the loader fills in. Compiled on the node by bcc
 * (--ebpf-backend bcc, which defines INQUEST_BCC) they name maps by the file descriptors the loader has opened:
 * FD_aggs and so on, given with -D. All else is the same text. */
#pragma once

#ifdef INQUEST_BCC
#include <uapi/linux/ptrace.h>
#define SEC(name)
#define MAP(name, kind, key_type, value_type)
#define RING(name)
#define MAP_OF(map) bpf_pseudo_fd(1, FD_##map)
#define GET(map, key) bpf_map_lookup_elem_(MAP_OF(map), key)
#define PUT(map, key, value) bpf_map_update_elem_(MAP_OF(map), key, value, BPF_ANY)
#define ADD(map, key, value) bpf_map_update_elem_(MAP_OF(map), key, value, BPF_NOEXIST)
#define DEL(map, key) bpf_map_delete_elem_(MAP_OF(map), key)
#define SEND(ring, data, size, flags) bpf_ringbuf_output((void *)MAP_OF(ring), data, size, flags)
#define WAITING(ring) bpf_ringbuf_query((void *)MAP_OF(ring), BPF_RB_AVAIL_DATA)
#define barrier_var(var) asm volatile("" : "+r"(var))
#else
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Maps are made by the loader (capture/ebpf/rawbpf.py) as Python declares them; what is named here is their form. */
#define MAP(name, kind, key_type, value_type)                                                                          \
  struct {                                                                                                             \
    __uint(type, kind);                                                                                                \
    __type(key, key_type);                                                                                             \
    __type(value, value_type);                                                                                         \
    __uint(max_entries, 1);                                                                                            \
  } name SEC(".maps")
#define RING(name)                                                                                                     \
  struct {                                                                                                             \
    __uint(type, BPF_MAP_TYPE_RINGBUF);                                                                                \
    __uint(max_entries, 4096);                                                                                         \
  } name SEC(".maps")
#define GET(map, key) bpf_map_lookup_elem(&map, key)
#define PUT(map, key, value) bpf_map_update_elem(&map, key, value, BPF_ANY)
#define ADD(map, key, value) bpf_map_update_elem(&map, key, value, BPF_NOEXIST)
#define DEL(map, key) bpf_map_delete_elem(&map, key)
#define SEND(ring, data, size, flags) bpf_ringbuf_output(&ring, data, size, flags)
#define WAITING(ring) bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA)

#ifdef INQUEST_x86_64
struct pt_regs {
  u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#else
struct pt_regs {
  u64 regs[31], sp, pc, pstate;
};
#endif
#endif

/* Process id of the thread group -> 1, for every process of the job (capture/ebpf/session.py). */
MAP(tracked, BPF_MAP_TYPE_HASH, u32, u32);

static __always_inline int is_tracked(u32 pid) { return GET(tracked, &pid) != 0; }

/* What a process does with its GPU, of those met before they loaded the driver (session.py puts them here). */
struct survey {
  u64 waited; /* when the latest wait for the device began of which something is proved */
  u64 devices; /* a byte for each in use */
  u32 groups; /* of NCCL calls, begun and not ended, on all threads */
  u32 blurred; /* no wait proves anything any more */
};

MAP(surveyed, BPF_MAP_TYPE_HASH, u32, struct survey);

/* Records lost, by reason; the collector adds them up. */
MAP(drops, BPF_MAP_TYPE_ARRAY, u32, u64);

static __always_inline int dropped(u32 why) {
  u64 *count = GET(drops, &why);
  if (count) __sync_fetch_and_add(count, 1);
  return 0;
}

/* Records do not wake the reader, who looks once a second, unless the ring (of `size` bytes) is half full. */
#define WAKE(ring, size) (WAITING(ring) > (size) / 2 ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP)
