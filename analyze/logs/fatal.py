"""Was a traceback the end of its process, or did the program handle it and go on?

The log shows it in what follows: steps beyond those before it, or the words of a good end. Buffered output makes late
lines appear after a death, so going on counts only where nobody reports a failure later.
"""

from __future__ import annotations

import bisect
import re
import signal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs import went_on
from inquest.analyze.logs.farewells import says_status_zero
from inquest.analyze.logs.frames import (
    at_its_imports,
    is_a_viewer,
    is_forked,
    is_launcher,
    of_its_own,
    place_of,
    program_of,
    was_caught,
)
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.lived_through import QUEUED, ends_its_process, is_no_echo, lived_through, may_be_lived_through
from inquest.analyze.logs.printed_on import AROUND, printed_on
from inquest.analyze.logs.quotations import at_the_end
from inquest.analyze.logs.reader import around, read
from inquest.analyze.logs.recorded import (
    ended_badly,
    ended_well,
    left_with,
    of_capture,
    only_programs,
    programs,
    tried_again,
)
from inquest.analyze.logs.reports_around import REPORTS_AFTER, Reports, one_fell_silent
from inquest.analyze.logs.roles import role_of_exception
from inquest.analyze.logs.spoke_on import LINES, noted_on, spoke_on
from inquest.analyze.programs import TIMEOUT_STATUS, TRAINS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.logs.exits import Exit
    from inquest.analyze.logs.frames import Place
    from inquest.analyze.logs.reader import Line
    from inquest.analyze.logs.tracebacks import Traceback
    from inquest.bundle.store import Store

_SENT: Final = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_SHELL: Final = 128
"""What a shell adds to the number of the signal that ended its command."""
_NOTED_NS: Final = 2_000_000_000
"""What the end of a process is noted late by."""
_AT_ONCE_NS: Final = 5_000_000_000
_UNLOADED_NS: Final = 30_000_000_000
"""What a process with large libraries needs to leave, on a node that has much to do."""
_LINES_AFTER: Final = 3
_LINES_OF_WORK: Final = 100
"""Lines below an error of which no buffer holds so many."""
_REPORTS_OF_WORK: Final = 8
"""Reports below an error that no other process of the job makes, which would wait for the one that is gone."""
_HEADING: Final = 3
_LOOKED_AT: Final = 400
"""Tracebacks of a job, for each of which lines are read anew; of more, what came later is told by other signs."""
_REPEATED: Final = 2
"""How often training must have gone on after the same words for them to end nothing."""
_KILLS: Final = frozenset({signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS})
_LINES_BELOW: Final = 4
_MAKE: Final = re.compile(r"g?make(?:\[\d+\])?: ")
"""Who says "(ignored)" of a command that died."""
_IGNORED: Final = re.compile(r"g?make(?:\[\d+\])?: \[.{1,200}\] Error \d{1,3} \(ignored\)")
_OF_A_TRIAL: Final = re.compile(
    r"\] Trial \d{1,9} failed with value\b|\bTrial \S{1,80} errored after \d|\bRun \w{4,16} errored: "
)
"""What Optuna, Ray Tune and the agent of W&B say below the traceback of a trial."""
_TRIAL_DONE: Final = r"\bTrial \S{1,80} completed after [1-9]|\] Trial \d{1,9} (?:finished with value|pruned)"
_NEXT_TRIAL: Final = "Agent Starting Run: "
"""What they say of others: W&B's agent tells of none that it ended."""
_OF_SOME_FITS: Final = re.compile(r"\d{1,9} fits failed with the following error:\s*$")
"""What scikit-learn writes above the traceback that its warning quotes."""
_FITS: Final = r"\b(\d{1,9}) fits failed out of a total of (\d{1,9})\b"
_CAME_TO_AN_END: Final = re.compile(
    rf"{went_on.GOES_ON.pattern}|(?i:\b(?:done|finished|completed?|exported|saved|successful(?:ly)?)\b)"
)
_GOOD_END: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.CLEAN_EXIT})
_BY_RULE: Final = frozenset({Kind.MODEL_SAVED, Kind.EARLY_STOP, Kind.PLANNED_EXIT, Kind.SIGNAL_RECEIVED, Kind.REQUEUED})
"""What else tells that a training was to end where it did."""
_FROM_WITHOUT: Final = frozenset(
    {Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.NODE_FAILURE, Kind.CANCELLED, Kind.USER_INTERRUPT, Kind.HANG_UP}
)
"""What ends a program that works."""
_MEANT: Final = re.compile(
    r"(?i)\bearly\b|\breached\b|\btarget\b|\bbudget\b|converge|\benough\b|\b(?:done|finished|completed?|saved|best)\b"
)
"""Words of a loop that ends before its plan because it may."""
_MANY: Final = 4
"""Reports that would have followed, had it not ended there."""
_HYDRA: Final = re.compile(r"Error executing job with overrides: ")
"""What Hydra writes above an error of its job, whose outer frames it leaves out, and leaves with 1."""
_RUNS_AGAIN: Final = frozenset({Kind.RESTART, Kind.BANNER, Kind.TRAINING_BEGIN})


