"""How processes ended, as launchers, shells, schedulers and the kernel say it in a log.

Rows of the wrapper and of the scheduler's accounting come from their own tables (analyze/facts.py).
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from inquest.analyze.logs.reader import SUMMARY_ANCHORS
from inquest.analyze.logs.signal_words import ABROAD, ENGLISH, ZSH, signal_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
_NAMED: Final = re.compile(r"SIG(?:KILL|SEGV|ABRT|BUS|ILL|FPE)")
_UNIT_STATUS: Final = re.compile(r"code=(killed|dumped|exited), status=(\d{1,3})")
_BEYOND: Final = 256
"""PBS adds it to the number of the signal that ended a job."""
_SIGNALLED: Final = 128
"""A greater status is 128 plus the signal's number, as shells and container runtimes put it."""
_SHELL: Final = re.compile(r"(?:[:：] \D{0,12}\d{1,6}\D{0,6}[:：] ?|^\[\d+\]) +(?:[+-] +)?(\d{1,9}) ")
_SHELLS: Final = {
    "shell.killed": ENGLISH,
    "shell.core_dumped": ENGLISH,
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
    text = line.text
    if pattern_id == "torchrun.failed" and (found := _ELASTIC.search(text)):
        yield Exit(
            line,
            "torchrun",
            "rank",
            *_status(int(found[1])),
            local_rank=int(found[2]),
            pid=int(found[3]),
            first_failure=True,
        )
    elif pattern_id == "torchrun.accelerate" and (found := _STATUS.search(text)):
        term, code = found[1], found[2]
        yield Exit(line, "accelerate", "rank", int(code) if code else None, int(term) if term else None)
    elif pattern_id == "torchrun.mp_spawn" and (found := _SPAWN.search(text)):
        term_signal = signal_number(found[2]) if found[2] else None
        code = int(found[3]) if found[3] else None
        child = int(found[1])
        yield Exit(line, "mp_spawn", "rank", code, term_signal, child, "text", local_rank=child, first_failure=True)
    elif pattern_id == "torchrun.deepspeed_exit" and (found := re.search(r"return code = (-?\d+)", text)):
        yield Exit(line, "deepspeed", "rank", *_status(int(found[1])))
    elif pattern_id in _MPI and (found := _MPI[pattern_id].search(text)):
        told = found.groupdict()
        rank = int(told["rank"]) if told.get("rank") else None
        yield Exit(
            line,
            "mpirun",
            "task",
            int(told["code"]) if told.get("code") else None,
            int(told["signal"]) if told.get("signal") else None,
            rank=rank,
            rank_by=None if rank is None else "text",
            host=told.get("host"),
        )
    elif pattern_id == "mpirun.abort" and (found := _MPI_ABORT.search(text)):
        code = int(found[1] or found[2] or found[3])
        rank = int(found[4]) if found[4] else None
        by = None if rank is None else "text"
        yield Exit(line, "mpirun", "rank", code, None, rank, by, first_failure=True)
    elif pattern_id in {"launcher.honcho_stopped", "launcher.compose_exited"} and (found := _SUPERVISED.search(text)):
        code = int(found[1])
        yield Exit(line, "shell", "task", *_status(128 - code if code > _SIGNALLED else code))
    elif pattern_id == "launcher.supervisord_signal" and (found := re.search(r"terminated by (SIG\w+)", text)):
        yield Exit(line, "shell", "task", term_signal=signal_number(found[1]))
    elif pattern_id == "launcher.command_died" and (found := _STATUS.search(text)):
        yield Exit(line, "shell", "task", term_signal=int(found[1]))
    elif pattern_id == "launcher.child_signal" and (found := _CHILD.search(text)):
        who = int(found[1]) if found[1] else None
        by = None if who is None else "text"
        yield Exit(line, "mp_spawn", "rank", None, int(found[2]), who, by, first_failure=True)
    elif pattern_id == "launcher.signal_named" and (found := _NAMED.search(text)):
        yield Exit(line, "shell", "task", term_signal=signal_number(found[0]))
    elif pattern_id == "launcher.nextflow_failed" and (found := re.search(r"exit status \((\d+)\)", text)):
        code = int(found[1])
        yield Exit(line, "shell", "task", *_status(_SIGNALLED - code if code > _SIGNALLED else code))
    elif pattern_id == "launcher.airflow_task" and (found := _AIRFLOW.search(text)):
        named = (None, signal_number(found[1])) if found[1] else _status(int(found[2] or 0))
        yield Exit(line, "shell", "task", *named)
    elif pattern_id in {"slurm.task_exit", "slurm.task_signal"} and (found := _SRUN.search(text)):
        for task in _tasks(found[2]):
            code = int(found[3]) if found[3] else None
            term_signal = signal_number(found[4].strip()) if found[4] else None
            yield Exit(line, "slurm", "task", code, term_signal, rank=task, rank_by="task", host=found[1])
    elif pattern_id == "slurm.task_oom" and (found := _SRUN.search(text)):
        # Once a step's memory has run out, slurmstepd says so of all of its tasks on that node that end: the first line
        # tells of the first of them. The kernel kills with SIGKILL.
        for task in _tasks(found[2]):
            term_signal = int(signal.SIGKILL)
            yield Exit(line, "slurm", "task", None, term_signal, rank=task, rank_by="task", host=found[1])
    elif pattern_id in _SHELLS:
        pid = _SHELL.search(text)
        number = next((number for name, number in _SHELLS[pattern_id].items() if name in text), None)
        yield Exit(line, "shell", "task", term_signal=number and int(number), pid=int(pid[1]) if pid else None)
    elif pattern_id in {"kernel.oom_cgroup", "kernel.oom_machine"} and (found := re.search(r"process (\d+)", text)):
        yield Exit(line, "kernel", "rank", term_signal=int(signal.SIGKILL), pid=int(found[1]))
    elif pattern_id in {"launcher.composer_crashed", "launcher.paddle_failed"} and (found := _RANKED.search(text)):
        rank = int(found[1])
        yield Exit(line, "mp_spawn", "rank", *_status(int(found[2])), rank=rank, rank_by="text", first_failure=True)
    elif pattern_id == "runtime.make_signal":
        number = next((number for word, number in _WORDS.items() if f"] {word}" in text), None)
        yield Exit(line, "shell", "task", term_signal=number and int(number))
    elif pattern_id == "runtime.terminated_by" and (found := re.search(r"signal (\d{1,2})", text)):
        yield Exit(line, "shell", "task", term_signal=int(found[1]))
    elif pattern_id == "runtime.debugger" and (found := re.search(r"signal (SIG\w+)", text)):
        yield Exit(line, "shell", "task", term_signal=signal_number(found[1]))
    elif pattern_id in {"systemd.killed", "systemd.exited"} and (found := _UNIT_STATUS.search(text)):
        status, ended = int(found[2]), found[1] == "exited"
        yield Exit(line, "systemd", "task", status if ended else None, None if ended else status)
    elif pattern_id == "lsf.exit" and (found := re.search(r"exit code (\d+)", text)):
        yield Exit(line, "shell", "task", int(found[1]))
    elif pattern_id in {"pbs.exit", "pbs.success"} and (found := re.search(r"Exit_status ?= ?(\d+)", text)):
        code = int(found[1])
        if code != _BEYOND + signal.SIGTERM:  # by qdel, or by PBS itself at a limit: a status does not tell
            yield Exit(line, "shell", "task", *_status(_BEYOND - code if code > _BEYOND else code))
    elif pattern_id in {"kube.exit", "kube.completed", "batch.sge_exit", "batch.sge_success"} and (
        found := re.search(r"exit(?: code|_status) +(\d+)", text)
    ):
        code = int(found[1])
        yield Exit(line, "shell", "task", *_status(_SIGNALLED - code if code > _SIGNALLED else code))


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
