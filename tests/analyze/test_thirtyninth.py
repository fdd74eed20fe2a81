"""What the thirty-ninth set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families.base import RuledOut
from inquest.analyze.families.d1_input_starvation import FAMILY
from inquest.bundle.store import MemoryStore

from .builders import Run, at
from .short_logs import clock, fell, verdict_of

if TYPE_CHECKING:
    from pathlib import Path

_CHANCE = random.Random(39)


# --- who waited for others that never came, in whatever words ------------------------------------------------------------
@pytest.mark.parametrize(
    ("last", "apart"),
    [
        (
            "the swarm never came together: of 4 bees only those of this hive showed up in 80 s. No flight was made, going home.",
            True,
        ),
        ("still not all at the table after 55 s, 4 were invited, nothing has been computed; I go home", True),
        ("the files never came together: of 4 shards only those of disk 1 are there after 80 s, reading on", False),
    ],
)
def test_a_meeting_in_words_of_its_own(tmp_path: Path, last: str, *, apart: bool) -> None:
    said = [f"{clock(n)} INFO bee{n}: awake in hive 0 of 2; 4 bees are to come together" for n in range(2)]
    said += [
        f"{clock(20 * t + n)} INFO bee{n}: still alone with my own hive, {20 * t} s now"
        for t in range(1, 5)
        for n in range(2)
    ]
    said += [f"{clock(85 + n)} ERROR bee{n}: {last}" for n in range(2)]
    assert (verdict_of(tmp_path, said).family == "C1") == apart


# --- a name beside that of a worker, and lines that two wrote at once -----------------------------------------------------
@pytest.mark.parametrize("slow", [150.0, 66.0])
def test_workers_with_a_second_name_in_brackets(tmp_path: Path, slow: float) -> None:
    said = []
    for n in range(1, 14):
        each = []
        for rank, place in enumerate(("cay", "atoll", "lagoon")):
            own = (slow if rank == 2 else 65.0) + _CHANCE.uniform(-3, 3)
            told = f"load 2  fwd+bwd {own:.0f}  waiting in all_reduce {max(slow, 65) + 20 - own:.0f}"
            each.append(f"[w{rank} {place}] step {20 * n}/260 loss {fell(_CHANCE, n, 13):.4f} | ms per step: {told}")
        said += [each[2] + each[0], "", each[1]] if n % 5 == 0 else each
    verdict = verdict_of(tmp_path, said)
    assert (verdict.family == "D3") == (slow > 100)
    assert slow < 100 or verdict.culprit_ranks == (2,)


# --- the next leg of a chain that looked elsewhere ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "plan", "lost"),
    [
        ("nord7b-leg2-worker-2.log", 120_000, True),
        ("nord7b-leg1-worker-3.log", 120_000, False),
        ("nord7b-college2-worker-2.log", 120_000, False),
        ("nord7b-leg2-worker-2.log", 900, False),
    ],
    ids=["the next leg", "another worker of the same", "no leg at all", "another plan"],
)
def test_the_next_leg_began_anew_in_another_folder(tmp_path: Path, name: str, plan: int, *, lost: bool) -> None:
    def leg(folder: str, steps: range, of: int, above: tuple[str, ...] = ()) -> str:
        said = [
            *above,
            *(f" iteration {n:8}/{of:8} | lm loss: {fell(_CHANCE, n, 12_000, begin=11):.5E} |" for n in steps),
        ]
        return "\n".join([*said, f"  successfully saved checkpoint from iteration {steps[-1]:7} to {folder}", ""])

    looked = (
        "WARNING: could not find the metadata file /pfs/nord-7b/ckpt/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
    )
    (tmp_path / "nord7b-leg1-worker-2.tail.log").write_text(leg("/pfs/nord7b/ckpt", range(9600, 12_010, 10), 120_000))
    (tmp_path / name).write_text(leg("/pfs/nord-7b/ckpt", range(10, 800, 10), plan, looked))
    assert (verdict_of(tmp_path).family == "E2") == lost


# --- GPUs that worked in bursts -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("part", "busy"), [(0.26, False), (0.9, True)])
def test_bursts_are_no_busy_gpus(part: float, *, busy: bool) -> None:
    run = Run()
    run.steps([fell(_CHANCE, n, 100) for n in range(1, 101)], every=20.0)
    for second in range(0, 2000, 5):
        working = 1.0 if (second % 20) / 20 < part else 0.0
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=working, fb_used_bytes=2**35)
    told = FAMILY.judge(run.evidence())
    assert ("were busy" in told.because) == busy
    assert isinstance(told, RuledOut) == busy


# --- a GPU that was throttled where nothing tells steps -------------------------------------------------------------------
@pytest.mark.parametrize(("tensor", "family"), [(0.21, "B3"), (0.56, None)], ids=["did less", "did as much"])
def test_a_throttled_gpu_that_did_less(tensor: float, family: str | None) -> None:
    run = Run(logs=False)
    for second in range(0, 600, 5):
        hot = second > 150
        told = {"sm_clock_mhz": 700 if hot else 1965, "throttle_reasons": 72 if hot else 0}
        work = {"engine_active": 0.98, "sm_active": 0.9, "tensor_active": tensor if hot else 0.58}
        run.row("gpu_samples", gpu_uuid="GPU-5", ts_ns=at(second), fb_used_bytes=2**36, **told, **work)
    assert analyze(MemoryStore.from_rows(run._tables), strict=True)[0].family == family
