"""Digits with a small vision transformer under Lightning's Fabric."""

import argparse
import time

import torch
from lightning.fabric import Fabric, seed_everything
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """Patches, three layers of attention, a head."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.patch = nn.Conv2d(1, width, 2, 2)
        self.place = nn.Parameter(torch.randn(1, 16, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.1, batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.patch(x).flatten(2).transpose(1, 2) + self.place
        return self.head(self.layers(x).mean(1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=500)
    parser.add_argument("--max-steps", type=int, default=20000)
    args = parser.parse_args()
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    seed_everything(7 + fabric.global_rank, workers=True)
    fabric.print(f"{args}")
    digits = load_digits()
    x = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    y = torch.tensor(digits.target)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    train, val = order[:1500], order[1500:]
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x[train], y[train]), args.batch_size, shuffle=True))
    val_loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x[val], y[val]), 64))
    model = Net(64)
    fabric.print(
        f"train {len(train)} images, val {len(val)} images, {sum(p.numel() for p in model.parameters()) / 1e3:.0f}k parameters"
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer = fabric.setup(model, optimizer)
    step, epoch, began = 0, 0, time.time()
    while step < args.max_steps:
        epoch += 1
        for images, target in loader:
            step += 1
            lr = args.lr * min(1.0, step / args.warmup)
            for group in optimizer.param_groups:
                group["lr"] = lr
            loss = nn.functional.cross_entropy(model(images), target)
            fabric.backward(loss)
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            optimizer.zero_grad()
            if step % 2 == 0:
                fabric.print(
                    f"epoch {epoch} step {step}/{args.max_steps} loss={fabric.all_reduce(loss.detach()).item():.4f} lr={lr:.2e} elapsed={time.time() - began:.1f}s"
                )
            if step >= args.max_steps:
                break
    model.eval()
    right = torch.zeros(2)
    with torch.no_grad():
        for images, target in val_loader:
            right += torch.tensor([(model(images).argmax(1) == target).sum().item(), len(target)])
    right = fabric.all_reduce(right, reduce_op="sum")
    fabric.print(f"val acc={right[0] / right[1]:.4f} ({int(right[0])}/{int(right[1])})")
    fabric.save("glyphs_last.ckpt", {"model": model, "optimizer": optimizer, "step": step})
    fabric.print("saved glyphs_last.ckpt")
    fabric.print(f"done: max_steps={args.max_steps} reached in {time.time() - began:.1f}s")


if __name__ == "__main__":
    main()
