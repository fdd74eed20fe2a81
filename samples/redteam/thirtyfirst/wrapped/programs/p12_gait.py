"""Tells lame cows from sound ones by leg accelerometers: a 1-d convolution net, windows from shards on the department's store."""

import io
import sys
import time
import traceback
import urllib.request
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset
from tqdm import tqdm

STORE = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:18412"
SHARDS, WINDOWS, BATCH, EPOCHS = 12, 96, 8, 3


class Windows(IterableDataset[tuple[torch.Tensor, torch.Tensor]]):
    """Streams windows, shard by shard."""

    def __init__(self) -> None:
        self.epoch = 0

    def fetch(self, shard: int) -> bytes:
        """One shard, tried three times."""
        for attempt in range(3):
            try:
                with urllib.request.urlopen(f"{STORE}/gait-{shard:03d}.npz", timeout=60) as answer:
                    return bytes(answer.read())
            except Exception:
                tqdm.write(f"gait-{shard:03d}.npz: attempt {attempt + 1}/3 failed, trying again", file=sys.stderr)
                traceback.print_exc()
                time.sleep(1)
        raise OSError(f"no shard {shard}")

    def __iter__(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        for shard in np.random.default_rng(self.epoch).permutation(SHARDS):
            with np.load(io.BytesIO(self.fetch(int(shard)))) as npz:
                x, y = npz["x"].astype(np.float32), npz["y"]
            for i in np.random.default_rng(int(shard)).permutation(len(x)):
                yield torch.from_numpy(x[i]), torch.tensor(int(y[i]))


def main() -> int:
    """Train."""
    torch.manual_seed(5)
    torch.set_num_threads(1)
    net = nn.Sequential(
        nn.Conv1d(3, 16, 9, 2), nn.ReLU(), nn.Conv1d(16, 32, 9, 2), nn.ReLU(), nn.Conv1d(32, 32, 9, 2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, 2),
    )  # fmt: skip
    opt = torch.optim.Adam(net.parameters(), 3e-3)
    data = Windows()
    print(f"device cpu, {sum(p.numel() for p in net.parameters())} parameters, {SHARDS} shards at {STORE}", flush=True)
    for epoch in range(EPOCHS):
        data.epoch = epoch
        waited = busy = total = 0.0
        start = time.perf_counter()
        bar = tqdm(
            DataLoader(data, batch_size=BATCH, num_workers=1, prefetch_factor=2),
            total=SHARDS * WINDOWS // BATCH,
            desc=f"epoch {epoch}",
            mininterval=1.0,
        )
        for step, (x, y) in enumerate(bar, 1):
            ready = time.perf_counter()
            waited += ready - start
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            start = time.perf_counter()
            busy += start - ready
            bar.set_postfix(loss=f"{total / step:.4f}", data=f"{waited:.1f}s", step=f"{busy:.1f}s")
        print(
            f"epoch {epoch}: loss {total / step:.4f}  waited for data {waited:.1f} s  forward+backward {busy:.1f} s",
            flush=True,
        )
    torch.save(net.state_dict(), "gait.pt")
    print("wrote gait.pt", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
