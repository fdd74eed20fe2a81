"""`inquest clean`: remove what inquest cached on this machine, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from inquest.bundle.errors import UsageError


def home() -> Path:
    """The one directory inquest may keep things in: $INQUEST_HOME, else ~/.cache/inquest."""
    return Path(os.environ.get("INQUEST_HOME") or Path.home() / ".cache" / "inquest")


def command(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed, remove nothing.")] = False,
) -> None:
    """Remove what inquest cached on this machine (the unpacked single-file agent).

    Recordings, bundles and reports are never touched.
    """
    cache = home()
    if cache.is_symlink() or (cache.exists() and not cache.is_dir()):
        raise UsageError(f"{cache} is not a directory; inquest did not make it. Check INQUEST_HOME.")
    if not cache.is_dir():
        typer.echo(f"nothing to remove: {cache} does not exist")
        return
    ours = sorted(path for path in cache.iterdir() if path.name.startswith("agent-") and not path.is_symlink())
    for path in ours:
        size = sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
        typer.echo(f"{'would remove' if dry_run else 'removed'} {path} ({size / 1e6:.1f} MB)")
        if not dry_run:
            shutil.rmtree(path)
    if not ours:
        typer.echo(f"nothing to remove in {cache}")
