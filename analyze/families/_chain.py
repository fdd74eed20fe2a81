"""Jobs that are links of one training: each has a log of its own, and goes on where the one before it was cut off.

What ended an earlier link is what the chain was made for; how the last one ended is how the run ended. Two logs are
links where one names the other's job as what it waits for, or was told to resume (or says that it does) and begins
where the other had ended. The log of a container's start before is such a link as well.
"""

from __future__ import annotations

import itertools
import re
import statistics
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families import _job_scripts
from inquest.analyze.families._job_logs import (
    A_PART,
    AFTER,
    MOST,
    WIDTH,
    Link,
    Log,
    in_turn,
    job_number,
    link_of,
    masked,
    numbers_in,
)
from inquest.analyze.families._of_others import recorded
from inquest.analyze.families._resumes import GOES_ON
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def earlier_links(ev: Evidence) -> frozenset[Log]:
    """Logs of links that another one follows."""
    return frozenset(before for before, _ in links(ev))


def job_of_the_last(ev: Evidence) -> tuple[str, int] | None:
    """The job whose log, by its name, is the last link of a chain, and its start, where accounting knows them."""
    if not ev.has("slurm_jobs"):
        return None
    last = {str(job_number(after)) for _, after in links(ev) if after not in earlier_links(ev)}
    known = ev.scan("slurm_jobs").select("job_id", "start_ns").drop_nulls().sort("start_ns").collect()
    mine = [(str(job), int(start)) for job, start in known.iter_rows() if str(job) in last]
    return mine[-1] if mine else None


def links(ev: Evidence) -> tuple[tuple[Log, Log], ...]:
    """Pairs of logs, of which the second goes on from the first; none of what one recorder took of one job."""
    return ev.once(("links of a chain",), lambda: _links(ev))


def _links(ev: Evidence) -> tuple[tuple[Log, Log], ...]:
    steps = ev.facts("fact_steps").filter(pl.col("source").is_not_null())
    logs = sorted({(node, source) for node, source in steps.select("node", "source").unique().iter_rows()})
    numbers = {log: number for log in logs if (number := job_number(log)) is not None}
    turned = _turned_over(ev, logs)
    alike = Counter(map(masked, numbers))
    # Only what may be a link is read: a log can be long.
    scripted = _job_scripts.in_a_chain(ev)
    may_be = [log for log in numbers if scripted or alike[masked(log)] > 1]
    if not 1 < len(may_be) <= MOST or not ev.has("log_lines") or recorded(ev):
        return turned
    read = sorted((link_of(ev, log, numbers[log]) for log in may_be), key=lambda link: link.number)
    found = []
    for at, after in enumerate(read):
        earlier = reversed(read[:at])
        follows = (_goes_on, partial(_takes_up, ev), partial(_by_scripts, ev), partial(_looked_in_vain, ev))
        before = next((each for each in earlier if any(told(each, after) for told in follows)), None)
        if before is not None:
            found.append((before.log, after.log))
    found += [pair for pair in _named_after(read) if pair not in found]
    return (*found, *(pair for pair in turned if pair not in found))


def _by_scripts(ev: Evidence, before: Link, after: Link) -> bool:
    """Whether batch scripts make the one wait for the other; clocks, where both logs have them, must not deny it."""
    names = [(link.log[1].rpartition("/")[2], link.number) for link in (before, after)]
    timed = before.end_ns is not None and after.began_ns is not None
    return _job_scripts.follows(ev, *names) and (not timed or in_turn(before, after))


