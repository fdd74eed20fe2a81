"""How every process of the job ended, who signalled whom, and whom the kernel killed for memory: by kernel events.

Sees processes that live for milliseconds, whose end no look at /proc could find, and the sender of every signal. The
programs are in capture/ebpf/programs/life.bpf.c.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Member, Row
from inquest.capture.ebpf.kernel import EVENT, LIFE, OOM, KernelEvents, text
from inquest.capture.ebpf.rawbpf import Ring
from inquest.capture.exit_watch import Exit
from inquest.capture.who import who_is

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inquest.capture.lives import Key

_FORK, _EXEC, _EXIT, _SIGNAL, _OOM = range(5)
_SENDER, _RECEIVER = 1, 2
"""Who of the two is of the job."""
_KERNEL_CODES: Final = frozenset({-2, -4, -5})
"""si_code of timers and finished I/O (SI_TIMER, SI_ASYNCIO, SI_SIGIO): whoever ran just then is not their sender."""
_RESULTS: Final = ("delivered", "ignored", "already pending", "queue full", "delivered without details")
"""enum of include/trace/events/signal.h: what became of a signal."""
_PAUSE_S: Final = 0.002
_MOST_READS: Final = 100
"""Environments read in a second: a script that starts a thousand helpers is not worth more."""
_MOST_ALIKE: Final = 16
"""Rows in a minute of one signal from one sender to one receiver: a program may use signals to keep time."""
_MOST_USUAL: Final = 600
"""Rows in a minute of helpers that ended with 0: a script may start a hundred a second."""
_MINUTE_NS: Final = 60_000_000_000
_MOST_ROWS: Final = 4096
_TICK_NS: Final = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_KALLSYMS: Final = "/proc/kallsyms"
_MEMCG_SYMBOL: Final = " mem_cgroup_out_of_memory"
_LONGEST: Final = 2048
"""Bytes after the begin of that function that are taken to be its own; it is some hundreds long."""


class _Signal(NamedTuple):
    """What the kernel says of a signal beside who received it."""

    number: int
    code: int
    sender: int
    command: str | None
    uid: int
    result: int
    parties: int


class ProcessLife(Collector):
    """Rows ``exit`` of processes the process collector never met, ``signal``, and ``oom_kill``.

    A thread of its own waits for the kernel's word that a process called exec, to read its environment while it
    lives. ``drops`` counts events the ring had no room for; ``note`` tells how many rows were left out as repetition.
    """

    name = "process_life"
    tables = ("processes",)
    requires = "eBPF: root, or CAP_BPF and CAP_PERFMON; a kernel with BTF (5.8 and later)"
    budget = Budget(seconds=20.0, bytes=2 << 20)

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Attach, then let the programs see who is there already: nobody is missed in between."""
        self._events = KernelEvents(LIFE)
        self.note = self._events.note
        self._events.track(_tree(ctx.child_pid))
        self.since_ns = time.monotonic_ns()
        self._ctx = ctx
        self._ring = Ring(self._events.map("life_events"))
        self._lock = threading.Lock()
        self._rows: list[Row] = []
        self._met: dict[int, Member] = {}
        self._before: Mapping[int, Member] = {}
        self._alike: Counter[tuple[int, int, int]] = Counter()
        self.left_out = self._usual = 0
        self._minute_ns = ctx.began_mono_ns
        self._reads_left = _MOST_READS
        self._over = False
        # The wrapper passes on what it was sent, and has written down who sent it.
        self._ours = {os.getpid(), os.getppid()}
        threading.Thread(target=self._run, name="process-life", daemon=True).start()
        ctx.lives.listening = True
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """What has happened since the last look."""
        self._events.follow(ctx.members)
        self._drain()
        with self._lock:
            rows, self._rows = self._rows, []
            self._reads_left = _MOST_READS
            if (now := time.monotonic_ns()) - self._minute_ns >= _MINUTE_NS:
                self._minute_ns, self._usual = now, 0
                self._alike.clear()
                self._met = {pid: member for pid, member in self._met.items() if self._events.tracks(pid)}
        self.drops = self._events.lost()
        self._before = ctx.members
        if self.left_out:
            self.note = f"{self._events.note}; {self.left_out} signals and ends alike others left out"
        yield "processes", rows

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last events; the end of the job is among them."""
        yield from self.tick(ctx)
        ctx.lives.listening = False
        self._over = True
        self._ring.wake()
        self._events.close()

    def _run(self) -> None:
        while not self._over:
            if self._ring.wait():
                self._drain()
                self.cpu_ns = time.thread_time_ns()
                time.sleep(_PAUSE_S)
        self._ring.close()

    def _drain(self) -> None:
        with self._lock:
            for record in self._ring.read():
                self._take(record)

    def _take(self, record: bytes) -> None:
        mono_ns, start_ns, kind, pid, parent, code, si_code, uid, result, detail, comm, other = EVENT.unpack_from(
            record
        )
        key = (pid, start_ns // _TICK_NS)
        row: Row = {
            "ts_mono_ns": mono_ns,
            "task": self._ctx.task,
            "pid": pid,
            "start_mono_ns": proc.start_mono_ns(key[1]) if start_ns else None,
            "command": text(comm),
        }
        if kind == _EXEC:
            self._read_identity(key, parent, mono_ns, text(comm) or "", text(record[EVENT.size :]))
        elif kind == _EXIT:
            self._end(key, parent, code, detail, row)
        elif kind == _SIGNAL:
            self._signal(key, _Signal(code, si_code, parent, text(other), uid, result, detail), row)
        elif kind == _OOM:
            self._oom(key, OOM.unpack_from(record, EVENT.size), row)

    def _read_identity(self, key: Key, parent: int, mono_ns: int, comm: str, path: str | None) -> None:
        if self._reads_left <= 0:
            return
        self._reads_left -= 1
        pid = key[0]
        columns, member = who_is(pid, comm, self._member(parent), is_task=pid == self._ctx.child_pid)
        if columns["argv"] is not None:
            self._met[pid] = member
            self._ctx.lives.learn(key, {**columns, "exe": columns["exe"] or path, "role": member.role}, mono_ns)
        else:  # it was gone already
            self._ctx.lives.learn(key, {"command": comm, "exe": path}, mono_ns)

    def _end(self, key: Key, parent: int, status: int, peak: int, row: Row) -> None:
        met = self._met.pop(key[0], None) or self._child_of(parent)
        life = self._ctx.lives.end(key, Exit(key[0], row["ts_mono_ns"], status))
        if life is None:
            return
        if status == 0 and met.role == "other":
            self._usual += 1
            if self._usual > _MOST_USUAL:
                self.left_out += 1
                return
        killed = os.WIFSIGNALED(status)
        self._add(
            row
            | {"role": met.role, "rank": met.rank}
            | life.identity
            | {
                "event": "exit",
                "command": row["command"],
                "ppid": parent,
                "rss_peak_bytes": peak * _PAGE or None,
                "exit_code": None if killed else os.WEXITSTATUS(status),
                "term_signal": os.WTERMSIG(status) if killed else None,
                "core_dumped": os.WCOREDUMP(status),
            }
        )

    def _signal(self, key: Key, sent: _Signal, row: Row) -> None:
        pid, by_kernel = key[0], sent.code > 0 or sent.code in _KERNEL_CODES
        if sent.sender in self._ours and not by_kernel:
            return
        self._alike[pid, sent.number, sent.sender] += 1
        if self._alike[pid, sent.number, sent.sender] > _MOST_ALIKE:
            self.left_out += 1
            return
        self._add(
            row
            | (self._who(pid) if sent.parties & _RECEIVER else {"role": "outside"})
            | {
                "event": "signal",
                "signal": sent.number,
                "signal_code": sent.code,
                "sender_pid": 0 if by_kernel else sent.sender,
                "sender_command": None if by_kernel else sent.command,
                "sender_uid": None if by_kernel else sent.uid,
                "sender_in_job": None if by_kernel else bool(sent.parties & _SENDER),
                "state": _RESULTS[sent.result] if sent.result < len(_RESULTS) else None,
            }
        )

    def _oom(self, key: Key, figures: tuple[int, ...], row: Row) -> None:
        vm, anon, file, shmem, tables, score, *stack = figures
        self._add(
            row
            | self._who(key[0])
            | {
                "event": "oom_kill",
                "signal": 9,
                "sender_pid": 0,
                "oom_scope": _scope([address for address in stack if address]),
            }
            | (
                {
                    "vm_bytes": vm * _PAGE,
                    "anon_rss_bytes": max(0, anon) * _PAGE,  # sums of per-CPU counters, read without a lock
                    "file_rss_bytes": max(0, file) * _PAGE,
                    "shmem_rss_bytes": max(0, shmem) * _PAGE,
                    "page_table_bytes": tables,
                    "oom_score_adj": score,
                }
                if vm
                else {}
            )
        )

    def _who(self, pid: int) -> Row:
        member = self._member(pid)
        return {"role": "other"} if member is None else {"role": member.role, "rank": member.rank}

    def _member(self, pid: int) -> Member | None:
        """A process of the job, by whoever has met it; one that has just gone may have news in the ring."""
        return self._met.get(pid) or self._ctx.members.get(pid) or self._before.get(pid)

    def _child_of(self, parent: int) -> Member:
        """What a process is of which nothing is known but its parent, whose environment it has."""
        above = self._member(parent)
        if above is None:
            return Member(0, None, "other")
        return Member(0, above.rank, "worker" if above.role in ("rank", "worker") else "other")

    def _add(self, row: Row) -> None:
        if len(self._rows) < _MOST_ROWS:
            self._rows.append(row)
        else:
            self.left_out += 1


def _tree(root: int) -> Iterator[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for pid in proc.pids():
        if (stat := proc.stat(pid)) is not None:
            children.setdefault(stat.ppid, []).append(pid)
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return iter(found)


def _scope(stack: list[int]) -> str | None:
    """Whose memory ran out, by the kernel functions that led to the kill; None where their names are hidden.

    A kill at a cgroup's limit comes through mem_cgroup_out_of_memory (mm/memcontrol.c), one of the host does not.
    """
    if not stack:
        return None
    begin = 0
    try:
        with open(_KALLSYMS, encoding="ascii", errors="replace") as file:
            begin = next((int(line[:16], 16) for line in file if line.rstrip().endswith(_MEMCG_SYMBOL)), 0)
    except OSError:
        return None
    if not begin:
        return None
    return "memcg" if any(begin <= address < begin + _LONGEST for address in stack) else "host"
