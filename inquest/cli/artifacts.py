"""`inquest artifacts`: the files a recording took along, listed and taken out of the bundle."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

if TYPE_CHECKING:
    from inquest.bundle.store import BundleStore


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Write the files there, a folder for each recording."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Flight-recorder dumps, profiler traces, error files and the like: what was taken along, what was not, and why.

    The files are a stranger's: flight-recorder dumps are pickles, which run code when they are unpickled carelessly.

    Example: inquest artifacts job.inquest -o files
    """
    from inquest.bundle.store import BundleStore
    from inquest.cli._progress import working

    with working("reading") as tell:
        store = BundleStore(bundle)
        files = _files(store)
        if out is not None:
            for file in files:
                if file["member"] is not None:
                    tell(f"writing {file['member']}")
                    file["written"] = str(_write(store, file, out))
    if as_json:
        typer.echo(json.dumps(files, indent=2))
    else:
        _print(files)


def _files(store: BundleStore) -> list[dict[str, Any]]:
    """What recorders said of files. Rows of imports are about files that were never in the bundle."""
    import polars as pl

    names = ("node", "capture", "kind", "path", "member", "bytes", "sha256", "reason", "detail")
    told = store.scan("artifacts").filter(~pl.col("capture").str.starts_with("import-"))
    return told.sort("node", "capture", "seq").select(names).collect().to_dicts()


def _write(store: BundleStore, file: dict[str, Any], out: Path) -> Path:
    """Write one file, part by part, and hold it against its digest.

    Raises:
        DamagedBundle: The parts are not the file.
        UnsafeInput: It bears a name that no recorder gives.
        UsageError: It cannot be written, or is there already.
    """
    import polars as pl

    from inquest.bundle.artifacts import MEMBER
    from inquest.bundle.errors import DamagedBundle, UnsafeInput, UsageError

    if not MEMBER.fullmatch(file["member"]):
        raise UnsafeInput(f"{file['member']!r} is no name that a recorder gives to a file: do not trust this bundle.")
    mine = [pl.col(name) == file[name] for name in ("node", "capture", "member")]
    parts = store.scan("artifact_parts").filter(*mine).sort("offset").collect()
    path = out.joinpath(
        *(quote(file[name], safe="").replace(".", "%2E") for name in ("node", "capture")), file["member"]
    )
    digest = hashlib.sha256()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as target:
            for text in parts["content"]:
                part = base64.b64decode(text or "", validate=True)
                digest.update(part)
                target.write(part)
    except ValueError as error:
        raise DamagedBundle(f"{file['member']}: a part of it is no base64 ({error}).") from error
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    if digest.hexdigest() != file["sha256"]:
        path.unlink()
        raise DamagedBundle(f"{file['member']} is not in the bundle as it was recorded: was the bundle redacted?")
    return path


def _print(files: list[dict[str, Any]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from inquest.render.wording import one_line

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 10_000  # a pipe has no width: nothing is cut for the sake of one
    if not files:
        console.print("No file was taken along.")
        return
    grid = Table(box=box.SIMPLE, pad_edge=False)
    for name in ("node", "kind", "file", "bytes", "taken"):
        grid.add_column(name, justify="right" if name == "bytes" else "left", overflow="fold")
    for file in files:
        taken = file.get("written") or file["member"] or f"no: {file['reason']}"
        size = "" if file["bytes"] is None else f"{file['bytes']:,}"
        cells = (file["node"], file["kind"], file["path"] or "", size, taken)
        grid.add_row(*(Text(one_line(str(cell), 200)) for cell in cells))
    console.print(grid)