def _looked_in_vain(ev: Evidence, before: Link, after: Link) -> bool:
    """Whether a job of a chain looked for a state and found none, though the one before it had saved some.

    Who looks at each start does so at the first one as well: what it lacks is known by the job before, which had not
    come to its end.
    """
    if masked(before.log) != masked(after.log) or not in_turn(before, after) or not _job_scripts.in_a_chain(ev):
        return False
    events = ev.facts("fact_events")

    def told(link: Link, kind: Kind) -> bool:
        here = (pl.col("node") == link.log[0]) & (pl.col("source") == link.log[1])
        return not events.filter(here & (pl.col("kind") == str(kind))).is_empty()

    if not told(after, Kind.NO_CHECKPOINT_FOUND) or not told(before, Kind.CHECKPOINT_SAVED):
        return False
    steps = ev.facts("fact_steps").filter(pl.col("step").is_not_null())
    first, second = (
        steps.filter((pl.col("node") == node) & (pl.col("source") == source))
        for node, source in (before.log, after.log)
    )
    if first.is_empty() or second.is_empty() or set(first["total_steps"]) != set(second["total_steps"]):
        return False
    return not (first["step"] >= first["total_steps"] - 1).any()


def _named_after(read: list[Link]) -> list[tuple[Log, Log]]:
    """Logs whose own name says after which job they ran: ``job_442_after_441.log``."""
    pairs = []
    for after in read:
        told = AFTER.search(after.log[1].rpartition("/")[2])
        pairs += [(before.log, after.log) for before in read if told and before.number == int(told[1]) != after.number]
    return pairs


def _turned_over(ev: Evidence, logs: list[Log]) -> tuple[tuple[Log, Log], ...]:
    """Logs that were put aside under a name of their own when the next run began: ``train.1.log`` beside ``train.log``.

    Of a run that crashed before any step there are no reports, so all logs are asked.
    """
    told = {(node, source) for node, source in logs}
    begun = ev.facts("fact_attempts").filter(pl.col("source").is_not_null()).select("node", "source")
    every = sorted({(node, source) for node, source in begun.unique().iter_rows()})
    pairs = [(log, (log[0], _ASIDE.sub("", log[1]))) for log in every if _ASIDE.search(log[1])]
    pairs = [(log, now) for log, now in pairs if now in told and now != log]
    called = [pair for pair in _called_previous(every) if pair[1] in told or pair[0] not in told]
    kept = _before_a_restart(ev, every, told)
    if not (pairs or called or kept) or len(pairs) + len(called) > MOST or not ev.has("log_lines") or recorded(ev):
        return ()
    spans = {log: link_of(ev, log, 0) for pair in (*pairs, *called) for log in pair}
    turned = [(old, now) for old, now in pairs if _was_before(spans[old], spans[now], stepped=old in told)]
    # Names say it as well as clocks, where not both logs have any.
    turned += [
        (old, now)
        for old, now in called
        if None in (spans[old].end_ns, spans[now].began_ns) or in_turn(spans[old], spans[now])
    ]
    return (*turned, *(pair for pair in kept if pair not in turned))


def _called_previous(logs: list[Log]) -> list[tuple[Log, Log]]:
    """Pairs of logs that differ in a word that says which is of the start before: ``kubectl logs --previous``."""
    current: dict[Log, list[Log]] = {}
    for node, source in logs:
        if not _PREVIOUS.search(source):
            current.setdefault((node, _plain(_CURRENT, source)), []).append((node, source))
    pairs = [(log, current.get((log[0], _plain(_PREVIOUS, log[1])), [])) for log in logs if _PREVIOUS.search(log[1])]
    return [(log, now[0]) for log, now in pairs if len(now) == 1]


def _plain(word: re.Pattern[str], source: str) -> str:
    """The name without the word, which may be that of a folder."""
    return "/".join(part for part in word.sub("", source).split("/") if part)


def _before_a_restart(ev: Evidence, logs: list[Log], told: set[Log]) -> list[tuple[Log, Log]]:
    """Logs that were over when a container was started anew, beside one of reports that begins after that.

    Kubernetes tells when the start before had ended, whatever the files are called.
    """
    restarts = ev.facts("fact_events").filter((pl.col("pattern") == "kube.restarted") & pl.col("ts_ns").is_not_null())
    sources = {row["source"] for row in restarts.select("source").unique().iter_rows(named=True)}
    asked = [log for log in logs if log[1] not in sources]
    if restarts.is_empty() or not 1 < len(asked) <= MOST or not ev.has("log_lines") or recorded(ev):
        return []
    at_ns = restarts["ts_ns"].max()
    links = [link_of(ev, log, 0) for log in asked]
    after = [link for link in links if link.log in told and link.began_ns is not None and link.began_ns >= at_ns]  # type: ignore[operator]
    return [
        (link.log, after[0].log)
        for link in links
        if after and link.end_ns is not None and link.end_ns <= at_ns + _SECOND_NS  # type: ignore[operator]
    ]


