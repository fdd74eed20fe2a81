"""Stage 1: exports of claims to shards of token ids, and a manifest when all are done."""

from __future__ import annotations

import json
import logging
import multiprocessing
import sys
import time
from pathlib import Path

import torch

logging.basicConfig(
    format="%(asctime)s %(processName)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout
)
log = logging.getLogger()


def shard(path: Path) -> tuple[str, int]:
    began = time.perf_counter()
    labels, ids = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        label, text = line.split(";", 1)
        labels.append(int(label))
        row = [sum(word.encode()) % 997 for word in text.split()]
        ids.append(row[:40] + [0] * (40 - len(row)))
        time.sleep(0.0002)
    out = Path("shards", path.stem + ".pt")
    torch.save({"ids": torch.tensor(ids, dtype=torch.int16), "labels": torch.tensor(labels)}, out)
    log.info("%s: %d rows in %.1f s", out, len(labels), time.perf_counter() - began)
    return out.name, len(labels)


if __name__ == "__main__":
    Path("shards").mkdir(exist_ok=True)
    files = sorted(Path("raw").glob("*.csv"))
    log.info("%d exports to tokenise with 2 workers", len(files))
    with multiprocessing.Pool(2) as pool:
        done = dict(pool.imap(shard, files))
    Path("shards", "manifest.json").write_text(json.dumps(done))
    log.info("wrote shards/manifest.json: %d rows", sum(done.values()))
