"""Runs whose right answer is known by how they were made, each told by every voice that tells what it takes to see it."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from .run import Evaluation, Report, Run, Save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .run import Voice


class Told(NamedTuple):
    """One log, and what may be said of it."""

    text: str
    status: int | None
    right: tuple[str, ...]


class Scenario(NamedTuple):
    """A course of events."""

    needs: tuple[str, ...]
    """What a voice has to tell for the answer to follow: each a word of `run.TELLS`, or several that do, by ``|``."""
    right: tuple[str, ...]
    make: Callable[[random.Random], Run]
    after: Callable[[Run, random.Random], list[str]] = lambda *_: []
    """Lines that the system writes below."""
    status: int | None = None


class _Course(NamedTuple):
    """What is the same in all runs of one seed."""

    epochs: int
    per_epoch: int
    every: int
    batch: int
    begin: datetime
    top: float
    """Loss at the start."""
    share: float
    """Of it, what is left at the end."""
    noise: float
    step: float
    """Seconds."""
    lr: float


def _course(rng: random.Random, *, epochs: tuple[int, int] = (3, 40)) -> _Course:
    every = rng.choice((1, 5, 10, 20, 25, 50, 100))
    per_epoch = every * rng.choice((1, 2, 4, 5, 8, 12, 20))
    many = rng.randint(*epochs)
    while many * per_epoch // every < 24:
        many += 2
    while many * per_epoch // every > 400 and many > epochs[0]:
        many -= 1
    return _Course(
        many,
        per_epoch,
        every,
        rng.choice((8, 16, 32, 64, 128, 256)),
        datetime(2026, rng.randint(1, 11), rng.randint(1, 28), rng.randint(0, 23), rng.randint(0, 59), 7, tzinfo=UTC),
        rng.choice((0.69, 1.1, 2.3, 4.6, 6.9, 10.8, 0.2, 35.0)),
        rng.uniform(0.08, 0.55),
        rng.uniform(0.01, 0.06),
        rng.choice((0.02, 0.08, 0.2, 0.6, 1.5, 4.0)),
        rng.choice((1e-4, 3e-4, 1e-3, 0.01, 0.1)),
    )


_A_SECOND: Final = 1.0


def _run(
    rng: random.Random,
    course: _Course,
    loss: Callable[[float], float],
    *,
    fetch: Callable[[float], float] = lambda _: 0.03,
    save: float = 0.6,
    until: float = 1.0,
    first: int = 0,
    resumed: int | None = None,
    lr: Callable[[float], float] | None = None,
    save_every: int = 0,
    stop_at: float = 0.0,
) -> Run:
    """A run; ``loss``, ``lr`` and ``fetch`` (a share of all time) are functions of the share of steps done."""
    events: list[Report | Evaluation | Save] = []
    at, total, best = rng.uniform(4, 40), course.epochs * course.per_epoch, math.inf
    begin, before, waits = course.top, at, 0.0
    last = int(total * until)
    for step in range(first + 1, last + 1):
        x = step / total
        compute = course.step * rng.uniform(0.92, 1.12)
        waits += (waited := compute * fetch(x) / (1 - fetch(x)))
        at += compute + waited
        if step % course.every == 0:
            value = loss(x)
            wobbles = value * (1 + course.noise * rng.gauss(0, 1)) if math.isfinite(value) else value
            took = at - before
            score = max(0.0, min(0.999, 1 - wobbles / (1.15 * begin))) if math.isfinite(wobbles) else math.nan
            rate = course.every * course.batch / took
            norm = abs(rng.gauss(1.0, 0.25)) * (0.3 + value / begin) if math.isfinite(value) else math.nan
            now = (lr or (lambda share: course.lr * (0.02 + 0.98 * (1 + math.cos(math.pi * share)) / 2)))(x)
            epoch, batch = (step - 1) // course.per_epoch, (step - 1) % course.per_epoch + 1
            events.append(Report(at, epoch, batch, step, wobbles, score, now, norm, took, waits, rate))
            before, waits = at, 0.0
        if step % course.per_epoch == 0:
            took = max(0.2, 0.1 * course.per_epoch * course.step)
            at += took
            value = loss(x) * (1.04 + 0.02 * rng.gauss(0, 1))
            lower = math.isfinite(value) and value < best
            best = min(best, value) if math.isfinite(value) else best
            score = max(0.0, min(0.999, 1 - value / (1.15 * begin))) if math.isfinite(value) else math.nan
            events.append(Evaluation(at, step // course.per_epoch - 1, step, value, score, took, lower))
        if step % (save_every or course.per_epoch) == 0:
            usual = min(save, max(0.05, 0.08 * course.per_epoch * course.step)) if save < _A_SECOND else save
            took = usual * rng.uniform(0.8, 1.3)
            at += took
            events.append(Save(at, (step - 1) // course.per_epoch, step, took))
    return Run(
        rng.randrange(10_000),
        course.begin,
        course.epochs,
        course.per_epoch,
        course.every,
        course.batch,
        rng.randint(20_000, 900_000_000),
        resumed,
        tuple(events),
        finished=until >= 1 and not stop_at,
    )


def _falls(course: _Course) -> Callable[[float], float]:
    return lambda x: course.top * (course.share + (1 - course.share) * math.exp(-5 * x))


def _healthy(rng: random.Random) -> Run:
    course = _course(rng)
    return _run(rng, course, _falls(course))


def _bumpy(rng: random.Random) -> Run:
    """A spike in the middle from which the loss came back."""
    course = _course(rng)
    falls, when = _falls(course), rng.uniform(0.3, 0.6)
    return _run(rng, course, lambda x: falls(x) * (1 + 1.2 * math.exp(-(((x - when) / 0.015) ** 2))))


def _resumed(rng: random.Random) -> Run:
    course = _course(rng, epochs=(8, 40))
    first = course.per_epoch * (course.epochs // 3)
    return _run(rng, course, _falls(course), first=first, resumed=first)


def _nan(rng: random.Random) -> Run:
    course = _course(rng)
    falls, when = _falls(course), rng.uniform(0.2, 0.7)
    return _run(rng, course, lambda x: falls(x) if x < when else math.nan)


def _diverges(rng: random.Random) -> Run:
    course = _course(rng)
    falls, when, times = _falls(course), rng.uniform(0.2, 0.5), rng.uniform(4, 40)
    return _run(rng, course, lambda x: falls(x) if x < when else course.top * (1 + times * min(1, (x - when) / 0.05)))


def _flat(rng: random.Random) -> Run:
    course = _course(rng)._replace(top=rng.choice((0.693, 1.386, 2.303, 4.605, 6.908)), noise=0.003)
    return _run(rng, course, lambda _: course.top, lr=lambda _: 0.0)


def _starves(rng: random.Random) -> Run:
    course = _course(rng)
    course = course._replace(step=max(course.step, 0.2))
    share = rng.uniform(0.7, 0.9)
    return _run(rng, course, _falls(course), fetch=lambda _: share)


def _saves(rng: random.Random) -> Run:
    """A save at every report, each of which takes as long as three times the steps between."""
    course = _course(rng)
    course = course._replace(step=max(course.step, 0.2))
    return _run(rng, course, _falls(course), save_every=course.every, save=3 * course.every * course.step)


def _restarted(rng: random.Random) -> Run:
    """It says that it goes on from a step, and its loss is that of a model that has learned nothing."""
    course = _course(rng, epochs=(8, 40))
    course = course._replace(share=min(course.share, 0.3))
    first = course.per_epoch * (course.epochs // 2)
    whole = course.epochs * course.per_epoch
    falls = _falls(course)
    return _run(rng, course, lambda x: falls(x - first / whole), first=first, resumed=first)


def _cut(rng: random.Random) -> Run:
    course = _course(rng)
    return _run(rng, course, _falls(course), until=rng.uniform(0.35, 0.8))


def _hangs(rng: random.Random) -> Run:
    return _cut(rng)


def _last(run: Run, seconds: float) -> datetime:
    return run.begin + timedelta(seconds=run.events[-1].at + seconds)


def _limit(run: Run, rng: random.Random) -> list[str]:
    step = run.reports[-1].took
    when = _last(run, min(0.5 * step, 20))
    job = rng.randint(10_000, 9_999_999)
    return [
        f"slurmstepd: error: *** JOB {job} ON gpu{rng.randint(1, 99):02} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    ]


def _taken(run: Run, rng: random.Random) -> list[str]:
    when = _last(run, min(0.5 * run.reports[-1].took, 20))
    job = rng.randint(10_000, 9_999_999)
    return [
        f"slurmstepd: error: *** JOB {job} ON gpu{rng.randint(1, 99):02} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***"
    ]


def _silent(run: Run, rng: random.Random) -> list[str]:
    when = _last(
        run,
        max(
            rng.uniform(5000, 12_000),
            60 * max(report.took for report in run.reports),
            40 * run.events[-1].at / max(1, run.events[-1].epoch + 1),
        ),
    )
    job = rng.randint(10_000, 9_999_999)
    return [
        f"slurmstepd: error: *** JOB {job} ON gpu{rng.randint(1, 99):02} CANCELLED AT {when:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    ]


def _killed(_: Run, rng: random.Random) -> list[str]:
    return [
        f"/var/spool/slurmd/job{rng.randint(1000, 99999)}/slurm_script: line {rng.randint(9, 40)}: {rng.randint(900, 99999)} Killed                  python train.py"
    ]


def _memory(_: Run, rng: random.Random) -> list[str]:
    asked = rng.choice((64, 128, 512))
    return [
        "Traceback (most recent call last):",
        f'  File "/home/u{rng.randint(10, 99)}/proj/loop.py", line {rng.randint(40, 400)}, in <module>',
        "    main()",
        f'  File "/home/u{rng.randint(10, 99)}/proj/loop.py", line {rng.randint(40, 400)}, in main',
        "    out.backward()",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
        f"{asked}.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 22.31 MiB is free. Including non-PyTorch memory, "
        "this process has 79.12 GiB memory in use. Of the allocated memory 77.80 GiB is allocated by PyTorch, and 611.20 MiB is "
        "reserved by PyTorch but unallocated.",
    ]


def _raised(_: Run, rng: random.Random) -> list[str]:
    error = rng.choice(
        (
            "KeyError: 'pixel_values'",
            "IndexError: index 31 is out of bounds for axis 0 with size 31",
            "RuntimeError: The size of tensor a (512) must match the size of tensor b (513) at non-singleton dimension 1",
            "AttributeError: 'NoneType' object has no attribute 'shape'",
            "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 811 (char 810)",
        )
    )
    return [
        "Traceback (most recent call last):",
        f'  File "/home/u{rng.randint(10, 99)}/proj/loop.py", line {rng.randint(40, 400)}, in <module>',
        "    fit()",
        f'  File "/home/u{rng.randint(10, 99)}/proj/loop.py", line {rng.randint(40, 400)}, in fit',
        "    batch = collate(rows)",
        error,
    ]


SCENARIOS: Final = {
    "healthy": Scenario(("loss|eval|score", "end"), ("G1",), _healthy),
    "healthy, status 0": Scenario(("loss|eval|score", "end"), ("G1",), _healthy, status=0),
    "spike that went": Scenario(("loss", "end"), ("G1",), _bumpy),
    "resumed well": Scenario(("loss", "end", "resume"), ("G1",), _resumed),
    "nan": Scenario(("loss|eval",), ("E1",), _nan),
    "diverges": Scenario(("loss|eval",), ("E1",), _diverges),
    "learns nothing": Scenario(("loss", "lr"), ("E1", "E3"), _flat),
    "starves": Scenario(("loss", "fetch", "end"), ("D1",), _starves),
    "saves most of the time": Scenario(("loss", "save", "end"), ("D2",), _saves),
    "restarted": Scenario(("loss", "resume", "end"), ("E2", "-"), _restarted),
    "time limit": Scenario(("loss", "plan"), ("F3",), _cut, _limit),
    "preempted": Scenario(("loss",), ("F2",), _cut, _taken),
    "hangs until the limit": Scenario(("loss", "clock", "plan"), ("C3", "C2"), _hangs, _silent),
    "killed": Scenario(("loss",), ("A2",), _cut, _killed, 137),
    "out of memory": Scenario(("loss",), ("B1",), _cut, _memory, 1),
    "raises": Scenario(("loss",), ("A1",), _cut, _raised, 1),
    "cut": Scenario(("loss",), ("-",), _cut),
}


def tellings(voices: dict[str, Voice], seed: int) -> Iterator[tuple[str, Told]]:
    """Each course of events in each voice that can tell it, as ``VOICE/SCENARIO``."""
    for name, voice in voices.items():
        for what, scenario in SCENARIOS.items():
            if not all(voice.tells & set(needs.split("|")) for needs in scenario.needs):
                continue
            rng = random.Random(f"{seed} {name} {what}")
            run = scenario.make(rng)
            lines = [*voice.tell(run), *scenario.after(run, rng)]
            yield f"{name}/{what}", Told("\n".join(lines) + "\n", scenario.status, scenario.right)
