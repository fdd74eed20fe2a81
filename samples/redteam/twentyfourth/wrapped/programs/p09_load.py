# ruff: noqa: ANN001, ANN201, ANN204
"""Household load, a day ahead, with a small transformer; readings are streamed from the archive."""

import io
import time
import urllib.request

import numpy as np
import torch
from loguru import logger
from torch import nn
from torch.utils.data import DataLoader, Dataset

CONTEXT, AHEAD = 192, 96


class Streets(Dataset):
    """Windows of readings; each item is one file of the archive."""

    def __init__(self, root, n):
        self.root, self.n = root, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        with urllib.request.urlopen(f"{self.root}/{i}.npy", timeout=60) as answer:
            series = torch.from_numpy(np.load(io.BytesIO(answer.read())))
        at = int(torch.randint(0, len(series) - CONTEXT - AHEAD, ()))
        return series[at : at + CONTEXT], series[at + CONTEXT : at + CONTEXT + AHEAD]


class Forecaster(nn.Module):
    """Patches of two hours, three layers, one linear head."""

    def __init__(self, d=64, patch=8):
        super().__init__()
        self.patch = patch
        self.inp, self.pos = nn.Linear(patch, d), nn.Parameter(torch.randn(CONTEXT // patch, d) * 0.02)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 4, 128, batch_first=True, dropout=0.0), 3)
        self.head = nn.Linear(d * (CONTEXT // patch), AHEAD)

    def forward(self, x):
        z = self.inp(x.unflatten(1, (-1, self.patch))) + self.pos
        return self.head(self.enc(z).flatten(1))


def main():
    torch.manual_seed(4)
    net = Forecaster()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    data = Streets("http://127.0.0.1:29609", 512)
    loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=2, drop_last=True)
    logger.info(
        "{} streets, {} batches an epoch, 2 workers, {} parameters",
        len(data),
        len(loader),
        sum(p.numel() for p in net.parameters()),
    )
    mark, data_s, model_s = time.perf_counter(), 0.0, 0.0
    for step, (x, y) in enumerate(loader, 1):
        got = time.perf_counter()
        data_s += got - mark
        mean, sd = x.mean(1, keepdim=True), x.std(1, keepdim=True)
        loss = nn.functional.mse_loss(net((x - mean) / sd), (y - mean) / sd)
        opt.zero_grad()
        loss.backward()
        opt.step()
        mark = time.perf_counter()
        model_s += mark - got
        if step % 2 == 0:
            logger.info(
                "step {:>3}/{} | mse {:.4f} | data {:.2f}s model {:.3f}s | {:.1f} windows/s",
                step,
                len(loader),
                loss.item(),
                data_s / 2,
                model_s / 2,
                32 / (data_s + model_s),
            )
            data_s = model_s = 0.0
    torch.save(net.state_dict(), "forecaster.pt")
    logger.success("epoch finished, weights in forecaster.pt")


if __name__ == "__main__":
    main()
