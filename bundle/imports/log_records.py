"""Lines of programs in the JSON that collectors of logs put around each, with who wrote it, where and when.

Shapes read: docker's json-file driver, records of fluent-bit, fluentd, vector and Elasticsearch, Loki (``logcli -o
jsonl``, the answer of its API and what Grafana saves), Google's, Amazon's, Datadog's and Splunk's exports, and Azure's
container tables; a record a line, an array, or an object with the array in it; and the CSV that web pages of collectors
save, a column of which is the time and one the line. A program that logs JSON of its own is none of these: its lines
stay as they are.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports import json_stream, text
from inquest.bundle.imports._values import cells, nanoseconds, number, real, utf8
from inquest.bundle.imports.files import looks_like_a_log
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.log import HELD, clock_of, ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.source import Source

_MESSAGE: Final = ("log", "line", "textPayload", "LogEntry", "LogMessage", "message", "short_message", "_raw")
"""Keys of a record under which the program's own text stands."""
_SIGNS: Final = frozenset(
    (
        *("stream", "labels", "kubernetes", "resource", "logName", "ingestionTime", "logStreamName", "source_type"),
        *("ContainerName", "PodName", "docker", "ContainerID", "container_id", "container", "agent"),
        *("facility", "syslog-tag", "syslogtag", "short_message"),
    )
)
"""Keys of a record that collectors write and programs do not."""
_TIME: Final = ("time", "timestamp", "@timestamp", "date", "TimeGenerated", "receiveTimestamp", "_time")
_ARRAYS: Final = frozenset(("events", "entries", "hits", "logs", "data", "result"))
"""Members of an object in which records may lie."""
_HEAD: Final = re.compile(
    rb'"(?:log|line|textPayload|LogEntry|LogMessage|message|short_message|stringValue|_raw)"\s*:\s*["\[{]'
)
_INNER: Final = (("_source", None), ("result", "_raw"), ("attributes", "timestamp"))
"""Members in which Elasticsearch, Splunk and Datadog keep the record itself, and what tells it from others."""
_COLUMNS: Final = {
    "message": ("message", "line", "log", "raw", "logmessage", "logentry", "textpayload", "msg", "content"),
    "timestamp": ("timestamp", "time", "date", "timegenerated", "datetime"),
    "host": ("host", "hostname", "node", "computer", "kubernetes.node.name", "kubernetes.node_name"),
    "pod": ("logstream", "logstreamname", "podname", "pod", "kubernetes.pod.name", "kubernetes.pod_name"),
}
"""What columns of a table are called, small letters, without signs before them."""
_WORDED: Final = ("%b %d, %Y @ %H:%M:%S.%f", "%m/%d/%Y, %I:%M:%S.%f %p", "%m/%d/%Y, %I:%M:%S %p")
"""How pages write a time: Kibana's, Azure's."""
_STREAMS: Final = re.compile(rb'"resultType"\s*:\s*"streams"')
"""Loki's answer, of which one stream may be longer than what is looked at."""
_BATCH: Final = 8192
_LINES_ASKED: Final = 256
_SECONDS: Final = (1e11, 1e14, 1e17)
"""Numbers below these are seconds, milliseconds, microseconds of epoch; above them nanoseconds."""
_SCHEMA: Final = {
    "text": pl.String(),
    "offset": pl.Int64(),
    "eol": pl.String(),
    "line_bytes": pl.Int64(),
    "truncated": pl.Boolean(),
    "stamp": pl.String(),
    "epoch_ns": pl.Int64(),
    "node": pl.String(),
    "source": pl.String(),
    "record": pl.Int64(),
}


