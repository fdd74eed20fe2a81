"""`inquest cite`: run one claim of a verdict again and show what it rests on."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any, Final

import polars as pl
import typer

from inquest.bundle.errors import InputError, UsageError

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim

MAX_VERDICT_BYTES: Final = 64 << 20
"""A verdict larger than this is not one of ours."""


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle the claim is about.")],
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help='Id of the claim, such as "A2.1".')],
    verdict: Annotated[
        Path | None, typer.Option("--verdict", metavar="VERDICT.json", help="The verdict [default: decide anew].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Run one claim of a verdict again: its text, its SQL, its value then and now, and the rows it rests on.

    Exit code: 0 when the value is the same, 5 when it is not.

    Example: inquest cite job.inquest A2.1 --verdict post-mortem/verdict.json
    """
    from inquest.analyze.engine import judge
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import plain
    from inquest.bundle.store import BundleStore

    evidence = Evidence(BundleStore(bundle))
    made = {c.id: c for c in judge(evidence).shows} if verdict is None else _claims_of(verdict, bundle, evidence)
    if claim not in made:
        raise UsageError(f"There is no claim {claim!r}. Claims are: {', '.join(made) or 'none'}.")
    cited = made[claim]
    now = evidence.value(cited.sql, cited.unit)
    rows = [content for row in cited.rows if (content := _row(evidence, row.table, row.node, row.seq, row.capture))]
    same = plain(now) == plain(cited.value)
    if as_json:
        typer.echo(json.dumps({**plain(cited), "value_now": plain(now), "same": same, "content": rows}, indent=2))
    else:
        _print(cited, now, rows)
    if not same:
        raise InputError(f"Claim {claim} no longer holds: it was {cited.value!r} and is {now!r}. The evidence differs.")


def _claims_of(path: Path, bundle: Path, evidence: Evidence) -> dict[str, Claim]:
    """The claims of a verdict file, which may come from a stranger."""
    from inquest.analyze.model import SCHEMA, Claim, RowRef

    try:
        if path.stat().st_size > MAX_VERDICT_BYTES:
            raise InputError(f"{path} is too large for a verdict. Give the verdict.json of `inquest analyze`.")
        verdict = json.loads(path.read_bytes())
        if verdict["schema"] != SCHEMA:
            raise InputError(f"{path} has schema {verdict['schema']!r}; this build reads {SCHEMA!r}.")
        claims = [
            Claim(
                **{key: _text(item[key]) for key in ("id", "text", "sql", "unit", "table", "excerpt")},
                value=item["value"],
                rows=tuple(
                    RowRef(_text(r["table"]), _text(r["node"]), int(r["seq"]), _text(r["capture"]))
                    for r in item["rows"]
                ),
            )
            for item in verdict["shows"]
        ]
        digest = _text(verdict["bundle"]["content_digest"])
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}). Check the path.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is not an inquest verdict. Give the verdict.json of `inquest analyze`.") from error
    if digest != evidence.info.content_digest:
        raise InputError(f"{path} is about another bundle than {bundle}: their content digests differ.")
    return {made.id: made for made in claims}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value


def _row(evidence: Evidence, table: str, node: str, seq: int, capture: str) -> dict[str, Any] | None:
    """One row of evidence without its empty columns; None when it is not there."""
    from inquest.analyze.evidence import ALL_TABLES

    if table not in ALL_TABLES:
        return None
    found = evidence.scan(table).filter((pl.col("node") == node) & (pl.col("seq") == seq))
    if capture:
        found = found.filter(pl.col("capture") == capture)
    frame = found.drop("ts").head(1).collect()
    if frame.is_empty():
        return None
    return {"table": table, **{name: value for name, value in frame.row(0, named=True).items() if value is not None}}


def _print(claim: Claim, now: object, rows: list[dict[str, Any]]) -> None:
    from inquest.render.wording import one_line

    typer.echo(f"{claim.id}  {one_line(claim.text)}")
    typer.echo(f"SQL    {one_line(claim.sql, 4000)}")
    typer.echo(f"then   {one_line(str(claim.value), 2000)} {one_line(claim.unit)}".rstrip())
    typer.echo(f"now    {one_line(str(now), 2000)} {one_line(claim.unit)}".rstrip())
    for row in rows:
        typer.echo("row    " + ", ".join(f"{name}={one_line(str(value), 400)}" for name, value in row.items()))
