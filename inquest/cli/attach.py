"""`inquest attach`, as the help lists it. The verb itself is dispatched in ``__main__`` before typer is imported."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    arguments: Annotated[
        list[str] | None, typer.Argument(help="--job ID | --pid PID [OPTIONS]; see `inquest attach --help`.")
    ] = None,
) -> None:
    """Record a job that runs already: `inquest attach --job ID [--out DIR] [--node NAME]`."""
    from inquest.capture.attach import main

    main(arguments or [])
