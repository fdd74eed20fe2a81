"""When nodes booted, so that kernel logs whose times count from there get a time of day.

A kernel log that carries both clocks needs no help. For others, another file of the same node tells: the same messages
printed with a time of day, or Slurm's record of the node.
"""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING, Final

from inquest.bundle.imports import syslog
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from inquest.bundle.imports.rows import Rows
    from inquest.bundle.imports.source import Source

_PREFIX: Final = re.compile(
    r"^(?:<\d+>)?(?:[a-z]+ *:[a-z]+ *: ?)?(?:\[[^\]]{8,40}\]|20\d\d-\d\d-\d\dT\S+"
    r"|[A-Z][a-z]{2} [ \d]\d [\d:.]{8,18}|1\d{9}\.\d{6})(?: \S+ kernel:)?(?: ?\[ *\d+\.\d{6}\])?(?:\[ *[TC]\d+\])? ?"
)
_SINCE_BOOT: Final = re.compile(r"^(?:<\d+>)?(?:[a-z]+ *:[a-z]+ *: ?)?\[ *(\d{1,9}\.\d{6})\](?:\[ *[TC]\d+\])? ?(.+)$")
_MESSAGES: Final = 50_000
_ENOUGH: Final = 3
"""Messages that have to be found in both files."""
_APART_NS: Final = 5_000_000_000
"""How far apart the middle half of what they tell may lie: one of the clocks was wrong, or it was another boot."""


def counts_from_boot(source: Source) -> bool:
    """Whether a kernel log needs to be told when its node booted."""
    look = syslog.look(source.head)
    if look is None or syslog.boot_told(source.head) is not None:
        return False
    return look.form in ("kmsg", "dmesg_json") or (look.form == "bare" and bool(_counted(source.head)))


class Boots:
    """What the files read so far tell of the boots of nodes."""

    def __init__(self, rows: Rows) -> None:
        self._said: dict[str, list[tuple[str, int]]] = {}
        self._booted: dict[str, int] = {}
        seen = 0
        for frame in rows.frames("kernel_log", "node", "ts_ns", "text"):
            if seen > _MESSAGES:
                break
            for node, ts_ns, line in frame.drop_nulls("ts_ns").iter_rows():
                seen += 1
                self._said.setdefault(_PREFIX.sub("", line or "", count=1), []).append((node, ts_ns))
        for frame in rows.frames("slurm_nodes", "slurm_node_name", "boot_ns"):
            self._booted.update(frame.drop_nulls().iter_rows())

    def of(self, source: Source) -> int | None:
        """When the node of ``source`` booted, UTC in ns; None where nothing tells."""
        told = []
        for seconds, message in _counted(source.head) + _counted(source.tail):
            there = self._said.get(message, [])
            known = {node for node, _ in there}
            # A message that was said twice does not tell which of the two it is.
            if len(there) == 1 and (source.node is None or known <= {source.node, UNKNOWN_NODE}):
                told.append(there[0][1] - round(seconds * 1e9))
        told.sort()
        if len(told) >= _ENOUGH and told[3 * len(told) // 4] - told[len(told) // 4] <= _APART_NS:
            return int(median(told))
        return self._booted.get(source.node or "")


def _counted(sample: bytes) -> list[tuple[float, str]]:
    lines = sample.decode("utf-8", "replace").split("\n")
    return [(float(found[1]), found[2]) for line in lines if (found := _SINCE_BOOT.match(line))]
