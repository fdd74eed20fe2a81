"""Which seed packets are bought together: a two-tower recommender on made-up baskets, logged with structlog."""

import argparse
import time

import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
        structlog.dev.ConsoleRenderer(colors=False, pad_event_to=28),
    ]
)
log = structlog.get_logger()


class Towers(nn.Module):
    """Buyer and packet embeddings with a small tower each."""

    def __init__(self, buyers: int, packets: int, dim: int) -> None:
        """Build both towers."""
        super().__init__()
        self.b, self.p = nn.Embedding(buyers, dim), nn.Embedding(packets, dim)
        nn.init.normal_(self.b.weight, std=0.1)
        nn.init.normal_(self.p.weight, std=0.1)
        self.tb = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, dim))
        self.tp = nn.Sequential(nn.Linear(dim, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, b: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
        """Score of each pair."""
        return (self.tb(self.b(b)) * self.tp(self.p(p))).sum(1)


def main() -> None:
    """Train for the steps asked."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=9000)
    ap.add_argument("--peak-lr", type=float, default=1.0)
    ap.add_argument("--warmup", type=int, default=6000)
    ap.add_argument("--report", type=int, default=750)
    a = ap.parse_args()
    torch.manual_seed(5)
    ub, up = torch.randn(3000, 8), torch.randn(800, 8)

    def baskets(n: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        b, p = torch.randint(3000, (n,)), torch.randint(800, (n,))
        return b, p, ((ub[b] * up[p]).sum(1) + 0.5 * torch.randn(n) > 0).float()

    held = baskets(8000)
    net = Towers(3000, 800, 16)
    opt = torch.optim.Adam(net.parameters(), lr=a.peak_lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(1e-4, min(1.0, (s / a.warmup) ** 3)))
    bce = nn.functional.binary_cross_entropy_with_logits
    log.info("catalogue ready", buyers=3000, packets=800, held_out=8000)
    log.info("training", steps=a.steps, batch=512, warmup=a.warmup, peak_lr=a.peak_lr)
    t0, total = time.time(), 0.0
    for step in range(1, a.steps + 1):
        b, p, y = baskets(512)
        loss = bce(net(b, p), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item()
        if step == 1 or step % a.report == 0:
            with torch.no_grad():
                s = net(held[0], held[1])
                hl, acc = bce(s, held[2]).item(), ((s > 0).float() == held[2]).float().mean().item()
            log.info(
                "report",
                step=step,
                loss=round(total / (1 if step == 1 else a.report), 4),
                heldout_loss=round(hl, 4),
                heldout_acc=round(acc, 4),
                lr=f"{sched.get_last_lr()[0]:.2e}",
                secs=round(time.time() - t0, 1),
            )
            total = 0.0
    torch.save(net.state_dict(), "towers.pt")
    log.info("weights written", path="towers.pt")


if __name__ == "__main__":
    main()
