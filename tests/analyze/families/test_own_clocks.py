"""A loop's own clocks beside samples of its GPUs: what they say together, and where they contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.logs.kinds import Kind
from tests.analyze.builders import at
from tests.analyze.proof_kinds import slow_later, slow_network

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict
    from tests.analyze.builders import Run


def entry(run: Run, family: str) -> tuple[str, Verdict]:
    verdict = judge(run.evidence(), strict=True)
    return next(each.status for each in verdict.families if each.family == family), verdict


def test_a_loop_that_waits_from_some_step_on_starves() -> None:
    status, verdict = entry(slow_later(), "D1")
    assert (status, verdict.family) == ("ruled_in", "D1")
    assert "from step 31 on" in verdict.headline
    assert {claim.table for claim in verdict.shows} == {"fact_steps", "gpu_samples"}


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (slow_later(engine=None), "ruled_in"),
        (slow_later(engine=0.9), "ruled_out"),  # what it waits for, it has the GPU's time for
        (slow_later(waits=0.9), "ruled_out"),
        (slow_later(quick=200, slow=8), "ruled_out"),  # most of the time it was quick
    ],
)
def test_the_wait_has_to_last_and_the_gpu_to_idle(run: Run, expected: str) -> None:
    assert entry(run, "D1")[0] == expected


def test_collectives_by_all_clocks_explain_sms_that_do_little() -> None:
    status, verdict = entry(slow_network(), "D2")
    assert (status, verdict.family, verdict.sub_mode) == ("ruled_in", "D2", "interconnect")
    assert "Every rank spent 83% of a step in collectives" in verdict.headline


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (slow_network(sm=0.7), "cannot_decide"),  # the clocks and the samples contradict each other
        (slow_network(sm=0.7, comm_s=0.5), "ruled_out"),
        (slow_network(sm=0.2, comm_s=0.5), "ruled_out"),
    ],
)
def test_samples_that_show_work_are_not_overruled(run: Run, expected: str) -> None:
    assert entry(run, "D2")[0] == expected


def test_samples_that_go_on_after_the_announced_end_are_no_freeze() -> None:
    def held(planned: int) -> str:
        run = slow_network(comm_s=0.5, sm=0.6, planned=planned).event(Kind.FAREWELL, "finished", role="marker", t=230)
        for second in range(230, 700, 10):
            for gpu in range(2):
                row = {"gpu_uuid": f"GPU-{gpu}", "engine_active": 0.0, "sm_active": 0.0}
                run.row("gpu_samples", ts_ns=at(second), **row)
        run._facts.pop("fact_exits")  # nobody told how it ended
        return entry(run, "C2")[0]

    assert held(planned=40) != "ruled_in"
    assert held(planned=60) == "ruled_in"
