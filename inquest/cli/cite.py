"""`inquest cite`: run one claim of a verdict again and show what it rests on."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inquest.bundle.errors import InputError, UsageError

if TYPE_CHECKING:
    from inquest.analyze.model import Claim


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
    from inquest.analyze.claims import cited_row, read_claims
    from inquest.analyze.engine import judge
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import plain
    from inquest.bundle.store import BundleStore

    evidence = Evidence(BundleStore(bundle))
    made = {c.id: c for c in judge(evidence).shows} if verdict is None else read_claims(verdict, bundle, evidence)
    if claim not in made:
        raise UsageError(f"There is no claim {claim!r}. Claims are: {', '.join(made) or 'none'}.")
    cited = made[claim]
    now = evidence.value(cited.sql, cited.unit)
    rows = [content for row in cited.rows if (content := cited_row(evidence, row))]
    same = plain(now) == plain(cited.value)
    if as_json:
        typer.echo(json.dumps({**plain(cited), "value_now": plain(now), "same": same, "content": rows}, indent=2))
    else:
        _print(cited, now, rows)
    if not same:
        raise InputError(f"Claim {claim} no longer holds: it was {cited.value!r} and is {now!r}. The evidence differs.")


def _print(claim: Claim, now: object, rows: list[dict[str, Any]]) -> None:
    from inquest.render.wording import one_line

    typer.echo(f"{claim.id}  {one_line(claim.text)}")
    typer.echo(f"SQL    {one_line(claim.sql, 4000)}")
    typer.echo(f"then   {one_line(str(claim.value), 2000)} {one_line(claim.unit)}".rstrip())
    typer.echo(f"now    {one_line(str(now), 2000)} {one_line(claim.unit)}".rstrip())
    for row in rows:
        typer.echo("row    " + ", ".join(f"{name}={one_line(str(value), 400)}" for name, value in row.items()))
