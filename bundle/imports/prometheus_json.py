"""Answers of Prometheus' HTTP API, and exports of its kin: any number of them in one file.

``query_range`` (matrix), ``query`` (vector), several answers beside each other, as JSON lines or under names of the
user's, and the lines VictoriaMetrics and its kin export: ``{"metric": {...}, "values": [...], "timestamps": [...]}``.
Whatever stands around them, a series is an object whose first key is ``metric``: so one series after the other is
read from the stream, and memory does not grow with the text of a file.

Format: https://prometheus.io/docs/prometheus/latest/querying/api/ and VictoriaMetrics' ``/api/v1/export``: times are
seconds in the answers, milliseconds in exports.
"""

from __future__ import annotations

import codecs
import functools
import json
import math
import re
from array import array
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import UnsafeInput
from inquest.bundle.imports.metric_table import METRICS
from inquest.bundle.imports.series import MAX_VALUES, TABLES, Gathered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_SERIES: Final = re.compile(r'\{\s{0,256}"metric"\s{0,256}:\s{0,256}\{')
_ANSWER: Final = re.compile(rb'"(?:resultType|values|value)"\s*:')
_NAMED: Final = re.compile(r'"((?:[^"\\]|\\.){1,256})"\s{0,256}:\s{0,256}\{\s{0,256}"(?:status|data|resultType)"')
_SAYS: Final = re.compile(r'"(error|errorType|warnings|infos)"\s*:\s*(\[[^\]]{0,2000}\]|"(?:[^"\\]|\\.){0,2000}")')
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")
_PREFIX: Final = re.compile(r"^dcgm_fi_(?:dev|prof)_")
_MAX_SERIES: Final = 64 << 20
"""Characters of one series: two million values. A longer one was not exported by any of these programs."""
_MAX_LABEL: Final = 4096
_OVERLAP: Final = 1024
_GAP: Final = 1 << 16
_NS_PER_MS: Final = 1_000_000
_LATEST_NS: Final = 1 << 62


@functools.cache
def _metric_in(answer: str) -> str:
    """The one metric that the name of an answer, or of its file, holds; empty where it holds none, or several.

    ``query_range_DCGM_FI_DEV_GPU_UTIL``, and ``node7-gpu_util`` as people shorten it.
    """
    if answer in METRICS:
        return answer
    words = f"_{_NO_WORD.sub('_', answer.lower())}_"
    held = {alias: name for alias, name in _aliases().items() if f"_{alias}_" in words}
    whole = {alias: name for alias, name in held.items() if not any(alias != a and alias in a for a in held)}
    return whole.popitem()[1] if len(whole) == 1 else ""


@functools.cache
def _aliases() -> dict[str, str]:
    """Names of metrics in small letters, those of DCGM also without what they all begin with."""
    found = {name.lower(): name for name in METRICS if "{" not in name}
    for name in METRICS:
        short = _PREFIX.sub("", name.lower())
        if "_" in short:
            found.setdefault(short, name)
    return found


class _PrometheusJson:
    name = "prometheus-json"
    title = "Answer of Prometheus' HTTP API, or an export of series"
    tables = TABLES
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if not head.startswith((b"{", b"[")):
            return False
        if _SERIES.search(head.decode("utf-8", "replace")):
            return _ANSWER.search(head) is not None
        return b'"resultType"' in head and b'"status"' in head

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        gathered = Gathered(context)
        reader = _Reader(source, gathered, context)
        for _ in reader.series():
            if reader.values >= MAX_VALUES:
                context.warn("More values than are joined at once: some rows of one instant stand apart.")
                yield from gathered.rows(last=False)
                gathered.forget()
                reader.values = 0
        yield from gathered.rows()


KIND = _PrometheusJson()


