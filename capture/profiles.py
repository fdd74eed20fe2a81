"""Which collectors run: the profiles, and what ``--only`` and ``--skip`` make of them.

Standard library only: read before the wrapped job starts, where one of these options is given.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

NAMES: Final = (
    *("clock", "clock_probes", "identity", "topology", "processes", "placements", "process_life", "sched", "writes"),
    *("output_files", "cgroup", "host", "net", "infiniband", "disk", "filesystems", "network_mounts"),
    *("kernel_counters", "kernel_log", "nvml", "dcgm", "cuda_calls", "nccl_calls", "stalls", "artifacts", "slurm"),
)
"""All collectors by name: the list in capture/collectors/ costs a third of a second to import (a test compares)."""

_MINIMAL: Final = frozenset(
    (
        *("clock", "identity", "processes", "placements", "output_files", "cgroup", "host", "disk", "filesystems"),
        *("kernel_counters", "kernel_log", "nvml", "slurm"),
    )
)
"""Reads of files and one library: no probe in the kernel or the network, no stack of any process, no file taken."""


def chosen(profile: str, only: Sequence[str], skip: Sequence[str]) -> list[str]:
    """Names of the collectors that run, in their order; ``only`` takes the place of the profile's own choice."""
    base = frozenset(only) or (_MINIMAL if profile == "minimal" else frozenset(NAMES))
    return [name for name in NAMES if name in base and name not in skip]


def unknown(names: Sequence[str]) -> list[str]:
    """Those that name no collector."""
    return [name for name in names if name not in NAMES]
