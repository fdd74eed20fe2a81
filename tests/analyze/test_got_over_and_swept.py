"""Errors that a program says it got over, searches that a person ends, and the reports of DARTS."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.went_on import takes_another
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str, status: int | None = None) -> Verdict:
    path = folder / "job.log"
    path.write_text(text)
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def named(verdict: Verdict) -> str:
    return verdict.family or verdict.outcome


# --- what failed, and what was taken instead
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ERROR: annotation server did not answer, using the class names built in", True),
        ("ERROR shelf 2 cannot be unpacked, taking the copy on the other one", True),
        ("ERROR no route to the mirror; trying the next", True),
        ("ERROR cannot read the index, giving up", False),
        ("ERROR cannot read the index, keeping nothing and exiting", False),
        ("ERROR training failed", False),
        ("ERROR out of memory, taking down the pool", False),
    ],
)
def test_words_of_who_takes_something_else(text: str, expected: bool) -> None:
    assert takes_another(text) is expected


REFUSED = """\
2026-11-28 17:07:12,527 leaves ERROR: {words}
Traceback (most recent call last):
  File "/w/leaves.py", line 23, in labels
    with urlopen(url, timeout=3) as answer:
  File "/usr/lib/python3.11/urllib/request.py", line 1351, in do_open
    raise URLError(err)
