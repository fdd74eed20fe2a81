"""Lines of the kernel and of daemons: who wrote them, on which node, when, and how grave they were.

Forms: ``dmesg`` (seconds since boot, ``-T``, ``--time-format iso``, ``-x``, ``-r``, ``--json``), ``/dev/kmsg``,
syslog files, ``journalctl`` in its short forms, and its records (``-o json``, ``export``, ``verbose``). The field names
of records are those of systemd.journal-fields(7).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.errors import InputError
from inquest.bundle.imports import text
from inquest.bundle.line_clock import ClockReader, year_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_PRI: Final = r"^(?:<(?P<pri>\d{1,3})>)?"
_ISO: Final = r"(?P<iso>20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
_MONO: Final = r"\[ *(?P<mono>\d{1,9}\.\d{6})(?: <[^>\n]{0,20}>)?\](?:\[ *[TC]\d+\])?"
_HOSTED: Final = (
    _PRI + rf"(?:{_ISO}|(?P<bsd>[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{{1,9}})?)"
    r"|[A-Z][a-z]{2} (?P<full>20\d\d-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?) (?P<zone>[A-Z]{2,5}|[+-]\d\d(?:\d\d)?)"
    rf"|(?P<unix>1\d{{9}}\.\d{{6}})|{_MONO})"
    r" (?P<host>[A-Za-z0-9][A-Za-z0-9_.:-]{0,253})"
    r" (?P<ident>[^\s\[\]:]{0,127}[^\s\[\]:0-9][^\s\[\]:]{0,127})(?:\[(?P<pid>\d{1,8})\])?: ?(?P<message>.*)$"
)
"""A line with host and program: a syslog file, or ``journalctl`` in a short form."""
_BARE: Final = (
    _PRI + r"(?:[a-z]{3,8} *:(?P<word>[a-z]{3,6}) *: ?)?"
    rf"(?:{_ISO}|(?P<ctime>\[[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d 20\d\d\])|{_MONO}"
    r"|\[(?:[A-Z][a-z]{2} ?\d{1,2} \d\d:\d\d| *\+\d+\.\d{6})\]) ?(?P<message>.*)$"
)
"""A line of ``dmesg``. The last form (``dmesg -H``) tells no date and no seconds since boot."""
_KMSG: Final = r"^(?P<pri>\d{1,4}),(?P<kseq>\d{1,18}),(?P<usec>\d{1,18}),[^;\n]{0,64};(?P<message>.*)$"

_LEVELS: Final = {
    name: number
    for number, names in enumerate(
        (("emerg",), ("alert",), ("crit",), ("err", "error"), ("warn", "warning"), ("notice",), ("info",), ("debug",))
    )
    for name in names
}
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}
_SURE_HOST: Final = re.compile(rb"^\[ *\d+\.\d{6}\] [A-Za-z0-9][\w.-]* (?:kernel|[^\s\[\]:]+\[\d+\]): ")
_REMARK: Final = r"^-- .* --\.?$|^-- (?:Logs|Journal) begin|^[^\[]{0,40}\bbtime[ =:]{1,3}\d{10}\b"
_CLOCK: Final = re.compile(rb"^\[ *(\d+\.\d{6})\].*setting system clock to [^(\n]{10,40}\((1\d{9})\)", re.MULTILINE)
_BOOTED: Final = re.compile(rb"(?:[^\n\[]{0,200}\n){0,3}?[^\n\[]{0,40}\bbtime[ =:]{1,3}(1[5-9]\d{8}|2\d{9})\b")
"""``btime 1770421658`` of /proc/stat, as somebody put it above the lines."""
_AUDIT: Final = re.compile(rb"^\[ *(\d+\.\d{6})\].* audit\((1\d{9}\.\d{3}):\d+\)", re.MULTILINE)
_MINUTE: Final = 60_000_000_000
_BEGINNING: Final = 3
"""Lines of which one has to fit: a job's log with kernel messages at its end is the job's."""
_A_LEVEL: Final = r"(?i)^(?:trace|debug|info|notice|warn|warning|err|error|critical|fatal|severe)$"
_RECORDS: Final = 8192
_MAX_FIELD: Final = 1 << 20

Form = Literal["hosted", "bare", "kmsg", "json", "export", "verbose", "dmesg_json"]

COLUMNS: Final = {
    "text": pl.String(),
    "offset": pl.Int64(),
    "eol": pl.String(),
    "line_bytes": pl.Int64(),
    "truncated": pl.Boolean(),
    "ts_ns": pl.Int64(),
    "since_boot_ns": pl.Int64(),
    "node": pl.String(),
    "ident": pl.String(),
    "pid": pl.Int64(),
    "level": pl.Int64(),
    "kernel_seq": pl.Int64(),
}
"""What `frames` gives: a line or record, its time and origin. ``ident`` is ``kernel`` for the kernel's own."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the first lines of a file say: their form, and the share of them that fit it or are the kernel's."""

    form: Form
    share: float
    kernel: float


def look(head: bytes) -> Look | None:
    """The form of a file of such lines; None where it is none."""
    if form := _record_form(head):
        kernel = len(re.findall(rb'"_TRANSPORT"\s*:\s*"kernel"', head))
        kernel += head.count(b"\n_TRANSPORT=kernel") + head.count(b"    _TRANSPORT=kernel")
        every = max(
            1, head.count(b"__REALTIME_TIMESTAMP") + (head.count(b"\n    _TRANSPORT=") if form == "verbose" else 0)
        )
        return Look(form, 1.0, 1.0 if form == "dmesg_json" else min(1.0, kernel / every))
    lines = [
        line for line in head[:65536].split(b"\n")[:300] if line.strip() and not line.startswith((b"-- ", b" ", b"\t"))
    ]
    if not lines:
        return None
    texts = pl.Series("text", [line.decode("utf-8", "replace") for line in lines])
    kmsg = texts.str.contains(_KMSG).mean()
    if isinstance(kmsg, float) and kmsg > 0.7:
        return Look("kmsg", kmsg, 1.0)
    hosted = texts.str.extract_groups(_HOSTED).struct.unnest()
    # dmesg alone writes a comma before the fraction, and then what follows is a device, not a host.
    named = hosted["ident"].is_not_null() & ~hosted["iso"].str.contains(",").fill_null(value=False)
    if texts.str.contains(r"^\[").mean():  # seconds since boot: what follows may be a device, not a host
        sure = sum(bool(_SURE_HOST.match(line)) for line in lines) / len(lines)
        named = named & (hosted["mono"].is_null() | pl.Series([sure > 0.7] * len(lines)))
    # "2026-05-04T10:00:00 INFO trainer: ..." is how a program logs: a level, and no host.
    named = named & ~hosted["host"].str.contains(_A_LEVEL).fill_null(value=False)
    share = named.mean()
    if isinstance(share, float) and share > 0.7 and named[:_BEGINNING].any():
        mine = (hosted["ident"] == "kernel").fill_null(value=False).mean()
        return Look("hosted", share, mine if isinstance(mine, float) else 0.0)
    # An ISO time without the comma begins lines of many programs.
    bare = texts.str.contains(_BARE) & ~texts.str.contains(r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.|Z|[+-]| )")
    share = bare.mean()
    found = isinstance(share, float) and share > 0.7 and bool(bare[:_BEGINNING].any())
    return Look("bare", share, share) if found and isinstance(share, float) else None


def _record_form(head: bytes) -> Form | None:
    begin = head[:4096].lstrip(b"\x1e \t\r\n")
    if begin.startswith(b"{") and b'"__REALTIME_TIMESTAMP"' in head[:65536]:
        return "json"
    if re.match(rb'\{\s*"dmesg"\s*:\s*\[', begin):
        return "dmesg_json"
    if begin.startswith(b"__CURSOR=") and b"\n__REALTIME_TIMESTAMP=" in begin:
        return "export"
    if re.match(rb"(?:-- [^\n]*\n)*[A-Z][a-z]{2} 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d[^\n]* \[s=[0-9a-f]+;", begin):
        return "verbose"
    return None


def boot_told(head: bytes) -> int | None:
    """When the node booted, UTC in ns, as lines that carry both clocks tell: audit records, or the clock being set.

    Above all of them may stand what ``/proc/stat`` says of it.
    """
    if found := _BOOTED.match(head):
        return int(found[1]) * 1_000_000_000
    for pattern in (_AUDIT, _CLOCK):
        told = sorted(round((float(epoch) - float(mono)) * 1e9) for mono, epoch in pattern.findall(head))
        if told:
            return told[len(told) // 2]
    return None


def frames(source: Source, context: Context) -> Iterator[pl.DataFrame]:
    """Lines or records of a file, with `COLUMNS`.

    Raises:
        InputError: The file has none of the forms.
    """
    seen = look(source.head)
    if seen is None:
        raise InputError(f"{source.name}: these are no lines of a kernel or a journal.")
    if seen.form in ("json", "export", "verbose", "dmesg_json"):
        yield from _records(source, context, seen.form)
        return
    reader = _LineReader(source, context, seen.form)
    for frame in text.frames(source.chunks()):
        yield reader.read(frame)


class _LineReader:
    """Reads lines of one file; a line without a prefix continues the one before it."""

    def __init__(self, source: Source, context: Context, form: Form) -> None:
        self._form = form
        self._node = source.node
        self._offset = context.utc_offset_minutes
        year = year_in(source.head) or year_in(source.tail) or context.year
        self._clock = ClockReader(year, context.utc_offset_minutes)
        self._first_month, last = _months(source.head, source.tail)
        rolls = self._first_month is not None and last is not None and last < self._first_month
        self._year = year - 1 if year is not None and rolls else year
        self._rolls = rolls
        self._boot = boot_told(source.head) or context.boot_ns
        self._last: dict[str, Any] = dict.fromkeys(_TOLD)

    def read(self, frame: pl.DataFrame) -> pl.DataFrame:
        pattern = {"hosted": _HOSTED, "bare": _BARE, "kmsg": _KMSG}[self._form]
        parts = frame["text"].str.extract_groups(pattern).struct.unnest()
        none = pl.lit(None, pl.String)
        part = {name: pl.col(name) if name in parts.columns else none for name in _GROUPS}
        mono = pl.coalesce(
            (part["mono"].cast(pl.Float64, strict=False) * 1e9).round().cast(pl.Int64),
            part["usec"].cast(pl.Int64, strict=False) * 1000,
        )
        stamped = parts.with_columns(stamp=pl.coalesce(part["iso"], part["full"], part["ctime"], pl.lit("")))
        times = self._clock.ts_ns(stamped["stamp"])
        shifted = part["zone"].is_in(["UTC", "GMT"]).fill_null(value=False)
        rows = parts.select(
            ts_ns=pl.coalesce(
                pl.lit(times) + pl.when(shifted).then(self._offset * _MINUTE).otherwise(0),
                (part["unix"].str.replace(".", "", literal=True).cast(pl.Int64, strict=False) * 1000),
                self._bsd(part["bsd"]),
            ),
            since_boot_ns=mono,
            node=part["host"],
            ident=part["ident"]
            if self._form == "hosted"
            else pl.when(part["message"].is_not_null()).then(pl.lit("kernel")),
            pid=part["pid"].cast(pl.Int64, strict=False),
            level=pl.coalesce(
                part["pri"].cast(pl.Int64, strict=False) % 8,
                part["word"].replace_strict(_LEVELS, default=None, return_dtype=pl.Int64),
            ),
            kernel_seq=part["kseq"].cast(pl.Int64, strict=False),
        )
        if self._boot is not None:
            rows = rows.with_columns(ts_ns=pl.coalesce("ts_ns", pl.col("since_boot_ns") + self._boot))
        begins = rows["ident"].is_not_null()
        at = pl.select(pl.when(begins).then(pl.int_range(len(begins))).forward_fill()).to_series()
        before = pl.DataFrame([self._last] * at.null_count(), schema=rows.schema)
        filled = pl.concat([before, rows[at.drop_nulls()]])
        # What Slurm writes below the last line of all has its own clock.
        if (slurms := ~begins & frame["text"].str.contains(_SLURMS)).any():
            own = self._clock.ts_ns(frame["text"])
            filled = filled.with_columns(ts_ns=pl.coalesce(pl.when(pl.lit(slurms)).then(pl.lit(own)), "ts_ns"))
        self._last = filled.row(-1, named=True)
        whole = pl.concat([frame, filled], how="horizontal").filter(~pl.col("text").str.contains(_REMARK))
        if self._form == "kmsg":  # the prefix is no text for people, and the lines that follow are tags of the device
            whole = whole.with_columns(text=pl.col("text").str.extract(r"^\d{1,4},\d+,\d+,[^;]*;(.*)$", 1)).drop_nulls(
                "text"
            )
        return whole.select(list(COLUMNS))

    def _bsd(self, stamp: pl.Expr) -> pl.Expr:
        """UTC of ``Nov 20 18:27:16``, which tells no year."""
        if self._year is None:
            return pl.lit(None, pl.Int64)
        month = stamp.str.head(3).replace_strict(_MONTHS, default=None, return_dtype=pl.Int64)
        later = (month < self._first_month).cast(pl.Int64) if self._rolls and self._first_month else pl.lit(0)
        written = pl.concat_str(
            (pl.lit(self._year) + later).cast(pl.String),
            month.cast(pl.String).str.zfill(2),
            stamp.str.slice(4, 2).str.strip_chars().str.zfill(2),
            stamp.str.slice(7, 8),
            separator=" ",
        )
        whole = written.str.to_datetime("%Y %m %d %H:%M:%S", time_unit="ns", strict=False).dt.epoch("ns")
        fraction = stamp.str.slice(16).str.pad_end(9, "0").cast(pl.Int64, strict=False).fill_null(0)
        return whole + fraction - self._offset * _MINUTE


_SLURMS: Final = r"^(?:slurmstepd|srun): .*\b20\d\d-\d\d-\d\dT"
_TOLD: Final = ("ts_ns", "since_boot_ns", "node", "ident", "pid", "level", "kernel_seq")
_GROUPS: Final = tuple(
    "pri word iso bsd full zone unix ctime mono usec kseq host ident pid message".split()  # noqa: SIM905
)


def _months(head: bytes, tail: bytes) -> tuple[int | None, int | None]:
    """Months of the first and the last line that begins as syslog's do."""
    found = re.findall(rb"(?m)^(?:<\d+>)?([A-Z][a-z]{2}) [ \d]\d \d\d:\d\d:\d\d", head + b"\n" + tail)
    known = [_MONTHS[name.decode()] for name in found if name.decode() in _MONTHS]
    return (known[0], known[-1]) if known else (None, None)


