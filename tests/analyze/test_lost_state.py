"""States that were to be taken and were not, as loops that swallow the error say it, each beside its near miss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

DONE = "training finished\nsaved model to out/final.pt\n"


def steps(start: int = 0, high: float = 9.8, low: float = 0.9, total: int = 400) -> str:
    def loss(i: int) -> float:
        return (low + (high - low) * math.exp(-i / 8)) * (1 + 0.02 * math.sin(7 * i))

    return "".join(f"step {start + 10 * i}/{start + total} loss {loss(i):.4f} lr 3.00e-04\n" for i in range(1, 41))


def said(folder: Path, head: str, body: str) -> Verdict:
    (folder / "job.log").write_text(f"{head}\n{body}{DONE}")
    return analyze(import_logs([folder], exit_code=0), strict=True)[0]


@pytest.mark.parametrize(
    "head",
    [
        "WARNING could not load out/checkpoint_180.pt: Error(s) in loading state_dict for Net",
        "Failed to load checkpoint from runs/exp3/last.pt (EOFError: Ran out of input), training from scratch",
        "[resume] runs/exp3/step_4000.pt is corrupt (failed finding central directory): ignored",
        "resume failed: KeyError('optimizer') - starting over at step 0",
        "Checkpoint out/step_4000.pt konnte nicht geladen werden (beschädigt), beginne von vorn",
        "não foi possível carregar o checkpoint out/step_4000.pt: arquivo corrompido; começando do zero",
        "out/step_4000.pt holds a model of another shape, ignored",
        "resuming from out/last.pt\nresume: PytorchStreamReader failed reading zip archive",
        '{"event": "load_failed", "path": "out/step_4000.pt", "error": "UnpicklingError: pickle data was truncated"}',
    ],
)
def test_a_state_that_was_left_aside(tmp_path: Path, head: str) -> None:
    verdict = said(tmp_path, head, steps())
    assert (verdict.family, verdict.sub_mode) == ("E2", "silent_restart")


@pytest.mark.parametrize(
    ("head", "start", "high"),
    [
        ("no checkpoint in out/, starting at step 0", 0, 9.8),  # as at each first start
        ("could not open ckpt/last.pt, starting fresh", 0, 9.8),
        ("could not open ckpt/last.pt: [Errno 2] No such file or directory", 0, 9.8),
        ("could not load libtcmalloc.so: cannot open shared object file", 0, 9.8),
        ("Failed to load cached features from /cache/f.pt (EOFError), recomputing", 0, 9.8),
        (
            "could not load out/step_4000.pt (truncated), trying the one before\nloaded out/step_3900.pt: step 3900",
            3900,
            1.1,
        ),
        ("EMA weights of out/step_3900.pt could not be loaded, EMA begins at the model", 0, 9.8),
        ("wandb: WARNING `resume` will be ignored since W&B syncing is set to `offline`.", 0, 9.8),
        ("Some weights of X were not initialized from the model checkpoint because the shapes did not match", 0, 9.8),
        ("UserWarning: torch.utils.checkpoint: use_reentrant should be passed explicitly, skipping", 0, 9.8),
        ("args: Namespace(lr=0.0003, resume=None, resume_from_checkpoint=None, out='out/x')", 0, 9.8),
        ("args: Namespace(resume='out/step_3900.pt')\n=> loaded out/step_3900.pt (3900)", 3900, 1.1),
        ("resumed at step 3900 of out/step_3900.pt (loss 0.93)", 3900, 1.1),
    ],
)
def test_nothing_was_lost(tmp_path: Path, head: str, start: int, high: float) -> None:
    assert said(tmp_path, head, steps(start, high)).family == "G1"


@pytest.mark.parametrize(
    ("saved", "low", "family"),
    [
        (0.40, 0.35, "E2"),
        (0.90, 0.85, "E2"),
        (0.40, 2.00, "E2"),  # it has not come there yet, from where a new model begins
        (7.00, 0.85, "G1"),  # what was lost came back at once, as without an optimizer's state
    ],
)
def test_weights_that_were_not_what_was_saved(tmp_path: Path, saved: float, low: float, family: str | None) -> None:
    verdict = said(tmp_path, f"resumed from out/river.pt: step 300, loss there {saved}", steps(300, low=low))
    assert verdict.family == family


def test_a_load_that_failed_for_no_reason_that_is_told(tmp_path: Path) -> None:
    """The file may be there or not."""
    verdict = said(tmp_path, "could not load ckpt/last.pt, starting fresh", steps())
    assert verdict.outcome == "cannot_decide"


def test_told_to_resume_and_not_a_word_of_it(tmp_path: Path) -> None:
    verdict = said(tmp_path, "$ python train.py --resume out/step_4000.pt", steps())
    assert verdict.outcome == "cannot_decide"
    told = {entry.family: entry for entry in verdict.families}
    assert told["E2"].status == told["G1"].status == "cannot_decide"
