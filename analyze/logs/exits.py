"""How processes ended, as launchers, shells, schedulers and the kernel say it in a log.

Rows of the wrapper and of the scheduler's accounting come from their own tables (analyze/facts.py).
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from inquest.analyze.logs.reader import SUMMARY_ANCHORS
from inquest.analyze.logs.signal_words import ABROAD, ENGLISH, ZSH, signal_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inquest.analyze.logs.reader import Line

_ROOT: Final = "Root Cause (first observed failure)"
_RANK: Final = re.compile(r"^\s*rank +: (\d+) \(local_rank: (\d+)\)")
_EXITCODE: Final = re.compile(r"^\s*exitcode +: (-?\d+) \(pid: (\d+)\)")
_HOST: Final = re.compile(r"^\s*host +: (\S+)")

_SPAWN: Final = re.compile(r"process (\d+) terminated with (?:signal (SIG\w+)|exit code (\d+))")
_STATUS: Final = re.compile(r"(?:died with <Signals\.SIG\w+: (\d+)>|returned non-zero exit status (\d+))")
_ELASTIC: Final = re.compile(r"failed \(exitcode: (-?\d+)\) local_rank: (\d+) \(pid: (\d+)\)")
_SRUN: Final = re.compile(
    r"srun: error: (\S+): tasks? ([\d,-]+): (?:Exited with exit code (\d+)|(.+?)(?: \(core dumped\))?$)"
)
_MPI: Final = {
    "mpirun.signal": re.compile(
        r"rank (?P<rank>\d{1,7}) with PID \d+ on node (?P<host>\S+) exited on signal (?P<signal>\d{1,3})"
    ),
    "mpirun.signal_below": re.compile(r"^signal (?P<signal>\d{1,3}) "),
    "mpirun.hydra_signal": re.compile(r"BY SIGNAL: (?P<signal>\d{1,3}) "),
    "mpirun.hydra_exit_string": re.compile(r"\(signal (?P<signal>\d{1,3})\)"),
    "mpirun.exit_code": re.compile(r"Exit code: +(?P<code>\d{1,5})"),
}
"""How Open MPI's and MPICH's launchers tell of the process that failed first."""
_MPI_ABORT: Final = re.compile(
    r"errorcode (\d{1,5})\.|Errorcode: (\d{1,5})|MPI_Abort\(.{1,60}, (\d{1,5})\) - process (\d{1,7})"
)
"""A rank that called MPI_Abort: with which status, and which rank, where the line tells."""
_SUPERVISED: Final = re.compile(r"(?:\(rc=|exited with code )(-?\d{1,3})")
_RANKED: Final = re.compile(r"[Rr]ank (\d{1,7}) (?:crashed with|status failed cmd ).*? code (-?\d{1,3})\b")
_WORDS: Final = {**ENGLISH, **ABROAD}
_CHILD: Final = re.compile(
    r"(?i)\b(?:rank\W{0,2}(\d{1,6})\b)?.{0,300}\b(?:(?:(?:exit|return) ?code|status|rc)(?:: |=| )"
    r"|returned |exited with )-(\d{1,2})\b"
)
_AIRFLOW: Final = re.compile(r"return code (?:Negsignal\.(SIG\w+)|(-?\d{1,3}))")
_NAMED: Final = re.compile(r"(SIG(?:KILL|SEGV|ABRT|BUS|ILL|FPE))")
_UNIT_STATUS: Final = re.compile(r"code=(killed|dumped|exited), status=(\d{1,3})")
_BEYOND: Final = 256
"""PBS adds it to the number of the signal that ended a job."""
_SIGNALLED: Final = 128
"""A greater status is 128 plus the signal's number, as shells and container runtimes put it."""
_SHELL: Final = re.compile(r"(?:[:：] \D{0,12}\d{1,6}\D{0,6}[:：] ?|^\[\d+\]) +(?:[+-] +)?(\d{1,9}) ")
_SHELLS: Final = {
    "shell.killed": ENGLISH,
    "shell.core_dumped": ENGLISH,
    "shell.mxnet_signal": ENGLISH,
    "shell.killed_abroad": ABROAD,
    "shell.zsh_killed": ZSH,
    "shell.fish_killed": {f"signal {each.name} ": each for each in signal.Signals},
}
"""Patterns of what shells say, and the words each has for signals."""
_TASKS_EXPANDED: Final = 4096


@dataclass(frozen=True, slots=True)
class Exit:
    """One statement about the end of one process; see ``fact_exits``."""

    line: Line
    said_by: str
    role: str
    exit_code: int | None = None
    term_signal: int | None = None
    rank: int | None = None
    rank_by: str | None = None
    local_rank: int | None = None
    pid: int | None = None
    host: str | None = None
    first_failure: bool | None = None

    def row(self) -> dict[str, Any]:
        """Columns of ``fact_exits``, without ``seq`` and ``attempt``."""
        line = self.line
        return {
            "node": line.node,
            "capture": line.capture,
            "ts_ns": line.ts_ns,
            "rank": self.rank,
            "rank_by": self.rank_by,
            "role": self.role,
            "said_by": self.said_by,
            "pid": self.pid,
            "local_rank": self.local_rank,
            "host": self.host,
            "exit_code": self.exit_code,
            "term_signal": self.term_signal,
            "first_failure": self.first_failure,
            "source": line.source,
            "offset": line.offset,
            "line_seq": line.seq,
            "text": line.text[:2000],
        }