class _Reader:
    """Series after series of one stream of text."""

    def __init__(self, source: Source, gathered: Gathered, context: Context) -> None:
        self.values = 0
        self._source = source
        self._gathered = gathered
        self._context = context
        self._decoder = json.JSONDecoder()
        self._times: array[int] = array("q")
        self._answer = source.name.rpartition("/")[2].partition(".")[0]

    def series(self) -> Iterator[None]:
        """Take one series after the other.

        Raises:
            UnsafeInput: One series is longer than any program exports, or nested deeply.
        """
        text, at_end = "", False
        chunks = self._text()
        while not at_end:
            wanted = max(1, len(text))  # doubling what is held keeps the repeated attempts linear
            more: list[str] = []
            while sum(map(len, more)) < wanted:
                part = next(chunks, None)
                if part is None:
                    at_end = True
                    break
                more.append(part)
            text += "".join(more)
            at = 0
            while begin := _SERIES.search(text, at):
                self._between(text[at : begin.start()])
                at = begin.start()
                try:
                    one, end = self._decoder.raw_decode(text, at)
                except RecursionError:
                    raise UnsafeInput(f"{self._source.name}: JSON nested too deeply to be a metric's series.") from None
                except ValueError:
                    after = _SERIES.search(text, begin.end())
                    if after is None and not at_end:
                        break
                    end = after.start() if after else len(text)
                    one = self._cut_off(text[at:end])
                self._take(one)
                at = end
                yield
            else:
                rest = text[at:]
                self._between(rest)
                at = len(text) - min(len(rest), _OVERLAP)
            text = text[at:]
            if len(text) > _MAX_SERIES:
                raise UnsafeInput(f"{self._source.name}: one series is longer than {_MAX_SERIES >> 20} MiB.")

    def _text(self) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for chunk in self._source.chunks():
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)

    def _between(self, text: str) -> None:
        """What stands around series: names of answers, and what the server said of them."""
        text = text[-_GAP:]
        for named in _NAMED.finditer(text):
            if named[1] != "data":
                self._answer = named[1]
        for said in _SAYS.finditer(text):
            if said[2] != "[]":
                self._context.warn(f"Prometheus says {said[1]}: {said[2][:300]}.")

    def _cut_off(self, text: str) -> Any:  # noqa: ANN401  JSON is what it is
        """What can be read of a series that ends in its middle."""
        self._context.warn("A series ends in its middle; what stands before that is read.")
        whole = text[: text.rfind("]") + 1]
        for end in ("]}", "}", "]]}"):
            try:
                return json.loads(whole + end)
            except (ValueError, RecursionError):
                continue
        return None

    def _take(self, one: Any) -> None:  # noqa: ANN401  JSON is what it is
        labels = one.get("metric") if isinstance(one, dict) else None
        if not isinstance(labels, dict):
            self._context.refuse("series that cannot be read")
            return
        told = {name: value for name, value in labels.items() if isinstance(value, str) and len(value) <= _MAX_LABEL}
        name = told.get("__name__") or _metric_in(self._answer)
        if not name:
            self._context.refuse("series without the name of a metric, as functions of a query give them")
            return
        found = self._gathered.series(name, told)
        if found is not None:
            found.times, found.values = self._points(one)
            self.values += len(found.values)

    def _points(self, one: dict[str, Any]) -> tuple[array[int], array[float]]:
        """Times in nanoseconds and values of a series; what is neither is counted and left out."""
        values = [one["value"]] if "value" in one else one.get("values")
        stamps = one.get("timestamps")
        if not isinstance(values, list):
            return array("q"), array("d")
        pairs, per_second = values, 1000
        if isinstance(stamps, list):
            pairs, per_second = list(zip(stamps, values, strict=False)), 1
            if len(stamps) != len(values):
                self._context.refuse("values without a time", abs(len(values) - len(stamps)))
        try:
            times = array("q", [round(at * per_second) * _NS_PER_MS for at, _ in pairs])
            numbers = array("d", [float(value) for _, value in pairs])
            if times and (min(times) < 0 or max(times) >= _LATEST_NS):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            times, numbers = self._points_one_by_one(pairs, per_second)
        if times == self._times:  # range queries and scrapes share their times: one copy does for all
            return self._times, numbers
        self._times = times
        return times, numbers

    def _points_one_by_one(self, pairs: list[Any], per_second: int) -> tuple[array[int], array[float]]:
        times, numbers = array("q"), array("d")
        for pair in pairs:
            try:
                at, value = pair
                time = round(at * per_second) * _NS_PER_MS
                number = math.nan if value is None else float(value)
                if not 0 <= time < _LATEST_NS:
                    raise ValueError
            except (TypeError, ValueError, OverflowError):
                self._context.refuse("values that are not a time and a number")
                continue
            times.append(time)
            numbers.append(number)
        return times, numbers
