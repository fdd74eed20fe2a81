"""SIMULATED output of frameworks for the curves of the fourteenth set: lines of a log from the points of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .sim import Clock, bar, spell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random


@dataclass
class Point:
    """One line of a curve."""

    step: int
    loss: float
    rate: float
    grad: float
    seconds: float
    """Since the start."""


@dataclass
class Run:
    """A course of training: what was planned and what was logged."""

    total: int
    every: int
    points: list[Point]
    evals: list[tuple[int, float]] = field(default_factory=list)

    @property
    def last(self) -> Point:
        """Where it stands at its end."""
        return self.points[-1]


def course(
    rng: Random,
    total: int,
    every: int,
    *,
    loss: Callable[[float], float],
    rate: Callable[[float], float],
    step_s: float = 1.0,
    until: int = 0,
    first: int = 0,
    grad: float = 1.2,
    gaps: tuple[tuple[int, float], ...] = (),
    shake: float = 0.03,
) -> Run:
    """Log a loop every so many steps; gaps are pauses (step, seconds)."""
    points, now, pauses = [], 0.0, sorted(gaps)
    for step in range(first + every, (until or total) + 1, every):
        now += every * step_s * max(0.5, rng.gauss(1, shake))
        while pauses and step >= pauses[0][0]:
            now += pauses.pop(0)[1]
        norm = grad * (0.35 + 0.65 / (1 + step / (0.1 * total)) ** 0.5) * rng.lognormvariate(0, 0.12)
        points.append(Point(step, loss(step), rate(step), norm, now))
    return Run(total, every, points)


def hf_old(run: Run, per_epoch: float) -> Iterator[str]:
    """Transformers 4.x: dicts with floats and no step."""
    evals = dict(run.evals)
    for p in run.points:
        yield str(
            {
                "loss": round(p.loss, 4),
                "grad_norm": p.grad,
                "learning_rate": p.rate,
                "epoch": round(p.step / per_epoch, 2),
            }
        )
        if p.step in evals:
            yield str(
                {
                    "eval_loss": evals[p.step],
                    "eval_runtime": 21.4418,
                    "eval_samples_per_second": 93.276,
                    "eval_steps_per_second": 11.66,
                    "epoch": round(p.step / per_epoch, 2),
                }
            )


def hf_new(run: Run, per_epoch: float, extra: Callable[[Point], dict[str, str]] = lambda _: {}) -> Iterator[str]:
    """Transformers 5.x and TRL: dicts of strings."""
    evals = dict(run.evals)
    for p in run.points:
        at = f"{p.step / per_epoch:.4g}"
        head = {"loss": f"{p.loss:.4g}", "grad_norm": f"{p.grad:.4g}", "learning_rate": f"{p.rate:.4g}"}
        yield str({**head, **extra(p), "epoch": at})
        if p.step in evals:
            speed = {"eval_runtime": "14.87", "eval_samples_per_second": "134.5", "eval_steps_per_second": "16.81"}
            yield str({"eval_loss": f"{evals[p.step]:.4g}", **speed, "epoch": at})


def barred(rows: Iterator[str], run: Run) -> Iterator[str]:
    """The same beneath tqdm's bar, as it lies in a file where every state of it took its own line."""
    places = iter(run.points)
    for row in rows:
        if "'loss'" in row:
            p = next(places)
            yield bar(p.step, run.total, p.seconds, f"{p.seconds / p.step:5.2f}s/it")
        yield row


def megatron(run: Run, clock: Clock, batch: int, flops: float, scale: float = 1.0) -> Iterator[str]:
    """Megatron-LM's line of an interval."""
    before = 0.0
    for p in run.points:
        span, before = p.seconds - before, p.seconds
        clock.tick(span)
        ms = span / run.every * 1000
        bad = math.isnan(p.loss)
        loss = "" if bad else f"lm loss: {p.loss:.6E} | "
        norm = "nan" if bad else f"{p.grad:.3f}"
        yield (
            f" [{clock.say('%Y-%m-%d %H:%M:%S.%f')}] iteration {p.step:8}/{run.total:8} | consumed samples: {p.step * batch:12} | "
            f"elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): {flops / ms:.1f} | "
            f"learning rate: {p.rate:.6E} | global batch size: {batch:5} | {loss}loss scale: {scale:.1f} | grad norm: {norm} | "
            f"number of skipped iterations: {0:3} | number of nan iterations: {run.every if bad else 0:3} |"
        )


def nemo(run: Run, batch: int) -> Iterator[str]:
    """NeMo's progress printer."""
    before, was = 0.0, 0
    for p in run.points:
        each, before, was = (p.seconds - before) / (p.step - was), p.seconds, p.step
        yield (
            f"Training epoch 0, iteration {p.step - 1}/{run.total - 1} | lr: {p.rate:.4} | global_batch_size: {batch} | "
            f"global_step: {p.step - 1} | reduced_train_loss: {p.loss:.4} | train_step_timing in s: {each:.4} | "
            f"consumed_samples: {p.step * batch}"
        )


