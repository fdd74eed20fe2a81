"""How Slurm words times, durations, sizes, exits, states and ids: read once, for all its commands.

Forms were seen in the records of ``shared/reference/slurm`` (22.05 and 24.11) and in Slurm's own sources. What is not
understood is None, never a guess.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context

Row = dict[str, Any]

_NOTHING: Final = frozenset({"", "unknown", "none", "n/a", "(null)", "null", "none assigned", "not_set", "invalid"})
_EPOCH: Final = re.compile(r"\d{9,11}")
NO_VALUE: Final = 4_294_967_294
"""Slurm's number for "not set" (``NO_VAL``), which slips through as a time or a count; the one above is "infinite"."""
_DURATION: Final = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,6}):)?(\d{1,6}):(\d{1,6})(?:\.(\d{1,9}))?")
_SIZE: Final = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([KMGTPE]?)[nc?]?")
_SCALE: Final = {unit: 1 << 10 * power for power, unit in enumerate(("", "K", "M", "G", "T", "P", "E"))}
_BATCH: Final = 4096
_MAX_INT: Final = (1 << 63) - 1

JOB_ID: Final = re.compile(
    r"(?P<job>(?P<number>\d{1,10})(?:_(?P<task>\d{1,10}|\[[\d,:%.\-]{1,4096}\]))?(?:\+(?P<offset>\d{1,6}))?)"
    r"(?:\.(?P<step>[A-Za-z]{1,20}|\d{1,10}(?:\+\d{1,6})?))?"
)
"""A job or step as Slurm prints it: ``17``, ``17.batch``, ``17_3.0``, ``17_[4-9%2]``, ``17+1.0``."""

