#include <stdint.h>
/* feature hashing: counts of the hashed tokens of one text */
void hash_into(const char *text, long n, int32_t *out, long width, long stride) {
    uint32_t h = 2166136261u;
    for (long i = 0; i < n; i++) {
        if (text[i] == ' ') { out[(long)(h % (uint32_t)width) * stride] += 1; h = 2166136261u; }
        else { h = (h ^ (uint8_t)text[i]) * 16777619u; }
    }
}