def _goes_on(before: Link, after: Link) -> bool:
    if masked(before.log) != masked(after.log):
        return False
    if any(str(before.number) in _WAITS_FOR.findall(text) for text in after.head):
        return True
    # A script that hands itself on: it waits for its own number, and is told that of the next job.
    if any(str(before.number) in _WAITS_FOR.findall(text) for text in before.head):
        return any(told[1] == str(after.number) for text in before.head if (told := _SUBMITTED.search(text)))
    to_resume = asks_to_resume(after) or any(_RESUMED.search(text) for text in after.head)
    return in_turn(before, after) and (to_resume or bool(_set_to_resume(before) & _set_to_resume(after)))


def _takes_up(ev: Evidence, before: Link, after: Link) -> bool:
    """Whether a later log says at its start that it took a state which the earlier one says that it had saved."""
    if masked(before.log) != masked(after.log) or not in_turn(before, after):
        return False
    taken = {name for text in after.head if _TAKES.search(text) for name in _NAMED_STATE.findall(text)}
    if not taken:
        return False
    text = pl.col("text").fill_null("").str.head(WIDTH)
    here = (pl.col("node") == before.log[0]) & (pl.col("source") == before.log[1])
    saves = ev.scan("log_lines").filter(here & text.str.contains(_SAVES)).select(text=text).collect()["text"]
    return any(name in _NAMED_STATE.findall(said) for said in saves for name in taken)


def _was_before(aside: Link, now: Link, *, stepped: bool) -> bool:
    """In turn by their clocks; where the one put aside has none, its name tells, if it reported nothing."""
    return in_turn(aside, now) or (aside.end_ns is None and not stepped)


def asks_to_resume(link: Link) -> bool:
    """Whether a link's own command names a state to go on from."""
    return any(_RESUMES.search(text) for text in link.head)


def _set_to_resume(link: Link) -> set[str]:
    """Lines of its settings by which it takes what lies in the place of its run: one in both logs tells of one run."""
    return {_CLOCK.sub("", text) for text in link.head if _RESUME_SET.search(text) and _PLACE_OF_A_RUN.search(text)}


_ASIDE: Final = re.compile(r"\.(?:\d{1,3}|old|prev|bak|last)(?=(?:\.(?:log|out|txt))?$)")


def _a_word(*words: str) -> re.Pattern[str]:
    word = f"(?:{'|'.join(words)})(?![a-z])"
    return re.compile(rf"(?i)[._-]{word}|(?<![a-z._-]){word}[._-]?")


