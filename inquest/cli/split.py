"""`inquest split`: a file in parts, for media."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Final

import typer

from inquest.bundle.errors import UsageError
from inquest.bundle.parts import FAT32_LARGEST

_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}


def command(
    file: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The file to cut; it is left as it is.")],
    size: Annotated[
        str,
        typer.Option(
            "--size",
            metavar="SIZE",
            help="Bytes of a part at most: 700MB, 2GiB, 1000000.",
            show_default="4 GiB - 1, the most FAT32 holds",
        ),
    ] = str(FAT32_LARGEST),
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Where the parts go, such as the medium itself.")
    ] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Replace parts of that name.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the parts as JSON.")] = False,
) -> None:
    """Cut a bundle into parts JOB.inquest.001, .002 ... that fit a medium; by default the largest that FAT32 holds.

    Each part knows what it belongs to: 'inquest join' takes them in any order and refuses what is missing or damaged.

    Example: inquest split job.inquest --size 700MB -o /media/usb
    """
    from inquest.bundle.parts import split
    from inquest.cli._progress import bytes_bar

    with bytes_bar("splitting") as tell:
        parts = split(file, out, size=_bytes(size), force=force, progress=tell)
    sizes = [part.stat().st_size for part in parts]
    if as_json:
        listed = [{"path": str(part), "bytes": size} for part, size in zip(parts, sizes, strict=True)]
        typer.echo(json.dumps({"file": str(file), "parts": listed}, indent=2))
        return
    for part, length in zip(parts, sizes, strict=True):
        typer.echo(f"{part}  {length:,} bytes")


def _bytes(text: str) -> int:
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?)\s*([kmg]i?|)b?", text.strip(), re.IGNORECASE)
    if not match:
        raise UsageError(f"{text!r} is not a size: write 700MB, 4GiB or a number of bytes")
    return int(float(match[1]) * _UNITS[match[2].lower()])
