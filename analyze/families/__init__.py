"""The eighteen failure families, in the order in which a verdict lists them."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.families.base import Family

_NAMES: Final = [
    f"inquest.analyze.families.{name}"
    for name in (
        "a1_startup_crash",
        "a2_signal_kill",
        "b1_cuda_oom",
        "b2_gpu_hardware",
        "b3_throttling",
        "c1_rendezvous_hang",
        "c2_collective_freeze",
        "c3_idle_gpu_hang",
        "d1_input_starvation",
        "d2_throughput_bound",
        "d3_straggler",
        "e1_divergence",
        "e2_restart_or_load",
        "e3_undertrained",
        "f1_node_down",
        "f2_requeue_preemption",
        "f3_time_out",
        "g1_healthy",
    )
]
FAMILIES: Final[tuple[Family, ...]] = tuple(
    importlib.import_module(name).FAMILY for name in _NAMES if importlib.util.find_spec(name)
)
"""All families, "A1" to "G1"."""
