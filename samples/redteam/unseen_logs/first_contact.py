"""What the engine made of these logs at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from ..blind import first_contact
from ..unseen import healthy

FIRST: Final = Path(__file__).with_name("first_contact.json")

TEXT: Final = """
Logs by a third author, who had read neither rules nor families (`samples/redteam/unseen_logs`); the truth was committed before the
engine saw a case. The real ones are what torchrun with two to four ranks, Trainer, TRL, Lightning, MMEngine, PaddlePaddle, JAX,
Keras, Hydra, papermill and plain loops printed on a busy machine without a GPU, judged by their log and exit status alone. The
lying ones ran under `inquest run`: caught tracebacks, quoted logs of other runs, "completed successfully" before a SIGKILL, errors
behind a status of 0, wrong rank prefixes, huge lines, control characters, other languages. Second sets and twins were written while
the first were being mended, and met the mends. Where a program did something else than arranged, its truth was changed before it
was judged; where a truth was arguable, openly afterwards (`amended` beside it).
"""

AFTER: Final = """
Commands: `python -m samples.redteam.unseen_logs.score`, `python -m samples.redteam.unseen_logs.wrapped`; `python -m
samples.redteam.unseen_logs.record --only NAME` runs a real one anew, in the environments that `blind_logs/record.py` names.
"""


def section() -> str:
    """The part of the page."""
    sets = json.loads(FIRST.read_text())
    return first_contact("Unseen logs at first contact", sets, TEXT, healthy(sets) + AFTER.strip())
