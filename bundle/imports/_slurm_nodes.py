"""Rows on the state of nodes, whichever command told it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.bundle.errors import UnsafeInput
from inquest.bundle.hostlist import expand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports._slurm_values import Row

_BAD: Final = ("DOWN", "DRAIN", "DRNG", "FAIL", "ERR", "NOT_RESPONDING", "NO_RESPOND", "INVAL", "*")
MAX_NODES: Final = 200_000
"""States of nodes in one file; the largest clusters have some 20,000 nodes."""


def node_row(
    *,
    name: str,
    state: str | None,
    reason: str | None,
    reason_by: str | None = None,
    reason_ns: int | None = None,
    end_ns: int | None = None,
    seen_ns: int | None = None,
    boot_ns: int | None = None,
    slurmd_start_ns: int | None = None,
    cpu_load: float | None = None,
    memory_free_bytes: int | None = None,
    gres: str | None = None,
    gres_used: str | None = None,
) -> Row:
    """One row of ``slurm_nodes``. A bad state holds since its reason was set; a good one is known when it was seen."""
    bad = any(word in (state or "").upper() for word in _BAD)
    return {
        "slurm_node_name": name,
        "ts_ns": reason_ns if bad and reason_ns is not None else seen_ns,
        "state": state,
        "reason": reason,
        "reason_by": reason_by,
        "reason_ns": reason_ns,
        "end_ns": end_ns,
        "seen_ns": seen_ns,
        "boot_ns": boot_ns,
        "slurmd_start_ns": slurmd_start_ns,
        "cpu_load": cpu_load,
        "memory_free_bytes": memory_free_bytes,
        "gres": gres,
        "gres_used": gres_used,
    }


class Names:
    """Names of host lists, each pair of name and state once: commands list a node under every partition it is in."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._told: set[tuple[str, str | None]] = set()

    def new(self, hosts: str, state: str | None) -> Iterator[str]:
        """Names of ``hosts`` not yet told with this state.

        Raises:
            UnsafeInput: the file names more nodes than any cluster has.
        """
        for name in expand(hosts) or (hosts,):
            if (name, state) in self._told:
                continue
            self._told.add((name, state))
            if len(self._told) > MAX_NODES:
                raise UnsafeInput(f"{self._source}: names more than {MAX_NODES:,} nodes; take a part of it.")
            yield name