_PREVIOUS: Final = _a_word("previous", "prev", "before[._-]?restart")
_CURRENT: Final = _a_word("current", "cur", "now", "after[._-]?restart")
_SECOND_NS: Final = 1_000_000_000
"""Kubernetes tells whole seconds."""
_WAITS_FOR: Final = re.compile(
    r"(?i)(?<![a-z])dep(?:end(?:s|ency|encies)?)?[=: ]{1,2}after(?:any|ok|notok|corr)?:(\d{1,12})\b"
)
_SUBMITTED: Final = re.compile(r"\bSubmitted batch job (\d{1,12})\b")
_RESUMES: Final = re.compile(r"--\w{0,20}[-_]?resum\w{0,24}[= ]['\"]?(?!(?:none|null|false|no)\b)[\w./~$]")
_RESUME_SET: Final = re.compile(
    r"(?i)(?<![a-z])(?:auto_?)?resum\w{0,12}['\"]?\s?[=:]\s?['\"]?"
    r"(?:auto|latest|last|newest|true|yes|allow|must|if[-_ ]\w{1,12})\b"
)
_PLACE_OF_A_RUN: Final = re.compile(
    r"(?i)(?<![a-z])(?:(?:run|out|output|save|work|exp|experiment|results?)(?:[-_]?(?:dir|path|folder|to))?"
    r"|(?:ckpt|checkpoint|model)s?[-_]?(?:dir|folder))['\"]?\s?[=:]\s?['\"]?[\w.~$-]{0,40}/\w"
)
"""Not where data or a pretrained model lie: many runs read these."""
_CLOCK: Final = re.compile(r"^[\[(]?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d\S{0,12}\s{0,4}")
_TAKES: Final = re.compile(
    rf"{GOES_ON}|(?i:\b(?:load(?:ing|s)?|tak(?:ing|en|es)|lade|lädt|geladen|charg\w+|cargad[oa]|caric\w+)\b)"
)
_SAVES: Final = (
    r"(?i)\b(?:sav(?:ed|ing)|wrote|writing|written|stor(?:ed|ing)|dumped|gespeichert|gesichert|enregistr\w+|sauvegard\w+"
    r"|guardad\w+|guardando|salv\w+|scritt\w+|opgeslagen|zapisan\w+)\b|сохран|保存|저장"
)
_NAMED_STATE: Final = re.compile(
    r"(?i)(?<![\w.-])((?:[a-z][\w.]{0,30}?[_-])?(?:global_?step|step|iter|epoch|ep|ckpt|ck|checkpoint|snap(?:shot)?|state|model)"
    r"[_=.-]?\d{1,12}(?:\.[a-z]\w{1,11})?)(?![\w-])"
)
"""A state by the name of its file or folder: ``step_8000.ckpt``, ``ck-12000``."""
_RESUMED: Final = re.compile(r"(?i)\bresum(?:ed|ing)\b(?: training)? (?:from|at)\b(?! scratch)")
"""As a program says itself that it goes on."""


# --- a link that began anew ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BegunAnew:
    """The first and last report of the link before, the first of the one after it, and by which column it shows."""

    begun: Row
    before: Row
    after: Row
    measure: str
    from_start: bool = True
    """The link before had begun so itself; else it had gone on from a state."""

    def saved(self, story: Story) -> str | None:
        """What the link before saved last, by its name."""
        of = (row for row in story.all_events if row["kind"] == Kind.CHECKPOINT_SAVED and row["subject"])
        names = [str(row["subject"]) for row in of if row["source"] == self.before["source"]]
        return names[-1] if names else None


def begun_anew(ev: Evidence, story: Story) -> BegunAnew | None:
    """The last link, where it began as the one before it had begun, though that one had learned.

    That it was to go on shows by an end that cut the one before off, or by a count that goes on from there. A counter
    that began again tells nothing by itself: many count within one job.
    """
    if story.of(Kind.CHECKPOINT_LOADED):
        return None
    for before, after in (*reversed(links(ev)), *_counting_on(story)):
        if after in earlier_links(ev):
            continue
        first, then = (_reports(story, log) for log in (before, after))
        if not (_job_scripts.to_resume(ev) or _was_cut(ev, story, before) or _counts_on(first, then)):
            continue
        for measure in ("loss", "score"):
            told, anew = first.drop_nulls(measure), then.drop_nulls(measure)
            if min(told.height, anew.height) <= 2 * _FEW:
                continue
            values = told[measure].to_list(), anew[measure].to_list()
            back = _back(ev, *values)
            if back or (_from_the_start(first, then) and _far_from_the_end(ev, *values)):
                rows = told.row(0, named=True), told.row(-1, named=True), anew.row(0, named=True)
                return BegunAnew(*rows, measure, from_start=back)
    return None


