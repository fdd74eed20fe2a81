"""Rows that ``nvidia-smi --query-gpu`` wrote into the log of a job: how busy a GPU was, and what it held.

Such a row bears no names; its head, anywhere above it, tells which of its cells is which.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row


@dataclass(frozen=True, slots=True)
class Seen:
    """What one row tells: of which GPU, how busy it was and how much it held, as written."""

    whose: str
    busy: str
    held: str
    rests: bool
    """Whether it held memory, and did nothing."""


@dataclass(frozen=True, slots=True)
class GpuTable:
    """Which cell of a row tells what.

    Attributes:
        width: How many cells a row has.
        busy: Place of the share of time in which a kernel ran.
        held: Place of the memory in use.
        whose: Places of what tells GPUs apart.
        resident: What a GPU holds at the least that a job has memory on, in bytes.
    """

    width: int
    busy: int
    held: int
    whose: tuple[int, ...]
    resident: float

    def read(self, text: str) -> Seen | None:
        """What a line tells; None for one that is no row of this table."""
        cells = [cell.strip() for cell in text.split(",")]
        if len(cells) != self.width:
            return None
        busy, held = _SHARE.fullmatch(cells[self.busy]), _MEMORY.fullmatch(cells[self.held])
        if busy is None or held is None:
            return None
        rests = float(busy[1]) == 0 and int(held[1]) * _MIB >= self.resident
        whose = ", ".join(cells[place] for place in self.whose)
        return Seen(whose, f"{busy[1]} %", f"{held[1]} MiB", rests)


def table_of(ev: Evidence, row: Row) -> GpuTable | None:
    """The table that the stream of a line holds a head of; None where it holds none."""
    text = pl.col("text")
    heads = ev.scan("log_lines").filter(same_stream(row) & text.str.contains(_HEAD)).select("text").head(1).collect()
    if heads.is_empty():
        return None
    names = [name.strip().partition(" ")[0] for name in heads["text"][0].split(",")]
    if _BUSY not in names or _HELD not in names:
        return None
    whose = tuple(place for place, name in enumerate(names) if name in _WHOSE)
    resident = ev.threshold("c3.resident_memory")
    return GpuTable(len(names), names.index(_BUSY), names.index(_HELD), whose, resident)


_BUSY: Final = "utilization.gpu"
_HELD: Final = "memory.used"
_WHOSE: Final = frozenset({"name", "gpu_name", "index", "uuid", "gpu_uuid", "serial", "pci.bus_id", "gpu_bus_id"})
_HEAD: Final = r"\butilization\.gpu(?: \[%\])?(?:,|\s*$)"
_SHARE: Final = re.compile(r"(\d{1,3}) ?%?")
_MEMORY: Final = re.compile(r"(\d{1,9})(?: ?MiB)?")
_MIB: Final = 1 << 20
