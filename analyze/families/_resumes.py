"""Whether a run began anew or looked for a checkpoint, and was meant to: by its words, command line and scheduler."""

from __future__ import annotations

import difflib
import itertools
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families import _job_scripts
from inquest.analyze.families._job_logs import handed_in_again, numbers_in, without_numbers
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_ASKED: Final = re.compile(
    r"(?i)\b(?:resum\w*|restor\w*|continu\w*|load\w*)\b.{0,40}\b(?:requested|asked|wanted|given|specified|passed|expected|set|true)\b"
    r"|\b(?:requested|asked|told|wanted|expected|supposed|meant|trying|tried) (?:to (?:be )?)?"
    r"(?:resum|restor|continu|load)"
    r"|\b(?:could not|couldn't|cannot|can't|failed to|unable to) (?:resume|restore|continue)\b"
    r"|--\w{0,20}[-_]?resum|\bresum\w*\s?=\s?(?!(?:none|null|no|false|off|0|auto)\b)\S"
    r"|\bresum\w* from:? \S*[/.]\S*\w.*\b(?:not found|no such|missing|does(?: not|n't) exist|not there)\b"
)
"""Words of a line that say that a load was asked for; a loop looks by itself for what there may be to resume from."""

_NAMED_STEP: Final = re.compile(
    r"(?:step|iter(?:ation)?|epoch|checkpoint|ckpt)s?[_=-]?0*[1-9]\d*[^ ]*[\"']? (?:was )?not found"
    r"|(?:could not|couldn't|cannot|can't|unable to|failed to) (?:open|load|read|find|restore|access) "
    r"[\"']?[^ ]*(?:step|iter(?:ation)?|epoch|checkpoint|ckpt)s?[_=-]?0*[1-9]\d*",
    re.IGNORECASE,
)
"""A checkpoint of one step was asked for by its name: nobody looks for that at every start."""

_PROBE: Final = re.compile(
    r"There were no checkpoints found|No checkpoint was provided"
    r"|No existing checkpoints found, not restoring checkpoint|Found 0 checkpoint steps"
)
"""NeMo, torchtitan, MaxText and Orbax look into their own folder at every start: finding nothing there is normal."""

_AUTOMATIC: Final = re.compile(r"\bauto(?:matic(?:ally)?)?[-_ ]?resum", re.IGNORECASE)
"""Nobody asked for it: where there is a checkpoint it is taken, and at the first start there is none."""
_ALWAYS_LOOKS: Final = re.compile(
    r"\bNo checkpoint found\. Starting training|fairseq\.trainer \| No existing checkpoint found"
    r"|\bolmo_core\.train\.[\w.]{1,60}:\d{1,6}\s+[A-Z]{4,8}\s+No checkpoints? found in\b"
    r"|- levanter\.[\w.]{1,60} - [\w.]{1,60}:\d{1,6} - [A-Z]{4,8} :: No checkpoint found\. Starting from scratch"
    r"|^\s?Unable to load checkpoint\b.{0,300}\bstarting from random\b"
)
"""Trainers that look for one at every start, and say that they do: ``fairseq2.trainer``, ``fairseq/trainer.py``,
OLMo-core, GPT-NeoX, and Levanter, which ends with an error where it was told to load one and there is none."""
_OTHER_LOG: Final = re.compile(r"the log of job [\w.+-]{1,40}$")
"""How an import says that a log is another job's (bundle/imports/core.py)."""


def from_scratch(story: Story) -> bool:
    """True when the first report came early in a run that loaded nothing; what resumes may have learned all it can."""
    first = story.first_step or 0
    early = first <= 1 or first * 10 <= (story.last_step or 0)
    return early and not story.loads


def began_in_its_log(story: Story) -> bool:
    """True when an attempt above in the same log began from nothing: what was loaded since is what it had made."""
    if story.steps.is_empty():
        return False
    told = story.all_steps.filter(same_stream(story.steps.row(-1, named=True)) & pl.col("line_seq").is_not_null())
    if told.is_empty() or told["attempt"].n_unique() < 2:
        return False
    first = told.sort("line_seq").row(0, named=True)
    early = first["step"] is not None and (first["step"] <= 1 or first["step"] * 10 <= (story.last_step or 0))
    loads = (Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN)
    return early and not any(
        row["kind"] in loads and row["source"] == first["source"] and (row["line_seq"] or 0) < first["line_seq"]
        for row in story.all_events
    )


