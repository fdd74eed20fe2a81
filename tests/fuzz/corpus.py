"""Where inputs lie: ``corpus/TARGET`` was grown by fuzzing, ``findings/TARGET`` broke something once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
FINDINGS = HERE / "findings"


def committed(target: str, root: Path = CORPUS) -> Iterator[bytes]:
    """Inputs of a target, by name."""
    folder = root / target
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        yield path.read_bytes()
