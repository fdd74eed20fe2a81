/* STUB of libnccl.so.2: the calling conventions of nccl.h, and no network.
 *
 * INQUEST_STUB_HANG="N": the N-th collective of this process never returns. INQUEST_STUB_INIT="N": what
 * ncclCommInitRank returns. INQUEST_STUB_GROUP, INQUEST_STUB_COLLECTIVE: what ncclGroupEnd
 * and collectives return. */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  char internal[128];
} ncclUniqueId;
typedef struct ncclComm {
  int ranks, rank, error;
} *ncclComm_t;

/* Not of NCCL: while it is set, calls of collectives do not return. */
volatile int stub_hold, stub_held;

static int collective(void) {
  static int calls;
  while (stub_hold) stub_held = 1, usleep(100);
  const char *hang = getenv("INQUEST_STUB_HANG"), *result = getenv("INQUEST_STUB_COLLECTIVE");
  if (hang && ++calls == atoi(hang))
    for (;;) pause();
  return result ? atoi(result) : 0;
}
static ncclComm_t comm_of(int ranks, int rank) {
  ncclComm_t comm = malloc(sizeof *comm);
  comm->ranks = ranks, comm->rank = rank, comm->error = 0;
  return comm;
}

int ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank) {
  const char *result = getenv("INQUEST_STUB_INIT");
  return (void)id, *comm = comm_of(ranks, rank), result ? atoi(result) : 0;
}
int ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, void *config) {
  return (void)id, (void)config, *comm = comm_of(ranks, rank), 0;
}
int ncclCommInitRankScalable(ncclComm_t *comm, int ranks, int rank, int ids, ncclUniqueId *id, void *config) {
  return (void)ids, (void)id, (void)config, *comm = comm_of(ranks, rank), 0;
}
int ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *fresh, void *config) {
  return (void)comm, (void)config, *fresh = color < 0 ? 0 : comm_of(0, key), 0;
}
int ncclCommFinalize(ncclComm_t comm) { return (void)comm, 0; }
int ncclCommDestroy(ncclComm_t comm) { return free(comm), 0; }
int ncclCommAbort(ncclComm_t comm) { return free(comm), 0; }
int ncclCommGetAsyncError(ncclComm_t comm, int *error) { return *error = comm->error, 0; }
/* Not of NCCL: what a test sets for the next question about errors. */
void stub_fail(ncclComm_t comm, int error) { comm->error = error; }

int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, ncclComm_t comm, void *stream) {
  return (void)from, (void)to, (void)count, (void)type, (void)op, (void)comm, (void)stream, collective();
}
int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root, ncclComm_t comm, void *stream) {
  return (void)from, (void)to, (void)count, (void)type, (void)op, (void)root, (void)comm, (void)stream, collective();
}
int ncclAllGather(const void *from, void *to, size_t count, int type, ncclComm_t comm, void *stream) {
  return (void)from, (void)to, (void)count, (void)type, (void)comm, (void)stream, collective();
}
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, ncclComm_t comm, void *stream) {
  return (void)from, (void)to, (void)count, (void)type, (void)root, (void)comm, (void)stream, collective();
}
int ncclSend(const void *from, size_t count, int type, int peer, ncclComm_t comm, void *stream) {
  return (void)from, (void)count, (void)type, (void)peer, (void)comm, (void)stream, 0;
}
int ncclRecv(void *to, size_t count, int type, int peer, ncclComm_t comm, void *stream) {
  return (void)to, (void)count, (void)type, (void)peer, (void)comm, (void)stream, 0;
}
int ncclGroupStart(void) { return 0; }
int ncclGroupEnd(void) {
  const char *result = getenv("INQUEST_STUB_GROUP");
  return result ? atoi(result) : 0;
}
