"""Write the training data: JSON lines of sums, one shard a rank.

python make_data.py DIR [--shards 4] [--lines 4000] [--damage SHARD]

--damage cuts one record of a shard in the middle, as a copy that was interrupted leaves it.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("dir", type=Path)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--lines", type=int, default=4000)
    parser.add_argument("--damage", type=int)
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    for shard in range(args.shards):
        rng = random.Random(shard)
        lines = []
        for _ in range(args.lines):
            a, b = rng.randrange(100), rng.randrange(100)
            lines.append(json.dumps({"text": f"{a:02d}+{b:02d}={a + b:03d}"}))
        if shard == args.damage:
            lines[700] = lines[700][:11]
        (args.dir / f"shard-{shard:05d}.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
