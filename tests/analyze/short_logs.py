"""Short logs of loops for the tests of blind sets: their clocks, their losses, and what is said of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from random import Random

    from inquest.analyze.model import Verdict

_BEGIN = datetime(2026, 4, 2, 9, tzinfo=UTC)


def verdict_of(folder: Path, lines: Iterable[str] = (), status: int | None = None) -> Verdict:
    """Of the logs in a folder, with ``lines`` as one more where there are any."""
    if lines := list(lines):
        (folder / "train.log").write_text("\n".join([*lines, ""]))
    return analyze(import_logs([folder], exit_code=status), strict=True)[0]


def clock(seconds: float) -> str:
    """A time so long after the run began, to the second."""
    return f"{_BEGIN + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}"


def fell(chance: Random, step: int, of: int, *, begin: float = 3.2) -> float:
    """The loss at a step of a run that learned."""
    return 0.2 + (begin - 0.2) / (1 + 6 * step / of) + chance.uniform(0, 0.02)
