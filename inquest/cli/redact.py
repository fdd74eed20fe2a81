"""`inquest redact`: an existing bundle, masked again and under pseudonyms."""

from __future__ import annotations

import json
import sys
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.bundle.errors import UsageError

if TYPE_CHECKING:
    from inquest.bundle.pseudonyms import Sort


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle; it is left as it is.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OTHER.inquest", help="The bundle to write.")],
    pseudonyms: Annotated[
        str,
        typer.Option(metavar="SORTS", help="Replace these too: hosts, users, paths, addresses, jobs, gpus, or all."),
    ] = "",
    key_file: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="Key of the tokens: equal names are then equal in all bundles. Made if missing.",
        ),
    ] = None,
    map_file: Annotated[
        Path | None,
        typer.Option("--map", metavar="FILE", help="Write down which name became what (for you alone: it undoes it)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was redacted as JSON.")] = False,
) -> None:
    """Mask the secrets in a bundle again by today's rules, and replace names by tokens so that it can be handed on.

    A token is the same wherever its name stands: in node lists, log text, command lines, environments and file names,
    on all nodes. What was replaced how often stands in the bundle (table 'redactions') and is printed, and so is what
    cannot be replaced safely.

    Example: inquest redact job.inquest --pseudonyms hosts,users,jobs --map names.json -o outside.inquest
    """
    from inquest.bundle.redact import read_key, redact
    from inquest.cli._progress import working

    with working("masking"):
        report = redact(
            bundle,
            out,
            sorts=_sorts(pseudonyms),
            key=read_key(key_file) if key_file is not None else None,
            map_file=map_file,
            force=force,
        )
    merged = report.merged
    if as_json:
        result = {
            "out": str(out),
            "content_digest": merged.content_digest,
            "masked": report.masked,
            "replaced": report.replaced,
            "names": report.names,
            "kept": report.kept,
        }
        typer.echo(json.dumps(result, indent=2))
        return
    typer.echo(f"{out}: {sum(merged.rows_out.values()):,} rows, {merged.size:,} bytes\ndigest {merged.content_digest}")
    typer.echo(f"secrets masked now: {sum(report.masked.values())}" + _listed(report.masked))
    for sort, count in report.replaced.items():
        typer.echo(f"{sort}: {report.names[sort]} names replaced, {count:,} times")
    for sentence in report.kept:
        print(f"inquest: not replaced: {sentence}", file=sys.stderr)


def _listed(counts: dict[str, int]) -> str:
    return f" ({', '.join(f'{rule} {count}' for rule, count in counts.items())})" if counts else ""


def _sorts(text: str) -> tuple[Sort, ...]:
    from inquest.bundle.pseudonyms import SORTS

    wanted = {word.strip() for word in text.split(",") if word.strip()}
    if wanted == {"all"}:
        return SORTS
    unknown = sorted(wanted.difference(SORTS))
    if unknown:
        raise UsageError(f"there are no pseudonyms for {unknown[0]!r}: choose from {', '.join(SORTS)}, or all")
    return tuple(sort for sort in SORTS if sort in wanted)
