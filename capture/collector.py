"""What a collector is, what it is given, and what it gives back.

A collector reads one kind of thing and yields rows, in whatever thread its turn comes. It never waits for anybody
else: the recorder goes on without one that hangs, cuts off one that overruns its budget, and writes down how every
attempt went.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from inquest.capture.lives import Lives

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Row = dict[str, Any]
Batch = tuple[str, list[Row]]
"""Name of a table and rows for it; every row sets ``ts_mono_ns`` to the moment it was read."""


class Missing(Exception):
    """What the collector reads does not exist on this node; the text says what."""


class Denied(Exception):
    """It exists, and we may not read it; the text says what would allow it."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one tick may cost: wall seconds until it counts as hung, and bytes of rows.

    The seconds are generous: on a node whose CPUs the job keeps busy, we come last.
    """

    seconds: float
    bytes: int


@dataclass(frozen=True, slots=True)
class Member:
    """A process of the job, as the process collector last saw it."""

    pid: int
    rank: int | None
    role: str
    led: bool = False
    """Whether a launcher is above it: what a task of Slurm is called says nothing of it then."""


@dataclass(slots=True)
class Context:
    """What the recorder tells its collectors.

    ``members`` is replaced as a whole by the process collector, never changed in place, so that other threads may
    read it at any time.
    """

    capture_dir: Path
    node: str
    boot_id: str
    child_pid: int
    began_mono_ns: int
    environ: Mapping[str, str]
    task: int = 0
    members: Mapping[int, Member] = field(default_factory=dict)
    lives: Lives = field(default_factory=Lives)
    """Who of two collectors reports the end of a process, and what the other knows of it."""
    attached: bool = False
    """True where no wrapper stands beside the job (``inquest attach``), so that nobody else has its output."""
    trial: bool = False
    """True for ``inquest doctor``: there is no job, and what only a job would bring into use is tried now."""
    log_budget: int = 256 << 20
    """Bytes of output that may be recorded where ``attached``; beyond, what ``log_budget.MemoryTail`` keeps."""
    left: bool = False
    """True once the recorder has written its last rows: what is told later is lost, and must not pass for told."""
    gpu_holders: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """UUIDs of the GPUs that processes hold memory on, by pid; replaced likewise by the NVML collector."""


class Collector:
    """Base of all collectors. Subclasses set the class variables and override what they need."""

    name: ClassVar[str]
    tables: ClassVar[tuple[str, ...]]
    requires: ClassVar[str] = ""
    """What must be there, for ``inquest doctor``: one phrase, empty when nothing special is needed."""
    budget: ClassVar[Budget] = Budget(seconds=3.0, bytes=256 * 1024)
    period: ClassVar[int] = 1
    """Ticks (seconds) between two calls of ``tick``."""
    node_wide: ClassVar[bool] = False
    """True when one recorder a node is enough: the elected one runs it."""
    attach_only: ClassVar[bool] = False
    """True for what the wrapper makes needless: it runs only where ``Context.attached``."""

    def __init__(self) -> None:
        self.drops = 0
        """Events the collector itself knows to be lost; the recorder adds skipped ticks and cut rows."""
        self.cpu_ns = 0
        """CPU time of threads the collector runs itself; the recorder measures the rest."""
        self.note = ""
        """What readers of the recording should know of it while all is well, in one line."""
        self.since_ns: int | None = None
        """Since when it sees what it is for, monotonic, where that is not since its start."""
        self.truncated = False
        """Whether it no longer tells all it is for; the note says what, and since when."""

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Get ready; may yield first rows. Raises Missing or Denied when there is nothing to do here."""
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Read once."""
        return ()

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Read once more, at the end, and let go."""
        return self.tick(ctx)
