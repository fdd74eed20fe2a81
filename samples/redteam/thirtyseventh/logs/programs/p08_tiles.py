"""A small network on tiles of satellite images fetched over HTTP, Lightning's Fabric, three configurations in turn."""

import argparse
import itertools
import logging
import time
import urllib.request

import numpy as np
import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("tiles")


class Tiles(Dataset):
    """Tiles of the archive: 6 bands of 144x144 reflectances, 16 bits, with the land use in the index."""

    def __init__(self, archive: str) -> None:
        self.archive = archive
        with urllib.request.urlopen(f"{archive}/index.txt") as answer:
            self.rows = [line.split() for line in answer.read().decode().splitlines()]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        name, use = self.rows[i]
        with urllib.request.urlopen(f"{self.archive}/{name}") as answer:
            raw = np.frombuffer(answer.read(), dtype=np.uint16).reshape(6, 144, 144)
        return (torch.from_numpy(raw[:, ::4, ::4].astype(np.float32)) - 1950) / 600, torch.tensor(int(use))


def train(cfg: dict, archive: str) -> float:
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.seed_everything(0)
    net = nn.Sequential(
        nn.Conv2d(6, cfg["width"], 3, stride=2),
        nn.ReLU(),
        nn.Conv2d(cfg["width"], 32, 3, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, 4),
    )
    net, opt = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=cfg["lr"]))
    loader = fabric.setup_dataloaders(DataLoader(Tiles(archive), batch_size=8, shuffle=True, num_workers=0))
    step, last = 0, 0.0
    for epoch in range(cfg["epochs"]):
        mark = time.perf_counter()
        for x, y in loader:
            got = time.perf_counter()
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            step, now = step + 1, time.perf_counter()
            last = loss.item()
            print(
                f"[{cfg['name']}] epoch {epoch + 1}/{cfg['epochs']} step {step} loss {last:.4f} batch {got - mark:.2f}s fwd+bwd {now - got:.3f}s",
                flush=True,
            )
            mark = time.perf_counter()
    fabric.save(f"{cfg['name']}.ckpt", {"net": net})
    return last


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--archive", default="http://127.0.0.1:8817/s2")
    a = ap.parse_args()
    torch.set_num_threads(1)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname).1s %(message)s")
    log.info("%d tiles in %s", len(Tiles(a.archive)), a.archive)
    results = {}
    for k, (lr, width) in enumerate(itertools.product([1e-2, 3e-3], [16, 48])):
        if k == 3:
            break
        cfg = {"name": f"sweep{k}-lr{lr:g}-w{width}", "lr": lr, "width": width, "epochs": 3}
        log.info("configuration %d: %s", k, cfg)
        t0 = time.perf_counter()
        results[cfg["name"]] = train(cfg, a.archive)
        log.info("%s over after %.0f s", cfg["name"], time.perf_counter() - t0)
    for name, loss in sorted(results.items(), key=lambda r: r[1]):
        print(f"{name}\t{loss:.4f}")


if __name__ == "__main__":
    main()
