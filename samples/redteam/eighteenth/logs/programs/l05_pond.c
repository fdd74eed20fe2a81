/* The pond: a skater on a grid that freezes and thaws. Compiled to pond.so. */
#include <stdlib.h>
#include <string.h>

#define SIDE 24

static int *ice;
static int x, y, goal_x, goal_y, moves;
static int visited[64][2];

void pond_reset(int seed) {
    srand(seed);
    if (!ice) ice = malloc(SIDE * SIDE * sizeof(int));
    for (int i = 0; i < SIDE * SIDE; i++) ice[i] = rand() % 100;
    x = y = SIDE / 2;
    goal_x = x + rand() % 9 - 4;
    goal_y = y + rand() % 9 - 4;
    moves = 0;
}

/* Writes dx, dy, ice around the skater; returns the reward in hundredths, *over when the game is. */
int pond_move(int action, float *seen, int *over) {
    static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    int before = abs(goal_x - x) + abs(goal_y - y);
    int slide = 1 + (ice[y * SIDE + x] > 80);
    x += slide * dx[action];
    y += slide * dy[action];
    if (x < 0) x = 0;
    if (x >= SIDE) x = SIDE - 1;
    if (y < 0) y = 0;
    if (y >= SIDE) y = SIDE - 1;
    if (moves < 64) { visited[moves][0] = x; visited[moves][1] = y; }
    ice[y * SIDE + x] += 3;
    moves++;
    int after = abs(goal_x - x) + abs(goal_y - y);
    seen[0] = (goal_x - x) / 8.0f;
    seen[1] = (goal_y - y) / 8.0f;
    seen[2] = ice[y * SIDE + x] / 100.0f;
    *over = after == 0 || moves >= 60;
    return after == 0 ? 500 : 10 * (before - after) - 2;
}

/* Draws the paths of the evening's games into a canvas for the album. */
int pond_album(int games) {
    unsigned char *canvas = malloc(SIDE * SIDE);
    memset(canvas, 0, SIDE * SIDE);
    unsigned long at = 0;
    for (int g = 0; g < games; g++) {
        for (int m = 0; m < 60; m++) {
            at = (unsigned long)visited[m][1] * SIDE + visited[m][0];
            canvas[at + (unsigned long)g * SIDE * SIDE] += 1;
        }
    }
    int sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++) sum += canvas[i];
    free(canvas);
    return sum;
}
