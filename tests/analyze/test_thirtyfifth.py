"""What the thirty-fifth set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

_CHANCE = random.Random(35)
_BEGIN = datetime(2026, 5, 5, 9, tzinfo=UTC)


def _of(folder: Path, lines: list[str]) -> Verdict:
    (folder / "train.log").write_text("\n".join([*lines, ""]))
    return analyze(import_logs([folder]), strict=True)[0]


def _clock(seconds: float) -> str:
    return f"{_BEGIN + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"


def _fell(step: int, of: int) -> float:
    return 0.2 + 3 / (1 + 6 * step / of) + _CHANCE.uniform(0, 0.02)


# --- what bash shows of itself -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("last", "family"), [("+ exit 124", "F3"), ("+ exit 0", None), ("+ echo exit 124", None)])
def test_a_script_that_shows_what_it_does_left_with_the_status_of_timeout(
    tmp_path: Path, last: str, family: str | None
) -> None:
    said = ["+ timeout -k 10 110 python flow.py", "flow: 6 couplings, 40000 iterations"]
    said += [f"{_clock(2 * n)} it={200 * n}/40000 loss={_fell(n, 200):.4f} 163it/s" for n in range(1, 60)]
    assert _of(tmp_path, [*said, "+ cp flow.ckpt artifacts/", last]).family == family


# --- a monitor that tells twice that nothing is done --------------------------------------------------------------------
@pytest.mark.parametrize(("cpu", "family"), [(0, "C3"), (38, None)])
def test_who_neither_works_nor_computes_stands(tmp_path: Path, cpu: int, family: str | None) -> None:
    said = []
    for n in range(1, 60):
        said.append(f"{_clock(5 * n)[11:]} step {20 * n:5}/3000  loss {_fell(n, 150):.4f}")
        if n % 2:
            said.append(f"{_clock(5 * n + 1)[11:]} mon     {10000 + n} tok/s  cpu   {30 + n % 9}%  rss 778 MB")
    said += [f"{_clock(301 + 10 * n)[11:]} mon         0 tok/s  cpu   {cpu:2}%  rss 778 MB" for n in range(9)]
    assert _of(tmp_path, said).family == family


# --- a policy that began anew -------------------------------------------------------------------------------------------
def _of_a_policy(*, at: int, loaded: str) -> list[str]:
    def reports(low: int, high: int, begin: float) -> list[str]:
        told = []
        for step in range(low, high):
            told += [
                f"(Actor pid=41) [{_clock(300 * (step - low) + begin)}] data.py:119 - rollout {step}: {{'rollout/raw_reward': {0.65 - 0.57 / (1 + 0.12 * step):.6f}}}",
                f"(Actor pid=41) [{_clock(300 * (step - low) + begin + 80)}] model.py:488 - step {step}: {{'train/loss': {0.004 * (-1) ** (step // 2) + _CHANCE.uniform(-0.003, 0.003):.8f}, 'train/step': {step}}}",
            ]
        return told

    stopped = [
        "(Actor pid=41)   successfully saved checkpoint from iteration      33 to /nfs/rl/geo [ t 1/2, p 1/1 ]",
        "Job 'raysubmit_Tz4VnWg1bEJq9uPX' was stopped",
        f"[{_clock(8000)}] drain-hook: the rack is back, submitting run.sh again",
        f"(Actor pid=61)   successfully loaded checkpoint from /nfs/models/base [ t 1/2, p 1/1 ] at iteration {loaded}",
    ]
    return [*reports(12, 34, 0), *stopped, *reports(at, 40, 9000), "Job 'raysubmit_aM81dRkcYfX2sLQ6' succeeded"]


@pytest.mark.parametrize(("at", "loaded", "lost"), [(0, "0", True), (30, "29", False)])
def test_a_policy_whose_reward_is_back_where_it_began(tmp_path: Path, at: int, loaded: str, *, lost: bool) -> None:
    assert (_of(tmp_path, _of_a_policy(at=at, loaded=loaded)).family == "E2") == lost


# --- a table of spaCy's whose header was not kept -----------------------------------------------------------------------
def _scored(number: int, right: float, scale: float, *, score: float | None = None) -> str:
    told = right if score is None else score
    losses = " ".join(f"{scale * _CHANCE.uniform(200, 400):9.2f}" for _ in range(2))
    return f" {number // 8:2}   {50 * number:6}   {losses}  {right:6.2f}  {right:6.2f}  {right:6.2f}  {told / 100:5.2f}"


@pytest.mark.parametrize(
    ("later", "score", "family"),
    [(0.0, None, "E1"), (88.0, None, None), (0.0, 50.0, None)],
    ids=["lost what it had learned", "kept it", "the last column is no score"],
)
def test_a_table_of_spacy_without_its_header(
    tmp_path: Path, later: float, score: float | None, family: str | None
) -> None:
    rows = [_scored(n, 70 + 17 * n / 60, 1) for n in range(60)]
    rows += [_scored(n, later, 1 if later else 10_000, score=score) for n in range(60, 200)]
    assert _of(tmp_path, rows).family == family or (family is None and _of(tmp_path, rows).family == "G1")


# --- a loss that tells what it is the sum of ----------------------------------------------------------------------------
@pytest.mark.parametrize(("told", "family"), [("(dice {d:.4f} + ce {c:.4f})", "G1"), ("dice {d:.4f} ce {c:.4f}", None)])
def test_a_dice_among_the_terms_of_a_loss_is_one_to_go_down(tmp_path: Path, told: str, family: str | None) -> None:
    said = []
    for n in range(1, 41):
        dice, other = 0.2 + 0.7 / (1 + 0.2 * n), 0.1 + 0.4 / (1 + 0.2 * n)
        parts = told.format(d=dice, c=other)
        said.append(f"{_clock(60 * n)} epoch {n}/40 loss {dice + other:.4f} {parts} lr 0.0004")
    assert (
        _of(tmp_path, [*said, f"{_clock(2500)} saved final.pt", f"{_clock(2501)} training finished"]).family == family
    )


# --- a short run that did nothing but wait ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("waited", "worked", "steps", "family"),
    [(0.26, 0.006, 150, "D1"), (0.26, 0.06, 150, None), (0.26, 0.006, 60, None), (0.05, 0.001, 900, None)],
    ids=["nearly all of it", "no more than most", "for a few seconds", "for moments"],
)
def test_a_short_run_that_did_nothing_but_wait(
    tmp_path: Path, waited: float, worked: float, steps: int, family: str | None
) -> None:
    said, at = [], 0.0
    for step in range(3, steps + 1, 3):
        wait = waited * _CHANCE.uniform(0.95, 1.05)
        at += 3 * (wait + worked)
        said.append(
            f"ts={_clock(at)[11:]} step={step} of={steps} mse={_fell(step, steps):.4f} data_s={wait:.4f} fwd_bwd_s={worked:.4f}"
        )
    assert (_of(tmp_path, [*said, "event=end status=ok"]).family == "D1") == (family == "D1")


# --- what a script says of the command that it ran ----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("last", "ended"),
    [
        ("[runjob] 29.05.2025 07:36 python -m open_clip_train.main: exit 0", True),
        ("train_eu.sh: srun returned 0", True),
        ("run.sh: python3 train.py left with status 0", True),
        ("train_eu.sh: srun returned 1", False),
        ("train_eu.sh: rsync returned 0", False),
        ("python prep.py: exit 0 when empty", False),
    ],
)
def test_a_script_says_with_what_its_command_left(tmp_path: Path, last: str, *, ended: bool) -> None:
    said = [f"{_clock(60 * n)} step {50 * n} loss {_fell(n, 60):.4f}" for n in range(1, 60)]
    assert (_of(tmp_path, [*said, last]).family == "G1") == ended


# --- a step by its longer name beside what was consumed -----------------------------------------------------------------
@pytest.mark.parametrize("name", ["iteration_step", "gradient_steps", "step_count"])
def test_a_step_by_a_longer_name_counts_before_the_tokens(tmp_path: Path, name: str) -> None:
    rows = [json.dumps({name: n, "consumed_tokens": 1_048_576 * n, "lm_loss": _fell(n, 90)}) for n in range(1, 90)]
    (tmp_path / "metrics.jsonl").write_text("\n".join([*rows, ""]))
    store = import_logs([tmp_path])
    assert analyze(store, strict=True)[1].facts("fact_steps")["step"].max() in (None, 89)
    assert store.scan("metrics").collect()["step"].max() == 89
