"""GPUs that wait for most of each step, and nodes of the job that nobody sampled: health is not known by them."""

from __future__ import annotations

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.families._telling import tell
from inquest.analyze.families._unseen_nodes import waits_for_unseen
from tests.analyze.builders import Run, at, gpu_samples, healthy


def _run(nodes: str, engine: float, sm: float | list[float] | None, steps: int = 60) -> Run:
    run = gpu_samples(healthy(steps), gpus=4, engine=engine, sm=None, sm_active=sm)
    job = {"job_id": "7", "state": "COMPLETED", "start_ns": at(0), "end_ns": at(80), "node_list": nodes}
    return run.row("slurm_jobs", **job)


def test_what_the_unseen_node_did_is_open() -> None:
    ev = _run("node[01-02]", 0.97, 0.17).evidence()
    verdict = judge(ev)
    assert verdict.family is None
    assert "those of node02 were not sampled" in verdict.headline
    told = {entry.family: (entry.status, entry.because) for entry in verdict.families}
    assert told["D3"][0] == "cannot_decide"
    assert "those of node02" in told["D3"][1]


@pytest.mark.parametrize(
    ("nodes", "engine", "sm", "steps"),
    [
        ("node01", 0.97, 0.17, 60),  # all were seen
        ("node[01-02]", 0.97, 0.5, 60),  # they work
        ("node[01-02]", 0.97, [0.17, 0.17, 0.17, 0.5], 60),  # one of them works: they wait for that one
        ("node[01-02]", 0.5, 0.17, 60),  # nothing is launched for half of the time: data, or the host
        ("node[01-02]", 0.97, 0.17, 12),  # few steps
        ("node[01-02]", 0.97, None, 60),  # nothing tells whether they work
        ("node[03-04]", 0.97, 0.17, 60),  # other names: whose the readings are is not known
    ],
)
def test_it_is_not_where_they_work_or_all_were_seen(
    nodes: str, engine: float, sm: float | list[float] | None, steps: int
) -> None:
    ev = _run(nodes, engine, sm, steps).evidence()
    assert waits_for_unseen(ev, tell(ev)) is None


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ("node[01-02]", ("Of 1 of the job's 2 nodes there are no GPU samples: node02.",)),
        ("node01", ()),
        ("node[03-04]", ()),  # whose the readings are is not known
    ],
)
def test_the_reader_is_told_whose_gpus_nobody_sampled(nodes: str, said: tuple[str, ...]) -> None:
    verdict = judge(_run(nodes, 0.97, 0.5).evidence())
    assert tuple(text for text in verdict.warnings if "no GPU samples" in text) == said
