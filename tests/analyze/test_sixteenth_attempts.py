"""Attempts of one log of which the last one trained, and waits for data that a log tells in words of its own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _log(folder: Path, text: str) -> Path:
    path = folder / "job.log"
    path.write_text(text)
    return path


def _verdict(folder: Path, text: str, status: int | None = None) -> Verdict:
    return analyze(import_logs([_log(folder, text)], exit_code=status), strict=True)[0]


def _attempts(folder: Path, text: str) -> int:
    return parse_logs(import_logs([_log(folder, text)]))["fact_attempts"].height


def _steps(first: int = 1, last: int = 60) -> str:
    return "".join(f"step {n}/60 loss {2.4 * math.exp(-n / 12) + 0.3:.4f}\n" for n in range(first, last + 1))


# --- attempts --------------------------------------------------------------------------------------------------------

_TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/train.py", line {line}, in <module>\n'
    "    main()\n"
    '  File "/home/u/train.py", line {line}, in main\n'
    "    {call}\n"
    "{error}\n"
)
_NO_DATA = _TRACEBACK.format(
    line=31, call="data = open_shards(args.data)", error="FileNotFoundError: Couldn't find any data file at /mnt/old."
)
_BANNER = "***** Running training *****\n"
_AGAIN = f"$ python train.py --data /mnt/new\n{_BANNER}"
_INDEX = _TRACEBACK.format(line=77, call="row = table[index]", error="IndexError: index 512 is out of bounds")


def test_what_crashed_before_a_command_that_trained_is_an_earlier_attempt(tmp_path: Path) -> None:
    text = f"{_NO_DATA}{_AGAIN}{_steps()}"
    found = _verdict(tmp_path, f"{text}training finished\n", 0)
    assert found.family == "G1"
    found = _verdict(tmp_path, f"{text}{_INDEX}", 1)
    assert found.family == "A1"
    assert "IndexError" in found.headline


@pytest.mark.parametrize(
    ("text", "attempts"),
    [
        (_NO_DATA + _AGAIN + _steps(), 2),
        # Nobody called anything between: what stood in a buffer may be the same program's.
        (_NO_DATA + _BANNER + _steps(), 1),
        # What was called trained nothing.
        (_steps(1, 30) + _NO_DATA + "$ python tidy.py --out /mnt/new\n" + "tidied 3 files\n", 1),
        (_NO_DATA + "$ python tidy.py --out /mnt/new\n" + "tidied 3 files\n", 1),
    ],
)
def test_only_a_command_that_trains_is_another_attempt(tmp_path: Path, text: str, attempts: int) -> None:
    assert _attempts(tmp_path, text) == attempts


_BEGIN = "[2026-11-07 22:15:36,412] [INFO] [launch.py:145:main] WORLD INFO DICT: {{'n{node}': [0, 1]}}\n"
_EXIT = "[2026-11-07 22:15:45,377] [ERROR] [launch.py:325:sigkill_handler] ['train.py'] exits with return code = 1\n"
_PORT = _TRACEBACK.format(
    line=12,
    call="deepspeed.init_distributed()",
    error="torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address."
    " port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use",
)


def test_a_launcher_of_deepspeeds_that_was_called_again(tmp_path: Path) -> None:
    """Its errors stand in a stream of their own, without steps; one that came to nothing once more counts, too."""
    errors = tmp_path / "job.err"
    errors.write_text(_BEGIN.format(node=0) + _PORT + _EXIT + _BEGIN.format(node=0) + _INDEX + _EXIT)
    found = analyze(import_logs([errors, _log(tmp_path, _steps(1, 40))], exit_code=1), strict=True)[0]
    assert found.family == "A1"
    assert "IndexError" in found.headline
    assert not any("EADDRINUSE" in str(claim) for claim in (*found.shows, *found.chain))


def test_launchers_of_several_nodes_are_one_attempt(tmp_path: Path) -> None:
    begun = _BEGIN.format(node=0) + _BEGIN.format(node=1)
    assert _attempts(tmp_path, begun + _PORT + _EXIT + _INDEX + _EXIT) == 1
    assert _attempts(tmp_path, begun + _PORT + _EXIT + _BEGIN.format(node=2) + _INDEX + _EXIT) == 1


# --- waits -----------------------------------------------------------------------------------------------------------


def _telling(form: str, first: int = 1) -> str:
    """A loop that says every fourth step, from ``first`` on, what it waited for."""
    told = ((n, f"{form.format(n=n, x=n // 4 % 4)}\n" if n % 4 == 0 and n >= first else "") for n in range(1, 61))
    return "".join(f"step {n}/60 loss {2.4 * math.exp(-n / 12) + 0.3:.4f}\n{said}" for n, said in told)


@pytest.mark.parametrize(
    ("form", "family"),
    [
        (
            "feeder: queue 0/512 batches, trainer waited 14{x}.0 s of the last 175.0 s for data (tokeniser at 100 %)",
            "D1",
        ),
        ("[feed] training waited for data 140.{x} s of the last 175.0 s", "D1"),
        ("loop: data_wait 19.{x} s/it, forward_backward 0.85 s/it, optimizer 0.08 s/it", "D1"),
        # A few per cent of the time, or less than seconds at a time.
        ("feeder: queue 500/512 batches, trainer waited 3.{x} s of the last 175.0 s for data", "G1"),
        ("loop: data_wait 0.0{x} s/it, forward_backward 0.85 s/it, optimizer 0.08 s/it", "G1"),
        # For others, or others for theirs.
        ("trainer waited 134.0 s of the last 175.0 s for peers", "G1"),
        ("trainer waited 134.0 s of the last 175.0 s for data parallel ranks", "G1"),
        ("tokeniser waited 134.0 s of the last 175.0 s for data", "G1"),
    ],
)
def test_waits_that_a_log_tells_in_words_of_its_own(tmp_path: Path, form: str, family: str) -> None:
    found = _verdict(tmp_path, f"{_telling(form)}training finished\n", 0)
    assert found.family == family


def test_waits_of_the_end_alone_are_not_those_of_the_run(tmp_path: Path) -> None:
    said = "feeder: queue 0/512 batches, trainer waited 14{x}.0 s of the last 175.0 s for data"
    assert _verdict(tmp_path, f"{_telling(said, 40)}training finished\n", 0).family != "D1"
