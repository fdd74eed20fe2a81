"""The `inquest` command: `run` goes straight to the wrapper, every other verb to ``inquest.cli``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; never returns."""
    argv = sys.argv[1:]
    if argv[:1] == ["run"]:
        # The wrapped job must start within milliseconds: no typer, no pyarrow on this path.
        from inquest.capture.run import main as run

        run(argv[1:])
    if argv[:1] == ["attach"]:
        from inquest.capture.attach import main as attach

        attach(argv[1:])
    from inquest.cli import dispatch, leave

    leave(dispatch(argv))


if __name__ == "__main__":
    main()
