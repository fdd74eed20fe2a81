"""Their own tasks, done by others and by us on the same machine in the same minute.

A peer is installed by whoever runs this, never by us: each module says how, and is left out with that sentence where
its peer is absent. ``python -m benchmarks.peers --write docs/peers.md`` writes the table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One task: what it is, and what came of it there and here."""

    task: str
    theirs: str
    ours: str


class Absent(Exception):
    """The peer, or what its task is done on, is not here; the message says how to get it."""