class FatalJudge:
    """Knows what followed each traceback."""

    def __init__(
        self,
        store: Store,
        steps: pl.DataFrame,
        events: Sequence[dict[str, Any]],
        ends: Sequence[Exit],
        raised: Sequence[Traceback],
        ends_at: Mapping[Place, int],
        quotes: frozenset[Place] = frozenset(),
    ) -> None:
        self._quotes = quotes
        self._reports = Reports(steps)
        self._steps = self._reports.steps
        self._said_its_end = {
            (event["node"], event["capture"]) for event in events if event["kind"] in _GOOD_END | _BY_RULE
        }
        self._last_begin: dict[Place, int] = {}
        self._first_begin: dict[Place, int] = {}
        self._interrupted: dict[Place, int] = {}
        self._struck_places: dict[Place, bool] = {}
        self._printed: dict[tuple[Place, int], int] = {}
        self._last_good_end: dict[tuple[Place, int | None], int] = {}
        self._restarted = {
            (event["node"], event["capture"], event["source"]) for event in events if event["kind"] == Kind.RESTART
        }
        for event in events:
            place, seq = (event["node"], event["capture"], event["source"]), event["line_seq"]
            if event["kind"] in _RUNS_AGAIN:
                self._last_begin[place] = max(seq, self._last_begin.get(place, -1))
                self._first_begin[place] = min(seq, self._first_begin.get(place, seq))
            elif event["kind"] in _FROM_WITHOUT:
                self._interrupted[place] = max(seq, self._interrupted.get(place, -1))
            elif event["kind"] in _GOOD_END:
                key = place, event["rank"]
                self._last_good_end[key] = max(seq, self._last_good_end.get(key, -1))
        self.ends = self._without_text(ends)
        """Those ends that are none in a text which the job prints now and then."""
        self._last_failure: dict[Place, int] = {}
        caught = {(place_of(one), one.final.said.seq) for one in raised if was_caught(one)}
        for end in self.ends:
            if ((end.line.node, end.line.capture, end.line.source), end.line.seq) in caught:
                continue  # the error of a command that the program ran, judged as any other
            place = end.line.node, end.line.capture, end.line.source
            self._last_failure[place] = max(end.line.seq, self._last_failure.get(place, -1))
        self._last_raised: dict[tuple[Place, int | None], int] = {}
        self._last_uncaught: dict[Place, int] = {}
        for traceback in raised:
            place, seq = place_of(traceback), traceback.first.seq
            key = place, traceback.first.rank
            self._last_raised[key] = max(seq, self._last_raised.get(key, -1))
            if not was_caught(traceback):
                self._last_uncaught[place] = max(seq, self._last_uncaught.get(place, -1))
        self._victims = [
            (place_of(traceback), traceback.first.rank, traceback.first.seq)
            for traceback in raised
            if traceback.first.rank is not None and role_of_exception(traceback) == "cascade"
        ]
        self._store = store
        self._raised = raised
        self._failed_outside = ended_badly(store)
        self._ended_well = not self._failed_outside and ended_well(store)
        self._programs = programs(store) if self._ended_well else {}
        self._failed_programs = left_with(store, 1) if self._ended_well and raised else {}
        self._ends = dict(ends_at)
        self._alike: dict[tuple[Place, str], list[Traceback]] = {}
        for traceback in raised:
            self._alike.setdefault((place_of(traceback), traceback.final.signature), []).append(traceback)
        self._survived: dict[tuple[Place, str], tuple[list[int], int]] = {}
        """Of those alike: where each ended, in order, and how many precede the first that training did not outlive."""

    def _without_text(self, ends: Sequence[Exit]) -> list[Exit]:
        """``ends`` without lines that were printed before, more than once, after which training always went on."""
        alike: dict[tuple[Place, str], list[Exit]] = {}
        for end in ends:
            alike.setdefault(((end.line.node, end.line.capture, end.line.source), end.line.text), []).append(end)
        text = {
            key
            for key, mine in alike.items()
            if len({end.line.seq for end in mine}) > _REPEATED
            and all(self._reports.went_on(key[0], end.line.seq, end.line.seq, end.line.rank) for end in mine[:-1])
        }
        return [end for end in ends if ((end.line.node, end.line.capture, end.line.source), end.line.text) not in text]

    def ended(self, traceback: Traceback) -> bool:
        """True when the traceback ended its process as far as the log shows."""
        if traceback.ignored or traceback.first.text.startswith("> "):
            return False  # quoted, as in a mail
        if self._steps and is_a_viewer(traceback):
            return False
        first, last = traceback.first, traceback.last_seq
        place = place_of(traceback)
        if place in self._quotes and not self._unique_at_the_end(place, traceback):
            return False
        if self._of_a_helper(place, traceback) or self._did_without(place, traceback):
            return False
        if self._last_begin.get(place, -1) > last and not self._before_all_began(place, traceback):
            return True  # what follows is another run
        if is_launcher(traceback) and self._reports.stepped_after(place, last):
            return False  # a launcher that died runs no steps: the script tried another way
        if self._waved_aside(place, traceback) or self._to_be_tried_again(place, traceback):
            return False
        if self._makes_do(place, traceback) or self._takes_another(place, traceback):
            return False
        if self._gone_without(place, traceback):
            return False
        if self._after_all_was_done(place, traceback):
            return False
        if self._ended_training(place, traceback):
            return True
        if self._lived_through(place, traceback) or self._spoke_on(place, traceback):
            return False
        if self._ended_well and self._by_the_main_program(traceback):
            return False
        if self._of_a_later_program(traceback) or self._ignored(place, traceback):
            return False
        if self._died_of(place, traceback):
            return True
        if self._ended_well and was_caught(traceback) and self._worked_on(place, traceback):
            return False
        if (traceback.logged or was_caught(traceback)) and self._reports.outlived(place, traceback):
            return False  # the program showed what it had caught, and worked on until something else came
        if self._tried_again(traceback) or self._launched_again(place, traceback):
            return False
        if self._killed_since(place, traceback) or self._left_behind(place, traceback):
            return False
        if first.rank is None and (search_failed := self._of_a_trial(place, traceback)) is not None:
            return search_failed
        if self._died_later(place, traceback) and self._printed_on(place, traceback, died_later=True):
            return False
        failure = self._last_failure.get(place, -1)
        if failure > last and not self._came_through(place, traceback, failure):
            return True
        if self._killed_at_work(place, traceback):
            return False
        if self._failed_outside and self._last_raised[place, first.rank] == first.seq:
            return True
        if not self._ended_well and _HYDRA.match(self._next_to.get((place, first.seq - 1), "")):
            return True
        if traceback.logged and self._ended_well and self._ends.get(place, 0) - last >= _LINES_AFTER:
            return False  # it was logged, more was printed, and all ended well
        if self._reports.began_again(place, first.seq, last, first.rank):
            return True
        # Where nobody ever trained, such words may be those of the script that went on.
        unbegun = not self._steps and not was_caught(traceback) and not traceback.logged
        if (
            self._ended_well
            and not unbegun
            and first.rank is None
            and self._says(_CAME_TO_AN_END, traceback, last + _LINES_BELOW + 2)
        ):
            return False  # what raised it would have left with another status than 0, and without these words
        if any(self._last_good_end.get((place, rank), -1) > last for rank in {first.rank, None}):
            return False
        survived = self._ended_well or (not self._failed_outside and (traceback.logged or was_caught(traceback)))
        if survived and self._reports.went_on_beside(traceback):
            return False
        # Nothing tells which of two streams came first, but all was done: who left with 0 did not die of it, nor who
        # caught it, nor a program that was only beginning.
        survived = survived or (not self._failed_outside and at_its_imports(traceback))
        if survived and self._done_beside(place, first.ts_ns):
            return False
        if not self._failed_outside and traceback.logged and was_caught(traceback) and self._noted_on(place, traceback):
            return False
        if self._mourned(place, last, first.rank):
            return True
        lived_on = traceback.threaded and (self._ended_well or self._reports.stepped_after(place, last))
        if (traceback.made or lived_on) and not self._failed_outside:
            return False  # and nothing else says that the program ended of it
        if self._borne_before(place, traceback):
            return False
        if failure <= last and self._printed_on(place, traceback):
            return False
        return not self._reports.went_on(place, first.seq, last, first.rank) or self._ended_short(place, traceback)

    def _before_all_began(self, place: Place, traceback: Traceback) -> bool:
        """It was caught before training first began, and all ended well; or it was noted, and nothing failed.

        Or who warned of it told of the next things in the same form, and something else was raised below.
        """
        raised_since = self._last_raised[place, traceback.first.rank] > traceback.first.seq
        if raised_since and self._first_begin[place] > traceback.last_seq and self._tells_on(place, traceback):
            return True
        fine = self._ended_well or (traceback.logged and not self._failed_outside)
        if not fine or not was_caught(traceback) or place in self._restarted:
            return False
        return self._first_begin[place] > traceback.last_seq and self._reports.stepped_after(place, traceback.last_seq)

    def _ended_short(self, place: Place, traceback: Traceback) -> bool:
        """What stands below it was printed before, came out of a pipe with it, and is not all that was planned."""
        if not self._reports.came_at_once(place, traceback) or program_of(traceback) is None:
            return False
        steps = self._steps[place]
        done = pl.col("step") >= pl.col("total_steps") - 1
        return steps["total_steps"].null_count() == 0 and steps.filter(done).is_empty()

    def _waved_aside(self, place: Place, traceback: Traceback) -> bool:
        """It was caught and told as a warning, or with what is done instead, and is not the last of its process."""
        first = traceback.first
        is_last = self._last_raised[place, first.rank] == first.seq
        is_last &= first.rank is not None or self._interrupted.get(place, -1) <= traceback.last_seq
        # Where none of the lines of a process bears its rank, the last of it is not told.
        if is_last and (
            first.rank is not None or not self._reports.goes_on(place, first.seq, traceback.last_seq, None)
        ):
            return self._made_good(place, traceback) or self._told_on(place, traceback)
        return (place, first.seq) in self._below_a_warning

    def _told_on(self, place: Place, traceback: Traceback) -> bool:
        """It was caught and told as a warning, and who warned tells of the next things below, and nothing failed."""
        return not self._failed_outside and self._tells_on(place, traceback)

    def _tells_on(self, place: Place, traceback: Traceback) -> bool:
        """It was caught and told as a warning, and who warned tells of the next things below, in the same form."""
        first, last = traceback.first, traceback.last_seq
        if not was_caught(traceback) or (place, first.seq) not in self._below_a_warning:
            return False
        above = self._next_to.get((place, first.seq - 1), "")
        below = [
            *traceback.final.message.splitlines()[1:],
            *(self._next_to.get((place, last + at), "") for at in (1, 2)),
        ]
        return went_on.tells_on(above, [line for line in below if line.strip()][:2])

    def _of_a_helper(self, place: Place, traceback: Traceback) -> bool:
        """Who spoke above says right below that it goes on, and the count of the training does; or it was done without.

        So was a package that pip could not build, where anything was reported or raised below.
        """
        first, last, rank = traceback.first, traceback.last_seq, traceback.first.rank
        above = self._next_to.get((place, first.seq - 1), "")
        below = (traceback.final.message.splitlines()[1:2] or [self._next_to.get((place, last + 1), "")])[0]
        if went_on.is_of_an_install(below):
            return self._reports.stepped_after(place, last) or self._last_raised[place, rank] > last
        if was_caught(traceback) and went_on.is_replaced(above, below):
            return True
        if not went_on.goes_on_by_itself(above, below):
            return False
        return self._reports.went_on(place, first.seq, last, rank) and not self._reports.began_again(
            place, first.seq, last, rank
        )

    def _did_without(self, place: Place, traceback: Traceback) -> bool:
        """A package could not be imported, and all of a training was reported below: of this program, or of another.

        A program that dies at its imports has nothing in a buffer that could be written afterwards.
        """
        steps = self._steps.get(place)
        if steps is None or traceback.first.rank is not None or not at_its_imports(traceback):
            return False
        return steps.height >= REPORTS_AFTER and bool((steps["line_seq"] > traceback.last_seq).all())

    def _to_be_tried_again(self, place: Place, traceback: Traceback) -> bool:
        """Who caught it says right above when the next try will be, others printed on, and steps were made.

        Lines that tell of no steps may be those of somebody else; so many are not. Such a program ends of it when it
        gives up, and says so, or raises it for good.
        """
        first, last = traceback.first, traceback.last_seq
        if self._failed_outside or not was_caught(traceback):
            return False
        if not went_on.is_promised(self._next_to.get((place, first.seq - 1), "")):
            return False
        trained = any(where[:2] == place[:2] for where in self._steps)
        below = (self._next_to.get((place, last + n), "") for n in (1, 2))
        gave_up = any(went_on.gives_up(text) for text in below)
        return not gave_up and self._ends.get(place, 0) - last >= (_LINES_AFTER if trained else _LINES_OF_WORK)

    def _makes_do(self, place: Place, traceback: Traceback) -> bool:
        """Who caught it says right below what is done instead, and no word of an end is below that.

        It printed on, or training was told in another stream, whose order in time with this one nobody knows.
        """
        last = traceback.last_seq
        if self._failed_outside or not was_caught(traceback) or self._last_failure.get(place, -1) > last:
            return False
        if self._last_uncaught.get(place, -1) > last:
            return False  # somebody may have given up later
        below = [*traceback.final.message.splitlines()[1:2], self._next_to.get((place, last + 1), "")]
        if not any(went_on.makes_do(text) or went_on.takes_in_its_place(text) for text in below):
            return False
        told = {where: steps for where, steps in self._steps.items() if where[:2] == place[:2]}
        if any(steps["step"].n_unique() >= REPORTS_AFTER for where, steps in told.items() if where != place):
            return True
        # What the program prints next stands as if it were of the message, which is the error's own first line.
        own = went_on.takes_in_its_place(below[0]) and len(below) > 1
        spoken = traceback.final.said.seq + 1 if own else last
        printed_on = self._ends.get(place, 0) - spoken >= _LINES_AFTER
        return printed_on and (not told or self._reports.stepped_after(place, last))

    def _takes_another(self, place: Place, traceback: Traceback) -> bool:
        """Who logged it says above what is taken instead, and printed on; what failed later was raised anew."""
        first, last = traceback.first, traceback.last_seq
        if not traceback.logged or not was_caught(traceback) or self._ends.get(place, 0) <= last:
            return False
        if self._failed_outside and self._last_raised[place, first.rank] == first.seq:
            return False
        return went_on.takes_another(self._next_to.get((place, first.seq - 1), ""))

    def _gone_without(self, place: Place, traceback: Traceback) -> bool:
        """It was caught below a warning that tells what is done instead, and nothing tells of an end, but of more work.

        A library that hands on the error of another one shows both, and the first may begin anywhere.
        """
        first, last = traceback.first, traceback.last_seq
        if self._failed_outside or not was_caught(traceback) or traceback.threaded or is_forked(traceback):
            return False
        if self._last_failure.get(place, -1) > last or self._last_uncaught.get(place, -1) > last:
            return False
        if not went_on.warns_and_goes_on(self._next_to.get((place, first.seq - 1), "")):
            return False
        below = self._next_to.get((place, last + 1), "")
        if went_on.is_an_end(below) or went_on.gives_up(below):
            return False
        return self._ended_well or self._ends.get(place, 0) - last >= _LINES_AFTER or self._spoke_later(place, first)

    def _spoke_later(self, place: Place, first: Line) -> bool:
        """Whether another stream of the job tells of several things later than a line, by its clock."""
        if first.ts_ns is None:
            return False
        stream = pl.col("source").eq_missing(pl.lit(place[2], dtype=pl.String))
        later = (
            (pl.col("ts_ns") > first.ts_ns) & ~stream & (pl.col("node") == place[0]) & (pl.col("capture") == place[1])
        )
        told = self._store.scan("log_lines").filter(later).select("ts_ns").unique().head(REPORTS_AFTER).collect()
        return told.height >= REPORTS_AFTER

    def _after_all_was_done(self, place: Place, traceback: Traceback) -> bool:
        """All that was planned had been reported, and a script says below that its command left with 0.

        What handed the results on may fail then, and the program did without. A status alone may be that of a pipe.
        """
        steps = self._steps.get(place)
        if self._failed_outside or steps is None or traceback.first.rank is not None:
            return False
        before = steps.filter(pl.col("line_seq") < traceback.first.seq)
        if before.height < steps.height or before.filter(pl.col("step") >= pl.col("total_steps")).is_empty():
            return False
        at = {"node": place[0], "capture": place[1], "seq": traceback.last_seq}
        below = read(around(self._store, pl.DataFrame([at]), after=LINES, before=-1))
        texts = [line.text for line in below if line.source == place[2] and line.seq > traceback.final.said.seq]
        texts += traceback.final.message.splitlines()[1:]
        return any(map(says_status_zero, texts)) and self._last_failure.get(place, -1) <= traceback.last_seq

    def _made_good(self, place: Place, traceback: Traceback) -> bool:
        """It is tried again, says the warning above it, and the record right below that this went well."""
        if not was_caught(traceback) or (place, traceback.first.seq) not in self._below_a_warning:
            return False
        return went_on.is_made_good(self._next_to.get((place, traceback.last_seq + 1), ""))

    @cached_property
    def _next_to(self) -> dict[tuple[Place, int], str]:
        """The line right above each traceback and the two below it."""
        ends = [(one.first, seq) for one in self._raised for seq in (one.first.seq, one.last_seq)]
        at = pl.DataFrame([{"node": line.node, "capture": line.capture, "seq": seq} for line, seq in ends])
        lines = read(around(self._store, at, after=3, before=1))
        return {((line.node, line.capture, line.source), line.seq): line.text for line in lines}

    @cached_property
    def _below_a_warning(self) -> set[tuple[Place, int]]:
        """Where something caught begins right below a line that warns, or says what is done instead."""
        above = {
            (place_of(one), one.first.seq): (place_of(one), one.first.seq - 1)
            for one in self._raised
            if was_caught(one) or at_its_imports(one) or one.logged
        }
        return {at for at, line in above.items() if went_on.is_waved_aside(self._next_to.get(line, ""))}

    def _of_a_trial(self, place: Place, traceback: Traceback) -> bool | None:
        """Whether a search ended by a trial of it that failed: where no other was done; None where it is of no trial.

        A study raises what it does not catch.
        """
        first, last = traceback.first, traceback.last_seq
        if (place, first.seq) in self._quoted_by_a_warning:
            return False
        if not self._says(_OF_A_TRIAL, traceback, last + _LINES_BELOW + 2):
            return None
        if self._reports.stepped_after(place, last) or self._others_done(place, last):
            return False
        return True if self._ended_well and not self._steps else None

    @cached_property
    def _quoted_by_a_warning(self) -> set[tuple[Place, int]]:
        """Where the traceback begins of fits that scikit-learn left out of a search, as it warns, and not of all."""
        at = [traceback.first for traceback in self._raised if "sklearn" in str(traceback.chain[0].frames[:1])]
        if not at:
            return set()
        counts = self._store.scan("log_lines").filter(pl.col("text").str.contains(_FITS)).select("text").collect()
        fits = counts["text"].str.extract_groups(_FITS).struct.unnest().cast(pl.Int64, strict=False)
        if fits.is_empty() or not fits.select((pl.col("1") < pl.col("2")).all()).item():
            return set()
        begins = pl.DataFrame([{"node": one.node, "capture": one.capture, "seq": one.seq} for one in at])
        return {
            ((line.node, line.capture, line.source), line.seq + 1)
            for line in read(around(self._store, begins, after=0, before=1))
            if _OF_SOME_FITS.match(line.text)
        }

    def _others_done(self, place: Place, last: int) -> bool:
        """Another trial is told to be done, or begun below a line."""
        node, capture, source = place
        text = pl.col("text")
        begun = (pl.col("seq") > last) & text.str.contains(_NEXT_TRIAL, literal=True)
        lines = self._store.scan("log_lines").filter(
            (pl.col("node") == node)
            & (pl.col("capture") == capture)
            & pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
            & (text.str.contains(_TRIAL_DONE) | begun)
        )
        return lines.head(1).collect().height > 0

    def _ignored(self, place: Place, traceback: Traceback) -> bool:
        """Make says that it ignores how the command ended, and what trained had left with 0, or done all it planned."""
        told = [part for where, part in self._steps.items() if where[:2] == place[:2]]
        if not self._ended_well or not told or self._reports.stepped_after(place, traceback.last_seq):
            return False
        steps, at_ns = pl.concat(told), traceback.first.ts_ns
        if at_ns is not None and (steps["ts_ns"] > at_ns).any():
            return False
        left = [at for ends in self._sound_programs.values() for at in ends if at_ns is not None and at < at_ns]
        last_ns = steps["ts_ns"].max()
        trained = bool(left) and isinstance(last_ns, int) and max(left) + _AT_ONCE_NS >= last_ns
        if not trained and steps.filter(pl.col("step") >= pl.col("total_steps")).is_empty():
            return False
        at = {"node": place[0], "capture": place[1], "seq": traceback.last_seq}
        near = read(around(self._store, pl.DataFrame([at]), after=_LINES_BELOW + 1, before=-1))
        return any(_IGNORED.match(line.text) for line in near)

    def _of_a_later_program(self, traceback: Traceback) -> bool:
        """What reported steps had left with 0 by then, and what raised it does not train by its name."""
        first, name = traceback.first, program_of(traceback)
        if not self._ended_well or first.ts_ns is None or name is None or TRAINS.search(name):
            return False
        left = [
            at
            for (node, other), ends in self._sound_programs.items()
            if node == first.node and other != name
            for at in ends
            if at < first.ts_ns
        ]
        mine = [part for where, part in self._steps.items() if where[0] == first.node]
        told = pl.concat(mine)["ts_ns"].drop_nulls() if mine else pl.Series(dtype=pl.Int64)
        return bool(left and len(told) >= REPORTS_AFTER and (told <= max(left) + _AT_ONCE_NS).all())

    @cached_property
    def _sound_programs(self) -> dict[tuple[str, str], tuple[int, ...]]:
        return left_with(self._store, 0)

    def _died_of(self, place: Place, traceback: Traceback) -> bool:
        """A recorded process of that program left with 1 right then, and none reported another step.

        The next command of a script prints what it likes, and has a status of its own.
        """
        first, name = traceback.first, program_of(traceback)
        if not self._failed_programs or first.ts_ns is None or name is None:
            return False
        ended = self._failed_programs.get((first.node, name), ())
        soon = any(-_AT_ONCE_NS <= at - first.ts_ns <= _UNLOADED_NS for at in ended)
        # What is evaluated below it, by another command, was not trained.
        counted = self._reports.trained_after if TRAINS.search(name) else self._reports.stepped_after
        return soon and (not counted(place, traceback.last_seq) or self._reports.came_at_once(place, traceback))

    def _ended_training(self, place: Place, traceback: Traceback) -> bool:
        """It was caught, training told no more from then on, far from its plan, and nothing says that it was to end.

        The program left with 0 all the same.
        """
        first, beside = traceback.first, place[:2]
        told = [part for where, part in self._steps.items() if where[:2] == beside]
        if not self._ended_well or beside in self._said_its_end or not told:
            return False
        steps, clocked = pl.concat(told), first.ts_ns is not None
        earlier = pl.col("ts_ns") <= first.ts_ns if clocked else pl.col("line_seq") < first.seq
        before = steps.filter(earlier).sort("ts_ns" if clocked else "line_seq")
        reports, total = before["step"].unique().sort(), before["total_steps"].max()
        usual = reports.diff().median()
        if before.height < steps.height or len(reports) < REPORTS_AFTER or not isinstance(usual, float):
            return False
        if isinstance(total, int):
            if total - int(reports[-1]) <= _MANY * usual:
                return False
        elif not (clocked and was_caught(traceback) and of_its_own(traceback)):
            return False  # without a plan, what failed may have come after it
        if clocked:
            pause = before["ts_ns"].diff().cast(pl.Float64).median()
            usually = pause if isinstance(pause, float) else 0.0
            soon = first.ts_ns - before["ts_ns"][-1] <= _MANY * usually + _AT_ONCE_NS
        else:
            soon = place in self._steps and first.seq - before["line_seq"][-1] <= _MANY
        if not soon or self._says(went_on.GOES_ON, traceback, traceback.last_seq + _LINES_BELOW + 2):
            return False
        said = [{"node": beside[0], "capture": beside[1], "seq": before["line_seq"][-1]}]
        near = read(around(self._store, pl.DataFrame(said), after=_LINES_BELOW, before=-1))
        own = range(first.seq, traceback.last_seq + 1)  # its lines of code may say anything
        return not any(_MEANT.search(line.text) for line in near if line.place[:3] != place or line.seq not in own)

    def _worked_on(self, place: Place, traceback: Traceback) -> bool:
        """Steps were told after what was caught, or all of them before; or Python itself logged it, and said more."""
        steps, line = self._steps.get(place), pl.col("line_seq")
        if steps is not None:
            before, after = steps.filter(line < traceback.first.seq), steps.filter(line > traceback.last_seq)
            told = before["step"].max()
            beyond = after if told is None else after.filter(pl.col("step") > told)
            if after.height and beyond.height == after.height and not one_fell_silent(before, after):
                return True
            if not before.filter(pl.col("step") >= pl.col("total_steps")).is_empty():
                return True
        itself = (traceback.first.node, traceback.first.capture) in self._programs
        return traceback.logged and itself and self._ends.get(place, 0) > traceback.final.said.seq

    def _unique_at_the_end(self, place: Place, traceback: Traceback) -> bool:
        alone = len(self._alike[place, traceback.final.signature]) == 1
        return alone and at_the_end(traceback.last_seq, self._ends.get(place))

    def _borne_before(self, place: Place, traceback: Traceback) -> bool:
        """The same traceback was printed before, more than once, and training always went on: handled, or mere text."""
        key = place, traceback.final.signature
        if key not in self._survived:
            alike = sorted(self._alike[key], key=lambda one: one.last_seq)
            fatal = (
                number
                for number, one in enumerate(alike)
                if not self._reports.went_on(place, one.first.seq, one.last_seq, one.first.rank)
            )
            self._survived[key] = [one.last_seq for one in alike], next(fatal, len(alike))
        ends, survived = self._survived[key]
        return _REPEATED <= bisect.bisect_left(ends, traceback.first.seq) <= survived

    def _killed_since(self, place: Place, traceback: Traceback) -> bool:
        """What ended after it was killed, and the program had handled it, or training gone on after several alike.

        No exception ends in a kill, so the words were handled, or mere text.
        """
        since = [
            end
            for end in self.ends
            if (end.line.node, end.line.capture, end.line.source) == place and end.line.seq > traceback.last_seq
        ]
        if not since or any(end.term_signal not in _KILLS for end in since):
            return False
        logged = traceback.logged and all(end.term_signal == signal.SIGKILL for end in since)
        if traceback.first.rank is None and (logged or self._says(went_on.GOES_ON, traceback, since[0].line.seq)):
            return True
        if was_caught(traceback) and self._noted_on(place, traceback):
            return True
        if self._all_trained_between(place, traceback, since):
            return True
        alike = sorted(self._alike[place, traceback.final.signature], key=lambda one: one.first.seq)
        steps = self._steps.get(place)
        if len(alike) < _REPEATED or steps is None:
            return False
        ends = [*(later.first.seq for later in alike[1:]), self._ends.get(place, 0)]
        told: list[int] = []
        for one, end in zip(alike, ends, strict=True):
            after = steps.filter(pl.col("line_seq").is_between(one.last_seq, end))["step"].to_list()
            if not after or (told and max(after) <= told[-1]):
                return False
            told.append(max(after))
        return True

    def _killed_at_work(self, place: Place, traceback: Traceback) -> bool:
        """The command was killed, as its status tells, and the only process that shows had counted on from there.

        No exception ends in such a status, and who is killed writes no buffer out. It may have been caught in the lines
        of the script itself, where it looks as if nobody had; then more reports must tell of it.
        """
        if traceback.first.rank is not None or self._ranks_that_raised[place] != {None}:
            return False
        first, last = traceback.first.seq, traceback.last_seq
        if self._last_failure.get(place, -1) > last or not self._struck_from_without(place):
            return False
        if self._printed_on(place, traceback):
            return True
        before, after = self._reports.beside(place, first, last, None)
        shown = traceback.logged or was_caught(traceback)
        if self._one_fell_silent(place, traceback):
            return False
        if before is None and not shown:
            # It was of a program that ran before the one that was killed.
            return after.n_unique() >= REPORTS_AFTER and self._came_one_by_one(place)
        if before is not None:
            if not (after >= before).all():
                return False
            after = after.filter(after > before)
        return after.n_unique() >= (REPORTS_AFTER if shown and before is not None else _REPORTS_OF_WORK)

    def _one_fell_silent(self, place: Place, traceback: Traceback) -> bool:
        """One of several that reported in the stream did so no more after it."""
        steps, line = self._steps.get(place), pl.col("line_seq")
        first, last = traceback.first.seq, traceback.last_seq
        return steps is not None and one_fell_silent(*(steps.filter(part) for part in (line < first, line > last)))

    def _died_later(self, place: Place, traceback: Traceback) -> bool:
        """Something else was raised later that nobody caught, and that is no echo of this."""
        last, signature = traceback.last_seq, traceback.final.signature
        later = (one for one in self._uncaught.get(place, ()) if one.first.seq > last)
        return any(one.final.signature != signature and is_no_echo(one) for one in later)

    def _printed_on(self, place: Place, traceback: Traceback, *, died_later: bool = False) -> bool:
        """Who caught or logged it printed lines of a form that it had printed before, and they count on from there.

        Whose status is no exception's, or who died of something else, had caught it, be it in the lines of the script;
        so has who goes on for long, for all that anybody can see.
        """
        of_no_error = died_later or self._ended_well or (self._failed_outside and self._struck_from_without(place))
        shown = was_caught(traceback) or traceback.logged or of_no_error
        if is_forked(traceback) or traceback.threaded:
            return False
        if self._ranks_that_raised[place] != {None} or len(self._raised) > _LOOKED_AT:
            return False
        first, said = traceback.first, traceback.final.said.seq
        if went_on.is_an_end(self._next_to.get((place, first.seq - 1), "")) or self._one_fell_silent(place, traceback):
            return False
        if (place, first.seq) not in self._printed:  # it is asked for more than one reason
            start = {"node": place[0], "capture": place[1], "seq": first.seq}
            near = read(around(self._store, pl.DataFrame([start]), after=said - first.seq + AROUND, before=AROUND))
            mine = [line for line in near if line.source == place[2]]
            below = (line.text for line in mine if line.seq > said)
            above = (line.text for line in mine if line.seq < first.seq)
            self._printed[place, first.seq] = printed_on(above, below)
        return self._printed[place, first.seq] >= (REPORTS_AFTER if shown else _REPORTS_OF_WORK)

    def _all_trained_between(self, place: Place, traceback: Traceback, since: Sequence[Exit]) -> bool:
        """Training only began below it, and a shell told of the kill right below the last report: it was tried anew.

        What a pipe had held back of the program that raised it is followed by no shell's word of a kill.
        """
        steps = self._steps.get(place)
        if steps is None or traceback.first.rank is not None or any(end.said_by != "shell" for end in since):
            return False
        if self._reports.came_at_once(place, traceback):
            return False
        first, last = since[0].line.seq, int(steps["line_seq"][-1])
        between = bool(steps["line_seq"].is_between(traceback.last_seq, first).all())
        least = REPORTS_AFTER if self._came_one_by_one(place) else QUEUED
        return between and steps["step"].n_unique() >= least and at_the_end(last, first)

    def _came_one_by_one(self, place: Place) -> bool:
        """Reports have clocks of their own: what a pipe had held back comes in one moment."""
        steps = self._steps.get(place)
        return steps is not None and steps["ts_ns"].n_unique() >= REPORTS_AFTER

    def _tried_again(self, traceback: Traceback) -> bool:
        """The process that left by it was followed by another of the same program: an attempt before the last one."""
        first, name = traceback.first, program_of(traceback)
        if first.ts_ns is None or name is None:
            return False
        ends = self._attempts.get((first.node, first.capture, name), ())
        return next((again for at, again in ends if at >= first.ts_ns - _AT_ONCE_NS), False)

    def _launched_again(self, place: Place, traceback: Traceback) -> bool:
        """Two launchers died below it, one after the other, and the job's other stream tells of another attempt."""
        if not any(other[:2] == place[:2] and other != place for other in self._restarted):
            return False
        later = [other for other in self._raised if place_of(other) == place and other.first.seq > traceback.last_seq]
        return sum(map(is_launcher, later)) > 1

    @cached_property
    def _attempts(self) -> dict[tuple[str, str, str], tuple[tuple[int, bool], ...]]:
        return tried_again(self._store) if self._raised else {}

    def _left_behind(self, place: Place, traceback: Traceback) -> bool:
        """Training went on for long after it was caught, or a thread or another program of the job had ended by it.

        Who reports steps is the only program that the job was started as; whatever ended that one came later. What a
        reader had put into a queue before it died is used up sooner.
        """
        program = of_capture(self._trainers, place)
        if program is None or traceback.first.rank is not None or not traceback.final.frames:
            return False
        other = program_of(traceback) not in (None, program)
        forked = is_forked(traceback)
        if self._borne_before(place, traceback) and self._reports.outlived(place, traceback):
            return True
        # No exception ends its process by a signal or a limit: where that came in the midst of training, one is enough.
        reports = 1 if self._struck_at_work(place) else QUEUED
        if not traceback.threaded and (forked or not other):
            if forked or not (traceback.logged or was_caught(traceback)):
                return False
            reports = min(reports, REPORTS_AFTER)
        if of_capture(self._struck, place) is not None and len(self._reports.beyond(place, traceback)) >= QUEUED:
            return True  # as a file shows it that bears no clocks
        return self._reports.outlived(place, traceback, reports) or self._reports.went_on_beside(traceback, reports)

    def _struck_at_work(self, place: Place) -> bool:
        """The command was ended by a signal that somebody sends, or a limit, right after a report as all before it."""
        mine = [part for where, part in self._steps.items() if where[:2] == place[:2]]
        times = pl.concat(mine)["ts_ns"].drop_nulls().unique().sort() if mine else pl.Series(dtype=pl.Int64)
        usual = times.diff().median()
        at = of_capture(self._struck, place)
        if at is None or not isinstance(usual, float):
            return False
        return bool(at - times[-1] <= _MANY * usual + _NOTED_NS)

    def _lived_through(self, place: Place, traceback: Traceback) -> bool:
        """Something else ended the program later, which had caught it, or lost no more than a thread by it."""
        if not may_be_lived_through(traceback) or self._ranks_that_raised[place] != {traceback.first.rank}:
            return False
        if place not in self._struck_places:
            self._struck_places[place] = self._struck_from_without(place)
        struck = self._struck_places[place] or self._interrupted.get(place, -1) > traceback.last_seq
        uncaught, ends = self._uncaught.get(place, ()), self._ends_of.get(place, ())
        return lived_through(traceback, uncaught, self._reports, ends, struck=struck)

    def _spoke_on(self, place: Place, traceback: Traceback) -> bool:
        """Its process logged it and worked on, and another error that nobody caught came later."""
        last, signature = traceback.last_seq, traceback.final.signature
        later = (one for one in self._uncaught.get(place, ()) if one.first.seq > last)
        if (
            not traceback.logged
            or len(self._raised) > _LOOKED_AT
            or not any(x.final.signature != signature for x in later)
        ):
            return False
        start = {"node": place[0], "capture": place[1], "seq": traceback.first.seq}
        until = last - traceback.first.seq + LINES
        near = read(around(self._store, pl.DataFrame([start]), after=until, before=_HEADING))
        mine = [line for line in near if line.source == place[2]]
        above = [line.text for line in mine if line.seq < traceback.first.seq]
        below = [line.text for line in mine if line.seq > last]
        if not above or went_on.is_an_end(above[-1]):
            return False
        alone = was_caught(traceback) and self._ranks_that_raised[place] == {None}
        return spoke_on(above[-1], below) or (alone and noted_on(below))

    @cached_property
    def _ranks_that_raised(self) -> dict[Place, set[int | None]]:
        ranks: dict[Place, set[int | None]] = {}
        for traceback in self._raised:
            ranks.setdefault(place_of(traceback), set()).add(traceback.first.rank)
        return ranks

    @cached_property
    def _uncaught(self) -> dict[Place, list[Traceback]]:
        uncaught: dict[Place, list[Traceback]] = {}
        for traceback in filter(ends_its_process, self._raised):
            uncaught.setdefault(place_of(traceback), []).append(traceback)
        return uncaught

    @cached_property
    def _ends_of(self) -> dict[Place, list[Exit]]:
        ends: dict[Place, list[Exit]] = {}
        for end in self.ends:
            ends.setdefault((end.line.node, end.line.capture, end.line.source), []).append(end)
        return ends

    def _struck_from_without(self, place: Place) -> bool:
        """A signal or a limit ended the command; in the midst of its reports, where clocks tell."""
        if of_capture(self._struck, place) is not None:
            return self._struck_at_work(place)
        return of_capture(dict.fromkeys(self._sent_for, True), place) is True

    @cached_property
    def _struck(self) -> dict[tuple[str, str], int]:
        return {place: at for place, at in self._sent_for.items() if at is not None}

    @cached_property
    def _sent_for(self) -> dict[tuple[str, str], int | None]:
        """Commands that a signal or a limit ended, and when, where that is told."""
        code, numbers = pl.col("exit_code"), [int(number) for number in _SENT]
        by_one = pl.col("term_signal").is_in(numbers) | (code - _SHELL).is_in(numbers) | (code == TIMEOUT_STATUS)
        rows = self._store.scan("processes").filter((pl.col("event") == "exit") & (pl.col("role") == "task") & by_one)
        return {
            (node, capture): at for node, capture, at in rows.select("node", "capture", "ts_ns").collect().iter_rows()
        }

    @cached_property
    def _trainers(self) -> dict[tuple[str, str], str]:
        return only_programs(self._store) if self._raised else {}

    def _says(self, words: re.Pattern[str], traceback: Traceback, until: int) -> bool:
        """The program's own words right below, up to a line, are such ones."""
        below = traceback.final.message.splitlines()[1:]
        place = {"node": traceback.first.node, "capture": traceback.first.capture, "seq": traceback.last_seq}
        near = read(around(self._store, pl.DataFrame([place]), after=_LINES_BELOW + 1, before=-1))
        below += [line.text for line in near if line.seq < until and line.source == traceback.first.source]
        below = [text for text in below if not _MAKE.match(text)]
        return any(words.search(text) for text in below)

    def _noted_on(self, place: Place, traceback: Traceback) -> bool:
        """Below it the only process that the stream is of, for all that it shows, noted what it did next."""
        if self._ranks_that_raised[place] != {None} or len(self._raised) > _LOOKED_AT:
            return False
        if went_on.is_an_end(self._next_to.get((place, traceback.first.seq - 1), "")):
            return False
        start = {"node": place[0], "capture": place[1], "seq": traceback.last_seq}
        below = read(around(self._store, pl.DataFrame([start]), after=LINES, before=0))
        return noted_on(line.text for line in below if line.source == place[2] and line.seq > traceback.last_seq)

    def _done_beside(self, place: Place, since_ns: int | None) -> bool:
        """Another stream of the process tells that all was done, nobody knows when, and this one tells no steps."""
        if place in self._steps:
            return False
        beside = [other for other in self._steps if other[:2] == place[:2]]
        said = any(other in beside for other, _ in self._last_good_end)
        if len(beside) != 1:
            return False
        steps = self._steps[beside[0]]
        if since_ns is not None and steps["ts_ns"].null_count() < steps.height:
            return False  # which of them came first is told
        return said or not steps.filter(pl.col("step") >= pl.col("total_steps")).is_empty()

    def _mourned(self, place: Place, last: int, rank: int | None) -> bool:
        """Another rank died later of a peer that had gone away, and this one reported no more."""
        if rank is None or not any(
            where == place and other != rank and seq > last for where, other, seq in self._victims
        ):
            return False
        steps = self._steps.get(place)
        return steps is None or steps.filter((pl.col("rank") == rank) & (pl.col("line_seq") > last)).is_empty()

    def _came_through(self, place: Place, traceback: Traceback, failure: int) -> bool:
        """All ended well, and the count went on past the failure that a line tells of, or from here to its end."""
        first, last = traceback.first, traceback.last_seq
        if not self._ended_well:
            return False
        if self._reports.goes_on(place, first.seq, failure, first.rank):
            return True
        steps = self._steps.get(place)
        if steps is None or first.rank is not None:
            return False
        done = pl.col("step") >= pl.col("total_steps")
        if steps.filter(pl.col("line_seq") < first.seq).is_empty():  # all that was trained was trained afterwards
            return not steps.filter((pl.col("line_seq") > failure) & done).is_empty()
        if not self._reports.goes_on(place, first.seq, last, first.rank):
            return False
        return not steps.filter((pl.col("line_seq") > last) & done).is_empty()

    def _by_the_main_program(self, traceback: Traceback) -> bool:
        """The command is Python itself, left with 0, and the traceback goes down to the program it runs.

        What nobody catches there leaves 1.
        """
        program = self._programs.get((traceback.first.node, traceback.first.capture))
        return bool(program) and program_of(traceback) == program and not is_forked(traceback)
