"""A count that went on while the loss began anew; a clock of the program's own against the time that it was held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(place: Path, **files: str) -> Verdict:
    for name, text in files.items():
        (place / name.replace("_", ".")).write_text(text)
    return analyze(import_logs([place]), strict=True)[0]


# --- counts ----------------------------------------------------------------------------------------------------------
def resumed(loss: Callable[[int], float], reports: int = 32) -> str:
    """A run that says that it goes on from step 640 of 1280."""
    stride = 640 // reports
    steps = "".join(
        f"iter {640 + n * stride}: loss {loss(n * stride) * (0.98 + 0.01 * (n * 7 % 5)):.4f}, lr 1.2e-04, time 83.6ms\n"
        for n in range(1, reports + 1)
    )
    head = "Overriding: max_iters = 1280\nResuming training from out/ckpt.pt, iter 640\nnumber of parameters: 24.94M\n"
    return f"{head}{steps}saving checkpoint to out\nmax_iters 1280 reached\n"


FROM_NOTHING = {"a power": lambda step: 30 * (step + 5) ** -0.32, "a decay": lambda step: 3.6 + 6.6 * 0.996**step}
FROM_THERE = {
    "a power": lambda step: 30 * (step + 645) ** -0.32,
    "steeper": lambda step: 3000 * (step + 645) ** -0.9,
    "its schedule dropped": lambda step: 2.2 if step < 160 else 1.1,
    "level": lambda _: 2.9,
}


@pytest.mark.parametrize("reports", [32, 16])
@pytest.mark.parametrize("shape", FROM_NOTHING)
def test_a_loss_that_falls_as_from_nothing_is_no_health(tmp_path: Path, shape: str, reports: int) -> None:
    verdict = judged(tmp_path, train_log=resumed(FROM_NOTHING[shape], reports))
    assert verdict.outcome == "cannot_decide"
    assert "as steeply as where nothing was learned before" in next(
        entry.because for entry in verdict.families if entry.family == "G1"
    )


@pytest.mark.parametrize("shape", FROM_THERE)
def test_a_loss_that_goes_on_where_it_was_is_left_alone(tmp_path: Path, shape: str) -> None:
    verdict = judged(tmp_path, train_log=resumed(FROM_THERE[shape]))
    assert (verdict.family == "G1") == (shape != "level")
    assert not any("where nothing was learned" in entry.because for entry in verdict.families)


def test_the_tail_of_a_log_goes_on_from_anywhere(tmp_path: Path) -> None:
    text = resumed(FROM_NOTHING["a power"]).split("parameters: 24.94M\n")[1].replace(":", "/1280:")
    assert judged(tmp_path, train_log=text).family == "G1"


# --- clocks ----------------------------------------------------------------------------------------------------------
def _since(s: int) -> str:
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}"


FORMS: dict[str, Callable[[int, int], str]] = {
    "a stopwatch": lambda n, s: f"[{_since(s)}] step {n * 10}/4000 loss {4 / n**0.5:.4f}",
    "elapsed": lambda n, s: f"step {n * 10}/4000 loss {4 / n**0.5:.4f} elapsed {s}.0 s",
    "nameless": lambda n, s: f"step {n * 10}/4000 | loss {4 / n**0.5:.4f} | {s / 60:.2f} min",
    "a bar": lambda n, s: f" {n // 4}%|#   | {n * 10}/4000 [{_since(s)}<9:59:59, 6.2s/it, loss={4 / n**0.5:.4f}]",
}
SACCT = (
    "JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList\n"
    "649|train|TIMEOUT|0:0|2026-08-13T{start}:01|2026-08-13T17:31:12|{held}|{held}|gpu30\n"
    "649.batch|batch|CANCELLED|0:15|2026-08-13T{start}:01|2026-08-13T17:31:14|{held}||gpu30\n"
)
SLURM = "slurmstepd: error: *** JOB 649 ON gpu30 CANCELLED AT 2026-08-13T17:31:12 DUE TO TIME LIMIT ***\n"


def limited(form: str, start: str, held: str) -> dict[str, str]:
    """200 reports in three hours and a half, and what the accounting says of the job."""
    reports = "\n".join(FORMS[form](n, 4 + n * 62) for n in range(1, 201))
    return {"train_log": f"{reports}\n{SLURM}", "sacct_txt": SACCT.format(start=start, held=held)}


@pytest.mark.parametrize("form", FORMS)
def test_a_clock_that_stopped_long_before_the_limit(tmp_path: Path, form: str) -> None:
    verdict = judged(tmp_path, **limited(form, "09:31", "08:00:11"))
    assert verdict.outcome == "cannot_decide"
    assert "its own clock stands at 3.4 h in its last report, of 8.0 h that it was held" in verdict.headline


@pytest.mark.parametrize("form", FORMS)
def test_a_clock_that_ran_until_the_limit(tmp_path: Path, form: str) -> None:
    verdict = judged(tmp_path, **limited(form, "14:03", "03:28:11"))
    assert (verdict.family, verdict.sub_mode) == ("F3", "advancing")


@pytest.mark.parametrize("form", FORMS)
def test_a_long_way_to_the_first_step_is_no_hang(tmp_path: Path, form: str) -> None:
    verdict = judged(tmp_path, **limited(form, "13:31", "04:00:11"))
    assert (verdict.family, verdict.sub_mode) == ("F3", "unknown_progress")