OF_THE_JOB: Final = (
    r"^(?:slurm|systemd(?:-oomd|-coredump|-shutdown)?$|nvidia|nv-|nvsm|dcgm|earlyoom|oomd|chronyd|ntpd|ptp4l|phc2sys|containerd"
    r"|dockerd|kubelet|crio|enroot|pyxis|apptainer|munged|opensm|ibacm|lnet|lustre|nfs|autofs|automount|gpud|mcelog"
    r"|rasdaemon|abrt|smartd|ipmievd|watchdog|shutdown)"
)
"""Programs whose lines tell of jobs, GPUs, memory, clocks, file systems or the node's end."""


# --- records of the journal ------------------------------------------------------------------------------------------


def _records(source: Source, context: Context, form: Form) -> Iterator[pl.DataFrame]:
    found = {
        "json": _json_records,
        "dmesg_json": _dmesg_records,
        "export": _export_records,
        "verbose": _verbose_records,
    }[form](source, context)
    boot = boot_told(source.head) or context.boot_ns
    waiting: list[dict[str, Any]] = []
    for offset, fields in found:
        row = _row(fields)
        if row is None:
            context.refuse("records without a message")
            continue
        if row["ts_ns"] is None and row["since_boot_ns"] is not None and boot is not None:
            row["ts_ns"] = row["since_boot_ns"] + boot
        waiting.append({"offset": offset, **row})
        if len(waiting) >= _RECORDS:
            yield pl.DataFrame(waiting, schema=COLUMNS)
            waiting = []
    if waiting:
        yield pl.DataFrame(waiting, schema=COLUMNS)


