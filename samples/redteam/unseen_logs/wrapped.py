"""Run the lying jobs under the wrapper and judge the bundles: ``python -m samples.redteam.unseen_logs.wrapped``."""

from ..blind_logs import wrapped
from . import jobs
from .book import LYING

if __name__ == "__main__":
    assert jobs.LOADED
    wrapped.main(LYING, {})
