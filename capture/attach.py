"""``inquest attach``: records a job that runs already, without a wrapper and without touching it.

One recorder for each task of the job on this node, as beside `inquest run`: a task is a process of the job whose
parent is not of the job, or the one process that was named. We look for further tasks every `_LOOK_S` (a job script
starts its steps one by one), wait for all of them to end, and have the recorders leave when we are told to end, or are
killed. How a task ended is told by the collectors, where the kernel tells who is not the parent, else it is null.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

from inquest.bundle.errors import InputError, InquestError, UsageError
from inquest.bundle.nodedir import create_capture
from inquest.capture import jobenv, placement, proc
from inquest.capture import options as settings
from inquest.capture.run import recording_facts, self_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inquest.capture.options import Options

_LOOK_S: Final = 2.0
_ASK_S: Final = 30.0
"""How often Slurm is asked whether a job goes on that has no process here."""
_SLURM_S: Final = 10.0
_LEAVE_S: Final = 5.0
"""How long recorders have to seal before we leave them to it."""
_MOST_TASKS: Final = 256
_RESTARTS: Final = 3
_ENDS: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
_ARRAY: Final = frozenset({"SLURM_JOB_ID", "SLURM_JOBID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"})
_SLURMSTEPD: Final = "slurmstepd"
_EXTERN: Final = "extern"
"""The step in which Slurm itself keeps a job's node: no part of the job's program."""
_GOES_ON: Final = frozenset({"RUNNING", "SUSPENDED", "STOPPED", "CONFIGURING"})
_CGROUP_BYTES: Final = 16 << 10


@dataclass(frozen=True, slots=True)
class Task:
    """A process to record with all that it starts; number and start time, since numbers come again."""

    pid: int
    start_ticks: int


def main(argv: list[str]) -> NoReturn:
    """Record a running job until it ends; ends the process and never returns."""
    os._exit(_main(argv))


def _main(argv: list[str]) -> int:
    try:
        options = settings.parse_attach(argv, os.environ)
        for warning in options.warnings:
            _say(warning)
        look = _finder(options)
        if options.dry_run or options.estimate_only:
            from inquest.capture.plan import show

            return show(options, next((task.pid for task in look()), None))
        return _Attached(options, look).run()
    except settings.HelpWanted:
        sys.stdout.write(settings.ATTACH_HELP)
        sys.stdout.flush()
        return 0
    except InquestError as error:
        _say(str(error))
        return error.exit_code
    except OSError as error:
        _say(f"cannot record: {error.strerror or error}: {error.filename or ''}".rstrip(": "))
        return InputError.exit_code


# --- whom to record -----------------------------------------------------------------------------------------------


def _finder(options: Options) -> Callable[[], list[Task]]:
    """What lists the tasks that are there now.

    Raises:
        InputError: There is no such process, or we may not look at it.
    """
    if options.pid is not None:
        task = _task(options.pid)
        if task is None:
            raise InputError(f"there is no process {options.pid} here: give one that runs on this node.")
        if options.pid == os.getpid():
            raise InputError(f"process {options.pid} is inquest itself: give one of the job.")
        if not os.access(f"/proc/{options.pid}/environ", os.R_OK):
            raise InputError(f"process {options.pid} belongs to another user: attach as that user, or as root.")
        return lambda: [task]
    assert options.job is not None
    job = options.job
    return lambda: tasks_of_job(job, options.node)


def _task(pid: int) -> Task | None:
    seen = proc.stat(pid)
    return None if seen is None or seen.state in "ZX" else Task(pid, seen.start_ticks)


def tasks_of_job(job: str, node: str) -> list[Task]:
    """The tasks of a Slurm job on this node, oldest first.

    A process is of the job when its environment names the job, or its control group is the job's. What runs only for
    our own sake (the step that attaches) is none of it.

    Args:
        job: Number of the job; of an array 1_7.
        node: Name of the node; empty where nobody said.

    Raises:
        UsageError: Processes of several nodes of the job run here, and ``node`` names none of them.
    """
    stats = {pid: stat for pid in proc.pids() if (stat := proc.stat(pid)) is not None and stat.state not in "ZX"}
    env = {pid: proc.environ(pid, jobenv.ALLOWED) for pid in stats}
    members = {pid for pid, stat in stats.items() if stat.comm != _SLURMSTEPD and _is_of(job, env[pid], _cgroup(pid))}
    names = {name for pid in members if (name := env[pid].get("SLURMD_NODENAME"))}
    if len(names) > 1:
        if node not in names:
            raise UsageError(
                f"processes of job {job} on the nodes {', '.join(sorted(names))} run here: say which with --node."
            )
        members = {pid for pid in members if env[pid].get("SLURMD_NODENAME", node) == node}
    members -= {pid for pid in members if os.getpid() in _lineage(stats[pid].ppid, stats)}  # our recorders
    ours = _lineage(os.getpid(), stats)
    busy = {pid for pid in members - ours for pid in _lineage(pid, stats)}
    tops = [
        stats[pid]
        for pid in members
        if stats[pid].ppid not in members and (pid not in ours or pid in busy) and pid != os.getpid()
    ]
    tops.sort(key=lambda stat: (stat.start_ticks, stat.pid))
    return [Task(stat.pid, stat.start_ticks) for stat in tops[:_MOST_TASKS]]


def _cgroup(pid: int) -> placement.Place:
    return placement.place(proc.read_text(f"/proc/{pid}/cgroup", _CGROUP_BYTES) or "", "")


def _is_of(job: str, env: Mapping[str, str], place: placement.Place) -> bool:
    if place.step_id == _EXTERN:
        return False
    array = f"{env.get('SLURM_ARRAY_JOB_ID')}_{env.get('SLURM_ARRAY_TASK_ID')}"
    return job in (jobenv.job_id(env), array) or place.job_id == job


def _lineage(pid: int, stats: Mapping[int, proc.Stat]) -> set[int]:
    """A process and its ancestors."""
    found: set[int] = set()
    while pid in stats and pid not in found:
        found.add(pid)
        pid = stats[pid].ppid
    return found


def goes_on(job: str) -> bool:
    """Whether Slurm says that a job is not over; False where it cannot be asked."""
    if shutil.which("scontrol") is None:
        return False
    try:
        done = subprocess.run(
            ["scontrol", "show", "job", "-o", job],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SLURM_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    words = done.stdout[: 1 << 20].decode(errors="replace").split()
    return any(word.partition("=")[2] in _GOES_ON for word in words if word.startswith("JobState="))


# --- recording it -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Recording:
    task: Task
    directory: str
    recorder: int
    starts: int = 1


class _Attached:
    """Recorders of the tasks of a job, from now until the job ends or we are told to."""

    def __init__(self, options: Options, look: Callable[[], list[Task]]) -> None:
        self._options = options
        self._look = look
        self._met: set[Task] = set()
        self._running: list[_Recording] = []
        self._next_ask = 0.0
        self._trouble = ""
        self._directories: list[str] = []

    def run(self) -> int:
        """Record; 0 when it is over.

        Raises:
            InputError: There is nothing to record here.
        """
        waits_for = {*_ENDS, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, waits_for)
        self._take_new()
        if not self._met:
            raise InputError(
                f"no process of job {self._options.job} that we may look at runs on this node: attach on a node of "
                "the job, as its user or as root; `squeue -j` tells where it runs."
            )
        _say(
            f"recording {len(self._met)} task(s) under {os.path.dirname(self._directories[0])}; the end of the job "  # noqa: PTH120
            "ends it, Ctrl-C too and leaves the job alone"
        )
        while self._running or self._may_go_on():
            seen = signal.sigtimedwait(waits_for, _LOOK_S)
            if seen is None:
                self._take_new()
            elif seen.si_signo == signal.SIGCHLD:
                self._reap()
            else:
                self._leave()
                return 0
        return 0

    def _take_new(self) -> None:
        """Record tasks that are new; once some are recorded, no trouble with others ends that."""
        try:
            for task in self._look():
                if task not in self._met:
                    self._record(task)
                    self._met.add(task)
        except (InquestError, OSError) as error:
            if not self._met:
                raise
            if str(error) != self._trouble:
                self._trouble = str(error)
                _say(f"a further task is not recorded: {error}")

    def _record(self, task: Task) -> None:
        options, pid = self._options, task.pid
        env = proc.environ(pid, jobenv.ALLOWED)
        words = (proc.argv(pid) or "").split()
        job = jobenv.job_id(env) or options.job or options.job_id
        facts = {
            **recording_facts(options),
            "attached": True,
            "task": jobenv.number(env, "SLURM_LOCALID") or 0,
            "rank": jobenv.rank(env, words),
            "job_id": job,
        }
        node = options.node or env.get("SLURMD_NODENAME") or settings.default_node(os.environ)
        directory = create_capture(options.out, node, fsync=options.fsync, facts=facts)
        self._directories.append(directory)
        self._running.append(_Recording(task, directory, _spawn(directory, pid, env)))

    def _reap(self) -> None:
        for recording in list(self._running):
            ended, status = os.waitpid(recording.recorder, os.WNOHANG)
            if not ended:
                continue
            self._running.remove(recording)
            again = status and recording.starts <= _RESTARTS and _task(recording.task.pid) == recording.task
            if again:
                env = proc.environ(recording.task.pid, jobenv.ALLOWED)
                recording.recorder = _spawn(recording.directory, recording.task.pid, env)
                recording.starts += 1
                self._running.append(recording)
            elif status:
                _say(f"a recorder ended early: {recording.directory}/recorder.err may say why")

    def _may_go_on(self) -> bool:
        """Whether tasks may still come although none is there."""
        job = self._options.job
        if job is None:
            return False
        now = time.monotonic()
        if now < self._next_ask:
            return True
        self._next_ask = now + _ASK_S
        return goes_on(job)

    def _leave(self) -> None:
        """Have the recorders seal what they have, and leave the job alone."""
        for recording in self._running:
            os.kill(recording.recorder, signal.SIGTERM)
        until = time.monotonic() + _LEAVE_S
        while self._running and time.monotonic() < until:
            signal.sigtimedwait({signal.SIGCHLD}, 0.1)
            for recording in list(self._running):
                if os.waitpid(recording.recorder, os.WNOHANG)[0]:
                    self._running.remove(recording)


def _spawn(directory: str, pid: int, env: Mapping[str, str]) -> int:
    """Start a recorder that knows the task's environment in place of ours, as if a wrapper had started both."""
    ours = {name: value for name, value in os.environ.items() if name not in jobenv.ALLOWED}
    command = [*self_command("recorder"), directory, str(pid)]
    nothing: list[Any] = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    return os.posix_spawn(command[0], command, {**ours, **env}, file_actions=nothing)


def _say(text: str) -> None:
    try:
        os.write(2, f"inquest attach: {text}\n".encode(errors="backslashreplace"))
    except OSError:  # nobody listens
        return
