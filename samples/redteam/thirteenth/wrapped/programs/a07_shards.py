"""Click prediction from parquet shards, one list of shards a rank."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

FOLDER = Path("clicks")


def write() -> None:
    """What the nightly export does; its disk was full once."""
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(5)
    weight = rng.normal(size=16)
    for number in range(12):
        x = rng.normal(size=(4000, 16)).astype("float32")
        y = (x @ weight + rng.normal(size=4000) > 0).astype("float32")
        columns = {f"f{i}": x[:, i] for i in range(16)} | {"click": y}
        pq.write_table(pa.table(columns), FOLDER / f"part-{number:05d}.parquet")
    broken = FOLDER / "part-00009.parquet"
    broken.write_bytes(broken.read_bytes()[:150000])


def main() -> None:
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s rank{rank} %(levelname)s %(message)s")
    log = logging.getLogger("clicks")
    net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
    model = DistributedDataParallel(net)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    mine = sorted(FOLDER.glob("*.parquet"))[rank::world]
    log.info("%d shards", len(mine))
    step = 0
    for epoch in range(3):
        for shard in mine:
            log.info("epoch %d reading %s", epoch, shard)
            table = pq.read_table(shard)
            x = torch.tensor(np.stack([table[f"f{i}"].to_numpy() for i in range(16)], 1))
            y = torch.tensor(table["click"].to_numpy())
            for begin in range(0, len(y), 32):
                loss = torch.nn.functional.binary_cross_entropy_with_logits(
                    model(x[begin : begin + 32])[:, 0], y[begin : begin + 32]
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
                if step % 50 == 0:
                    log.info("step %d loss %.4f", step, loss.item())
    log.info("done")


if __name__ == "__main__":
    main()