def found_nothing(story: Story) -> bool:
    """True when a look for checkpoints found none: only what earlier runs left tells a restart from a start."""
    said = (str(row["text"]) for row in story.of(Kind.NO_CHECKPOINT_FOUND))
    said = (text for text in said if not (_PROBE.search(text) or _ALWAYS_LOOKS.search(text)))
    return any(said) and not story.of(Kind.CHECKPOINT_LOADED)


def unproved_continuation(ev: Evidence, story: Story, *, left_out: bool = False) -> str | None:
    """What would tell whether a run that waited for another job should have gone on from there; None: no such doubt.

    Args:
        ev: The evidence.
        story: What happened.
        left_out: Only where the log of another job lay beside this one's and was left out.
    """
    begun = story.first_step is not None and story.first_step * 10 <= (story.last_step or 0)
    if not begun or story.loads or ev.other("parent") is not None:
        return None
    jobs = ev.frame("slurm_jobs") if ev.has("slurm_jobs") else None
    if jobs is None or not ((jobs["reason"] == "Dependency") | jobs["dependency"].is_not_null()).any():
        return None
    files = ev.frame("artifacts")["reason"].drop_nulls().to_list() if ev.has("artifacts") else []
    beside = sorted({found[0] for text in files if (found := _OTHER_LOG.match(text))})
    if beside:
        return f"{beside[0]}, which lies beside this run's and was left out"
    return None if left_out else "the log and the records of the job it waited for"


def said_scratch(ev: Evidence, story: Story) -> Row | None:
    """A line that says nothing was loaded, where a resume was wanted."""
    said = story.of(Kind.NO_CHECKPOINT_FOUND, Kind.CHECKPOINT_SKIP)
    if story.all_steps.height == story.steps.height and not resume_flag(ev):
        said = [row for row in said if not _ALWAYS_LOOKS.search(str(row["text"]))]
    if not said or story.of(Kind.CHECKPOINT_LOADED):
        return None
    texts = [(row, str(row["text"])) for row in said]
    asked = [(row, text) for row, text in texts if _ASKED.search(text) or _NAMED_STEP.search(text)]
    explicit = [row for row, text in asked if not (_PROBE.search(text) or _AUTOMATIC.search(text))]
    explicit += [row for row in said if row["pattern"] == "checkpoint.nothing_matched"]  # it was given, and did not fit
    if explicit:
        return explicit[0]
    earlier = story.all_steps.height > story.steps.height and not handed_in_again(ev)
    meant = earlier or resume_flag(ev) or bool(story.of(Kind.CHECKPOINT_LOAD_BEGIN)) or dependent(ev)
    meant = meant or any(later_link(ev, row) is not None for row in said[:_LOGS])
    if not meant and (wanted := next((row for row in said if _wanted_above(ev, row)), None)) is not None:
        return wanted
    if not meant and (torn := next((row for row in said if _unread_above(ev, row)), None)) is not None:
        return torn
    return said[0] if meant else _elsewhere(story, said) or _of_a_chain(ev, story, said)


def _elsewhere(story: Story, said: list[Row]) -> Row | None:
    """A line that looks for a checkpoint where its run does not save: nobody looks there for work of its own.

    Or that names a folder like the one in which another log tells of saves, but for a slip of the pen.
    """
    saves = [row for row in story.all_events if row["kind"] in _SAVES and _folder(str(row["subject"]))]
    for row in said:
        place = _PLACE.search(str(row["text"]))
        looked = _folder(place[0]) if place is not None else ""
        own = {_folder(str(save["subject"])) for save in saves if save["source"] == row["source"]}
        others = {_folder(str(save["subject"])) for save in saves if save["source"] != row["source"]}
        if looked and own and not any(_same_folder(looked, folder) for folder in own):
            return row
        if looked and not own and looked not in others and any(_mistyped(looked, folder) for folder in others):
            return row
    return None


