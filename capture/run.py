"""``inquest run -- CMD``: the thin parent that starts the job, keeps out of its way, and ends as it does.

Processes, all in the caller's session and process group::

    parent (this module)  holds every pipe end; reaps, restarts, forwards signals; ends with the job's status
    ├── pump              one a destination of output, forked before the job (inquest.capture.channels)
    ├── job               CMD (inquest.capture.job)
    ├── guard             blocks every signal: shows which went to the whole group (inquest.capture.guards)
    ├── scribe            writes down what the parent saw, and ends (inquest.capture.scribe)
    └── recorder          samples the node (inquest.capture.recorder); started when the job runs

The pumps exist before the job so that at no instant a SIGKILL of the parent leaves the job printing into a pipe that
nobody reads. Everything else waits until the job runs.

In the single-file agent a static launcher (packaging/launcher/) has done all this before there is a Python to run, and
then has become this process (`adopt`). Its pumps give way to ours as those that were killed do. Is it killed before it
has started a recorder, its guard becomes `inquest attach` to the job.

Signals reach the job exactly once: what was sent to its whole group is not passed on (inquest.capture.guards).

Nothing here may fail the job: where no recording can be begun the command is executed in our place, as if inquest
were not there, and everything after the start is best effort.

Standard library only, and before the job starts as little of it as possible.
"""

from __future__ import annotations

import os
import sys


def _leave_users_modules_alone() -> None:
    """Take what PYTHONPATH and the working directory put there out of sys.path: a user's json.py is not ours."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    library = f"{sys.base_prefix}/{sys.platlibdir}/python{sys.version_info[0]}.{sys.version_info[1]}"
    foreign = {os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry}  # noqa: PTH100
    try:
        foreign.add(os.getcwd())  # noqa: PTH109
    except OSError:  # a working directory that was removed
        foreign.add("")
    foreign -= {library, f"{library}/lib-dynload"}
    sys.path[:] = [entry for entry in sys.path if entry and entry not in foreign]
    if root not in sys.path:
        sys.path.append(root)


if __name__ != "__main__":
    _leave_users_modules_alone()

import errno  # noqa: E402 (the search path had to be cleaned first)
import time  # noqa: E402

from inquest.bundle.errors import InquestError, UsageError  # noqa: E402
from inquest.bundle.frames import FrameWriter, dump_json  # noqa: E402
from inquest.bundle.nodedir import DELIVERED, PRINTED, TASK_RAW, create_capture  # noqa: E402
from inquest.capture import options as settings  # noqa: E402
from inquest.capture import pump  # noqa: E402
from inquest.capture.channels import Channels  # noqa: E402
from inquest.capture.forked import Suppressed, call_ourselves, close_all_but  # noqa: E402
from inquest.capture.guards import Guards  # noqa: E402
from inquest.capture.job import Job  # noqa: E402
from inquest.capture.scribe import Scribe  # noqa: E402
from inquest.capture.status import NOT_EXECUTABLE, NOT_FOUND, OUR_FAILURE, end_like  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any, Final, NoReturn

    from inquest.capture.launched import Launched
    from inquest.capture.options import Options
else:
    import _signal as signal  # the same functions, without the enumerations that cost milliseconds

RECORDER_RESTARTS: Final = 3
SEAL_S: Final = 1.0
"""Longest time in seconds that the end of the job is held up for the recorder."""

_ALL: Final = frozenset(range(1, signal.NSIG)) & signal.valid_signals()
_TERMINAL_STOPS: Final = frozenset((signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU))
_NOTHING: Final = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
"""Standard streams of a helper that is a program of its own."""


def main(argv: list[str]) -> NoReturn:
    """Run a command and record it; ends the process with the command's status and never returns."""
    closed = _occupy_standard_streams()
    try:
        options = settings.parse(argv, os.environ)
    except settings.HelpWanted:
        os.write(1, settings.HELP.encode())
        os._exit(0)
    except UsageError as error:
        _say(str(error))
        os._exit(error.exit_code)
    for warning in options.warnings:
        _say(warning)
    if options.dry_run or options.estimate_only:
        from inquest.capture.plan import show

        os._exit(show(options))
    ignores_children = signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    if ignores_children:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    job = Job(options.command, signal.pthread_sigmask(signal.SIG_BLOCK, _ALL), ignores_children)
    try:
        parent = _Parent(options, job, closed)
    except (OSError, InquestError, ValueError) as error:
        _say(f"not recording, the job runs without: {error}")
        _end_unstarted(job, job.become())
    parent.run()


