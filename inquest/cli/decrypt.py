"""`inquest decrypt`: what age or GnuPG encrypted."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="JOB.inquest.age", help="The encrypted file.")],
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your identity for age; GnuPG finds its keys itself.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Default: the name without .age or .gpg.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file when it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the name of the plain file as JSON.")] = False,
) -> None:
    """Decrypt a bundle that was encrypted with age or GnuPG. Exit code 5 when it cannot be.

    Example: inquest decrypt job.inquest.age --key ~/.config/age/key.txt
    """
    from inquest.bundle.envelope import decrypt
    from inquest.cli._progress import bytes_bar

    with bytes_bar("decrypting") as tell:
        made = decrypt(file, out, key=key, force=force, progress=tell)
    typer.echo(json.dumps({"file": str(file), "decrypted": str(made)}) if as_json else str(made))
