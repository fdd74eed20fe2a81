"""Logs of jobs of one name: where a later one came farther, what ended the earlier is not how the run ended."""

from pathlib import Path

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

REFUSED = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.31 GiB."


def log(steps: int, hour: int, *last: str) -> str:
    lines = [f"2026-03-05 {hour:02}:{at:02}:00 step {40 * at}/1600 loss {1 + 7 * 0.9**at:.3f}" for at in range(steps)]
    return "\n".join([*lines, *last, ""])


DIED = log(6, 7, "Traceback (most recent call last):", '  File "t.py", line 8, in <module>', "    step()", REFUSED)
DONE = log(41, 9, "2026-03-05 09:42:00 training complete, saved model.pt")


def test_a_job_that_ran_out_of_memory_was_handed_in_again(tmp_path: Path) -> None:
    (tmp_path / "reef.40098.out").write_text(DIED)
    (tmp_path / "reef.40117.out").write_text(DONE)
    verdict, _ = analyze(import_logs([tmp_path]))
    assert verdict.family == "G1", verdict.headline
    assert "reef.40098.out" in str(verdict), "it is named"


@pytest.mark.parametrize(
    ("early", "late"),
    [
        (("reef.40098.out", DIED), ("kelp.40117.out", DONE)),
        (("reef.40117.out", DIED), ("reef.40098.out", DONE)),
        (("reef.40098.out", DIED), ("reef.40117.out", log(4, 9, "2026-03-05 09:42:00 training complete"))),
        (("reef_seed40098.out", DIED), ("reef_seed40117.out", DONE)),
        (("reef.2.out", DIED), ("reef.3.out", DONE)),
    ],
    ids=["another name", "numbers the other way", "came less far", "seeds", "experiments"],
)
def test_near_misses(tmp_path: Path, early: tuple[str, str], late: tuple[str, str]) -> None:
    for name, text in (early, late):
        (tmp_path / name).write_text(text)
    assert analyze(import_logs([tmp_path]))[0].family == "B1"
