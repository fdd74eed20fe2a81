/* What one step of training asks of CUDA and NCCL, on the stub libraries of tests/capture/ebpf/stubs: for benchmarks.
 *
 * Loaded by step_job.py. The calls do nothing; the probes on them are real. The mix is that of a step of 0.3 s of a
 * data and tensor parallel job: launches, a copy in and out, collectives on three communicators, a few allocations, and
 * the waits at its end. */
#include <stddef.h>
#include <string.h>

typedef struct {
  char internal[128];
} ncclUniqueId;
typedef struct ncclComm *ncclComm_t;
typedef struct {
  unsigned x, y, z;
} dim3;

int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMalloc(void **, size_t);
int cudaStreamSynchronize(void *);
int cudaDeviceSynchronize(void);
int ncclCommInitRank(ncclComm_t *, int, ncclUniqueId, int);
int ncclCommDestroy(ncclComm_t);
int ncclAllReduce(const void *, void *, size_t, int, int, ncclComm_t, void *);
int ncclAllGather(const void *, void *, size_t, int, ncclComm_t, void *);
int ncclBroadcast(const void *, void *, size_t, int, int, ncclComm_t, void *);

enum { COMMS = 3 };
static ncclComm_t comms[COMMS];
static char buffer[4096];

void begin(int rank, int ranks, int job) {
  for (int i = 0; i < COMMS; i++) {
    ncclUniqueId id;
    memset(&id, job * COMMS + i + 1, sizeof id);
    ncclCommInitRank(&comms[i], ranks, id, rank);
  }
}

void step(long launches, long copies, long collectives) {
  dim3 one = {1, 1, 1};
  void *at;
  for (long i = 0; i < copies; i++) cudaMemcpyAsync(buffer, buffer, 4096 + 64 * i, i % 4 == 3 ? 2 : i % 2 ? 3 : 1, 0);
  for (long i = 0; i < 4; i++) cudaMalloc(&at, (size_t)1 << (20 + i));
  for (long i = 0; i < launches; i++) cudaLaunchKernel(buffer, one, one, 0, 0, 0);
  for (long i = 0; i < collectives; i++) {
    ncclComm_t comm = comms[i % COMMS];
    if (i % COMMS == 1) ncclAllGather(buffer, buffer, 1 << 16, 9, comm, 0);
    else if (i == collectives - 1) ncclBroadcast(buffer, buffer, 1, 4, 0, comm, 0);
    else ncclAllReduce(buffer, buffer, 1 << 20, 9, 0, comm, 0);
  }
  cudaStreamSynchronize(0);
  cudaStreamSynchronize(0);
  cudaDeviceSynchronize();
}

void end(void) {
  for (int i = 0; i < COMMS; i++) ncclCommDestroy(comms[i]);
}
