"""`inquest sign`: a detached signature, by minisign or GnuPG."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The file to sign; it is left as it is.")],
    key: Annotated[
        str, typer.Option(metavar="KEY", help="A secret key file of minisign, or the name of a key that GnuPG has.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace the signature when it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the name of the signature as JSON.")] = False,
) -> None:
    """Sign a bundle, so that 'inquest verify --public-key' tells on the far side whose it is.

    Writes JOB.inquest.minisig (minisign) or JOB.inquest.asc (GnuPG).

    Example: inquest sign job.inquest --key ~/.minisign/minisign.key
    """
    from inquest.bundle.envelope import sign
    from inquest.cli._progress import stating

    stating(f"signing {file}")
    out = sign(file, key, force=force)
    typer.echo(json.dumps({"file": str(file), "signature": str(out)}) if as_json else str(out))