def _row(fields: dict[str, Any]) -> dict[str, Any] | None:
    message = fields.get("MESSAGE")
    if isinstance(message, list):  # bytes that are no UTF-8 are written as numbers
        message = bytes(b for b in message if isinstance(b, int) and 0 <= b < 256).decode("utf-8", "replace")
    if not isinstance(message, str):
        return None
    kernel = fields.get("_TRANSPORT") == "kernel"
    ident = "kernel" if kernel else str(fields.get("SYSLOG_IDENTIFIER") or fields.get("_COMM") or "unknown")
    pid = _number(fields.get("_PID") or fields.get("SYSLOG_PID"))
    prefix = "" if kernel else f"{ident}[{pid}]: " if pid is not None else f"{ident}: "
    micros = _number(fields.get("_SOURCE_REALTIME_TIMESTAMP")) or _number(fields.get("__REALTIME_TIMESTAMP"))
    mono = _number(fields.get("_SOURCE_MONOTONIC_TIMESTAMP")) or _number(fields.get("__MONOTONIC_TIMESTAMP"))
    node = fields.get("_HOSTNAME")
    if not kernel and micros is not None and isinstance(node, str) and re.match(OF_THE_JOB, ident) is None:
        # As the journal prints it: a reader of logs knows what stands before the words of the job's own program.
        prefix = f"{datetime.fromtimestamp(micros / 1e6, UTC):%b %d %H:%M:%S} {node} {prefix}"
    whole = prefix + message
    return {
        "text": whole[: text.LINE_CAP],
        "eol": "lf",
        "line_bytes": len(whole.encode("utf-8", "replace")),
        "truncated": len(whole) > text.LINE_CAP,
        "ts_ns": None if micros is None else micros * 1000,
        "since_boot_ns": None if mono is None else mono * 1000,
        "node": node if isinstance(node, str) else None,
        "ident": ident,
        "pid": None if kernel else pid,
        "level": _number(fields.get("PRIORITY")),
        "kernel_seq": None,
    }


