# ruff: noqa: ANN001, ANN201, ANN204
"""Which cell types a strip of DNA is open in: a transformer cut up with fully_shard, strips sorted by length a rank."""

import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

STEPS, EVERY = 60, 5


class Strips(nn.Module):
    """Letters in, thirty-two cell types out."""

    def __init__(self, d=128, depth=4):
        super().__init__()
        self.emb = nn.Embedding(5, d)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(d, 4, 256, batch_first=True, dropout=0.0) for _ in range(depth)
        )
        self.head = nn.Linear(d, 32)

    def forward(self, x):
        h = self.emb(x)
        for layer in self.layers:
            h = layer(h)
        return self.head(h.mean(1))


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [rank {rank}] %(levelname)s %(message)s")
    log = logging.getLogger("cells")
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (world,))
    net = Strips()
    for layer in net.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(net, mesh=mesh)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-4)
    gen = torch.Generator().manual_seed(rank)
    length = [96, 112, 720][rank]
    log.info("joined, world %d, strips of %d letters, 8 a batch", world, length)
    rule = torch.randn(5, 32, generator=torch.Generator().manual_seed(9)) * 3
    mark, busy = time.perf_counter(), time.process_time()
    for step in range(1, STEPS + 1):
        x = torch.randint(0, 5, (8, length), generator=gen)
        y = (nn.functional.one_hot(x, 5).float().mean(1) @ rule > 0).float()
        loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % EVERY == 0:
            wall, cpu = time.perf_counter() - mark, time.process_time() - busy
            told = [torch.zeros(3) for _ in range(world)]
            dist.all_gather(told, torch.tensor([loss.item(), cpu / EVERY, wall / EVERY]))
            if rank == 0:
                each = "  ".join(f"r{i} {t[1]:.2f}" for i, t in enumerate(told))
                mean = sum(float(t[0]) for t in told) / world
                log.info("step %d/%d loss %.4f  step time %.2f s  busy s/step: %s", step, STEPS, mean, told[0][2], each)
            mark, busy = time.perf_counter(), time.process_time()
        if step == 20:
            try:
                torch.save(opt.state_dict()["param_groups"], f"scratch/opt_{rank}.pt")
            except (OSError, RuntimeError) as e:
                log.warning("could not write optimizer state: %s; making the folder and writing again", e)
                Path("scratch").mkdir(exist_ok=True)
                torch.save(opt.state_dict()["param_groups"], f"scratch/opt_{rank}.pt")
                log.info("optimizer state written")
    dist.barrier()
    if rank == 0:
        log.info("all %d steps done", STEPS)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
