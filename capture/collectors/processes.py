"""The job's processes: who they are, which rank, how they fare, how they end."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from inquest.capture import jobenv, proc, site_scripts
from inquest.capture.collector import Batch, Budget, Collector, Context, Member, Row
from inquest.capture.exit_watch import Exit, ExitWatch
from inquest.capture.who import who_is

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.capture.lives import Key, Life

MOST_PROCESSES: Final = 4096
_SETTLED_NS: Final = 5_000_000_000
"""Who a process is, is read again until it is this old: between fork and exec it still looks like its parent."""
_LIST_EVERY: Final = 30
"""Looks between two at all processes of the node, whatever was begun: ids may be given out in another order, too."""
_END_PATIENCE_S: Final = 0.2
_REPEAT_NS: Final = 10_000_000_000


@dataclass(slots=True)
class _Process:
    """What is known of one process of the job."""

    pid: int
    start_ticks: int
    identity: Row = field(default_factory=dict)
    """Columns that change at exec only."""
    identified_ns: int = 0
    role: str = "other"
    told_ns: int = 0
    told_state: tuple[Any, ...] = ()
    last: Row = field(default_factory=dict)
    """Readings of the last look: all we have once it is gone."""
    state: str = ""
    settled: bool = False
    led: bool = False
    """Whether a launcher is above it."""

    @property
    def key(self) -> Key:
        """What tells it from others that had or will have its number."""
        return self.pid, self.start_ticks

    def member(self) -> Member:
        """The same for other collectors."""
        return Member(self.pid, self.identity.get("rank"), self.role, self.led)

    def standing(self, stat: proc.Stat) -> tuple[str, int]:
        """What is worth a row at once when it changes: stopped, dead, or waiting for a disk at two looks; adopted."""
        before, self.state = self.state, stat.state
        stuck = stat.state in "TtZX" or stat.state == before == "D"
        return (stat.state if stuck else "", stat.ppid)


class _Gone(NamedTuple):
    """A process that has gone, what was seen of its end, and at which look."""

    process: _Process
    seen: Exit
    look: int


def _ancestors(pid: int) -> Iterator[int]:
    """The process itself, its parent, and so on up to the first process."""
    while pid > 0:
        yield pid
        stat = proc.stat(pid)
        pid = stat.ppid if stat else 0


def _above_us(child: int) -> Iterator[int]:
    """Our ancestors that are not of the job; `inquest attach` may be a child of what it records."""
    above = list(_ancestors(os.getpid()))
    return iter(above[above.index(child) + 1 :] if child in above else above)


def _adopts(pid: int) -> bool:
    """Whether a process is one that orphans are given to: the first process, or a subreaper of Slurm or systemd."""
    stat = None if pid == 1 else proc.stat(pid)
    return pid == 1 or (stat is not None and stat.comm in ("slurmstepd", "systemd"))


class Processes(Collector):
    """A ``start`` row once, ``seen`` on change or every ten seconds, ``exit`` or ``gone`` at the end.

    A process is of the job when its parent is, or when it shares the session of a process that is, or names the same
    Slurm job and step in its environment: so those that were adopted by init stay in view. Every new pid is looked at
    once; nothing else of a busy node is read, and all of its processes are listed only where many have come.
    """

    name = "processes"
    tables = ("processes",)
    budget = Budget(seconds=3.0, bytes=8 << 20)

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Look for the first time: the wrapped command and what it has started by now."""
        self._job: dict[int, _Process] = {}
        self._strangers: set[int] = set()
        self._sessions: set[int] = set()
        self._ended: dict[int, Exit] = {}
        self._gone: list[_Gone] = []
        self._watch = ExitWatch()
        self._looks = 0
        self._begun: tuple[int | None, int | None] = (None, None)
        # Our own relatives share the job's session and environment, and are not the job.
        self._ours = {os.getpid(), os.getppid()}
        self._ancestors = set(_above_us(ctx.child_pid)) | self._ours
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """One look at every process of the job and at every new pid of the node."""
        rows: list[Row] = []
        self._take_ended()
        self._find_new(ctx, self._perhaps_new(), rows)
        for process in list(self._job.values()):
            stat = proc.stat(process.pid)
            if stat is None or stat.start_ticks != process.start_ticks or process.pid in self._ended:
                self._leave(process)
                continue
            self._look(ctx, process, stat, rows)
        rows += self._ends(ctx)
        ctx.members = {pid: process.member() for pid, process in self._job.items()}
        self._ended = {pid: exit_ for pid, exit_ in self._ended.items() if pid in self._job}
        yield "processes", rows

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """A last look, once the end of the wrapped command has come through to us."""
        deadline = time.monotonic() + _END_PATIENCE_S
        while ctx.child_pid in self._job and ctx.child_pid not in self._ended and time.monotonic() < deadline:
            time.sleep(0.005)
            self._take_ended()
        yield from self.tick(ctx)
        rows: list[Row] = []
        while self._gone and time.monotonic() < deadline:
            time.sleep(0.005)
            rows += self._ends(ctx)
        yield "processes", rows + self._ends(ctx, last=True)

    def _take_ended(self) -> None:
        self._ended.update((exit_.pid, exit_) for exit_ in self._watch.ended())

    def _perhaps_new(self) -> list[int]:
        """Ids of processes that may have come since the last look, and of threads."""
        last = proc.last_begun()  # before we look: who is begun meanwhile is found by the next look
        # Of two looks: an id is given out a moment before /proc shows who has it.
        before, self._begun = self._begun[0], (self._begun[1], last)
        self._looks += 1
        if self._looks % _LIST_EVERY != 0 and (since := proc.begun_since(before, last)) is not None:
            return since
        alive = proc.pids()
        self._strangers.intersection_update(alive)
        return alive

    def _find_new(self, ctx: Context, alive: list[int], rows: list[Row]) -> None:
        unknown = [pid for pid in alive if pid not in self._strangers and pid not in self._job]
        stats = {pid: stat for pid in unknown if pid not in self._ancestors and (stat := proc.stat(pid))}
        if not self._sessions and (child := stats.get(ctx.child_pid)) is not None and child.session == ctx.child_pid:
            self._sessions.add(child.session)
        found = True
        while found and stats:  # a parent may have the higher pid once numbers wrap: repeat until nothing is added
            found = False
            for pid, stat in list(stats.items()):
                if not self._belongs(ctx, stat) or not proc.leads(pid):
                    continue
                if not ctx.lives.claim((pid, stat.start_ticks)):
                    continue  # it has ended, and that has been told; what is left waits to be reaped
                del stats[pid]
                if len(self._job) >= MOST_PROCESSES:
                    self.drops += 1
                    continue
                found = True
                self._begin(ctx, stat, rows)
        self._strangers.update(stats)

    def _belongs(self, ctx: Context, stat: proc.Stat) -> bool:
        if stat.pid == ctx.child_pid or stat.ppid in self._job:
            return True
        if stat.ppid in self._ours:
            return False
        if stat.session in self._sessions:
            return True
        job = jobenv.job_id(ctx.environ)
        if job is None or not _adopts(stat.ppid):
            return False
        env = proc.environ(stat.pid, jobenv.SLURM | site_scripts.TOLD_BY)
        same = all(env.get(name) == ctx.environ.get(name) for name in ("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_PROCID"))
        return same and not site_scripts.is_one(stat.pid, env)  # a TaskEpilog is started as if it were an orphan

    def _begin(self, ctx: Context, stat: proc.Stat, rows: list[Row]) -> None:
        process = _Process(stat.pid, stat.start_ticks)
        self._job[stat.pid] = process
        if stat.session in self._job:  # the session's leader is of the job: so is everybody in it
            self._sessions.add(stat.session)
        self._watch.add(stat.pid)
        self._identify(ctx, process, stat)
        rows.append(self._row(ctx, process, stat, "start", full=True))
        process.told_ns, process.told_state = rows[-1]["ts_mono_ns"], process.standing(stat)

    def _look(self, ctx: Context, process: _Process, stat: proc.Stat, rows: list[Row]) -> None:
        age = time.monotonic_ns() - process.identity["start_mono_ns"]
        changed = stat.comm != process.identity["command"]
        if changed or not process.settled:
            process.settled = age >= _SETTLED_NS
            before = process.identity
            self._identify(ctx, process, stat)
            changed = process.identity != before
        told, now = process.standing(stat), time.monotonic_ns()
        if changed or told != process.told_state or now - process.told_ns >= _REPEAT_NS:
            rows.append(self._row(ctx, process, stat, "seen", full=changed))
            process.told_ns, process.told_state = now, told
        else:
            self._remember(ctx, process, stat)

    def _identify(self, ctx: Context, process: _Process, stat: proc.Stat) -> None:
        read_ns = time.monotonic_ns()
        parent = self._job.get(stat.ppid)
        above = None if parent is None else parent.member()
        columns, member = who_is(stat.pid, stat.comm, above, is_task=stat.pid == ctx.child_pid)
        if columns["argv"] is None and process.identity:
            return  # a zombie has no command line any more: what it was is known
        process.role, process.led, process.identified_ns = member.role, member.led, read_ns
        start = process.identity.get("start_mono_ns") or proc.start_mono_ns(stat.start_ticks)
        process.identity = {"start_mono_ns": start, **columns}

    def _remember(self, ctx: Context, process: _Process, stat: proc.Stat, peak: int = 0) -> None:
        """Keep what a look cost nothing to learn: it becomes the last row when the process ends."""
        process.last = {
            "role": process.role,
            "task": ctx.task,
            "pid": stat.pid,
            "ppid": stat.ppid,
            **{name: process.identity[name] for name in _ALWAYS},
            "cpu_user_s": stat.cpu_user_s,
            "cpu_system_s": stat.cpu_system_s,
            "rss_bytes": stat.rss_bytes,
            "rss_peak_bytes": max(peak, stat.rss_bytes, process.last.get("rss_peak_bytes", 0)),
            "threads": stat.threads,
            "minor_faults": stat.minor_faults,
            "major_faults": stat.major_faults,
        }

    def _row(self, ctx: Context, process: _Process, stat: proc.Stat, event: str, *, full: bool) -> Row:
        status = proc.key_values(proc.read_record(f"/proc/{stat.pid}/status", 8192))
        self._remember(ctx, process, stat, status.get("VmHWM", 0) * 1024)
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "event": event,
            **process.last,
            **(process.identity if full else {}),
            **_what_it_did(stat.pid, status),
            "state": stat.state,
            "wchan": (proc.read_record(f"/proc/{stat.pid}/wchan", 256) or "").strip("0\n") or None,
        }

    def _leave(self, process: _Process) -> None:
        """A process has gone: of the job no more, its end to be told."""
        del self._job[process.pid]
        self._strangers.add(process.pid)  # a zombie stays in the list until it is reaped
        self._take_ended()
        seen = self._ended.pop(process.pid, None) or Exit(process.pid, time.monotonic_ns(), None)
        self._gone.append(_Gone(process, seen, self._looks))

    def _ends(self, ctx: Context, *, last: bool = False) -> list[Row]:
        """Rows of those that have gone; of whom nobody knows how, at the next look, for the kernel's word may come."""
        rows: list[Row] = []
        waiting: list[_Gone] = []
        for gone in self._gone:
            final = last or gone.look < self._looks
            life = ctx.lives.close(gone.process.key, status_known=gone.seen.status is not None, final=final)
            if life is None:
                waiting.append(gone)
            else:
                rows.append(_end(gone, life))
        self._gone = waiting
        return rows


