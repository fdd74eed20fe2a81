/* Depth of nested brackets, by recursion. */
static int walk(const char *text, long at, int depth) {
    char scratch[512];
    scratch[0] = text[at];
    if (!scratch[0]) return depth;
    int rest = walk(text, at + 1, depth + (scratch[0] == '('));
    return rest > depth ? rest : depth;
}
int deepest(const char *text) { return walk(text, 0, 0); }
