"""Train a small ranker of passages with DDP; the passages are cut into one file a rank."""

import argparse
import logging
import os
import pydoc_data.topics
import time
from contextlib import nullcontext

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Encoder(nn.Module):
    """Embedding, attention, a head that guesses the topic."""

    def __init__(self, topics: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(4096, 96)
        layer = nn.TransformerEncoderLayer(96, 4, 256, 0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(96, topics)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layers(self.embed(x)).mean(1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--accum", type=int, default=4)
    parser.add_argument("--log-every", type=int, default=20)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(format=f"%(asctime)s %(levelname)-5s rank={rank} %(message)s", level=logging.INFO)
    log = logging.getLogger()
    texts = [text.split() for text in pydoc_data.topics.topics.values() if len(text.split()) > 400][:24]
    torch.manual_seed(16)
    ids = [torch.tensor([sum(w.encode()) * 17 % 4096 for w in text]) for text in texts]
    model = DistributedDataParallel(Encoder(len(ids)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    if rank == 0:
        log.info(
            "world_size=%d backend=gloo topics=%d params=%.2fM steps=%d accum=%d micro_batch=8 seq_len=96",
            world,
            len(ids),
            sum(p.numel() for p in model.parameters()) / 1e6,
            args.steps,
            args.accum,
        )
    log.info("pid=%d local_rank=%s", os.getpid(), os.environ["LOCAL_RANK"])
    generator = torch.Generator().manual_seed(rank)
    spent = {"data": 0.0, "compute": 0.0, "sync": 0.0}
    began = time.perf_counter()
    for step in range(1, args.steps + 1):
        for micro in range(args.accum):
            a = time.perf_counter()
            target = torch.randint(len(ids), (8,), generator=generator)
            at = [int(torch.randint(len(ids[t]) - 96, (1,), generator=generator)) for t in target]
            x = torch.stack([ids[t][i : i + 96] for t, i in zip(target, at, strict=True)])
            b = time.perf_counter()
            with model.no_sync() if micro < args.accum - 1 else nullcontext():
                loss = nn.functional.cross_entropy(model(x), target)
                if micro == args.accum - 1:
                    c = time.perf_counter()
                    spent["compute"] += c - b
                loss.backward()
            d = time.perf_counter()
            spent["data"] += b - a
            if micro < args.accum - 1:
                spent["compute"] += d - b
            else:
                spent["sync"] += d - c
        optimizer.step()
        optimizer.zero_grad()
        if step % args.log_every == 0:
            n = args.log_every
            log.info(
                "step %d/%d loss=%.4f data=%.0fms compute=%.0fms bwd+allreduce=%.0fms step=%.0fms",
                step,
                args.steps,
                loss.item(),
                *(1000 * spent[k] / n for k in ("data", "compute", "sync")),
                1000 * (time.perf_counter() - began) / n,
            )
            spent = dict.fromkeys(spent, 0.0)
            began = time.perf_counter()
    if rank == 0:
        torch.save(model.module.state_dict(), "ranker.pt")
        log.info("saved ranker.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
