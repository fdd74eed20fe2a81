"""`inquest verify`: every byte of a bundle, and every claim of a verdict."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated, Any

import typer

from inquest.bundle.errors import DamagedBundle


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle to check.")],
    verdict: Annotated[
        Path | None, typer.Argument(metavar="[VERDICT.json]", help="A verdict about it: every claim is run again.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was checked as JSON.")] = False,
) -> None:
    """Check every byte of a bundle, and with VERDICT.json that each claim still gives its value and has its rows.

    Exit code: 0 when all is well, 5 when it is not.

    Example: inquest verify job.inquest post-mortem/verdict.json
    """
    from inquest.bundle.verify import verify

    report = verify(bundle)
    problems = list(report.problems)
    claims = 0
    if verdict is not None and report.ok:
        claims, wrong = _check_claims(bundle, verdict)
        problems += wrong
    if as_json:
        result: dict[str, Any] = {
            "bundle": str(bundle),
            "ok": not problems,
            "content_digest": report.content_digest,
            "bytes": report.size,
            "members": report.members,
            "rows": report.rows,
            "claims": claims,
            "problems": problems,
        }
        typer.echo(json.dumps(result, indent=2))
    elif not problems:
        checked = f", {claims} claims" if verdict is not None else ""
        typer.echo(f"{bundle}: whole ({report.size:,} bytes, {report.members} members, {report.rows:,} rows{checked})")
    if problems:
        more = f" (and {len(problems) - 1} more: see --json)" if len(problems) > 1 else ""
        raise DamagedBundle(f"{bundle} does not verify: {problems[0]}{more}. Do not rely on it: copy it again.")


def _check_claims(bundle: Path, verdict: Path) -> tuple[int, list[str]]:
    from inquest.analyze.claims import read_claims, wrong_with
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import BundleStore

    evidence = Evidence(BundleStore(bundle))
    claims = read_claims(verdict, bundle, evidence)
    return len(claims), [problem for claim in claims.values() for problem in wrong_with(claim, evidence)]
