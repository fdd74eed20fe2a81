/* What every program here begins with: types, registers and maps. */
#pragma once
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Maps are made by the loader (capture/ebpf/rawbpf.py) as Python declares them; the sizes there and here must agree. */
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

/* Process id of the thread group -> 1, for every process of the job (capture/ebpf/session.py). */
MAP(tracked, BPF_MAP_TYPE_HASH, u32, u32);

static __always_inline int is_tracked(u32 pid) { return bpf_map_lookup_elem(&tracked, &pid) != 0; }
