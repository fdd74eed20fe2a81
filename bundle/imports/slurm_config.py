"""Settings of a cluster as ``scontrol show config`` prints them: those that decide when and how Slurm ends a job.

What each means is told in slurm.conf(5). Only these are read: the rest of the output holds paths and hosts that no
verdict needs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports._slurm_controller import setting
from inquest.bundle.imports._slurm_tables import lines, opening
from inquest.bundle.imports._slurm_values import Row, Times, batches, text_of, whole_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_FIRST: Final = re.compile(rb"Configuration data as of (\S.{0,40}?)\s*$")
_PAIR: Final = re.compile(r"([A-Za-z_][\w.]{0,60})(?:\[\d{1,3}\])?\s*= ?(.{0,4000})$")
_AMOUNT: Final = re.compile(r"(\d{1,15})(?: (sec|min|hours?|ms|usec|percent))?")
_SECONDS: Final = {"sec": 1.0, "min": 60.0, "hour": 3600.0, "hours": 3600.0, "ms": 1e-3, "usec": 1e-6}

_IN_SECONDS: Final = frozenset(
    (
        *("BatchStartTimeout", "CompleteWait", "EioTimeout", "GetEnvTimeout", "HealthCheckInterval", "InactiveLimit"),
        *("KillWait", "MessageTimeout", "MinJobAge", "PreemptExemptTime", "PrologEpilogTimeout", "ResumeTimeout"),
        *("SlurmctldTimeout", "SlurmdTimeout", "SuspendTimeout", "TCPTimeout", "UnkillableStepTimeout", "WaitTime"),
        *("OverTimeLimit", "ResvOverRun", "SchedulerTimeSlice"),
    )
)
"""Times a job is given; bare numbers are seconds. 65534 is Slurm's "not set" for those of 16 bits."""
_OTHERS: Final = frozenset(
    (
        *("EnforcePartLimits", "JobRequeue", "KillOnBadExit", "MaxBatchRequeue", "ReturnToService", "RequeueExit"),
        *("RequeueExitHold", "PreemptMode", "PreemptParameters", "PreemptType", "PrologFlags", "TaskPlugin"),
        *("ProctrackType", "JobAcctGatherType", "JobAcctGatherFrequency", "JobAcctGatherParams", "SelectType"),
        *("SelectTypeParameters", "SchedulerParameters", "SlurmctldParameters", "SlurmdParameters", "LaunchParameters"),
        *("PropagateResourceLimits", "HealthCheckNodeState", "ClusterName", "SLURM_VERSION", "BOOT_TIME"),
        *("ConstrainCores", "ConstrainDevices", "ConstrainRAMSpace", "ConstrainSwapSpace", "AllowedRAMSpace"),
        *("AllowedSwapSpace", "CgroupPlugin", "LogTimeFormat"),
    )
)
_NOT_SET: Final = 65534.0


class ShowConfig:
    """``scontrol show config``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "slurm-config"
    title: str = "Slurm settings that decide how jobs end (scontrol show config)"
    tables: tuple[str, ...] = ("slurm_controller",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """The first line says when the configuration was printed."""
        return _FIRST.match(opening(source.head, "scontrol")[0]) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a setting, of the time it was printed at."""
        return batches(("slurm_controller", row) for row in _rows(source, context))


def _rows(source: Source, context: Context) -> Iterator[Row]:
    times = Times(context)
    at_ns: int | None = None
    for raw in lines(source.chunks()):
        if told := _FIRST.match(raw):
            at_ns = times.ns(told[1].decode("utf-8", "replace"))
            continue
        pair = _PAIR.match(raw.decode("utf-8", "replace").rstrip())
        if pair is None:
            continue
        name, value = pair[1], text_of(pair[2])
        if name not in _IN_SECONDS and name not in _OTHERS:
            context.refuse("settings that do not bear on how jobs end")
        elif value is not None:
            yield _row(name, value, at_ns)


def _row(name: str, value: str, at_ns: int | None) -> Row:
    amount = _AMOUNT.fullmatch(value)
    if name in _IN_SECONDS:
        seconds = float(amount[1]) * _SECONDS.get(amount[2] or "sec", 1.0) if amount else whole_s(value)
        return setting(name, value, None if seconds == _NOT_SET else seconds, "s", at_ns)
    number = float(amount[1]) if amount and amount[2] is None else {"yes": 1.0, "no": 0.0}.get(value.lower())
    return setting(name, value, number, "1", at_ns)


KIND: Final = ShowConfig()
