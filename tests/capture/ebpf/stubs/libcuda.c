/* STUB of libcuda.so.1: the exported names and argument lists of the driver, and no GPU. */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **params, void **extra) {
  (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)params,
      (void)extra;
  return 0;
}
int cuLaunchKernelEx(void *config, void *f, void **params, void **extra) {
  (void)config, (void)f, (void)params, (void)extra;
  return 0;
}
int cuMemcpyHtoD_v2(size_t to, const void *from, size_t bytes) { return (void)to, (void)from, (void)bytes, 0; }
int cuMemcpyDtoHAsync_v2(void *to, size_t from, size_t bytes, void *stream) {
  return (void)to, (void)from, (void)bytes, (void)stream, 0;
}
/* Out of memory (CUDA_ERROR_OUT_OF_MEMORY = 2) above 80 GiB. */
int cuMemAlloc_v2(size_t *at, size_t bytes) { return *at = 4096, bytes > (size_t)80 << 30 ? 2 : 0; }
/* INQUEST_STUB_SYNC_US: how long a synchronisation takes. */
int cuStreamSynchronize(void *stream) {
  const char *us = getenv("INQUEST_STUB_SYNC_US");
  (void)stream;
  if (us) usleep(atoi(us));
  return 0;
}
/* INQUEST_STUB_WAIT="N": what a wait for the device returns. */
volatile int stub_waits, stub_waiting; /* not of CUDA: while it is set, such a wait does not return */
int cuCtxSynchronize(void) {
  const char *result = getenv("INQUEST_STUB_WAIT");
  while (stub_waits) stub_waiting = 1, usleep(100);
  return result ? atoi(result) : 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return (void)device, *context = 0, 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return (void)device, 0; }
int cuDevicePrimaryCtxReset_v2(int device) { return (void)device, 0; }
int cuCtxCreate_v2(void **context, unsigned flags, int device) { return (void)flags, (void)device, *context = 0, 0; }
int cuStreamBeginCapture_v2(void *stream, int mode) { return (void)stream, (void)mode, 0; }
int cuStreamBeginCapture_v2_ptsz(void *stream, int mode) { return (void)stream, (void)mode, 1; }
int cuGraphLaunch(void *graph, void *stream) { return (void)graph, (void)stream, 0; }