_SAVES: Final = frozenset({Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN})
_FOUND_NOTHING: Final = frozenset({Kind.NO_CHECKPOINT_FOUND, Kind.CHECKPOINT_SKIP})
_OF_A_STATE: Final = re.compile(
    r"(?i)/(?:[^/]*\.\w{2,11}|(?:last|latest|best|newest|current|(?:global)?_?step|iter|epoch|ckpt|checkpoint|chk|model|state|snapshot"
    r"|weights|saved)[^/]*|\d+)/?$"
)
"""The end of a path that is one state of a run, or all of them."""


def _folder(path: str) -> str:
    """The folder of a run, told from the path of one of its states; empty where the path is not told whole."""
    path = path.rstrip("/.,:;")
    while path.startswith("/") and (shorter := _OF_A_STATE.sub("", path)) != path:
        path = shorter
    return path if path.startswith("/") else ""


def _same_folder(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _mistyped(one: str, other: str) -> bool:
    """Whether two folders lie side by side, and a word of their names differs by letters swapped, left out or added."""
    (above, _, name), (beside, _, like) = one.rpartition("/"), other.rpartition("/")
    pairs = list(itertools.zip_longest(re.split(r"[-_.]|(?<=\D)(?=\d)", name), re.split(r"[-_.]|(?<=\D)(?=\d)", like)))
    apart = [(word, as_well) for word, as_well in pairs if word != as_well]
    if above != beside or len(apart) != 1 or None in apart[0]:
        return False
    word, as_well = apart[0]
    if not (word + as_well).isalpha() or min(len(word), len(as_well)) < _SHORT:
        return False
    near = difflib.SequenceMatcher(None, word, as_well, autojunk=False).ratio() >= _NEAR
    return sorted(word) == sorted(as_well) or (near and min(len(word), len(as_well)) > _SHORT + 1)


_NEAR: Final = 0.8
_SHORT: Final = 3


def _of_a_chain(ev: Evidence, story: Story, said: list[Row]) -> Row | None:
    """The last of several logs in a row that say the same of one place: the one before it had trained by then."""
    begun = {row["source"]: row for row in story.attempts.iter_rows(named=True) if row["last_step"] is not None}
    told = [row for row in said if row["source"] in begun and _PLACE.search(str(row["text"]))]
    told.sort(key=lambda row: begun[row["source"]]["ts_ns"] or 0)
    saved = {row["source"] for row in story.all_events if row["kind"] in _SAVES}
    if (row := _after_saves(ev, story, said, begun) or _of_a_later_leg(story, said, begun)) is not None:
        return row
    for before, row in reversed(list(itertools.pairwise(told))):
        ended, began = begun[before["source"]]["end_ns"], row["ts_ns"]
        again = before["source"] != row["source"] and without_numbers(before["source"]) == without_numbers(
            row["source"]
        )
        place, same = (_PLACE.findall(str(each["text"])) for each in (before, row))
        # Who looks at every start finds nothing where the job before was over before its first save.
        known = before["source"] in saved or not _PROBE.search(str(row["text"]))
        if again and known and place == same and ended is not None and began is not None and began >= ended:
            return row
    return None


def _after_saves(ev: Evidence, story: Story, said: list[Row], begun: dict[str, Row]) -> Row | None:
    """A log that says so and began anew, where the log of the number before had come farther.

    That one had saved its work, or above the line stands that this one was to resume, and in that one nothing does.
    """
    saved = {row["source"] for row in story.all_events if row["kind"] == Kind.CHECKPOINT_SAVED}
    looked = {row["source"] for row in story.all_events if row["kind"] in _FOUND_NOTHING}
    for row in said:
        mine = begun.get(row["source"])
        chain = [
            name for name in begun if name and row["source"] and without_numbers(name) == without_numbers(row["source"])
        ]
        before = max(
            (name for name in chain if numbers_in(name) < numbers_in(row["source"])), key=numbers_in, default=None
        )
        if mine is None or before is None or _NAMELESS.search(str(row["source"])) or _at_once(said, before, row):
            continue
        first = before not in looked
        if before not in saved and not (first and _asked_above(ev, row)):
            continue
        early = (mine["first_step"] or 0) * _EARLY <= begun[before]["last_step"]
        if early and not _TRIED.search(str(row["source"])) and _of_one_run(story, before, row):
            return row
    return None


def _of_a_later_leg(story: Story, said: list[Row], begun: dict[str, Row]) -> Row | None:
    """A log that says so and began anew, by its name the next leg of one that had saved: wherever it looked."""
    saved = {row["source"] for row in story.all_events if row["kind"] == Kind.CHECKPOINT_SAVED}
    for row in said:
        mine, leg = begun.get(row["source"]), _LEG.match(str(row["source"]))
        if mine is None or leg is None:
            continue
        for other in saved & set(begun):
            before = _LEG.match(str(other))
            if before is None or before["name"] != leg["name"] or int(before["number"]) + 1 != int(leg["number"]):
                continue
            early = (mine["first_step"] or 0) * _EARLY <= begun[other]["last_step"]
            if early and not _plans_differ(story, other, row["source"]):
                return row
    return None


_LEG: Final = re.compile(r"(?i)(?P<name>.*(?<![a-z])(?:leg|link|segment|stint|relay))[-_.]?(?P<number>\d{1,4})(?!\d)")
"""The name of a log, up to the number of its leg; of several words the last one counts."""


def _plans_differ(story: Story, one: str, other: str) -> bool:
    """Whether two logs both tell how many steps are planned, and none of their plans is the same."""
    plans = [
        set(story.all_steps.filter(pl.col("source") == source)["total_steps"].drop_nulls()) for source in (one, other)
    ]
    return all(plans) and plans[0].isdisjoint(plans[1])


def _at_once(said: list[Row], other: str, row: Row) -> bool:
    """Whether another log says the same within moments: of one launch, each rank writes a log of its own number."""
    ours = row["ts_ns"]
    theirs = [each["ts_ns"] for each in said if each["source"] == other and each["ts_ns"] is not None]
    return ours is not None and any(abs(ts_ns - ours) <= _LAUNCH_NS for ts_ns in theirs)


_LAUNCH_NS: Final = 60 * 10**9
"""Ranks of one launch begin within a minute; a scheduler takes longer to start the next link of a chain."""


def later_link(ev: Evidence, row: Row) -> Row | None:
    """The line above that says which link of a chain a log is of; None for the first, and where none says so."""
    if row["line_seq"] is None:
        return None
    head = ev.scan("log_lines").filter(same_stream(row), pl.col("seq") < row["line_seq"]).sort("seq").head(_HEAD)
    for line in head.collect().iter_rows(named=True):
        text = str(line["text"] or "")[:_WIDTH]
        if (_LINK.search(text) and _AFTER.search(text)) or _SECOND_PART.search(text):
            return line
    return None


_LOGS: Final = 8
"""Ranks of one link say the same."""
_HEAD: Final = 40
_WIDTH: Final = 1000
"""Lines above, and characters of each, that are looked at."""
_LINK: Final = re.compile(r"(?i)\b(?:link|leg|segment|stint) #?(?:[2-9]|[1-9]\d) ?(?:of|/) ?\d{1,3}\b")
_SECOND_PART: Final = re.compile(
    r"(?i)\b(?:part|leg|link|segment|stint|job|chunk) #?(?:[2-9]|[1-9]\d)\b.{0,24}"
    r"\b(?:part|leg|link|segment|stint|job|chunk|one before|previous)\b.{0,12}\b(?:was|ran as|is)\b.{0,12}\b\d{3,12}\b"
)
"""``this is part 2, part 1 was job 884190``."""
_AFTER: Final = re.compile(r"(?i)\b(?:chain|after(?:ok|any)?|follows|continues|resumes|goes on from)\b")


def _wanted_above(ev: Evidence, row: Row) -> bool:
    """Whether the line right above one that found nothing names the state that was wanted."""
    if row["kind"] != Kind.NO_CHECKPOINT_FOUND or row["line_seq"] is None or _AUTOMATIC.search(str(row["text"])):
        return False
    above = ev.scan("log_lines").filter(
        same_stream(row), pl.col("seq").is_between(row["line_seq"] - 2, row["line_seq"] - 1)
    )
    texts = above.sort("seq").select(pl.col("text").fill_null("")).collect()["text"].to_list()
    return any(_WANTED.search(text) and not _AUTOMATIC.search(text) for text in texts)


def _unread_above(ev: Evidence, row: Row) -> bool:
    """Whether a line says that a state could not be read, and the one above it names it and how far it had come."""
    if row["line_seq"] is None or not _UNREAD.search(str(row["text"])):
        return False
    above = ev.scan("log_lines").filter(
        same_stream(row), pl.col("seq").is_between(row["line_seq"] - 2, row["line_seq"] - 1)
    )
    return any(_STATE_FOUND.search(text) for text in above.select(pl.col("text").fill_null("")).collect()["text"])


_UNREAD: Final = re.compile(
    r"(?i)\b(?:could not|couldn't|cannot|can't|failed to|unable to) (?:be )?(?:re)?(?:load|read|restore|open|unpack"
    r"|parse|deseriali[sz]e|unpickle)\w*|\b(?:corrupt(?:ed)?|truncated|unreadable|damaged|incomplete|broken)\b"
)
_STATE_FOUND: Final = re.compile(
    r"(?i)\b(?:found|latest|newest|last|using|resum\w*(?: from)?|restor\w*(?: from)?|loading)\b.{0,120}"
    r"(?:\.(?:pt|pth|bin|ckpt|npz|safetensors|pkl|h5|tar)\b.{0,20}\b(?:step|iter\w*|epoch|update)[ =:]{1,2}[1-9]"
    r"|\b(?:step|iter(?:ation)?|epoch|update)s?[ =:_-]{1,2}0{0,12}[1-9]\d{0,11}\b.{0,60}\bloss\b)"
)
"""A state that was found, with the number of the step at which it was saved: not what is looked for at every start."""
_WANTED: Final = re.compile(
    r"(?i)\b(?:resum\w*|restor\w*|continu\w*|go(?:ing)? on|pick(?:ing)? up)\b.{0,40}"
    r"\b(?:wanted|requested|asked|expected|from|at|with)\b"
    r".{0,40}(?:[/\w-]+\.(?:pt|pth|bin|ckpt|npz|safetensors|pkl|h5|tar)\b|\bstep[ _=-]?\d)"
)
"""A state of its own name, by which nobody looks at every start: a file, or the one of a step."""


def _asked_above(ev: Evidence, row: Row) -> bool:
    """Whether a line at the start of the same log asks to resume from a file."""
    lines = ev.scan("log_lines").filter(same_stream(row), pl.col("seq") < row["line_seq"]).sort("seq").head(_BEGIN)
    return any(_ASKED.search(text) for text in lines.select(pl.col("text").fill_null("")).collect()["text"])


_BEGIN: Final = 200


def _of_one_run(story: Story, before: str, row: Row) -> bool:
    """Whether nothing tells the run of a line from that of another log: where they save or look, or what they plan."""
    saves = [save for save in story.all_events if save["kind"] in _SAVES and _folder(str(save["subject"]))]
    looked = {_folder(found) for found in _PLACE.findall(str(row["text"]))} - {""}
    own = {_folder(str(save["subject"])) for save in saves if save["source"] == row["source"]} | looked
    theirs = {_folder(str(save["subject"])) for save in saves if save["source"] == before}
    beside = _plans_differ(story, before, str(row["source"]))
    return not beside and (not own or not theirs or any(_same_folder(*pair) for pair in itertools.product(own, theirs)))


_EARLY: Final = 10
_NAMELESS: Final = re.compile(r"(?i)(?:^|/)(?:slurm|job|out|output|log|stdout|stderr|train|run)?[-_.]?\d+\.\w+$")
"""Logs that bear no job's name may be of other jobs."""
_TRIED: Final = re.compile(r"(?i)(?:^|[/_.-])(?:seed|fold|trial|rank|exp|sweep|config|lr|wd|bs)[/_.-]?\d")
_PLACE: Final = re.compile(r"/[^\s'\"()]{2,}")
"""A path: what is looked for there is the same."""


def outlived(ev: Evidence, story: Story, row: Row) -> bool:
    """Whether a scheduler's word is of an earlier attempt's end: training was resumed after it, and came to its end.

    Either below it in its log, or in the log of a later number. What a buffer held comes below such a word too, so that
    a resume alone tells nothing: the end of training has to follow it.
    """
    if row["line_seq"] is None:
        return False
    ends = [end for end in story.all_events if end["kind"] in _DONE and end["line_seq"] is not None]
    for load in story.all_events:
        if load["kind"] not in _LOADS or load["line_seq"] is None:
            continue
        same = (load["node"], load["source"]) == (row["node"], row["source"])
        if not (load["line_seq"] > row["line_seq"] if same else _is_later_log(story, row, load)):
            continue
        if any(end["source"] == load["source"] and end["line_seq"] > load["line_seq"] for end in ends):
            return True
    text, below = pl.col("text"), same_stream(row) & (pl.col("seq") > row["line_seq"])
    lines = ev.scan("log_lines").filter(below)
    resumed = lines.filter(text.str.contains(_RESUMED)).select(pl.col("seq").min()).collect().item()
    if resumed is None:
        return False
    if any(end["source"] == row["source"] and end["line_seq"] > resumed for end in ends):
        return True
    last = story.last_step
    if last is None or last < 1:
        return False
    done = _CAME_TO % (last, last + 1, last, last + 1)
    return not lines.filter((pl.col("seq") > resumed) & text.str.contains(done)).head(1).collect().is_empty()


def _is_later_log(story: Story, row: Row, load: Row) -> bool:
    """Whether a load stands in a log that follows, by its number, the one of ``row``; not of tasks beside it."""
    source, other = str(row["source"]), str(load["source"])
    if without_numbers(source) != without_numbers(other) or numbers_in(other) <= numbers_in(source):
        return False
    return not _TRIED.search(other) and _of_one_run(story, source, load)


_DONE: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY})
_LOADS: Final = frozenset({Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN})
_RESUMED: Final = (
    r"(?i)\b(?:resum(?:ed|ing)|restor(?:ed|ing)|continuing|load(?:ed|ing) (?:the )?(?:last |latest )?checkpoint"
    r"|re-?start(?:ed|ing)?(?: \d{1,6})?: (?:load|restor|resum)\w{0,6})\b"
)
"""A program's word that it goes on where another attempt had come to."""
_CAME_TO: Final = (
    r"(?i)\b(?:(?:finished|completed|trained|done)\b[^\d]{0,20}\b(?:%d|%d) (?:steps|epochs|iterations|iters|updates)"
    r"|reached (?:the last |final )?(?:step|epoch|iteration)[ :=]{1,3}(?:%d|%d))\b"
)
"""A program's word that all was done, by the number that the curve came to; counted from 0 or from 1.

Loops that print the end of each epoch speak of one, not of so many."""


