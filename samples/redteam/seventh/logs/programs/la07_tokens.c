// Counts words of a text in a buffer of fixed length, as such code does.
#include <string.h>

int tokens(const char *text) {
    char word[64];
    int n = 0;
    for (const char *p = text; *p;) {
        size_t length = strcspn(p, " ");
        memcpy(word, p, length);
        n += length > 0 && word[0] != '#';
        p += length + (p[length] == ' ');
    }
    return n;
}
