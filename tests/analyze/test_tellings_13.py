"""Words of schedulers and of JAX in operators' folders, and a chain whose last job accounting knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.analyze.logs.named_numbers import numbers_of
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, files: dict[str, str], exit_code: int | None = None) -> Verdict:
    for name, text in files.items():
        (folder / name).write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


def steps(first: int, last: int, begin: float, end: float, stride: int = 10) -> str:
    counts = range(first, last + 1, stride)
    falls = [begin + (end - begin) * n / (len(counts) - 1) for n in range(len(counts))]
    return "".join(f"step={n} loss={loss:.4f}\n" for n, loss in zip(counts, falls, strict=True))


_ASKS = "".join(f"16:30:{50 + n} rank {n}/16: contacting n1:29511\n" for n in range(8))
_NOT_REACHED = (
    "E0419 16:54:25.000000 849937 coordination_service_agent.cc:348] Failed to connect to coordination service: "
    "DEADLINE_EXCEEDED: Deadline Exceeded\n"
)


def test_ranks_that_never_register_with_jax(tmp_path: Path) -> None:
    verdict = judged(tmp_path, {"worker0.log": _ASKS + _NOT_REACHED}, 1)
    assert (verdict.outcome, verdict.family) == ("decided", "C1")


def test_a_service_that_is_lost_later_is_no_rendezvous(tmp_path: Path) -> None:
    verdict = judged(tmp_path, {"worker0.log": _ASKS + steps(10, 900, 7.0, 3.0) + _NOT_REACHED}, 1)
    assert verdict.family != "C1"


_HISTORY = """Job <363534>, Job Name <seqlm>, User <yamada>, Project <default>, Command <./go.sh>
Thu Jul 16 10:10:34: Submitted from host <lgn3>, to Queue <batch>, Requested GPU;
Thu Jul 16 10:20:47: Starting (Pid 696308);
Thu Jul 16 10:50:46: {end}
"""


@pytest.mark.parametrize(
    ("end", "family"),
    [
        ("Exited; TERM_RUNLIMIT: job killed after reaching LSF run time limit;", "F3"),
        ("Exited with exit code 140. TERM_RUNLIMIT: job killed after reaching LSF run time limit;", "F3"),
        ("Done successfully;", None),
    ],
)
def test_the_history_of_lsf(tmp_path: Path, end: str, family: str | None) -> None:
    log = steps(10, 900, 7.0, 3.0).replace(" loss", " of=5000 loss")
    verdict = judged(tmp_path, {"bhist_l.txt": _HISTORY.format(end=end), "out.363534": log})
    assert verdict.family == family


_CUT = "slurmstepd: error: *** JOB {job} ON n1 CANCELLED AT 2026-06-18T07:48:33 DUE TO TIME LIMIT ***\n"
_SACCT = """JobID|JobName|State|ExitCode|Start|End|NodeList
290503|tts|CANCELLED by 20417|0:15|2026-06-18T07:50:13|2026-06-18T08:20:13|n1
"""


@pytest.mark.parametrize(
    ("again", "cut", "lost"),
    [(7.2, "290192", True), (2.7, "290192", False), (7.2, "290111", False)],
    ids=["anew", "goes on", "another job's end"],
)
def test_a_chain_whose_last_job_accounting_knows(tmp_path: Path, again: float, cut: str, lost: bool) -> None:
    verdict = judged(
        tmp_path,
        {
            "tts_290192.out": "SLURM_JOB_ID=290192\n" + steps(100, 17000, 7.24, 2.72, 100) + _CUT.format(job=cut),
            "tts_290503.out": "SLURM_JOB_ID=290503\nSLURM_JOB_DEPENDENCY=afterany:290192\n"
            + steps(30, 4200, again, again - 0.8, 30),
            "sacct.txt": _SACCT,
        },
    )
    assert (verdict.family == "E2") is lost


@pytest.mark.parametrize(("log", "outcome"), [(None, "cannot_decide"), ("Terminated\n", "outside_families")])
def test_a_status_alone_tells_no_sender(tmp_path: Path, log: str | None, outcome: str) -> None:
    """A script leaves with 143 for a helper of its own, too."""
    sacct = _SACCT.replace("CANCELLED by 20417|0:15", "FAILED|143:0")
    files = {"sacct.txt": sacct} if log is None else {"sacct.txt": sacct, "train.log": steps(10, 900, 7.0, 3.0) + log}
    assert judged(tmp_path, files).outcome == outcome


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Schritt 28 Verlust=7,187 Schrittdauer=1,019 s Lernrate=3,00e-04", 1.019),
        ("après 576 pas : durée d'une itération 1,102 s dont lecture 0,017 s", 1.102),
        ("step 1,234 tokens 3,456 took 1,102 s", 1102.0),
        ("step 14,000 lr 0.001 gpus 0,1 took 1,102 s", 1102.0),
    ],
)
def test_what_a_comma_stands_for(text: str, value: float) -> None:
    assert next(number.value for number in numbers_of(text) if number.unit == "s") == value


@pytest.mark.parametrize(("name", "first"), [("Verlust", 7.187), ("perte", 7.187), ("loss", 7187.0)])
def test_a_loss_of_three_decimals(tmp_path: Path, name: str, first: float) -> None:
    lines = "".join(f"step {10 * n} {name}={7187 - 40 * n:,} lr=3e-04\n" for n in range(40))
    (tmp_path / "train.log").write_text(lines)
    told = parse_logs(import_logs([tmp_path]))["fact_steps"]["loss"].drop_nulls()
    assert told.to_list()[:1] == [first]
