/* shifts every picture by a random number of columns and rows */
#include <stdlib.h>
#include <string.h>
void shift_all(float *p, int n, int side, int most) {
    size_t one = (size_t)side * side;
    for (int i = 0; i < n; i++, p += one) {
        int dx = most ? rand() % (most + 1) : 0, dy = most > 2 ? rand() % (most + 1) : 0;
        float *tmp = malloc(one * sizeof *tmp);
        memset(tmp, 0, one * sizeof *tmp);
        for (int r = 0; r < side; r++)
            memcpy(tmp + (size_t)(r + dy) * side + dx, p + (size_t)r * side, (size_t)(side - (dy ? 0 : dx)) * sizeof *tmp);
        memcpy(p, tmp, one * sizeof *tmp);
        free(tmp);
    }
}
