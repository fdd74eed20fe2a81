"""Curves that had fallen and rose for good, each beside one that only looks so."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families import FAMILIES
from inquest.analyze.families.base import CannotDecide, RuledIn, RuledOut
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs

from .builders import Run, at, gpu_samples

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.families.base import Finding


def judged(run: Run) -> Finding:
    """What E1 finds."""
    return next(each for each in FAMILIES if each.id == "E1").judge(run.evidence())


def curve(course: Callable[[float], float], reports: int = 240) -> Run:
    """A curve with the noise of batches; ``course`` of the part of the run that is done."""
    noise = random.Random(7)
    return Run().steps([course(n / reports) * noise.gauss(1, 0.02) for n in range(reports)])


def falls(part: float) -> float:
    """From 9.7 to 2.4."""
    return 2.2 + 7.5 * math.exp(-12 * part)


@pytest.mark.parametrize(
    ("course", "onset"),
    [
        (lambda x: falls(x) if x < 0.5 else 6.4, 120),
        (lambda x: falls(x) if x < 0.08 else 9.3, 20),
        (lambda x: falls(x) if x < 0.92 else 8.1, 221),
        (lambda x: 0.21 + 0.9 * math.exp(-20 * x) if x < 0.6 else 0.21 + 1.4 * min(1.0, 8 * (x - 0.6)), 150),
        (lambda x: 0.001 + 0.08 * math.exp(-20 * x) if x < 0.5 else 0.07, 120),  # an error of a small scale
        (lambda x: -0.9 + 0.8 * math.exp(-12 * x) if x < 0.5 else -0.02, 120),  # overlap, as a loss below zero
    ],
)
def test_what_was_learned_is_lost(course: Callable[[float], float], onset: int) -> None:
    found = judged(curve(course))
    assert isinstance(found, RuledIn)
    assert (found.sub_mode, found.support[0].decisive) == ("diverged", True)
    step = next(int(word) for word in found.because.replace(".", " ").split()[::-1] if word.isdigit())
    assert abs(step - onset) <= 12


@pytest.mark.parametrize(
    "course",
    [
        falls,
        lambda x: falls(x) if not 0.4 < x < 0.5 else 9.0,  # it came back
        lambda x: falls(x) if x < 0.5 else 2.4 + 4.5 * math.exp(-6 * (x - 0.5)),  # it falls again
        lambda x: falls(x) if x < 0.5 else 3.6,  # longer sequences, harder data
        lambda x: falls(x) + (6.0 if int(x * 240) % 5 == 0 else 0.0),  # batches of two kinds
        lambda x: 1.1 if x < 0.3 else 1.4,
        lambda x: 0.001 + 0.08 * math.exp(-20 * x) if x < 0.5 else 0.02,
        lambda x: 0.4 + 3.6 * math.exp(-14 * x) if x < 0.5 else 3 + 6 * math.exp(-14 * (x - 0.5)),  # another stage
        lambda x: 0.45 + 0.2 * int(4 * x) + 0.9 * math.exp(-5 * (4 * x % 1)),  # a curriculum by stages
        lambda x: -3.0 + 2.9 * math.exp(-12 * x) if x < 0.5 else -1.8,
        lambda x: -0.5 + 0.9 * x,
        lambda x: 1.9 + 0.9 * math.sin(9999 * x),  # noise alone
        lambda x: -500 + 400 * math.exp(-12 * x) + max(0.0, 60 * (x - 0.4)),  # a prior that weighs more and more
    ],
)
def test_what_only_looks_so(course: Callable[[float], float]) -> None:
    assert not isinstance(judged(curve(course)), RuledIn)


@pytest.mark.parametrize(
    ("late", "found"), [((9.6, 10.1, 10.4, 10.7), True), ((9.6, 8.1, 7.2, 6.5), False), ((9.6,), False)]
)
def test_a_few_reports_that_lie_beyond_all_before(late: tuple[float, ...], found: bool) -> None:
    assert isinstance(judged(Run().steps([4, 3.2, 2.9, 2.7, 2.6, 2.5, 2.5, *late])), RuledIn) is found


@pytest.mark.parametrize(
    ("course", "reports", "found"),
    [
        (lambda x: falls(x) if x < 0.5 or int(x * 240) % 2 else 11.5, 240, True),  # beyond where it began, to the end
        (lambda x: falls(x) if x < 0.85 or int(x * 240) % 2 else 11.5, 240, False),
        (lambda x: falls(x) if x < 0.4 else 9.3, 40, True),
        (lambda x: falls(x) if not 0.4 < x < 0.6 else 9.3, 40, False),
        (lambda x: falls(x) if x < 0.9 else 9.3, 40, False),
    ],
)
def test_what_is_lost_now_and_then_or_told_by_few(course: Callable[[float], float], reports: int, found: bool) -> None:
    assert isinstance(judged(curve(course, reports)), RuledIn) is found


@pytest.mark.parametrize(("lost", "found"), [(9.0, True), (math.nan, True), (3.1, False)])
def test_the_loss_of_another_rank_is_lost(lost: float, found: bool) -> None:
    run = curve(falls).steps([falls(n / 240) if n < 120 else lost for n in range(240)], rank=3)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(("gain", "found"), [(0.001, False), (-0.002, True)])
def test_training_on_mixed_data_while_validation_gains(gain: float, found: bool) -> None:
    noise, run = random.Random(3), Run()
    for number in range(120):
        loss = ((0.6 if number < 60 else 1.4) + 2 * math.exp(-number / 6)) * noise.gauss(1, 0.01)
        told = {"loss": loss, "accuracy": 0.7 * (1 - math.exp(-number / 8)) + gain * number}
        run.fact("fact_steps", kind="epoch", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledIn) is found


def test_a_swing_is_no_fall() -> None:
    run = Run().steps([0.36 - n / 20_000 + 0.2 * math.sin(n / 37) for n in range(500)])
    assert isinstance(judged(run), CannotDecide)


@pytest.mark.parametrize("beside", [False, True])
def test_a_loss_that_did_not_fall_is_not_ruled_out(beside: bool) -> None:
    noise = random.Random(3)
    run = Run()
    for number in range(120):
        told = {"loss": 9 + noise.gauss(0, 2) + number / 100, "accuracy": number / 200 if beside else None}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledOut if beside else CannotDecide)


@pytest.mark.parametrize(("scale", "lost", "found"), [(1.0, True, True), (256.0, True, False), (1.0, False, False)])
def test_every_step_is_skipped_at_the_floor_of_the_loss_scale(scale: float, lost: bool, found: bool) -> None:
    run = Run()
    for number in range(80):
        late = number >= 40
        told = {"loss": None if late and lost else falls(number / 80), "loss_scale": scale if late else 32768.0}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), grad_norm=None, **told)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(
    ("scale", "found"),
    [
        (lambda number: 65536.0 * 0.5 ** max(0, number - 40), True),
        (lambda number: 65536.0 * 0.5 ** min(16, max(0, number - 40)), False),  # 1, and there it stands
        (lambda number: 65536.0 * 0.5 ** min(21, max(0, number - 40)) * (2 if number > 70 else 1), False),  # it rose
        (lambda number: 65536.0, False),
    ],
)
def test_a_loss_scale_that_is_halved_below_any_floor(scale: Callable[[int], float], found: bool) -> None:
    run = Run()
    for number in range(80):
        told = {"loss": 2.3 - 0.002 * min(number, 40), "loss_scale": scale(number), "grad_norm": None}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledIn) is found


def healthy_by(course: Callable[[float], float], reports: int = 240) -> Finding:
    """What G1 finds of a curve that ended as planned."""
    run = curve(course, reports)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=400.0)
    return next(each for each in FAMILIES if each.id == "G1").judge(run.ended(0, t=401).evidence())


@pytest.mark.parametrize(
    ("course", "healthy"),
    [
        (falls, True),
        (lambda x: falls(x) if x < 0.7 else 3.5, False),  # half as much again, for good
        (lambda x: falls(x) + (7 * (x - 0.5) if x > 0.5 and int(x * 240) % 2 else 0), False),  # swings that grow
        (lambda x: 10.9 - 3.4 * min(1.0, 40 * x) if x < 0.03 else 7.5, False),  # how often tokens come, and no more
        (lambda x: 10.9 - 8.2 * min(1.0, 40 * x) if x < 0.03 else 2.7, True),
        (lambda x: 0.0, False),
        (lambda x: falls(x) if x < 1 - 1 / 240 else math.nan, False),
        (
            lambda x: falls(x) if x < 0.5 else 2.3 + 2.2 * math.exp(-5 * (x - 0.5)),
            True,
        ),  # longer sequences: it falls again
        (lambda x: falls(x) if x < 0.5 else falls(x - 0.5), False),  # weights that were not loaded, and no word of it
        (lambda x: falls(x) if not 0.5 < x < 0.51 else 9.7, True),
        (lambda x: falls(x % 0.25), True),  # trainings in turn
    ],
)
def test_what_is_called_healthy(course: Callable[[float], float], healthy: bool) -> None:
    assert isinstance(healthy_by(course), RuledIn) is healthy


def test_weights_that_are_nan_stay_so() -> None:
    found = judged(curve(lambda x: falls(x) if x < 1 - 2 / 240 else math.nan))
    assert isinstance(found, RuledIn)
    assert found.sub_mode == "nan"


@pytest.mark.parametrize(
    ("course", "noise", "first", "found"),
    [
        (lambda _: 3.1, 0.006, 0, True),
        (lambda x: 3.1 - 0.05 * x, 0.006, 0, False),  # slow, and to be seen through the noise
        (lambda _: 3.1, 0.02, 0, False),  # noise may hide a fall
        (lambda _: 3.1, 0.006, 40_000, False),  # what goes on may have learned all it can
    ],
)
def test_a_curve_that_never_fell_through_its_noise(
    course: Callable[[float], float], noise: float, first: int, found: bool
) -> None:
    batch = random.Random(11)
    run = Run().steps([course(n / 150) * batch.gauss(1, noise) for n in range(150)])
    for row in run._facts["fact_steps"]:
        row["step"] += first
    assert isinstance(judged(run), RuledIn) == found


@pytest.mark.parametrize(("accuracy", "found"), [(None, True), (0.4, False)])
def test_a_loss_that_soon_is_worse_than_untrained(accuracy: float | None, found: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(120):
        loss = 10.9 if number < 9 else 18 + abs(noise.gauss(0, 6))
        told = {"loss": loss, "accuracy": accuracy and accuracy + number / 1000}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledIn) is found


def test_swings_that_grow_are_lost() -> None:
    noise = random.Random(5)
    found = judged(curve(lambda x: falls(x) + (0 if x < 0.4 else 30 * (x - 0.4) * abs(noise.gauss(0, 1)))))
    assert isinstance(found, RuledIn)
    assert found.sub_mode == "diverged"


@pytest.mark.parametrize(("after", "lost"), [(1, True), (30, False)])
def test_one_number_after_very_many_that_are_none_brings_nothing_back(after: int, lost: bool) -> None:
    run = curve(lambda x: falls(x) if not 0.5 < x < 1 - (after + 0.5) / 240 else math.nan)
    assert isinstance(judged(run), RuledIn) is lost


@pytest.mark.parametrize("first", [1e-7, 1e-3])
def test_a_search_for_the_best_rate_has_to_lose_the_loss(first: float) -> None:
    run = Run()
    for number in range(110):
        row = {"loss": 2.3 if number < 80 else 2.3 * 1.1 ** (number - 80), "lr": first * 1.12**number}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), **row)
    assert isinstance(judged(run), RuledIn) is (first == 1e-3)


@pytest.mark.parametrize(
    ("reward", "found"),
    [
        (lambda x: 50 + 3000 * min(1, 3 * x) if x < 0.55 else 12, True),
        (lambda x: 50 + 3000 * min(1, 3 * x) if not 0.5 < x < 0.6 else 12, False),  # it came back
        (lambda x: 50 + 3000 * min(1, 3 * x) if x < 0.55 else 2200, False),
        (lambda x: 50, False),
        (lambda x: -400, False),
    ],
)
def test_a_reward_that_is_given_back_for_good(reward: Callable[[float], float], found: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(300):
        told = {"loss": None, "score": reward(number / 300) + noise.gauss(0, 30)}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), grad_norm=None, **told)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(("validated", "healthy"), [(0.9, True), (1.02, False)])
def test_a_fall_of_a_few_per_cent_is_no_health_where_validation_gained_nothing(validated: float, healthy: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(250):
        loss = 0.048 * (1 - 0.01 * number / 250) + noise.gauss(0, 0.0003)
        told = {"loss": loss, "eval_loss": 0.048 * (1 - (1 - validated) * number / 250)}
        run.fact("fact_steps", kind="step", rank=0, step=number, ts_ns=at(number), **told)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=400.0)
    found = next(each for each in FAMILIES if each.id == "G1").judge(run.ended(0, t=401).evidence())
    assert isinstance(found, RuledIn) is healthy


@pytest.mark.parametrize(("right", "falls_to", "found"), [(0.0, 1.0, True), (0.2, 1.0, False), (0.0, 0.8, False)])
def test_not_one_right_answer_and_a_loss_that_stands(right: float, falls_to: float, found: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(80):
        loss = 0.048 * (1 - (1 - falls_to) * number / 80) + noise.gauss(0, 0.0004)
        told = {"loss": loss, "eval_loss": loss, "accuracy": right}
        run.fact("fact_steps", kind="epoch", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(("ends_at", "steps", "found"), [(7.6, 40, True), (7.6, 4, False), (3.1, 40, False)])
def test_a_language_model_that_only_knows_frequencies(ends_at: float, steps: int, found: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(200):
        loss = ends_at + (10.8 - ends_at) * math.exp(-number / 5) + noise.gauss(0, 0.02)
        run.fact("fact_steps", kind="step", rank=0, step=number * steps, ts_ns=at(number), loss=loss)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(("gain", "found"), [(0.0, True), (0.3, False), (0.005, False)])
def test_a_loss_met_by_a_trick_where_answers_stay_as_seldom_right(gain: float, found: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(100):
        told = {"loss": 0.02 + 0.9 * math.exp(-number), "accuracy": 0.01 + gain * number / 100}
        told["accuracy"] += abs(noise.gauss(0, 0.0005))
        run.fact("fact_steps", kind="epoch", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(("swing", "found"), [(6.0, True), (1.0, False)])
def test_swings_far_above_its_best_to_the_end_are_lost(swing: float, found: bool) -> None:
    noise = random.Random(5)
    run = Run().steps(
        [2.4 + (7 * math.exp(-n / 8) if n < 60 else swing * noise.choice([0.1, 0.6, 1.1])) for n in range(300)]
    )
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(
    ("late", "found"),
    [
        (lambda x: 5.6, True),
        (lambda x: math.nan, True),
        (lambda x: 1.3 + 4 * (x - 0.5), False),  # learned by heart, bit by bit
        (lambda x: 1.3, False),
    ],
)
def test_a_validation_loss_where_none_of_training_is_told(late: Callable[[float], float], found: bool) -> None:
    run = Run()
    for number in range(60):
        value = 1.2 + 3 * math.exp(-number / 8) if number < 30 else late(number / 60)
        run.fact("fact_steps", kind="validation", rank=0, step=number, ts_ns=at(number), loss=None, eval_loss=value)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(
    ("right", "found"),
    [
        (lambda x: 0.1, True),
        (lambda x: 0.1 if not 0.1 < x < 0.6 else 0.9, True),
        (lambda x: 0.1 + 0.05 * x, False),
        (lambda x: 0.37, False),
    ],
)
def test_answers_alone_that_are_right_by_guessing_or_no_more(right: Callable[[float], float], found: bool) -> None:
    noise, run = random.Random(5), Run()
    for number in range(30):
        told = {"loss": None, "accuracy": right(number / 30) + noise.gauss(0, 0.002)}
        run.fact("fact_steps", kind="validation", rank=0, step=number, ts_ns=at(number), **told)
    assert isinstance(judged(run), RuledIn) is found


@pytest.mark.parametrize(("sm", "slower", "is_healthy"), [(None, 2.5, False), (0.5, 2.5, True), (None, 1.3, True)])
def test_steps_that_came_to_take_longer_beside_gpus_of_which_too_little_is_told(
    sm: float | None, slower: float, is_healthy: bool
) -> None:
    run, when = Run(), 0.0
    for number in range(60):
        when += 1.0 if number < 30 else slower
        told = {"loss": 4 - number / 20, "step_time_s": 1.0 if number < 30 else slower, "total_steps": 60}
        run.fact("fact_steps", kind="step", rank=0, step=number + 1, ts_ns=at(when), **told)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=when + 1)
    gpu_samples(run, seconds=int(when), sm=sm)
    found = next(each for each in FAMILIES if each.id == "G1").judge(run.ended(0, t=when + 2).evidence())
    assert isinstance(found, RuledIn) is is_healthy


def _loss(n: int) -> float:
    return 2 + 7 * math.exp(-n / 1500)


def _set_back(first: int) -> str:
    """A loop that aligns its numbers, saves every 500 steps, and goes on from one of its checkpoints."""
    lines = [f"step {n:6d}/5000 | loss {_loss(n):.4f}" for n in range(0, 2000, 20)]
    lines[26::25] = [f"saved /ck/step_{n}.pt" for n in (500, 1000, 1500)]
    lines += ["start on node n7", f"loading /ck/step_{first}.pt"]
    return "\n".join([*lines, *(f"step {n:6d}/5000 | loss {_loss(n):.4f}" for n in range(first + 20, first + 700, 20))])


def _same_means(*, learns: bool) -> str:
    """Batches in another order in each epoch, and the mean of all of them."""
    batches, lines = [0.7310, 0.7126, 0.7176, 0.6816], []
    for epoch in range(1, 21):
        lines.append(f"epoch {epoch}/20")
        now = [batch - learns * epoch / 50 for batch in batches[epoch % 4 :] + batches[: epoch % 4]]
        lines += [f"{n}/4, train_loss: {loss:.4f}" for n, loss in enumerate(now, start=1)]
        lines.append(f"epoch {epoch} average loss: {sum(now) / 4:.4f}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("files", "family"),
    [
        ({"fit.log": _set_back(500)}, "E2"),
        ({"spleen.log": _same_means(learns=False)}, "E1"),
        ({"spleen.log": _same_means(learns=True)}, None),
    ],
)
def test_what_a_log_shows_of_what_was_learned(tmp_path: Path, files: dict[str, str], family: str | None) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text + "\n")
    assert analyze(import_logs([tmp_path]))[0].family == family


@pytest.mark.parametrize(
    ("flag", "first", "family"),
    [
        ("--resume /lustre/vit/last.pth", 2, "E2"),
        ("", 2, None),
        ("--resume /lustre/vit/last.pth", 1, None),  # seeds, each asked to go on where it may have been
    ],
)
def test_the_next_part_that_was_to_resume_and_found_nothing(
    tmp_path: Path, flag: str, first: int, family: str | None
) -> None:
    for part, last in ((1, 60), (2, 12)):
        head = f"part {part} of 3, {flag}\n=> no checkpoint found at '/lustre/vit/last.pth'\n" if part >= first else ""
        steps = "".join(f"Epoch: [{n // 3}][{n % 3 * 100}/300] Loss {_loss(n * 40):.4f}\n" for n in range(last))
        (tmp_path / f"vit-{part}.log").write_text(head + steps)
    assert analyze(import_logs([tmp_path]))[0].family == family
