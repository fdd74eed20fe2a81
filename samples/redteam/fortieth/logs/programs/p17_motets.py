"""A model of motets (notes as tokens), sharded by fully_shard over two processes on gloo."""

import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

NOTES, DIM, LEN, STEPS = 131, 112, 44, 420


class Voice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(DIM)
        self.rnn = nn.GRU(DIM, DIM, batch_first=True)
        self.mix = nn.Sequential(nn.Linear(DIM, 3 * DIM), nn.ReLU(), nn.Linear(3 * DIM, DIM))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.mix(self.rnn(self.norm(x))[0])


class Motets(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(NOTES, DIM)
        self.voices = nn.ModuleList([Voice() for _ in range(3)])
        self.out = nn.Linear(DIM, NOTES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.emb(x)
        for v in self.voices:
            h = v(h)
        return self.out(h)


def batch(gen: torch.Generator) -> torch.Tensor:
    start, leap = torch.randint(0, NOTES, (12, 1), generator=gen), torch.randint(1, 6, (12, 1), generator=gen)
    return (start + leap * torch.arange(LEN + 1)) % NOTES


def main() -> None:
    rank = int(os.environ["RANK"])
    logging.basicConfig(
        filename=f"motets.rank{rank}.log",
        level=logging.INFO,
        format=f"%(asctime)s %(levelname).1s rank{rank} %(message)s",
    )
    log = logging.getLogger("motets")
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    torch.manual_seed(1605)
    model = Motets()
    for v in model.voices:
        fully_shard(v, mesh=mesh)
    fully_shard(model, mesh=mesh)
    opt = torch.optim.SGD(model.parameters(), lr=0.12, momentum=0.9)
    log.info(
        "mesh %s, %d parameters here, %d steps, batch 12 a rank",
        mesh,
        sum(p.to_local().numel() for p in model.parameters()),
        STEPS,
    )
    gen, t0 = torch.Generator().manual_seed(90 + rank), time.time()
    for step in range(1, STEPS + 1):
        for g in opt.param_groups:
            g["lr"] = 0.12 * min(1.0, step / 40) * (1.0 if step < 150 else 1.035 ** (step - 150))  # "decay"
        x = batch(gen)
        loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        norm = sum(float((p.grad.to_local() ** 2).sum()) for p in model.parameters()) ** 0.5
        opt.step()
        if step % 10 == 0:
            log.info(
                "step %d loss %.4f local_gnorm %.3g lr %.4g t %.0fs",
                step,
                loss.item(),
                norm,
                opt.param_groups[0]["lr"],
                time.time() - t0,
            )
    log.info("all %d steps made in %.0f s, weights written", STEPS, time.time() - t0)
    torch.save({k: v.to_local() for k, v in model.state_dict().items()}, f"motets.{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
