"""Which files are evidence, and of what kind: told by their content, and said aloud for those that are not read.

A job's folder also holds its code, its configuration, its data and its checkpoints. Nothing of that may become lines
of a log: the reader of logs gets a file only where its name or its first lines say that a program wrote it as one.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.imports import KINDS, gates, kinds, reader
from inquest.bundle.imports.gpu_words import NO_TIME
from inquest.bundle.imports.source import SAMPLE, Source
from inquest.bundle.imports.told_reports import are_reports
from inquest.bundle.line_rank import node_of_path, rank_of_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inquest.bundle.imports.kind import Kind

MAX_FILES: Final = 20_000
"""Files that are opened; a folder with more is not one job's."""
MAX_ENTRIES: Final = 2_000_000
MAX_DEPTH: Final = 32
META: Final = "meta.json"
"""Name of the file that says of its folder what no content tells (`inquest.bundle.imports.meta`)."""

_HIDDEN_TRACKERS: Final = frozenset({".wandb", ".hydra"})
_INSTALLED: Final = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages"})
_LOG_NAME: Final = re.compile(
    r"\.(?:log|r?out|err|output|dmesg|[oe]\d+)(?:\.\d+)?$"
    r"|(?:^|[-_.])(?:stdout|stderr|dmesg|nohup|logs?|journal|syslog|messages)(?:[-_.]\w+)?$"
    r"|(?:^|[-_.])(?:out(?:put)?|console(?:text)?|terminal|screen)\.txt$",
    re.IGNORECASE,
)
_PACKED: Final = re.compile(r"\.(?:gz|zst|xz|bz2|lz4)$", re.IGNORECASE)

