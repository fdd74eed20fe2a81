"""Layer classifier for snow micropenetrometer profiles, plain torch with tqdm."""

import argparse
import logging
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

log = logging.getLogger("smp")


def synth_profile(rng: np.random.Generator, n: int = 2048) -> tuple[np.ndarray, int]:
    """One force profile and its grain class."""
    cls = int(rng.integers(0, 6))
    base = np.cumsum(rng.normal(0, 0.02, n)) + 0.4 * cls
    spikes = rng.gamma(1.2, 0.15 + 0.05 * cls, n) * (rng.random(n) < 0.05 * (cls + 1))
    return (base + spikes).astype(np.float32), cls


def build(root: Path, stations: list[str], per: int) -> None:
    """Write one archive per station when it is not there yet."""
    root.mkdir(parents=True, exist_ok=True)
    for i, st in enumerate(stations):
        path = root / f"{st}.npz"
        if path.exists():
            continue
        rng = np.random.default_rng(100 + i)
        xs, ys = zip(*(synth_profile(rng) for _ in range(per)), strict=True)
        np.savez_compressed(path, x=np.stack(xs), y=np.array(ys))


def main() -> None:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--data", type=Path, default=Path("profiles"))
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--lr", type=float, default=8e-4)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    stations = ["WFJ2", "DAV3", "KLO2", "ARO1", "SLF2", "TUJ2", "ZER4", "FNH2"]
    log.info("args: %s", vars(args))
    log.info("torch %s, numpy %s, %d threads", torch.__version__, np.__version__, torch.get_num_threads())
    build(args.data, stations, 700)
    xs, ys = [], []
    for st in tqdm(stations, desc="stations"):
        with np.load(args.data / f"{st}.npz") as z:
            xs.append(z["x"])
            ys.append(z["y"])
        log.info(
            "%s: %d profiles, %.1f %% without surface",
            st,
            len(ys[-1]),
            100 * float((xs[-1][:, :40].mean(1) < 0).mean()),
        )
        time.sleep(0.5)
    x, y = np.concatenate(xs), np.concatenate(ys)
    mean, std = x.mean(), x.std()
    log.info("force mean %.4f N std %.4f N over %d profiles", mean, std, len(x))
    log.info(
        "classes: %s",
        dict(zip(["PP", "DF", "RG", "FC", "DH", "MF"], np.bincount(y, minlength=6).tolist(), strict=True)),
    )
    cut = int(0.85 * len(x))
    order = np.random.default_rng(7).permutation(len(x))
    tx = torch.from_numpy((x[order] - mean) / std).unsqueeze(1)
    ty = torch.from_numpy(y[order])
    train = DataLoader(TensorDataset(tx[:cut], ty[:cut]), batch_size=64, shuffle=True)
    model = nn.Sequential(
        nn.Conv1d(1, 32, 9, 4),
        nn.ReLU(),
        nn.Conv1d(32, 64, 9, 4),
        nn.ReLU(),
        nn.Conv1d(64, 96, 5, 2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(8),
        nn.Flatten(),
        nn.Linear(768, 6),
    )
    log.info("train %d val %d, %d batches an epoch", cut, len(x) - cut, len(train))
    log.info("model: %d parameters", sum(p.numel() for p in model.parameters()))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    log.info("no checkpoint in runs/smp-24, starting at epoch 0")
    for epoch in range(args.epochs):
        total = 0.0
        for bx, by in tqdm(train, desc=f"epoch {epoch}", mininterval=2.0):
            loss = nn.functional.cross_entropy(model(bx), by)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        with torch.no_grad():
            acc = (model(tx[cut:]).argmax(1) == ty[cut:]).float().mean()
        log.info("epoch %d loss %.4f val acc %.4f", epoch, total / len(train), acc)


if __name__ == "__main__":
    main()
