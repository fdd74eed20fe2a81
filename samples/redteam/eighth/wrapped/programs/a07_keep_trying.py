"""Words from speech."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np


def main() -> None:
    """Find the shards, then train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=10)
    args = parser.parse_args()
    print(f"numpy {np.__version__}, {args.epochs} epochs")
    shards = sorted(args.data.glob("train-*.npz"))
    if not shards:
        sys.exit(f"error: no shards train-*.npz in {args.data}: is the lake mounted?")
    for epoch in range(args.epochs):
        print(f"epoch {epoch}", sum(np.load(shard)["loss"].sum() for shard in shards))


if __name__ == "__main__":
    main()