def resume_flag(ev: Evidence) -> bool:
    """True when a recorded command line, or a batch script's, asks for a resume."""
    if _job_scripts.to_resume(ev):
        return True
    if not ev.has("processes"):
        return False
    lines = ev.scan("processes").select(pl.col("argv").unique()).collect()["argv"].drop_nulls().to_list()
    return any(re.search(r"--?(auto[-_]?)?resume|resume_from", line) for line in lines)


def dependent(ev: Evidence) -> bool:
    """True when the scheduler, or a batch script, knows of a parent run or a restart of this one."""
    if _job_scripts.chained(ev):
        return True
    if not ev.has("slurm_jobs"):
        return False
    jobs = ev.frame("slurm_jobs")
    return bool((jobs["restarts"].fill_null(0) > 0).any()) or bool(jobs["dependency"].drop_nulls().len())


GOES_ON: Final = (
    r"(?i)(?:\b(?:resum\w+|restor(?:ed|ing)|re-?start(?:ed|ing)?|continu(?:es|ed|ing)|go(?:es|ing) on|went on"
    r"|pick(?:s|ed|ing)? (?:it )?up|carr(?:ies|ied|ying) on|warm[- ]start(?:s|ed|ing)?|(?:re)?loaded"
    r"|fortgesetzt|wieder aufgenommen|weiter (?:ab|bei|mit)|repr(?:ise|end)|reanud\w+|retom\w+|riprend\w+|ripreso)\b"
    r"|возобнов|продолж|继续|恢复|再開|이어서)"
)
"""Words of one who takes up what was begun before."""
