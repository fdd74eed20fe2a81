"""`inquest clean`: remove what inquest cached on this machine, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

from inquest.bundle.errors import UsageError


def homes() -> list[Path]:
    """Where the single-file agent may have unpacked itself (packaging/launcher/ takes the first that works)."""
    named = os.environ.get("INQUEST_HOME")
    return [Path(named)] if named else [Path.home() / ".cache" / "inquest", Path(f"/tmp/inquest-{os.getuid()}")]


def command(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed, remove nothing.")] = False,
) -> None:
    """Remove what inquest cached on this machine (the unpacked single-file agent).

    Recordings, bundles and reports are never touched. The cache lies in $INQUEST_HOME, else ~/.cache/inquest, else
    /tmp/inquest-UID.

    Example: inquest clean --dry-run
    """
    found = False
    for cache in homes():
        if not cache.exists():
            continue
        if cache.is_symlink() or not cache.is_dir() or cache.stat().st_uid != os.getuid():
            raise UsageError(f"{cache} is not a directory of yours; inquest did not make it. Check INQUEST_HOME.")
        for path in sorted(cache.iterdir()):
            if not path.name.startswith("agent-") or path.is_symlink():
                continue
            found = True
            size = sum(file.lstat().st_size for file in path.rglob("*") if file.is_file())
            if not dry_run:
                shutil.rmtree(path)
            typer.echo(f"{'would remove' if dry_run else 'removed'} {path} ({size / 1e6:.1f} MB)")
    if not found:
        typer.echo("nothing to remove in " + ", ".join(map(str, homes())))