class _LogRecords:
    name = "log_records"
    title = "Log lines as JSON records (docker, fluent-bit, Loki, clouds)"
    tables = ("log_lines",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head[:65536]
        if (columns := _columns(head)) is not None:
            cut = head[: head.rfind(b"\n") + 1] if len(source.head) > len(head) else head
            rows = _of_rows(cut.decode("utf-8", "replace").splitlines(), columns, Context())
            return looks_like_a_log(str(row["message"]).encode() for row in itertools.islice(rows, _LINES_ASKED))
        return _STREAMS.search(head) is not None or (
            _HEAD.search(head) is not None and next(_told(source), None) is not None
        )

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        clock = clock_of(source, context)
        newest_first = _newest_first(source)
        held: list[pl.DataFrame] = []
        for rows in _frames(source, context):
            times = pl.coalesce(pl.lit(clock.ts_ns(rows["stamp"])), pl.col("epoch_ns"))
            frame = rows.with_columns(*ranks(rows["text"], source), ts_ns=times, stream=pl.lit("file"))
            frame = frame.drop("stamp", "epoch_ns")
            if not newest_first:
                yield "log_lines", frame.drop("record")
                continue
            held.append(frame)
            if sum(part.estimated_size() for part in held) > HELD:
                context.warn(f"{source.name}: too long to be put in order whole; ask for the oldest first.")
                yield "log_lines", _oldest_first(held)
                held = []
        if held:
            yield "log_lines", _oldest_first(held)


KIND = _LogRecords()


def _oldest_first(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Records of one time were listed from the last one, too; lines of one record keep their order."""
    whole = pl.concat(frames).sort("ts_ns", "record", descending=[False, True], maintain_order=True, nulls_last=True)
    return whole.drop("record")


def _frames(source: Source, context: Context) -> Iterator[pl.DataFrame]:
    waiting: list[dict[str, Any]] = []
    for place, (offset, record) in enumerate(_records(source, context)):
        waiting.extend({**row, "record": place} for row in _rows(offset, record, source.name))
        if len(waiting) >= _BATCH:
            yield pl.DataFrame(waiting, schema=_SCHEMA)
            waiting = []
    if waiting:
        yield pl.DataFrame(waiting, schema=_SCHEMA)


def _records(source: Source, context: Context) -> Iterator[tuple[int | None, object]]:
    """Records with the place where each begins, where that is known; text that is no JSON as it is."""
    if (columns := _columns(source.head[:65536])) is not None:
        yield from ((None, row) for row in _of_rows(source.lines(), columns, context))
        return
    if not _is_lines(source.head):
        yield from ((None, record) for record in json_stream.values(source, _ARRAYS, context))
        return
    for frame in text.frames(source.chunks()):
        for line, offset in frame.select("text", "offset").iter_rows():
            if not line.startswith("{"):
                yield offset, line
                continue
            try:
                yield offset, json.loads(line)
            except (ValueError, RecursionError):
                yield offset, line


def _rows(offset: int | None, record: object, name: str) -> Iterator[dict[str, Any]]:
    """Lines of one record; those of a line that is no record stay as they are."""
    if isinstance(record, str):
        told: tuple[str, object, str | None, str | None] | None = record, None, None, None
    else:
        told = _line(record)
    if told is None:
        answers = list(_streams(record))
        for answer in answers:
            yield from _rows(offset, answer, name)
        if not answers and record:
            yield from _rows(offset, json.dumps(record, ensure_ascii=False), name)
        return
    message, time, node, pod = told
    stamp = utf8(time) if isinstance(time, str) and not time.isdigit() else None
    for part in utf8(message).rstrip("\r\n").split("\n"):
        kept = part.removesuffix("\r")
        size = len(kept.encode())
        yield {
            "text": kept[: text.LINE_CAP],
            "offset": offset,
            "eol": "lf",
            "line_bytes": size,
            "truncated": len(kept) > text.LINE_CAP,
            "stamp": stamp,
            "epoch_ns": None if stamp else _epoch(time),
            "node": node,
            "source": f"{name}#{pod}" if pod else name,
        }


def _line(record: object) -> tuple[str, object, str | None, str | None] | None:
    """Text, time, node and pod of a record; None for what no collector wrote."""
    if not isinstance(record, dict):
        return None
    for key, member in _INNER:
        inner = record.get(key)
        if isinstance(inner, dict) and (member is None or member in inner):
            record = {"_source": None, "agent": None, **inner}
            break
    payload = record.get("jsonPayload")
    texts = [record.get(key) for key in _MESSAGE]
    if isinstance(payload, dict) and "logName" in record:
        texts.append(payload.get("message"))
    message = next((value for value in texts if isinstance(value, str)), None)
    time = next((record[key] for key in _TIME if isinstance(record.get(key), str | int | float)), None)
    if message is None or time is None or not (_SIGNS & record.keys() or {"line", "fields"} <= record.keys()):
        return None
    about = [
        value
        for value in (record.get(key) for key in ("kubernetes", "labels", "stream", "fields"))
        if isinstance(value, dict)
    ]
    resource = record.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("labels"), dict):
        about.append(resource["labels"])
    about.append(record)
    node = _first(
        about, ("host", "node_name", "nodename", "node", "hostname", "compute.googleapis.com/resource_name", "Computer")
    )
    pod = _first(about, ("pod_name", "pod", "PodName", "logStreamName", "container_name", "ContainerName"))
    return message, time, node, pod


def _first(about: Iterable[dict[str, Any]], keys: tuple[str, ...]) -> str | None:
    found = (value for key in keys for labels in about if isinstance(value := labels.get(key), str) and value)
    return next((utf8(value[:253]) for value in found), None)


def _streams(record: object) -> Iterator[dict[str, Any]]:
    """Lines of Loki's answer: ``{"stream": labels, "values": [[nanoseconds, line], ...]}``, or of OpenTelemetry's."""
    if isinstance(record, dict) and "resourceLogs" in record:
        yield from _of_open_telemetry(record)
    if not isinstance(record, dict) or not isinstance(record.get("stream"), dict):
        return
    values = record.get("values")
    for pair in values if isinstance(values, list) else ():
        if isinstance(pair, list) and len(pair) >= 2 and isinstance(pair[1], str):
            yield {"labels": record["stream"], "timestamp": pair[0], "line": pair[1]}


def _of_open_telemetry(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Lines of a batch, with the attributes of what sent it: those of its host and its pod are as labels are."""
    for batch in _dicts(record, "resourceLogs"):
        told = batch.get("resource")
        attributes = _dicts(told, "attributes") if isinstance(told, dict) else []
        labels = {
            _LABEL_OF.get(str(one.get("key")), ""): one["value"].get("stringValue")
            for one in attributes
            if isinstance(one.get("value"), dict)
        }
        for each in (line for scope in _dicts(batch, "scopeLogs") for line in _dicts(scope, "logRecords")):
            body = each.get("body")
            if isinstance(body, dict):
                time = each.get("timeUnixNano") or each.get("observedTimeUnixNano")
                yield {"labels": labels, "timestamp": time, "line": body.get("stringValue")}


_LABEL_OF: Final = {"host.name": "host", "k8s.node.name": "node", "k8s.pod.name": "pod"}


def _dicts(value: dict[str, Any], key: str) -> list[dict[str, Any]]:
    held = value.get(key)
    return [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []


def _epoch(time: object) -> int | None:
    """UTC nanoseconds of a number, whose unit its size tells."""
    value = number(time) if isinstance(time, str) else real(time)
    if value is None or not 1e9 <= value < 4e18:
        return None
    unit = 10 ** (9 - 3 * sum(value >= bound for bound in _SECONDS))
    if nanoseconds(value * unit / 1e9) is None:
        return None
    return int(time) * unit if isinstance(time, str | int) and str(time).isdecimal() else int(value * unit)


# --- tables ----------------------------------------------------------------------------------------------------------


def _columns(head: bytes) -> tuple[str, dict[str, int]] | None:
    """What parts the cells of a table of log lines, and the places of its columns; None for what is none."""
    first = head.split(b"\n", 1)[0][:4096].decode("utf-8", "replace").strip("\ufeff\r ")
    sign = max(",;\t", key=first.count)
    if sign not in first or first[:1] in ("{", "["):
        return None
    header = next(cells([first], sign, lambda _: None), [])
    names = [re.sub(r" ?\[\w+\]$", "", name).strip(" @_").lower() for name in header]
    found = {
        column: names.index(name) for column, known in _COLUMNS.items() for name in reversed(known) if name in names
    }
    return (sign, found) if {"message", "timestamp"} <= found.keys() else None


def _of_rows(
    lines: Iterable[str], columns: tuple[str, dict[str, int]], context: Context
) -> Iterator[dict[str, str | None]]:
    """Rows of a table below its first line, as records; a cell may hold many lines."""
    sign, places = columns
    begun = False
    for row in cells((f"{line.removesuffix(chr(13))}\n" for line in lines), sign, context.refuse):
        if begun and len(row) > max(places["message"], places["timestamp"]):
            told = {column: row[at] for column, at in places.items() if at < len(row)}
            yield {"container": None, **told, "timestamp": _plain(told["timestamp"])}
        begun = True


def _plain(stamp: str) -> str:
    """A time as clocks of lines are read."""
    if stamp[:1].isdigit() and "/" not in stamp:
        return stamp
    for form in _WORDED:
        with contextlib.suppress(ValueError):
            return f"{datetime.strptime(stamp, form):%Y-%m-%dT%H:%M:%S.%f}"  # noqa: DTZ007 (its zone is not told)
    return stamp


# --- their order -----------------------------------------------------------------------------------------------------


def _is_lines(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0].strip()
    if not first.startswith(b"{"):
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return _line(value) is not None or next(_streams(value), None) is not None


def _of_head(source: Source) -> Iterator[object]:
    """Records that lie whole in the first bytes of a file."""
    head = source.head
    if (columns := _columns(head)) is not None:
        yield from _of_rows(head.decode("utf-8", "replace").splitlines(), columns, Context())
        return
    if not _is_lines(head):
        yield from json_stream.first_values(source.name, head, _ARRAYS)
        return
    for line in head.split(b"\n")[:_LINES_ASKED]:
        with contextlib.suppress(ValueError, RecursionError):
            yield json.loads(line)


def _told(source: Source) -> Iterator[tuple[str, object, str | None, str | None]]:
    for record in _of_head(source):
        for one in (record, *_streams(record)):
            if (told := _line(one)) is not None:
                yield told


def _newest_first(source: Source) -> bool:
    """Whether times fall from record to record, as ``gcloud logging read`` and ``logcli`` answer."""
    times = [str(time) for _, time, _, _ in itertools.islice(_told(source), _LINES_ASKED)]
    return len(times) > 1 and times[0] > times[-1]
