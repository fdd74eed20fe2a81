"""`inquest info`: what a bundle holds, on one screen."""

from __future__ import annotations

import datetime
import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from inquest.bundle.unredacted import UNMASKED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from inquest.bundle.store import BundleStore

_GAPS_SHOWN: Final = 12
_KINDS_SHOWN: Final = 3


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle to look into.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Nodes, ranks, time span, tables, kinds of log lines, gaps, clocks and redactions of a bundle.

    Example: inquest info job.inquest
    """
    from inquest.bundle.store import BundleStore
    from inquest.cli._progress import working

    with working("reading"):
        facts = _facts(bundle, BundleStore(bundle))
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
    else:
        _print(facts)


def _facts(bundle: Path, store: BundleStore) -> dict[str, Any]:
    info, manifest = store.info, store.info.manifest
    tables: dict[str, dict[str, int]] = {}
    for member in manifest["members"]:
        entry = tables.setdefault(member["table"], {"rows": 0, "bytes": 0, "members": 0})
        entry["rows"] += member["rows"]
        entry["bytes"] += member["size"]
        entry["members"] += 1
    return {
        "bundle": str(bundle),
        "bytes": bundle.stat().st_size,
        "format_version": manifest["version"],
        "content_digest": info.content_digest,
        "job_id": info.job_id,
        "simulated": info.simulated,
        "start_ns": info.start_ns,
        "end_ns": info.end_ns,
        "nodes": [
            {
                "node": node["node"],
                "recordings": len(node["captures"]),
                "start_ns": node["start_ns"],
                "end_ns": node["end_ns"],
                "clock_bound_ns": info.offline_bound_ns[node["node"]],
            }
            for node in manifest["nodes"]
        ],
        "missing_nodes": list(info.missing_nodes),
        "ranks": list(manifest["ranks"]),
        "world_size": manifest["world_size"],
        "missing_ranks": list(info.missing_ranks),
        "tables": tables,
        "collectors": _collectors(store),
        "log_lines": _kinds_of_lines(store),
        "redactions": [dict(redaction) for redaction in manifest["redactions"]],
        "unmasked": any(redaction["rule"] == UNMASKED for redaction in manifest["redactions"]),
        "provenance": manifest["provenance"],
    }


def _collectors(store: BundleStore) -> list[dict[str, Any]]:
    """For every collector and outcome: on how many nodes, what was lost, and one reason."""
    import polars as pl

    rows: pl.DataFrame = (
        store.scan("collection")
        .group_by("collector", "outcome")
        .agg(
            pl.col("node").n_unique().alias("nodes"),
            pl.col("drops").sum(),
            pl.col("detail").drop_nulls().min(),
        )
        .sort("collector", "outcome")
        .collect()
    )
    return rows.to_dicts()


def _kinds_of_lines(store: BundleStore) -> dict[str, Any]:
    """How many lines the log has, and of which kinds: those that most and fewest lines are of, as merge told them."""
    import polars as pl

    kinds: pl.DataFrame = store.scan("log_lines").group_by("template").agg(lines=pl.len()).collect(engine="streaming")
    told = kinds.drop_nulls("template").sort("lines", "template", descending=[True, False])
    most = told.head(_KINDS_SHOWN)
    lines, of_a_kind = int(kinds["lines"].sum()), int(told["lines"].sum())
    return {
        "lines": lines,
        "kinds": told.height,
        "without_kind": lines - of_a_kind,
        "most": most.to_dicts(),
        "fewest": told.slice(most.height).tail(_KINDS_SHOWN).to_dicts(),
    }


def _print(facts: dict[str, Any]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from inquest.render.wording import one_line

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 10_000  # a pipe has no width: nothing is cut for the sake of one

    def line(label: str, text: str) -> None:
        console.print(Text.assemble((f"{label:<11}", "bold"), one_line(text, 2000)), soft_wrap=True)

    def table(names: Sequence[str], rows: Sequence[Sequence[object]], right: Sequence[str] = ()) -> None:
        grid = Table(box=box.SIMPLE, pad_edge=False)
        for name in names:
            grid.add_column(name, justify="right" if name in right else "left", overflow="fold")
        for row in rows:
            grid.add_row(*(Text(one_line("" if cell is None else str(cell), 200)) for cell in row))
        console.print(grid)

    line("job", f"{facts['job_id'] or 'not known'}{' (simulated)' if facts['simulated'] else ''}")
    line("time", _span(facts["start_ns"], facts["end_ns"]))
    nodes = facts["nodes"]
    line("nodes", f"{len(nodes)}: {_some([node['node'] for node in nodes])}")
    if facts["missing_nodes"]:
        from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

        unsure = any(node["node"] == UNKNOWN_NODE for node in nodes)
        line("missing", f"nodes {_some(facts['missing_nodes'])}{' (or among the unknown)' if unsure else ''}")
    world = f" of {facts['world_size']}" if facts["world_size"] else ""
    line("ranks", f"{len(facts['ranks'])}{world}: {_ranges(facts['ranks'])}" if facts["ranks"] else "not known")
    if facts["missing_ranks"]:
        line("missing", f"ranks {_ranges(facts['missing_ranks'])}")
    line("clocks", _clocks(nodes))
    masked = sum(redaction["count"] for redaction in facts["redactions"])
    rules = sorted({redaction["rule"] for redaction in facts["redactions"]} - {UNMASKED})
    line("masked", f"{masked} ({_some(rules)})" if masked else "nothing")
    if facts["unmasked"]:
        line("UNREDACTED", "secrets were left as they are (--no-mask): 'inquest redact' masks them")
    line("digest", facts["content_digest"])
    tables = [(name, f"{t['rows']:,}", f"{t['bytes']:,}", t["members"]) for name, t in facts["tables"].items()]
    table(("table", "rows", "bytes", "members"), tables, right=("rows", "bytes", "members"))
    log = facts["log_lines"]
    if log["kinds"]:
        line(
            "log",
            f"{log['kinds']:,} kinds of lines; {log['without_kind']:,} of {log['lines']:,} lines are of rarer ones",
        )
        told = [(kind["template"], f"{kind['lines']:,}") for kind in (*log["most"], *log["fewest"])]
        table(("kind of line (# is a number), most and fewest", "lines"), told, right=("lines",))
    rows = [(c["collector"], c["outcome"], c["nodes"], c["drops"], c["detail"]) for c in facts["collectors"]]
    good = [row[0] for row in rows if row[1] == "ok"]
    gaps = [row for row in rows if row[1] != "ok"]
    line("collectors", f"ok: {_some(sorted({str(name) for name in good}))}" if good else "none reported")
    if gaps:
        table(("gap", "outcome", "nodes", "lost", "because"), gaps[:_GAPS_SHOWN], right=("nodes", "lost"))
        if len(gaps) > _GAPS_SHOWN:
            line("", f"{len(gaps) - _GAPS_SHOWN} more gaps: see --json")


def _span(start_ns: int | None, end_ns: int | None) -> str:
    if start_ns is None or end_ns is None:
        return "not known"
    return f"{_utc(start_ns)} to {_utc(end_ns)} UTC ({(end_ns - start_ns) / 1e9:.3f} s)"


def _utc(ns: int) -> str:
    try:
        moment = datetime.datetime.fromtimestamp(ns // 1_000_000_000, datetime.UTC)
    except (ValueError, OverflowError, OSError):
        return f"{ns} ns"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{ns // 1_000_000 % 1000:03d}"


def _clocks(nodes: list[dict[str, Any]]) -> str:
    bounds = [node["clock_bound_ns"] for node in nodes]
    known = [bound for bound in bounds if bound is not None]
    text = f"to within {max(known) / 1e6:.3f} ms" if known else "no bound known"
    unknown = len(bounds) - len(known)
    return f"{text}; {unknown} without a bound" if known and unknown else text


def _some(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _ranges(numbers: Sequence[int]) -> str:
    """0-3, 5, 7-9 for sorted numbers."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number, number])
    return _some([str(a) if a == b else f"{a}-{b}" for a, b in parts], 20)
