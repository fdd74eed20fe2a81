"""``meta.json`` beside imported files: what no content tells. It counts for its folder and all below."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.errors import InputError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES: Final = 1 << 20
_ZONE: Final = re.compile(r"([+-])(?:(?P<h>\d{1,2}):(?P<m>\d\d)|(?P<hh>\d\d)(?P<mm>\d\d))")
_SCALES: Final = ((10**9, 1e11), (10**6, 1e14), (10**3, 1e17), (1, 9e18))
"""Factors to nanoseconds, and below which number a time is meant in that unit."""
_WEST, _EAST = -12 * 60, 14 * 60


@dataclass(frozen=True, slots=True)
class Meta:
    """What a ``meta.json`` says; None where it does not.

    Attributes:
        job_id: The job the files belong to.
        utc_offset_minutes: Offset of the cluster's local time from UTC, east positive.
        collected_at_ns: When the files were collected, UTC.
        scrape_interval_s: Seconds between scrapes of metrics.
        node: The node all files are of.
        notes: What of the file was not understood.
    """

    job_id: str | None = None
    utc_offset_minutes: int | None = None
    collected_at_ns: int | None = None
    scrape_interval_s: float | None = None
    node: str | None = None
    notes: tuple[str, ...] = ()

    def over(self, outer: Meta) -> Meta:
        """This, with its gaps filled from the folder around it."""
        gaps = {f.name: getattr(outer, f.name) for f in fields(self) if getattr(self, f.name) is None}
        return replace(self, **gaps)


def read(path: Path) -> Meta:
    """Read a ``meta.json``.

    Raises:
        InputError: It is not a JSON object, or says nothing that is known.
    """
    try:
        with path.open("rb") as file:
            plain = json.loads(file.read(MAX_BYTES + 1))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({type(error).__name__}).") from error
    if not isinstance(plain, dict):
        raise InputError(f"{path}: not a JSON object.")
    found: dict[str, Any] = {}
    notes = []
    for key, value in plain.items():
        told = _KEYS.get(key.lower().replace("-", "_"))
        try:
            if told is None:
                notes.append(f"{key[:60]} is not known and was ignored")
            elif value is not None:
                found[told[0]] = told[1](value)
        except (TypeError, ValueError, OverflowError, UsageError) as error:
            notes.append(f"{key[:60]} cannot be read ({str(error)[:120]}) and was ignored")
    if not found:
        raise InputError(f"{path}: says nothing that is known; it may hold {', '.join(_KEYS)}.")
    return Meta(**found, notes=tuple(notes))


def offset(text: str) -> int:
    """Minutes east of UTC that ``+02:00``, ``-0330``, ``Z`` or a number of minutes stand for.

    Raises:
        UsageError: It is none of them, or no place on earth has that offset.
    """
    text = text.strip()
    if zone := _ZONE.fullmatch(text):
        hours, rest = int(zone["h"] or zone["hh"]), int(zone["m"] or zone["mm"])
        minutes = (hours * 60 + rest) * (-1 if zone[1] == "-" else 1)
    elif re.fullmatch(r"[+-]?\d{1,4}", text):
        minutes = int(text)
    elif text.upper() in ("Z", "UTC", "GMT"):
        minutes = 0
    else:
        raise UsageError(f"{text[:40]!r} is no offset from UTC: write +02:00, -03:30, or minutes such as 120")
    if not _WEST <= minutes <= _EAST:
        raise UsageError(f"{text[:40]!r} is no offset from UTC: they lie between -12:00 and +14:00")
    return minutes


def _offset(value: object) -> int:
    if isinstance(value, float) and value != int(value):
        raise ValueError("not whole minutes")
    return offset(str(int(value) if isinstance(value, float) else value))


def _instant(value: object) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool):
        # Seconds, milliseconds, microseconds or nanoseconds since 1970, by their size.
        scale = next((scale for scale, most in _SCALES if 0 <= value < most), None)
        if scale is None:
            raise ValueError("no time since 1970")
        return round(value * scale) if isinstance(value, float) else value * scale
    stamp = datetime.fromisoformat(str(value))
    return round((stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp() * 1e6) * 1000


def _seconds(value: object) -> float:
    text = str(value).strip().lower()
    for unit, scale in (("ms", 0.001), ("s", 1.0), ("m", 60.0)):
        if text.endswith(unit):
            return _positive(float(text.removesuffix(unit)) * scale)
    return _positive(float(text))


def _positive(value: float) -> float:
    if not 0 < value < 86_400:
        raise ValueError("not between 0 and a day")
    return value


def _name(value: object) -> str:
    if not isinstance(value, str | int) or isinstance(value, bool) or not str(value).strip():
        raise TypeError("not a name")
    return str(value).strip()[:255]


def _sole_name(value: object) -> str | None:
    names = value if isinstance(value, list) else [value]
    return _name(names[0]) if len(names) == 1 else None


_KEYS: Final = {
    **dict.fromkeys(("job_id", "jobid", "slurm_job_id"), ("job_id", _name)),
    **dict.fromkeys(
        ("utc_offset_minutes", "utc_offset", "tz_offset_minutes", "timezone_offset_minutes"),
        ("utc_offset_minutes", _offset),
    ),
    **dict.fromkeys(("collected_at", "captured_at", "collected", "collected_at_utc"), ("collected_at_ns", _instant)),
    **dict.fromkeys(
        ("scrape_interval_s", "scrape_interval_seconds", "scrape_interval", "interval_s"),
        ("scrape_interval_s", _seconds),
    ),
    **dict.fromkeys(("node", "hostname", "host", "nodes"), ("node", _sole_name)),
}
