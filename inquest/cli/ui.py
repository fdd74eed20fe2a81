"""`inquest ui`: the timeline in a Perfetto UI that was carried in, without a network."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated, Final

import typer

from inquest.bundle.errors import InputError, UsageError

_NO_UI: Final = (
    "No Perfetto UI is given. Carry perfetto-ui.zip of a release (github.com/google/perfetto/releases) to this desk, "
    "and name it with --ui or INQUEST_PERFETTO_UI; docs/perfetto-ui.md says how."
)
_MOST_TRACE_BYTES: Final = 2 << 30


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest|TRACE", help="A bundle, or a .pftrace (.gz) file.")],
    ui: Annotated[
        Path | None,
        typer.Option("--ui", metavar="FILE.zip", envvar="INQUEST_PERFETTO_UI", help="The perfetto-ui.zip."),
    ] = None,
    claim: Annotated[
        str | None,
        typer.Option("--claim", metavar="ID", help='Begin where a claim of the bundle stands, such as "A2.1".'),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, metavar="N", help="Port on the loopback; 0: a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in this desk's browser.")] = False,
) -> None:
    """Show the timeline in a Perfetto UI that was carried in, served to this machine only, until Ctrl-C.

    The address that is printed holds a random token; without it nothing is given. The page may load from here and
    nowhere else. Nothing is written, and the zip is read in place.

    Example: inquest ui job.inquest --ui ~/perfetto-ui.zip

    Example: INQUEST_PERFETTO_UI=/opt/perfetto-ui.zip inquest ui job.inquest --claim A2.1 --browser
    """
    from inquest.render.perfetto_ui import Archive, Server

    if ui is None:
        raise UsageError(_NO_UI)
    archive = Archive(ui)
    trace, fragment = _trace(bundle, claim)
    name = bundle.name if bundle.name.endswith((".pftrace", ".gz")) else f"{bundle.stem}.pftrace"
    try:
        server = Server(archive, trace, name, fragment, port)
    except OSError as error:
        raise UsageError(
            f"Port {port} cannot be used ({error.strerror}). Leave --port out to have a free one."
        ) from error
    print(f"Perfetto UI {ui.name}, sha256 {archive.digest}", file=sys.stderr)
    print(server.address, flush=True)
    print("Ctrl-C ends it.", file=sys.stderr)
    if browser:
        import webbrowser

        webbrowser.open(server.address)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


def _trace(path: Path, claim: str | None) -> tuple[bytes, str]:
    """The trace's bytes, and what the UI is told to show first."""
    with contextlib.suppress(OSError):
        with path.open("rb") as file:
            head = file.read(4)
        if head[:2] != b"PK":  # no bundle: a trace as it is
            if claim is not None:
                raise UsageError("--claim needs the bundle: a trace does not tell where its claims stand.")
            if path.stat().st_size > _MOST_TRACE_BYTES:
                raise InputError(f"{path} is larger than the UI can open. Give a trace below 2 GiB.")
            if head[:1] != b"\n" and head[:2] != b"\x1f\x8b":
                raise InputError(f"{path} is neither a bundle nor a Perfetto trace. Give one of `inquest timeline`.")
            return path.read_bytes(), ""
    from inquest.analyze.claims import named
    from inquest.analyze.engine import analyze
    from inquest.bundle.store import BundleStore
    from inquest.cli._progress import working
    from inquest.render import timeline
    from inquest.render.timeline import opening

    with working("deciding") as tell:
        verdict, evidence = analyze(BundleStore(path))
        tell("drawing the timeline")
        place = None
        if claim is not None:
            place = opening.find(named({c.id: c for c in verdict.shows}, claim), verdict, evidence)
        return timeline.render(verdict, evidence), opening.fragment(verdict, None if place is None else place.ts_ns)
