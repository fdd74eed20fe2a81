"""GPUs of the job's node that another job held are not compared with the job's own."""

from __future__ import annotations

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.families import FAMILIES
from inquest.analyze.families._strange_gpus import strange_gpus
from inquest.analyze.families.base import RuledIn

from .builders import Run, at, gpu_samples, healthy

BEGAN, ENDED = 300, 1500


def shared(*, held: tuple[int, int] = (0, 1300), sm: float = 0.45, others: tuple[int, int] = (360, 1500)) -> Run:
    """Four GPUs that wait and one that works; when each holds memory, in seconds."""
    run = Run()
    for number in range(100):
        run.fact("fact_steps", step=number, loss=4 - number / 40, rank=0, kind="step", ts_ns=at(400 + 10 * number))
    run.row("slurm_jobs", node="node01", job_id="7", state="COMPLETED", start_ns=at(BEGAN), end_ns=at(ENDED))
    for second in range(150, 1700, 30):
        for gpu in range(5):
            first, last = held if gpu == 4 else others
            holds = first <= second <= last
            run.row(
                "gpu_samples",
                node="node01",
                gpu_uuid=f"GPU-{gpu}",
                ts_ns=at(second),
                engine_active=0.98 if holds else 0.0,
                sm_active=(sm if gpu == 4 else 0.16) if holds else 0.0,
                fb_used_bytes=(40 << 30) if holds else (4 << 20),
            )
    return run


def straggler(run: Run) -> bool:
    return isinstance(next(each for each in FAMILIES if each.id == "D3").judge(run.evidence()), RuledIn)


@pytest.mark.parametrize("held", [(0, 1300), (0, 1690)])
def test_memory_held_across_the_start_and_not_up_to_the_end_is_another_jobs(held: tuple[int, int]) -> None:
    run = shared(held=held)
    assert strange_gpus(run.evidence()) == {("node01", "GPU-4")}
    assert not straggler(run)


@pytest.mark.parametrize(
    "run",
    [
        shared(held=(360, 1500)),
        shared(held=(0, 1500)),  # a job before it may have left without a sample between
        shared(held=(330, 1300)),  # its process ended early
    ],
)
def test_a_gpu_that_began_or_ended_with_the_job_is_its_own(run: Run) -> None:
    assert not strange_gpus(run.evidence())
    assert straggler(run)


def test_where_all_begin_before_the_job_the_clocks_differ() -> None:
    assert not strange_gpus(shared(others=(0, 1300)).evidence())


@pytest.mark.parametrize(
    ("engine", "sm", "family"),
    [
        ([1.0, 1.0, 0.15, 1.0], [0.3, 0.3, 0.07, 0.3], None),  # it may have less to do, or keep the others waiting
        ([1.0, 1.0, 0.15, 1.0], [0.15, 0.15, 0.15, 0.15], "D3"),  # it does the same work, and comes late to it
        ([1.0, 1.0, 0.9, 1.0], [0.3, 0.3, 0.28, 0.3], "G1"),
    ],
)
def test_a_gpu_that_idles_beside_busy_ones(engine: list[float], sm: list[float], family: str | None) -> None:
    run = gpu_samples(healthy(), gpus=4, engine_active=engine, sm_active=sm)
    assert judge(run.evidence(), strict=True).family == family
