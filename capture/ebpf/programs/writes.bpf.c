/* What the job prints: bytes that its processes hand to write(2) and writev(2) on file descriptors 1 and 2.
 *
 * Each process and descriptor is a stream; a record says where in it its bytes lie, so that whatever is lost on the
 * way shows as a gap of known length.
 */
#include "kernel.h"

enum { WHOLE, UNREADABLE, CUT };

#define CHUNK_BYTES 4096
#define MOST_CHUNKS 16 /* of one call: of what is beyond, the length is told */
#define MOST_PARTS 64 /* of one writev: likewise */

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

RING(write_events);
MAP(write_scratch, BPF_MAP_TYPE_PERCPU_ARRAY, u32, struct chunk);
MAP(write_offsets, BPF_MAP_TYPE_HASH, struct stream, u64);

static __always_inline void send(struct chunk *chunk, u64 *offset, u32 bytes, u32 why, u32 text)
{
  chunk->offset = __sync_fetch_and_add(offset, bytes);
  chunk->bytes = bytes;
  chunk->why = why;
  asm volatile("" : "+r"(text)); /* keep the bound where the verifier sees it */
  if (text > CHUNK_BYTES)
    text = CHUNK_BYTES;
  if (SEND(write_events, chunk, HEAD_BYTES + text, 0))
    dropped(0); /* the reader misses these bytes by their offset */
}

/* Sends what fits of one buffer; returns how many chunks are left for the call. */
static __always_inline u32 send_buffer(struct chunk *chunk, u64 *offset, const void *base, u64 bytes, u32 room)
{
  for (int i = 0; i < MOST_CHUNKS && bytes && room; i++, room--) {
    u32 now = bytes > CHUNK_BYTES ? CHUNK_BYTES : bytes;
    asm volatile("" : "+r"(now));
    if (now > CHUNK_BYTES)
      now = CHUNK_BYTES;
    if (bpf_probe_read_user(chunk->text, now, base))
      send(chunk, offset, now, UNREADABLE, 0);
    else
      send(chunk, offset, now, WHOLE, now);
    base += now;
    bytes -= now;
  }
  if (bytes)
    send(chunk, offset, bytes > 0x7fffffff ? 0x7fffffff : bytes, CUT, 0);
  return room;
}

PROGRAM(write_entered)
{
  struct layout *at = layout_of_kernel();
  void *regs = (void *)ctx->args[0];
  u64 nr = ctx->args[1], nothing = 0;
  u32 zero = 0, room = MOST_CHUNKS;
  if (!at || (nr != at->nr_write && nr != at->nr_writev))
    return 0;
  struct stream stream = {.pid = bpf_get_current_pid_tgid() >> 32, .fd = read_u32(regs, at->regs_arg0)};
  if ((stream.fd != 1 && stream.fd != 2) || !is_tracked(stream.pid))
    return 0;
  struct chunk *chunk = GET(write_scratch, &zero);
  u64 *offset = GET(write_offsets, &stream);
  if (!offset) {
    ADD(write_offsets, &stream, &nothing);
    offset = GET(write_offsets, &stream);
  }
  if (!chunk || !offset)
    return dropped(1);
  chunk->mono_ns = bpf_ktime_get_ns();
  chunk->stream = stream;
  void *buffer = read_pointer(regs, at->regs_arg1);
  u64 count = read_u64(regs, at->regs_arg2);
  if (nr == at->nr_write) {
    send_buffer(chunk, offset, buffer, count, room);
    return 0;
  }
  for (u32 i = 0; i < MOST_PARTS && i < count; i++) {
    struct part part = {};
    if (bpf_probe_read_user(&part, sizeof(part), buffer + i * sizeof(part)))
      break;
    room = send_buffer(chunk, offset, part.base, part.bytes, room);
  }
  return 0;
}