def _counting_on(story: Story) -> list[tuple[Log, Log]]:
    """Pairs of logs whose names differ by numbers alone, and whose counter goes on to the same plan in the second.

    Without a plan that both tell, a second stage on other data counts on as well.
    """
    told = story.all_steps.filter(
        pl.col("line_seq").is_not_null()
        & pl.col("source").str.contains(r"\d")
        & pl.col("rank").is_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    )
    logs = {(str(node), str(source)) for node, source in told.select("node", "source").unique().iter_rows()}
    mine = sorted((log for log in logs if not A_PART.search(log[1])), key=lambda log: (log[0], numbers_in(log[1])))
    if len(mine) > MOST:
        return []
    pairs = [(a, b) for a, b in itertools.pairwise(mine) if a[0] == b[0] and masked(a) == masked(b)]
    read = [(a, b, _reports(story, a), _reports(story, b)) for a, b in pairs]
    return [(a, b) for a, b, first, then in read if _same_plan(first, then) and _counts_on(first, then)]


def _same_plan(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    plans = (
        tuple(set(frame[plan].drop_nulls()) for frame in (before, after)) for plan in ("total_steps", "total_epochs")
    )
    return any(first & then for first, then in plans)


def _was_cut(ev: Evidence, story: Story, log: Log) -> bool:
    """Whether an end cut it off; where accounting tells of the last job alone, its own log's word on its job counts."""
    ends = (Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.REQUEUED, Kind.NODE_FAILURE)
    if any(row["kind"] in ends and (row["node"], row["source"]) == log for row in story.all_events):
        return True
    of_it = (pl.col("node") == log[0]) & (pl.col("source") == log[1]) & (pl.col("subject") == str(job_number(log)))
    told = ev.facts("fact_events").filter(of_it & pl.col("kind").is_in([str(kind) for kind in ends]))
    return not told.is_empty()


def _counts_on(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    """Whether the first count of the later log is the next one after the last of the earlier log, or not far above.

    A second stage that counts on plans for itself.
    """
    for plan in ("total_steps", "total_epochs"):
        plans = [set(frame[plan].drop_nulls()) for frame in (before, after)]
        if all(plans) and plans[0].isdisjoint(plans[1]):
            return False
    for count in ("epoch", "step"):
        told, then = before[count].drop_nulls(), after[count].drop_nulls()
        if len(told) > _FEW and len(then):
            stride = told.unique().sort().diff().median()
            first, last = then[0], told.max()
            return isinstance(stride, float) and 0 < first - last <= 2 * stride
    return False


def _reports(story: Story, log: Log) -> pl.DataFrame:
    here = (pl.col("node") == log[0]) & (pl.col("source") == log[1]) & pl.col("line_seq").is_not_null()
    return story.all_steps.filter(here).sort("line_seq")


def _back(ev: Evidence, before: list[float], after: list[float]) -> bool:
    """Whether values are back where they had begun, after they had come far from there."""
    begin, reached = statistics.median(before[:_FEW]), statistics.median(before[-_FEW:])
    again = statistics.median(after[:_FEW])
    learned, scale = abs(reached - begin), max(abs(begin), abs(reached))
    if learned < ev.threshold("e1.learned") * scale:
        return False
    return abs(again - begin) <= (1 - ev.threshold("e2.back")) * learned


def _from_the_start(before: pl.DataFrame, after: pl.DataFrame) -> bool:
    """Whether the earlier log had gone on itself, from far, and the later one counts from its first steps."""
    told, then = before["step"].drop_nulls(), after["step"].drop_nulls()
    return bool(len(told) and len(then)) and _EARLY * int(then[0]) <= int(told[0])


def _far_from_the_end(ev: Evidence, before: list[float], after: list[float]) -> bool:
    """Whether a log begins far from where the one before it ended, and learns its way back there."""
    reached, again, ended = (statistics.median(part) for part in (before[-_FEW:], after[:_FEW], after[-_FEW:]))
    far = ev.threshold("e1.learned") * max(abs(reached), abs(again))
    return abs(again - reached) >= far and abs(again - ended) >= far and (again > reached) == (again > ended)


_EARLY: Final = 10
_FEW: Final = 3