def summaries(lines: Iterable[Line]) -> Iterator[Exit]:
    """Every entry of torchrun's final summaries among the lines of one stream."""
    root = False
    host: str | None = None
    ranks: tuple[int, int] | None = None
    for line in lines:
        text = line.text
        if _ROOT in text:
            root = True
        elif not any(anchor in line.text for anchor in SUMMARY_ANCHORS):
            continue
        elif found := _HOST.match(text):
            host = found[1]
        elif found := _RANK.match(text):
            ranks = int(found[1]), int(found[2])
        elif (found := _EXITCODE.match(text)) and ranks:
            code, pid = int(found[1]), int(found[2])
            yield Exit(
                line,
                "torchrun",
                "rank",
                *_status(code),
                rank=ranks[0],
                rank_by="text",
                local_rank=ranks[1],
                pid=pid,
                host=host,
                first_failure=root,
            )
            root, ranks = False, None


def said(pattern_id: str, line: Line) -> Iterator[Exit]:
    """What a line that matched a pattern of the registry says about the end of processes."""
    if pattern_id in _TELLERS:
        words, read = _TELLERS[pattern_id]
        if (found := words.search(line.text)) is not None:
            yield from read(line, found)


# --- by launchers ----------------------------------------------------------------------------------------------------


def _elastic(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    status, pid = _status(int(found[1])), int(found[3])
    yield Exit(line, "torchrun", "rank", *status, local_rank=int(found[2]), pid=pid, first_failure=True)


def _accelerate(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    term, code = found[1], found[2]
    yield Exit(line, "accelerate", "rank", int(code) if code else None, int(term) if term else None)


def _spawned(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    term_signal = signal_number(found[2]) if found[2] else None
    code = int(found[3]) if found[3] else None
    child = int(found[1])
    yield Exit(line, "mp_spawn", "rank", code, term_signal, child, "text", local_rank=child, first_failure=True)


def _deepspeed(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    yield Exit(line, "deepspeed", "rank", *_status(int(found[1])))


def _mpi(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    told = found.groupdict()
    code = int(told["code"]) if told.get("code") else None
    number = int(told["signal"]) if told.get("signal") else None
    rank = int(told["rank"]) if told.get("rank") else None
    by = None if rank is None else "text"
    yield Exit(line, "mpirun", "task", code, number, rank, by, host=told.get("host"))


def _mpi_abort(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    code = int(found[1] or found[2] or found[3])
    rank = int(found[4]) if found[4] else None
    by = None if rank is None else "text"
    yield Exit(line, "mpirun", "rank", code, None, rank, by, first_failure=True)


def _child(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    who = int(found[1]) if found[1] else None
    by = None if who is None else "text"
    yield Exit(line, "mp_spawn", "rank", None, int(found[2]), who, by, first_failure=True)


def _ranked(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    rank, status = int(found[1]), _status(int(found[2]))
    yield Exit(line, "mp_spawn", "rank", *status, rank=rank, rank_by="text", first_failure=True)


# --- by shells, and by who else runs a command -----------------------------------------------------------------------


def _signalled(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    """The number of a signal."""
    yield Exit(line, "shell", "task", term_signal=int(found[1]))


def _signal_named(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    """The name of a signal."""
    yield Exit(line, "shell", "task", term_signal=signal_number(found[1]))


def _left(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    """A status as it is."""
    yield Exit(line, "shell", "task", int(found[1]))


def _shell_status(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    """A status as shells put it."""
    code = int(found[1])
    yield Exit(line, "shell", "task", *_status(_SIGNALLED - code if code > _SIGNALLED else code))


def _pbs_status(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    code = int(found[1])
    if code != _BEYOND + signal.SIGTERM:  # by qdel, or by PBS itself at a limit: a status does not tell
        yield Exit(line, "shell", "task", *_status(_BEYOND - code if code > _BEYOND else code))


def _airflow(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    yield Exit(line, "shell", "task", *((None, signal_number(found[1])) if found[1] else _status(int(found[2] or 0))))


def _make(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    number = next((number for word, number in _WORDS.items() if f"] {word}" in found.string), None)
    yield Exit(line, "shell", "task", term_signal=number and int(number))


def _shell(words: Mapping[str, int], line: Line, found: re.Match[str]) -> Iterator[Exit]:
    """A shell's word for a signal."""
    pid = _SHELL.search(found.string)
    number = next((number for name, number in words.items() if name in found.string), None)
    yield Exit(line, "shell", "task", term_signal=number and int(number), pid=int(pid[1]) if pid else None)


# --- by schedulers and the system ------------------------------------------------------------------------------------


def _srun(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    for task in _tasks(found[2]):
        code = int(found[3]) if found[3] else None
        term_signal = signal_number(found[4].strip()) if found[4] else None
        yield Exit(line, "slurm", "task", code, term_signal, rank=task, rank_by="task", host=found[1])


def _srun_memory(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    # Once a step's memory has run out, slurmstepd says so of all of its tasks on that node that end: the first line
    # tells of the first of them. The kernel kills with SIGKILL.
    for task in _tasks(found[2]):
        yield Exit(line, "slurm", "task", None, int(signal.SIGKILL), rank=task, rank_by="task", host=found[1])


def _kernel(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    yield Exit(line, "kernel", "rank", term_signal=int(signal.SIGKILL), pid=int(found[1]))


def _unit(line: Line, found: re.Match[str]) -> Iterator[Exit]:
    status, ended = int(found[2]), found[1] == "exited"
    yield Exit(line, "systemd", "task", status if ended else None, None if ended else status)


_Reader = Callable[["Line", re.Match[str]], "Iterator[Exit]"]
_ANY: Final = re.compile("")
_CODE: Final = re.compile(r"exit(?: code|_status) +(\d+)")
_CONTAINER: Final = re.compile(r"exit code: (\d+)")
_PBS: Final = re.compile(r"Exit_status ?= ?(\d+)")
_PROCESS: Final = re.compile(r"process (\d+)")

_TELLERS: Final[dict[str, tuple[re.Pattern[str], _Reader]]] = {
    "torchrun.failed": (_ELASTIC, _elastic),
    "torchrun.accelerate": (_STATUS, _accelerate),
    "torchrun.mp_spawn": (_SPAWN, _spawned),
    "torchrun.deepspeed_exit": (re.compile(r"return code = (-?\d+)"), _deepspeed),
    **{pattern_id: (words, _mpi) for pattern_id, words in _MPI.items()},
    "mpirun.abort": (_MPI_ABORT, _mpi_abort),
    "launcher.child_signal": (_CHILD, _child),
    "launcher.composer_crashed": (_RANKED, _ranked),
    "launcher.paddle_failed": (_RANKED, _ranked),
    "launcher.honcho_stopped": (_SUPERVISED, _shell_status),
    "launcher.compose_exited": (_SUPERVISED, _shell_status),
    "launcher.nextflow_failed": (re.compile(r"exit status \((\d+)\)"), _shell_status),
    "launcher.own_status": (re.compile(r"(1\d\d)\W*$"), _shell_status),
    "launcher.traced_exit": (re.compile(r"(1\d\d)$"), _shell_status),
    "launcher.own_return": (re.compile(r" (1\d\d)(?: after [\d.]+ ?\w+)?\W*$"), _shell_status),
    "launcher.supervisord_signal": (re.compile(r"terminated by (SIG\w+)"), _signal_named),
    "launcher.signal_named": (_NAMED, _signal_named),
    "launcher.command_died": (_STATUS, _signalled),
    "launcher.airflow_task": (_AIRFLOW, _airflow),
    "runtime.terminated_by": (re.compile(r"signal (\d{1,2})"), _signalled),
    "runtime.debugger": (re.compile(r"signal (SIG\w+)"), _signal_named),
    "runtime.make_signal": (_ANY, _make),
    **{pattern_id: (_ANY, partial(_shell, words)) for pattern_id, words in _SHELLS.items()},
    "slurm.task_exit": (_SRUN, _srun),
    "slurm.task_signal": (_SRUN, _srun),
    "slurm.task_oom": (_SRUN, _srun_memory),
    "kernel.oom_cgroup": (_PROCESS, _kernel),
    "kernel.oom_machine": (_PROCESS, _kernel),
    "systemd.killed": (_UNIT_STATUS, _unit),
    "systemd.exited": (_UNIT_STATUS, _unit),
    "lsf.exit": (re.compile(r"exit code (\d+)"), _left),
    "pbs.exit": (_PBS, _pbs_status),
    "pbs.success": (_PBS, _pbs_status),
    "kube.exit": (_CODE, _shell_status),
    "kube.completed": (_CODE, _shell_status),
    "batch.determined_exit": (_CONTAINER, _shell_status),
    "batch.sge_exit": (_CODE, _shell_status),
    "batch.sge_success": (_CODE, _shell_status),
}
"""For each pattern that tells how processes ended: where it says so, and how that is read."""


def _status(code: int) -> tuple[int | None, int | None]:
    """Exit code and signal of a status in Python's way: minus the signal's number."""
    return (code, None) if code >= 0 else (None, -code)


def _tasks(text: str) -> Iterator[int]:
    """Task numbers of ``0-1,3``."""
    count = 0
    for part in text.split(","):
        low, _, high = part.partition("-")
        if low.isdecimal() and (high or low).isdecimal():
            for task in range(int(low), int(high or low) + 1):
                count += 1
                if count > _TASKS_EXPANDED:
                    return
                yield task
