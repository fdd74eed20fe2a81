"""What the collectors of calls have in common: probes are loaded once there is something to stand on."""

from __future__ import annotations

import threading
import time
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from inquest.capture.collector import Batch, Budget, Collector, Context, Denied
from inquest.capture.ebpf import session
from inquest.capture.ebpf.calls import Probes
from inquest.capture.ebpf.inflight import InFlight

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.capture.ebpf.calls import OpenCall
    from inquest.capture.ebpf.selftest import Costs

AnyProbes = TypeVar("AnyProbes", bound=Probes)


class CallCollector(Collector, Generic[AnyProbes]):
    """Base of the collectors of calls.

    A job that maps none of the libraries pays for a look at its processes and nothing else: no self-test, no probe.
    """

    requires: ClassVar[str] = "eBPF: root, or CAP_BPF and CAP_PERFMON; Linux 5.15 or later"
    budget: ClassVar[Budget] = Budget(seconds=30.0, bytes=2 << 20)
    kind: ClassVar[type[Probes]]

    probes: AnyProbes
    """Set before ``rows`` is called."""
    costs: Costs
    """Likewise."""

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find out whether probes can work here."""
        self._session = session.shared()
        self._tried = f"probes work here ({self._session.costs().words()}); " if ctx.trial else ""
        self._loading: threading.Thread | None = None
        self._failed: Exception | None = None
        self._load_ns = 0
        self.node = ctx.node
        self.ranks: dict[int, int | None] = {}
        self.trouble = ""
        self._described: tuple[object, ...] = ()
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """What was called since the last tick."""
        self._session.follow(ctx.members)
        self._session.libraries.look(ctx.members.values())
        if self._is_loaded():
            self.probes.attach()
            self.probes.survey(pid for pid, member in ctx.members.items() if member.role == "rank")
            yield from self._read(ctx, last=False)

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last of everything, with every call that never returned."""
        if self._is_loaded():
            yield from self._read(ctx, last=True)
            self.probes.close_soon()

    @abstractmethod
    def rows(self, *, last: bool) -> Iterable[Batch]:
        """What was called since the last time; ``last``: nobody will ask again."""

    @abstractmethod
    def known(self) -> set[int]:
        """Processes of which something is still to be told."""

    def comm_of(self, call: OpenCall) -> str | None:
        """The communicator of an open call, where it has one."""
        return None

    def _is_loaded(self) -> bool:
        """Whether the probes stand; loads them, in a thread of its own, when there is something to stand on."""
        if self._loading is None:
            if not any(self.kind.stands_on(found.library) for found in self._session.libraries.found):
                unread = self._session.libraries.unread
                self.note = f"{self._tried}no process of the job has mapped a library with these functions" + (
                    f", as far as is known: {unread} files or processes could not be read" if unread else ""
                )
                return False
            self.note = "the probes were still being loaded"
            self._loading = threading.Thread(target=self._load, name=f"{self.name}-load", daemon=True)
            self._loading.start()
        if self._failed is not None:
            raise self._failed
        return not self._loading.is_alive()

    def _load(self) -> None:
        try:
            self.costs = self._session.costs()
            self.probes = self.kind(self._session)  # type: ignore[assignment]
            self._in_flight = InFlight(self.probes, self.comm_of)
            self.probes.attach()
            self.since_ns = time.monotonic_ns()
        except PermissionError as error:
            self._failed = Denied(f"eBPF is off: {error.strerror}")
        except Exception as error:  # raised where the recorder writes it down
            self._failed = error
        self._load_ns = time.thread_time_ns()

    def _read(self, ctx: Context, *, last: bool) -> Iterable[Batch]:
        kept = self.known()
        self.ranks = {pid: rank for pid, rank in self.ranks.items() if pid in kept}
        self.ranks |= {pid: member.rank for pid, member in ctx.members.items()}
        yield from self.rows(last=last)
        yield "inflight_calls", list(self._in_flight.rows(self.ranks, last=last))
        self.drops = self.probes.drops()
        self.cpu_ns = self._load_ns + self.probes.cpu_ns
        self._describe()

    def _describe(self) -> None:
        """Say anew how the probes stand where that has changed: it is a long text of every function."""
        now = (
            self.probes.standing(),
            self.drops,
            self.trouble,
            self._session.unfollowed,
            self._session.libraries.unread,
        )
        if now != self._described:
            self._described = now
            self.note = self._session.describe(self.probes, self.costs, self.drops, self.trouble)