urllib.error.URLError: <urlopen error [Errno 111] Connection refused>
"""
ALONE = """\
2026-11-28 17:07:12,529 leaves INFO: classes: healthy, rust, mildew
Traceback (most recent call last):
  File "/w/leaves.py", line 87, in <module>
    dist.init_process_group("gloo")
  File "/env/lib/python3.11/site-packages/torch/distributed/rendezvous.py", line 199, in _create_c10d_store
    return TCPStore(
torch.distributed.DistStoreError: Timed out after 51 seconds waiting for clients. 1/2 clients joined.
"""


def test_an_error_that_was_logged_and_got_over_is_not_what_ended_it(tmp_path: Path) -> None:
    instead = REFUSED.format(words="the server did not answer, using the names built in")
    assert named(judged(tmp_path, instead + ALONE, 1)) == "C1"
    assert named(judged(tmp_path, REFUSED.format(words="no labels") + "leaves INFO: bye\n", 1)) == "A1"
    # It had meant to go on, and nothing else was raised.
    assert named(judged(tmp_path, instead + "leaves INFO: bye\n", 1)) == "A1"


NOTES = "{at},000 INFO data: classes: healthy, rust\n{at},400 INFO train: 12 epochs of 400 steps\n"


@pytest.mark.parametrize(
    ("words", "notes", "family"),
    [
        ("upload failed", NOTES.format(at="2026-11-28 17:08:21"), "C1"),  # nobody dies twice
        ("aborting: no labels", NOTES.format(at="2026-11-28 17:08:21"), "A1"),
        ("upload failed", "2026-11-28 17:08:21,000 INFO data: closing\n", "A1"),
    ],
)
def test_an_error_below_which_its_program_noted_on(tmp_path: Path, words: str, notes: str, family: str) -> None:
    never_met = "".join(ALONE.splitlines(keepends=True)[1:])
    assert named(judged(tmp_path, REFUSED.format(words=words) + notes + never_met, 1)) == family


@pytest.mark.parametrize(("done", "family"), [(60, "G1"), (31, "A1")])
def test_an_error_beside_a_stream_without_clocks_that_tells_that_all_was_done(
    tmp_path: Path, done: int, family: str
) -> None:
    told = "".join(f"step {n}/60 loss {2.4 * math.exp(-n / 12) + 0.3:.4f}\n" for n in range(1, done + 1))
    (tmp_path / "job.out").write_text(told)
    (tmp_path / "job.err").write_text(REFUSED.format(words="upload failed"))
    verdict = analyze(import_logs([tmp_path], exit_code=0 if done == 60 else 1), strict=True)[0]
    assert named(verdict) == family


SAVE = """\
could not write search/weights.pt, will try again in 60 s
Traceback (most recent call last):
  File "train_search.py", line 118, in keep
    torch.save(model.state_dict(), path)
OSError: [Errno 116] Stale file handle: 'search/weights.pt'
"""


# --- DARTS
def darts(epochs: int, fails: int | None = None, between: str = "") -> str:
    """The lines that its search writes; with ``fails``, from that epoch on it only guesses."""
    lines = ["11/05 02:07:00 PM gpu device = 0"]
    for epoch in range(epochs):
        lines.append(f"11/05 {2 + epoch // 10:02d}:{epoch % 10 * 6:02d}:04 PM epoch {epoch} lr 9.9e-02")
        for kind in ("train", "valid"):
            for batch in range(0, 400, 50):
                age = epoch + batch / 400
                lost = fails is not None and epoch >= fails
                loss = 2.3031 + batch % 100 / 1e5 if lost else 1.1 + 1.2 * math.exp(-age / 3)
                right = 10.02 if lost else 60 - 50 * math.exp(-age / 3)
                clock = f"11/05 {2 + epoch // 10:02d}:{epoch % 10 * 6 + batch // 100:02d}:{batch % 50:02d} PM"
                lines.append(f"{clock} {kind} {batch:03d} {loss:e} {right:f} {min(99.0, right + 38):f}")
        if epoch == 1:
            lines += between.splitlines()
    return "\n".join(lines) + "\n"


def test_reports_of_darts_are_read(tmp_path: Path) -> None:
    lost = judged(tmp_path, darts(16, fails=7))
    assert lost.family == "E1"
    assert "2.303" in lost.headline
    assert judged(tmp_path, darts(16)).family not in {"E1", "E3", "A1"}
    # Whose save was to be tried again went on, whichever family the rest is of.
    assert judged(tmp_path, darts(16, fails=7, between=SAVE)).family == "E1"


def test_a_save_that_was_to_be_tried_again_is_the_end_where_little_follows(tmp_path: Path) -> None:
    told = "".join(f"shard {k} of the index is read\n" for k in range(20))
    assert judged(tmp_path, told + SAVE + told[:90], 1).family == "A1"


# --- searches
def swept(ended: str) -> str:
    lines = ["sweep of 8 configurations, 10 epochs each"]
    for number, (name, best) in enumerate((("w12-s0.1", 29.5), ("w12-s0.25", 23.2), ("w20-s0.25", 21.4)), 1):
        lines.append(f"[{number}/8] {name}: 9217 parameters")
        for epoch in range(1, 11):
            psnr = best - 9 * math.exp(-epoch / 3)
            lines.append(f"  {name} epoch {epoch:2d}/10  l1 {0.5 / psnr:.4f}  psnr {psnr:.2f} dB  (0.7s)")
        lines.append(f"[{number}/8] {name}: best psnr {best:.2f} dB")
    return "\n".join([*lines, ended]) + "\n"


def test_what_one_configuration_came_to_after_another_is_no_curve(tmp_path: Path) -> None:
    cut = judged(tmp_path, swept("^C: leaving w24-s0.1 at epoch 6, the rest of the sweep is not run"))
    assert (cut.outcome, cut.family) == ("outside_families", None)
    assert judged(tmp_path, swept("[4/8] w24-s0.1: 25281 parameters")).family != "E1"


# --- a count around the steps
def bracketed(epochs: int, first: int = 1) -> str:
    lines = [
        f"2026-11-28 17:08:{n:02d},336 INFO    [{n // 3 + first}/8] bikes: step {50 * (n % 3 + 1)}/150"
        f" loss {2.9 * math.exp(-n / 6) + 0.02:.4f}"
        for n in range(3 * epochs)
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("epochs", "first", "family"), [(8, 1, "G1"), (8, 0, "G1"), (4, 1, None), (6, 0, None)])
def test_a_count_around_the_steps_that_is_not_full(tmp_path: Path, epochs: int, first: int, family: str | None) -> None:
    assert judged(tmp_path, bracketed(epochs, first), 0).family == family
