"""The meadow: berries on a grid, and one who looks for them."""

from __future__ import annotations

import random
import sys

SIZE = 12


def berries(rng: random.Random, n: int) -> set[tuple[int, int]]:
    """Put n berries where none is yet and no hedge stands."""
    hedge = {(x, y) for x in range(SIZE) for y in range(SIZE) if (x * 7 + y * 3) % 5 == rng.randrange(5)}
    found: set[tuple[int, int]] = set()
    while len(found) < n:
        spot = rng.randrange(SIZE), rng.randrange(SIZE)
        if spot not in hedge:
            found.add(spot)
    return found


def main() -> None:
    rng = random.Random(int(sys.argv[1]))
    walks = 0
    for line in sys.stdin:
        if line.strip() == "reset":
            walks += 1
            # every walk has a few more than the last, up to a full meadow
            left = berries(rng, 14 + walks // 2)
            x = y = SIZE // 2
        else:
            dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[int(line)]
            x, y = (x + dx) % SIZE, (y + dy) % SIZE
            print(1.0 if (x, y) in left else 0.0)
            left.discard((x, y))
        around = [((x + i) % SIZE, (y + j) % SIZE) in left for i in (-1, 0, 1) for j in (-1, 0, 1)]
        print(*(int(a) for a in around), len(left) / 20, flush=True)


if __name__ == "__main__":
    main()
