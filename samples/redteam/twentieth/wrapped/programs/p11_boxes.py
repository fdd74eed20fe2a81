"""A toy detector with three losses, Accelerate, gradient accumulation. Starts where ckpt/ left off, if it is there."""

import argparse
import csv
import logging
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("boxes")
HEAD = ("step", "loss_box", "loss_cls", "loss_obj")


class Detector(nn.Module):
    """One backbone, three heads."""

    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(64, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.box, self.cls, self.obj = nn.Linear(width, 4), nn.Linear(width, classes), nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        h = self.backbone(x)
        return self.box(h), self.cls(h), self.obj(h)


def scenes(n: int, classes: int) -> TensorDataset:
    g = torch.Generator().manual_seed(2)
    table = torch.randn(classes, 64, generator=g)
    c = torch.randint(0, classes, (n,), generator=g)
    x = table[c] + 0.9 * torch.randn(n, 64, generator=g)
    return TensorDataset(x, x[:, :4].tanh(), c, (x[:, 5:9].sum(1) > 0).float())


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--classes", type=int, default=8)
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--steps", type=int, default=1200)
    p.add_argument("--accumulate", type=int, default=4)
    p.add_argument("--ckpt", type=Path, default=Path("ckpt"))
    args = p.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)s | %(message)s")
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accumulate)
    torch.manual_seed(2)
    model = Detector(args.classes, args.width)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    loader = DataLoader(scenes(16000, args.classes), batch_size=32, shuffle=True)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    log.info("%s", vars(args))
    start, table = 0, args.ckpt / "losses.csv"
    if table.exists():
        rows = list(csv.reader(table.open()))
        start = int(rows[-1][0])
        log.info("found %s at step %d, the last losses were:", args.ckpt, start)
        for row in rows[-4:]:
            log.info("  %s", "  ".join(f"{k} {v}" for k, v in zip(HEAD, row, strict=True)))
        accelerator.load_state(args.ckpt / "state")
    args.ckpt.mkdir(exist_ok=True)
    step, batches = start, iter(loader)
    while step < args.steps:
        for _ in range(args.accumulate):
            batch = next(batches, None)
            if batch is None:
                batches = iter(loader)
                batch = next(batches)
            x, box, c, obj = batch
            with accelerator.accumulate(model):
                a, b, o = model(x)
                parts = (
                    nn.functional.smooth_l1_loss(a, box),
                    nn.functional.cross_entropy(b, c),
                    nn.functional.binary_cross_entropy_with_logits(o[:, 0], obj),
                )
                accelerator.backward(5 * parts[0] + parts[1] + parts[2])
                opt.step()
                opt.zero_grad()
        step += 1
        if step % 50 == 0:
            row = (step, *(f"{part.item():.4f}" for part in parts))
            log.info("%s", "  ".join(f"{k} {v}" for k, v in zip(HEAD, row, strict=True)))
            with table.open("a") as f:
                csv.writer(f).writerow(row)
            accelerator.save_state(args.ckpt / "state")
    log.info("done")


if __name__ == "__main__":
    main()
