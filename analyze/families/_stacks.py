"""Where ranks stood when the job fell silent, by the stacks that were taken then, and which of them kept the others.

Ranks that wait in a collective, or for the GPU on which one runs, wait for a peer. A rank whose main thread stood in
something else (its data, a file, a lock, a child process) is the one they waited for. Only a stack that says so counts:
one that is not understood makes nobody a culprit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._rows import named
from inquest.analyze.model import RowRef
from inquest.analyze.sql import literal
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims

_LIBRARY: Final = re.compile(
    r"/(?:site|dist)-packages/|/lib(?:64)?/python\d|^<|\.so(?:\.|:|$)|/bin/(?:torchrun|accelerate|deepspeed):"
)
_RELATIVE: Final = re.compile(r" at (?=[A-Za-z_][\w.-]{0,100}(?:/|\.py:))")
"""A frame whose file is named from its package on, as ``py-spy dump`` prints it."""
_PACKAGES: Final = re.compile(
    r"/(?:torch|torchrun|deepspeed|accelerate|transformers|datasets|lightning\w{0,20}|pytorch_lightning|megatron|horovod|ray"
    r"|mpi4py|numpy|jax|tensorflow|keras|webdataset|litdata|streaming|wandb|fsspec|botocore|urllib3|requests|aiohttp"
    r"|multiprocessing|concurrent|asyncio|importlib|http|urllib|json|logging|ctypes)/"
    r"|/(?:threading|queue|socket|ssl|selectors|subprocess|runpy|contextlib|functools|tempfile|shutil|pickle)\.py:"
)
"""Libraries, where only the name of the package is told."""
_HELPER: Final = ("/torch/utils/data/_utils/worker.py", "/multiprocessing/process.py", "/concurrent/futures/process.py")
"""Files in which the life of a helper process begins."""
_INNERMOST: Final = 12
"""Frames of the inner end that say what a thread waits for; those further out say how it came there."""

PEERS: Final = "a collective"
_WAITS: Final = (
    (PEERS, r"c10d::(?:Work|ProcessGroup|Reducer)|gloo::|\bnccl[A-Z]\w+"),
    (PEERS, r"/torch/distributed/(?:distributed_c10d|_functional_collectives|nn/functional)\.py|/deepspeed/comm/"),
    (PEERS, r"/horovod/|/mpi4py/|\A_engine_run_backward at "),
    (PEERS, r"\bcu(?:da)?(?:Stream|Event|Device|Ctx)Synchronize\b|/torch/cuda/(?:__init__|streams)\.py"),
    ("its input data", r"/torch/utils/data/|/webdataset/|/datasets/(?:iterable_dataset|arrow_dataset)\.py|/litdata/"),
    ("its input data", r"__getitem__ at |\b(?:read|load|get|next)_(?:shard|batch|sample|record|example|data)\w* at "),
    ("a checkpoint", r"/torch/serialization\.py|/torch/distributed/checkpoint/|/safetensors/|save_checkpoint at "),
    ("a child process", r"/subprocess\.py"),
    ("the network", r"/(?:socket|ssl)\.py|/urllib3/|/http/client\.py|/botocore/|/aiohttp/"),
    ("a lock or another thread", r"/threading\.py|/queue\.py|/multiprocessing/"),
)
"""What frames of Python and C say, most telling first. A backward pass that stands waits for a collective."""

_KERNEL_WAITS: Final = (
    ("a named pipe or a file that did not open", r"\b(?:wait_for_partner|fifo_open)\b"),
    ("a file server", r"\b(?:nfs\w*|rpc_wait_bit_killable|cl_sync_io_wait|ll_file_\w+|fuse_\w+|ceph_\w+)\b"),
    ("a disk", r"\b(?:io_schedule|folio_wait_\w+|wait_on_page_bit\w*|blk_\w+|jbd2_\w+|ext4_\w+|xfs_\w+)\b"),
    ("data through a pipe", r"\b(?:anon_)?pipe_read\b"),
    ("data from the network", r"\b(?:tcp_recvmsg\w*|inet_recvmsg|unix_stream_\w*read\w*|sk_wait_data)\b"),
    ("a file lock", r"\b(?:flock_lock_inode_wait|locks_lock_inode_wait|fcntl_setlk|posix_lock_\w+)\b"),
    ("a child process", r"\b(?:do_wait|kernel_wait4)\b"),
    ("nothing but time (it slept)", r"\b(?:hrtimer_nanosleep|do_nanosleep|common_nsleep\w*)\b"),
)
"""What a kernel function says, where the Python stack does not: most specific first."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the main thread of one rank stood.

    Attributes:
        rank: The rank; None where its process has none.
        node: Its node.
        pid: Its process.
        waits_for: What it waited for; None where the stack does not tell.
        line: Innermost line of the user's own code, as "function at file:line"; None where there is none.
        text: The stack, innermost frame first.
        looks: How many looks found it in this very stack, and which rows say so.
        worker: Where a helper of it stood that it waited for (a data loader's worker); None where none is seen to.
    """

    rank: int | None
    node: str
    pid: int
    capture: str
    stack_id: int
    waits_for: str | None
    line: str | None
    text: str
    ts_ns: int | None
    looks: int
    rows: tuple[RowRef, ...]
    worker: Place | None = None

    @property
    def waits_for_peers(self) -> bool:
        """Whether it waited for another rank."""
        return self.waits_for == PEERS

    def words(self) -> str:
        """Where it stood, as the rest of a sentence: ``stood in load at train.py:12, waiting for a file server``."""
        where = self.line or self.text.partition("\n")[0]
        words = f"stood in {where}" + (f", waiting for {self.waits_for}" if self.waits_for else "")
        return words if self.worker is None else f"{words}; its worker {self.worker.pid} {self.worker.words()}"

    @property
    def guilty(self) -> Place:
        """Whose line to look at: the worker's, where it waited for one."""
        return self.worker or self

    def claim(self, claims: Claims, who: str) -> None:
        """Claim how often it was found there; the stack is the excerpt."""
        alone = replace(self, worker=None)
        same = f"node = {literal(self.node)} AND capture = {literal(self.capture)} AND stack_id = {self.stack_id}"
        claims.sql(
            f"Looks that found the main thread of {who} {alone.words().removeprefix('stood ')}",
            f"SELECT COUNT(*) FROM stack_samples WHERE {same} AND pid = {self.pid} AND tid = {self.pid}",
            "stack_samples",
            "looks",
            self.rows,
            self.text,
        )
        if self.worker is not None:
            self.worker.claim(claims, f"worker {self.worker.pid} of {who}")


def places(ev: Evidence) -> tuple[Place, ...]:
    """Where each process of the job stood at the last look, by rank and pid.

    Empty where no stacks were taken, or only before progress went on: that was no stall. What was seen when the job was
    told to end counts only where it was not looked at before.
    """
    if not {"stacks", "stack_samples"} <= set(ev.store.tables()):
        return ()
    progress_ns = ev.last_progress_ns()
    key = ["node", "capture", "pid", "tid"]
    seen = (
        ev.scan("stack_samples")
        .filter(pl.col("tid") == pl.col("pid"))
        .with_columns(late=pl.col("reason").str.starts_with("signal").fill_null(value=False))
        .join(
            ev.scan("stacks").select("node", "capture", "stack_id", "kind", "text", stack_seq="seq"),
            on=["node", "capture", "stack_id"],
        )
        .sort("node", "capture", "ts_ns", "seq", nulls_last=False)
        .collect()
    )
    seen = seen.filter(~pl.col("late") | pl.col("late").all().over(key))
    found = []
    ranks = _ranks_by_pid(ev)
    for mine in seen.filter(pl.col("kind") == "python").partition_by(key, maintain_order=True):
        last = mine.row(-1, named=True)
        if progress_ns is not None and last["ts_ns"] is not None and last["ts_ns"] < progress_ns:
            continue
        same = mine.filter(pl.col("stack_id") == last["stack_id"])
        others = seen.filter(pl.all_horizontal(pl.col(name) == last[name] for name in key))
        deeper = [_latest(others, kind) for kind in ("native", "kernel")]
        refs = [RowRef("stack_samples", last["node"], seq, last["capture"]) for seq in same["seq"]]
        found.append(
            Place(
                rank=last["rank"] if last["rank"] is not None else ranks.get((last["node"], last["pid"])),
                node=last["node"],
                pid=last["pid"],
                capture=last["capture"],
                stack_id=last["stack_id"],
                waits_for=waits_for(last["text"], *deeper),
                line=user_line(last["text"]),
                text=last["text"],
                ts_ns=last["ts_ns"],
                looks=same.height,
                rows=(*refs, RowRef("stacks", last["node"], last["stack_seq"], last["capture"])),
            )
        )
    return tuple(sorted(found, key=lambda place: (place.rank is None, place.rank or 0, place.node, place.pid)))


def _ranks_by_pid(ev: Evidence) -> dict[tuple[str, int], int]:
    """Ranks of processes as NCCL names both; of a dump that names no node, where the number is one process's alone.

    In the largest communicator, where each of its ranks is one process, ranks are those of the job.
    """
    if "nccl_comms" not in ev.store.tables():
        return {}
    comms = ev.scan("nccl_comms").select("node", "pid", "rank", "comm_rank", "comm_size").unique().collect()
    told = comms.select("node", "pid", "rank").drop_nulls().unique()
    if told.is_empty():
        whole = comms.filter(pl.col("comm_size") == pl.col("comm_size").max())
        told = whole.select("node", "pid", rank="comm_rank").drop_nulls().unique()
        if told.height != whole["comm_size"].max() or told["rank"].n_unique() != told.height:
            return {}
    alone = told.filter(pl.len().over("pid") == 1).with_columns(node=pl.lit(UNKNOWN_NODE))
    sure = pl.concat([told, alone], how="vertical_relaxed").unique()
    sure = sure.filter(pl.len().over("node", "pid") == 1)
    return {(node, pid): rank for node, pid, rank in sure.iter_rows()}


def of_ranks(ev: Evidence) -> tuple[Place, ...]:
    """One place for each rank: that of its own process, not of a helper that inherited its number."""
    ranks: set[tuple[str, int]] = set()
    if "processes" in ev.store.tables():
        told = ev.scan("processes").filter(pl.col("role") == "rank").select("node", "pid").unique().collect()
        ranks = set(told.iter_rows())
    found: dict[int, Place] = {}
    seen = places(ev)
    for place in seen:
        if place.rank is not None and (not ranks or (place.node, place.pid) in ranks):
            found.setdefault(place.rank, place)
    return tuple(_with_worker(place, seen) for place in found.values())


def of_the_job(ev: Evidence) -> Place | None:
    """Where the job stood: the rank that the others waited for, or the one process of a job without peers.

    None where several ranks stood and none of them is the one.
    """
    own, _ = kept_waiting(ev)
    ranks = of_ranks(ev)
    if own or len(ranks) > 1:
        return own[0] if own else None
    return next((place for place in (*ranks, *places(ev)) if place.line is not None), None)


def _with_worker(place: Place, seen: Iterable[Place]) -> Place:
    """The place with the worker it waited for: one that stood in the user's own code, with the same rank and node.

    Idle workers stand in the library's own loop.
    """
    if place.waits_for is None or place.waits_for_peers:
        return place
    busy = (
        other
        for other in seen
        if (other.node, other.rank) == (place.node, place.rank) and other.pid != place.pid and _is_worker(other)
    )
    return replace(place, worker=next(busy, None))


def kept_waiting(ev: Evidence) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Ranks that stood in something of their own, and those that waited for them; both empty unless there are both.

    Half of the ranks or more standing elsewhere is not one that is late.
    """
    stood = of_ranks(ev)
    waiting = tuple(place for place in stood if place.waits_for_peers)
    own = tuple(place for place in stood if place.waits_for is not None and not place.waits_for_peers)
    if not own or not waiting or len(own) > len(waiting):
        return (), ()
    return own, waiting


def sentence(own: Iterable[Place]) -> str:
    """Where ranks stood, a sentence for each; empty where that is not known."""
    return " ".join(f"{named((place.rank,)).capitalize()} {place.words()}." for place in own if place.rank is not None)


def _is_worker(place: Place) -> bool:
    return place.line is not None and any(mark in _rooted(place.text) for mark in _HELPER)


def _rooted(text: str) -> str:
    """A stack in which every file begins with a slash, as full paths do."""
    return _RELATIVE.sub(" at /", text)


def user_line(text: str) -> str | None:
    """The innermost line of the user's own code in a stack: ``function at file:line``.

    Frames outside the begin of a helper process are those of its parent, from which it was forked.
    """
    for line in text.splitlines():
        _, at, place = line.partition(" at ")
        rooted = _rooted(line).partition(" at ")[2]
        if any(mark in rooted for mark in _HELPER):
            return None
        if at and not _LIBRARY.search(place) and (rooted == place or not _PACKAGES.match(rooted)):
            return line
    return None


def waits_for(python: str, native: str | None = None, kernel: str | None = None) -> str | None:
    """What a thread waits for, by its stacks; None where they do not tell."""
    inner = "\n".join([*python.splitlines()[:_INNERMOST], *(native or "").splitlines()[:_INNERMOST]])
    inner = _rooted(inner)
    told = next((what for what, pattern in _WAITS if re.search(pattern, inner)), None)
    if told == PEERS:
        return told
    deeper = next((what for what, pattern in _KERNEL_WAITS if re.search(pattern, kernel or "")), None)
    if told and deeper:
        return f"{told} ({deeper})" if not told.startswith(deeper) else told
    return told or deeper


def _latest(seen: pl.DataFrame, kind: str) -> str | None:
    texts = seen.filter(pl.col("kind") == kind)["text"]
    return texts[-1] if len(texts) else None
