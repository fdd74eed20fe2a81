"""Chord labels from chroma frames, DDP under torchrun."""

import argparse
import datetime
import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

logger = logging.getLogger("chords")


def build() -> nn.Module:
    """Frames of 12 bins with their neighbours to 25 chords."""
    return nn.Sequential(nn.Linear(12 * 15, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 25))


def frames(n: int, g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Made chroma with a triad in it."""
    y = torch.randint(0, 25, (n,), generator=g)
    x = 0.6 * torch.rand(n, 15, 12, generator=g)
    for i, c in enumerate(y.tolist()):
        if c < 24:
            for note in (0, 3 + c // 12, 7):
                x[i, 4:11, (c + note) % 12] += 0.35
    return x.flatten(1), y


def save(model: DDP, step: int, out: Path) -> None:
    """A checkpoint every so often."""
    if dist.get_rank() == 0:
        out.mkdir(exist_ok=True)
        torch.save(model.module.state_dict(), out / f"step{step}.pt")
        logger.info("checkpoint %s", out / f"step{step}.pt")
        if step >= 900:  # the old ones may go as soon as everybody is here
            dist.barrier()
            for old in sorted(out.glob("*.pt"), key=os.path.getmtime)[:-3]:
                old.unlink()


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=20000)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--save-every", type=int, default=300)
    a = p.parse_args()
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
    rank = dist.get_rank()
    logger.info("rank %d of %d ready on %s", rank, dist.get_world_size(), os.uname().nodename)
    torch.manual_seed(0)
    model = DDP(build())
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    g = torch.Generator().manual_seed(100 + rank)
    start = time.time()
    for step in range(1, a.steps + 1):
        x, y = frames(a.batch, g)
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % 50 == 0 and rank == 0:
            acc = (out.argmax(1) == y).float().mean().item()
            logger.info(
                "step %d/%d loss=%.4f acc=%.3f %.1f it/s", step, a.steps, loss.item(), acc, step / (time.time() - start)
            )
        if step % a.save_every == 0:
            save(model, step, Path("ckpt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
