"""Glazes of pottery from their recipe: colour in Lab, by a residual net under Lightning's Fabric."""

import time

import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

OXIDES = ("silica", "alumina", "iron", "copper", "cobalt", "tin", "rutile", "calcia", "magnesia", "soda", "boron")


def note(text: str) -> None:
    print(f"~ {text}", flush=True)


def kiln(oxides: torch.Tensor, hot: torch.Tensor) -> torch.Tensor:
    """What a firing makes of a recipe."""
    colour = oxides[:, 2:5] @ torch.tensor([[-40.0, 10, 30], [-20, -35, 5], [-60, 15, -50]])
    return torch.tensor([88.0, 0, 4]) + colour * (1 + 0.1 * hot[:, None]) + 8 * oxides[:, 5:6]


class Block(nn.Module):
    """A residual layer."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(x)


def main() -> None:
    note("good morning from the glaze shop")
    fabric = Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    fabric.seed_everything(41, verbose=False)
    note(f"one worker, {torch.get_num_threads()} thread, torch {torch.__version__}")
    shelves = (torch.empty(0, len(OXIDES)), torch.empty(0, 3))
    for shelf in range(1, 9):
        g = torch.Generator().manual_seed(shelf)
        oxides = torch.rand(30_000, len(OXIDES), generator=g)
        oxides /= oxides.sum(1, keepdim=True)
        colours = [kiln(oxides, torch.randn(len(oxides), generator=g)) for _ in range(40)]
        mixed = torch.stack(colours).mean(0)
        shelves = (torch.cat([shelves[0], oxides]), torch.cat([shelves[1], mixed]))
        time.sleep(1.1)  # the share is slow
        note(f"shelf {shelf} of 8 unpacked, {len(shelves[0])} test tiles so far")
    mean, spread = shelves[1].mean(0), shelves[1].std(0)
    note(f"typical tile L {mean[0]:.1f} a {mean[1]:.1f} b {mean[2]:.1f}")
    net = nn.Sequential(nn.Linear(len(OXIDES), 128), *[Block(128) for _ in range(6)], nn.Linear(128, 3))
    note(f"recipe reader has {sum(p.numel() for p in net.parameters())} knobs")
    opt = torch.optim.AdamW(net.parameters(), 1e-3)
    net, opt = fabric.setup(net, opt)
    loader = fabric.setup_dataloaders(
        DataLoader(TensorDataset(shelves[0], (shelves[1] - mean) / spread), 512, shuffle=True)
    )
    note(f"{len(loader)} trays to a firing, 3 firings planned")
    for firing in range(1, 4):
        off = 0.0
        for tray, (x, y) in enumerate(loader, 1):
            opt.zero_grad()
            miss = nn.functional.smooth_l1_loss(net(x), y)
            fabric.backward(miss)
            opt.step()
            off += miss.item()
            if tray % 150 == 0:
                note(f"firing {firing}, tray {tray}: off by {off / 150:.4f}")
                off = 0.0
    fabric.save("glaze.ckpt", {"net": net})
    note("kiln is cooling, reader put away in glaze.ckpt")


if __name__ == "__main__":
    main()
