"""Charts as static SVG: what to draw is data, how it is drawn stands here only.

Colours are CSS classes (``tone-1`` ...), so that light, dark and print are one place in the style sheet; every tone has
its own dash as well, so that nothing is told by colour alone. No script, no font, no link.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from markupsafe import Markup

from inquest.render.wording import clock, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Point = tuple[float, float]

WIDTH: Final = 480
HEIGHT: Final = 216
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 10, 34
_LOG_FROM: Final = 200.0
"""A positive series whose highest reading exceeds the lowest by this factor is drawn on a logarithmic axis."""

_LEAST: Final = 1e-100  # below it a logarithmic axis would have its origin at zero


@dataclass(frozen=True, slots=True)
class Line:
    """One line, in runs: a gap in the readings is a gap in the line. ``tone`` 1..6 picks colour and dash."""

    name: str
    runs: tuple[tuple[Point, ...], ...]
    tone: int = 1
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """The stretch between two order statistics, as (x, low, high)."""

    name: str
    points: tuple[tuple[float, float, float], ...]
    tone: int = 1


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line that readings are compared with: a limit, a capacity."""

    y: float
    name: str


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart. ``scale`` divides readings before they are drawn in ``unit``; ``x_is`` says what runs along it.

    With ``x_is`` "time", x is nanoseconds since 1970 and ``mark`` the instant the verdict names; with "step", x is the
    step the job reported.
    """

    title: str
    unit: str
    x_is: Literal["step", "time"]
    lines: tuple[Line, ...]
    bands: tuple[Band, ...] = ()
    levels: tuple[Level, ...] = ()
    mark: float | None = None
    note: str = ""
    scale: float = 1.0
    from_zero: bool = False

    def describe(self) -> str:
        """The chart in one sentence, for who cannot see it."""
        parts = []
        for line in self.lines:
            points = [point for run in line.runs for point in run]
            if points and not line.faint:
                low, high = min(y for _, y in points), max(y for _, y in points)
                first, last = points[0][1], points[-1][1]
                values = (number(_tidy(v / self.scale)) for v in (first, last, low, high))
                parts.append("{}: first {}, last {}, lowest {}, highest {}".format(line.name, *values))
        unit = f", in {self.unit}" if self.unit else ""
        return f"{self.title}{unit}, by {self.x_is}. {'; '.join(parts)}."


def _tidy(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


_LEAST_WIDTH: Final = 1e-300


def nice_ticks(low: float, high: float, about: int) -> list[float]:
    """Round values (1, 2 or 5 times a power of ten) that cover ``low`` to ``high`` from within."""
    width = (high - low) / max(about, 1)
    if not _LEAST_WIDTH < width < math.inf:  # too close or too far apart for floats
        return [low]
    step = _nice_step(width)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def _nice_step(raw: float) -> float:
    power = 10.0 ** math.floor(math.log10(raw))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw * 0.999999)


_TIME_STEPS: Final = tuple(
    s * 10**9 for s in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
)


def time_ticks(low: int, high: int, about: int) -> list[int]:
    """Round times of day between two instants (ns)."""
    raw = max(-(-(high - low) // max(about, 1)), 1)
    step = next((s for s in _TIME_STEPS if s >= raw), -(-raw // _TIME_STEPS[-1]) * _TIME_STEPS[-1])
    if raw < _TIME_STEPS[0]:
        step = max(1, round(_nice_step(raw)))
    return list(range(-(-low // step) * step, high + 1, step))


def time_label(ts_ns: int, span_ns: int) -> str:
    """A tick of a time axis: as many digits as the span needs."""
    if span_ns < 5 * 10**9:
        return clock(ts_ns, 1 if span_ns > 10**9 else 3 if span_ns > 2 * 10**7 else 6)
    return clock(ts_ns, 0) if span_ns < 3 * 3600 * 10**9 else clock(ts_ns, 0)[:5]


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    start: float
    length: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a reading lies on the picture."""
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            # Great numbers that differ by less than floats can tell have no width between them.
            share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * self.length, 1)


