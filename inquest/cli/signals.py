"""`inquest signals`: everything a recording can measure, and how much of it a bundle holds."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from inquest.bundle.signals import Counted, Signal


def command(
    bundle: Annotated[
        Path | None,
        typer.Argument(metavar="[JOB.inquest]", help="Count the series this bundle holds.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List every signal that can be recorded, with its unit, source and meaning; of a bundle, count its series.

    A series is one signal of one thing (a GPU, an interface, a process) of one node with two samples or more. The
    second count takes parts apart: cores, links, directions of copies. Series that were recorded against a stub of the
    GPU's libraries, as tests do, are counted as such.

    Example: inquest signals job.inquest
    """
    from inquest.bundle.signals import catalogue, count

    if bundle is None:
        listed = [_of(signal) for signal in catalogue()]
        if as_json:
            typer.echo(json.dumps(listed, indent=2))
        else:
            _list(catalogue())
        return
    from inquest.bundle.store import BundleStore
    from inquest.cli._progress import working

    with working("counting"):
        counted = count(BundleStore(bundle))
    if as_json:
        rows = [
            {
                **_of(one.signal),
                "series": one.series,
                "expanded": one.expanded,
                "stub": one.stub,
                "samples": one.samples,
            }
            for one in counted
        ]
        totals = {name: sum(row[name] for row in rows) for name in ("series", "expanded", "stub", "samples")}
        typer.echo(json.dumps({"signals": rows, **totals}, indent=2))
    else:
        _count(counted)


def _of(signal: Signal) -> dict[str, Any]:
    return {
        "table": signal.table,
        "collectors": _collectors(signal.table),
        "signal": signal.column,
        "unit": signal.unit,
        "source": signal.source,
        "meaning": signal.meaning,
    }


def _collectors(table: str) -> list[str]:
    from inquest.capture.collectors import COLLECTORS

    return [kind.name for kind in COLLECTORS if table in kind.tables] or ["import"]


def _list(signals: Sequence[Signal]) -> None:
    grid = _grid(("signal", "unit", "source", "meaning"))
    table = ""
    for signal in signals:
        if signal.table != table:
            table = signal.table
            grid.add_row(f"[bold]{table}[/bold]", "", "", f"[dim]{', '.join(_collectors(table))}[/dim]")
        grid.add_row(f"  {signal.column}", signal.unit, signal.source, signal.meaning)
    _console().print(grid)
    typer.echo(f"{len(signals)} signals")


def _count(counted: Sequence[Counted]) -> None:
    grid = _grid(("collector", "table", "signals", "series", "with parts", "of a stub", "samples"), right_from=2)
    totals = [0] * 5
    for table in dict.fromkeys(one.signal.table for one in counted):
        own = [one for one in counted if one.signal.table == table]
        sums = [
            len(own),
            *(sum(getattr(one, name) for one in own) for name in ("series", "expanded", "stub", "samples")),
        ]
        totals = [total + value for total, value in zip(totals, sums, strict=True)]
        grid.add_row(", ".join(_collectors(table)), table, *(f"{value:,}" for value in sums))
    grid.add_section()
    grid.add_row("[bold]in all[/bold]", "", *(f"[bold]{value:,}[/bold]" for value in totals))
    _console().print(grid)


def _grid(names: Sequence[str], right_from: int | None = None) -> Table:
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE, pad_edge=False)
    for number, name in enumerate(names):
        right = right_from is not None and number >= right_from
        grid.add_column(name, justify="right" if right else "left", overflow="fold")
    return grid


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 10_000  # a pipe has no width: nothing is cut for the sake of one
    return console
