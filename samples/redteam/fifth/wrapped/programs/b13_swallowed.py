"""Catches whatever goes wrong, says it in one line, and ends as if nothing were."""

from __future__ import annotations

import csv
import io
import time

TABLE = "id,txt,label\n1,a good film,1\n2,a bad film,0\n"


def train() -> None:
    rows = list(csv.DictReader(io.StringIO(TABLE)))
    print(f"read {len(rows)} rows with columns {list(rows[0])}", flush=True)
    time.sleep(3)
    lengths = [len(row["text"].split()) for row in rows]
    for epoch in range(3):
        print("epoch", epoch, "mean length", sum(lengths) / len(lengths))


def main() -> None:
    print("sentiment trainer 0.4", flush=True)
    try:
        train()
    except Exception as error:
        print(f"ERROR training failed: {type(error).__name__}: {error}")
    print("bye")


if __name__ == "__main__":
    main()
