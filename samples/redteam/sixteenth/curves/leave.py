"""Leave files behind, the same bytes each time."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def put(place: Path, name: str, lines: Iterable[str]) -> None:
    """Write lines to a file of the case; compressed where the name ends in .gz."""
    text = "\n".join(lines) + "\n"
    if name.endswith(".gz"):
        (place / name).write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        (place / name).write_text(text, encoding="utf-8")
