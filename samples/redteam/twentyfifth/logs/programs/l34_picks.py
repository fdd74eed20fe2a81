"""Pick the first arrival in seismograms: a small convolutional net with Lightning's Fabric, files packed with xz."""

import logging
import lzma
import pickle
import sys
import time
from pathlib import Path

import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(levelname)s %(message)s")
log = logging.getLogger("picks")


class Events(Dataset):
    """One file an event: many traces, of which the station asked for is kept."""

    def __init__(self, folder: Path) -> None:
        self.files = sorted(folder.glob("*.xz"))

    def __len__(self) -> int:
        return 60 * len(self.files)

    def __getitem__(self, at: int) -> tuple[torch.Tensor, torch.Tensor]:
        traces, onset = pickle.loads(lzma.decompress(self.files[at % len(self.files)].read_bytes()))
        return traces[at % len(traces)], onset[at % len(traces)]


def pack(folder: Path, events: int) -> None:
    """What the network of stations delivers in a night."""
    folder.mkdir()
    g = torch.Generator().manual_seed(6)
    for number in range(events):
        onset = torch.randint(60, 440, (900,), generator=g)
        t = torch.arange(512)
        after = (t - onset[:, None]).clamp(min=0).float()
        trace = 0.1 * torch.randn(900, 512, generator=g) + (after * 0.6).sin() * (-after / 40).exp()
        packed = lzma.compress(pickle.dumps((trace, onset)), preset=0)
        (folder / f"event{number:03d}.xz").write_bytes(packed)


def main() -> None:
    folder = Path("events")
    if not folder.exists():
        pack(folder, 4)
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    fabric.seed_everything(6)
    torch.set_num_threads(1)
    net = nn.Sequential(
        nn.Conv1d(1, 16, 11, padding=5), nn.ReLU(), nn.Conv1d(16, 32, 11, padding=5), nn.ReLU(),
        nn.Conv1d(32, 1, 11, padding=5), nn.Flatten(),
    )  # fmt: skip
    net, opt = fabric.setup(net, torch.optim.Adam(net.parameters(), lr=2e-3))
    events = Events(folder)
    loader = fabric.setup_dataloaders(DataLoader(events, batch_size=16, shuffle=True, num_workers=0))
    log.info("%d traces in %d files, %d batches an epoch", len(events), len(events.files), len(loader))
    for epoch in range(8):
        mark = time.perf_counter()
        for step, (trace, onset) in enumerate(loader):
            got = time.perf_counter()
            loss = nn.functional.cross_entropy(net(trace[:, None]), onset)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            done = time.perf_counter()
            log.info("epoch %d batch %d/%d loss %.3f next_batch=%.2fs fwd_bwd=%.2fs", epoch, step + 1, len(loader),
                     loss.item(), got - mark, done - got)  # fmt: skip
            mark = time.perf_counter()
        fabric.save("picks.ckpt", {"net": net, "opt": opt, "epoch": epoch})


if __name__ == "__main__":
    main()