_SOURCE_CODE: Final = "source code"
_SCRIPTS: Final = ("sh", "bash", "zsh", "sbatch", "slurm")
"""Source code, of which those that ask a scheduler for something are read."""
_NEVER: Final = {
    _SOURCE_CODE: ("py pyc pyi pyx c cc cpp cxx cu cuh h hpp js ts java go rs lua pl r so o a"),
    "a picture, a sound or a film": "png jpg jpeg gif bmp svg pdf webp mp4 mp3 wav flac avi mkv mov tif tiff ico ttf",
    "a checkpoint or weights": "pt pth ckpt safetensors onnx gguf distcp h5 hdf5 tensors",
    "arrays of NumPy, which are not opened: a curve in them is read as CSV": "npy npz",
    "a spreadsheet, which is not opened: save it as CSV": "xls xlsx ods",
    "an archive, which is not opened: unpack it first": ("zip tar tgz tbz tbz2 txz 7z rar whl egg jar squashfs sif"),
    "a bundle or a recording of inquest's own: 'inquest merge' takes it": "inquest seal",
    "a data set": "parquet arrow feather tfrecord tfrecords mdb lmdb idx webdataset",
}
"""Names that no kind of evidence has: they are not opened."""
_OURS: Final = re.compile(r"(?:^|/)(?:[a-z_]{1,40}\.\d{1,6}\.journal|log-\S{1,80}\.raw)$")
"""What a recorder leaves until it is sealed; journals of systemd, and what is saved of them, have that ending, too."""
_NO_LOG: Final = {
    "configuration or text for people": (
        "yaml yml toml ini cfg conf env properties md rst html htm css xml tex bib lock license"
    ),
    "JSON of no known kind": "json jsonl ndjson",
    "a table of no known kind": "csv tsv",
    "no known kind of database": "db sqlite sqlite3",
}
"""Names that a known kind of evidence may have, and a log has not."""
_FOR_PEOPLE: Final = frozenset({"md", "rst", "html", "htm", "eml"})
"""Names of texts for people, into which somebody may have pasted a log, or saved the page of one."""
_TABLES: Final = ("csv", "tsv")
_OF_A_PROJECT: Final = re.compile(r"(?i)^(?:readme|change|license|contribut|install|usage|docs?\b|todo|model|data)")
_OF_A_TREE: Final = re.compile(
    r"(?i)^(?:readme|change(?:s|log)|licen[cs]e|copying|contributing|authors|notice|todo)(?:[._-]|$)"
)
"""Names of texts for people that bear no ending, or that of a plain text."""
_REPORT_OF: Final = re.compile(
    rb"^Start of NVIDIA bug report log file[^\0]{0,2000}?^uname: Linux ([A-Za-z0-9][\w.-]{0,62}) ", re.M
)
"""What ``nvidia-bug-report.sh`` says of the node it ran on."""
_MAGIC: Final = (
    (b"PK\x03\x04", "an archive or a checkpoint (ZIP)"),
    (b"\x80\x02", "a Python pickle of no known kind, which is not opened: save it as JSON or CSV"),
    (b"\x80\x03", "a Python pickle of no known kind, which is not opened: save it as JSON or CSV"),
    (b"\x80\x04", "a Python pickle of no known kind, which is not opened: save it as JSON or CSV"),
    (b"\x80\x05", "a Python pickle of no known kind, which is not opened: save it as JSON or CSV"),
    (b"\x7fELF", "a program, a library or a core file"),
    (b"SQLite format 3\0", "a database of no known kind"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"%PDF", "a document"),
    (b"\x89HDF", "a data set or a checkpoint (HDF5)"),
    (b"\x93NUMPY", "an array (NumPy)"),
    (b"PAR1", "a data set (Parquet)"),
    (b"ARROW1", "a data set (Arrow)"),
    (b"7z\xbc\xaf", "an archive, which is not opened: unpack it first"),
    (b"LPKSHHRH", "a binary journal of systemd: save it as text with journalctl --file"),
)
_SIGN: Final = re.compile(
    rb"(?m)^.{0,60}\d\d:\d\d:\d\d|\b(?:INFO|WARNING|WARN|ERROR|DEBUG|FATAL|CRITICAL)\b|\[rank\d+\]|NCCL |%\||it/s"
    rb"|s/it|(?i:\b(?:step|epoch|iter|iteration|loss|batch)\b['\"]?[ :=/\[]{0,3}\d)|srun: |slurmstepd"
    rb"|\b(?:m?s|secs?|seconds)/(?:it|iter|iteration|step|tick|k?img|image|batch|epoch)['\"]?[ :=]{1,4}\d"
    rb"|^:::MLL(?:OG)? |^[\[\xe2][ \x94\x8c]{1,3}(?:Info|Warning|Error|Debug): "
    rb"|\w(?:Error|Exception|Warning): |(?i:^(?:error|warning|info|loading|saving|starting|finished)\b)"
    rb"|Traceback \(most recent call last\)|^exit_status +\d|^State: [A-Z_]+ \(exit code"
    rb"|^\| {1,4}(?:total_?timesteps|ep_rew_mean|fps|time_elapsed|n_updates) {1,40}\| {1,4}-?\d"
    rb"|^\[LightGBM\] \[|^\[\d{1,7}\]\s{1,4}[\w' -]{1,60}:\s?-?\d|^\d{1,7}:\s{1,4}learn: \d"
    rb"|(?i:\bearly[- ]stopp(?:ing|ed)\b|\btraining (?:is )?(?:complete|finished|done)|finished training)"
)
_OF_SPEAKERS: Final = re.compile(
    rb"(?i)(?=[^\n]{0,200}\b(?:step|iter|iteration|it|round|batch|epoch|tick)\b)"
    rb"(?=[^\n]{0,200}(?<![a-z])(?:host(?:name)?|node|rank|worker|machine|gpu|device|proc(?:ess)?|peer|trainer)(?:_?id)?(?![a-z]))"
    rb"(?=[^\n]{0,200}(?<![a-z])(?:comput\w{0,5}|busy|work|own|fwd\w{0,8}|bwd\w{0,8}|forward\w{0,12})(?![a-z]))"
    rb"(?=[^\n]{0,200}(?<![a-z])(?:wait\w{0,3}|idle|sync|barrier|comm|all_?reduce|blocked|stall\w{0,2})(?![a-z]))"
    rb"[\w,;\t. /\[\]()-]{8,400}\r?\n"
)
"""The head of a table in which each tells, step by step, what it took for its own part, and how long it waited."""
_SIGN_ABROAD: Final = re.compile(
    r"(?i)(?:损失|損失|誤差|손실|ステップ|エポック|에포크|단계|потер[яи]|эпоха|шаг|[ée]poque|perte|verlust|epoche|[ée]poca|p[ée]rdida|perda|perdita)"
    r"[ :=/\[]{0,8}\d"
)
"""What a loop counts and loses in other languages."""
_HEAD_OF_LOSSES: Final = re.compile(
    rb"(?i)[\s|]*(?:epoch|step|iter|iteration)s?[\s|]{2,}(?:[a-z_]+[\s|]+){0,3}[a-z_]*loss\b|E +# +LOSS [A-Z]"
)
"""The head of a table that a loop prints: a count, and losses."""
_FRAME: Final = re.compile(rb'  File "[^"\n]{1,400}", line \d{1,7}, in ')
_ENDED_BY: Final = re.compile(
    rb"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Warning)(?::|$)"
)
_BEHIND_AN_EXCEPTION: Final = 20
"""Lines that may stand below an exception that ended a program: its message's, a launcher's last words."""
_TYPESCRIPT: Final = b"Script started on "
"""What script(1) writes above what a terminal showed."""
_OF_REPORT: Final = 8192
_LINES_JUDGED: Final = 200
_SHARE_OF_SIGNS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Found:
    """One file: its name in the import, where it lies (None: a pipe), whether the user named it."""

    name: str
    path: Path | None
    named: bool = False
    folder: Path | None = None
    """The folder that was walked and held it, or its own where it was named."""
    pipe: Path | None = None
    """A named pipe, as a shell gives for ``<(command)``; None with no path is standard input."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file with the reader that takes it, or why none does."""

    source: Source
    kind: Kind | None
    reason: str | None = None
    meta: bool = False
    spare: int = 0
    """It may hold a log, and is read where no better one is: 1 a table of lines, 2 what may be of any other run."""


