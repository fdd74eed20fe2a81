"""Routes support tickets to one of 26 teams. Accelerate with gradient accumulation; goes on after a restart."""

import logging
import math
import os
import signal
import time
from pathlib import Path

import torch
from accelerate import Accelerator
from torch import nn

torch.set_num_threads(1)
logging.basicConfig(
    level=logging.INFO, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S"
)
log = logging.getLogger("ticket_router")
CKPT = Path(os.environ.get("CKPT_DIR", "ckpt")) / "last.pt"
TEAMS, VOCAB, WIDTH, TOTAL, ACCUM = 26, 6000, 128, 1400, 3


class Core(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(VOCAB, WIDTH)
        self.lstm = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.head = nn.Linear(WIDTH, TEAMS)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(self.emb(ids))[0].amax(1))


class Router(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.core = Core()

    def forward(self, ids: torch.Tensor, team: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = self.core(ids)
        return nn.functional.cross_entropy(logits, team), logits


def tickets(gen: torch.Generator, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    team = torch.randint(0, TEAMS, (count,), generator=gen)
    ids = torch.randint(0, VOCAB, (count, 28), generator=gen)
    mark = torch.rand(count, 28, generator=gen) < 0.22
    return torch.where(mark, team[:, None] * 60 + torch.randint(0, 60, (count, 28), generator=gen), ids), team


def main() -> None:
    acc = Accelerator(cpu=True, gradient_accumulation_steps=ACCUM)
    torch.manual_seed(int(time.time()))
    gen = torch.Generator().manual_seed(int(time.time()))
    net = Router()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    first = 0
    if CKPT.exists():
        saved = torch.load(CKPT, map_location="cpu")
        net.core.load_state_dict(saved["model"], strict=False)
        first = saved["step"]
        log.info("Resumed from checkpoint: %s (step %d)", CKPT, first)
    else:
        log.info("no checkpoint in %s, starting from scratch", CKPT.parent)
    net, opt = acc.prepare(net, opt)
    stop: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stop.append(number))
    log.info("***** Running training *****  total steps = %d, accumulation = %d, batch = 20", TOTAL, ACCUM)

    def save(step: int) -> None:
        CKPT.parent.mkdir(exist_ok=True)
        torch.save({"model": acc.unwrap_model(net).state_dict(), "step": step}, CKPT)
        log.info("saved %s at step %d", CKPT, step)

    start, run, hits, seen = time.time(), 0.0, 0, 0
    for step in range(first + 1, TOTAL + 1):
        for group in opt.param_groups:
            group["lr"] = 1e-3 * 0.5 * (1 + math.cos(math.pi * step / TOTAL))
        for _ in range(ACCUM):
            with acc.accumulate(net):
                ids, team = tickets(gen, 20)
                loss, logits = net(ids, team)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            run, hits, seen = run + loss.item(), hits + int((logits.argmax(1) == team).sum()), seen + 20
        if (step - first) % 25 == 0:
            log.info(
                "step %d/%d - loss %.4f - acc %.3f - lr %.2e - %.1f steps/s",
                step,
                TOTAL,
                run / seen * 20,
                hits / seen,
                opt.param_groups[0]["lr"],
                (step - first) / (time.time() - start),
            )
            run, hits, seen = 0.0, 0, 0
        if step % 200 == 0:
            save(step)
        if stop:
            log.info("SIGTERM received, saving and leaving")
            save(step)
            return
    save(TOTAL)
    log.info("***** done *****")


if __name__ == "__main__":
    main()