def adopt(argv: list[str]) -> NoReturn:
    """See a job through that the agent's launcher has started in this process; ``argv`` is its word and our options."""
    from inquest.capture.launched import Launched

    launched = Launched(argv[0])
    signal.pthread_sigmask(signal.SIG_BLOCK, _ALL)
    _occupy_standard_streams()
    options = None
    try:
        options = settings.parse(argv[1:], os.environ)
        for warning in options.warnings:
            _say(warning)
        job = Job(options.command, set(), ignores_children=False)
    except (settings.HelpWanted, UsageError) as error:  # the launcher starts nothing that it is not sure of
        _say(f"not recording, the job runs without: {error}")
        job = Job(argv[-1:], set(), ignores_children=False)
    _Parent(options, job, set(), launched).run()


def recording_facts(options: Options) -> dict[str, Any]:
    """What ``node.json`` tells the recorder of how to record."""
    from inquest import __version__

    return {
        "tool_version": __version__,
        "fsync": options.fsync,
        "probes": options.probes,
        "ebpf_backend": options.ebpf_backend,
        "masked": options.mask,
        "collectors": options.collectors,
        "log_budget": options.log_budget,
    }


def self_command(role: str) -> list[str]:
    """The command that starts one of our own helper processes: the one place that knows how we were installed.

    Installed as a package it is this Python, deaf to PYTHONPATH and the working directory (``-E -P``, and not ``-I``,
    which would hide a package installed with ``pip install --user``). As a single-file agent it is the agent itself:
    packaging/agent/agent.py leads ``internal-ROLE`` to the same function.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, f"internal-{role}"]
    return [sys.executable, "-E", "-P", "-m", f"inquest.capture.{role}"]


class _Mute:
    """In the place of a `Scribe` where nothing can be written down."""

    pid = -1
    lost = 0
    idle = True

    def tell(self, event: bytes) -> None:
        """Nothing is kept."""

    def ended(self, status: int) -> None:
        """Nothing was started."""

    def close(self) -> None:
        """Nothing is open."""

    leave = close


class _Parent:
    """Everything between the start of the job and its end.

    Raises:
        OSError: The recording could not be begun, or the processes not be made; the job has not been started.
        UsageError: The node's name cannot name a directory.
    """

    def __init__(self, options: Options | None, job: Job, closed: set[int], launched: Launched | None = None) -> None:
        """Start the job, or take over what was ``launched``; ``options`` are None where nothing is to be recorded."""
        self._options = options
        self._job = job
        environ = os.environ
        self._task = _small(environ.get("SLURM_LOCALID")) or 0
        self._rank = _small(environ.get("RANK"))
        self._scribe: Scribe | _Mute = _Mute()
        self._directory = ""
        self._channels = Channels(self._note)
        self._child = self._recorder = -1
        self._status: int | None = None
        self._usage: Any = None
        self._recorder_starts = 0
        self._recorder_due: float | None = None
        self._leave = False
        if launched is None:
            self._record()
            self._start_job(closed)
        else:
            try:
                self._record()
            except (OSError, InquestError, ValueError) as error:
                _say(f"not recording, the job runs without: {error}")
            try:
                self._adopt(launched)
            except OSError as error:  # the job still has a parent that waits for it
                self._note(f"the job's output could not be taken over: {error}")

    def _record(self) -> None:
        """Begin the recording."""
        options = self._options
        if options is None:
            return
        # Each file is synced; their names are by the last of them, in one go.
        directory = create_capture(
            options.out, options.node, fsync=options.fsync, facts=self._facts(options), sync_names=False
        )
        header = {"task": self._task, "rank": self._rank}
        # What is about to start: all that will be known of it, should we be killed before the first event is written.
        planned = {"argv": self._job.command, "cwd": _working_directory(), "mono_ns": time.monotonic_ns()}
        events = FrameWriter(
            os.path.join(directory, TASK_RAW),  # noqa: PTH118 (pathlib is too slow to import here)
            {"kind": "task", **header, **planned},
            fsync=options.fsync,
            sync_name=False,
        )
        recording = pump.Recording(directory, self._task, {"kind": "log", **header}, options.fsync, options.log_budget)
        first_part = recording.part()
        self._directory, self._scribe = directory, Scribe(events, _be_the_scribe)
        self._channels.record(recording, first_part)

    def _start_job(self, closed: set[int]) -> None:
        inherited = _open_descriptors()
        life, self._lifeline = os.pipe()
        self._guards = Guards(life)
        replaced, ends = self._channels.lay(closed)
        self._channels.start()
        report, reporter = os.pipe()
        self._child = self._job_pid = os.fork()
        if self._child == 0:
            self._be_the_job(replaced, reporter)
        self._began_ns = time.monotonic_ns()
        for fd in (reporter, *ends, *inherited):
            os.close(fd)
        # The job may close its input to tell the other end; our copy must not keep it open.
        os.dup2(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC), 0, inheritable=False)
        self._exec_errno = _small(os.read(report, 16).decode())
        os.close(report)

    def _adopt(self, launched: Launched) -> None:
        """Take over what the launcher holds; its pumps die as any pump may, and ours go on where they stood.

        Raises:
            OSError: There are too many processes, or too little memory.
        """
        self._child = self._job_pid = launched.child
        self._began_ns, self._exec_errno = launched.began_ns, launched.exec_errno
        life, self._lifeline = launched.life
        self._guards = Guards(life)
        for pid, told in launched.guards:
            self._guards.take_over(pid, told)
        self._channels.take_over(launched.channels)
        self._channels.start()

    def run(self) -> NoReturn:
        """See the job through to its end."""
        try:
            self._begin()
            while self._status is None:
                self._wait(self._next_due())
            self._end()
        except Exception as error:  # a fault of ours: the job still gets its output and the caller its status
            self._note(f"the wrapper failed: {type(error).__name__}: {error}")
            self._just_wait()
        if self._exec_errno is not None:
            _end_unstarted(self._job, OSError(self._exec_errno, os.strerror(self._exec_errno)))
        assert self._status is not None
        self._guards.dismiss()
        end_like(self._status)

    # --- start ----------------------------------------------------------------------------------------------------

    def _facts(self, options: Options) -> dict[str, Any]:
        return {**recording_facts(options), "task": self._task, "rank": self._rank, "job_id": options.job_id}

    def _be_the_job(self, replaced: dict[int, int], reporter: int) -> NoReturn:
        number = OUR_FAILURE
        try:
            for fd, end in replaced.items():
                os.dup2(end, fd)
            number = self._job.become().errno or number
        finally:
            os.write(reporter, str(number).encode())
            os._exit(OUR_FAILURE)

    def _begin(self) -> None:
        """What can wait until the job runs: tell what was started, and start what watches."""
        if self._exec_errno is not None:
            self._event(
                "exec_error", errno=self._exec_errno, message=os.strerror(self._exec_errno), argv=self._job.command
            )
            return
        self._guards.begin()
        self._start_recorder()
        os.write(self._lifeline, b"1")  # the launcher's guards need not attach to the job when we are gone
        from inquest.capture import jobenv

        self._rank = jobenv.rank(os.environ, self._job.command)
        self._event(
            "start",
            pid=self._child,
            argv=self._job.command,
            cwd=_working_directory(),
            env=jobenv.allowed(os.environ),
            mono_ns=self._began_ns,
            wall_ns=time.time_ns() - (time.monotonic_ns() - self._began_ns),
        )

    def _start_recorder(self) -> None:
        self._recorder_due = None
        if self._options is None or not self._directory or not self._options.recorder:
            return
        from inquest.capture import jobenv

        self._recorder_starts += 1
        command = [*self_command("recorder"), self._directory, str(self._child)]
        try:
            # All signals stay blocked in it: it outlives what is meant for the job.
            environ = {**os.environ, jobenv.OURS: "1"}
            self._recorder = os.posix_spawn(command[0], command, environ, file_actions=_NOTHING)
        except OSError as error:
            self._note(f"the recorder could not be started: {error}")

    def _send_mail(self, ended_ns: int) -> None:
        """Start the sender of the mail about this end, for whom nobody waits."""
        options, status = self._options, self._status
        first = self._rank in (None, 0) and os.environ.get("SLURM_PROCID") in (None, "0")
        if options is None or not options.mail_to or not first or self._exec_errno is not None or status is None:
            return
        died = os.WIFSIGNALED(status)
        about = {
            "to": options.mail_to,
            "from": options.mail_from,
            "server": options.mail_server,
            "budget": options.mail_budget,
            "node": options.node,
            "job_id": options.job_id,
            "masked": options.mask,
            "directory": self._directory,
            "exit_code": None if died else os.WEXITSTATUS(status),
            "term_signal": os.WTERMSIG(status) if died else None,
            "began_ns": ended_ns - (time.monotonic_ns() - self._began_ns),
            "ended_ns": ended_ns,
        }
        command = [*self_command("mail"), self._directory, dump_json(about)]
        try:
            os.posix_spawn(command[0], command, os.environ, file_actions=_NOTHING)
        except OSError as error:
            self._note(f"the mail could not be sent: {error}")

    # --- while it runs --------------------------------------------------------------------------------------------

    def _next_due(self) -> float:
        return 60.0 if self._recorder_due is None else max(0.0, self._recorder_due - time.monotonic())

    def _wait(self, seconds: float) -> None:
        """Wait for one signal, at most ``seconds``, and act on it."""
        seen = signal.sigtimedwait(_ALL, seconds)
        if seen is None:
            if self._recorder_due is not None and time.monotonic() >= self._recorder_due:
                self._start_recorder()
        elif seen.si_signo == signal.SIGCHLD:
            self._reap()
        else:
            # Of several the kernel gives the lowest number first; who continues a job and then ends it, as Slurm does,
            # means it in that order.
            if seen.si_signo != signal.SIGCONT and (first := signal.sigtimedwait({signal.SIGCONT}, 0)) is not None:
                self._signalled(first)
            self._signalled(seen)

    def _reap(self) -> None:
        """Act on every child that changed: one SIGCHLD may stand for many."""
        while True:
            # WNOWAIT: a dead pump is looked at before it is gone.
            try:
                seen = os.waitid(os.P_ALL, 0, os.WEXITED | os.WSTOPPED | os.WCONTINUED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if seen is None:
                return
            pid, ended = seen.si_pid, seen.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED)
            if not ended:
                # Without WEXITED: it may have died since, and that must not be taken along unseen.
                os.waitid(os.P_PID, pid, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
                self._changed(pid, seen)
            elif pid == self._child:
                _, self._status, self._usage = os.wait4(pid, 0)
                self._child = -1
            elif self._channels.served_by(pid):
                self._channels.reap(pid)
            else:
                _, status = os.waitpid(pid, 0)
                if pid == self._recorder:
                    self._recorder_ended(status)
                elif pid == self._scribe.pid:
                    self._scribe.ended(status)
                else:
                    self._guards.ended(pid)

    def _changed(self, pid: int, seen: os.waitid_result) -> None:
        """A child was stopped or continued."""
        if seen.si_code != os.CLD_STOPPED:
            return
        if self._channels.served_by(pid) or pid == self._scribe.pid:
            # A stopped reader would block the job. Its successor goes on where it stood.
            os.kill(pid, signal.SIGKILL)
        elif pid == self._child and seen.si_status in _TERMINAL_STOPS:
            # Ctrl-Z: the shell waits for us to stop, too. Its `fg` continues the whole group.
            # Sent before it is unblocked: the terminal's own may still be pending, and two would stop us twice.
            os.kill(os.getpid(), seen.si_status)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {seen.si_status})
            signal.pthread_sigmask(signal.SIG_BLOCK, {seen.si_status})

    def _recorder_ended(self, status: int) -> None:
        self._recorder = -1
        if self._status is not None:
            return
        how = os.waitstatus_to_exitcode(status)
        again = self._recorder_starts <= RECORDER_RESTARTS
        self._note(f"the recorder ended with {how} while the job runs" + ("; it is started again" if again else ""))
        if again:
            self._recorder_due = time.monotonic() + 2.0 ** (self._recorder_starts - 1)

    def _signalled(self, seen: signal.struct_siginfo) -> None:
        number = seen.si_signo
        if self._status is not None:
            # The job is over: who asks for an end now means us, waiting for a reader or the recorder.
            self._leave = self._leave or number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
            return
        if number == signal.SIGWINCH:
            self._channels.resize(self._child)
        forward = seen.si_pid != self._child and not self._guards.hit(number, seen.si_pid)
        if forward:
            with Suppressed():
                os.kill(self._child, number)
        if number not in (signal.SIGWINCH, signal.SIGCONT):
            self._event(
                "signal",
                signal=number,
                sender_pid=seen.si_pid,
                sender_command=_command_of(seen.si_pid),
                sender_uid=seen.si_uid,
                forwarded=forward,
            )

    # --- end ------------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """Write down how it ended, let the output arrive, give the recorder a moment."""
        assert self._status is not None
        status, usage, wall_ns = self._status, self._usage, time.time_ns()
        died = os.WIFSIGNALED(status)
        if self._exec_errno is None:
            self._event(
                "exit",
                pid=self._job_pid,
                exit_code=None if died else os.WEXITSTATUS(status),
                term_signal=os.WTERMSIG(status) if died else None,
                core_dumped=os.WCOREDUMP(status),
                wall_ns=wall_ns,
                rusage={
                    "utime_s": usage.ru_utime,
                    "stime_s": usage.ru_stime,
                    "maxrss_bytes": usage.ru_maxrss * 1024,
                    "minflt": usage.ru_minflt,
                    "majflt": usage.ru_majflt,
                    "inblock": usage.ru_inblock,
                    "oublock": usage.ru_oublock,
                    "nvcsw": usage.ru_nvcsw,
                    "nivcsw": usage.ru_nivcsw,
                },
            )
        if died and os.WTERMSIG(status) == signal.SIGKILL:
            self._count_memory_kills()
        if self._recorder > 0:  # somebody may have stopped it, and nobody would set it going again behind us
            os.kill(self._recorder, signal.SIGCONT)
        # Descendants may still hold the output open: what they print later is left to the pump, as bare.
        while not self._leave and not self._channels.drained():
            self._wait(0.005)
        for lost in self._channels.losses():
            self._note(lost)
            _say(lost)
        if self._scribe.lost:
            self._note(f"{self._scribe.lost} events were not recorded: the disk hung")
        self._send_mail(wall_ns)
        deadline = time.monotonic() + SEAL_S
        closed = False
        while not self._leave and (left := deadline - time.monotonic()) > 0:
            if self._channels.closed() and not closed:
                closed = True
                self._tell_printed(DELIVERED)
                self._scribe.close()
            if not self._channels.apart():
                self._wait(min(left, 0.005))
                continue
            # Some pumps are about to end, or still write their log; others wait for descendants of the job.
            if self._recorder < 0 and not self._channels.ending():
                if closed and self._scribe.idle:
                    return
                if not closed:
                    closed = True
                    self._tell_printed()
                    self._scribe.close()
            self._wait(left)
        if not closed:
            self._tell_printed()
        self._scribe.leave()  # a process forked now goes on without us

    def _tell_printed(self, event: str = PRINTED) -> None:
        """How much had been printed: nobody replaces a pump that is killed behind us, or writes what a disk refused."""
        self._event(event, bytes=self._channels.printed())

    def _count_memory_kills(self) -> None:
        """Read our control group's count of out-of-memory kills: such a kill takes the recorder before the job."""
        from inquest.capture.collectors.cgroup import Cgroup

        with Suppressed():
            if row := Cgroup().once(os.getpid(), self._task):
                self._event("cgroup", mono_ns=row["ts_mono_ns"], row=row)

    def _just_wait(self) -> None:
        """The least that must be done: get the job's status, and keep the pumps alive until then."""
        while self._status is None:
            try:
                self._reap()
            except OSError:
                self._status = self._status
            if self._status is None:
                time.sleep(0.05)

    # --- records --------------------------------------------------------------------------------------------------

    def _event(self, event: str, **fields: Any) -> None:  # noqa: ANN401 (JSON values)
        fields.setdefault("mono_ns", time.monotonic_ns())
        self._scribe.tell(dump_json({"event": event, "task": self._task, "rank": self._rank, **fields}).encode())

    def _note(self, text: str) -> None:
        self._event("note", text=text)