def may_be_evidence(reason: str) -> bool:
    """Whether a file that was left for this ``reason`` may tell something of the run: the user should know."""
    return reason not in _NO_EVIDENCE


_NO_EVIDENCE: Final = frozenset(
    {*_NEVER, "configuration or text for people", "a script or a document", "empty", "a picture", "a document"}
    | {"a program, a library or a core file"}
) - {name for name in _NEVER if "not opened" in name}


def find(paths: Sequence[str]) -> list[Found]:
    """All files of ``paths``, each once, in an order that does not depend on how the paths were given.

    Raises:
        InputError: A path does not exist, or nothing lies in it.
        UnsafeInput: There are more files than any job leaves.
    """
    roots = [Path(given) for given in paths if given != "-"]
    base = Path(os.path.commonpath([path.absolute().parent for path in roots])) if len(roots) > 1 else None
    found: dict[str, Found] = {"-": Found("stdin", None, named=True)} if "-" in paths else {}
    for root in roots:
        if root.is_dir():
            prefix = "" if base is None else _below(base, root) + "/"
            for path in _walk(root):
                name = prefix + path.relative_to(root).as_posix()
                found.setdefault(str(path.resolve()), Found(name, path, folder=root))
        elif root.is_file():
            name = root.name if base is None else _below(base, root)
            found[str(root.resolve())] = Found(name, root, named=True, folder=root.parent)
        elif root.exists():
            found[str(root)] = Found(root.name, None, named=True, pipe=root)
        else:
            raise InputError(f"{root}: there is no such file or directory; check the path.")
    if not found:
        raise InputError(f"{paths[0]}: no log was found in this directory; name the files themselves.")
    return _unique(sorted(found.values(), key=lambda item: (natural(item.name), str(item.path or item.pipe))))


