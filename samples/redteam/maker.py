"""Write the data of a blind set: a function for each case, called with the place it fills and its own randomness."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType


def make(rounds: Mapping[str, Sequence[ModuleType]]) -> None:
    """Fill OUT/KIND/CASE for all cases, or those named on the command line, each with the same bytes every time.

    Args:
        rounds: By kind, the modules with its cases: functions named by ``c`` or ``t``, a number and words.
    """
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    for kind, modules in rounds.items():
        for module in modules:
            for name, case in vars(module).items():
                if name[:1] in "ct" and name[1:3].isdigit() and (not wanted or name in wanted):
                    place = out / kind / name
                    shutil.rmtree(place, ignore_errors=True)
                    place.mkdir(parents=True)
                    case(place, Random(name))
