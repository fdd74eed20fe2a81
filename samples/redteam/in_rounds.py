"""Sets that were met in two rounds, each by a version of its own: their parts of docs/calibration.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .blind import first_contact
from .by_kind import but_healthy, sets
from .unseen import healthy

if TYPE_CHECKING:
    from pathlib import Path

_KINDS: Final = {"telemetry": "simulated", "wrapped": "real", "curves": "simulated", "logs": "real"}


def section(title: str, folder: Path, rounds: tuple[str, str], text: str) -> str:
    """The part of the page.

    Args:
        title: Its heading.
        folder: Where the set is, and by what name the page calls it.
        rounds: Version that judged the first round, and the second.
        text: Who wrote it, and what is to be known of it.
    """
    files = sorted(folder.glob("first_contact_*.json"))
    found = sets(folder.name + ", round {}", files, _KINDS, rounds)
    told = [
        f"the {name} round, {but_healthy(found[at * len(_KINDS) :][: len(_KINDS)])}"
        for at, name in enumerate(("first", "second"))
    ]
    after = f"Without the healthy runs: of {'; of '.join(told)}. Commands: `samples/redteam/{folder.name}/README.md`."
    return first_contact(title, found, text, healthy(found) + after)
