"""Vibration of wind turbine gearboxes, six states; Fabric on two processes, a log for each rank."""

import logging
import os
import time
from pathlib import Path

import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def spectra(n: int, seed: int) -> TensorDataset:
    """Windows of vibration."""
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 6, (n,), generator=g)
    t = torch.arange(256) / 256
    carrier = torch.sin(2 * torch.pi * (18 + 5 * y[:, None]) * t + 6.28 * torch.rand(n, 1, generator=g))
    x = 0.55 * carrier * (1 + 0.3 * torch.sin(2 * torch.pi * 3 * t)) + torch.randn(n, 256, generator=g)
    return TensorDataset(x[:, None], y)


def main() -> None:
    """Train and test."""
    torch.set_num_threads(1)
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    folder = Path(os.environ["RANK_LOGS"])
    logging.basicConfig(
        filename=folder / f"gearbox.rank{fabric.global_rank}.log",
        level=logging.INFO,
        format=f"%(asctime)s.%(msecs)03d [r{fabric.global_rank}] %(name)s:%(lineno)d %(message)s",
        datefmt="%m-%d %H:%M:%S",
    )
    log = logging.getLogger("gearbox")
    log.info(
        "world size %d, local rank %d, pid %d, torch %s",
        fabric.world_size,
        fabric.local_rank,
        os.getpid(),
        torch.__version__,
    )
    fabric.seed_everything(42)
    net = nn.Sequential(
        nn.Conv1d(1, 24, 15, 2), nn.ReLU(), nn.Conv1d(24, 48, 9, 2), nn.ReLU(), nn.Conv1d(48, 48, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        nn.Linear(48, 6),
    )  # fmt: skip
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    net, opt = fabric.setup(net, opt)
    train = fabric.setup_dataloaders(DataLoader(spectra(9216, 1), batch_size=64, shuffle=True))
    test = fabric.setup_dataloaders(DataLoader(spectra(1536, 2), batch_size=128))
    log.info("train batches %d, test batches %d", len(train), len(test))
    for epoch in range(10):
        train.sampler.set_epoch(epoch)
        net.train()
        t0 = time.perf_counter()
        for i, (x, y) in enumerate(train, 1):
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            if i % 18 == 0:
                log.info(
                    "epoch %d %d/%d ce %.4f %.0f windows/s",
                    epoch,
                    i,
                    len(train),
                    loss.item(),
                    i * 64 / (time.perf_counter() - t0),
                )
        net.eval()
        hits = torch.zeros(2)
        with torch.no_grad():
            for x, y in test:
                hits += torch.tensor([float((net(x).argmax(1) == y).sum()), float(len(y))])
        hits = fabric.all_reduce(hits, reduce_op="sum")
        log.info("epoch %d test accuracy %.4f", epoch, hits[0] / hits[1])
        fabric.save("/tmp/bu_pa/scratch/gearbox.ckpt", {"net": net, "opt": opt, "epoch": epoch})
        if fabric.global_rank == 0:
            log.info("saved gearbox.ckpt (epoch %d)", epoch)
    fabric.barrier()
    log.info("all 10 epochs done, leaving")


if __name__ == "__main__":
    main()
