"""Logs of a container's start before the last one: what ended that start had been mended, and is not how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

POD = """Name:             ft-6k2lq
Namespace:        team
Node:             gpu-11/10.20.4.61
Status:           Failed
Containers:
  trainer:
    Image:         registry.lab.example/trainer:1.14
    State:          Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Thu, 12 Nov 2026 07:40:18 +0000
      Finished:     Thu, 12 Nov 2026 07:48:48 +0000
    Last State:     Terminated
      Reason:       Error
      Exit Code:    1
      Started:      Thu, 12 Nov 2026 07:39:00 +0000
      Finished:     Thu, 12 Nov 2026 07:39:31 +0000
    Restart Count:  1
    Limits:
      nvidia.com/gpu:  4
Events:                      <none>
"""


def _crash(said: str) -> str:
    return f'Traceback (most recent call last):\n  File "/app/train.py", line 88, in main\n    go()\n{said}\n'


FIRST = "FileNotFoundError: [Errno 2] No such file or directory: '/data/labels.json'"
LAST = "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.11 GiB"


def _log(clock: str, said: str, steps: int = 0) -> str:
    stamp = f"2026-11-12 {clock}:" if clock else ""
    head = f"{stamp}{'22,016 ' if clock else ''}INFO world size 4\n"
    reports = "".join(
        f"{f'{stamp}{23 + n},000 ' if clock else ''}INFO step {20 * n}/4000 loss {5.6 - 0.09 * n:.4f}\n"
        for n in range(1, steps + 1)
    )
    return head + reports + _crash(said)


def _told(folder: Path, **files: str) -> Verdict:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_txt", ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return analyze(import_logs([folder], exit_code=1), strict=True)[0]


@pytest.mark.parametrize("clock", ["07:39", ""], ids=["clocks", "no clocks"])
@pytest.mark.parametrize(
    "names",
    [
        ("logs_previous_txt", "logs_current_txt"),
        ("pod-previous_txt", "pod_txt"),
        ("prev__a_txt", "now__a_txt"),
        ("previous_a_txt", "a_txt"),
    ],
)
def test_names_say_which_start_was_before(tmp_path: Path, names: tuple[str, str], clock: str) -> None:
    before, now = names
    later = clock.replace("39", "41")
    verdict = _told(tmp_path, **{before: _log(clock, FIRST), now: _log(later, LAST, 20)})
    assert verdict.family == "B1"
    assert any("labels.json" in said for said in verdict.warnings)


def test_a_pod_says_when_the_start_before_had_ended(tmp_path: Path) -> None:
    files = {"a_txt": _log("07:39", FIRST), "b_txt": _log("07:41", LAST, 20)}
    assert _told(tmp_path / "pod", pod_txt=POD, **files).family == "B1"
    # Without a restart, or where both ran at once, nothing says that the first failure was mended.
    alone = POD.replace("Last State:     Terminated", "Last State:     Running")
    for name, pod, second in (("alone", alone, "07:41"), ("both", POD, "07:38")):
        others = {"a_txt": _log("07:39", FIRST), "b_txt": _log(second, LAST, 20)}
        said = _told(tmp_path / name, pod_txt=pod, **others)
        assert not any("not what ended the run" in warning for warning in said.warnings)


def test_near_miss_a_previous_log_that_goes_on_beside(tmp_path: Path) -> None:
    """By its clocks the log called previous ends after the other one had begun: the names say nothing."""
    files = {"logs_previous_txt": _log("07:45", FIRST), "logs_current_txt": _log("07:41", LAST, 20)}
    said = _told(tmp_path, **files)
    assert not any("not what ended the run" in warning for warning in said.warnings)