def _below(base: Path, path: Path) -> str:
    """``path`` as seen from ``base``; the last two parts where that would tell the tree of the machine."""
    parts = path.absolute().relative_to(base).parts
    return "/".join(parts if len(base.parts) > 1 else parts[-2:])


def _walk(root: Path) -> Iterator[Path]:
    entries = 0
    for folder, folders, files in os.walk(root, followlinks=False):
        deep = len(Path(folder).relative_to(root).parts) >= MAX_DEPTH
        folders[:] = [] if deep else sorted(name for name in folders if _is_entered(name))
        for name in sorted(files):
            entries += 1
            if entries > MAX_ENTRIES:
                raise UnsafeInput(f"{root}: more than {MAX_ENTRIES:,} files; name a smaller directory.")
            path = Path(folder, name)
            if not name.startswith(".") and not path.is_symlink() and path.is_file():
                yield path


def _is_entered(folder: str) -> bool:
    return folder in _HIDDEN_TRACKERS or not (folder.startswith(".") or folder in _INSTALLED)


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key under which rank 10 comes after rank 2."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d{1,18})", name))


def _unique(items: list[Found]) -> list[Found]:
    """Two files of the same name are told apart by a number."""
    seen: dict[str, int] = {}
    result = []
    for item in items:
        # A name that is no UTF-8 is no text a table could hold.
        plain = os.fsencode(item.name).decode("utf-8", "replace")
        seen[plain] = number = seen.get(plain, 0) + 1
        name = plain if number == 1 else f"{plain}#{number}"
        result.append(replace(item, name=name))
    return result


# --- what they are -------------------------------------------------------------------------------------------------


def overrides_of(given: Sequence[str]) -> tuple[tuple[Kind, str], ...]:
    """``KIND=PATTERN`` of the command line.

    Raises:
        UsageError: It is not of that form, or no kind has the name.
    """
    if not given:
        return ()
    by_name = {known.name: known for known in kinds()}
    result = []
    for text in given:
        name, equals, pattern = text.partition("=")
        if not equals or not pattern:
            raise UsageError(f"--as {text}: write KIND=PATTERN, as in --as log='*.txt'")
        if name not in by_name:
            raise UsageError(f"--as {text}: there is no kind {name!r}; one of {', '.join(by_name)}")
        result.append((by_name[name], pattern))
    return tuple(result)


def told_apart(items: Sequence[Found], overrides: Sequence[tuple[Kind, str]] = ()) -> Iterator[Candidate]:
    """Each file with its kind, in the same order.

    Raises:
        UnsafeInput: More files would have to be opened than any job leaves.
    """
    local = _ambiguous_local_ranks([item.name for item in items])
    script = reader("job_script")
    opened = 0
    for item in items:
        rank, rank_by = rank_of_path(item.name) or (None, None)
        if rank_by == "log_dir" and local:
            rank, rank_by = None, None
        node = node_of_path(item.name)
        source = Source(item.name, item.path, node=node, rank=rank, rank_by=rank_by, pipe=item.pipe)
        forced = next((known for known, pattern in overrides if _matches(item.name, pattern)), None)
        suffix = _suffix(item.name)
        named = "inquest" if _OURS.search(item.name) else suffix
        never = next((why for why, names in _NEVER.items() if named in names.split()), None)
        if forced is not None:
            yield Candidate(source, forced)
        elif item.path is not None and item.path.name == META:
            yield Candidate(source, None, meta=True)
        elif never:
            yield Candidate(source, None, never)
        elif suffix in _SCRIPTS:
            yield Candidate(source, script) if _is_job_script(source) else Candidate(source, None, _SOURCE_CODE)
        else:
            opened += 1
            if opened > MAX_FILES:
                raise UnsafeInput(f"{item.path}: more than {MAX_FILES:,} files to open; name a smaller directory.")
            yield _told(item, source, suffix)


def _is_job_script(source: Source) -> bool:
    try:
        return reader("job_script").fits(source)
    except InputError:  # it cannot be read
        return False


