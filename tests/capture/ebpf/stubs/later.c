/* The "training" job of train.c, which loads the libraries when it is told so: after the first line on standard input.
 * With INQUEST_STUB_FIRST, a library that it has loaded before. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  char line[256];
  void *job;
  if (getenv("INQUEST_STUB_FIRST") && !dlopen(getenv("INQUEST_STUB_FIRST"), RTLD_NOW)) return 1;
  setvbuf(stdout, 0, _IOLBF, 0);
  puts("ready");
  if (!fgets(line, sizeof line, stdin) || !(job = dlopen("train.so", RTLD_NOW))) return 1;
  return ((int (*)(void))dlsym(job, "main"))();
}
