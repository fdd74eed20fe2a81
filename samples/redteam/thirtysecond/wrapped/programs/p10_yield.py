"""Maize yield of counties from weekly weather, mean and spread; Accelerate with accumulation of gradients."""

import argparse
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = get_logger(__name__)


class YieldNet(nn.Module):
    """A GRU over the season, then a mean and a variance."""

    def __init__(self, width: int = 48) -> None:
        """Build the parts."""
        super().__init__()
        self.rnn = nn.GRU(9, width, batch_first=True)
        self.mean = nn.Linear(width, 1)
        self.var = nn.Linear(width, 1)
        nn.init.constant_(self.var.bias, 1.0)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Mean and variance in standard units."""
        h = self.rnn(x)[0][:, -1]
        return self.mean(h), self.var(h)


def counties(n: int, seed: int) -> TensorDataset:
    """Thirty weeks of nine variables; yield with noise that depends on drought."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 30, 9, generator=g)
    drought = x[:, 10:20, 2].mean(1) * 2
    y = 0.8 * x[:, :12, 0].mean(1) * 2 - 0.7 * drought + 0.2 * torch.exp(0.6 * drought) * torch.randn(n, generator=g)
    return TensorDataset(x, y.unsqueeze(1))


def main() -> None:
    """Train and write the last weights."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=16)
    ap.add_argument("--lr", type=float, default=6e-3)
    ap.add_argument("--accum", type=int, default=4)
    ap.add_argument("--out", type=Path, default=Path("/tmp/bu_pa/scratch/yield"))
    args = ap.parse_args()
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=args.accum)
    set_seed(90)
    net = YieldNet()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    train = DataLoader(counties(9600, 1), batch_size=32, shuffle=True)
    test = DataLoader(counties(1200, 2), batch_size=200)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * len(train) // args.accum)
    net, opt, train, test, sched = accelerator.prepare(net, opt, train, test, sched)
    accelerator.print(accelerator.state)
    accelerator.print(f"updates per epoch: {len(train) // args.accum}  effective batch: {32 * args.accum}")
    step = 0
    for epoch in range(args.epochs):
        net.train()
        seen, parts = 0.0, 0
        for x, y in train:
            with accelerator.accumulate(net):
                mean, var = net(x)
                std = var.sqrt()
                loss = (torch.log(std) + 0.5 * ((y - mean) / std) ** 2).mean()
                accelerator.backward(loss)
                opt.step()
                sched.step()
                opt.zero_grad()
            seen += loss.item()
            parts += 1
            if accelerator.sync_gradients:
                step += 1
                if step % 15 == 0:
                    lr = sched.get_last_lr()[0]
                    accelerator.print(
                        f"epoch {epoch:2d} | update {step:5d} | nll {seen / parts:8.4f} | lr {lr:.2e}", flush=True
                    )
                    seen, parts = 0.0, 0
        net.eval()
        errs = []
        with torch.no_grad():
            for x, y in test:
                mean, _ = net(x)
                errs.append(accelerator.gather_for_metrics((mean - y) ** 2))
        accelerator.print(f"epoch {epoch:2d} | test rmse {torch.cat(errs).mean().sqrt().item():.4f}", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    accelerator.save(accelerator.unwrap_model(net).state_dict(), args.out / "yield_last.pt")
    accelerator.print(f"weights in {args.out}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