def _told(item: Found, source: Source, suffix: str) -> Candidate:
    try:
        head = source.head
    except InputError as error:
        return Candidate(source, None, str(error))
    *special, last = KINDS
    log = reader(last)
    if not head:  # a log without a line says that much; of another file it says nothing
        return Candidate(source, log) if _is_named_a_log(item) else Candidate(source, None, "empty")
    for module in gates.open_for(source, special):
        # A fault of one reader is no reason to keep the file from the others.
        with contextlib.suppress(Exception):
            if reader(module).fits(source):
                spare = (
                    2 if module in ("notebook", "log_in_json") else int(suffix in _TABLES and module == "log_records")
                )
                return Candidate(source, reader(module), spare=0 if item.named else spare)
    if not log.fits(source):
        magic = next((what for begin, what in _MAGIC if head.startswith(begin)), None)
        tar = head[257:262] == b"ustar"
        return Candidate(
            source, None, magic or ("an archive (tar): unpack it first" if tar else "binary, no known kind")
        )
    if suffix in _FOR_PEOPLE and (item.named or _quotes_a_log(item, head)):
        return Candidate(source, log, spare=0 if item.named else 2)
    if suffix in _JSON_LINES and _logs_in_json(head):
        # What became of the machines stands beside the job's own output, and is no copy of it.
        return Candidate(source, log, spare=0 if item.named or _OF_MACHINES.search(head) else 2)
    if suffix in _TABLES and _OF_SPEAKERS.match(head):
        return Candidate(source, log)
    why = next((why for why, names in _NO_LOG.items() if suffix in names.split()), None) or _no_log(item, head, suffix)
    if suffix in _TABLES and why and _tells_no_time(source):
        why = NO_TIME
    if found := _REPORT_OF.search(head[:_OF_REPORT]):
        source.node = source.node or found[1].decode()
    # A program that speaks in no known words may still end in Python's, or report in a form of its own; notes may quote
    # that, and data may look so, and therefore better logs go first.
    if why == _UNLIKE_A_LOG and (
        _ends_in_an_exception(head) or _ends_in_words_of_a_scheduler(head) or are_reports(_first_lines(head))
    ):
        return Candidate(source, log, spare=1)
    return Candidate(source, None, why) if why else Candidate(source, log)


def _tells_no_time(source: Source) -> bool:
    from inquest.bundle.imports.own_gpu_csv import tells_no_time  # a plain log needs none of it

    return tells_no_time(source)


def _ends_in_an_exception(head: bytes) -> bool:
    """Whether a text as a whole ends with a traceback at the margin, as a program's output does that died of it."""
    lines = [line.rstrip() for line in head.replace(b"\r", b"\n").split(b"\n") if line.strip()]
    begins = [at for at, line in enumerate(lines) if line == b"Traceback (most recent call last):"]
    if not begins or len(head) >= SAMPLE:
        return False
    last = lines[begins[-1] + 1 :]
    ended = next((at for at, line in enumerate(last) if _ENDED_BY.match(line)), None)
    frames = 0 if ended is None else sum(_FRAME.match(line) is not None for line in last[:ended])
    return ended is not None and frames >= 1 and len(last) - ended <= _BEHIND_AN_EXCEPTION


def _ends_in_words_of_a_scheduler(head: bytes) -> bool:
    """Whether a batch system put its own word below all that a program had said, as it does in a job's log."""
    last = [line for line in head.split(b"\n") if line.strip()][-_BEHIND_AN_EXCEPTION:]
    return len(head) < SAMPLE and any(_OF_A_SCHEDULER.match(line) for line in last)


_OF_A_SCHEDULER: Final = re.compile(
    rb"slurmstepd(?:-[\w.-]{1,80})?: error: \*\*\* (?:JOB|STEP) |srun: error: \S+: tasks? \d|srun: Job step aborted"
    rb"|=>> PBS: job killed: |TERM_[A-Z_]{3,30}: job killed "
)


