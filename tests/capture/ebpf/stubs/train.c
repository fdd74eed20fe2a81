/* A "training" job on the stub libraries. Reads commands from standard input, so that a test decides when what happens:
 *
 *   init ID | config ID | scalable ID      a communicator of four ranks; ID fills the unique id, $RANK is the rank
 *   split COLOR KEY                        of the first communicator
 *   steps N                                N steps, each: copy in, 50 launches, all-reduce, copy out, synchronise
 *   allreduce N | reduce N | sendrecv N    collectives on the latest communicator
 *   group | endgroup | held                a group; a collective that has not returned while the device is waited for
 *   during WHAT [N]                        allreduce, endgroup, abort or device while a thread waits for the device
 *   device N | wait | elsewhere | driverwait
 *                                          takes a device into use; waits for it, in a thread of its own, by the driver
 *   capture | context | release | reset    of the driver
 *   oom | error CODE [TIMES] | finalize | destroy | abort | sync | launch N | driver N
 *                                          launches by the runtime, or by the driver alone
 * Answers each with a line, so that the test can wait. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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
int cudaSetDevice(int);
int cudaDeviceSynchronize(void);
int cuCtxSynchronize(void);
int cuCtxCreate_v2(void **, unsigned, int);
int cuDevicePrimaryCtxRelease_v2(int);
int cuDevicePrimaryCtxReset_v2(int);
int cuStreamBeginCapture_v2(void *, int);
int ncclGroupStart(void);
int ncclGroupEnd(void);
extern volatile int stub_hold, stub_held, stub_waits, stub_waiting;
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuMemcpyHtoD_v2(size_t, const void *, size_t);
int cuMemAlloc_v2(size_t *, size_t);
int ncclCommInitRank(ncclComm_t *, int, ncclUniqueId, int);
int ncclCommInitRankConfig(ncclComm_t *, int, ncclUniqueId, int, void *);
int ncclCommInitRankScalable(ncclComm_t *, int, int, int, ncclUniqueId *, void *);
int ncclCommSplit(ncclComm_t, int, int, ncclComm_t *, void *);
int ncclCommFinalize(ncclComm_t);
int ncclCommDestroy(ncclComm_t);
int ncclCommAbort(ncclComm_t);
int ncclCommGetAsyncError(ncclComm_t, int *);
void stub_fail(ncclComm_t, int);
int ncclAllReduce(const void *, void *, size_t, int, int, ncclComm_t, void *);
int ncclReduce(const void *, void *, size_t, int, int, int, ncclComm_t, void *);
int ncclSend(const void *, size_t, int, int, ncclComm_t, void *);
int ncclRecv(void *, size_t, int, int, ncclComm_t, void *);

static char buffer[4096];
static ncclComm_t comms[8];
static int made;

static void launch(long times) {
  dim3 one = {1, 1, 1};
  while (times-- > 0) cudaLaunchKernel(buffer, one, one, 0, 0, 0);
}

static void step(void) {
  cudaMemcpyAsync(buffer, buffer, 4096, 1, 0);
  launch(50);
  ncclAllReduce(buffer, buffer, 1000, 7, 0, comms[made - 1], 0);
  cudaMemcpyAsync(buffer, buffer, 8, 2, 0);
  cudaStreamSynchronize(0);
}

static void *wait_for_device(void *none) {
  cudaDeviceSynchronize();
  return none;
}
static void *all_reduce(void *none) {
  ncclAllReduce(buffer, buffer, 512, 9, 0, comms[made - 1], 0);
  return none;
}

int main(void) {
  char line[256], word[64];
  int rank = getenv("RANK") ? atoi(getenv("RANK")) : 0;
  long n = 0, m = 0;
  pthread_t waiter;
  setvbuf(stdout, 0, _IOLBF, 0);
  puts("ready");
  while (fgets(line, sizeof line, stdin)) {
    ncclUniqueId id;
    ncclComm_t last = made ? comms[made - 1] : 0;
    int during = !strncmp(line, "during ", 7);
    n = m = 0;
    if (sscanf(line + 7 * during, "%63s %ld %ld", word, &n, &m) < 1) continue;
    if (during) {
      stub_waits = 1;
      pthread_create(&waiter, 0, wait_for_device, 0);
      while (!stub_waiting) continue;
    }
    memset(&id, (int)n, sizeof id);
    if (!strcmp(word, "init")) ncclCommInitRank(&comms[made++], 4, id, rank);
    if (!strcmp(word, "config")) ncclCommInitRankConfig(&comms[made++], 4, id, rank, 0);
    if (!strcmp(word, "scalable")) ncclCommInitRankScalable(&comms[made++], 4, rank, 1, &id, 0);
    if (!strcmp(word, "split")) ncclCommSplit(comms[0], (int)n, (int)m, &comms[made++], 0);
    if (!strcmp(word, "steps"))
      for (long i = 0; i < n; i++) step();
    if (!strcmp(word, "allreduce"))
      for (long i = 0; i < n; i++) ncclAllReduce(buffer, buffer, 512, 9, 0, last, 0);
    if (!strcmp(word, "reduce"))
      for (long i = 0; i < n; i++) ncclReduce(buffer, buffer, 256, 8, 0, 3, last, 0);
    if (!strcmp(word, "sendrecv"))
      for (long i = 0; i < n; i++) ncclSend(buffer, 64, 7, 1, last, 0), ncclRecv(buffer, 64, 7, 2, last, 0);
    if (!strcmp(word, "launch")) launch(n);
    if (!strcmp(word, "driver"))
      for (long i = 0; i < n; i++) cuLaunchKernel(buffer, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    if (!strcmp(word, "oom")) {
      void *at;
      size_t place;
      cudaMalloc(&at, (size_t)1 << 20), cudaMalloc(&at, (size_t)90 << 30), cuMemAlloc_v2(&place, (size_t)90 << 30);
    }
    if (!strcmp(word, "error")) {
      int error;
      stub_fail(last, (int)n);
      for (long i = 0; i < (m ? m : 1); i++) ncclCommGetAsyncError(last, &error);
    }
    if (!strcmp(word, "finalize")) ncclCommFinalize(last);
    if (!strcmp(word, "destroy")) ncclCommDestroy(comms[--made]);
    if (!strcmp(word, "abort")) ncclCommAbort(comms[--made]);
    if (!strcmp(word, "sync")) cudaStreamSynchronize(0);
    if (!strcmp(word, "group")) ncclGroupStart();
    if (!strcmp(word, "endgroup")) ncclGroupEnd();
    if (!strcmp(word, "device")) cudaSetDevice((int)n);
    if (!strcmp(word, "wait")) cudaDeviceSynchronize();
    if (!strcmp(word, "driverwait")) cuCtxSynchronize();
    if (!strcmp(word, "elsewhere") || !strcmp(word, "held")) {
      pthread_t thread;
      int held = *word == 'h';
      stub_hold = held;
      pthread_create(&thread, 0, held ? all_reduce : wait_for_device, 0);
      while (held && !stub_held) continue;
      if (held) cudaDeviceSynchronize();
      stub_hold = 0;
      pthread_join(thread, 0);
    }
    if (!strcmp(word, "capture")) cuStreamBeginCapture_v2(0, 0);
    if (!strcmp(word, "context")) cuCtxCreate_v2(&(void *){0}, 0, 0);
    if (!strcmp(word, "release")) cuDevicePrimaryCtxRelease_v2(0);
    if (!strcmp(word, "reset")) cuDevicePrimaryCtxReset_v2(0);
    if (during) {
      stub_waits = 0;
      pthread_join(waiter, 0);
    }
    puts(during ? "during" : word);
  }
  return 0;
}