def svg(chart: Chart, ident: str) -> Markup:
    """Draw a chart. ``ident`` makes the ids of title and description unique in the page."""
    points = [point for line in chart.lines for run in line.runs for point in run]
    xs = [x for x, _ in points]
    ys = [y / chart.scale for _, y in points] + [level.y / chart.scale for level in chart.levels]
    ys += [edge / chart.scale for band in chart.bands for _, *edges in band.points for edge in edges]
    x_axis = _x_axis(min(xs), max(xs))
    y_axis, y_ticks = _y_axis(ys, from_zero=chart.from_zero)

    def scaled(reading: float) -> float:
        return y_axis(reading / chart.scale)

    out = [_open(WIDTH, HEIGHT, ident, chart.title, chart.describe())]
    labels = _tick_labels(y_ticks)
    for tick, label in zip(y_ticks, labels, strict=True):
        y = y_axis(tick)
        out.append(f'<path class="grid" d="M{_LEFT} {y}H{WIDTH - _RIGHT}"/>')
        out.append(f'<text class="tick end" x="{_LEFT - 6}" y="{y + 3.5:g}">{label}</text>')
    out += _x_ticks(chart, x_axis)
    if chart.mark is not None and x_axis.low <= chart.mark <= x_axis.high:
        x = x_axis(chart.mark)
        out.append(f'<path class="mark" d="M{x} {_TOP}V{HEIGHT - _BOTTOM}"><title>first failure</title></path>')
    for band in chart.bands:
        upper = _path((x_axis(x), scaled(high)) for x, _, high in band.points)
        lower = _path((x_axis(x), scaled(low)) for x, low, _ in reversed(band.points))
        out.append(f'<path class="band tone-{band.tone}" d="{upper}L{lower[1:]}Z"/>')
    for level in chart.levels:
        y = scaled(level.y)
        out.append(f'<path class="level" d="M{_LEFT} {y}H{WIDTH - _RIGHT}"/>')
        above = y - 4 if y > _TOP + 14 else y + 12
        out.append(f'<text class="tick" x="{_LEFT + 4}" y="{above:g}">{_esc(level.name)}</text>')
    for line in chart.lines:
        kind = "line faint" if line.faint else "line"
        drawn = "".join(_path((x_axis(x), scaled(y)) for x, y in run) for run in line.runs if len(run) > 1)
        dots = "".join(f"M{x_axis(run[0][0])} {scaled(run[0][1])}h.01" for run in line.runs if len(run) == 1)
        if drawn:
            out.append(f'<path class="{kind} tone-{line.tone}" d="{drawn}"/>')
        if dots:
            out.append(f'<path class="dot tone-{line.tone}" d="{dots}"/>')
    out.append("</svg>")
    return Markup("".join(out))


def _open(width: int, height: int, ident: str, title: str, description: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-labelledby="{ident}-t {ident}-d">'
        f'<title id="{ident}-t">{_esc(title)}</title><desc id="{ident}-d">{_esc(description)}</desc>'
    )


def _esc(text: str) -> Markup:
    return Markup.escape(one_line(text, 400))


def _path(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points)


def _x_axis(low: float, high: float) -> _Axis:
    if high <= low:
        low, high = low - 0.5, high + 0.5
    return _Axis(low, high, _LEFT, WIDTH - _LEFT - _RIGHT)


def _y_axis(values: Sequence[float], *, from_zero: bool) -> tuple[_Axis, list[float]]:
    low, high = min(values), max(values)
    start, length = HEIGHT - _BOTTOM, -(HEIGHT - _BOTTOM - _TOP)
    if low > _LEAST and high / low > _LOG_FROM and not from_zero:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        every = max(1, -(-(last - first) // 5))
        return _Axis(10.0**first, 10.0**last, start, length, log=True), [10.0**p for p in range(first, last + 1, every)]
    if from_zero:
        low = min(low, 0.0)
    if high <= low:
        pad = abs(high) * 0.1 or 1.0
        low, high = (low if from_zero and low >= 0 else low - pad), high + pad
    step = _nice_step((high - low) / 4)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return _Axis(low, high, start, length), nice_ticks(low, high, round((high - low) / step))


def _tick_labels(ticks: Sequence[float]) -> list[str]:
    """Labels with one number of decimals for all, in powers of ten where that would be long."""
    largest = max(abs(t) for t in ticks)
    if largest and (largest >= 1e6 or largest < 1e-3 or min(abs(t) for t in ticks if t) < 1e-4):
        return [f"{t:.3g}".replace("e-0", "e-").replace("e+0", "e") if t else "0" for t in ticks]
    if len(ticks) > 2 and ticks[0] > 0 and ticks[1] / ticks[0] > 5:
        return [f"{t:,.10g}" for t in ticks]
    gap = min((b - a for a, b in itertools.pairwise(ticks)), default=1.0)
    decimals = max(0, -math.floor(math.log10(gap) + 1e-9))
    return [f"{t:,.{decimals}f}" for t in ticks]


def _x_ticks(chart: Chart, axis: _Axis) -> list[str]:
    if chart.x_is == "time":
        low, high = math.ceil(axis.low), math.floor(axis.high)
        pairs = [(float(t), time_label(t, high - low)) for t in time_ticks(low, high, 5)]
    else:
        ticks = [t for t in nice_ticks(axis.low, axis.high, 5) if t == int(t)]
        pairs = [(t, f"{int(t):,}") for t in ticks]
    base = HEIGHT - _BOTTOM
    out = [f'<path class="axis" d="M{_LEFT} {base}H{WIDTH - _RIGHT}"/>']
    for value, label in pairs:
        x = axis(value)
        anchor = " end" if x > WIDTH - 34 else ""
        out.append(f'<path class="axis" d="M{x} {base}v4"/>')
        out.append(f'<text class="tick mid{anchor}" x="{min(x, WIDTH - 2):g}" y="{base + 16}">{label}</text>')
    name = "UTC" if chart.x_is == "time" else "step"
    out.append(f'<text class="tick end" x="{WIDTH - _RIGHT}" y="{HEIGHT - 5}">{name}</text>')
    return out
