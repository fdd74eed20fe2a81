"""The physics of SIMULATED training runs: how loss, gradient, rate and clock go, and what a truth or a trouble does to them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

    from samples.redteam.fifteenth.lot_data import Curve

NAN: Final = math.nan


@dataclass
class Domain:
    """What is trained: where a loss begins at chance, where it ends, and what is measured besides."""

    name: str
    start: float
    floor: float
    score: str
    chance: float
    best: float
    sigma: float


@dataclass
class Point:
    """What a run says of itself at one moment."""

    step: int
    epoch: float
    loss: float
    lr: float
    gnorm: float
    t: float
    speed: float
    val: float | None = None
    score: float | None = None
    skipped: bool = False
    scale: float = 65536.0


@dataclass
class Run:
    """One attempt of a job."""

    framework: str
    truth: str
    trouble: str
    domain: Domain
    plan: int
    done: int
    per_epoch: int
    every: int
    step_s: float
    start: datetime
    job: int
    host: str
    peak_lr: float
    gpus: int
    points: list[Point] = field(default_factory=list)
    end: str = "goodbye"
    plan_known: bool = True
    whole: bool = True
    early: bool = False
    note: str = ""
    horizon: int = 0
    """Steps in which the model would have learned what it can: the plan, where the plan is a sane one."""

    def at(self, t: float) -> datetime:
        """The wall clock so many seconds after the start."""
        return self.start + timedelta(seconds=t)

    @property
    def over(self) -> float:
        """Seconds from the start to the last word."""
        return (self.points[-1].t if self.points else 0.0) + 60.0


_OF: Final = {
    "lm": ("megatron", "nemo", "torchtitan", "nanogpt", "deepspeed", "wandb_history"),
    "tuned": ("hf_lines", "hf_state", "trl_sft", "llamafactory"),
    "vision": ("lightning_csv", "keras_bars", "timm", "own_loop", "tqdm", "tensorboard_csv", "mlflow"),
    "boxes": ("ultralytics", "mmengine"),
    "translation": ("fairseq",),
    "preference": ("trl_dpo",),
    "reward": ("sb3", "rllib", "trl_grpo"),
    "trees": ("xgboost", "lightgbm", "catboost"),
}


def domain(rng: Random, framework: str, trouble: str) -> Domain:
    """What a framework usually trains."""
    name = next(key for key, names in _OF.items() if framework in names)
    if trouble == "loss says nothing" and name != "reward":
        return Domain("gan", 1.1, 1.0, "fid", 240.0, rng.uniform(14, 32), 0.16)
    made = {
        "lm": lambda: Domain(
            name, math.log(rng.choice((32000, 50304, 128256, 151936))), rng.uniform(2.3, 3.1), "val", 0, 0, 0.012
        ),
        "tuned": lambda: Domain(name, rng.uniform(1.5, 2.6), rng.uniform(0.75, 1.05), "acc", 0.5, 0.78, 0.035),
        "vision": lambda: Domain(
            name,
            math.log(rng.choice((10, 100, 345, 1000))),
            rng.uniform(0.2, 0.9),
            "acc",
            0,
            rng.uniform(0.74, 0.93),
            0.03,
        ),
        "boxes": lambda: Domain(
            name, rng.uniform(3.0, 4.4), rng.uniform(0.9, 1.4), "map", 0.0, rng.uniform(0.38, 0.61), 0.025
        ),
        "translation": lambda: Domain(name, rng.uniform(12.5, 14.0), rng.uniform(3.9, 4.6), "bleu", 0.0, 27.0, 0.01),
        "preference": lambda: Domain(
            name, math.log(2), rng.uniform(0.34, 0.46), "acc", 0.5, rng.uniform(0.71, 0.8), 0.05
        ),
        "reward": lambda: Domain(name, 0.02, 0.01, "reward", rng.uniform(-190, -140), rng.uniform(150, 260), 0.05),
        "trees": lambda: Domain(name, math.log(2), rng.uniform(0.18, 0.31), "auc", 0.5, rng.uniform(0.87, 0.95), 0.002),
    }[name]()
    if made.name == "vision":
        made.chance = math.exp(-made.start)
    if framework == "trl_grpo":
        made.chance, made.best = rng.uniform(0.05, 0.2), rng.uniform(0.6, 0.85)
    return made


def fraction(x: float) -> float:
    """How much of the way is still to go after this part of a plan: fast at first, slow later."""
    return max(0.0, ((1 + 38 * x) ** -0.85 - 0.044) / 0.956)


def schedule(step: int, plan: int, peak: float) -> float:
    """A warm-up of three in a hundred, then a cosine down to a tenth."""
    warm = max(1, plan * 3 // 100)
    if step < warm:
        return peak * (step + 1) / warm
    return peak * (0.1 + 0.45 * (1 + math.cos(math.pi * min(1.0, (step - warm) / max(1, plan - warm)))))


def _sick(run: Run, rng: Random, point: Point, x: float, turn: float, stuck: float) -> None:
    """What the truth does to a point, ``x`` of the run done, ``turn`` being where it goes wrong."""
    dom = run.domain
    after = max(0.0, (x - turn) / (1 - turn))
    match run.truth:
        case "E1 nan" if x >= turn:
            point.loss = point.gnorm = NAN
            point.val = NAN if point.val is not None else None
            point.score = dom.chance if point.score is not None else None
        case "E1 explodes" if x >= turn:
            rise = min(1.0, after * 9)
            point.loss = dom.start * (0.5 + 3.4 * rise) * math.exp(rng.gauss(0, 0.12))
            point.gnorm = 40 * (1 + 30 * rise) * math.exp(rng.gauss(0, 0.5))
            point.val = point.loss * 1.02 if point.val is not None else None
            point.score = dom.chance if point.score is not None else None
        case "E1 flat at chance":
            point.loss = dom.start * (1 + rng.gauss(0, 0.0035))
            point.gnorm = 0.11 * math.exp(rng.gauss(0, 0.2))
            point.val = dom.start * (1 + rng.gauss(0, 0.001)) if point.val is not None else None
            point.score = dom.chance * (1 + rng.gauss(0, 0.03)) if point.score is not None else None
        case "E1 dead, gradient nought" if x >= turn / 8:
            point.loss, point.gnorm = stuck, 0.0
            point.val = stuck if point.val is not None else None
            point.score = dom.chance if point.score is not None else None
        case "E1 creeps up" if x >= turn:
            low = dom.floor + (dom.start - dom.floor) * fraction(turn)
            point.loss = (low + (1.35 * dom.start - low) * after**0.8) * math.exp(rng.gauss(0, dom.sigma))
            point.gnorm *= 1 + 9 * after
            point.val = point.loss * 1.03 if point.val is not None else None
            point.score = dom.chance if point.score is not None else None
        case "E1 scaler starves" if x >= turn / 10:
            point.loss, point.skipped = stuck * (1 + rng.gauss(0, 0.002)), True
            point.gnorm = math.inf
            point.val = stuck if point.val is not None else None
            point.score = dom.chance if point.score is not None else None
        case _:
            pass


def trace(run: Run, rng: Random) -> None:
    """Fill the points of a run."""
    dom = run.domain
    noisy = 6.0 if run.trouble == "noisy" else 1.0
    turn = rng.uniform(0.28, 0.5)
    stuck = round(dom.start * rng.uniform(0.985, 1.0), 4)
    steps = list(range(run.every, run.done + 1, run.every))
    if run.done == run.plan and (not steps or steps[-1] != run.done):
        steps.append(run.done)
    count = len(steps)
    spikes = {rng.randrange(count // 5, max(count // 5 + 1, count * 4 // 5)): rng.uniform(2.0, 4.5) for _ in range(3)}
    heat, late, scale = 1.0, 0.0, 65536.0
    evals = (
        max(1, min(run.plan, max(run.done, 1)) // run.every // 10)
        if run.truth.startswith("E3")
        else max(1, run.plan // run.every // 10)
    )
    gap = rng.randrange(count // 3, max(count // 3 + 1, count * 3 // 4))
    for k, step in enumerate(steps, 1):
        x, of_plan = k / count, min(1.0, step / (run.horizon or run.plan))
        left = fraction(of_plan)
        clean = dom.floor + (dom.start - dom.floor) * left
        if run.trouble == "spikes recover":
            heat = spikes.get(k, 1 + (heat - 1) * 0.35)
        loss = clean * heat * math.exp(rng.gauss(0, dom.sigma * noisy))
        if dom.name == "reward":
            loss = rng.gauss(0.01, 0.012)
        speed = run.step_s * max(0.6, rng.gauss(1.0, 0.02))
        if run.trouble == "clock gaps" and k == gap:
            late = rng.uniform(3, 9) * 3600
        if dom.name == "reward" or dom.name == "gan":
            gain = (1 - left) ** 1.3
            score = (
                dom.chance
                + (dom.best - dom.chance) * gain
                + rng.gauss(0, 0.035 * noisy**0.5) * abs(dom.best - dom.chance)
            )
            score = max(score, 0.0) if dom.chance >= 0 else score
        else:
            score = dom.chance + (dom.best - dom.chance) * (1 - left) ** 1.2 * (1 + rng.gauss(0, 0.006))
        val = clean * (1.06 + 0.05 * of_plan) * math.exp(rng.gauss(0, dom.sigma * 0.4))
        if run.trouble == "evaluation worse" and x > 0.35:
            val = (
                1.07
                * (dom.floor + (dom.start - dom.floor) * fraction(0.35 * of_plan / x))
                * (1 + (0.3 if run.truth == "G1" else 0.7) * (x - 0.35))
                * math.exp(rng.gauss(0, dom.sigma * 0.4))
            )
        tested = k % evals == 0 or k == count or run.every == run.per_epoch
        point = Point(
            step=step,
            epoch=step / run.per_epoch,
            loss=loss,
            lr=schedule(step, run.plan, run.peak_lr),
            gnorm=(0.35 + 3.2 * left) * heat * math.exp(rng.gauss(0, 0.16)),
            t=38 + step * run.step_s + late + rng.uniform(0, 0.6),
            speed=speed,
            val=val if tested else None,
            score=score if tested or dom.name in ("reward", "gan") else None,
        )
        _sick(run, rng, point, x, turn, stuck)
        if run.truth == "E1 flat at chance":
            point.loss *= heat
        if dom.name in ("reward", "gan") and run.truth.startswith("E1") and point.score is not None:
            noise = 0.02 * abs(dom.best - dom.chance)
            point.score = dom.chance + rng.gauss(0, noise) if "dead" not in run.truth else dom.chance
        if point.skipped:
            scale = max(scale / 2, 1e-4)
        point.scale = scale
        run.points.append(point)


_HOSTS: Final = ("gpu{:03d}", "h100-{:02d}", "node{:02d}", "c4n{:02d}", "dgx{:02d}")


def begin(lot: Curve, rng: Random) -> Run:
    """The attempt a lot speaks of, its points not yet drawn."""
    dom = domain(rng, lot.framework, lot.trouble)
    if lot.trouble == "low from the start":
        dom.start, dom.floor = rng.uniform(0.3, 0.42), rng.uniform(0.2, 0.24)
    by_epoch = lot.framework in ("keras_bars", "ultralytics", "timm", "fairseq", "mmengine", "tqdm")
    epochs = rng.choice((20, 30, 40, 50, 60, 100)) if by_epoch else rng.choice((2, 3, 4))
    per_epoch = rng.randrange(90, 640, 10) if by_epoch else rng.randrange(400, 2400, 20)
    plan = epochs * per_epoch
    if lot.framework in ("megatron", "nemo", "torchtitan", "nanogpt", "deepspeed"):
        plan = rng.choice((3000, 5000, 8000, 10000, 20000))
    if lot.framework in ("xgboost", "lightgbm", "catboost"):
        plan, per_epoch = rng.choice((400, 600, 1000, 1500)), 1
    if lot.framework in ("sb3", "rllib"):
        plan, per_epoch = rng.choice((120, 200, 300)), 1
    if lot.truth == "E3 tiny plan":
        plan = rng.choice((6, 8, 10, 12))
        per_epoch = plan if by_epoch else per_epoch
    done = plan
    if lot.truth == "E3 stops far short":
        done = max(4, int(plan * rng.uniform(0.015, 0.035)))
        if by_epoch:
            done = max(1, round(done / per_epoch)) * per_epoch
    elif lot.truth == "undecidable" or lot.truth.startswith(("F3", "A1", "B1", "A2", "C2")):
        done = int(plan * rng.uniform(0.34, 0.83))
    if lot.trouble == "early stopping":
        done = int(plan * rng.uniform(0.45, 0.65))
    many = lot.framework in ("fairseq", "ultralytics", "keras_bars", "timm", "mlflow")
    every = per_epoch if by_epoch and many else max(1, plan // rng.choice((80, 100, 125)))
    if lot.framework in ("xgboost", "lightgbm", "catboost", "sb3", "rllib"):
        every = 1 if lot.framework in ("sb3", "rllib") else max(1, plan // 60)
    if lot.truth.startswith("E3"):
        every = per_epoch if by_epoch and many else 1
    done = plan if done == plan else max(every, done // every * every)
    run = Run(
        framework=lot.framework,
        truth=lot.truth,
        trouble=lot.trouble,
        domain=dom,
        plan=plan,
        done=done,
        per_epoch=per_epoch,
        every=every,
        step_s=rng.uniform(0.35, 3.2) if dom.name != "trees" else rng.uniform(0.05, 0.4),
        start=datetime(
            2026,
            rng.randrange(8, 12),
            rng.randrange(1, 22),
            rng.randrange(24),
            rng.randrange(60),
            rng.randrange(60),
            tzinfo=UTC,
        ),
        job=rng.randrange(210000, 990000),
        host=rng.choice(_HOSTS).format(rng.randrange(1, 60)),
        peak_lr=rng.choice((1e-4, 2e-4, 3e-4, 2e-5, 5e-5))
        if dom.name in ("tuned", "preference", "lm")
        else rng.choice((1e-3, 3e-3, 5e-4)),
        gpus=rng.choice((4, 8)) if dom.name == "lm" or lot.truth == "C2" else rng.choice((1, 1, 2, 4)),
        plan_known=lot.trouble != "plan unknown",
        whole=lot.trouble != "tail only",
        early=lot.trouble == "early stopping",
        horizon=plan * 120 if lot.truth == "E3 tiny plan" else 0,
    )
    if lot.framework == "trl_grpo":
        run.peak_lr = 1e-6
    if lot.truth == "undecidable":
        run.end = "cut"
    elif lot.truth.startswith(("F3", "A1", "B1", "A2", "C2")):
        run.end = lot.truth
    trace(run, rng)
    if not run.whole:
        run.points = run.points[len(run.points) * 11 // 20 :]
    return run
