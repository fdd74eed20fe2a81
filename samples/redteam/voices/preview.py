"""``python -m samples.redteam.voices.preview SET [VOICE [SCENARIO]]``: a few lines of each telling, or one of them whole."""

from __future__ import annotations

import importlib
import sys

from .scenarios import tellings


def main() -> None:
    """Print."""
    name, *asked = sys.argv[1:]
    voices = importlib.import_module(f"samples.redteam.voices.{name}").VOICES
    for case, told in tellings(voices, 1):
        if asked and case.split("/")[: len(asked)] != asked:
            continue
        lines = told.text.splitlines()
        whole = len(asked) == 2 or len(lines) < 24
        print(
            f"=== {case} ({'/'.join(told.right)})", *(lines if whole else [*lines[:12], "...", *lines[-8:]]), sep="\n"
        )


if __name__ == "__main__":
    main()
