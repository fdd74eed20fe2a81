"""``inquest attach``: records a job that runs already, without a wrapper and without touching it.

One recorder for each task of the job on this node, as beside `inquest run`: a task is a process of the job whose
parent is not of the job, or the one process that was named. We look for further tasks every `_LOOK_S` (a job script
starts its steps one by one), wait for all of them to end, and have the recorders leave when we are told to end, or are
killed. How a task ended is told by the collectors, where the kernel tells who is not the parent, else it is null.

With ``--wait``, for a Prolog, there need be no process yet: we wait for the first one, and for more once the last has
ended, until the Epilog tells us to end or Slurm says that the job is over; then we ask Slurm how it ended.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat as modes
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from inquest.bundle.errors import InputError, InquestError, UsageError
from inquest.bundle.nodedir import create_capture
from inquest.capture import jobenv, placement, proc, site_scripts
from inquest.capture import options as settings
from inquest.capture.election import Seat
from inquest.capture.run import recording_facts, self_command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inquest.capture.options import Options

_LOOK_S: Final = 0.5
_CALM_LOOK_S: Final = 2.0
"""A job that fails at its start is gone in a second or two, and whoever comes later has nothing to record. So we look
often while things happen, and seldom once tasks have neither come nor gone for `_CALM_S`: 2,000 processes cost 4 ms."""
_CALM_S: Final = 60.0
_YOUNG_NS: Final = 5_000_000_000
"""Until it is this old, a process may still become one of the job: between fork and exec it looks like its parent."""
_ASK_S: Final = 4.0
_ASK_AT_MOST_S: Final = 600.0
"""How often Slurm is asked whether a job goes on that has no process here: ever less often, since all nodes ask. When
its last task has ended, a job is mostly over within seconds: those that the site's scripts take."""
_FIRST_ASK_S: Final = 30.0
"""With ``--wait``, where the Epilog ends us long before."""
_NO_ANSWER_S: Final = 86_400.0
"""How long no answer is taken for a yes with ``--wait``, where the Epilog ends us long before."""
_SLURM_S: Final = 10.0
_LEAVE_S: Final = 5.0
"""How long recorders have to seal before we leave them to it."""
_AFTERWORD_S: Final = 150.0
"""How long Slurm has to clear up after a job before we no longer wait to be told how it ended."""
_MOST_TASKS: Final = 256
_RESTARTS: Final = 3
_ENDS: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
_TELLING: Final = frozenset(
    {
        "SLURM_JOB_ID",
        "SLURM_JOBID",
        "SLURM_ARRAY_JOB_ID",
        "SLURM_ARRAY_TASK_ID",
        "SLURMD_NODENAME",
        jobenv.OURS,
        *site_scripts.TOLD_BY,
    }
)
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
        if _is_anothers(task):
            raise InputError(f"process {options.pid} belongs to another user: attach as that user, or as root.")
        return lambda: [task]
    assert options.job is not None
    return TasksOfJob(options.job, options.node).now


def _task(pid: int) -> Task | None:
    seen = proc.stat(pid)
    return None if seen is None or seen.state in "ZX" else Task(pid, seen.start_ticks)


def _is_anothers(task: Task) -> bool:
    """Whether we may not look at a process; one that has gone meanwhile is nobody's."""
    return not os.access(f"/proc/{task.pid}/environ", os.R_OK) and _task(task.pid) == task


@dataclass(frozen=True, slots=True)
class _Member:
    """A process of the job, as it was when we met it: who starts what is settled then, whoever is adopted later."""

    task: Task
    above: frozenset[int]
    """Itself and its ancestors."""
    node: str | None
    is_top: bool
    """Whether its parent is not of the job."""


