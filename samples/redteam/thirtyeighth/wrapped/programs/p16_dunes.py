"""Autoencoder for dune profiles (one line = 160 heights), everything by hand."""

import logging
import os

import numpy as np
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%d.%m. %H:%M:%S")
log = logging.getLogger("dunes")
CACHE = "profiles.npz"


def profiles(n: int = 9100) -> np.ndarray:
    try:
        return np.load(CACHE)["h"]
    except Exception:
        log.exception("cache %s is not readable, building it again", CACHE)
    rng = np.random.default_rng(40)
    u = np.linspace(0, 1, 160)
    amp, freq, phase = rng.uniform(0.4, 1.6, (n, 4, 1)), rng.uniform(1, 9, (n, 4, 1)), rng.uniform(0, 6.3, (n, 4, 1))
    h = (amp * np.sin(freq * 6.283 * u + phase)).sum(1).astype("float32")
    np.savez(CACHE, h=h)
    log.info("cache rebuilt: %d profiles, %.1f MB", n, os.path.getsize(CACHE) / 1e6)
    return h


def main() -> None:
    torch.manual_seed(5)
    torch.set_num_threads(1)
    data = torch.from_numpy(profiles())
    train, held = data[:8400], data[8400:]
    net = torch.nn.Sequential(
        torch.nn.Linear(160, 560),
        torch.nn.ReLU(),
        torch.nn.Linear(560, 14),
        torch.nn.ReLU(),
        torch.nn.Linear(14, 560),
        torch.nn.ReLU(),
        torch.nn.Linear(560, 160),
    )
    opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    log.info(
        "%d weights, %d + %d profiles, lr grows by 1.22 an epoch up to epoch 24",
        sum(p.numel() for p in net.parameters()),
        len(train),
        len(held),
    )
    for epoch in range(1, 43):
        for g in opt.param_groups:
            g["lr"] = 0.02 * 1.22 ** min(epoch, 24)
        total, norm = 0.0, torch.tensor(0.0)
        for part in torch.randperm(len(train)).split(16):
            x = train[part]
            loss = (net(x) - x).square().mean()
            opt.zero_grad()
            loss.backward()
            norm = torch.nn.utils.get_total_norm([p.grad for p in net.parameters() if p.grad is not None])
            opt.step()
            total += loss.item() * len(part)
        with torch.no_grad():
            off = (net(held) - held).square().mean().item()
        log.info(
            "ep %02d  lr %.4f  rebuild %.5g  held %.5g  |g| %.3g",
            epoch,
            opt.param_groups[0]["lr"],
            total / len(train),
            off,
            float(norm),
        )
    torch.save(net.state_dict(), "dunes.pt")
    log.info("wrote dunes.pt")


if __name__ == "__main__":
    main()
