/* Tiles are stored as (skip, value) pairs. */
int unpack(const unsigned *pairs, int n, float *out) {
    unsigned at = 0;
    for (int i = 0; i < n; i++) {
        at += pairs[2 * i];
        out[at] = pairs[2 * i + 1] / 255.0f;
    }
    return (int)at;
}
