"""The loud oddity on a shared node or in a shared file is somebody else's: each with the twin that is the job's."""

from __future__ import annotations

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.logs.kinds import Kind
from tests.analyze.builders import Run, at

LEFT_OUT = "Readings of 1 GPUs that the job did not hold on its nodes: left out."


@pytest.mark.parametrize(("code", "family"), [(31, "A1"), (48, "B2")])
@pytest.mark.parametrize(("seat", "own"), [("0000:17:00", True), ("0000:28:00", False)])
def test_an_xid_of_a_gpu_whose_samples_were_left_out_is_of_another_job(
    code: int, family: str, seat: str, own: bool
) -> None:
    run = Run().row("collection", collector="import:prometheus", outcome="ok", detail=LEFT_OUT)
    run.row("slurm_jobs", job_id="7", state="FAILED", start_ns=at(0), end_ns=at(100), node_list="node01")
    for number, bus in enumerate(("0000:17:00", "0000:28:00")):
        run.row("devices", gpu_uuid=f"GPU-{number}", bus_id=bus)
    for second in range(0, 100, 10):
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=0.9)
    text = f"NVRM: Xid (PCI:{seat}): {code}, pid=7001, name=python3"
    run.event(Kind.XID, text, num=float(code), subject=f"PCI:{seat}", framework="kernel", source="kernel_log", t=95)
    verdict = judge(run.ended(1, t=100).evidence())
    assert verdict.family == (family if own else None)


@pytest.mark.parametrize(
    ("reads", "rise"),
    [
        ([0] * 10 + [2] * 20, (0, 2)),
        ([5] * 10 + [0] * 20, None),  # the driver was loaded anew
        ([5] * 10 + [0] * 2 + [5] * 18, None),  # two reads failed
        ([5] * 10 + [0] * 2 + [6] * 18, (5, 6)),
        ([5] * 10 + [0] * 10 + [2] * 10, (0, 2)),  # counted anew, and risen
        ([5] * 10 + [None] * 2 + [0] * 18, None),
    ],
)
def test_a_counter_that_falls_began_anew_or_was_not_read(reads: list[int | None], rise: tuple[int, int] | None) -> None:
    run = Run()
    for second, errors in enumerate(reads):
        for gpu, value in ((0, errors), (1, 3)):
            given = {"gpu_uuid": f"GPU-{gpu}", "ts_ns": at(second * 10), "ecc_uncorrected_volatile": value}
            run.row("gpu_samples", **given)
    run.row("slurm_jobs", job_id="7", state="FAILED", start_ns=at(0), end_ns=at(300), node_list="node01")
    verdict = judge(run.ended(1, t=300).evidence())
    assert verdict.family == ("B2" if rise else None)
    if rise:
        assert verdict.culprit_gpus == ("GPU-0",)
        assert verdict.shows[0].value == rise[1] - rise[0]


@pytest.mark.parametrize("logs", [True, False])
@pytest.mark.parametrize(("kind", "family"), [(Kind.TIME_LIMIT, "F3"), (Kind.NODE_FAILURE, "F1")])
def test_how_far_it_had_come_is_told_by_its_output_alone(kind: Kind, family: str, logs: bool) -> None:
    run = Run(logs=logs).row("slurm_jobs", job_id="7", state="X", start_ns=at(0), end_ns=at(900), node_list="node01")
    run = run.row("log_lines", ts_ns=at(890), text="so far\n", source="job.log") if logs else run
    run.event(kind, "said", subject="7", framework="slurm", pattern="slurm.accounting", t=900, line_seq=None)
    verdict = judge(run.evidence())
    assert verdict.family == family
    assert ("step" in verdict.headline) is logs
