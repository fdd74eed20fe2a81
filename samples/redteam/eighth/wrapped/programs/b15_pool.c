/* A pool of buffers for b15_pool.py: gives back what it was given. */
#include <stdlib.h>

static double *held[64];

double *take(int slot) { return held[slot] = malloc(4096); }

void give(int slot) { free(held[slot]); }
