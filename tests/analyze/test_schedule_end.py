"""A planned end seen in the learning rate alone: it had come to the end of its schedule at the very last report."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.families import FAMILIES
from inquest.analyze.families.base import CannotDecide, RuledIn
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs

from .builders import Run, at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.families.base import Finding

    Shape = Callable[[float], float]

PEAK = 3e-4


def after(warm_up: float, fall: Shape, plateau: float = 0.0) -> Shape:
    """A schedule over a whole run: up in a line, a plateau, then ``fall`` over the rest."""
    begins = warm_up + plateau

    def rate(done: float) -> float:
        return min(1.0, done / warm_up) if done <= begins else fall(min(1.0, (done - begins) / (1 - begins)))

    return rate


def line(done: float) -> float:
    return 1 - done


def cosine(done: float) -> float:
    return 0.5 * (1 + math.cos(math.pi * done))


def run(rate: Shape, *, reports: int = 200, cut: float = 1.0, form: str = "%.2e", planned: int | None = None) -> Run:
    """A loss that falls under such a rate; ``cut``: the part of the run that was done."""
    told = Run()
    for n in range(1, round(reports * cut) + 1):
        part = n / reports
        row = {"step": n * 10, "loss": 2.4 + 7 * math.exp(-5 * part), "lr": float(form % (PEAK * rate(part)))}
        told.fact("fact_steps", kind="step", rank=0, ts_ns=at(n), total_steps=planned, **row)
    return told


def found_by_g1(told: Run) -> Finding:
    """What G1 finds."""
    return next(each for each in FAMILIES if each.id == "G1").judge(told.evidence())


ENDS = {
    "linear": after(0.03, line),
    "cosine": after(0.03, cosine),
    "cosine to a floor": after(0.03, lambda x: 0.1 + 0.9 * cosine(x)),
    "a line to a hundredth": after(0.03, lambda x: 0.01 + 0.99 * line(x)),
    "plateau, then a line": after(0.02, line, plateau=0.78),
    "plateau, then a root": after(0.02, lambda x: 1 - math.sqrt(x), plateau=0.6),
    "polynomial of 0.9": after(0.01, lambda x: (1 - x) ** 0.9),
    "a line by epochs": after(0.03, lambda x: 1 - math.floor(x * 40) / 40),
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("form", ["%.2e", "%.9f"])
def test_a_schedule_that_came_to_its_end_is_a_planned_end(name: str, form: str) -> None:
    found = found_by_g1(run(ENDS[name], form=form))
    assert isinstance(found, RuledIn)
    assert "end of its schedule" in found.because
    assert any("FROM fact_steps" in claim.sql and "lr" in claim.sql for claim in found.claims)


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("cut", [0.93, 0.8, 0.5])
def test_a_run_cut_short_had_not_come_there(name: str, cut: float) -> None:
    assert isinstance(found_by_g1(run(ENDS[name], cut=cut)), CannotDecide)


@pytest.mark.parametrize(
    "rate",
    [
        after(0.05, lambda _: 1.0),
        after(0.03, lambda x: math.exp(-3.6 * x)),
        after(0.03, lambda x: math.exp(-9 * x)),
        after(0.03, lambda x: math.exp(-50 * x)),
        after(0.03, lambda x: 1 / math.sqrt(1 + 2000 * x)),
        after(0.03, lambda x: 1.0 if x < 0.3 else 0.1 if x < 0.6 else 0.01),
        after(0.03, lambda x: 0.1 + 0.9 * line(x)),  # its floor may have come anywhere
        after(0.03, lambda x: cosine((4 * x) % 1 if x < 1 else 1.0)),  # with restarts
        after(0.03, lambda x: max(0.1, 1 - 1.4 * x)),  # it went on at its least rate
        after(0.03, lambda x: line(min(1.0, x / 0.8))),  # zero was reached long before
    ],
)
def test_what_falls_otherwise_tells_of_no_end(rate: Shape) -> None:
    assert isinstance(found_by_g1(run(rate)), CannotDecide)


def test_the_rate_of_a_policy_tells_as_well() -> None:
    told = Run()
    for n in range(1, 61):
        told.fact("fact_steps", kind="step", rank=0, ts_ns=at(n), step=n, score=n * 1.5, lr=PEAK * line((n - 1) / 60))
    assert isinstance(found_by_g1(told), RuledIn)


def test_last_reports_that_leapt_are_not_called_healthy() -> None:
    for leapt, found in ((1, RuledIn), (3, CannotDecide)):
        told = Run()
        for n in range(1, 201):
            row = {"step": n, "loss": (2.4 + 7 * math.exp(-n / 40)) * (3 if n > 200 - leapt else 1)}
            told.fact("fact_steps", kind="step", rank=0, ts_ns=at(n), lr=PEAK * line(n / 200), **row)
        assert isinstance(found_by_g1(told), found)


def test_a_plan_of_more_steps_speaks_against_it() -> None:
    assert isinstance(found_by_g1(run(ENDS["cosine"], planned=2000)), RuledIn)
    assert isinstance(found_by_g1(run(ENDS["cosine"], planned=5000)), CannotDecide)


def test_too_few_reports_tell_no_shape() -> None:
    assert isinstance(found_by_g1(run(ENDS["linear"], reports=12)), CannotDecide)


def test_a_bare_file_of_a_tracker_is_judged_by_it(tmp_path: Path) -> None:
    rate = ENDS["cosine"]
    rows = [
        {"step": n * 20, "train/loss": 2.4 + 7 * math.exp(-n / 20), "train/learning_rate": PEAK * rate(n / 120)}
        for n in range(1, 121)
    ]
    file = tmp_path / "metrics.jsonl"
    for done, family in ((120, "G1"), (96, None)):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows[:done]))
        verdict, _ = analyze(import_logs([str(file)]))
        assert verdict.family == family
        assert verdict.confidence <= 0.7


@pytest.mark.parametrize(
    ("steps", "rate", "fall", "family"),
    [
        (12, lambda n: 2e-7 * n, 0.01, "E3"),
        (60, lambda n: 1e-8 + 1e-7 * n, 0.002, "E3"),
        (16, lambda n: 2e-6 * min(n, 4), 0.01, "G1"),  # it left its warm-up
        (16, lambda n: 1e-7 * 2.0**n, 0.01, "G1"),  # a search for the best rate
        (12, lambda n: 2e-7 * n, 0.2, "G1"),  # it learnt nevertheless
        (400, lambda n: 2e-7 * n, 0.001, "G1"),
    ],
)
def test_a_run_that_never_left_its_warm_up_was_planned_too_short(
    steps: int, rate: Shape, fall: float, family: str
) -> None:
    told = Run()
    for n in range(1, steps + 1):
        row = {"step": n, "total_steps": steps, "loss": 3.5 - fall * n, "lr": rate(n)}
        told.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + n), **row)
    verdict = judge(told.ended(0, t=20 + steps).evidence(), strict=True)
    assert verdict.family == family
    assert ("warming up" in verdict.headline) == (family == "E3")


@pytest.mark.parametrize(
    ("steps", "fall", "loaded", "family"),
    [(8, 0.02, False, "E3"), (8, 0.2, False, "G1"), (8, 0.02, True, "G1"), (16, 0.02, False, "G1")],
)
def test_a_handful_of_steps_that_learned_next_to_nothing(steps: int, fall: float, *, loaded: bool, family: str) -> None:
    told = Run()
    if loaded:
        told.event(Kind.CHECKPOINT_LOADED, "loaded base.pt", t=1)
    for n in range(1, steps + 1):
        told.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + n), step=n, total_steps=steps, loss=3.5 - fall * n)
    assert judge(told.ended(0, t=20 + steps).evidence(), strict=True).family == family


@pytest.mark.parametrize(("of", "steps", "family"), [(125_000, 20, "E3"), (125_000, 60, "G1"), (400, 20, "G1")])
def test_a_handful_of_an_epoch(tmp_path: Path, of: int, steps: int, family: str) -> None:
    bars = "".join(
        f"Epoch 0:   0%|          | {n}/{of} [00:{n % 60:02}<31:04:11,  1.12it/s, train_loss={9 - 0.08 * n:.2f}]\n"
        for n in range(1, steps + 1)
    )
    (tmp_path / "pl.log").write_text(f"{bars}`Trainer.fit` stopped: `max_steps={steps}` reached.\n")
    assert analyze(import_logs([tmp_path / "pl.log"]))[0].family == family


@pytest.mark.parametrize(
    ("pause", "between", "family"),
    [(300, "", None), (300, "evaluating on the validation set", "G1"), (20, "", "G1")],
)
def test_a_run_that_stood_still_for_most_of_its_time(
    tmp_path: Path, pause: int, between: str, family: str | None
) -> None:
    lines, second = [], 0
    for n in range(60):
        second += pause if n and n % 10 == 0 else 10
        stamp = f"2026-10-03 {10 + second // 3600}:{second // 60 % 60:02}:{second % 60:02}"
        lines += [f"{stamp} {between}"] if between and n % 10 == 0 else []
        lines += [f"{stamp} step {n + 1}/60 loss {2 + 7 * math.exp(-n / 15):.4f}"]
    (tmp_path / "fit.log").write_text("\n".join([*lines, "training finished"]) + "\n")
    assert analyze(import_logs([tmp_path], exit_code=0))[0].family == family


@pytest.mark.parametrize(("last", "said", "family"), [(197, "training finished\n", "G1"), (197, "", None)])
def test_the_last_reports_of_a_run_that_says_it_is_done(
    tmp_path: Path, last: int, said: str, family: str | None
) -> None:
    steps = "".join(f"step {n}/200 loss {2 + 7 * math.exp(-n / 40):.4f}\n" for n in range(1, last + 1))
    (tmp_path / "fit.log").write_text(steps + said)
    assert analyze(import_logs([tmp_path], exit_code=0))[0].family == family


@pytest.mark.parametrize(
    ("done", "past_best", "family"), [(27, False, None), (27, True, "G1"), (60, False, "G1"), (90, False, "G1")]
)
def test_a_run_that_is_done_far_from_its_settings(
    tmp_path: Path, done: int, past_best: bool, family: str | None
) -> None:
    lines = ["config: {'epochs': 90, 'batch': 32, 'lr': 0.001}"]
    for n in range(1, done + 1):
        held = 2 + 3 * math.exp(-n / 9) + (0.02 * max(0, n - 18) if past_best else 0)
        lines.append(f"epoch {n} train_loss {1 + 4 * math.exp(-n / 9):.4f} val_loss {held:.4f}")
    (tmp_path / "fit.log").write_text("\n".join([*lines, "training finished"]) + "\n")
    assert analyze(import_logs([tmp_path], exit_code=0))[0].family == family
