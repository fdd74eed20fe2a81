"""Rows on the controller: its statistics (``sdiag``), by the names that its JSON gives them, and its settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.bundle.imports._slurm_values import Row

ROWS_OF_RPC: Final = {"rpcs_by_message_type": "message_type", "rpcs_by_user": "user"}
"""Lists of calls by type and by user, and what names an item of each."""
_TIME: Final = re.compile(r"req_time(?:_start)?|job_states_ts|bf_when_last_cycle")
_MICROSECONDS: Final = re.compile(
    r"(?:schedule|bf)_cycle_(?:last|max|mean|sum)|gettimeofday_latency|rpcs_by_\w+\..*\.(?:average|total)_time"
)


def reading(name: str, value: float, at_ns: int | None) -> Row:
    """One row of ``slurm_controller``."""
    unit = "s since 1970" if _TIME.fullmatch(name) else "us" if _MICROSECONDS.fullmatch(name) else "1"
    return {"name": name, "value": float(value), "unit": unit, "ts_ns": at_ns}


def setting(name: str, text: str, value: float | None, unit: str, at_ns: int | None) -> Row:
    """One row of ``slurm_controller`` for a setting; ``value`` in ``unit`` where it is a number."""
    return {
        "name": f"config.{name}",
        "value": value,
        "unit": None if value is None else unit,
        "setting": text,
        "ts_ns": at_ns,
    }