class TasksOfJob:
    """The tasks of a Slurm job on this node.

    A process is of the job when its environment names the job, or its control group is the job's. What runs only for
    our own sake (the step that attaches) is none of it. A node has thousands of processes and we look often: each is
    asked until it is old enough to be what it is, and then never again.
    """

    def __init__(self, job: str, node: str) -> None:
        """For a job (of an array 1_7, a component of several 1+2) on a node; ``node`` is empty where nobody said."""
        self._job = job.partition("+")[0]  # components share the job's number
        self._node = node
        self._strangers: set[int] = set()
        self._members: dict[int, _Member] = {}
        self._names: set[str] = set()

    def now(self) -> list[Task]:
        """Those that are there now, oldest first.

        Raises:
            UsageError: Processes of several nodes of the job run here, and ``node`` names none of them.
            InputError: All are another user's.
        """
        self._learn()
        members = self._members
        # Ever seen: those of another node do not become ours when our own have gone.
        self._names |= {member.node for member in members.values() if member.node}
        names = self._names
        # As Slurm calls this node, here and in its Prolog: what bears another name is none of it.
        certain = bool(self._node) and self._node == os.environ.get("SLURMD_NODENAME")
        if len(names) > 1 and not certain and self._node not in names:
            listed = ", ".join(sorted(names))
            raise UsageError(f"processes of job {self._job} on the nodes {listed} run here: say which with --node.")
        if len(names) > 1 or certain:
            members = {pid: member for pid, member in members.items() if member.node in (None, self._node)}
        us = os.getpid()
        ours = proc.lineage(us)
        busy = {above for pid, member in members.items() if pid not in ours for above in member.above}
        tops = [
            member.task
            for pid, member in members.items()
            if member.is_top and pid != us and (pid not in ours or pid in busy)
        ]
        if tops and all(map(_is_anothers, tops)):
            raise InputError(f"job {self._job} is another user's: attach as that user, or as root.")
        return sorted(tops, key=lambda task: (task.start_ticks, task.pid))[:_MOST_TASKS]

    def _learn(self) -> None:
        """Meet who is new, and forget who has gone."""
        alive = proc.pids()
        self._strangers.intersection_update(alive)
        self._members = {pid: self._members[pid] for pid in alive if pid in self._members}
        met = {}
        for pid in alive:
            if pid in self._strangers or pid in self._members:
                continue
            stat = proc.stat(pid)
            if stat is None or stat.state in "ZX":
                continue
            if (
                stat.comm == site_scripts.SLURMSTEPD
            ):  # it may become a task, however long the site's scripts take before
                continue
            env = proc.environ(pid, _TELLING)
            young = time.monotonic_ns() - proc.start_mono_ns(stat.start_ticks) <= _YOUNG_NS
            if young and not env:  # within an exec, by its control group alone, a script of the site is one of the job
                again = proc.stat(pid)
                if again is None or (not again.environ_end and not _is_anothers(Task(pid, stat.start_ticks))):
                    continue
                env = proc.environ(pid, _TELLING)
            # Two that attach to one job would else record each other's recorders, and the recorders of those.
            if jobenv.OURS not in env and _is_of(self._job, env, _cgroup(pid)) and not site_scripts.is_one(pid, env):
                met[pid] = stat, env
            elif not young:
                self._strangers.add(pid)
        for pid, (stat, env) in met.items():
            above = proc.lineage(pid)
            if pid == os.getpid() or os.getpid() not in above:  # our recorders bear the names of the job
                is_top = stat.ppid not in self._members and stat.ppid not in met
                task = Task(pid, stat.start_ticks)
                self._members[pid] = _Member(task, above, env.get("SLURMD_NODENAME"), is_top)


def _cgroup(pid: int) -> placement.Place:
    return placement.place(proc.read_text(f"/proc/{pid}/cgroup", _CGROUP_BYTES) or "", "")


def _is_of(job: str, env: Mapping[str, str], place: placement.Place) -> bool:
    if place.step_id == _EXTERN:
        return False
    array = f"{env.get('SLURM_ARRAY_JOB_ID')}_{env.get('SLURM_ARRAY_TASK_ID')}"
    return job in (jobenv.job_id(env), array) or place.job_id == job


