"""Forest plots: species, height and health from one small net."""

import argparse

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = get_logger(__name__)


class Canopy(nn.Module):
    """A trunk and three heads."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(48, 128), nn.SiLU(), nn.Linear(128, 128), nn.SiLU())
        self.species = nn.Linear(128, 9)
        self.height = nn.Linear(128, 1)
        self.health = nn.Linear(128, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        h = self.trunk(x)
        return self.species(h), self.height(h).squeeze(1), self.health(h).squeeze(1)


def plots(n: int, seed: int) -> TensorDataset:
    """Made spectra."""
    w = torch.Generator().manual_seed(0)
    proto, wh, wd = torch.randn(9, 48, generator=w), torch.randn(48, generator=w), torch.randn(48, generator=w)
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 9, (n,), generator=g)
    x = 0.35 * proto[y] + torch.randn(n, 48, generator=g)
    height = (x @ wh) / 7 + 0.5 * torch.tanh(x[:, 0] * x[:, 1]) + 0.2 * torch.randn(n, generator=g)
    sick = ((x @ wd) / 7 + 0.5 * torch.randn(n, generator=g) > 0.4).float()
    return TensorDataset(x, y, height, sick)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--accumulate", type=int, default=4)
    p.add_argument("--batch", type=int, default=16)
    a = p.parse_args()
    torch.set_num_threads(1)
    set_seed(33)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=a.accumulate)
    train, val = DataLoader(plots(24000, 1), a.batch, shuffle=True), DataLoader(plots(3000, 2), 250)
    net = Canopy()
    opt = torch.optim.AdamW(net.parameters(), 2e-3, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.epochs * len(train) // a.accumulate)
    net, opt, train, val, sched = acc.prepare(net, opt, train, val, sched)
    acc.print(acc.state)
    acc.print(
        f"Num examples = 24000, micro batch = {a.batch}, accumulation = {a.accumulate}, optimizer steps = {a.epochs * len(train) // a.accumulate}"
    )
    done = 0
    for epoch in range(a.epochs):
        net.train()
        sums = torch.zeros(4)
        for i, (x, y, h, d) in enumerate(train, 1):
            with acc.accumulate(net):
                s, hh, dd = net(x)
                ls = nn.functional.cross_entropy(s, y)
                lh = nn.functional.smooth_l1_loss(hh, h)
                ld = nn.functional.binary_cross_entropy_with_logits(dd, d)
                acc.backward(ls + 2 * lh + ld)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(net.parameters(), 1.0)
                    done += 1
                opt.step()
                sched.step()
                opt.zero_grad()
            sums += torch.tensor([ls.item(), lh.item(), ld.item(), 1.0])
            if i % 300 == 0:
                m = sums / sums[3]
                acc.print(
                    f"epoch {epoch} step {done} species_loss {m[0]:.4f} height_loss {m[1]:.4f} health_loss {m[2]:.4f} lr {opt.param_groups[0]['lr']:.2e}",
                    flush=True,
                )
                sums.zero_()
        net.eval()
        hit = err = ok = n = 0.0
        with torch.no_grad():
            for x, y, h, d in val:
                s, hh, dd = net(x)
                hit += (s.argmax(1) == y).sum().item()
                err += (hh - h).abs().sum().item()
                ok += ((dd > 0).float() == d).sum().item()
                n += len(y)
        acc.print(
            f"epoch {epoch} | val species acc {hit / n:.4f} | val height MAE {err / n:.4f} | val health acc {ok / n:.4f}",
            flush=True,
        )
        acc.save_state(f"state/epoch_{epoch}")
    acc.wait_for_everyone()
    acc.save_model(net, "canopy")
    acc.print(f"Training completed, {done} optimizer steps, model in canopy/", flush=True)
    acc.end_training()


if __name__ == "__main__":
    main()
