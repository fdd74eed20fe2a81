"""The `inquest` command: dispatches, and is the one place that turns an error into text and an exit code."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; never returns normally from ``run``."""
    argv = sys.argv[1:]
    if argv[:1] == ["run"]:
        # The wrapped job must start within milliseconds: no typer, no pyarrow on this path.
        from inquest.capture.run import main as run

        run(argv[1:])
    from inquest.cli import dispatch

    sys.exit(dispatch(argv))


if __name__ == "__main__":
    main()
