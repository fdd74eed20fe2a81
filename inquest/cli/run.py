"""`inquest run`, as the help lists it. The verb itself is dispatched in ``__main__`` before typer is imported."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    arguments: Annotated[
        list[str] | None, typer.Argument(help="[OPTIONS] -- CMD...; see `inquest run --help`.")
    ] = None,
) -> None:
    """Record a command and its node: `inquest run [--out DIR] [--node NAME] -- CMD...`."""
    from inquest.capture.run import main

    main(arguments or [])
