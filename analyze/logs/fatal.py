"""Was a traceback the end of its process, or did the program handle it and go on?

The log shows it in what follows: steps beyond those before it, or the words of a good end. Buffered output makes late
lines appear after a death, so going on counts only where nobody reports a failure later.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.logs.exits import Exit
    from inquest.analyze.logs.tracebacks import Traceback
    from inquest.bundle.store import Store

_GOOD_END: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.CLEAN_EXIT, Kind.CHECKPOINT_SAVED})
_RUNS_AGAIN: Final = frozenset({Kind.RESTART, Kind.BANNER, Kind.TRAINING_BEGIN})


class FatalJudge:
    """Knows what followed each traceback."""

    def __init__(self, store: Store, steps: pl.DataFrame, events: list[dict[str, Any]], ends: list[Exit]) -> None:
        self._steps = {
            (str(key[0]), str(key[1]), key[2]): part.select("line_seq", "step", "rank", "back")
            for key, part in steps.group_by("node", "capture", "source", maintain_order=True)
        }
        self._events: defaultdict[tuple[str, str, object], list[tuple[int, str, int | None]]] = defaultdict(list)
        for event in events:
            place = (event["node"], event["capture"], event["source"])
            self._events[place].append((event["line_seq"], event["kind"], event["rank"]))
        self._failures = {(end.line.node, end.line.capture, end.line.source): end.line.seq for end in ends}
        self._failed_outside = _bad_status(store)

    def ended(self, traceback: Traceback, others: Sequence[Traceback]) -> bool:
        """True when the traceback ended its process as far as the log shows."""
        if traceback.ignored:
            return False
        first, last = traceback.first, traceback.last_seq
        place = (first.node, first.capture, first.source)
        events = self._events[place]
        if any(seq > last and kind in _RUNS_AGAIN for seq, kind, _ in events):
            return True  # what follows is another run
        if self._failures.get(place, -1) > last:
            return True
        later = any(
            other is not traceback
            and other.first.place == first.place
            and other.first.seq > last
            and other.first.rank == first.rank
            for other in others
        )
        if self._failed_outside and not later:
            return True
        own = (first.rank, None)
        if any(seq > last and kind in _GOOD_END and rank in own for seq, kind, rank in events):
            return False
        return not self._went_on(place, first.seq, last, first.rank)

    def _went_on(self, place: tuple[str, str, object], start: int, last: int, rank: int | None) -> bool:
        steps = self._steps.get(place)
        if steps is None:
            return False
        if rank is not None:
            steps = steps.filter(pl.col("rank").is_null() | (pl.col("rank") == rank))
        before = steps.filter(pl.col("line_seq") < start)["step"].max()
        after = steps.filter((pl.col("line_seq") > last) & pl.col("step").is_not_null())
        if after.is_empty():
            return False
        if before is None:
            return after.height >= 2
        return after.filter(pl.col("step") > before).height >= 2


def _bad_status(store: Store) -> bool:
    """The job is known to have ended with an error or by a signal."""
    bad = pl.col("term_signal").is_not_null() | (pl.col("exit_code") != 0)
    rows = store.scan("processes").filter((pl.col("event") == "exit") & (pl.col("role") == "task") & bad)
    return rows.head(1).collect().height > 0