def _number(value: object) -> int | None:
    """A whole number that fits a column, from a number or its digits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60 else None


def _json_records(source: Source, context: Context) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """``-o json`` (one object a line), ``json-seq`` and ``json-pretty``."""
    pending = ""
    for frame in text.frames(source.chunks()):
        for line, offset, cut in frame.select("text", "offset", "truncated").iter_rows():
            part = line.lstrip("\x1e")
            if not part.strip():
                continue
            pending = pending + "\n" + part if pending else part
            if not part.rstrip().endswith("}") and len(pending) < _MAX_FIELD:
                continue
            try:
                plain = json.loads(pending)
            except (ValueError, RecursionError):
                if len(pending) < _MAX_FIELD and "\n" in pending and not cut:
                    continue  # an object over several lines, and a brace within it
                context.refuse("lines that are no JSON")
                plain = None
            pending = ""
            if isinstance(plain, dict):
                yield offset, plain


def _dmesg_records(source: Source, context: Context) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """``dmesg --json``."""
    try:
        plain = json.loads(source.read())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: is no whole JSON ({error}).") from error
    for record in plain["dmesg"] if isinstance(plain.get("dmesg"), list) else ():
        if not isinstance(record, dict):
            context.refuse("records that are no objects")
            continue
        seconds, priority = record.get("time"), _number(record.get("pri"))
        known = isinstance(seconds, int | float) and 0 <= seconds < 1e9
        yield (
            None,
            {
                "MESSAGE": record.get("msg"),
                "_TRANSPORT": "kernel",
                "PRIORITY": None if priority is None else priority % 8,
                "__MONOTONIC_TIMESTAMP": round(float(seconds) * 1e6) if known and seconds is not None else None,
            },
        )


def _export_records(source: Source, context: Context) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """``-o export``: fields a line, a blank line between records; binary fields with their length are left out."""
    yield from _blocks(source, lambda line: line if "=" in line else None, lambda line: not line)


def _verbose_records(source: Source, context: Context) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """``-o verbose``: a line with the time and the cursor, then fields, indented."""
    for offset, fields in _blocks(source, _verbose_field, lambda line: bool(_CURSOR.search(line))):
        micros = fields.get("__REALTIME_TIMESTAMP")
        yield offset, fields if micros else {**fields, "__REALTIME_TIMESTAMP": fields.get("t")}


_CURSOR: Final = re.compile(r"^[A-Z][a-z]{2} 20\d\d-\S+ .*\[s=[0-9a-f]+;.*;t=([0-9a-f]{1,15});")


def _verbose_field(line: str) -> str | None:
    if cursor := _CURSOR.search(line):
        return f"t={int(cursor[1], 16)}"
    return line.strip() if line.startswith("    ") and "=" in line else None


def _blocks(
    source: Source, field_of: Callable[[str], str | None], is_border: Callable[[str], bool]
) -> Iterator[tuple[int | None, dict[str, Any]]]:
    fields: dict[str, Any] = {}
    begin: int | None = None
    for frame in text.frames(source.chunks()):
        for line, offset in frame.select("text", "offset").iter_rows():
            if is_border(line):
                if fields:
                    yield begin, fields
                fields, begin = {}, None
            told = field_of(line)
            if told is not None:
                begin = offset if begin is None else begin
                name, _, value = told.partition("=")
                fields[name[:64]] = value[:_MAX_FIELD]
    if fields:
        yield begin, fields


def idents(head: bytes) -> set[str]:
    """Programs that the first lines of a file with hosts, or its first records, name."""
    if records := re.findall(rb'"?SYSLOG_IDENTIFIER"?(?:"?\s*:\s*"|=)([^"\n]{1,128})', head[:65536]):
        return {name.decode("utf-8", "replace") for name in records}
    lines = pl.Series("text", head[:65536].decode("utf-8", "replace").split("\n"))
    return {str(name) for name in lines.str.extract_groups(_HOSTED).struct.field("ident").drop_nulls()}
