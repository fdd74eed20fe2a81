"""A small network on tiles of satellite images kept as bz2, Lightning's Fabric, three configurations in turn."""

import argparse
import bz2
import itertools
import logging
import time
from pathlib import Path

import numpy as np
import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("tiles")


class Tiles(Dataset):
    """One bz2 file a tile: 10 bands of 384x384 reflectances, 16 bits."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*.bz2"))

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        raw = np.frombuffer(bz2.decompress(self.files[i].read_bytes()), dtype=np.uint16).reshape(10, 384, 384)
        mean = (torch.from_numpy(raw[:, ::12, ::12].astype(np.float32)) - 1950) / 600
        return mean, torch.tensor(int(self.files[i].name.split("_")[1]))


def make(folder: Path, n: int) -> None:
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(4)
    for i in range(n):
        c = i % 4
        base = 1500 + 500 * np.sin(np.arange(10) * (c + 1) / 3.0)[:, None, None]
        raw = (base + rng.integers(0, 900, (10, 384, 384))).astype(np.uint16)
        (folder / f"tile{i:03d}_{c}_.bz2").write_bytes(bz2.compress(raw.tobytes(), 9))


def train(cfg: dict, folder: Path) -> float:
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.seed_everything(0)
    net = nn.Sequential(nn.Conv2d(10, cfg["width"], 3, stride=2), nn.ReLU(), nn.Conv2d(cfg["width"], 32, 3, stride=2), nn.ReLU(),
                        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 4))
    net, opt = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=cfg["lr"]))
    loader = fabric.setup_dataloaders(DataLoader(Tiles(folder), batch_size=8, shuffle=True, num_workers=0))
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
            print(f"[{cfg['name']}] epoch {epoch + 1}/{cfg['epochs']} step {step} loss {last:.4f} batch {got - mark:.2f}s fwd+bwd {now - got:.3f}s", flush=True)
            mark = time.perf_counter()
    fabric.save(f"{cfg['name']}.ckpt", {"net": net})
    return last


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--make", type=int, default=0)
    a = ap.parse_args()
    folder = Path("tiles")
    if a.make:
        make(folder, a.make)
        return
    torch.set_num_threads(1)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname).1s %(message)s")
    log.info("%d tiles, %.0f MB on disk", len(Tiles(folder)), sum(f.stat().st_size for f in folder.iterdir()) / 1e6)
    results = {}
    for k, (lr, width) in enumerate(itertools.product([1e-2, 3e-3], [16, 48])):
        if k == 3:
            break
        cfg = {"name": f"sweep{k}-lr{lr:g}-w{width}", "lr": lr, "width": width, "epochs": 3}
        log.info("configuration %d: %s", k, cfg)
        t0 = time.perf_counter()
        results[cfg["name"]] = train(cfg, folder)
        log.info("%s over after %.0f s", cfg["name"], time.perf_counter() - t0)
    for name, loss in sorted(results.items(), key=lambda r: r[1]):
        print(f"{name}\t{loss:.4f}")


if __name__ == "__main__":
    main()
