"""States of nodes as ``sinfo`` prints them (default, ``-N -l``, ``-R``, ``-o``), and their history in accounting.

``sacctmgr show event`` is the only lasting record of nodes that went down or were drained, with reasons: a state that
``sinfo`` shows is gone once the node is resumed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports._slurm_nodes import Names, node_row
from inquest.bundle.imports._slurm_tables import Vocabulary, begins, lines, records
from inquest.bundle.imports._slurm_values import Row, Times, batches, size_bytes, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports._slurm_tables import Looks
    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_OF_SINFO: Final[dict[Looks, str]] = {
    "time": "TIMESTAMP",
    "node_state": "STATE",
    "number": "CPUS NODES",
    "word": "ACTIVE_FEATURES ALLOCMEM ALLOCNODES AVAIL AVAIL_FEATURES CLUSTER CORES CPUS(A/I/O/T) CPU_LOAD DEFAULTTIME "
    "FREE_MEM GRES GRES_USED GROUPS HOSTNAMES JOB_SIZE MAX_CPUS_PER_NODE MEMORY NODELIST NODES(A/I) "
    "NODES(A/I/O/T) NODE_ADDR OVERSUBSCRIBE PARTITION PREEMPT_MODE PRIO_JOB_FACTOR PRIO_TIER RESERVATION ROOT S:C:T "
    "SOCKETS THREADS TIMELIMIT TMP_DISK USER VERSION WEIGHT",
    "free": "COMMENT EXTRA REASON",
}
_OF_EVENTS: Final[dict[Looks, str]] = {
    "time": "TimeEnd TimeStart",
    "duration": "Duration",
    "word": "Cluster NodeName State StateRaw User",
    "tres": "TRES",
    "hosts": "Cluster$Nodes",
    "free": "Reason",
}
_SHORT: Final = {
    "alloc": "allocated",
    "comp": "completing",
    "drain": "drained",
    "drng": "draining",
    "failg": "failing",
    "futr": "future",
    "mix": "mixed",
    "plnd": "planned",
    "resv": "reserved",
    "unk": "unknown",
}
"""States as ``sinfo`` prints them without ``-l``."""


def _vocabulary(columns: dict[Looks, str], required: set[str], *, without_ruler: bool) -> Vocabulary:
    looks = {name.replace("$", " "): look for look, names in columns.items() for name in names.split()}
    return Vocabulary(looks, frozenset(required), without_ruler)


_SINFO: Final = _vocabulary(_OF_SINFO, {"NODELIST", "HOSTNAMES"}, without_ruler=True)
_EVENTS: Final = _vocabulary(_OF_EVENTS, {"NodeName"}, without_ruler=False)


class SinfoText:
    """Output of ``sinfo``, and of ``sacctmgr show event``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "sinfo"
    title: str = "States of Slurm's nodes (sinfo, sacctmgr show event)"
    tables: tuple[str, ...] = ("slurm_nodes",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """A header of the columns of either command."""
        return begins(source.head, _SINFO, "sinfo") or begins(source.head, _EVENTS, "sacctmgr")

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a node and state, whatever partitions it is in; one a node and event of the history."""
        events = not begins(source.head, _SINFO, "sinfo")
        found = records(lines(source.chunks()), _EVENTS if events else _SINFO, context)
        times, names = Times(context), Names(source.name)
        return batches(
            ("slurm_nodes", row)
            for layout, fields in found
            for row in (_of_event if events else _of_sinfo)(
                {
                    name: value.decode("utf-8", "replace").strip()
                    for name, value in reversed(list(zip(layout.names, fields, strict=True)))
                },
                layout.dated,
                times,
                names,
                context,
            )
        )


def _of_sinfo(record: dict[str, str], dated: str, times: Times, names: Names, context: Context) -> Iterator[Row]:
    hosts = record.get("HOSTNAMES") or record.get("NODELIST", "")
    state = _state(record.get("STATE"))
    if not hosts or hosts.endswith("+"):
        context.refuse("a record whose nodes are cut or missing")
        return
    load = record.get("CPU_LOAD", "")
    for name in names.new(hosts, state):
        yield node_row(
            name=name,
            state=state,
            reason=text_of(record.get("REASON")),
            reason_by=text_of(record.get("USER")),
            reason_ns=times.ns(record.get("TIMESTAMP")),
            seen_ns=times.ns(dated) or context.collected_at_ns,
            cpu_load=float(load) if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", load) else None,
            memory_free_bytes=size_bytes(record.get("FREE_MEM"), "M"),
            gres=text_of(record.get("GRES")),
            gres_used=text_of(record.get("GRES_USED")),
        )


def _state(text: str | None) -> str | None:
    """The state in full, with the marks behind it (``*``: does not respond)."""
    told = text_of(text)
    if told is None:
        return None
    word = told.rstrip("*~#!%$@^+-")
    return _SHORT.get(word, word) + told[len(word) :]


def _of_event(record: dict[str, str], dated: str, times: Times, names: Names, context: Context) -> Iterator[Row]:
    del dated, names
    name = record.get("NodeName", "")
    if not name:
        context.refuse("an event of the cluster, not of a node")
        return
    if name.endswith("+"):
        context.refuse("a record whose nodes are cut or missing")
        return
    began = times.ns(record.get("TimeStart"))
    yield node_row(
        name=name,
        state=text_of(record.get("State")),
        reason=text_of(record.get("Reason")),
        reason_by=text_of(record.get("User")),
        reason_ns=began,
        end_ns=times.ns(record.get("TimeEnd")),
        seen_ns=context.collected_at_ns,
    )


KIND: Final = SinfoText()
