"""Journals and syslog files: lines of daemons, with the node that each line names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports import syslog
from inquest.bundle.imports.collected import before_lines, newest_first
from inquest.bundle.imports.kernel_log import rows_of, warn_of_times
from inquest.bundle.imports.log import oldest_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_FEW: Final = 3
"""A file with no more programs than these was asked for by name: all of it is taken."""


class _Journal:
    name = "journal"
    title = "Journal or syslog of daemons"
    tables = ("log_lines", "kernel_log")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        look = syslog.look(source.head)
        return look is not None and look.form != "bare"

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        look = syslog.look(source.head)
        programs = syslog.idents(source.head)
        chosen = look is not None and look.form != "bare" and 0 < len(programs) <= _FEW
        daemon = any(re.match(syslog.OF_THE_JOB, program) for program in programs)
        before = before_lines(source.head) if chosen and not daemon else None
        frames = syslog.frames(source, context)
        for lines in oldest_first(frames, source.name, context) if newest_first(source.head) else frames:
            warn_of_times(lines, context)
            kernel = lines["ident"] == "kernel"
            if kernel.any():
                yield "kernel_log", rows_of(lines.filter(kernel))
            others = lines.filter(~kernel)
            if not chosen:
                wanted = others.filter(pl.col("ident").str.contains(syslog.OF_THE_JOB))
                if wanted.height < others.height:
                    context.refuse(
                        "lines of programs that tell nothing of jobs (sshd, cron, ...)", others.height - wanted.height
                    )
                others = wanted
            if others.height:
                rows = others.select(
                    "node", "ts_ns", "pid", "text", "offset", "eol", "line_bytes", "truncated", stream=pl.lit("file")
                )
                yield "log_lines", rows if before is None else rows.with_columns(pl.col("text").str.replace(before, ""))


KIND = _Journal()