def titan(run: Run, clock: Clock, rank: str = "[rank0]:") -> Iterator[str]:
    """Torchtitan's line."""
    before = 0.0
    for p in run.points:
        span, before = p.seconds - before, p.seconds
        clock.tick(span)
        speed = 8192 * run.every / span
        yield (
            f"{rank}[titan] {clock.milli()} - root - INFO - step: {p.step:2}  loss: {p.loss:8.5f}  grad_norm: {p.grad:7.4f}  "
            f"memory: 61.44GiB(77.68%)  tps: {round(speed):,}  tflops: {speed * 0.0532:,.2f}  mfu: {speed * 0.0532 / 9.89:.2f}%"
        )


def nanogpt(run: Run) -> Iterator[str]:
    """NanoGPT's iterations and evaluations."""
    evals, before, was = dict(run.evals), 0.0, 0
    for p in run.points:
        if p.step in evals:
            yield f"step {p.step}: train loss {p.loss * 0.998:.4f}, val loss {evals[p.step]:.4f}"
        each, before, was = (p.seconds - before) / (p.step - was), p.seconds, p.step
        yield f"iter {p.step}: loss {p.loss:.4f}, time {each * 1000:.2f}ms, mfu {31.4 * (0.98 + p.grad % 0.03):.2f}%"


def llamafactory_jsonl(run: Run, per_epoch: float, tokens: float) -> Iterator[dict[str, object]]:
    """Objects of trainer_log.jsonl."""
    evals = dict(run.evals)
    for p in run.points:
        done = {"current_steps": p.step, "total_steps": run.total}
        rest = {
            "epoch": round(p.step / per_epoch, 4),
            "percentage": round(100 * p.step / run.total, 2),
            "elapsed_time": spelled(p.seconds),
            "remaining_time": spelled(p.seconds / p.step * (run.total - p.step)),
        }
        yield {
            **done,
            "loss": round(p.loss, 4),
            "lr": p.rate,
            **rest,
            "throughput": round(tokens, 2),
            "total_tokens": round(tokens * p.seconds),
        }
        if p.step in evals:
            yield {**done, "eval_loss": evals[p.step], **rest}


def spelled(seconds: float) -> str:
    """A span as timedelta prints it."""
    text = spell(seconds)
    return text if text.count(":") == 2 else f"0:{text}"


def deepspeed(run: Run, clock: Clock, batch: int) -> Iterator[str]:
    """DeepSpeed's own lines of a step, with the loop's loss beside them."""
    before = 0.0
    for p in run.points:
        span, before = p.seconds - before, p.seconds
        clock.tick(span)
        rate = batch * run.every / span
        yield f"[{clock.milli()}] [INFO] [logging.py:128:log_dist] [Rank 0] step={p.step}, skipped=0, lr=[{p.rate}], mom=[(0.9, 0.95)]"
        yield (
            f"[{clock.milli()}] [INFO] [timer.py:264:stop] epoch=0/micro_step={p.step}/global_step={p.step}, "
            f"RunningAvgSamplesPerSec={rate * 1.004:.6f}, CurrSamplesPerSec={rate:.6f}, MemAllocated=31.2GB, MaxMemAllocated=58.77GB"
        )
        yield f"step {p.step} | loss {p.loss:.4f} | lr {p.rate:.3e}"


def fairseq(run: Run, clock: Clock, per_epoch: int) -> Iterator[str]:
    """Fairseq's train_inner lines."""
    before = 0.0
    for p in run.points:
        span, before = p.seconds - before, p.seconds
        epoch, update = (p.step - 1) // per_epoch + 1, (p.step - 1) % per_epoch + 1
        clock.tick(span)
        yield (
            f"{clock.say()} | INFO | train_inner | epoch {epoch:03}: {update:6} / {per_epoch} loss={p.loss:.3f}, nll_loss={p.loss - 1.61:.3f}, "
            f"ppl={2 ** (p.loss - 1.61):.2f}, wps={41237 + 13 * (p.step % 29)}, ups={run.every / span:.2f}, "
            f"wpb=28712.4, bsz=1024.1, num_updates={p.step}, lr={p.rate:.6g}, gnorm={p.grad:.3f}, loss_scale=16, "
            f"train_wall={round(span)}, gb_free=9.8, wall={round(p.seconds)}"
        )


def mmengine(run: Run, clock: Clock, per_epoch: int, epochs: int) -> Iterator[str]:
    """MMEngine's lines of an interval."""
    before = 0.0
    for p in run.points:
        span, before = p.seconds - before, p.seconds
        clock.tick(span)
        each = span / run.every
        left = each * (per_epoch * epochs - p.step)
        epoch, update = (p.step - 1) // per_epoch + 1, (p.step - 1) % per_epoch + 1
        eta = f"{int(left) // 3600:}:{int(left) // 60 % 60:02}:{int(left) % 60:02}"
        yield (
            f"{clock.say('%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(train)  [{epoch}][{update:>4}/{per_epoch}]  "
            f"base_lr: {p.rate:.4e} lr: {p.rate:.4e}  eta: {eta}  time: {each:.4f}  data_time: {each * 0.04:.4f}  memory: 11873  "
            f"grad_norm: {p.grad * 9:.4f}  loss: {p.loss:.4f}  loss_cls: {p.loss * 0.41:.4f}  loss_bbox: {p.loss * 0.59:.4f}"
        )
