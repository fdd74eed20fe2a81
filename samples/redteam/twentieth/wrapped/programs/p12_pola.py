"""Segmentacja pól uprawnych na zdjęciach lotniczych (mała sieć, torchmetrics)."""

import argparse
import time

import torch
from torch import nn
from torchmetrics import JaccardIndex, MeanMetric

KLASY = ("tło", "pszenica", "rzepak", "łąka")
BRAK = 255


def zdjecia(n: int, pewne: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Prostokątne pola; brzegi bywają nieopisane."""
    y = torch.zeros(n, 48, 48, dtype=torch.long)
    for i in range(n):
        for _ in range(5):
            a, b = torch.randint(0, 36, (2,)).tolist()
            y[i, a : a + 12, b : b + 12] = int(torch.randint(1, 4, (1,)))
    x = torch.randn(n, 3, 48, 48) * 0.7
    for k in range(4):
        x[:, k % 3] += (y == k) * (0.9 if k else 0.2)
    y[torch.rand(n, 48, 48) > pewne] = BRAK
    return x, y


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epoki", type=int, default=20)
    p.add_argument("--paczka", type=int, default=8)
    p.add_argument("--krok", type=float, default=2e-3)
    args = p.parse_args()
    torch.manual_seed(40)
    x, y = zdjecia(320, 0.97)
    vx, vy = zdjecia(80, 0.97)
    siec = nn.Sequential(
        *(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 4, 1)),
    )
    opt = torch.optim.Adam(siec.parameters(), args.krok)
    strata = nn.CrossEntropyLoss(ignore_index=BRAK)
    srednia, iou = MeanMetric(), JaccardIndex(task="multiclass", num_classes=len(KLASY))
    print(f"Zdjęć uczących: {len(x)}, kontrolnych: {len(vx)}, klasy: {', '.join(KLASY)}")
    for epoka in range(1, args.epoki + 1):
        t0 = time.time()
        srednia.reset()
        siec.train()
        for nr, idx in enumerate(torch.randperm(len(x)).split(args.paczka), 1):
            blad = strata(siec(x[idx]), y[idx])
            opt.zero_grad()
            blad.backward()
            opt.step()
            srednia.update(blad.detach())
            if nr % 10 == 0:
                print(f"epoka {epoka} krok {nr}: strata {srednia.compute().item():.4f}", flush=True)
        print(f"epoka {epoka} zakończona w {time.time() - t0:.1f} s, sprawdzam na zdjęciach kontrolnych", flush=True)
        siec.eval()
        iou.reset()
        with torch.no_grad():
            for a, b in zip(vx.split(16), vy.split(16), strict=True):
                iou.update(siec(a).argmax(1), b)
        print(f"epoka {epoka}: mIoU {iou.compute().item():.3f}", flush=True)
    torch.save(siec.state_dict(), "pola.pt")
    print("Zapisano model w pola.pt")


if __name__ == "__main__":
    main()
