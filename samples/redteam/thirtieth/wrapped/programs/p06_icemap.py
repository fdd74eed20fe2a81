"""Sea ice concentration from passive microwave patches: a small U-Net over the orbits of a season."""

import argparse
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm


class Orbits:
    """Swaths on disk; what has been read is kept, reading is slow on the shared volume."""

    def __init__(self, folder: pathlib.Path, count: int) -> None:
        self.folder, self.cache = folder, {}
        folder.mkdir(parents=True, exist_ok=True)
        for k in range(8):
            path = folder / f"swath_{k:03d}.npy"
            if not path.exists():
                self._make(path, k)
        self.count = count

    @staticmethod
    def _make(path: pathlib.Path, seed: int) -> None:
        rng = np.random.default_rng(seed)
        low = torch.from_numpy(rng.normal(size=(1, 1, 10, 10)).astype(np.float32))
        ice = torch.sigmoid(4 * F.interpolate(low, size=(120, 120), mode="bicubic"))[0, 0].numpy()
        chans = np.stack(
            [ice * a + (1 - ice) * b + rng.normal(0, 0.08, ice.shape) for a, b in rng.uniform(0, 1, (7, 2))]
        )
        np.save(path, np.concatenate([chans, ice[None]]).astype(np.float32))

    def patches(self, orbit: int, n: int, rng: np.random.Generator) -> torch.Tensor:
        if orbit not in self.cache:
            swath = np.load(self.folder / f"swath_{orbit % 8:03d}.npy")
            # the four headings and their mirrors, ready to be cut from
            self.cache[orbit] = np.stack(
                [np.rot90(m, r, (1, 2)) for r in range(4) for m in (swath, swath[:, ::-1])]
            ).copy()
        turns = self.cache[orbit]
        rows = [(rng.integers(8), *rng.integers(0, 88, 2)) for _ in range(n)]
        return torch.from_numpy(np.stack([turns[t, :, i : i + 32, j : j + 32] for t, i, j in rows]))


class Net(nn.Module):  # noqa: D101
    def __init__(self, width: int = 12) -> None:
        super().__init__()
        self.a, self.b = self._block(7, width), self._block(width, 2 * width)
        self.c, self.head = self._block(3 * width, width), nn.Conv2d(width, 1, 1)

    @staticmethod
    def _block(i: int, o: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.Conv2d(o, o, 3, padding=1), nn.ReLU()
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.a(x)
        b = F.interpolate(self.b(F.max_pool2d(a, 2)), scale_factor=2.0)
        return self.head(self.c(torch.cat([a, b], 1)))[:, 0]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--orbits", type=int, default=120)
    ap.add_argument("--data", type=pathlib.Path, default=pathlib.Path("swaths"))
    args = ap.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    orbits, net = Orbits(args.data, args.orbits), Net()
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    tqdm.write(f"{args.orbits} orbits per epoch, {sum(p.numel() for p in net.parameters())} parameters")
    for epoch in range(args.epochs):
        mean = None
        bar = tqdm(range(args.orbits), desc=f"epoch {epoch + 1}/{args.epochs}", unit="orbit", mininterval=1.0)
        for k in bar:
            batch = orbits.patches(epoch * args.orbits + k, 16, rng)
            loss = F.binary_cross_entropy_with_logits(net(batch[:, :7]), batch[:, 7].clamp(0, 1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean = loss.item() if mean is None else 0.97 * mean + 0.03 * loss.item()
            bar.set_postfix(bce=f"{mean:.4f}", refresh=False)
        tqdm.write(f"epoch {epoch + 1}: bce {mean:.4f}")
        torch.save(net.state_dict(), "icemap.pt")


if __name__ == "__main__":
    main()
