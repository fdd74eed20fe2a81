"""How values, times and foreign text are worded: one place for every view.

Text out of a log is a stranger's: ``harmless`` makes whatever could move a cursor, reorder a line or hide itself
visible. It does not escape for HTML; the template does that.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inquest.analyze.model import RowRef, Value

NOT_CAPTURED: Final = "not captured"
_EPOCH_FROM_NS: Final = 10**18  # a reading in ns above this (2001) is a point in time, below it a duration
_LENGTHS: Final = (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1))
_MOST_REFS: Final = 12
_BINARY: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def harmless(text: str, limit: int | None = None) -> str:
    """Show control, format, private and unassigned characters by their codes; cut after ``limit`` characters.

    Newlines and tabs stay. ESC becomes ``⟨U+001B⟩``, a right-to-left override ``⟨U+202E⟩``: nothing in the result can
    act on a terminal or on the direction of text, and every font can show it.
    """
    cut = text if limit is None or len(text) <= limit else f"{text[:limit]} … ({len(text) - limit:,} more characters)"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() or c in "\n\t" else _picture(c) for c in cut)


def one_line(text: str, limit: int | None = None) -> str:
    """``harmless`` for a place that holds a single line: line ends become blanks."""
    return " ".join(harmless(text, limit).split())


def _picture(char: str) -> str:
    if char.isspace() and ord(char) > 0x1F and ord(char) not in (0x85, 0x2028, 0x2029):
        return " "  # the many widths of blank
    return f"⟨U+{ord(char):04X}⟩"


def utc(ts_ns: int | None, digits: int = 3) -> str:
    """A point in time as ``2026-11-20 12:03:22.123 UTC``."""
    if ts_ns is None:
        return "time not captured"
    return f"{_stamp(ts_ns, '%Y-%m-%d %H:%M:%S', digits)} UTC"


def clock(ts_ns: int | None, digits: int = 3) -> str:
    """The time of day only, for lists whose date stands elsewhere."""
    return "--:--:--" if ts_ns is None else _stamp(ts_ns, "%H:%M:%S", digits)


def _stamp(ts_ns: int, pattern: str, digits: int) -> str:
    seconds, rest = divmod(ts_ns, 10**9)
    try:
        text = datetime.fromtimestamp(seconds, UTC).strftime(pattern)
    except (OverflowError, ValueError, OSError):
        return f"{ts_ns} ns"
    return f"{text}.{rest // 10 ** (9 - digits):0{digits}d}" if digits else text


def duration(ns: float) -> str:
    """A length of time in the unit that suits it: ``840 µs``, ``2.5 s``, ``3 min 20 s``, ``1 d 4 h``."""
    if not math.isfinite(ns):
        return str(ns)
    if ns == 0:
        return "0 s"
    if ns < 0:
        return f"-{duration(-ns)}"
    for unit, size in (("ns", 1), ("µs", 10**3), ("ms", 10**6)):
        if ns < size * 1000:
            return f"{_short(ns / size)} {unit}"
    if ns < 120 * 10**9:
        return f"{_short(ns / 10**9)} s"
    seconds = round(ns / 10**9)
    big, length, small, part = next((row for row in _LENGTHS if seconds >= row[1]), _LENGTHS[-1])
    head, tail = seconds // length, seconds % length // part
    return f"{head:,} {big} {tail} {small}" if tail else f"{head:,} {big}"


def size(count: float) -> str:
    """Bytes in binary units: ``15.2 GiB``."""
    value, unit = float(count), 0
    while abs(value) >= 1024 and unit < len(_BINARY) - 1:
        value /= 1024
        unit += 1
    return f"{_short(value)} {_BINARY[unit]}"


def _short(value: float) -> str:
    """Three significant digits, no trailing zeros, no exponent below a million."""
    if not math.isfinite(value):
        return str(value)
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.3g}"


def number(value: float) -> str:
    """A number for a reader: whole numbers in full with separators, others to three significant digits."""
    return f"{value:,}" if isinstance(value, int) else _short(value)


_COUNTED: Final = frozenset(
    {"errors", "lines", "checkpoints", "rows", "steps", "samples", "reports", "ranks", "kills", "GPUs"}
)
"""Units that lose their last letter after 1."""


def quantity(value: Value, unit: str) -> str:
    """A claim's value with its unit, as a reader wants it. None is "not measured"; text is made harmless."""
    match value:
        case None:
            return "not measured"
        case bool():
            return "yes" if value else "no"
        case str():
            return one_line(value, 200)
        case int() if unit == "ns" and value > _EPOCH_FROM_NS:
            return utc(value)
    if unit == "ns":
        return duration(value)
    if unit == "s":
        return duration(value * 10**9)
    if unit == "bytes":
        exact = f" ({value:,} bytes)" if isinstance(value, int) and abs(value) >= 1024 else ""
        return size(value) + exact
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    if value == 1 and unit in _COUNTED:
        unit = unit[:-1]
    return text if unit in ("", "1") else f"{text} {unit}"


def sentence(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def plural(count: int, noun: str, many: str = "") -> str:
    """``1 rank``, ``512 ranks``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def spans(numbers: Iterable[int]) -> str:
    """Fold numbers into spans: ``0-7, 12``."""
    parts: list[list[int]] = []
    for item in sorted(set(numbers)):
        if parts and item == parts[-1][1] + 1:
            parts[-1][1] = item
        else:
            parts.append([item, item])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def hosts(names: Iterable[str]) -> str:
    """Fold host names the way schedulers write them: ``node[001-064], login``."""
    groups: dict[tuple[str, int], list[int]] = {}
    plain: list[str] = []
    for name in sorted(set(names)):
        if found := re.fullmatch(r"(.*?)(\d{1,9})", name, re.ASCII | re.DOTALL):
            groups.setdefault((found[1], len(found[2])), []).append(int(found[2]))
        else:
            plain.append(name)
    folded = []
    for (prefix, width), items in groups.items():
        text = ",".join(
            "-".join(f"{int(end):0{width}d}" for end in span.split("-")) for span in spans(items).split(", ")
        )
        folded.append(f"{prefix}[{text}]" if len(items) > 1 else f"{prefix}{text}")
    return ", ".join(one_line(name) for name in (*folded, *plain))


def listed(items: Sequence[str], most: int) -> str:
    """The first ``most`` items, and how many more there are."""
    shown = ", ".join(items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most:,} more"


def refs(rows: Sequence[RowRef]) -> str:
    """Rows that a claim rests on, the first few by name."""
    return listed([f"{row.table} {one_line(row.node)}#{row.seq}" for row in rows], _MOST_REFS)
