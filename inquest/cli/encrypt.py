"""`inquest encrypt`: for named readers only, by age or GnuPG."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The file to encrypt; it is left as it is.")],
    to: Annotated[
        list[str],
        typer.Option(
            metavar="RECIPIENT",
            help="Who may read it; may be repeated. For age: age1..., an SSH public key, or a file of them; "
            "for GnuPG: the name of a key it has, or a file with a public key.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Default: JOB.inquest.age or .gpg.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file when it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the name of the encrypted file as JSON.")] = False,
) -> None:
    """Encrypt a bundle for the way across, with age or GnuPG.

    Example: inquest encrypt job.inquest --to age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
    """
    from inquest.bundle.envelope import encrypt
    from inquest.cli._progress import working

    with working("encrypting"):
        made = encrypt(file, to, out, force=force)
    typer.echo(json.dumps({"file": str(file), "encrypted": str(made)}) if as_json else str(made))