_COMPACT: Final = {
    "BF": "BOOT_FAIL",
    "CA": "CANCELLED",
    "CD": "COMPLETED",
    "CF": "CONFIGURING",
    "CG": "COMPLETING",
    "DL": "DEADLINE",
    "F": "FAILED",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "PD": "PENDING",
    "PR": "PREEMPTED",
    "R": "RUNNING",
    "RD": "RESV_DEL_HOLD",
    "RF": "REQUEUE_FED",
    "RH": "REQUEUE_HOLD",
    "RQ": "REQUEUED",
    "RS": "RESIZING",
    "RV": "REVOKED",
    "S": "SUSPENDED",
    "SE": "SPECIAL_EXIT",
    "SI": "SIGNALING",
    "SO": "STAGE_OUT",
    "ST": "STOPPED",
    "TO": "TIMEOUT",
}
_STATES: Final = (*_COMPACT.values(), "LAUNCH_FAILED", "POWER_UP_NODE", "RECONFIG_FAIL", "UPDATE_DB")
OPEN: Final = frozenset({"CONFIGURING", "RESIZING", "RUNNING", "SIGNALING", "STOPPED", "SUSPENDED"})
"""States of a run that goes on: the end Slurm prints for it is the one its time limit sets."""
WAITING: Final = frozenset({"PENDING", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"})
"""States of a job that waits: start and end that Slurm prints for it are forecasts."""
ENDING: Final = frozenset({"COMPLETING", "STAGE_OUT"})
"""States of a run whose processes have ended while Slurm still clears up after it."""


def text_of(value: object) -> str | None:
    """A value that says something, else None: Slurm has many words for nothing."""
    text = str(value).strip() if isinstance(value, str | int) else ""
    return None if text.lower() in _NOTHING else text


class Times:
    """Times of one file as UTC nanoseconds.

    Text without a zone is the cluster's local time; bare numbers (``SLURM_TIME_FORMAT=%s``) are seconds since 1970.
    Forms that cannot be read (``SLURM_TIME_FORMAT=relative``) are said once, not guessed.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._said = False

    def ns(self, text: str | None) -> int | None:
        """When it was; None for nothing, and for what cannot be read."""
        told = text_of(text)
        if told is None or told == "0":
            return None
        found = _time_ns(told, self._context.utc_offset_minutes)
        if found is None and not self._said:
            self._said = True
            self._context.warn(
                f'A time like "{told[:40]}" cannot be read; run the command again with SLURM_TIME_FORMAT=standard.'
            )
        return found


@lru_cache(maxsize=65536)
def _time_ns(text: str, utc_offset_minutes: int) -> int | None:
    if _EPOCH.fullmatch(text):
        return epoch_ns(int(text))
    stamp = _stamp(text)
    if stamp is None:
        return None
    if stamp.tzinfo is None:
        stamp = stamp.replace(tzinfo=UTC) - timedelta(minutes=utc_offset_minutes) if stamp.year > 1970 else None
    return epoch_ns(int(stamp.timestamp())) if stamp else None


def _stamp(text: str) -> datetime | None:
    if text[:1].isdigit() and not text.isdigit():
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return None
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007 (the cluster's local time)
    except ValueError:
        return None


def epoch_ns(seconds: object) -> int | None:
    """Nanoseconds of seconds since 1970; None for 0, which is Slurm's "never", and for what is no time."""
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not 0 < seconds < NO_VALUE:
        return None
    return seconds * 1_000_000_000


@lru_cache(maxsize=4096)
def duration_s(text: str | None) -> float | None:
    """Seconds of ``[D-][HH:]MM:SS[.mmm]``; None for ``UNLIMITED``, ``Partition_Limit`` and the like."""
    found = _DURATION.fullmatch((text or "").strip())
    if not found:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds + float(f"0.{found[5] or 0}")


def whole_s(text: str | None) -> int | None:
    """`duration_s` in whole seconds."""
    seconds = duration_s(text)
    return None if seconds is None else int(seconds)


def size_bytes(text: str | None, unit: str = "") -> int | None:
    """Bytes of ``4020K``, ``1.50G``, ``400Mc``; ``unit`` is that of a bare number."""
    found = _SIZE.fullmatch((text or "").strip())
    return integer(float(found[1]) * _SCALE[found[2] or unit]) if found else None


def integer(value: object) -> int | None:
    """A whole number that fits a column, from text or a number."""
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) <= 19 else None
    if isinstance(value, float):
        value = int(value) if abs(value) < _MAX_INT else None
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MAX_INT else None


def exit_status(text: str | None, state: str | None) -> tuple[int | None, int | None]:
    """Exit code and signal of ``code:signal``; the code is None where a signal ended the process.

    Both are None while the ``state`` says that the run goes on or waits: the 0:0 that Slurm prints then means nothing.
    """
    code, colon, number = (text or "").strip().partition(":")
    if not (colon and code.isdigit() and number.isdigit() and len(code) <= 10 and len(number) <= 10):
        return None, None
    return ended_with(int(code), int(number), state)


def ended_with(code: int | None, number: int | None, state: str | None) -> tuple[int | None, int | None]:
    """`exit_status` of numbers."""
    if state_word(state) in OPEN | WAITING:
        return None, None
    return (None, number) if number and not code else (code, number or None)


@lru_cache(maxsize=4096)
def state_of(text: str | None) -> str | None:
    """The state as Slurm words it: cut words (``OUT_OF_ME+``) and codes of two letters (``PD``) in full."""
    told = text_of(text)
    if told is None:
        return None
    if told.endswith("+"):
        whole = [state for state in _STATES if state.startswith(told[:-1])]
        return whole[0] if len(whole) == 1 else told[:-1]
    return _COMPACT.get(told, told)


def state_word(state: object) -> str:
    """The state without what follows it: ``CANCELLED by 2001`` is ``CANCELLED``."""
    return (str(state or "").split() or ["?"])[0]


@lru_cache(maxsize=4096)
def cancelled_by(state: str | None) -> str | None:
    """The uid of ``CANCELLED by 2001``."""
    found = re.fullmatch(r"CANCELLED by (\S{1,64})", (state or "").strip())
    return found[1] if found else None


@lru_cache(maxsize=4096)
def tres(text: str | None) -> dict[str, str]:
    """``billing=8,cpu=8,gres/gpu=4,mem=800M`` by name."""
    pairs = (item.partition("=") for item in (text_of(text) or "").split(","))
    return {name: value for name, equals, value in pairs if equals}


@lru_cache(maxsize=4096)
def gpus(text: str | None) -> int | None:
    """GPUs of a list of trackable resources; None where it names none, since sites need not track them."""
    told = tres(text)
    if "gres/gpu" in told:
        return integer(told["gres/gpu"])
    typed = [integer(count) for name, count in told.items() if name.startswith("gres/gpu:")]
    counts = [count for count in typed if count is not None]
    return sum(counts) if counts else None


def resources(allocated: str | None, requested: str | None = None) -> Row:
    """Columns of what a job was given and asked for, from lists of trackable resources."""
    given = tres(allocated)
    return {
        "cpus_allocated": integer(given.get("cpu")),
        "gpus_allocated": gpus(allocated),
        "memory_allocated_bytes": size_bytes(given.get("mem"), "M") or None,
        "tres_allocated": allocated,
        "gpus_requested": gpus(requested),
        "tres_requested": requested,
    }


def ending(
    times: tuple[int | None, int | None], own: tuple[int | None, int | None], steps: tuple[int | None, int | None]
) -> Row:
    """Columns of how a run ended: `run_times`, and the `exit_status` of the job itself and of its steps."""
    start_ns, end_ns = times
    return {
        "start_ns": start_ns,
        "end_ns": end_ns,
        "ts_ns": end_ns or start_ns,
        "exit_code": own[0],
        "term_signal": own[1],
        "derived_exit_code": steps[0],
        "derived_signal": steps[1],
    }


def run_times(
    state: str | None, start_ns: int | None, end_ns: int | None, elapsed_s: int | None = None
) -> tuple[int | None, int | None]:
    """Start and end that have happened: of a run that goes on, or a job that waits, Slurm prints forecasts.

    While it clears up after a requeued run, the state is ``COMPLETING``, the run time is 0 and the times are forecasts
    of the next run.
    """
    word = state_word(state)
    if word in WAITING or (word in ENDING and elapsed_s == 0 and start_ns != end_ns):
        return None, None
    return start_ns, None if word in OPEN else end_ns


def job_ids(number: str, task: str | None, offset: tuple[str, str] | None) -> tuple[str, str | None]:
    """``job_id`` as people name the job, and ``job_id_raw`` where that differs.

    Args:
        number: the controller's number of the job.
        task: ``ARRAYJOB_TASK`` of an array's task, else None.
        offset: number of the leading job and offset of a component of a heterogeneous job, else None.
    """
    name = task or (f"{offset[0]}+{offset[1]}" if offset else number)
    return name, number if name != number else None


def batches(rows: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Rows of several tables in lists of bounded length."""
    held: dict[str, list[Row]] = {}
    for table, row in rows:
        some = held.setdefault(table, [])
        some.append(row)
        if len(some) >= _BATCH:
            yield table, held.pop(table)
    yield from held.items()
