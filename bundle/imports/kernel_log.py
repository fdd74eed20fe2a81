"""Messages of the kernel, in every form that ``dmesg``, ``journalctl -k``, syslog and ``/dev/kmsg`` print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports import syslog

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_MOSTLY: Final = 0.7


def rows_of(lines: pl.DataFrame) -> pl.DataFrame:
    """Rows of ``kernel_log`` from lines of `syslog.frames`."""
    return lines.select("node", "ts_ns", "level", "kernel_seq", "text")


def warn_of_times(lines: pl.DataFrame, context: Context) -> None:
    """Say that lines have no time, and what would give them one."""
    if lines["ts_ns"].null_count():
        since_boot = lines["since_boot_ns"].null_count() < lines.height
        context.warn(
            "Its times count from the start of the node, and no file tells when that was: they stay unknown; "
            "dmesg -T, journalctl -k or 'scontrol show node' beside it would tell."
            if since_boot
            else "Some lines tell no full date: their times stay unknown; a file with the year beside it would tell."
        )


class _KernelLog:
    name = "kernel_log"
    title = "Kernel log (dmesg, journalctl -k, syslog)"
    tables = ("kernel_log",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        look = syslog.look(source.head)
        return look is not None and look.kernel > _MOSTLY

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        for lines in syslog.frames(source, context):
            warn_of_times(lines, context)
            mine = lines["ident"] == "kernel"
            others = lines.height - int(mine.sum())
            if others:
                context.refuse("lines of other programs than the kernel", others)
            if mine.any():
                yield "kernel_log", rows_of(lines.filter(mine))


KIND = _KernelLog()
