"""Judge what was recorded, each log alone: ``python -m samples.redteam.unseen_logs.score [--only NAME,...]``."""

from ..blind_logs import score
from . import jobs
from .book import REAL
from .record import RECORDED

if __name__ == "__main__":
    assert jobs.LOADED
    score.main(REAL, RECORDED)
