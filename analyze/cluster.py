"""Hands of a Dask cluster: work goes where the recordings lie, and a worker that dies costs time only.

Dask and dask-jobqueue are an extra (``inquest[cluster]``): one machine does a job of hundreds of GPUs by itself.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from inquest import __version__
from inquest.bundle.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

T = TypeVar("T")
R = TypeVar("R")

CONNECT_S: Final = 20.0
"""How long a scheduler may take to answer."""
WORKERS_S: Final = 600.0
"""How long Slurm may take to start the first worker."""
_AHEAD: Final = 4
"""Pieces of work a thread of a worker is given at a time: more would come back before they are wanted."""
_WORKER_MEMORY: Final = "4GB"
_WORKER_CORES: Final = 2


class Cluster:
    """Workers that do what they are given; as a context manager it lets them go."""

    def __init__(self, client: Any, owned: Any = None) -> None:  # noqa: ANN401 - Dask has no types
        self._client = client
        self._owned = owned

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(Exception):  # a scheduler that is gone needs no farewell
            self._client.close()
        if self._owned is not None:
            self._owned.close()

    @property
    def threads(self) -> int:
        """How many pieces of work are done at a time."""
        return max(1, sum(int(count) for count in self._client.nthreads().values()))

    def sees(self, folder: Path) -> None:
        """Make sure that every worker is of this version and sees ``folder`` under its name.

        Raises:
            UsageError: One is not or does not.
        """
        mark = folder / "seen-by-workers"
        mark.touch()
        for worker, (version, seen) in self._client.run(partial(_of_worker, str(mark))).items():
            if version != __version__:
                raise UsageError(
                    f"the worker {worker} has inquest {version or 'not installed'}, and here it is {__version__}: "
                    "install the same version on both"
                )
            if not seen:
                raise UsageError(
                    f"the worker {worker} does not see {folder}: give recordings and -o on a file system that all "
                    "workers have under the same path"
                )

    def begin(self, work: Callable[[T], R], items: Iterable[T]) -> _Begun[T, R]:
        """Let workers begin with ``items``; see `inquest.bundle.crew.Hands`."""
        return _Begun(self._client, work, list(items), self.threads * _AHEAD)


class _Begun(Generic[T, R]):
    """Work that workers do. Only as much is with them as they can begin with: results wait where they were made."""

    def __init__(self, client: Any, work: Callable[[T], R], items: list[T], ahead: int) -> None:  # noqa: ANN401
        self._client = client
        self._work = work
        self._items = items
        self._ahead = ahead
        self._out: dict[int, Any] = {}
        self._next = 0
        self.count = len(items)
        self._send()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._items = []
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._out.values()))
        self._out = {}

    def _send(self) -> None:
        while self._next < len(self._items) and len(self._out) < self._ahead:
            # pure: the same question asked again is asked again, since files may have changed.
            self._out[self._next] = self._client.submit(self._work, self._items[self._next], pure=False)
            self._next += 1

    def results(self) -> Iterator[R]:
        """The results in the order of the items.

        Raises:
            InputError: Workers died of one piece of work, again and again, or the scheduler is gone.
            Exception: What ``work`` raised.
        """
        distributed = _dask("distributed")
        for number in range(self.count):
            try:
                result = self._out.pop(number).result()
            except distributed.KilledWorker as error:
                raise InputError(
                    "several workers died of the same piece of work, most likely for want of memory: give them more, "
                    "or fewer threads each"
                ) from error
            except (distributed.CancelledError, OSError) as error:
                raise InputError("the Dask scheduler is gone: start it again, and this command") from error
            self._send()
            yield result


def _of_worker(mark: str) -> tuple[str | None, bool]:
    return __version__, Path(mark).exists()


def at(address: str) -> Cluster:
    """The cluster of a scheduler.

    Raises:
        UsageError: Dask is not installed, nobody answers at ``address``, or the scheduler has no workers.
    """
    distributed = _dask("distributed")
    address = address if "://" in address else f"tcp://{address}"
    try:
        client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {address}: start one with 'dask scheduler', workers with 'dask worker "
            f"{address}' where the recordings lie, and give its HOST:PORT"
        ) from error
    if not client.nthreads():
        client.close()
        raise UsageError(f"the Dask scheduler at {address} has no workers: start some with 'dask worker {address}'")
    return Cluster(client)


def on_slurm(workers: int, folder: Path) -> Cluster:
    """Workers that are jobs of Slurm, started for this and ended after it.

    What a site's ``jobqueue.yaml`` says (queue, account, cores, memory) holds; their output goes to ``folder``.

    Raises:
        UsageError: dask-jobqueue is not installed, or no worker came.
    """
    jobqueue = _dask("dask_jobqueue")
    distributed = _dask("distributed")
    said = _dask("dask").config.get("jobqueue.slurm", {})
    cluster = jobqueue.SLURMCluster(
        n_workers=workers,
        cores=said.get("cores") or _WORKER_CORES,
        memory=said.get("memory") or _WORKER_MEMORY,
        processes=said.get("processes") or 1,
        python=sys.executable,
        local_directory=said.get("local-directory") or str(folder),
        log_directory=str(folder),
        scheduler_options={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    )
    client = distributed.Client(cluster, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError as error:
        client.close()
        cluster.close()
        raise UsageError(
            f"Slurm started none of {workers} workers within {WORKERS_S:.0f} s: see what they wait for with 'squeue', "
            "and set queue and account in ~/.config/dask/jobqueue.yaml"
        ) from error
    return Cluster(client, cluster)


def _dask(module: str) -> Any:  # noqa: ANN401
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError("this needs Dask, which is not installed: pip install 'inquest[cluster]'") from error
