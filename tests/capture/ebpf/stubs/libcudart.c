/* STUB of libcudart.so.12: calls the driver's stub, as the real one calls the driver.
 * INQUEST_STUB_OWN_WAY: launches do not go through what the driver exports. */
#include <stddef.h>
#include <stdlib.h>

int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuStreamSynchronize(void *);
int cuCtxSynchronize(void);
int cuDevicePrimaryCtxRetain(void **, int);

typedef struct {
  unsigned x, y, z;
} dim3;

static int own_way;
__attribute__((constructor)) static void choose_way(void) { own_way = getenv("INQUEST_STUB_OWN_WAY") != 0; }

int cudaLaunchKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared, void *stream) {
  if (own_way) return 0;
  return cuLaunchKernel((void *)f, grid.x, 1, 1, block.x, 1, 1, shared, stream, args, 0);
}
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  return (void)to, (void)from, (void)bytes, (void)kind, (void)stream, 0;
}
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  return (void)to, (void)from, (void)bytes, (void)kind, 0;
}
int cudaMalloc(void **at, size_t bytes) { return *at = 0, bytes > (size_t)80 << 30 ? 2 : 0; }
int cudaStreamSynchronize(void *stream) { return cuStreamSynchronize(stream); }
/* A thread that chose no device has the first, and takes it into use with the first call that needs one. */
static __thread int device;
static int in_use[64];
static void use(void) {
  void *context;
  if (!in_use[device]++) cuDevicePrimaryCtxRetain(&context, device);
}
int cudaSetDevice(int number) { return device = number, use(), 0; }
int cudaDeviceSynchronize(void) { return use(), cuCtxSynchronize(); }
