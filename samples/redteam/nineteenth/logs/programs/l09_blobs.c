/* Label connected blobs. */
static int fill(unsigned char *img, int *lab, int w, int h, int x, int y, int n) {
    char seen[16] = {0};
    if (x < 0 || y < 0 || x >= w || y >= h || !img[y * w + x] || lab[y * w + x]) return 0;
    lab[y * w + x] = n;
    seen[0] = (char)n;
    int c = 1;
    c += fill(img, lab, w, h, x + 1, y, n);
    c += fill(img, lab, w, h, x - 1, y, n);
    c += fill(img, lab, w, h, x, y + 1, n);
    c += fill(img, lab, w, h, x, y - 1, n);
    return c + (seen[0] == 127 ? 0 : 0);
}

int label(unsigned char *img, int *lab, int w, int h) {
    int n = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            if (img[y * w + x] && !lab[y * w + x]) fill(img, lab, w, h, x, y, ++n);
    return n;
}
