"""SIMULATED training runs for the curves of the fourteenth set: how losses, rates and clocks go, and how programs end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from random import Random


@dataclass
class Clock:
    """Wall time of a run."""

    now: datetime

    @classmethod
    def at(cls, text: str) -> Clock:
        """A clock that stands there."""
        return cls(datetime.fromisoformat(text).replace(tzinfo=UTC))

    def tick(self, seconds: float) -> datetime:
        """Let time go by."""
        self.now += timedelta(seconds=seconds)
        return self.now

    def say(self, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """The time, printed."""
        return self.now.strftime(form)

    def milli(self) -> str:
        """As Python's logging prints it."""
        return f"{self.now:%Y-%m-%d %H:%M:%S},{self.now.microsecond // 1000:03}"


def falling(
    rng: Random, top: float, floor: float, pace: float, power: float = 0.6, shake: float = 0.01
) -> Callable[[float], float]:
    """A loss that falls as a power of the step, with its own noise on the part above the floor and a little on all."""

    def loss(step: float) -> float:
        clean = floor + (top - floor) / math.pow(1 + step / pace, power)
        return clean * rng.gauss(1, shake)

    return loss


def level(rng: Random, value: float, shake: float) -> Callable[[float], float]:
    """A loss that goes nowhere."""
    return lambda _: value * rng.gauss(1, shake)


def cosine(peak: float, total: int, warm: int, low: float = 0.1) -> Callable[[float], float]:
    """A learning rate with a linear start and half a cosine after it."""

    def rate(step: float) -> float:
        if step < warm:
            return peak * step / warm
        part = min(1.0, (step - warm) / max(1, total - warm))
        return peak * (low + (1 - low) * 0.5 * (1 + math.cos(math.pi * part)))

    return rate


def linear(peak: float, total: int, warm: int) -> Callable[[float], float]:
    """A learning rate that falls to nothing in a straight line."""
    return lambda step: peak * step / warm if step < warm else peak * max(0.0, (total - step) / max(1, total - warm))


def spikes(rng: Random, at: Iterable[float], height: float, width: float) -> Callable[[float], float]:
    """What spikes that heal add to a loss."""
    marks = [(mark, height * rng.uniform(0.6, 1.4)) for mark in at]
    return lambda step: sum(tall * math.exp(-(step - mark) / width) for mark, tall in marks if step >= mark)


def write(place: Path, name: str, lines: Iterable[str], end: str = "\n") -> None:
    """Write a file of lines."""
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}{end}" for line in lines))


def trace(*frames: tuple[str, int, str, str], error: str) -> list[str]:
    """A traceback: file, line, function and source of each frame, and the error."""
    out = ["Traceback (most recent call last):"]
    for file, line, function, source in frames:
        out += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return [*out, error]


def out_of_memory(gpu: int, wanted: str, total: str, free: str, used: str, own: str, spare: str) -> str:
    """The error of PyTorch where a GPU's memory is full."""
    return (
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {wanted}. GPU {gpu} has a total capacity of {total} of which "
        f"{free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory {own} is "
        f"allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
        "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )


def bar(done: int, total: int, seconds: float, rate: str, head: str = "", width: int = 10) -> str:
    """A state of tqdm's bar."""
    part = done / total
    full = int(part * width)
    rest = seconds / max(done, 1) * (total - done)
    blocks = "█" * full + ("▌" if full < width and part * width - full > 0.4 else "")
    return f"{head}{part:4.0%}|{blocks:<{width}}| {done}/{total} [{spell(seconds)}<{spell(rest)}, {rate}]"


def spell(seconds: float) -> str:
    """A span as tqdm prints it."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes:02}:{whole % 60:02}"
