"""`inquest verify`: every byte of a bundle, and every claim of a verdict."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inquest.bundle.errors import DamagedBundle, InputError, UsageError
from inquest.cli._others import Baseline, Parent, others

if TYPE_CHECKING:
    from collections.abc import Sequence


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle to check.")],
    verdict: Annotated[
        Path | None, typer.Argument(metavar="[VERDICT.json]", help="A verdict about it: every claim is run again.")
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", help="Whose signature it must bear: a public key of minisign, or a file of GnuPG's."
        ),
    ] = None,
    signature: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The signature; default JOB.inquest.minisig or .asc.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was checked as JSON.")] = False,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for all claims.")] = 300,
    memory: Annotated[int, typer.Option(min=512, metavar="MIB", help="Memory that claims may take.")] = 4096,
    parent: Parent = None,
    baseline: Baseline = None,
) -> None:
    """Check every byte of a bundle, and with VERDICT.json that each claim still gives its value and has its rows.

    With --public-key the signature is checked first: it tells whose bundle it is, the bytes only that it is whole.

    A verdict that was held against other runs needs them again: give --parent and --baseline as for analyze.

    Exit code: 0 when all is well, 5 when it is not.

    Example: inquest verify job.inquest post-mortem/verdict.json
    """
    from inquest.bundle.verify import verify
    from inquest.cli._progress import working

    signer = _check_signature(bundle, signature, public_key)
    wrong: list[str] = []
    claims = 0
    with working("checking every byte") as tell:
        report = verify(bundle)
        if verdict is not None and report.ok:
            from inquest.analyze.apart import check_claims

            tell("running every claim again")
            claims, wrong = check_claims(
                *(bundle, verdict), others=others(parent, baseline), seconds=timeout, memory_bytes=memory << 20
            )
    problems = [*report.problems, *wrong]
    if as_json:
        result: dict[str, Any] = {
            "bundle": str(bundle),
            "ok": not problems,
            "content_digest": report.content_digest,
            "bytes": report.size,
            "members": report.members,
            "rows": report.rows,
            "claims": claims,
            "signed_by": signer,
            "problems": problems,
        }
        typer.echo(json.dumps(result, indent=2))
    elif not problems:
        checked = f", {claims} claims" if verdict is not None else ""
        typer.echo(f"{bundle}: whole ({report.size:,} bytes, {report.members} members, {report.rows:,} rows{checked})")
        if signer is not None:
            typer.echo(f"signed by {signer}")
    if problems:
        more = f" (and {len(problems) - 1} more: see --json)" if len(problems) > 1 else ""
        found = f"{problems[0]}{more}"
        if report.altered:
            raise DamagedBundle(f"{bundle} does not verify: {found}. Do not rely on it: copy it again.")
        if report.problems:
            raise DamagedBundle(
                f"{bundle} does not verify: {found}. Every byte is as it was written, so a new copy will not help: "
                "do not rely on it, and make it again from the recordings."
            )
        raise InputError(f"{verdict} does not hold, though {bundle} is whole: {found}. {_meaning(wrong)}")


def _meaning(wrong: Sequence[str]) -> str:
    """What it means that claims of a verdict do not hold."""
    if all("give its bundle with" in problem for problem in wrong):
        return "These were not checked: give the bundles the verdict was held against."
    if all("cannot be run again" in problem for problem in wrong):
        return "These were not checked: give them more with --timeout or --memory."
    return (
        "The verdict was changed since, or another build made it, whose facts may differ: "
        "run 'inquest analyze' again and compare."
    )


def _check_signature(bundle: Path, signature: Path | None, public_key: str | None) -> str | None:
    """Who signed the bundle; None where nobody asked."""
    if public_key is None:
        if signature is not None:
            raise UsageError("a signature alone tells nothing: give the key it must be of with --public-key")
        return None
    from inquest.bundle.envelope import check
    from inquest.render.wording import one_line

    beside = [bundle.with_name(bundle.name + suffix) for suffix in (".minisig", ".asc", ".sig")]
    found = signature or next((path for path in beside if path.is_file()), None)
    if found is None:
        raise DamagedBundle(f"{bundle} bears no signature: there is none beside it; name it with --signature")
    signed = check(bundle, found, public_key)
    return one_line(f"{signed.by} ({signed.tool})", 400)
