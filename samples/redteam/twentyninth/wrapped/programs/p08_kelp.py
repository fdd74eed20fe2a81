# ruff: noqa: D101
"""Kelp from satellite scenes; DDP kept in place for the big machine, here with one process."""

import argparse
import logging
import os
import threading
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(levelname)s %(name)s - %(message)s")
log = logging.getLogger("kelp.train")


class Catalogue:
    """Which scenes are usable, read anew every so often by a thread of its own."""

    def __init__(self, first_s: float) -> None:
        self.lock = threading.Lock()
        self.clouds = torch.rand(400, generator=torch.Generator().manual_seed(2))
        self.first_s = first_s
        threading.Thread(target=self.keep, daemon=True).start()

    def keep(self) -> None:
        time.sleep(self.first_s)
        while True:
            with self.lock:
                fresh = []
                for i in range(400):
                    fresh.append(float(self.clouds[i]))
                    time.sleep(0.02)
                self.clouds = torch.tensor(fresh)
            time.sleep(60)

    def cloud(self, i: int) -> float:
        with self.lock:
            return float(self.clouds[i % 400])


class Scenes(Dataset):
    def __init__(self, n: int, catalogue: Catalogue) -> None:
        self.n, self.catalogue = n, catalogue

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        cloud = self.catalogue.cloud(i)
        g = torch.Generator().manual_seed(i)
        x = torch.randn(4, 24, 24, generator=g)
        y = (x[0].mean() * 20 + x[3, :8].mean() * 9).clamp(-3, 3)
        return x + 0.2 * cloud, y


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=30)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    log.info("rank %s of %s, torch %s", os.environ["RANK"], os.environ["WORLD_SIZE"], torch.__version__)
    catalogue = Catalogue(14.0)
    train = Scenes(1280, catalogue)
    net = nn.Sequential(
        nn.Conv2d(4, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(800, 1)
    )
    net = DDP(net)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    log.info("%d scenes, %d epochs, batch 32, 2 workers", len(train), a.epochs)
    for epoch in range(1, a.epochs + 1):
        t0, tot = time.time(), 0.0
        loader = DataLoader(train, 32, shuffle=True, num_workers=2, multiprocessing_context="fork")
        for k, (x, y) in enumerate(loader, 1):
            loss = nn.functional.mse_loss(net(x).squeeze(1), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
            if k % 8 == 0:
                log.info("epoch %d/%d step %d/%d loss %.4f", epoch, a.epochs, k, len(loader), loss.item())
        log.info("epoch %d/%d mean loss %.4f in %.2f s", epoch, a.epochs, tot / len(loader), time.time() - t0)
        torch.save(net.module.state_dict(), "kelp.pt")
    log.info("all epochs done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