def _end_unstarted(job: Job, failure: OSError) -> NoReturn:
    """Say why the command could not be executed, and end as a shell would."""
    _say(f"cannot run {job.command[0]!r}: {failure.strerror or failure}")
    os._exit(NOT_FOUND if failure.errno == errno.ENOENT else NOT_EXECUTABLE)


def _say(text: str) -> None:
    with Suppressed():
        os.write(2, f"inquest run: {text}\n".encode(errors="backslashreplace"))


def _occupy_standard_streams() -> set[int]:
    """Put /dev/null where the caller gave us nothing, so that no file of ours lands there; the job gets nothing too."""
    closed = set()
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            closed.add(fd)
            os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)  # the lowest free number is fd
    return closed


def _open_descriptors() -> list[int]:
    """Descriptors above 2 that the caller left open."""
    try:
        names = os.listdir("/proc/self/fd")  # noqa: PTH208
    except OSError:
        return []
    found = []
    for name in names:
        fd = int(name)
        if fd > 2:
            with Suppressed():
                if os.get_inheritable(fd):
                    found.append(fd)
    return found


def _be_the_scribe(keep: set[int]) -> None:
    """Let go of everything but the file: a pipe of the job that a hung scribe holds would never end."""
    call_ourselves(b"inquest-scribe")
    close_all_but(keep)


def _command_of(pid: int) -> str | None:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def _working_directory() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return None


def _small(text: str | None) -> int | None:
    """A small non-negative integer, or None."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= 9 else None
