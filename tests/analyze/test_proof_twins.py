"""Twins of the families that imported evidence judges: by telemetry, by dumps, by who fell silent.

Each has a run in which the family is right, one that resembles it and is something else, and one without the evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.logs.kinds import Kind

from .builders import Run, Twins, at, gpu_samples, healthy

if TYPE_CHECKING:
    from inquest.analyze.model import FamilyEntry, Verdict

LOSSES: list[float | None] = [4.0 - 0.05 * number for number in range(40)]
SLOW_ONLY = ("B3", "D")
"""Families that make a run slow: what they find may stand beside a planned end."""


def _xid(*, t: float | None, code: float = 79.0, last_step: float = 49) -> Run:
    every = (last_step - 10) / (len(LOSSES) - 1)
    told = {"pattern": "gpu_events.xid", "framework": "nvml", "subject": "GPU-1", "num": code, "line_seq": None}
    run = gpu_samples(Run().steps(LOSSES, every=every), gpus=2, seconds=45)
    return run.event(Kind.XID, f"XID {code:.0f} of GPU-1", t=t, source=None, **told).ended(1, t=last_step + 4)


def _counted(before: int, after: int) -> Run:
    run = Run().steps(LOSSES)
    for second in range(45):
        for gpu in range(2):
            errors = after if gpu == 1 and second >= 38 else before
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(10 + second), ecc_uncorrected_volatile=errors)
    return run.ended(1, t=53)


def _hot(*, slower: bool, clock: bool = True, idle: bool = False) -> Run:
    """Steps with times of their lines only; throttled in the second half, or (``idle``) before the first step."""
    run, now = Run(), 100.0 if idle else 10.0
    begin = now
    for number in range(60):
        now += 2.0 if slower and number >= 30 else 1.0
        run.fact("fact_steps", step=number, loss=4.0, rank=0, kind="step", ts_ns=at(now) if clock else None)
    middle = begin + 30
    for second in range(int(now)):
        hot = second < 60 if idle else second > middle
        reasons = {"throttle_reasons": 0x20 if hot else 0, "sm_clock_mhz": 800 if hot else 1980}
        run.row(
            "gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=0.0 if idle and hot else 1.0, **reasons
        )
    return run.ended(0, t=now + 5)


def _dumped(*, ranks: int = 4, behind: int | None = 2) -> Run:
    """Flight-recorder dumps: each rank's last collectives, the last one open; one rank never enqueued it."""
    run = Run()
    for rank in range(ranks):
        for number in range(5, 9):
            if rank == behind and number == 8:
                continue
            done = number < 8
            told = {"state": "completed" if done else "started", "complete_ns": at(number + 0.5) if done else None}
            run.row(
                "flight_recorder",
                rank=rank,
                comm="world",
                coll_seq=number,
                op="nccl:all_reduce",
                is_p2p=False,
                **{
                    "ts_ns": at(number),
                    "enqueue_ns": at(number),
                    "comm_desc": "default_pg",
                    "comm_size": ranks,
                    **told,
                },
            )
    return run


def _silence(*, cold: bool = True, evaluates: bool = False, clock: bool = True) -> Run:
    """Four ranks that stop reporting for five minutes; one GPU is cold while the others spin."""
    run = Run()
    for rank in range(4):
        for number, loss in enumerate(LOSSES):
            when = at(10 + number) if clock else None
            run.fact("fact_steps", step=number, loss=loss, rank=rank, kind="step", ts_ns=when)
    for second in range(360):
        for gpu in range(4):
            trains = second < 45 or evaluates
            lost = cold and gpu == 2 and not trains
            busy = {"engine_active": 0.0 if lost else 1.0, "sm_active": 0.5 if trains else 0.0 if lost else 0.02}
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), fb_used_bytes=20 * 2**30, **busy)
    if evaluates:
        for minute in range(5):
            run.event(Kind.EVAL, "evaluating", role="marker", t=60 + 60 * minute)
        run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker", t=355)
    return run.ended(0 if evaluates else None, term=None if evaluates else 15, t=360)


def _one_gpu(*, engine: float | None = 0.0, held: int = 20 * 2**30, finishes: bool = False) -> Run:
    run = gpu_samples(Run().steps(LOSSES[:10]), seconds=9)
    for second in range(30, 400):
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=engine, fb_used_bytes=held)
    if finishes:
        run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker", t=398)
    return run.ended(0 if finishes else None, term=None if finishes else 15, t=400)


def _silent_node(*, scheduler: bool = True, goes_on: bool = False) -> Run:
    """The samples of node02 end at 45 s; the job ends a minute later by a node's failure, or in an hour, well."""
    end = 3600 if goes_on else 105
    count = 60 if goes_on else 40
    run = Run().steps([4.0 - 0.01 * n for n in range(count)], every=(end - 20) / count if goes_on else 1.0)
    for node in ("node01", "node02", "node03"):
        for second in range(0, 45 if node == "node02" else end, 5):
            run.row("host_samples", node=node, ts_ns=at(second), cpu_busy_share=0.5)
    if scheduler and not goes_on:
        text = "slurmstepd: error: *** JOB 7 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO NODE FAILURE ***"
        run.event(Kind.NODE_FAILURE, text, framework="slurm", t=103)
    if scheduler:
        run.row("slurm_jobs", state="COMPLETED" if goes_on else "NODE_FAIL", job_id="7", ts_ns=at(end))
    if goes_on:
        run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker", t=end - 2)
    return run.ended(0 if goes_on else 1, t=end)


