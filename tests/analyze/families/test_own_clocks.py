"""A loop's own clocks beside samples of its GPUs: what they say together, and where they contradict each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import at
from tests.analyze.proof_kinds import slow_later, slow_network

if TYPE_CHECKING:
    from pathlib import Path

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


def bars(waits: str, computes: str = "fwd_bwd=0.84s") -> str:
    form = "Epoch 1:  {k}%|#  | {s}/1240 [{k:02d}:50<3:48:58, 16.1s/it, data_wait={w}, {c}, loss={l:.3f}]\n"
    return "".join(form.format(k=k, s=6 * k, w=waits.format(k % 7), c=computes, l=7 / k) for k in range(1, 60))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (bars("1{}.05s"), ("D1", "ruled_in")),
        (bars("1{}.05s", "lr=0.1"), ("D1", "ruled_in")),
        (bars("0.0{}s", "fwd_bwd=16.0s"), ("D1", "ruled_out")),
        (bars("1{}.05s").replace("data_wait", "lr_scale"), ("D1", "cannot_decide")),
    ],
)
def test_clocks_behind_a_bar_are_read(tmp_path: Path, text: str, expected: tuple[str, str]) -> None:
    (tmp_path / "train.err").write_text(text)
    verdict = analyze(import_logs([tmp_path / "train.err"]), strict=True)[0]
    assert next(each.status for each in verdict.families if each.family == expected[0]) == expected[1]


@pytest.mark.parametrize(("hot", "expected"), [(True, "B3"), (False, None)])
def test_clocks_of_a_gpu_that_a_loop_notes_by_other_names(tmp_path: Path, hot: bool, expected: str | None) -> None:
    slow = {"step_ms": 520, "gpu_sm_mhz": 600, "gpu_throttle": "sw_thermal|hw_thermal_slowdown"}
    lines = [
        {"step": k, "of": 500, "loss": 2 / k, "step_ms": 180 + 2 * (k % 3), "gpu_sm_mhz": 1725, "gpu_throttle": "none"}
        | (slow if hot and k > 60 else {})
        for k in range(1, 120)
    ]
    (tmp_path / "train_log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert analyze(import_logs([tmp_path / "train_log.jsonl"]), strict=True)[0].family == expected
