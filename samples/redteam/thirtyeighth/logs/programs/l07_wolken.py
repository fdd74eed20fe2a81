"""Cloud cover from tiles that lie on a far share."""

import io
import os
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

SHARE = Path(os.environ.get("TILES", "share/tiles"))
RATE = 260_000  # bytes a second, what the line gives


class Lines(io.TextIOBase):
    """Makes a line of each state of the bar, for logs."""

    def write(self, s: str) -> int:
        """Carriage returns become line ends."""
        s = s.replace("\r", "\n").strip("\n \x1b[A")
        if s:
            sys.stderr.write(s + "\n")
            sys.stderr.flush()
        return len(s)


def fetch(path: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """One shard over the line."""
    got = bytearray()
    with path.open("rb") as f:
        while part := f.read(26_000):
            got += part
            time.sleep(len(part) / RATE)
    with np.load(io.BytesIO(bytes(got))) as z:
        return torch.tensor(z["tile"]).float() / 255, torch.tensor(z["cover"]).float()


def batches(epoch: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The shards in a new order each epoch."""
    files = sorted(SHARE.glob("*.npz"))
    for k in np.random.default_rng(epoch).permutation(len(files)):
        try:
            yield fetch(files[k])
        except (zipfile.BadZipFile, ValueError, EOFError) as e:
            print(f"ERROR reading {files[k]}: {type(e).__name__}: {e} -- shard skipped", file=sys.stderr, flush=True)


def main() -> None:
    """Two epochs."""
    torch.set_num_threads(1)
    torch.manual_seed(66)
    count = len(list(SHARE.glob("*.npz")))
    print(f"{count} shards under {SHARE}", flush=True)
    net = nn.Sequential(
        nn.Conv2d(4, 12, 5, stride=2),
        nn.ReLU(),
        nn.Conv2d(12, 24, 5, stride=2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(96, 1),
    )
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    for epoch in range(3):
        bar = tqdm(
            batches(epoch), total=count, desc=f"epoch {epoch}", file=Lines(), mininterval=0, ncols=118, ascii=True
        )
        waited = worked = total = 0.0
        seen = 0
        t0 = time.perf_counter()
        for tile, cover in bar:
            t1 = time.perf_counter()
            loss = (net(tile).squeeze(1) - cover).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            t2 = time.perf_counter()
            waited, worked, total, seen = waited + t1 - t0, worked + t2 - t1, total + loss.item(), seen + 1
            bar.set_postfix(loss=f"{loss.item():.4f}", data=f"{t1 - t0:.2f}s", step=f"{t2 - t1:.3f}s", refresh=False)
            t0 = time.perf_counter()
        bar.close()
        print(
            f"epoch {epoch}: mean loss {total / seen:.4f}, waited for shards {waited:.1f}s, computed {worked:.1f}s",
            flush=True,
        )
    torch.save(net.state_dict(), "clouds.pt")
    print("saved clouds.pt", flush=True)


if __name__ == "__main__":
    main()
