"""Brings sheets of a herbarium and their labels together: an encoder for the picture, one for the text, InfoNCE between them."""

import argparse
import logging
import math
import sys
import time

import torch
import torch.nn.functional as fn
from torch import nn

logging.basicConfig(format="[%(asctime)s] %(levelname)-7s %(message)s", level=logging.INFO, stream=sys.stdout)
log = logging.getLogger("herb")


class Picture(nn.Module):
    """Encodes a sheet of 32 x 32."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 24, 3, 2, 1),
            nn.GELU(),
            nn.Conv2d(24, 48, 3, 2, 1),
            nn.GELU(),
            nn.Conv2d(48, 64, 3, 2, 1),
            nn.GELU(),
            nn.Flatten(),
        )
        self.head = nn.Linear(64 * 16, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return fn.normalize(self.head(self.body(x)), dim=-1)


class Label(nn.Module):
    """Encodes a label of 12 words."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.words = nn.EmbeddingBag(3000, 96)
        self.head = nn.Sequential(nn.Linear(96, 128), nn.GELU(), nn.Linear(128, dim))

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        return fn.normalize(self.head(self.words(t)), dim=-1)


class Sheets:
    """Made pairs: each species has its colours and its words."""

    def __init__(self, species: int, gen: torch.Generator) -> None:
        self.look = torch.rand(species, 3, 32, 32, generator=gen)
        self.words = torch.randint(0, 3000, (species, 6), generator=gen)
        self.gen, self.species = gen, species

    def batch(self, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Pairs of one batch."""
        which = torch.randint(0, self.species, (size,), generator=self.gen)
        look = self.look[which] + 0.35 * torch.randn(size, 3, 32, 32, generator=self.gen)
        return look, torch.cat([self.words[which], torch.randint(0, 3000, (size, 6), generator=self.gen)], 1)


def main() -> int:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=6000)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    torch.manual_seed(77)
    torch.set_num_threads(1)
    data = Sheets(900, torch.Generator().manual_seed(77))
    pic, lab, scale = Picture(64), Label(64), nn.Parameter(torch.tensor(math.log(14.0)))
    params = [*pic.parameters(), *lab.parameters(), scale]
    opt = torch.optim.AdamW(params, args.lr, weight_decay=0.05)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.steps)
    log.info(
        "picture %.2fM, label %.2fM parameters; %s",
        *(sum(p.numel() for p in m.parameters()) / 1e6 for m in (pic, lab)),
        vars(args),
    )
    past: list[torch.Tensor] = []  # what was seen, for the map of the sheets at the end
    began = time.time()
    for step in range(1, args.steps + 1):
        look, words = data.batch(args.batch)
        a, b = pic(look), lab(words)
        logits = scale.exp().clamp(max=100) * a @ b.T
        target = torch.arange(args.batch)
        loss = (fn.cross_entropy(logits, target) + fn.cross_entropy(logits.T, target)) / 2
        opt.zero_grad()
        loss.backward()
        grad = nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        sched.step()
        past.append(look)
        if step % 25 == 0:
            hit = (logits.argmax(1) == target).float().mean().item()
            pace = step * args.batch / (time.time() - began)
            log.info(
                "step %5d/%d loss %.4f top1 %.3f grad %.3f lr %.2e temp %.2f %.0f pairs/s",
                step,
                args.steps,
                loss,
                hit,
                grad,
                sched.get_last_lr()[0],
                scale.exp(),
                pace,
            )
    torch.save({"pic": pic.state_dict(), "lab": lab.state_dict(), "map": torch.cat(past)}, "herb.pt")
    log.info("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
