"""Was a traceback the end of its process, or did the program handle it and go on?

The log shows it in what follows: steps beyond those before it, or the words of a good end. Buffered output makes late
lines appear after a death, so going on counts only where nobody reports a failure later.
"""

from __future__ import annotations

import bisect
import re
import signal
from functools import cached_property
from pathlib import PurePosixPath as Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs import went_on
from inquest.analyze.logs.kinds import Kind
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
from inquest.analyze.logs.roles import role_of_exception
from inquest.analyze.programs import TIMEOUT_STATUS, TRAINS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.logs.exits import Exit
    from inquest.analyze.logs.tracebacks import Traceback
    from inquest.bundle.store import Store

_Place = tuple[str, str, str | None]

_LAUNCHER_FILE: Final = re.compile(
    r"/bin/(?:accelerate|torchrun|deepspeed)$|/accelerate/commands/|/torch/distributed/(?:run|launch)\.py$"
    r"|/torch/distributed/(?:launcher|elastic)/|/deepspeed/launcher/"
)
_REPORTS_AFTER: Final = 3
"""Reports, each with a clock of its own, that prove that a process went on."""
_APART_NS: Final = 10_000_000
"""Between two of them, where the clock is that of reading: what comes out of a buffer comes at once."""
_QUEUED: Final = 20
"""More batches than that are seldom read ahead."""
_SENT: Final = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
_SHELL: Final = 128
"""What a shell adds to the number of the signal that ended its command."""
_NOTED_NS: Final = 2_000_000_000
"""What the end of a process is noted late by."""
_LINES_AFTER: Final = 3
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
_IMPORTS: Final = re.compile(r"(?:import|from) \w")
_CAME_TO_AN_END: Final = re.compile(
    rf"{went_on.GOES_ON.pattern}|(?i:\b(?:done|finished|completed?|exported|saved|successful(?:ly)?)\b)"
)
_OF_STEPS: Final = ("line_seq", "kind", "step", "total_steps", "rank", "speaker", "ts_ns")
_GOOD_END: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.CLEAN_EXIT})
_BY_RULE: Final = frozenset({Kind.MODEL_SAVED, Kind.EARLY_STOP, Kind.PLANNED_EXIT, Kind.SIGNAL_RECEIVED, Kind.REQUEUED})
"""What else tells that a training was to end where it did."""
_MEANT: Final = re.compile(
    r"(?i)\bearly\b|\breached\b|\btarget\b|\bbudget\b|converge|\benough\b|\b(?:done|finished|completed?|saved|best)\b"
)
"""Words of a loop that ends before its plan because it may."""
_MANY: Final = 4
"""Reports that would have followed, had it not ended there."""
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
        ends_at: Mapping[_Place, int],
        quotes: frozenset[_Place] = frozenset(),
    ) -> None:
        self._quotes = quotes
        self._steps = {
            (str(key[0]), str(key[1]), key[2]): part.select(_OF_STEPS)
            for key, part in _counted(steps).group_by("node", "capture", "source")
        }
        self._said_its_end = {
            (event["node"], event["capture"]) for event in events if event["kind"] in _GOOD_END | _BY_RULE
        }
        self._last_begin: dict[_Place, int] = {}
        self._last_good_end: dict[tuple[_Place, int | None], int] = {}
        self._restarted = {
            (event["node"], event["capture"], event["source"]) for event in events if event["kind"] == Kind.RESTART
        }
        for event in events:
            place, seq = (event["node"], event["capture"], event["source"]), event["line_seq"]
            if event["kind"] in _RUNS_AGAIN:
                self._last_begin[place] = max(seq, self._last_begin.get(place, -1))
            elif event["kind"] in _GOOD_END:
                key = place, event["rank"]
                self._last_good_end[key] = max(seq, self._last_good_end.get(key, -1))
        self.ends = self._without_text(ends)
        """Those ends that are none in a text which the job prints now and then."""
        self._last_failure: dict[_Place, int] = {}
        for end in self.ends:
            place = end.line.node, end.line.capture, end.line.source
            self._last_failure[place] = max(end.line.seq, self._last_failure.get(place, -1))
        self._last_raised: dict[tuple[_Place, int | None], int] = {}
        for traceback in raised:
            key = _place(traceback), traceback.first.rank
            self._last_raised[key] = max(traceback.first.seq, self._last_raised.get(key, -1))
        self._victims = [
            (_place(traceback), traceback.first.rank, traceback.first.seq)
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
        self._alike: dict[tuple[_Place, str], list[Traceback]] = {}
        for traceback in raised:
            self._alike.setdefault((_place(traceback), traceback.final.signature), []).append(traceback)
        self._survived: dict[tuple[_Place, str], tuple[list[int], int]] = {}
        """Of those alike: where each ended, in order, and how many precede the first that training did not outlive."""

    def _without_text(self, ends: Sequence[Exit]) -> list[Exit]:
        """``ends`` without lines that were printed before, more than once, after which training always went on."""
        alike: dict[tuple[_Place, str], list[Exit]] = {}
        for end in ends:
            alike.setdefault(((end.line.node, end.line.capture, end.line.source), end.line.text), []).append(end)
        text = {
            key
            for key, mine in alike.items()
            if len({end.line.seq for end in mine}) > _REPEATED
            and all(self._went_on(key[0], end.line.seq, end.line.seq, end.line.rank) for end in mine[:-1])
        }
        return [end for end in ends if ((end.line.node, end.line.capture, end.line.source), end.line.text) not in text]

    def ended(self, traceback: Traceback) -> bool:
        """True when the traceback ended its process as far as the log shows."""
        if traceback.ignored or traceback.first.text.startswith("> "):
            return False  # quoted, as in a mail
        if self._steps and _is_a_viewer(traceback):
            return False
        first, last = traceback.first, traceback.last_seq
        place = _place(traceback)
        if place in self._quotes and not self._unique_at_the_end(place, traceback):
            return False
        if self._of_a_helper(place, traceback):
            return False
        if self._last_begin.get(place, -1) > last:
            return True  # what follows is another run
        if _is_launcher(traceback) and self._stepped_after(place, last):
            return False  # a launcher that died runs no steps: the script tried another way
        if self._waved_aside(place, traceback):
            return False
        if self._ended_training(place, traceback):
            return True
        if self._ended_well and self._by_the_main_program(traceback):
            return False
        if self._of_a_later_program(traceback) or self._ignored(place, traceback):
            return False
        if self._died_of(place, traceback):
            return True
        if self._ended_well and _was_caught(traceback) and self._worked_on(place, traceback):
            return False
        if (traceback.logged or _was_caught(traceback)) and self._outlived(place, traceback):
            return False  # the program showed what it had caught, and worked on until something else came
        if self._tried_again(traceback) or self._launched_again(place, traceback):
            return False
        if self._killed_since(place, traceback) or self._left_behind(place, traceback):
            return False
        if first.rank is None and (search_failed := self._of_a_trial(place, traceback)) is not None:
            return search_failed
        failure = self._last_failure.get(place, -1)
        if failure > last and not self._came_through(place, traceback, failure):
            return True
        if self._failed_outside and self._last_raised[place, first.rank] == first.seq:
            return True
        if traceback.logged and self._ended_well and self._ends.get(place, 0) - last >= _LINES_AFTER:
            return False  # it was logged, more was printed, and all ended well
        if self._began_again(place, first.seq, last, first.rank):
            return True
        # Where nobody ever trained, such words may be those of the script that went on.
        unbegun = not self._steps and not _was_caught(traceback) and not traceback.logged
        if (
            self._ended_well
            and not unbegun
            and first.rank is None
            and self._says(_CAME_TO_AN_END, traceback, last + _LINES_BELOW + 2)
        ):
            return False  # what raised it would have left with another status than 0, and without these words
        if any(self._last_good_end.get((place, rank), -1) > last for rank in {first.rank, None}):
            return False
        survived = self._ended_well or (not self._failed_outside and (traceback.logged or _was_caught(traceback)))
        if survived and self._went_on_beside(traceback):
            return False
        # Nothing tells which of two streams came first, but all was done: who left with 0 did not die of it, nor who
        # caught it, nor a program that was only beginning.
        survived = survived or (not self._failed_outside and _at_its_imports(traceback))
        if survived and first.ts_ns is None and self._done_beside(place):
            return False
        if self._mourned(place, last, first.rank):
            return True
        lived_on = traceback.threaded and (self._ended_well or self._stepped_after(place, last))
        if (traceback.made or lived_on) and not self._failed_outside:
            return False  # and nothing else says that the program ended of it
        if self._borne_before(place, traceback):
            return False
        return not self._went_on(place, first.seq, last, first.rank) or self._ended_short(place, traceback)

    def _ended_short(self, place: _Place, traceback: Traceback) -> bool:
        """What stands below it was printed before, came out of a pipe with it, and is not all that was planned."""
        if not self._came_at_once(place, traceback) or not _reached_the_bottom(traceback):
            return False
        steps = self._steps[place]
        done = pl.col("step") >= pl.col("total_steps") - 1
        return steps["total_steps"].null_count() == 0 and steps.filter(done).is_empty()

    def _waved_aside(self, place: _Place, traceback: Traceback) -> bool:
        """It was caught and told as a warning, or with what is done instead, and is not the last of its process."""
        first = traceback.first
        is_last = self._last_raised[place, first.rank] == first.seq
        # Where none of the lines of a process bears its rank, the last of it is not told.
        if is_last and (first.rank is not None or not self._goes_on(place, first.seq, traceback.last_seq, None)):
            return self._made_good(place, traceback)
        return _was_caught(traceback) and (place, first.seq) in self._below_a_warning

    def _of_a_helper(self, place: _Place, traceback: Traceback) -> bool:
        """Who spoke above says right below that it goes on, and the count of the training does; or it was done without.

        So was a package that pip could not build, where anything was reported or raised below.
        """
        first, last, rank = traceback.first, traceback.last_seq, traceback.first.rank
        above = self._next_to.get((place, first.seq - 1), "")
        below = (traceback.final.message.splitlines()[1:2] or [self._next_to.get((place, last + 1), "")])[0]
        if went_on.is_of_an_install(below):
            return self._stepped_after(place, last) or self._last_raised[place, rank] > last
        if _was_caught(traceback) and went_on.is_replaced(above, below):
            return True
        if not went_on.goes_on_by_itself(above, below):
            return False
        return self._went_on(place, first.seq, last, rank) and not self._began_again(place, first.seq, last, rank)

    def _made_good(self, place: _Place, traceback: Traceback) -> bool:
        """It is tried again, says the warning above it, and the record right below that this went well."""
        if not _was_caught(traceback) or (place, traceback.first.seq) not in self._below_a_warning:
            return False
        return went_on.is_made_good(self._next_to.get((place, traceback.last_seq + 1), ""))

    @cached_property
    def _next_to(self) -> dict[tuple[_Place, int], str]:
        """The lines right above and below each traceback."""
        ends = [(one.first, seq) for one in self._raised for seq in (one.first.seq, one.last_seq)]
        at = pl.DataFrame([{"node": line.node, "capture": line.capture, "seq": seq} for line, seq in ends])
        lines = read(around(self._store, at, after=2, before=1))
        return {((line.node, line.capture, line.source), line.seq): line.text for line in lines}

    @cached_property
    def _below_a_warning(self) -> set[tuple[_Place, int]]:
        """Where something caught begins right below a line that warns, or says what is done instead."""
        above = {
            (_place(one), one.first.seq): (_place(one), one.first.seq - 1) for one in self._raised if _was_caught(one)
        }
        return {at for at, line in above.items() if went_on.is_waved_aside(self._next_to.get(line, ""))}

    def _of_a_trial(self, place: _Place, traceback: Traceback) -> bool | None:
        """Whether a search ended by a trial of it that failed: where no other was done; None where it is of no trial.

        A study raises what it does not catch.
        """
        first, last = traceback.first, traceback.last_seq
        if (place, first.seq) in self._quoted_by_a_warning:
            return False
        if not self._says(_OF_A_TRIAL, traceback, last + _LINES_BELOW + 2):
            return None
        if self._stepped_after(place, last) or self._others_done(place, last):
            return False
        return True if self._ended_well and not self._steps else None

    @cached_property
    def _quoted_by_a_warning(self) -> set[tuple[_Place, int]]:
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

    def _others_done(self, place: _Place, last: int) -> bool:
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

    def _ignored(self, place: _Place, traceback: Traceback) -> bool:
        """Make says that it ignores how the command ended, and what trained had left with 0, or done all it planned."""
        told = [part for where, part in self._steps.items() if where[:2] == place[:2]]
        if not self._ended_well or not told or self._stepped_after(place, traceback.last_seq):
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
        first, frames = traceback.first, traceback.final.frames
        if not self._ended_well or first.ts_ns is None or not frames or frames[0].function != "<module>":
            return False
        name = Path(frames[0].file).name
        if TRAINS.search(name):
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
        return bool(left and len(told) >= _REPORTS_AFTER and (told <= max(left) + _AT_ONCE_NS).all())

    @cached_property
    def _sound_programs(self) -> dict[tuple[str, str], tuple[int, ...]]:
        return left_with(self._store, 0)

    def _died_of(self, place: _Place, traceback: Traceback) -> bool:
        """A recorded process of that program left with 1 right then, and none reported another step.

        The next command of a script prints what it likes, and has a status of its own.
        """
        first, frames = traceback.first, traceback.final.frames
        if not self._failed_programs or first.ts_ns is None or not frames or frames[0].function != "<module>":
            return False
        ended = self._failed_programs.get((first.node, Path(frames[0].file).name), ())
        soon = any(-_AT_ONCE_NS <= at - first.ts_ns <= _UNLOADED_NS for at in ended)
        # What is evaluated below it, by another command, was not trained.
        counted = self._trained_after if TRAINS.search(Path(frames[0].file).name) else self._stepped_after
        return soon and (not counted(place, traceback.last_seq) or self._came_at_once(place, traceback))

    def _came_at_once(self, place: _Place, traceback: Traceback) -> bool:
        """Every report stands below, and all were read in the moment of the traceback: a pipe had held them back."""
        steps, at_ns = self._steps.get(place), traceback.first.ts_ns
        if steps is None or at_ns is None or steps.height < _REPORTS_AFTER or steps["ts_ns"].null_count():
            return False
        below = bool((steps["line_seq"] > traceback.last_seq).all())
        return below and bool(((steps["ts_ns"] - at_ns).abs() <= _HELD_BACK_NS).all())

    def _ended_training(self, place: _Place, traceback: Traceback) -> bool:
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
        if before.height < steps.height or len(reports) < _REPORTS_AFTER or not isinstance(usual, float):
            return False
        if isinstance(total, int):
            if total - int(reports[-1]) <= _MANY * usual:
                return False
        elif not (clocked and _was_caught(traceback) and _of_its_own(traceback)):
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

    def _worked_on(self, place: _Place, traceback: Traceback) -> bool:
        """Steps were told after what was caught, or all of them before; or Python itself logged it, and said more."""
        steps, line = self._steps.get(place), pl.col("line_seq")
        if steps is not None:
            before, after = steps.filter(line < traceback.first.seq), steps.filter(line > traceback.last_seq)
            told = before["step"].max()
            beyond = after if told is None else after.filter(pl.col("step") > told)
            if after.height and beyond.height == after.height and not _one_fell_silent(before, after):
                return True
            if not before.filter(pl.col("step") >= pl.col("total_steps")).is_empty():
                return True
        itself = (traceback.first.node, traceback.first.capture) in self._programs
        return traceback.logged and itself and self._ends.get(place, 0) > traceback.final.said.seq

    def _unique_at_the_end(self, place: _Place, traceback: Traceback) -> bool:
        alone = len(self._alike[place, traceback.final.signature]) == 1
        return alone and at_the_end(traceback.last_seq, self._ends.get(place))

    def _borne_before(self, place: _Place, traceback: Traceback) -> bool:
        """The same traceback was printed before, more than once, and training always went on: handled, or mere text."""
        key = place, traceback.final.signature
        if key not in self._survived:
            alike = sorted(self._alike[key], key=lambda one: one.last_seq)
            fatal = (
                number
                for number, one in enumerate(alike)
                if not self._went_on(place, one.first.seq, one.last_seq, one.first.rank)
            )
            self._survived[key] = [one.last_seq for one in alike], next(fatal, len(alike))
        ends, survived = self._survived[key]
        return _REPEATED <= bisect.bisect_left(ends, traceback.first.seq) <= survived

    def _killed_since(self, place: _Place, traceback: Traceback) -> bool:
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

    def _all_trained_between(self, place: _Place, traceback: Traceback, since: Sequence[Exit]) -> bool:
        """Training only began below it, and a shell told of the kill right below the last report: it was tried anew.

        What a pipe had held back of the program that raised it is followed by no shell's word of a kill.
        """
        steps = self._steps.get(place)
        if steps is None or traceback.first.rank is not None or any(end.said_by != "shell" for end in since):
            return False
        if self._came_at_once(place, traceback):
            return False
        first, last = since[0].line.seq, int(steps["line_seq"][-1])
        between = bool(steps["line_seq"].is_between(traceback.last_seq, first).all())
        return between and steps["step"].n_unique() >= _QUEUED and at_the_end(last, first)

    def _tried_again(self, traceback: Traceback) -> bool:
        """The process that left by it was followed by another of the same program: an attempt before the last one."""
        first, frames = traceback.first, traceback.final.frames
        if first.ts_ns is None or not frames or frames[0].function != "<module>":
            return False
        ends = self._attempts.get((first.node, first.capture, Path(frames[0].file).name), ())
        return next((again for at, again in ends if at >= first.ts_ns - _AT_ONCE_NS), False)

    def _launched_again(self, place: _Place, traceback: Traceback) -> bool:
        """Two launchers died below it, one after the other, and the job's other stream tells of another attempt."""
        if not any(other[:2] == place[:2] and other != place for other in self._restarted):
            return False
        later = [other for other in self._raised if _place(other) == place and other.first.seq > traceback.last_seq]
        return sum(map(_is_launcher, later)) > 1

    @cached_property
    def _attempts(self) -> dict[tuple[str, str, str], tuple[tuple[int, bool], ...]]:
        return tried_again(self._store) if self._raised else {}

    def _left_behind(self, place: _Place, traceback: Traceback) -> bool:
        """Training went on for long after it was caught, or a thread or another program of the job had ended by it.

        Who reports steps is the only program that the job was started as; whatever ended that one came later. What a
        reader had put into a queue before it died is used up sooner.
        """
        program = of_capture(self._trainers, place)
        frames = traceback.final.frames
        if program is None or traceback.first.rank is not None or not frames:
            return False
        other = frames[0].function == "<module>" and Path(frames[0].file).name != program
        forked = any("multiprocessing" in frame.file for frame in frames)
        if self._borne_before(place, traceback) and self._outlived(place, traceback):
            return True
        # No exception ends its process by a signal or a limit: where that came in the midst of training, one is enough.
        reports = 1 if self._struck_at_work(place) else _QUEUED
        if not traceback.threaded and (forked or not other):
            if forked or not (traceback.logged or _was_caught(traceback)):
                return False
            reports = min(reports, _REPORTS_AFTER)
        if of_capture(self._struck, place) is not None and len(self._beyond(place, traceback)) >= _QUEUED:
            return True  # as a file shows it that bears no clocks
        return self._outlived(place, traceback, reports) or self._went_on_beside(traceback, reports)

    def _beyond(self, place: _Place, traceback: Traceback) -> pl.Series:
        """Steps below a traceback that are greater than all above it."""
        before, after = self._beside(place, traceback.first.seq, traceback.last_seq, traceback.first.rank)
        return (after if before is None else after.filter(after > before)).unique()

    def _struck_at_work(self, place: _Place) -> bool:
        """The command was ended by a signal that somebody sends, or a limit, right after a report as all before it."""
        mine = [part for where, part in self._steps.items() if where[:2] == place[:2]]
        times = pl.concat(mine)["ts_ns"].drop_nulls().unique().sort() if mine else pl.Series(dtype=pl.Int64)
        usual = times.diff().median()
        at = of_capture(self._struck, place)
        if at is None or not isinstance(usual, float):
            return False
        return bool(at - times[-1] <= _MANY * usual + _NOTED_NS)

    @cached_property
    def _struck(self) -> dict[tuple[str, str], int]:
        code, numbers = pl.col("exit_code"), [int(number) for number in _SENT]
        by_one = pl.col("term_signal").is_in(numbers) | (code - _SHELL).is_in(numbers) | (code == TIMEOUT_STATUS)
        rows = self._store.scan("processes").filter(
            (pl.col("event") == "exit") & (pl.col("role") == "task") & pl.col("ts_ns").is_not_null() & by_one
        )
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

    def _done_beside(self, place: _Place) -> bool:
        """Another stream of the same process tells that all was done, and this one no steps of its own."""
        if place in self._steps:
            return False
        beside = [other for other in self._steps if other[:2] == place[:2]]
        said = any(other in beside for other, _ in self._last_good_end)
        done = pl.col("step") >= pl.col("total_steps")
        return len(beside) == 1 and (said or not self._steps[beside[0]].filter(done).is_empty())

    def _mourned(self, place: _Place, last: int, rank: int | None) -> bool:
        """Another rank died later of a peer that had gone away, and this one reported no more."""
        if rank is None or not any(
            where == place and other != rank and seq > last for where, other, seq in self._victims
        ):
            return False
        steps = self._steps.get(place)
        return steps is None or steps.filter((pl.col("rank") == rank) & (pl.col("line_seq") > last)).is_empty()

    def _stepped_after(self, place: _Place, last: int) -> bool:
        steps = self._steps.get(place)
        return steps is not None and bool((steps["line_seq"] > last).any())

    def _trained_after(self, place: _Place, last: int) -> bool:
        steps = self._steps.get(place)
        evaluated = pl.col("kind").eq_missing(str(Kind.VALIDATION))
        return steps is not None and not steps.filter((pl.col("line_seq") > last) & ~evaluated).is_empty()

    def _began_again(self, place: _Place, start: int, last: int, rank: int | None) -> bool:
        """The next report is of a much smaller step: a script ran the program anew."""
        before, after = self._beside(place, start, last, rank)
        return before is not None and len(after) > 1 and after[0] * 2 <= before and bool(after[1] < before)

    def _went_on(self, place: _Place, start: int, last: int, rank: int | None) -> bool:
        steps, line = self._steps.get(place), pl.col("line_seq")
        both = None if rank is not None or steps is None else (steps.filter(line < start), steps.filter(line > last))
        if both is not None and _one_fell_silent(*both):
            return False
        before, after = self._beside(place, start, last, rank)
        return len(after if before is None else after.filter(after > before)) >= 2

    def _goes_on(self, place: _Place, start: int, last: int, rank: int | None) -> bool:
        """The count goes on from where it stood, and does not come there a second time."""
        before, after = self._beside(place, start, last, rank)
        return before is not None and len(after) >= _REPORTS_AFTER and bool((after > before).all())

    def _came_through(self, place: _Place, traceback: Traceback, failure: int) -> bool:
        """All ended well, and the count went on past the failure that a line tells of, or from here to its end."""
        first, last = traceback.first, traceback.last_seq
        if not self._ended_well:
            return False
        if self._goes_on(place, first.seq, failure, first.rank):
            return True
        steps = self._steps.get(place)
        if steps is None or first.rank is not None:
            return False
        done = pl.col("step") >= pl.col("total_steps")
        if steps.filter(pl.col("line_seq") < first.seq).is_empty():  # all that was trained was trained afterwards
            return not steps.filter((pl.col("line_seq") > failure) & done).is_empty()
        if not self._goes_on(place, first.seq, last, first.rank):
            return False
        return not steps.filter((pl.col("line_seq") > last) & done).is_empty()

    def _outlived(self, place: _Place, traceback: Traceback, reports: int = _REPORTS_AFTER) -> bool:
        """Later reports of greater steps bear later clocks of their own, so they were no lines left in a pipe."""
        first, rank = traceback.first, traceback.first.rank
        steps = self._steps.get(place)
        if steps is None or first.ts_ns is None or self._began_again(place, first.seq, traceback.last_seq, rank):
            return False
        before, _ = self._beside(place, first.seq, traceback.last_seq, rank)
        later = steps.filter(
            (pl.col("line_seq") > traceback.last_seq)
            & (pl.col("ts_ns") > first.ts_ns)
            & (pl.col("rank").eq_missing(rank) if rank is not None else pl.lit(value=True))
            & (pl.col("step") > (-1 if before is None else before))
        )
        return later["ts_ns"].n_unique() >= reports

    def _went_on_beside(self, traceback: Traceback, reports: int = _REPORTS_AFTER) -> bool:
        """The process reported greater steps on its other stream, one after the other as they were read.

        What it had printed before and left in a buffer is read at once when it ends.
        """
        first = traceback.first
        mine = [
            steps
            for (node, capture, source), steps in self._steps.items()
            if (node, capture) == (first.node, first.capture) and source != first.source
        ]
        if not mine or first.ts_ns is None:
            return False
        steps = pl.concat(mine).filter(pl.col("ts_ns").is_not_null())
        if first.rank is not None:
            steps = steps.filter(pl.col("rank").is_null() | (pl.col("rank") == first.rank))
        is_later = pl.col("ts_ns") > first.ts_ns
        before = steps.filter(~is_later).select(pl.col("step").max()).item()
        if _one_fell_silent(steps.filter(~is_later), steps.filter(is_later)):
            return False
        later = steps.filter(is_later & (pl.col("step") > (-1 if before is None else before)))
        times = later["ts_ns"].unique().sort()
        return int((times.diff() >= _APART_NS).sum()) >= reports

    def _by_the_main_program(self, traceback: Traceback) -> bool:
        """The command is Python itself, left with 0, and the traceback goes down to the program it runs.

        What nobody catches there leaves 1.
        """
        program = self._programs.get((traceback.first.node, traceback.first.capture))
        frames = traceback.final.frames
        return bool(
            program
            and frames
            and frames[0].function == "<module>"
            and Path(frames[0].file).name == program
            and not any("multiprocessing" in frame.file for frame in frames)
        )

    def _beside(self, place: _Place, start: int, last: int, rank: int | None) -> tuple[int | None, pl.Series]:
        """The greatest step before a traceback, and all steps after it."""
        steps = self._steps.get(place)
        if steps is None:
            return None, pl.Series(dtype=pl.Int64)
        if rank is not None:
            steps = steps.filter(pl.col("rank").is_null() | (pl.col("rank") == rank))
        before = steps.filter(pl.col("line_seq") < start).select(pl.col("step").max()).item()
        return before, steps.filter(pl.col("line_seq") > last)["step"]


def _of_its_own(traceback: Traceback) -> bool:
    """An error of computing, raised by the job's own lines: no store, tracker or file that is used after training."""
    files = [frame.file for raised in traceback.chain for frame in raised.frames]
    own = not any("-packages/" in file or "/lib/python" in file for file in files)
    return own and traceback.final.exc_type in _COMPUTING


_COMPUTING: Final = frozenset(
    {"ValueError", "IndexError", "KeyError", "TypeError", "RuntimeError", "ZeroDivisionError", "AssertionError"}
)


def _one_fell_silent(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    """One of several processes reported often until then, and never again, while others did."""
    who = ["rank", "speaker"]
    told = before.group_by(who).len().filter(pl.col("len") >= _REPORTS_AFTER)
    others = after.select(who).unique()
    if told.height < 2 or others.is_empty():
        return False
    return not told.join(others, on=who, how="anti", nulls_equal=True).is_empty()


def _is_launcher(traceback: Traceback) -> bool:
    """True when every frame is a launcher's, so that the process ran no code of the job."""
    frames = [frame for raised in traceback.chain for frame in raised.frames]
    return bool(frames) and all(_LAUNCHER_FILE.search(frame.file) for frame in frames)


def _is_a_viewer(traceback: Traceback) -> bool:
    """True when it is of a program that only shows what a training does, as TensorBoard."""
    frames = traceback.chain[0].frames
    return bool(frames) and _VIEWER_FILE.search(frames[0].file) is not None


_VIEWER_FILE: Final = re.compile(
    r"(?:^|/)(?:bin/(?:tensorboard|gpustat|nvitop)|tensorboard/(?:main|program)\.py|(?:gpustat|nvitop)/(?:__main__|cli)\.py)$"
)


def _place(traceback: Traceback) -> _Place:
    first = traceback.first
    return first.node, first.capture, first.source


def _counted(steps: pl.DataFrame) -> pl.DataFrame:
    """Reports with what they count; where a source counts none of its steps, the part of an epoch that it tells."""
    parts = (pl.col("epoch") * _PARTS_OF_AN_EPOCH).round().cast(pl.Int64, strict=False)
    uncounted = pl.col("step").is_null().all().over("node", "capture", "source")
    return steps.with_columns(step=pl.when(uncounted).then(parts).otherwise("step")).filter(
        pl.col("step").is_not_null()
    )


_PARTS_OF_AN_EPOCH: Final = 10_000
"""Reports come no closer than that."""


def _was_caught(traceback: Traceback) -> bool:
    """It begins where it was caught: what nobody catches unwinds the whole stack of its thread."""
    frames = traceback.final.frames
    return bool(frames) and frames[0].function not in _BOTTOM


def _reached_the_bottom(traceback: Traceback) -> bool:
    """Nobody caught it: it unwound the program to its first line."""
    frames = traceback.final.frames
    return bool(frames) and frames[0].function == "<module>"


def _at_its_imports(traceback: Traceback) -> bool:
    """Nothing of the program ran but its imports, when it was raised."""
    bottom = next((frame for frame in traceback.final.frames if frame.function == "<module>"), None)
    return bottom is not None and _IMPORTS.match(bottom.code) is not None


_BOTTOM: Final = frozenset({"<module>", "_bootstrap", "_bootstrap_inner", "_run_module_as_main", "run_path", ""})
_AT_ONCE_NS: Final = 5_000_000_000
_HELD_BACK_NS: Final = 1_000_000_000
_UNLOADED_NS: Final = 30_000_000_000
"""What a process with large libraries needs to leave, on a node that has much to do."""
