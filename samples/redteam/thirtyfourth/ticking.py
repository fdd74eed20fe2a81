"""A clock for the simulated curves: it starts where a case says and moves only when told to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class Clock:
    """A time of day that is moved by hand."""

    def __init__(self, start: str) -> None:
        self.now = datetime.fromisoformat(start).replace(tzinfo=UTC)

    def tick(self, seconds: float) -> Clock:
        self.now += timedelta(seconds=seconds)
        return self

    def form(self, pattern: str) -> str:
        return self.now.strftime(pattern)

    def milli(self, sign: str = ",") -> str:
        return self.now.strftime("%Y-%m-%d %H:%M:%S") + f"{sign}{self.now.microsecond // 1000:03d}"

    def micro(self) -> str:
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.%f")
