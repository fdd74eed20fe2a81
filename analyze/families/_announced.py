"""What a job said it was about to read when it failed to: a saved state or data, where the traceback fits both.

``torch.load`` reads whatever was saved, and any library's ``load`` raises what it likes; the lines before a traceback,
and the job's own lines in it, say what the file was.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._causes import Cause, Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._rows import Row

_READS: Final = re.compile(
    r"(?m) (?:_?load|load_from_\w+|_?legacy_load|_?restore\w*|_?load_state\w*|resume\w*|set_state\w*"
    r"|from_(?:bytes|state_dict))$"
)
"""A frame of a function that reads what was saved."""
_READER: Final = re.compile(r"PytorchStreamReader failed (?:reading|locating)")
"""What ``torch.load`` alone raises, where its frames were cut away."""
_STATE: Final = re.compile(
    r"(?i)ckpt|checkpoint|\bresum|\brestor|snapshot|state_?dict|optimizer|weights|\bmodel\b|\bagent\b|step[_-]?\d|epoch[_-]?\d"
)
_RESUMES: Final = re.compile(
    r"(?i)\b(?:resum(?:e|es|ing)|restor(?:e|es|ing)|continu(?:e|es|ing)|warm[- ]?start(?:s|ing)?)"
    r"(?:(?: [\w'-]+){0,3} (?:from|at|with)\b|: ?(?:load|read|open|restor)\w*)"
    r"|\b(?:cannot|could not|couldn't|can't|failed to|unable to) (?:resume|restore)\b"
)
_LOADS: Final = re.compile(
    r"(?i)\b(?:(?:re-?)?load\w*|reading|read from|open(?:ing|ed)|found|revert\w*"
    r"|(?:roll|go|turn)(?:s|es|ed|ing)? back)\b"
)
_SAVED: Final = re.compile(
    r"(?i)ckpt|checkpoint|snapshot|trainer_state|\(step[ =_-]?\d|(?:last|saved) state"
    r"|\bof (?:an?|the|my|our) (?:earlier|previous|prior|last|old(?:er)?|interrupted)"
    r" (?:run|job|build|attempt|session|start|try)\b"
)
"""What is read was saved on the way: by its name, by the step it is of, or by who left it."""
_OPENS: Final = re.compile(r"\b\w+\.(?:loads?|load_\w+|read_\w+|restore\w*)\(")
"""A call of a function that leaves no frame, as those of ``pickle`` written in C."""
_CUT_SHORT: Final = frozenset({"EOFError", "UnpicklingError", "BadZipFile", "ReadError", "JSONDecodeError"})
"""What a reader raises of a file that is not whole."""
_DATA: Final = re.compile(
    r"(?i)\bdata\b|dataset|corpus|token|cache|shard|embedding|\bindex|vocab|feature|samples?\b|batch(?:es)?\b"
    r"|\brows?\b|\brecords?\b|\bexamples?\b|\bimages?\b|\blabels?\b|\btargets?\b|\bsplits?\b|\bchunks?\b|\bparts?[-_/\d]"
)
_LIBRARY: Final = re.compile(r"site-packages|dist-packages|/lib/python3|<frozen ")
_BEFORE: Final = 3
_OTHER_STREAM: Final = {"stderr": "stdout", "stdout": "stderr"}
_AT_ONCE_NS: Final = 500_000_000
_CRASHES: Final = 20


def announced(ev: Evidence, crashes: tuple[Crash, ...]) -> tuple[Crash, ...]:
    """``crashes``, those on a read judged by what the job said of the file."""
    return (*(_judged(ev, crash) for crash in crashes[:_CRASHES]), *crashes[_CRASHES:])


def _judged(ev: Evidence, crash: Crash) -> Crash:
    row, cause = crash.root, crash.cause
    if cause.cause is Cause.PEER_LOST and _BUILTIN.match(str(crash.speaking["exc_type"])) and _alone(ev, crash):
        return replace(crash, cause=Kind(Cause.APPLICATION, "env"))
    if cause.cause is Cause.APPLICATION and _OF_PARAMETERS.search(f"{row['exc_type']}: {row['message']}"):
        return replace(crash, cause=Kind(Cause.CHECKPOINT)) if _restored(ev, row) else crash
    if cause.cause not in (Cause.CHECKPOINT, Cause.APPLICATION):
        return crash
    if _unfit(row) and _before_any_step(ev, row) and _resumes(_said(ev, row)[0]):
        return replace(crash, cause=Kind(Cause.CHECKPOINT))
    reads = (_READS.search(str(row["frames"] or "")) or _READER.search(str(row["message"] or ""))) is not None
    if not reads and str(row["exc_type"]).rpartition(".")[2] not in _CUT_SHORT:
        return crash
    if cause.cause is Cause.CHECKPOINT and _STATE.search(str(row["message"] or "")):
        return crash
    before, own = _said(ev, row)
    if not reads and own and not _OPENS.search(own):
        return crash
    if cause.cause is Cause.APPLICATION:
        cut = str(row["exc_type"]).rpartition(".")[2] in _CUT_SHORT
        names = cut and any(_OPENS.search(line) and _SAVED.search(line) for line in own.splitlines())
        saved = names or _resumes(before)
        return replace(crash, cause=Kind(Cause.CHECKPOINT)) if saved else crash
    text = "\n".join((*before, own, _own_frames(row)))
    about_data = _DATA.search(text) is not None and not _STATE.search(text)
    return replace(crash, cause=Kind(Cause.APPLICATION, "data")) if about_data else crash


_BUILTIN: Final = re.compile(r"(?:ConnectionResetError|ConnectionAbortedError|BrokenPipeError)$")
_TO_PEERS: Final = re.compile(
    r"multiprocessing|/distributed/|torch/|mpi4py|horovod|deepspeed|/ray/|/dask|grpc|zmq|\bddp\b"
)
"""Frames of what processes of one job speak to each other through."""
_SERVICE: Final = re.compile(
    r"(?i)\bstore\b|bucket|\bs3\b|http|\bapi\b|database|\bdb\b|redis|track(?:er|ing)|\bhub\b|download|upload|fetch"
    r"|request|\burl"
)


def _alone(ev: Evidence, crash: Crash) -> bool:
    """Whether a connection that was lost led to a service by what is said of it, and nothing tells of a second rank."""
    row = crash.speaking
    said = f"{row['message']}\n{row['user_code']}\n{_own_frames(row)}"
    if _TO_PEERS.search(str(row["frames"] or "")) or not _SERVICE.search(said):
        return False
    events = ev.facts("fact_events")
    several = bool(ev.ranks()) or (ev.has("processes") and (ev.world_size() or 1) > 1)
    several |= not events.filter(pl.col("framework").is_in(_OF_SEVERAL) | pl.col("kind").is_in(_TOGETHER)).is_empty()
    return not several


_OF_SEVERAL: Final = ("torchrun", "nccl", "gloo", "deepspeed", "horovod", "mpi", "ray")
_TOGETHER: Final = ("process_group_init", "process_group_ready", "rendezvous_start", "nccl_init_begin", "banner")

_OF_PARAMETERS: Final = re.compile(
    r"(?:^|\.)Scope(?:Param|Variable|Collection)\w{3,20}Error: |\bexisting parameter it received\b"
)
"""What Flax says at the first use of parameters that it was given and that do not fit: nothing looks at them before."""


def _unfit(row: Row) -> bool:
    """Whether an exception tells of a part of a state that is not there, or of arrays of other shapes."""
    kind, message = str(row["exc_type"]).rpartition(".")[2], str(row["message"] or "")
    if kind == "KeyError":
        return _PART.search(message) is not None
    return kind in ("ValueError", "RuntimeError") and _OTHER_SHAPES.search(message) is not None


_PART: Final = re.compile(
    r"(?i)optim|state_?dict|\bmodel\b|\bmodule\b|sched|scaler|\bema\b|\bepoch\b|step\b|\bweights?\b|\bparams\b|\brng"
    r"|^[\"']?(?:state|opt|iteration)[\"']?$"
)
_OTHER_SHAPES: Final = re.compile(
    r"(?i)could not broadcast input array|cannot reshape array|shape mismatch"
    r"|shapes? .{0,60}\b(?:not aligned|does not match)"
)


def _before_any_step(ev: Evidence, row: Row) -> bool:
    return (
        row["line_seq"] is not None
        and ev.facts("fact_steps").filter(same_stream(row) & (pl.col("line_seq") < row["line_seq"])).is_empty()
    )


def _restored(ev: Evidence, row: Row) -> bool:
    """Whether a line of the stream, before any step, tells that a state was restored."""
    events, steps = ev.facts("fact_events"), ev.facts("fact_steps")
    above = same_stream(row) & (pl.col("line_seq") < row["line_seq"])
    if not steps.filter(above).is_empty():
        return False
    if not events.filter(above & pl.col("kind").is_in(_OF_A_LOAD)).is_empty():
        return True
    said = ev.scan("log_lines").filter(same_stream(row) & (pl.col("seq") < row["line_seq"])).sort("seq").tail(_ABOVE)
    return any(_RESTORES.search(text or "") for text in said.select("text").collect()["text"])


_OF_A_LOAD: Final = ("checkpoint_loaded", "checkpoint_load_begin")
_ABOVE: Final = 200
_RESTORES: Final = re.compile(
    r"(?i)\b(?:restor(?:ed|ing)|resum(?:ed|ing)|reload(?:ed|ing))\b(?!.{0,40}\b(?:no|nothing|none|fail|not)\b)"
)


def _resumes(before: list[str]) -> bool:
    """Whether the last of these lines that tells of a read, or of data, tells of a saved state."""
    for line in reversed(before):
        if _DATA.search(line):
            return False
        if _RESUMES.search(line) or (_LOADS.search(line) and _SAVED.search(line)):
            return True
    return False


def _own_frames(row: Row) -> str:
    return "\n".join(line for line in str(row["frames"] or "").splitlines() if not _LIBRARY.search(line))


def _said(ev: Evidence, row: Row) -> tuple[list[str], str]:
    """Lines before a traceback, and the job's own lines in it: none of a program that was read from a pipe."""
    if row["line_seq"] is None:
        return [], ""
    last = row["line_seq_last"] or row["line_seq"]
    near = (
        ev.scan("log_lines")
        .filter(same_stream(row) & pl.col("seq").is_between(row["line_seq"] - _BEFORE, last))
        .sort("seq")
        .select("seq", "text")
        .collect()
    )
    before = [text or "" for seq, text in near.iter_rows() if seq < row["line_seq"]]
    inside = [text or "" for seq, text in near.iter_rows() if seq >= row["line_seq"]]
    pairs = itertools.pairwise(inside)
    own = [text for frame, text in pairs if "File " in frame and text[:1].isspace() and not _LIBRARY.search(frame)]
    return before + _beside(ev, row), "\n".join(own)


def _beside(ev: Evidence, row: Row) -> list[str]:
    """What stood last on the process' other stream then; what a buffer held comes with the end of the process."""
    other = _OTHER_STREAM.get(row["source"])
    if other is None or row["ts_ns"] is None:
        return []
    lines = ev.scan("log_lines").filter(
        (pl.col("node") == row["node"]) & (pl.col("source") == other) & (pl.col("ts_ns") <= row["ts_ns"] + _AT_ONCE_NS)
    )
    return [text or "" for text in lines.sort("seq").select("text").tail(_BEFORE).collect()["text"]]