def _end(gone: _Gone, life: Life) -> Row:
    process, seen = gone.process, gone.seen
    if seen.status is None and life.exit is not None:
        seen = life.exit
    late: Row = {}
    if life.learned_ns > process.identified_ns:  # it called exec after our last look
        late = {name: life.identity[name] for name in ("role", *_ALWAYS) if name in life.identity}
    row: Row = {**process.last, **late, "ts_mono_ns": seen.mono_ns, "event": "gone"}
    if seen.status is not None:
        signal = os.WTERMSIG(seen.status) if os.WIFSIGNALED(seen.status) else None
        row |= {
            "event": "exit",
            "exit_code": os.WEXITSTATUS(seen.status) if signal is None else None,
            "term_signal": signal,
            "core_dumped": os.WCOREDUMP(seen.status),
        }
    return row


def _what_it_did(pid: int, status: dict[str, int]) -> Row:
    """Switches and I/O of a process so far; /proc/PID/io is its owner's and root's to read."""
    did = proc.key_values(proc.read_record(f"/proc/{pid}/io", 512))
    swapped = status.get("VmSwap")
    return {
        "voluntary_switches": status.get("voluntary_ctxt_switches"),
        "involuntary_switches": status.get("nonvoluntary_ctxt_switches"),
        "swap_used_bytes": None if swapped is None else swapped * 1024,
        "read_bytes": did.get("read_bytes"),
        "written_bytes": did.get("write_bytes"),
        "read_calls": did.get("syscr"),
        "written_calls": did.get("syscw"),
    }


_ALWAYS: Final = ("start_mono_ns", "command", "rank", "local_rank", "job_id", "step_id", "procid")
