"""`inquest cite`: run one claim of a verdict again and show what it rests on."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inquest.bundle.errors import InputError
from inquest.cli._others import Baseline, Parent, opened, others

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.analyze.model import RunName


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle the claim is about.")],
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help='Id of the claim, such as "A2.1".')],
    verdict: Annotated[
        Path | None,
        typer.Option("--verdict", metavar="VERDICT.json", help="The verdict; without it, it is decided anew."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for SQL of --verdict.")] = 300,
    memory: Annotated[int, typer.Option(min=512, metavar="MIB", help="Memory that SQL of --verdict may take.")] = 4096,
    parent: Parent = None,
    baseline: Baseline = None,
) -> None:
    """Run one claim of a verdict again: its text, its SQL, its value then and now, and the rows it rests on.

    A verdict that was held against other runs needs them again for the claims about them.

    Exit code: 0 when the value is the same, 5 when it is not or the SQL cannot be run.

    Example: inquest cite job.inquest A2.1 --verdict post-mortem/verdict.json
    """
    from inquest.cli._progress import working

    with working("running the claim again"):
        if verdict is None:
            cited = _decided_anew(bundle, claim, others(parent, baseline))
        else:  # its SQL may be a stranger's
            from inquest.analyze import apart

            cited = apart.cite(
                *(bundle, verdict, claim),
                others=others(parent, baseline),
                seconds=timeout,
                memory_bytes=memory << 20,
            )
    if as_json:
        typer.echo(json.dumps(cited, indent=2))
    else:
        _print(cited)
    if not cited["same"]:
        raise InputError(
            f"Claim {claim} no longer holds: it was {cited['value']!r} and is {cited['value_now']!r}. "
            "The evidence differs."
        )


def _decided_anew(bundle: Path, claim: str, paths: Mapping[RunName, Path]) -> dict[str, Any]:
    from inquest.analyze.claims import again, named
    from inquest.analyze.engine import analyze
    from inquest.bundle.store import BundleStore

    held = opened(bundle, paths)
    verdict, evidence = analyze(BundleStore(bundle), parent=held.get("parent"), baseline=held.get("baseline"))
    return again(named({made.id: made for made in verdict.claims}, claim), evidence)


def _print(cited: dict[str, Any]) -> None:
    from inquest.render.wording import one_line

    unit = one_line(cited["unit"])
    typer.echo(f"{cited['id']}  {one_line(cited['text'])}")
    typer.echo(f"SQL    {one_line(cited['sql'], 4000)}")
    typer.echo(f"then   {one_line(str(cited['value']), 2000)} {unit}".rstrip())
    typer.echo(f"now    {one_line(str(cited['value_now']), 2000)} {unit}".rstrip())
    for row in cited["content"]:
        typer.echo("row    " + ", ".join(f"{name}={one_line(str(value), 400)}" for name, value in row.items()))