MORE: dict[str, Twins] = {
    "B2 by the XID telemetry holds": Twins(
        positive=lambda: _xid(t=50),
        near_miss=lambda: _xid(t=50, code=31.0),
        missing=lambda: Run().steps(LOSSES).ended(1, t=53),
    ),
    "B2 by a counter of ECC errors": Twins(
        positive=lambda: _counted(0, 2),
        near_miss=lambda: _counted(3, 3),
        missing=lambda: Run().steps(LOSSES).ended(1, t=53),
    ),
    "B3 by the times of lines": Twins(
        positive=lambda: _hot(slower=True),
        near_miss=lambda: _hot(slower=False),
        missing=lambda: _hot(slower=True, clock=False),
    ),
    "C2 by dumps": Twins(
        positive=lambda: _dumped().ended(1, t=700),
        near_miss=lambda: healthy(),
        missing=lambda: _dumped(behind=None),
    ),
    "C2 by who spins": Twins(
        positive=_silence,
        near_miss=lambda: _silence(evaluates=True),
        missing=lambda: _silence(clock=False),
    ),
    "C3 after progress": Twins(
        positive=_one_gpu,
        near_miss=lambda: _one_gpu(engine=1.0, finishes=True),
        missing=lambda: _one_gpu(engine=None),
    ),
    "D1 of several GPUs": Twins(
        positive=lambda: gpu_samples(healthy(), gpus=4, engine=0.03, sm=0.02),
        near_miss=lambda: gpu_samples(healthy(), gpus=4, engine_active=[0.03, 0.8, 0.03, 0.03]),
        missing=lambda: gpu_samples(healthy(5), gpus=4, engine=0.03, sm=0.02),
    ),
    "D2 by the interconnect": Twins(
        positive=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm=0.05),
        near_miss=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm_active=[0.05, 0.6, 0.05, 0.05]),
        missing=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm=None),
    ),
    "D3 by SM activity": Twins(
        positive=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm_active=[0.12, 0.13, 0.6, 0.11]),
        near_miss=lambda: gpu_samples(healthy(), gpus=4, engine=0.3, sm_active=[0.12, 0.13, 0.6, 0.11]),
        missing=lambda: gpu_samples(healthy(), gpus=4, engine=1.0, sm=None),
    ),
    "F1 by who fell silent": Twins(
        positive=_silent_node,
        near_miss=lambda: _silent_node(goes_on=True),
        missing=lambda: _silent_node(scheduler=False),
    ),
}


def _judged(run: Run, family: str) -> tuple[Verdict, FamilyEntry]:
    verdict = judge(run.evidence(), strict=True)
    return verdict, next(entry for entry in verdict.families if entry.family == family)


@pytest.mark.parametrize("name", MORE)
def test_positive(name: str) -> None:
    verdict, entry = _judged(MORE[name].positive(), name[:2])
    assert entry.status == "ruled_in", entry.because
    assert entry.claims
    if not name.startswith(SLOW_ONLY):
        assert verdict.family == name[:2], verdict.headline


@pytest.mark.parametrize("name", MORE)
def test_near_miss(name: str) -> None:
    verdict, entry = _judged(MORE[name].near_miss(), name[:2])
    assert entry.status == "ruled_out", entry.because
    assert entry.would_change_if
    assert verdict.family != name[:2]


@pytest.mark.parametrize("name", MORE)
def test_missing_evidence(name: str) -> None:
    verdict, entry = _judged(MORE[name].missing(), name[:2])
    assert entry.status == "cannot_decide", entry.because
    assert verdict.family != name[:2]


def test_who_is_named() -> None:
    """The culprit is whom the evidence names, not whoever comes first."""
    assert _judged(MORE["B2 by a counter of ECC errors"].positive(), "B2")[0].culprit_gpus == ("GPU-1",)
    assert _judged(MORE["B2 by a counter of ECC errors"].positive(), "B2")[0].culprit_nodes == ("node01",)
    assert _judged(MORE["C2 by dumps"].positive(), "C2")[0].culprit_ranks == (2,)
    assert _judged(MORE["C2 by who spins"].positive(), "C2")[0].culprit_gpus == ("GPU-2",)
    assert _judged(MORE["F1 by who fell silent"].positive(), "F1")[0].culprit_nodes == ("node02",)


def test_throttled_while_idle_is_no_throttling_of_the_job() -> None:
    verdict, entry = _judged(_hot(slower=False, idle=True), "B3")
    assert entry.status != "ruled_in", entry.because
    assert verdict.family != "B3"


def test_a_rank_that_works_more_on_purpose_is_said_to_look_like_a_straggler() -> None:
    _, entry = _judged(MORE["D3 by SM activity"].positive(), "D3")
    assert "on purpose" in entry.would_change_if
    assert entry.confidence <= 0.7


def test_an_exporter_that_died_is_no_node_that_died() -> None:
    verdict, _ = _judged(MORE["F1 by who fell silent"].near_miss(), "F1")
    assert verdict.family == "G1", verdict.headline
    assert verdict.culprit_nodes == ()


def test_a_claim_of_a_stall_is_about_the_stall() -> None:
    """Of a GPU that was busy for most of the run and idle at its end, the claim says idle."""
    run = gpu_samples(Run().steps([4.0] * 300), seconds=300)
    for second in range(312, 512):
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=0.0, fb_used_bytes=20 * 2**30)
    verdict, entry = _judged(run.ended(None, term=15, t=512), "C3")
    assert entry.status == "ruled_in", entry.because
    assert next(c for c in verdict.shows if c.text.startswith("Median share")).value == 0
