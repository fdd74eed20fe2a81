"""Loud words in a job's own log that are not of its own end: texts of a model, loggers, tools, nodes. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def verdict(tmp_path: Path, *lines: str, status: int | None = None) -> tuple[str | None, float]:
    path = tmp_path / "train.log"
    path.write_text("\n".join(lines) + "\n")
    found = analyze(import_logs([path], exit_code=status), strict=True)[0]
    return found.family or found.outcome, found.confidence


def trained(begin: int, end: int, of: int = 2000) -> list[str]:
    return [f"step {n}/{of} | loss {0.8 + 3 / (1 + n / 150):.4f} | lr 1.00e-04" for n in range(begin, end + 1, 20)]


def raised(what: str, code: str = "batch = next(it)", function: str = "main") -> list[str]:
    return [
        "Traceback (most recent call last):",
        '  File "/w/train.py", line 214, in <module>',
        "    main()",
        f'  File "/w/train.py", line 171, in {function}',
        f"    {code}",
        what,
    ]


END = ["saved final checkpoint to out/final.pt", "Training complete."]
LOGGER = raised("OSError: [Errno 122] Disk quota exceeded", "self.stream.flush()", "flush")


# --- tracebacks that end nothing
@pytest.mark.parametrize(
    "heading", ["--- generated text (temperature 0.8) ---", "sample 3:", "model prediction:", "<<< completion >>>:"]
)
def test_what_a_model_wrote_ends_nothing(tmp_path: Path, heading: str) -> None:
    text = [heading, *raised("KeyError: 'input_ids'")]
    assert verdict(tmp_path, *trained(20, 700), *text)[0] == "cannot_decide"
    assert verdict(tmp_path, *trained(20, 700), *text, *trained(720, 2000), *END)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 700), *text, status=1)[0] == "A1"


@pytest.mark.parametrize(
    ("above", "code"),
    [
        ("sample 3:", "text = generate(model, prompt)"),  # raised in the writing of it
        ("loading the samples of shard 3", "batch = next(it)"),  # no heading
        ("config: samples 400, targets 12", "batch = next(it)"),
    ],
)
def test_a_crash_beside_such_words_is_one(tmp_path: Path, above: str, code: str) -> None:
    assert verdict(tmp_path, *trained(20, 700), above, *raised("KeyError: 'input_ids'", code))[0] == "A1"


def test_a_record_that_a_logger_could_not_write_ends_nothing(tmp_path: Path) -> None:
    error = ["--- Logging error ---", *LOGGER, "Message: 'step %d'", "Arguments: (900,)"]
    assert verdict(tmp_path, *trained(20, 900), *error)[0] == "cannot_decide"
    assert verdict(tmp_path, *trained(20, 900), *error, *trained(920, 2000), *END)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 900), *LOGGER)[0] == "outside_families"  # its own: the quota ended it


# --- a shell's word on commands that do not train
@pytest.mark.parametrize(
    ("command", "after", "family"),
    [
        ("nvidia-smi dmon -s pucm > dmon.log", [], "cannot_decide"),  # how training ended is not told
        ("python watch_temp.py", trained(720, 1000), "cannot_decide"),  # it went on
        ("python watch_temp.py", [*trained(720, 2000), *END], "G1"),
        ("python watch_temp.py", [], "A2"),
        ("python train.py", trained(720, 740), "A2"),
    ],
)
def test_a_helper_of_a_script_was_killed(tmp_path: Path, command: str, after: list[str], family: str) -> None:
    shell = f"run.sh: line 9:  3307 Killed                  {command}"
    assert verdict(tmp_path, *trained(20, 700), shell, *after)[0] == family


def test_a_helper_that_is_killed_when_all_is_done_ends_nothing(tmp_path: Path) -> None:
    shell = "run.sh: line 14: 47110 Killed                  python monitor_gpu.py --interval 5"
    assert verdict(tmp_path, *trained(20, 2000), *END, shell)[0] == "G1"
    assert verdict(tmp_path, *trained(20, 2000), *END, shell, status=137)[0] != "G1"


# --- a GPU's fault in the job's own log
@pytest.mark.parametrize(("reports", "family"), [(20, "A1"), (0, "B2")])
def test_training_that_goes_on_did_not_lose_its_gpu(tmp_path: Path, reports: int, family: str) -> None:
    def at(second: int, text: str) -> str:
        return f"2026-09-03 10:{second // 60:02}:{second % 60:02},000 - INFO - train - {text}"

    lines = [at(10 * n, f"step={20 * n} loss={0.8 + 3 / (1 + n / 9):.4f}") for n in range(1, 31)]
    fault = at(305, "notice: NVRM: Xid (PCI:0000:43:00): 79, GPU has fallen off the bus.")
    later = [at(310 + 10 * n, f"step={600 + 20 * n} loss={0.9 - n / 900:.4f}") for n in range(1, reports + 1)]
    crash = raised("AssertionError: sequence length 8193 exceeds 8192", "assert n <= 8192")
    assert verdict(tmp_path, *lines, fault, *later, *crash)[0] == family
