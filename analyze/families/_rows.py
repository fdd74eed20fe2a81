"""One row of facts: whom it is about and where, who told it, and how a sentence names that."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Final

from inquest.analyze.metric_ends import TRACKER
from inquest.analyze.model import Failing
from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.model import StoreName

Row = dict[str, Any]
_LOOPBACK: Final = (None, "", "localhost", "localhost.localdomain", "127.0.0.1")
"""Names by which a source says no more than "here"."""
_RUN_OF_RANKS: Final = 4
"""Neighbours from which on a sentence names the first and the last."""


def exception_title(row: Row, width: int = 160) -> str:
    """Type and first line of the message of a fact_exceptions row, cut at ``width`` characters.

    A line that only announces what follows (load_state_dict does) is followed by the next one.
    """
    kind = str(row["exc_type"] or "exception").rsplit(".", 1)[-1]
    lines = [line.strip() for line in str(row["message"] or "").splitlines() if line.strip()]
    message = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
    text = f"{kind}: {message}" if message else kind
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


_SLURM_OOM: Final = 125


def signal_name(number: int) -> str:
    """Name of a signal number; 125 is none, but Slurm's word for memory that ran out (SIG_OOM, 253, of seven bits)."""
    if number == _SLURM_OOM:
        return "an out-of-memory kill (Slurm's 0:125)"
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def place(row: Row) -> str | None:
    """Node a fact is about: the host it names, else where it was read; None for an imported log."""
    host = row.get("host")
    node = row.get("node") if host in _LOOPBACK else host
    return None if node is None or node == UNKNOWN_NODE else str(node)


def at_node(node: str | None, word: str = "on") -> str:
    """`` on gpu01``, for a sentence; empty where the node is not known."""
    return "" if node is None or node == UNKNOWN_NODE else f" {word} {node}"


def gpu_called(gpu_uuid: str | None) -> str:
    """``GPU GPU-6efe...``, for a sentence; telemetry without UUIDs knows a GPU by its number, as ``gpu 5``."""
    number = str(gpu_uuid).removeprefix("gpu ")
    return f"GPU {number if number.isdecimal() else gpu_uuid}"


def its_node(node: str | None) -> str:
    """What to call a node that somebody has to look at."""
    return node if at_node(node) and node is not None else "its node"


def failing(row: Row) -> Failing:
    """Where and when a fact was seen, as the verdict words it."""
    node = place(row)
    return Failing(rank=row.get("rank"), node=node, pid=row.get("pid"), ts_ns=row.get("ts_ns"))


def told_by(row: Row) -> StoreName:
    """Store a fact comes from: "metrics" where a tracker noted it, else "logs"."""
    if "said_by" in row:
        tracked = row["said_by"] == TRACKER
    elif "pattern" in row:
        tracked = str(row["pattern"]).startswith("metrics.")
    else:
        tracked = row["first_line_seq" if "first_line_seq" in row else "line_seq"] is None
    return "metrics" if tracked else "logs"


def who(row: Row) -> str:
    """The process as the subject of a sentence, for instance "Rank 3 on node02", as far as it is known."""
    node, rank = place(row), row.get("rank")
    if rank is None:
        return f"A process on {node}" if node else "A process of the job"
    return f"Rank {rank} on {node}" if node else f"Rank {rank}"


def named(ranks: Iterable[int]) -> str:
    """Ranks as a sentence names them: "rank 3", "ranks 0, 1, 2", or "ranks 0-6, 8-511"."""
    ordered = sorted(set(ranks))
    runs: list[list[int]] = []
    for rank in ordered:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    told = (f"{run[0]}-{run[-1]}" if len(run) >= _RUN_OF_RANKS else ", ".join(map(str, run)) for run in runs)
    return f"rank{'s' if len(ordered) > 1 else ''} {', '.join(told)}"