def goes_on(job: str) -> bool | None:
    """Whether Slurm says that a job is not over; None where it gives no answer."""
    if shutil.which("scontrol") is None:
        return None
    try:
        done = subprocess.run(
            ["scontrol", "show", "job", "-o", job],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SLURM_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    words = done.stdout[: 1 << 20].decode(errors="replace").split()
    states = [word.partition("=")[2] for word in words if word.startswith("JobState=")]
    if not states:  # a job that has been over for minutes is unknown to it
        return False if b"Invalid job id" in done.stderr else None
    return any(state in _GOES_ON for state in states)


# --- recording it -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Recording:
    task: Task
    directory: str
    recorder: int
    seat: Seat
    """One recorder a task and output directory, whoever attaches a second time."""
    starts: int = 1


class _Attached:
    """Recorders of the tasks of a job, from now until the job ends or we are told to."""

    def __init__(self, options: Options, look: Callable[[], list[Task]]) -> None:
        self._options = options
        self._look = look
        self._met: set[Task] = set()
        self._running: list[_Recording] = []
        self._trouble = ""
        self._environ = _as_the_prolog_says() if options.wait else {}
        """That of the first task, which on the job's first node is the job script."""
        self._expect_more()

    def run(self) -> int:
        """Record; 0 when it is over.

        Raises:
            InputError: There is nothing to record here.
        """
        waits_for = {*_ENDS, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, waits_for)
        self._take_new()
        if not self._met and not self._options.wait:
            raise InputError(
                f"no process of job {self._options.job} that we may look at runs on this node: attach on a node of "
                "the job, as its user or as root; `squeue -j` tells where it runs."
            )
        _say(
            (f"recording {len(self._met)} task(s)" if self._met else "waiting for tasks to record")
            + f" under {self._options.out}; the end of the job ends it, Ctrl-C too and leaves the job alone"
        )
        while self._running or self._may_go_on():
            calm = time.monotonic() - self._happened_s > _CALM_S
            seen = signal.sigtimedwait(waits_for, _CALM_LOOK_S if calm else _LOOK_S)
            if seen is None:
                self._take_new()
            elif seen.si_signo == signal.SIGCHLD:
                self._reap()
            else:
                self._leave()
                break
        alive = any(_task(recording.task.pid) == recording.task for recording in self._running)
        if self._options.wait and self._environ and not alive:
            self._ask_how_it_ended()
        return 0

    def _ask_how_it_ended(self) -> None:
        """Have Slurm's last word recorded, unless we are told again to end."""
        from inquest.capture import afterword

        node = self._options.node or self._environ.get("SLURMD_NODENAME") or settings.default_node(os.environ)
        chosen = self._options.collectors
        if not afterword.is_ours(self._environ, node) or (chosen is not None and "slurm" not in chosen):
            return
        deadline = time.monotonic() + _AFTERWORD_S

        def wait(seconds: float) -> bool:
            return time.monotonic() + seconds < deadline and signal.sigtimedwait(_ENDS, seconds) is None

        job = jobenv.job_id(self._environ) or self._options.job
        facts = {**recording_facts(self._options), "attached": True, "job_id": job}
        directory = create_capture(self._options.out, node, fsync=self._options.fsync, facts=facts)
        afterword.take(directory, node, {**_outside(), **self._environ}, wait)

    def _take_new(self) -> None:
        """Record tasks that are new; once some are recorded, no trouble with others ends that."""
        try:
            for task in self._look():
                if task not in self._met:
                    self._record(task)
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
        node = options.node or env.get("SLURMD_NODENAME") or settings.default_node(os.environ)
        seat = Seat(node=node, job=job, step=f"attach {task.pid} {task.start_ticks}", out=Path(options.out))
        if not seat.take():
            return  # we try again, lest the other one ends before the task
        facts = {
            **recording_facts(options),
            "attached": True,
            "task": jobenv.number(env, "SLURM_LOCALID") or 0,
            "rank": jobenv.rank(env, words),
            "job_id": job,
            "outputs": _outputs(pid),
        }
        directory = create_capture(options.out, node, fsync=options.fsync, facts=facts)
        if env and not self._met:
            self._environ = env
        self._met.add(task)
        self._happened_s = time.monotonic()
        self._running.append(_Recording(task, directory, _spawn(directory, pid, env), seat))

    def _reap(self) -> None:
        for recording in list(self._running):
            ended, status = os.waitpid(recording.recorder, os.WNOHANG)
            if not ended:
                continue
            self._running.remove(recording)
            self._expect_more()
            again = status and recording.starts <= _RESTARTS and _task(recording.task.pid) == recording.task
            if again:
                env = proc.environ(recording.task.pid, jobenv.ALLOWED)
                recording.recorder = _spawn(recording.directory, recording.task.pid, env)
                recording.starts += 1
                self._running.append(recording)
                continue
            recording.seat.leave()
            if status:
                _say(f"a recorder ended early: {recording.directory}/recorder.err may say why")

    def _expect_more(self) -> None:
        """The next task may be coming; where an Epilog will tell us otherwise, Slurm need not be asked at once."""
        self._answered = self._happened_s = time.monotonic()
        self._ask_s = _ASK_S
        self._next_ask = self._answered + (_FIRST_ASK_S if self._options.wait else 0)

    def _may_go_on(self) -> bool:
        """Whether tasks may still come although none is there."""
        job = self._options.job
        if job is None:
            return False
        now = time.monotonic()
        if now < self._next_ask:
            return True
        told = goes_on(job)
        if told is not None:
            self._answered = now
        self._next_ask = now + self._ask_s * random.uniform(0.7, 1.3)
        self._ask_s = min(2 * self._ask_s, _ASK_AT_MOST_S)
        if told is None:
            return self._options.wait and now - self._answered < _NO_ANSWER_S
        return told

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
    command = [*self_command("recorder"), directory, str(pid)]
    nothing: list[Any] = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    return os.posix_spawn(command[0], command, {**_outside(), **env, jobenv.OURS: "1"}, file_actions=nothing)


def _outside() -> dict[str, str]:
    """Our environment without what it says of a job."""
    return {name: value for name, value in os.environ.items() if name not in jobenv.ALLOWED}


def _as_the_prolog_says() -> dict[str, str]:
    """The job's environment as far as Slurm tells its Prolog, by the names it tells tasks."""
    told = {"SLURM_JOB_ID": "SLURM_JOB_ID", "SLURM_JOB_NODELIST": "SLURM_NODELIST"}
    return {name: value for name, source in told.items() if (value := os.environ.get(source))}


def _outputs(pid: int) -> list[tuple[str, int, int]]:
    """Files a task writes its output to, device and inode: its recorder can follow them if it has ended by then."""
    found = set()
    for number in (1, 2):
        link = f"/proc/{pid}/fd/{number}"
        try:
            seen = os.stat(link)  # noqa: PTH116
            if modes.S_ISREG(seen.st_mode):
                found.add((os.readlink(link), seen.st_dev, seen.st_ino))  # noqa: PTH115
        except OSError:  # it is another user's, or has gone
            continue
    return sorted(found)


def _say(text: str) -> None:
    try:
        os.write(2, f"inquest attach: {text}\n".encode(errors="backslashreplace"))
    except OSError:  # nobody listens
        return
