"""Violin tone quality: a transformer over spectrogram frames."""

import sys
import time

import numpy as np
import torch
from torch import nn

CFG = {"width": 100, "heads": 7, "layers": 3, "bins": 129, "epochs": 25, "lr": 3e-4}


class Tone(nn.Module):
    def __init__(self, cfg: dict) -> None:
        super().__init__()
        self.inp = nn.Linear(cfg["bins"], cfg["width"])
        layer = nn.TransformerEncoderLayer(cfg["width"], cfg["heads"], 2 * cfg["width"], batch_first=True)
        self.enc = nn.TransformerEncoder(layer, cfg["layers"])
        self.out = nn.Linear(cfg["width"], 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.enc(self.inp(x)).mean(1)).squeeze(1)


def frames(n: int) -> np.ndarray:
    rng = np.random.default_rng(6)
    rows = []
    for i in range(n):
        wave = np.cumsum(rng.normal(0, 1, 256 * 260))
        spec = np.abs(np.fft.rfft(wave.reshape(-1, 256) * np.hanning(256)))
        rows.append(np.log1p(spec).astype("float32"))
        if (i + 1) % 800 == 0:
            print(f"  spectrograms {i + 1}/{n}")
    return np.stack(rows)[:, :40]


def build(cfg: dict) -> nn.Module | None:
    try:
        return Tone(cfg)
    except AssertionError as err:
        print(f"note: network not built ({err}; width={cfg['width']} heads={cfg['heads']})")
        return None


def train(x: torch.Tensor, net: nn.Module | None) -> None:
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    history: list[float] = []
    try:
        opt = torch.optim.AdamW(net.to(dev).parameters(), CFG["lr"])
        for epoch in range(CFG["epochs"]):
            for part in torch.randperm(len(x)).split(30):
                loss = (net(x[part].to(dev)) - x[part].mean((1, 2)).to(dev)).square().mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
            history.append(loss.item())
            print(f"epoch {epoch + 1} loss {history[-1]:.4f}")
    finally:
        print("writing the summary")
        print(f"best loss {min(history):.4f} at epoch {history.index(min(history)) + 1}")
        torch.save(net.state_dict(), "best_tone.pt")


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    torch.set_num_threads(1)
    print("start", time.strftime("%c"))
    print(CFG)
    model = build(CFG)
    train(torch.from_numpy(frames(6400)), model)
