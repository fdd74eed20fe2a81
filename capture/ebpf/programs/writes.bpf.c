/* What the job prints: bytes that its processes hand to write(2) and writev(2) on file descriptors 1 and 2.
 *
 * Each process and descriptor is a stream; a record says where in it its bytes lie, so that whatever is lost on the
 * way shows as a gap of known length.
 */
#include "kernel.h"

enum { WHOLE, UNREADABLE, CUT };

#define S_IFMT 0170000
#define S_IFREG 0100000
#define RING_BYTES (1 << 20)
#define CHUNK_BYTES 4096
#define MOST_CHUNKS 16 /* of one call with their text: of what is beyond, the length is told */
#define MOST_STEPS 64 /* of one call: chunks and buffers together */

struct stream {
  u32 pid;
  u32 fd;
};

struct chunk {
  u64 mono_ns;
  u64 offset;
  struct stream stream;
  u32 bytes; /* the process wrote them */
  u32 why; /* WHOLE: they follow; else why they do not */
  u8 text[CHUNK_BYTES];
};
#define HEAD_BYTES 32

struct part {
  void *base;
  u64 bytes;
};

/* Where we are in a call. In memory, not in registers: so the verifier takes every step of the loop for the same. */
struct cursor {
  struct part *parts; /* those that follow */
  u64 parts_left;
  void *base;
  u64 left;
  u64 room;
};

struct scratch {
  struct cursor cursor;
  struct chunk chunk;
};

RING(write_events);
MAP(write_scratch, BPF_MAP_TYPE_PERCPU_ARRAY, u32, struct scratch);
MAP(write_offsets, BPF_MAP_TYPE_HASH, struct stream, u64);

static __always_inline void send(struct chunk *chunk, u64 *offset, u64 bytes, u32 why, u32 text)
{
  chunk->bytes = bytes > 0x7fffffff ? 0x7fffffff : bytes;
  chunk->offset = __sync_fetch_and_add(offset, chunk->bytes);
  chunk->why = why;
  if (SEND(write_events, chunk, HEAD_BYTES + text, WAKE(write_events, RING_BYTES)))
    dropped(0); /* the reader misses these bytes by their offset */
}

/* One chunk of the call, or its next buffer; 0 when there is nothing left. */
static __always_inline int step(struct scratch *scratch, u64 *offset)
{
  struct cursor *at = &scratch->cursor;
  struct part part = {};
  u32 now;
  if (!at->left) {
    if (!at->parts_left || bpf_probe_read_user(&part, sizeof(part), at->parts))
      return 0;
    at->parts_left--;
    at->parts++;
    at->base = part.base;
    at->left = part.bytes;
    return 1;
  }
  if (!at->room) {
    send(&scratch->chunk, offset, at->left, CUT, 0);
    at->left = 0;
    return 1;
  }
  at->room--;
  now = at->left > CHUNK_BYTES ? CHUNK_BYTES : at->left;
  asm volatile("" : "+r"(now)); /* the bound, where the verifier looks for it */
  if (now > CHUNK_BYTES)
    return 0;
  if (bpf_probe_read_user(scratch->chunk.text, now, at->base))
    send(&scratch->chunk, offset, now, UNREADABLE, 0);
  else
    send(&scratch->chunk, offset, now, WHOLE, now);
  at->base += now;
  at->left -= now;
  return 1;
}

/* Output that goes to a file is there to be read. */
static __always_inline int is_regular(u32 fd, const struct layout *at)
{
  void *files = read_pointer((void *)bpf_get_current_task(), at->task_files);
  void *table = read_pointer(read_pointer(files, at->files_fdt), at->fdtable_fd);
  void *inode = read_pointer(read_pointer(table, fd * sizeof(void *)), at->file_inode);
  return (read_u32(inode, at->inode_mode) & S_IFMT) == S_IFREG;
}

PROGRAM(write_entered)
{
  struct layout *at = layout_of_kernel();
  void *regs = (void *)ctx->args[0];
  u64 nr = ctx->args[1], nothing = 0;
  u32 zero = 0;
  if (!at || (nr != at->nr_write && nr != at->nr_writev))
    return 0;
  struct stream stream = {.pid = bpf_get_current_pid_tgid() >> 32, .fd = read_u32(regs, at->regs_arg0)};
  if ((stream.fd != 1 && stream.fd != 2) || !is_tracked(stream.pid) || is_regular(stream.fd, at))
    return 0;
  struct scratch *scratch = GET(write_scratch, &zero);
  u64 *offset = GET(write_offsets, &stream);
  if (!offset) {
    ADD(write_offsets, &stream, &nothing);
    offset = GET(write_offsets, &stream);
  }
  if (!scratch || !offset)
    return dropped(1);
  scratch->chunk.mono_ns = bpf_ktime_get_ns();
  scratch->chunk.stream = stream;
  scratch->cursor = (struct cursor){.room = MOST_CHUNKS};
  if (nr == at->nr_write) {
    scratch->cursor.base = read_pointer(regs, at->regs_arg1);
    scratch->cursor.left = read_u64(regs, at->regs_arg2);
  } else {
    scratch->cursor.parts = read_pointer(regs, at->regs_arg1);
    scratch->cursor.parts_left = read_u64(regs, at->regs_arg2);
  }
  for (int i = 0; i < MOST_STEPS; i++)
    if (!step(scratch, offset))
      return 0;
  return scratch->cursor.left || scratch->cursor.parts_left ? dropped(2) : 0;
}
