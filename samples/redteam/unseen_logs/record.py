"""Run the real jobs and keep what they printed: ``python -m samples.redteam.unseen_logs.record [--only NAME,...]``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..blind_logs import record
from . import jobs
from .book import LYING, REAL

HERE: Final = Path(__file__).parent
RECORDED: Final = HERE / record.RECORDED.name

if __name__ == "__main__":
    assert jobs.LOADED
    record.write_truth(LYING, HERE / "lying")
    record.main(REAL, HERE)