def _logs_in_json(head: bytes) -> bool:
    """Whether a program wrote its log in JSON: an object a line, each with a time and what it says or what happened."""
    lines = _first_lines(head)
    lines = lines[:-1] if len(lines) > 1 else lines  # the last one may be cut
    signs = [line.startswith(b"{") and bool(_TIMED.search(line)) and bool(_SAYS.search(line)) for line in lines]
    return sum(signs) >= max(_LEAST_LINES, _MOST_LINES * len(signs))


_JSON_LINES: Final = ("json", "jsonl", "ndjson")
_TIMED: Final = re.compile(rb'"(?:ts|t|time|timestamp|@timestamp|asctime|datetime)"\s*:')
_SAYS: Final = re.compile(
    rb'"(?:msg|message|log|event|evt|ev|what|kind|type|action|stage|phase|state|status|level|lvl|severity)"\s*:\s*"'
)
_OF_MACHINES: Final = re.compile(
    rb'"(?:node|nodeId|host|machine|instance|vm)"\s*:\s*"[^"\n]{1,80}"\s*,\s*"(?:state|status)"\s*:\s*"'
)
_LEAST_LINES: Final = 5
_MOST_LINES: Final = 0.9


_UNLIKE_A_LOG: Final = "text that does not look like a log; --as log=NAME reads it as one"


def _no_log(item: Found, head: bytes, suffix: str) -> str | None:
    """Why a text is not read as a log; None where it is one."""
    if _is_json_document(head):
        return "JSON of no known kind"
    if _is_named_a_log(item):
        return None
    if suffix in ("", "txt") and _OF_A_TREE.match(Path(item.name).name):
        return "configuration or text for people"
    if head.startswith((b"#!", b"<?xml", b"<!DOCTYPE", b"<html")):
        return "a script or a document"
    lines = _first_lines(head)
    if head.startswith(_TYPESCRIPT) or any(_HEAD_OF_LOSSES.match(line[:400]) for line in lines):
        return None
    if looks_like_a_log(lines):
        return None
    return _UNLIKE_A_LOG


def _first_lines(head: bytes) -> list[bytes]:
    return [line for line in head[:65536].replace(b"\r", b"\n").split(b"\n") if line.strip()][:_LINES_JUDGED]


def _quotes_a_log(item: Found, head: bytes) -> bool:
    return _OF_A_PROJECT.search(Path(item.name).name) is None and looks_like_a_log(_first_lines(head))


def looks_like_a_log(lines: Iterable[bytes]) -> bool:
    """Whether enough of some lines are what programs say while they run."""
    signs = [
        bool(_SIGN.search(line[:400]) or _SIGN_ABROAD.search(line[:400].decode("utf-8", "replace"))) for line in lines
    ]
    return sum(signs) >= max(1, _SHARE_OF_SIGNS * len(signs))


def _is_named_a_log(item: Found) -> bool:
    return item.named or _LOG_NAME.search(_PACKED.sub("", Path(item.name).name)) is not None


def _is_json_document(head: bytes) -> bool:
    """One JSON value over several lines; a log of JSON lines is none, and neither is a printed dictionary."""
    first, _, rest = head.lstrip().partition(b"\n")
    if first.strip() in (b"{", b"["):
        return bool(re.match(rb'\s*(?:"|\{|\[|[\d\]}-])', rest))
    return first[:1] in (b"{", b"[") and re.match(rb'[\[{]\s*"[^"\n]{0,200}"\s*[:,\]]', first) is not None and not rest


def _suffix(name: str) -> str:
    return Path(_PACKED.sub("", name)).suffix[1:].lower()


def _matches(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name.rpartition("/")[2], pattern)


def _ambiguous_local_ranks(names: Sequence[str]) -> bool:
    """Local ranks are global ones only where one agent wrote: true where two runs hold the same one."""
    runs: dict[str, set[str]] = {}
    for name in names:
        if (rank_of_path(name) or (0, ""))[1] == "log_dir":
            run, _, attempt = name.rpartition("/attempt_")
            runs.setdefault(attempt, set()).add(run)
    return any(len(found) > 1 for found in runs.values())
