"""Ripeness, weight and damage of apples on a belt: three heads, Accelerate with gradients of four batches."""

import logging
import os
import time
from datetime import timedelta
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs, set_seed

torch.set_num_threads(1)
accelerator = Accelerator(gradient_accumulation_steps=4, cpu=True,
                          kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(seconds=30))])  # fmt: skip
logging.basicConfig(format=f"%(asctime)s rank{accelerator.process_index} %(message)s", level=logging.INFO)
log = logging.getLogger("orchard")
set_seed(5, device_specific=True)


class Apples(torch.nn.Module):
    """One body, three heads."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(
            torch.nn.Linear(96, 256), torch.nn.GELU(), torch.nn.Linear(256, 256), torch.nn.GELU()
        )
        self.ripe, self.grams, self.bruise = torch.nn.Linear(256, 5), torch.nn.Linear(256, 1), torch.nn.Linear(256, 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        x = self.body(x)
        return self.ripe(x), self.grams(x).squeeze(1), self.bruise(x)


model = Apples()
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=6e-4))
rule = torch.randn(96, 5, generator=torch.Generator().manual_seed(1))


def crate(number: int) -> None:
    """Rank 1's camera delivers a crate through a pipe; the others read theirs from the archive."""
    log.info("crate %d", number)
    if accelerator.process_index == 1 and number == 9:
        pipe = Path("camera-b.pipe")
        if not pipe.exists():
            os.mkfifo(pipe)
        pipe.read_bytes()


for step in range(1, 1201):
    if step % 80 == 1:
        crate(step // 80)
    with accelerator.accumulate(model):
        x = torch.randn(64, 96)
        ripe, grams, bruise = model(x)
        marks = x @ rule
        one = torch.nn.functional.cross_entropy(ripe, marks.argmax(1))
        two = torch.nn.functional.smooth_l1_loss(grams, marks[:, 0] * 0.2)
        three = torch.nn.functional.cross_entropy(bruise, (marks[:, 1] > 6).long())
        accelerator.backward(one + two + three)
        optimizer.step()
        optimizer.zero_grad()
    time.sleep(0.02)
    if step % 40 == 0 and accelerator.is_main_process:
        log.info("step %d/1200 ripe %.3f grams %.3f bruise %.3f total %.3f", step, one, two, three, one + two + three)
accelerator.wait_for_everyone()
log.info("done")
accelerator.end_training()
