"""Old mosaics made whole: what stone, what colour, where the edge; a small net that fills a hole."""

import argparse
import time

import torch
from torch import nn


def floor(n: int, g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Coloured squares in a pattern, and their kinds."""
    kind = torch.randint(4, (n, 6, 6), generator=g)
    kind[:, 3:] = kind[:, :3].flip(1)
    wide = kind.repeat_interleave(5, 1).repeat_interleave(5, 2)
    tint = torch.tensor([[0.9, 0.8, 0.6], [0.5, 0.2, 0.1], [0.2, 0.3, 0.5], [0.1, 0.1, 0.1]])
    return tint[wide].permute(0, 3, 1, 2) + 0.12 * torch.randn(n, 3, 30, 30, generator=g), wide


def main() -> None:
    """Train."""
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--width", type=int, default=16)
    p.add_argument("--steps", type=int, default=240)
    p.add_argument("--name", default="a")
    a = p.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    g = torch.Generator().manual_seed(4)
    w = a.width
    net = nn.Sequential(
        nn.Conv2d(3, w, 5, padding=2), nn.ReLU(), nn.Conv2d(w, w, 5, padding=4, dilation=2), nn.ReLU(),
        nn.Conv2d(w, w, 5, padding=8, dilation=4), nn.ReLU(), nn.Conv2d(w, 8, 3, padding=1),
    )  # fmt: skip
    optim = torch.optim.Adam(net.parameters(), lr=a.lr)
    print(f"=== {time.strftime('%d.%m.%Y %H:%M:%S')} mosaic, run {a.name}: lr {a.lr:g}, width {w}, {a.steps} steps")
    t0 = time.time()
    for step in range(1, a.steps + 1):
        whole, kind = floor(48, g)
        broken = whole.clone()
        broken[:, :, 10:20, 10:20] = 0
        out = net(broken)
        stone = nn.functional.cross_entropy(out[:, :4], kind)
        colour = nn.functional.l1_loss(out[:, 4:7], whole)
        edge_true = (kind[:, 1:] != kind[:, :-1]).float()
        edge = nn.functional.binary_cross_entropy_with_logits(out[:, 7, 1:], edge_true)
        loss = stone + colour + 0.5 * edge
        optim.zero_grad()
        loss.backward()
        optim.step()
        if step % 10 == 0:
            print(
                f"step {step:4d}/{a.steps} stone {stone.item():.4f} colour {colour.item():.4f} edge {edge.item():.4f} "
                f"total {loss.item():.4f} {step / (time.time() - t0):.1f} it/s"
            )
    torch.save(net.state_dict(), f"mosaic-{a.name}.pt")
    print(f"run {a.name} done in {time.time() - t0:.0f} s, kept as mosaic-{a.name}.pt")


if __name__ == "__main__":
    main()
