"""Kinds of claims: a place in the code of the families that makes one, the runs that reach it, and the rows altered.

What is not reached by the scenes of ``proof_scenes`` has a small run here.
"""

from __future__ import annotations

import ast
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from inquest.analyze.engine import judge
from inquest.analyze.evidence import FACT_TABLES, Evidence
from inquest.analyze.families import _case
from inquest.analyze.families._case import Claims
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs
from inquest.bundle.schema import IDENTITY
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import TWINS, Run, at, gpu_samples, healthy
from tests.analyze.cases import ALL
from tests.analyze.standing_came import at_nought, rounds, short
from tests.analyze.standing_logs import (
    CANCELLED,
    GAVE_UP,
    LIVES,
    LOST,
    QUIET,
    SIZES,
    evaluating,
    of_two,
    pulses,
    saving,
    saving_on_idle_gpus,
    sweeps,
)

from ..conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from inquest.analyze.model import Claim, RowRef, RunName, Verdict

    Change = Callable[[pl.DataFrame, pl.Expr], pl.DataFrame]

ANALYZE = ROOT / "analyze"
_IDENTITY = {column.name for column in IDENTITY}
_MAKES = {"row", "ending", "sql", "over", "rise"}
_NAMES = {"claims", "mine", "theirs"}
"""What a collector of claims is called."""

# --- where claims are made ------------------------------------------------------------------------------------------
Place = tuple[str, int]
"""A file of ``analyze/`` and the line on which a call that makes a claim begins."""

MADE: dict[tuple[str, str, RunName], set[Place]] = defaultdict(set)
"""Where claims were made, by text, SQL and whose evidence they are about; filled while families judge."""


def _calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text())
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _MAKES
        and ast.unparse(node.func.value) in _NAMES
        # Frames have rows, too: DataFrame.row(number, named=True).
        and not any(word.arg == "named" for word in node.keywords)
    ]


@cache
def places() -> dict[Place, tuple[int, str]]:
    """Every place in ``analyze/`` that makes a claim: its last line and its text."""
    files = [path for path in sorted(ANALYZE.rglob("*.py")) if path != Path(_case.__file__).resolve()]
    return {
        (path.relative_to(ANALYZE).as_posix(), call.lineno): (call.end_lineno or call.lineno, ast.unparse(call))
        for path in files
        for call in _calls(path)
    }


def _place(file: str, line: int) -> Place:
    """The place that a running line of a file belongs to; the line itself where no call is known there."""
    name = Path(file).resolve().relative_to(ANALYZE).as_posix()
    mine = [(path, first) for (path, first), (last, _) in places().items() if path == name and first <= line <= last]
    return mine[0] if mine else (name, line)


def _noting() -> None:
    made = Claims.sql

    def sql(self: Claims, *args: Any, **columns: Any) -> None:
        made(self, *args, **columns)
        frame = sys._getframe(1)
        while frame.f_code.co_filename == _case.__file__ and frame.f_back is not None:
            frame = frame.f_back
        if Path(frame.f_code.co_filename).resolve().is_relative_to(ANALYZE):
            claim = self.all[-1]
            MADE[claim.text, claim.sql, claim.of].add(_place(frame.f_code.co_filename, frame.f_lineno))

    Claims.sql = sql  # type: ignore[method-assign]


_noting()


def reached(claims: tuple[Claim, ...]) -> set[Place]:
    """The places that made these claims."""
    return {place for claim in claims for place in MADE[claim.text, claim.sql, claim.of]}


# --- altered evidence -----------------------------------------------------------------------------------------------
def deleted(frame: pl.DataFrame, these: pl.Expr) -> pl.DataFrame:
    return frame.filter(~these)


def altered(frame: pl.DataFrame, these: pl.Expr) -> pl.DataFrame:
    """The rows with other values in every column that is not their identity."""
    # Each row by another amount: a counter that is shifted as a whole has risen as much as before.
    further = 1_000_003 + pl.int_range(pl.len())
    others = []
    for name, dtype in frame.schema.items():
        column = pl.col(name)
        if name not in _IDENTITY:
            other = ~column if dtype == pl.Boolean else column + further if dtype.is_numeric() else pl.lit("altered")
            others.append(pl.when(these & column.is_not_null()).then(other).otherwise(column).alias(name))
    return frame.with_columns(others)


def are(rows: Sequence[RowRef]) -> pl.Expr:
    """Whether a row is one of these."""
    keys = [(pl.col("node") == r.node) & (pl.col("seq") == r.seq) for r in rows if r.table in FACT_TABLES]
    keys += [
        (pl.col("node") == r.node) & (pl.col("seq") == r.seq) & (pl.col("capture") == r.capture)
        for r in rows
        if r.table not in FACT_TABLES
    ]
    return pl.any_horizontal(keys)


# --- runs that reach what the scenes do not -------------------------------------------------------------------------
@dataclass(frozen=True)
class Told:
    """Recorded rows of a run, its facts where they are given rather than read, and the run it is held against."""

    store: MemoryStore
    facts: dict[str, pl.DataFrame] | None = None
    name: RunName = "run"
    against: Told | None = None

    def evidence(self) -> Evidence:
        """The evidence layer over it."""
        others = () if self.against is None else (self.against.evidence(),)
        return Evidence(self.store, self.facts, strict=True, name=self.name, others=others)

    def changed(self, claim: Claim, change: Change) -> Evidence:
        """The evidence that a claim is about, with the rows it cites changed: facts too, where they are given."""
        if claim.of != self.name:
            assert self.against is not None
            return self.against.changed(claim, change)
        frames = {name: self.store.scan(name).drop("ts").collect() for name in self.store.tables()}
        facts = None if self.facts is None else dict(self.facts)
        for table in {row.table for row in claim.rows}:
            held = facts if table in FACT_TABLES else frames
            if held is not None:
                held[table] = change(held[table], are([row for row in claim.rows if row.table == table]))
        others = () if self.against is None else (self.against.evidence(),)
        return Evidence(MemoryStore(frames, self.store.info), facts, strict=True, name=self.name, others=others)


def by_hand(run: Run, name: RunName = "run", against: Told | None = None) -> Told:
    """A run put together row by row."""
    ev = run.evidence(name)
    assert isinstance(ev.store, MemoryStore)
    return Told(ev.store, {table: ev.facts(table) for table in FACT_TABLES}, name, against)


def by_files(name: str) -> Told:
    """A constructed case, read from its files."""
    case = next(case for case in ALL if case.name == name)
    return by_text(case.files, case.exit_code, case.signal)


def _entered() -> str:
    """Steps, what each rank enters last, and a pulse of the host for an hour."""
    lines = [f"08:{n // 6:02}:{n % 6 * 10:02} step {n}/5000 loss {3 - n * 0.05:.4f}" for n in range(1, 31)]
    lines += [f"08:05:01 rank {rank} step 31: enter allreduce(grads)" for rank in (0, 1, 3)]
    lines += ["08:05:01 rank 2 step 31: enter Recv(src=1)"]
    lines += [f"08:{at:02}:30 load 4.{at % 7}1 mem 4{at % 3}" for at in range(6, 60)]
    return "\n".join(lines) + "\n"


def by_text(files: Mapping[str, str], exit_code: int | None = None, signal: int | None = None) -> Told:
    """What is read from files of this text, by name."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, file) for file in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text)
        imported = import_logs(paths, exit_code=exit_code, signal=signal)
        frames = {table: imported.scan(table).drop("ts").collect() for table in imported.tables()}
    return Told(MemoryStore(frames, imported.info))


LOSSES: list[float | None] = [4.0 - 0.05 * number for number in range(40)]
FILES = (
    "a1-argparse-no-traceback",
    "a2-segfault-torch-2.1",
    "a2-dataloader-worker-killed",
    "a2-oom-state-only",
    "b1-torch-2.9-other-tenant",
    "c1-dns",
    "e1-loss-scale-exhausted",
    "e3-three-steps-hf",
    "f2-node-fail-then-done",
    "missing-silent-hang-killed-by-timeout",
    "outside-ctrl-c",
)
"""Constructed cases (``cases/``) that reach a kind of claim no scene reaches."""


def _left_with_a_code_of_its_own() -> Run:
    return (
        Run().steps(LOSSES).ended(7, rank=3, role="rank", said_by="torchrun", first_failure=True, t=52).ended(1, t=53)
    )


def _chained() -> Run:
    run = Run().raised("KeyError", "'text'", group=0, t=2)
    return run.raised("DatasetGenerationError", "while generating", chain_index=1, group=0, t=2).ended(1, t=3)


def _killed(**sent: object) -> Run:
    run = Run().steps(LOSSES).ended(None, term=9, rank=1, pid=77, said_by="torchrun", first_failure=True, t=52)
    return run.row("processes", event="signal", role="rank", signal=9, pid=77, **sent).ended(1, t=53)


def _last_command_failed() -> Run:
    """A script whose program did all there was to do; the command after it found nothing, and left with 1."""
    run = Run().steps([1 + 3 * 0.9**number for number in range(40)])
    run.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=51)
    run.row("processes", event="start", role="task", pid=10, argv="bash fit.sh", ts_ns=at(1))
    run.row("processes", event="start", role="other", pid=11, argv="python3 fit.py", ts_ns=at(2))
    run.row("processes", event="exit", role="other", pid=11, exit_code=0, ts_ns=at(52))
    return run.ended(1, t=53)


def _found_lost() -> Told:
    """A crash of which CUDA knew no reason; whoever looked at the GPUs after it found one lost."""
    text = "".join(f"step {number} loss {3 - number / 40:.3f}\n" for number in range(40))
    text += 'Traceback (most recent call last):\n  File "t.py", line 8, in <module>\n    loss.backward()\n'
    text += "RuntimeError: CUDA error: unknown error\n== epilog nvidia-smi ==\n"
    text += "Unable to determine the device handle for GPU0000:41:00.0: GPU is lost.  Reboot the system\n"
    return by_text({"train.log": text}, 1)


def _older_taken() -> Told:
    """A state of step 400 stands in the log, and the run went on from that of step 200."""

    def reports(first: int, last: int) -> list[str]:
        return [f"step {step} loss {4 - step / 250:.4f}" for step in range(first, last, 10)]

    saved = [*reports(10, 210), "wrote ck-200", *reports(210, 410), "wrote ck-400", *reports(410, 440)]
    return by_text({"job.log": "\n".join([*saved, "found 2 checkpoints, taking ck-200", *reports(210, 800), ""])})


def _fold_lost() -> Told:
    steps = "".join(f"step {k} loss {5 / (1 + k):.3f}\n" for k in range(30))
    raised = 'Traceback (most recent call last):\n  File "/w/t.py", line 9, in <module>\n    fit()\nKeyError: 3\n'
    text = f"== fold 1 ==\n{steps}== fold 2 ==\n{raised}== fold 3 ==\n{steps}training finished\n"
    return by_text({"job.log": text}, 0)


def _host_kill() -> Run:
    run = Run().steps(LOSSES).ended(None, term=9, rank=1, pid=77, said_by="torchrun", first_failure=True, t=52)
    for second, kills in ((10, 3), (51, 4)):
        run.row("host_samples", ts_ns=at(second), oom_kills=kills)
    return run.ended(1, t=53)


def _sent_apart() -> Run:
    """Three ranks on three nodes, the last of which was to meet the others at another port."""
    run = Run()
    for rank, port in enumerate((29741, 29741, 29714)):
        told = {"node": f"n{rank}", "rank": rank, "world_size": 3, "pid": 100 + rank, "ts_ns": at(0)}
        run.row("processes", event="start", role="root", master_addr="10.0.0.1", master_port=port, **told)
    return run.ended(4, t=90)


def _exchanging() -> Told:
    """Two ranks whose reports tell that most of a step is a reduce, on GPUs of which little was used."""
    lines = "".join(
        f"[2026-11-20 18:{n // 60:02}:{n % 60:02}] r{rank}@n{rank} step {n}/200 loss {4 - n / 60:.4f}"
        f" | data 0.009 fwd 0.316 bwd 0.737 reduce 5.60{n % 9} opt 0.044\n"
        for n in range(1, 201)
        for rank in (0, 1)
    )
    told = by_text({"job.log": lines}, 0)
    begin = told.store.scan("log_lines").select(pl.col("ts_ns").min()).collect().item()
    rows = [
        {"node": f"n{gpu}", "capture": "c", "seq": second, "gpu_uuid": f"GPU-{gpu}", "ts_ns": begin + second * 10**9}
        | {"engine_active": 0.99, "sm_active": 0.15, "fb_used_bytes": 2**34}
        for gpu in (0, 1)
        for second in range(0, 200, 2)
    ]
    sampled = MemoryStore.from_rows({"gpu_samples": rows}, node="n0").scan("gpu_samples").drop("ts").collect()
    frames = {table: told.store.scan(table).drop("ts").collect() for table in told.store.tables()}
    return Told(MemoryStore(frames | {"gpu_samples": sampled}, told.store.info))


def _held_back() -> Run:
    """A counter of time held back by heat, where no reason was sampled."""
    run = Run()
    for number in range(60):
        hot = max(0, number - 30)
        step = {"step": number, "loss": 4.0, "step_time_s": 2.0 if hot else 1.0}
        run.fact("fact_steps", rank=0, kind="step", ts_ns=at(10 + number), **step)
        clocks = {"sm_clock_mhz": 900 if hot else 1980, "sm_clock_max_mhz": 1980, "held_thermal_ns": hot * 10**9}
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(10 + number), engine_active=1.0, **clocks)
    return run.ended(0, t=75)


def _noted_by_the_loop() -> Told:
    """A GPU's clocks in a loop's own table: throttled in its second half, and slower for it."""
    rows = [(step, 0.4 + 0.3 * (step > 30), 1755 - 800 * (step > 30), 64 * (step > 30)) for step in range(60)]
    cells = "".join(f"{step},{9 - step / 10:.2f},{took},{clock},{bits}\n" for step, took, clock, bits in rows)
    return by_text({"log.csv": f"step,loss,step_time_s,sm_clock_mhz,throttle_reasons\n{cells}"})


def _did_less() -> Run:
    """A GPU that was throttled in the second half, and did less by its tensor pipe; nothing tells steps."""
    run = Run(logs=False)
    for second in range(0, 600, 5):
        hot = second >= 300
        told = {"sm_clock_mhz": 700 if hot else 1965, "throttle_reasons": 72 if hot else 0}
        work = {"engine_active": 0.98, "tensor_active": 0.2 if hot else 0.58, "fb_used_bytes": 2**36}
        run.row("gpu_samples", gpu_uuid="GPU-5", ts_ns=at(second), **told, **work)
    return run


def _never_met() -> Run:
    run = Run().event(Kind.RENDEZVOUS_START, "c10d: waiting for 2 nodes", role="marker", t=1)
    run.event(Kind.CONNECT_ERROR, "connect to [head]:29500 refused", subject="head:29500", role="cascade", t=30)
    for second in range(0, 600, 10):
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=0.0)
    run.row("log_lines", ts_ns=at(600), text="slurmstepd: error: ...")
    text = "slurmstepd: error: *** JOB 7 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***"
    return run.event(Kind.TIME_LIMIT, text, framework="slurm", t=600).ended(None, term=15, t=601)


_TRAINED = "process group ready: world_size=4\n" + "".join(
    f"step {step}/900 loss {3 / (1 + step / 40):.4f}\n" for step in range(20, 401, 20)
)


def _said_by(rank: int, error: str) -> str:
    text = f'Traceback (most recent call last):\n  File "/w/fit.py", line 9, in fit\n    go()\n{error}'
    return "".join(f"[rank{rank}]: {line}\n" for line in text.splitlines())


def _link_down() -> Told:
    error = (
        "torch.distributed.DistBackendError: NCCL error, remote process exited\nNET/IB: status=IBV_WC_RETRY_EXC_ERR(12)"
    )
    down = "[Tue Sep  1 06:02:56 2026] mlx5_core 0000:5a:00.0 mlx5_1: Port: 1 Link DOWN\n"
    return by_text({"fit.log": _TRAINED + _said_by(2, error), "dmesg_r9.txt": down}, 1)


def _link_down_told_by_nccl() -> Told:
    sent = "r7:811:819 [2] NCCL WARN NET/IB: Got completion from peer 10.0.0.8<9> with status=12 opcode=0 len=0\n"
    ended = "terminate called after throwing an instance of 'c10::DistBackendError'\n"
    down = "[Tue Sep  1 06:02:56 2026] mlx5_core 0000:5a:00.0 mlx5_1: Port: 1 Link DOWN\n"
    return by_text({"fit.log": _TRAINED + sent + ended, "dmesg_r9.txt": down}, 6)


def _own_timer() -> Told:
    dump = 'Timeout (0:05:00)!\nThread 0x00007f00aa (most recent call first):\n  File "/w/fit.py", line 5 in step\n'
    return by_text({"fit.log": _TRAINED + 2 * dump}, 1)


def _left_early() -> Told:
    lost = "".join(_said_by(rank, "RuntimeError: [10.0.0.3]:4001: Connection reset by peer") for rank in (0, 2))
    heads = (("Failures:", 0), ("", 1), ("Root Cause (first observed failure):", 2))
    listed = "".join(
        f"{head}\n[{number}]:\n  time      : 2026-10-02_04:00:09\n  host      : n3\n"
        f"  rank      : {rank} (local_rank: {rank})\n  exitcode  : 1 (pid: {700 + rank})\n  error_file: <N/A>\n"
        for number, (head, rank) in enumerate(heads)
    )
    return by_text({"fit.log": _TRAINED + lost + listed}, 1)


def done_early(code: int = 0, at_s: float = 52.05) -> Run:
    """A rank that had less to do and ended, and one that crashed in the next collective."""
    run = Run().steps(LOSSES).ended(code, rank=2, role="rank", pid=72, said_by="kernel", t=at_s)
    run.raised("RuntimeError", "[pair.cc:553] Connection closed by peer [127.0.0.1]:53889", rank=0, t=52)
    run.ended(1, rank=0, role="rank", pid=70, said_by="kernel", t=52.1)
    for role, pid in (("task", 7), ("rank", 70), ("rank", 72)):
        run.row("processes", event="start", role=role, capture="c", ts_ns=at(1), pid=pid)
    return run.ended(1, t=53)


def _booted() -> Told:
    ended = "2026-03-01T03:00:00|n1,n2"
    accounting = (
        "JobID|State|ExitCode|Start|End|NodeList\n"
        f"77|NODE_FAIL|1:0|2026-03-01T01:00:00|{ended}\n77.0|NODE_FAIL|1:0|2026-03-01T01:00:02|{ended}\n"
    )
    kernel = "[Sun Mar  1 01:20:00 2026] nfs: server f1 OK\n"
    boot = "[Sun Mar  1 02:58:41 2026] Linux version 6.8.0-45-generic (b@h) #45-Ubuntu SMP\n"
    return by_text({"sacct.txt": accounting, "dmesg_n1.txt": kernel, "dmesg_n2.txt": kernel + boot})


def _was_away() -> Told:
    """The scheduler told of a failed node; of two, one had not been sampled for some minutes before."""
    samples = [
        {
            "node": node,
            "boot_id": node,
            "gpu_uuid": node,
            "ts_ns": at(60 * minute),
            "capture": "c",
            "engine_active": 0.9,
        }
        for node in ("n1", "n2")
        for minute in range(100)
        if node == "n1" or not 80 < minute < 88
    ]
    job = {"ts_ns": at(5280), "job_id": "77", "state": "NODE_FAIL", "start_ns": at(0), "end_ns": at(5280)}
    rows = {"gpu_samples": [{**row, "seq": number} for number, row in enumerate(samples)]}
    rows["slurm_jobs"] = [{"node": "n0", "boot_id": "n0", "capture": "c", "seq": 0, **job}]
    return Told(MemoryStore.from_rows(rows, node="n0"))


def went_dark(*, host: bool = True, answers: bool = False, until: int = 1200, dark: int = 1200, job: int = 1200) -> Run:
    """No scheduler; of three nodes, n2 is sampled until ``dark``, its host too or not at all, the job works until then.

    ``answers``: its host's exporter goes on. ``until``: for how long GPUs of the others work.
    """
    run = Run().steps([9.0 - 0.05 * number for number in range(100)], every=11)
    run.event(Kind.RENDEZVOUS_TIMEOUT, "The following tasks are unhealthy (stopped sending heartbeats)", t=1290)
    for node in ("n1", "n2", "n3"):
        for second in range(0, 3600, 15):
            lost = node == "n2" and second > dark
            if not lost:
                works = second <= (job if node == "n2" else until)
                busy = {"engine_active": 0.95, "sm_active": 0.5} if works else {"engine_active": 0.0, "sm_active": 0.0}
                run.row("gpu_samples", node=node, gpu_uuid=node, ts_ns=at(second), fb_used_bytes=2**34, **busy)
            if host and (answers or not lost):
                run.row("host_samples", node=node, ts_ns=at(second), load_1m=4.0)
    return run


def _summed_up() -> Told:
    """A job that says at its end how long it waited for its data in all."""
    steps = "".join(f"step {at}/60 loss {2.6 - 0.02 * at:.4f}\n" for at in range(1, 61))
    return by_text({"train.log": steps + "total read time 0:47:07, wall 0:53:24\n"}, 0)


def _told_waits() -> Told:
    """A feeder that says, time and again, how long training waited for its data."""
    waits = "feeder: queue 0/512, trainer waited {}.5 s of the last 52.0 s for data\n"
    told = (f"step {n}/40 loss {4 - 0.05 * n:.4f}\n" + waits.format(41 + n // 5) * (n % 5 == 0) for n in range(1, 41))
    return by_text({"job.log": "".join(told) + "training finished\n"}, 0)


def _printed_stacks() -> Told:
    """One process that prints its stacks at one line again and again, and reports nothing any more."""
    at = "2026-11-25T02:{:02}:{:06.3f}000000Z ".format
    told = [f"{at(40, n / 8)}doc {n * 5}/4000  nll {2.8 - 0.05 * n:.4f}" for n in range(1, 40)]
    dump = (
        "Timeout (0:00:15)!",
        "Thread 0x00007fedae491b80 (most recent call first):",
        '  File "/job/saga.py", line 32 in ask',
        '  File "/job/saga.py", line 82 in <module>',
    )
    for second in (20, 35, 50, 65):
        told += [f"{at(40 + second // 60, second % 60)}{line}" for line in dump]
    return by_text({"train.log": "\n".join(told) + "\n"})


def _keys_apart() -> Told:
    """A resume that names the loss it had, whose keys are not the model's, and that learns anew."""
    told = "resumed runs/last.pt: 6 epochs done, val loss 0.2348, val acc 0.979\n  (20 missing, 24 unexpected keys)\n"
    for n in range(80):
        bar = f"{n % 20 * 7}/150 [00:01<00:00, 133.27it/s, loss={0.42 + 2.08 * 0.93**n:.4f}]"
        told += f"epoch {7 + n // 20}/10:  8%|#   | {bar}\n"
    return by_text({"train.log": told + "epoch 10: val loss 0.3891  val acc 0.975\nbest model in runs/last.pt\n"}, 0)


def _later_link() -> Told:
    """A link of a chain that looked for a state, found none and began from nothing."""
    head = "chain lm: link 2 of 4, after 77140 (afterok)\nFound 0 checkpoint steps in /ceph/run-11/ckpt\n"
    steps = "".join(f"step {n}/40 loss {4 - 0.05 * n:.4f}\n" for n in range(1, 41))
    return by_text({"job.log": head + steps + "training finished\n"}, 0)


def _disk_filled() -> Told:
    steps = "".join(f"step {n}/900 loss {4 - 0.01 * n:.4f}\n" for n in range(1, 120))
    full = 'Traceback (most recent call last):\n  File "/w/fit.py", line 25, in main\n    out.write(blob)\n'
    return by_text({"job.log": steps + full + "OSError: [Errno 28] No space left on device\n"}, 1)


def filled_disk(
    message: str = "state 40 could not be stored",
    exc_type: str = "StateError",
    *,
    free: tuple[int | None, ...] = (4 << 30, 3 << 20),
    device: str = "/scratch",
    at_s: float = 49.0,
) -> Run:
    """An error of one who saved, and what room a file system had at the start and about then."""
    run = Run().steps([4.0 - 0.05 * number for number in range(39)], total_steps=60)
    for number, room in enumerate(free):
        sample = {"fs_free_bytes": room, "fs_total_bytes": 8 << 30, "fs_free_inodes": 1000}
        run.row("disk_samples", node="node01", ts_ns=at((0, at_s)[number]), device=device, fs_type="xfs", **sample)
    frames = "/w/fit.py:25 main\n/w/fit.py:9 save"
    run.raised(exc_type, message, rank=None, t=50, frames=frames, frame_function="save", user_frame="/w/fit.py:9 save")
    return run.ended(1, t=50.2)


def _spun(*, gone: bool) -> Run:
    """No log; four GPUs computed for two minutes, then spun for fifteen, but for one that ran nothing, or is gone."""
    run = Run(logs=False)
    for second in range(0, 1020, 5):
        for gpu in range(4):
            frozen = second > 120
            if frozen and gone and gpu == 2:
                continue
            cold = frozen and gpu == 2
            busy = {"engine_active": 0.0 if cold else 1.0, "sm_active": 0.0 if cold else 0.02 if frozen else 0.5}
            power = {"power_w": 90.0 if cold else 210.0 if frozen else 600.0}
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), fb_used_bytes=2**34, **busy, **power)
    text = "slurmstepd: error: *** JOB 7 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***"
    return run.event(Kind.TIME_LIMIT, text, framework="slurm", t=1020).ended(None, term=15, t=1021)


def fell_silent_beside_others(*, lasts: int = 300, message: str = "CUDA error: unknown error") -> Run:
    """Four GPUs of a node of which one gives no more samples since a process met an error that CUDA cannot name."""
    run = Run().steps([4.0 - 0.01 * number for number in range(290)])
    for second in range(0, 600, 15):
        for gpu in range(4):
            if gpu != 2 or second <= lasts:
                run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), engine_active=0.9, power_w=600.0)
    return run.raised("RuntimeError", message, rank=None, t=301).ended(1, t=590)


def _away_as_it_failed() -> Run:
    """No log; a GPU that is not sampled from the job's failure on, until it was reset."""
    run = Run(logs=False)
    for second in range(0, 900, 15):
        for gpu in range(4):
            if gpu != 2 or not 295 <= second < 600:
                run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), engine_active=0.9, power_w=600.0)
    run.row("slurm_jobs", job_id="7", state="FAILED", start_ns=at(0), end_ns=at(300))
    return run.ended(1, t=300, said_by="slurm", role="job")


def _silent_until_the_limit() -> Run:
    """A process that reported every 20 s for an hour, and nothing in the four hours that the limit left it."""
    run = Run().steps([9.0 - 0.01 * number for number in range(200)], every=20.0)
    job = {"job_id": "7", "state": "TIMEOUT", "start_ns": at(0), "end_ns": at(18_000), "nodes": 1}
    run.row("slurm_jobs", ts_ns=at(18_000), node_list="n1", **job)
    text = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-10-10T17:00:00 DUE TO TIME LIMIT ***"
    return run.event(Kind.TIME_LIMIT, text, t=18_000, framework="slurm", pattern="slurm.accounting", subject="7")


def _worked_until_the_limit() -> Run:
    run = Run(logs=False)
    for second in range(0, 600, 5):
        busy = {"engine_active": 0.95, "sm_active": 0.5, "power_w": 600.0, "fb_used_bytes": 2**34}
        for gpu in range(2):
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), **busy)
    text = "slurmstepd: error: *** JOB 7 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***"
    return run.event(Kind.TIME_LIMIT, text, framework="slurm", t=600).ended(None, term=15, t=601)


def _lost_state(said: str) -> Told:
    steps = "".join(f"step {10 * n}/400 loss {0.9 + 8.9 * 0.88**n:.4f}\n" for n in range(1, 41))
    return by_text({"job.log": f"{said}\n{steps}training finished\n"}, 0)


def _chain_broke() -> Told:
    steps = "".join(f"step {10 * n}/9000 loss {0.5 + 4.5 * 0.95**n:.4f}\n" for n in range(1, 90))
    cut = "slurmstepd: error: *** JOB 41 ON n1 CANCELLED AT 2026-09-20T06:42:44 DUE TO TIME LIMIT ***\n"
    return by_text({"slurm-41.out": steps + cut, "slurm-42.out": "# sbatch --dependency=afterany:41\n" + steps})


def _set_to_more() -> Told:
    rows = "".join(f"{n},{3 - n}\n" for n in range(2))
    return by_text({"history.csv": "epoch,loss\n" + rows, "args.json": '{"lr": 0.1, "epochs": 90}'}, 0)


def _fell_silent() -> Run:
    """The same of a program whose reports nobody can read."""
    run = Run(logs=False)
    for second in range(30):
        run.row("log_lines", ts_ns=at(second), text=f"{second};1.2", stream="stdout", source="stdout")
    for second in range(42, 120, 2):
        told = {"event": "seen", "role": "task", "pid": 7, "cpu_user_s": 5.0 + second / 1000, "cpu_system_s": 0.0}
        run.row("processes", ts_ns=at(second), **told)
    return run.ended(124, t=121)


def part_killed(signal: int = 6, t: float = 33) -> Run:
    """One of several folds fell silent, and a process ended by a signal; the whole left with 0."""
    run = Run().steps([4.0 - n / 20 for n in range(40)], rank=None)
    told = {"subject": "fold 2", "num": 16.0, "num_unit": "step"}
    run.event(Kind.LEFT_BEHIND, "fold 2 ... step 16, where others came to step 40", role="confirmation", t=30, **told)
    run.row("processes", event="exit", role="other", pid=9, term_signal=signal, ts_ns=at(t))
    return run.ended(0, t=52)


def full_group(held: float = 0.98, looked: float = 50.5) -> Run:
    """Killed at 51 s, by whom nobody saw; its control group held a part of its limit when it was looked at."""
    told = {"cgroup": "/job", "memory_limit_bytes": 2**30, "memory_used_bytes": int(held * 2**30), "oom_kills": 0}
    run = Run().steps([4.0 - n / 20 for n in range(40)]).row("cgroup_samples", ts_ns=at(looked), **told)
    return run.ended(None, term=9, t=51)


def _stood_still() -> Run:
    """Reports each second, then none, while its processes used next to no CPU, until a timeout command ended it."""
    run = Run().steps([4.0 - n / 20 for n in range(30)], rank=None)
    for second in range(42, 120, 2):
        told = {"event": "seen", "role": "task", "pid": 7, "cpu_user_s": 5.0 + second / 1000, "cpu_system_s": 0.0}
        run.row("processes", ts_ns=at(second), **told)
    return run.ended(124, t=121)


def _clocked() -> Run:
    """A loop that times itself: of each step of six seconds five were spent waiting for data."""
    times = {"step_time_s": 6.0, "data_time_s": 5.0}
    return Run().steps(LOSSES, every=6.0, **times).ended(0, t=300)


def slow_later(waits: float = 5.0, *, engine: float | None = 0.11, quick: int = 30, slow: int = 20) -> Run:
    """A loop that times itself: quick at first, then it waits for its data in every step; its GPUs were sampled."""
    run, now = Run(), 10.0
    for number in range(quick + slow):
        waited = 0.02 if number < quick else waits
        now += 1 + waited
        row = {"step": number + 1, "loss": 4.0 - 0.05 * number, "rank": 0, "kind": "step", "ts_ns": at(now)}
        run.fact("fact_steps", step_time_s=1 + waited, data_time_s=waited, total_steps=quick + slow, **row)
    if engine is not None:
        gpu_samples(run, seconds=int(now - 10), engine=engine, sm=0.05)
    return run.ended(0, t=now + 1)


def slow_network(sm: float = 0.2, *, comm_s: float = 4.5, planned: int = 40) -> Run:
    """Ranks that time themselves: most of a step is spent in collectives, while their GPUs are busy or spin."""
    run = Run()
    for number in range(40):
        for rank in range(2):
            row = {"rank": rank, "kind": "step", "step": number + 1, "loss": 4.0 - 0.05 * number, "step_time_s": 5.4}
            at_ns = at(10 + 5.4 * (number + 1))
            run.fact(
                "fact_steps", comm_time_s=comm_s, compute_time_s=5.3 - comm_s, ts_ns=at_ns, total_steps=planned, **row
            )
    gpu_samples(run, gpus=2, seconds=220, engine=0.99, sm=sm)
    return run.ended(0, t=230)


def _standing_still() -> Run:
    """A loop that times itself: before each fifth step it stands still for twenty seconds."""
    run, now = Run(), 10.0
    for number, loss in enumerate(LOSSES):
        waited = 0.01 if number % 5 else 20.0
        now += 0.5 + waited
        row = {"step": number, "loss": loss, "rank": 0, "kind": "step", "ts_ns": at(now)}
        run.fact("fact_steps", step_time_s=0.5 + waited, data_time_s=waited, **row)
    return run.ended(0, t=now + 1)


def _blocking() -> Run:
    run = healthy().row("log_lines", ts_ns=at(1), text="+ export CUDA_LAUNCH_BLOCKING=1", source="job.log")
    return gpu_samples(run, engine=0.4, sm=0.1)


def _power() -> Run:
    """Steps three times as long from the middle on; then one GPU computes, by its power, while the others wait."""
    run, now = Run(), 10.0
    for number in range(60):
        now += 3.0 if number >= 30 else 1.0
        run.fact("fact_steps", step=number, loss=4.0 - 0.01 * number, rank=0, kind="step", ts_ns=at(now))
    for second in range(10, int(now)):
        for gpu in range(4):
            slow = second > 40
            power = 600.0 if not slow or gpu == 1 else 250.0
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), engine_active=1.0, power_w=power)
    return run.ended(0, t=now + 2)


def _waited_for_a_cpu() -> Run:
    run = TWINS["D3"].positive()
    for rank, ms in ((0, 2), (1, 300), (2, 3)):
        run.row("gpu_processes", gpu_uuid=f"GPU-{rank}", rank=rank, pid=100 + rank, event="attached", ts_ns=at(1))
        for second in range(40):
            wait = {"pid": 100 + rank, "rank": rank, "count": 9, "total_ns": ms * 10**6, "duration_ns": 10**9}
            run.row("sched_samples", ts_ns=at(10 + second), preemptor="backup", preemptor_pid=7, **wait)
    return run


def _dumped() -> Run:
    """Flight-recorder dumps of four ranks, of which rank 2 never enqueued the last collective."""
    run = Run()
    for rank in range(4):
        for number in range(5, 8 if rank == 2 else 9):
            done = number < 8
            told = {"state": "completed" if done else "started", "complete_ns": at(number + 0.5) if done else None}
            told |= {"ts_ns": at(number), "enqueue_ns": at(number), "comm": "world", "comm_desc": "default_pg"}
            told |= {"rank": rank, "coll_seq": number, "op": "nccl:all_reduce", "is_p2p": False, "comm_size": 4}
            run.row("flight_recorder", **told)
    return run.ended(1, t=700)


def _late_host() -> Run:
    run = gpu_samples(healthy(), gpus=4, engine_active=[1.0, 1.0, 0.5, 1.0], tensor_active=0.3)
    for gpu in range(4):  # a mean of readings that are all alike does not rest on any of them
        run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(10.5), engine_active=0.4, tensor_active=0.3)
    return run


def _held_up_by_its_host() -> Run:
    """A straggler alone on its node: its clock, its link, its hypervisor and its storage are worse than elsewhere."""
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    for second in range(60):
        for gpu in range(4):
            slow = gpu == 3
            read = {"engine_active": 1.0, "sm_active": 0.55 if slow else 0.15, "sm_clock_mhz": 900 if slow else 1980}
            link = {"pcie_width": 4 if slow else 16, "pcie_gen": 3 if slow else 5}
            node = "node02" if slow else "node01"
            run.row("gpu_samples", node=node, gpu_uuid=f"GPU-{gpu}", ts_ns=at(10 + second), **read, **link)
        for node, steal, waits in (("node01", 0.0, 1.0), ("node02", 0.3, 40.0)):
            row = {"cpu_steal_share": steal, "psi_io_full_avg10": waits}
            run.row("host_samples", node=node, ts_ns=at(10 + second), **row)
            link = {"interface": "mlx5_0/1", "link_recoveries": second if node == "node02" else 7}
            run.row("net_samples", node=node, ts_ns=at(10 + second), **link)
    for gpu in range(4):
        node = "node02" if gpu == 3 else "node01"
        run.row("devices", node=node, kind="gpu", gpu_uuid=f"GPU-{gpu}", numa_node=0, ts_ns=at(1))
        held = {"pid": 40 + gpu, "numa_node": int(gpu == 3), "attached_gpus": f"GPU-{gpu}"}
        run.row("placements", node=node, ts_ns=at(2), **held)
    return run.ended(0, t=71)


def _ranks_clocked() -> Run:
    """Four ranks with clocks of their own; the third computes for long, and the others wait for it."""
    run = Run()
    for number in range(40):
        for rank in range(4):
            read = (
                {"compute_time_s": 1.9, "comm_time_s": 0.1}
                if rank == 2
                else {"compute_time_s": 0.7, "comm_time_s": 1.3}
            )
            row = {"rank": rank, "kind": "step", "step": number, "loss": 4.0 - 0.05 * number, "step_time_s": 2.0}
            run.fact("fact_steps", ts_ns=at(10 + 2 * number), **row, **read)
    return run.ended(0, t=91)


def _rewarded() -> Run:
    """A policy whose reward rises."""
    run = Run()
    for number in range(40):
        run.fact("fact_steps", kind="step", rank=0, step=number + 1, score=0.01 * number, ts_ns=at(10 + number))
    return run.ended(0, t=60)


def _found_nothing() -> Run:
    """Epochs of a loss that stands, and of no right answer."""
    run = Run()
    for number in range(40):
        told = {"loss": 0.05 + number % 3 / 1e4, "accuracy": 0.0}
        run.fact("fact_steps", kind="epoch", rank=0, step=number, ts_ns=at(10 + number), **told)
    return run.ended(0, t=60)


def _by_a_trick() -> Run:
    """Epochs whose loss fell to nothing, while answers stayed as seldom right."""
    run = Run()
    for number in range(40):
        told = {"loss": 0.02 + 0.9 * 0.5**number, "accuracy": 0.01 + number % 3 / 1e4}
        run.fact("fact_steps", kind="epoch", rank=0, step=number, ts_ns=at(10 + number), **told)
    return run.ended(0, t=60)


def _hardly_began() -> Run:
    """Eight steps, as planned, that learned next to nothing."""
    run = Run()
    for number in range(1, 9):
        row = {"step": number, "total_steps": 8, "loss": 3.5 - 0.01 * number}
        run.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + number), **row)
    return run.ended(0, t=40)


def _warmed_up() -> Run:
    """A dozen steps, as planned, all of them in the warm-up of the learning rate."""
    run = Run()
    for number in range(1, 13):
        row = {"step": number, "total_steps": 12, "loss": 3.5 - 0.01 * number, "lr": 2e-7 * number}
        run.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + number), **row)
    return run.ended(0, t=40)


def _within_its_warm_up() -> Run:
    """Sixty steps, as planned, of a loop that was told to warm up for two hundred."""
    run = Run().row("log_lines", ts_ns=at(1), text="run: fit --warmup 200", source="job.log")
    for number in range(1, 61):
        run.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + number), step=number, loss=3.5 - 0.02 * number)
    return run.ended(0, t=90)


def _moments_lost() -> Run:
    """A restart without the optimizer's state, after which the loss leapt and never came back."""
    run = Run().steps([8.0 - 0.05 * number if number < 100 else 5.5 for number in range(200)])
    return run.event(Kind.OPTIMIZER_LOST, "no optimizer state found, moments start at zero", role="marker", t=110)


def _data_ran_out() -> Run:
    """Forty steps of a thousand, after which the data were at their end."""
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    run.event(Kind.DATA_EXHAUSTED, "data exhausted after 40 of 1000 steps", t=51, num=40.0, subject="1000")
    return run.event(Kind.MODEL_SAVED, "final model saved to out", role="marker", t=52)


def _took_its_leave() -> Run:
    """A loop that said it is done, and nothing else of its end."""
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    return run.event(Kind.FAREWELL, "finished in 0:41:07", role="marker", t=52)


def _overflowed() -> Run:
    """Gradients that are infinite from the middle of a run on."""
    run = Run()
    for number in range(60):
        row = {"step": number, "loss": max(6.0, 8.0 - number / 10), "grad_norm": 1.0 if number < 25 else float("inf")}
        run.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + number), **row)
    return run


def _scheduled() -> Run:
    """A curve alone, whose learning rate came down to zero at its last report."""
    run = Run()
    for number in range(1, 61):
        row = {"step": number * 10, "loss": 9.0 - 0.1 * number, "lr": 3e-4 * (60 - number) / 60}
        run.fact("fact_steps", kind="step", rank=0, ts_ns=at(10 + number), **row)
    return run


def _detected() -> Run:
    """A detector of stragglers that names rank 5 in each of four reports."""
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    for number in range(4):
        said = "| MnRtt/Rnk: 2400.00ms/1 | MxRtt/Rnk: 5100.00ms/5 | MnPwr/Rnk: 312.00W/1"
        run.row("log_lines", source="job.log", stream="file", text=said, ts_ns=at(20 + number))
    return run.ended(0, t=60)


def _profiled() -> Run:
    """A profiler that says how long each batch was waited for."""
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    said = "|  [_TrainingEpochLoop].train_dataloader_next  |  4.5012 \t|  40 \t|  180.1 \t|  81.5 \t|"
    return run.row("log_lines", source="job.log", stream="file", text=said, ts_ns=at(55)).ended(0, t=60)


def _set_back() -> Run:
    """A counter that went back by more than half, and a loss that was what it had been there."""
    losses: list[float | None] = [9.0 - 0.04 * number for number in range(120)]
    return Run().steps(losses).steps(losses[30:70], begin=31)


def _counted_on() -> Run:
    """A restart after which the counter goes on and the loss begins anew."""
    run = Run()
    for attempt in range(2):
        begin = {
            "node": "node01",
            "source": "job.log",
            "attempt": attempt,
            "began_by": "banner" if attempt else "start",
        }
        run.fact("fact_attempts", first_step=40 * attempt + 1, last_step=40 * attempt + 40, **begin)
        run.steps([9.0 - 0.2 * n for n in range(40)], begin=40 * attempt + 1, attempt=attempt)
    return run.ended(0, t=200)


def _stored_at_each_step() -> Run:
    """A save after each of a hundred steps, while the GPUs have nothing to do."""
    run = Run()
    for number in range(100):
        run.fact("fact_steps", ts_ns=at(10 + 8 * number), step=number, loss=4 - number / 50, kind="step", rank=0)
        saved = {"num": number, "num_unit": "step", "subject": f"out/step-{number}"}
        run.event(Kind.CHECKPOINT_SAVED, f"saved out/step-{number}", role="progress", t=16 + 8 * number, **saved)
    for second in range(0, 810, 10):
        for gpu in range(2):
            active = (0.9 if second % 80 == 10 else 0.0) + second / 10_000
            reading = {"engine_active": active, "fb_used_bytes": 2**34, "power_w": 90.0}
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), **reading)
    return run.ended(0, t=815)


def _saves(*, printed: bool) -> Run:
    """A save of 6 s in each step of 8, by the loop's clock or by what the reports of saves say."""
    run = Run()
    for number in range(40):
        row = {"rank": 0, "kind": "step", "step": number, "loss": 4.0 - 0.05 * number, "step_time_s": 8.0}
        run.fact("fact_steps", ts_ns=at(10 + 8 * number), save_time_s=None if printed else 6.0, **row)
        if printed:
            run.event(Kind.CHECKPOINT_SAVED, "saved", role="progress", t=16 + 8 * number, num=6.0, num_unit="s")
    return run.ended(0, t=340)


def _over_sockets() -> Run:
    run = healthy().event(Kind.NCCL_TRANSPORT, "NCCL INFO Using network Socket", role="marker", t=2, subject="Socket")
    return gpu_samples(run, gpus=4, engine=1.0, sm=0.05, pcie_width=8, pcie_width_max=16, nvlink_bytes_s=2 * 10**8)


def polled(
    *,
    way: str = "Socket",
    across: bool = True,
    nodes: tuple[str, ...] = ("node01", "node02"),
    step_s: float = 2.7,
    wait_s: float = 0.01,
    clocks: bool = True,
    board: str = "NVIDIA H100 80GB HBM3",
    **sample: Any,
) -> Run:
    """GPUs of two nodes, busy at full clocks and little power, whose NCCL goes over sockets; no SM was sampled."""
    run, times = Run(), {"step_time_s": step_s, "data_time_s": wait_s}
    run.steps([4.0 - 0.05 * number for number in range(40)], **(times if clocks else {}))
    run.event(Kind.NCCL_TRANSPORT, f"NCCL INFO Using network {way}", role="marker", t=2, subject=way)
    line = f"node01:9:9 [0] NCCL INFO Channel 00/0 : 3[1] -> 0[0] [receive] via NET/{way}/0\n"
    if across:
        run.row("log_lines", ts_ns=at(3), text=line, source="job.log")
    for number, node in enumerate((*nodes, *nodes)):
        uuid = f"GPU-{number}"
        run.row("devices", node=node, kind="gpu", gpu_uuid=uuid, name=board, ts_ns=at(1))
        for second in range(60):
            read = {"engine_active": 0.99, "mem_util": 0.03, "power_w": 208.0 + number + second % 7}
            read |= {"sm_clock_mhz": 1980, "fb_used_bytes": 20 * 2**30, **sample}
            run.row("gpu_samples", node=node, gpu_uuid=uuid, ts_ns=at(5 + second), **read)
        run.row("gpu_samples", node=node, gpu_uuid=uuid, ts_ns=at(4), engine_active=0.0, sm_clock_mhz=1980)
    return run


def _polled_below_a_limit() -> Run:
    run = polled(power_limit_w=700.0)
    for number in range(4):  # the least of readings that are all alike does not rest on any of them
        node = ("node01", "node02")[number % 2]
        read = {"power_w": 211.0, "power_limit_w": 690.0, "ts_ns": at(20.5)}
        run.row("gpu_samples", node=node, gpu_uuid=f"GPU-{number}", **read)
    return run


def _silent() -> Run:
    run = Run().steps(LOSSES)
    for rank in range(4):
        run.row("processes", event="start", role="rank", rank=rank, pid=100 + rank, world_size=4, ts_ns=at(1))
    return run.ended(None, term=15, t=200)


def _asked(last: int | None) -> Run:
    """NCCL's RAS asked twice: rank 2 launched ``last`` of the others' 70 collectives, or did not answer."""
    run = _silent()
    for look in range(2):
        for rank in range(4):
            count = last if rank == 2 else 70
            row = {"state": "UNRESPONSIVE" if count is None else "RUNNING", "last_enqueued_seq": count}
            row |= {"event": "status", "backend": "nccl", "comm": "0xae", "comm_size": 4, "comm_rank": rank}
            run.row("nccl_comms", ts_ns=at(150 + 10 * look), source=f"artifact-{look}-nccl-ras.json", **row)
    return run


def _stood() -> Run:
    """The data loader's time-out, and a look at the process before it."""
    run = Run().steps(LOSSES).raised("RuntimeError", "DataLoader timed out after 120 seconds", t=170).ended(1, t=171)
    text = (
        "Shards.__getitem__ at /job/data.py:9\n"
        "_MapDatasetFetcher.fetch at /venv/site-packages/torch/utils/data/_utils/fetch.py:54\nmain at /job/train.py:16"
    )
    run.row("processes", event="start", role="rank", rank=0, pid=100, world_size=1, ts_ns=at(1))
    run.row("stacks", stack_id=1, kind="python", text=text)
    seen = {"pid": 100, "tid": 100, "rank": 0, "stack_id": 1, "reason": "silent for 70 s"}
    for look in (120, 130):
        run.row("stack_samples", ts_ns=at(look), **seen)
    return run


def _resumed_in_part() -> Run:
    run = Run()
    for number, rate in enumerate((0.004, 0.0044, 0.0037, 0.003, 0.002)):
        told = {"epoch": 0.234 + 0.078 * number, "lr": rate, "loss": 4.6 - 0.1 * number, "step": 15 + 5 * number}
        run.fact("fact_steps", kind="step", **told)
    return run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker").ended(0)


def _set(kind: Kind, **settings: tuple[str, float | None]) -> Run:
    run = Run().steps(LOSSES).event(kind, f"JOB 7 CANCELLED DUE TO {kind}", framework="slurm", t=52, subject="7")
    for name, (text, value) in settings.items():
        row = {"name": f"config.{name}", "setting": text, "value": value, "unit": None if value is None else "s"}
        run.row("slurm_controller", ts_ns=at(1), **row)
    return run.ended(None, term=15, t=53)


def _counted_restarts() -> Run:
    """A job that was put back into the queue once, by its count alone."""
    run = Run().steps([3.0 - 0.01 * number for number in range(50)])
    return run.row("slurm_jobs", job_id="7", state="PENDING", restarts=1, ts_ns=at(1))


def _pending() -> Run:
    return Run(logs=False).row("slurm_jobs", job_id="71", state="PENDING", reason="Resources", ts_ns=at(1))


def _parent(losses: list[float | None] = LOSSES) -> Told:
    saved = {"subject": "out/step-40.pt", "num": 40, "num_unit": "step"}
    run = Run().steps(losses)
    run.event(Kind.CHECKPOINT_SAVED, "saved checkpoint out/step-40.pt", role="marker", t=50, **saved)
    told = by_hand(run, "parent")
    return replace(told, store=MemoryStore({}, replace(told.store.info, job_id="77")))


def _after_a_parent(*, losses: bool) -> Told:
    told = LOSSES if losses else [None] * len(LOSSES)
    child = Run()
    for number, loss in enumerate(told, 1):
        child.fact("fact_steps", kind="step", rank=0, step=number, loss=loss, ts_ns=at(5000 + number))
    child.row("slurm_jobs", job_id="78", dependency="afterany:77(fulfilled)", state="COMPLETED")
    return by_hand(child.ended(0, t=9000), against=_parent(told))


def _cannot_load() -> Told:
    message = "Error(s) in loading state_dict for GPT: size mismatch for head.weight"
    child = Run().event(Kind.CHECKPOINT_LOAD_BEGIN, "loading out/step-9", role="marker", t=5001)
    return by_hand(child.raised("RuntimeError", message, t=5002).ended(1, t=5003), against=_parent())


def _slower_than_before() -> Told:
    def trained(every: float) -> Run:
        """The first step takes longer, so that the pace rests on the reports at both ends."""
        run = Run()
        for number, loss in enumerate(LOSSES):
            when = at(10 + every * (number + 5 * (number > 0)))
            run.fact("fact_steps", step=1 + number, loss=loss, rank=0, kind="step", ts_ns=when)
        for number in range(int(40 * every)):
            busy = 0.9 if number % 3 == 0 or every == 1 else 0.1
            run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(10 + number), engine_active=busy)
        return run.ended(0, t=500)

    return by_hand(trained(3.0), against=by_hand(trained(1.0), "baseline"))


def _long() -> Run:
    """An hour of training in which memory grows: rates, MFU, announced saves, a profiled step, power but no counter."""
    run = Run()
    for number, loss in enumerate(LOSSES):
        rates = {"samples_per_s": 8.0 - 0.1 * number, "tokens_per_s": 900.0 + number, "mfu": 0.4, "eval_loss": loss}
        run.fact("fact_steps", step=number, loss=loss, rank=0, kind="step", ts_ns=at(90 * number), **rates)
    for step, when in ((10, 900), (20, 1800), (30, 2700)):
        saved = {"num": step, "num_unit": "step", "subject": f"out/step-{step}"}
        run.event(Kind.CHECKPOINT_SAVE_BEGIN, f"saving out/step-{step}", role="marker", t=when, **saved)
        run.event(Kind.CHECKPOINT_SAVED, f"saved out/step-{step}", role="marker", t=when + 5, **saved)
    for second in range(0, 3511, 10):
        used = int((20 + 40 * second / 3510) * 2**30)
        gpu = {"fb_used_bytes": used, "fb_total_bytes": 80 * 2**30, "power_w": 500.0, "temp_core_c": 60}
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=0.9, sm_active=0.7, **gpu)
        host = {"memory_total_bytes": 512 * 2**30, "memory_available_bytes": 400 * 2**30 - 4 * used}
        run.row("host_samples", ts_ns=at(second), **host)
    for name, category, ms in (
        ("ProfilerStep#3", "user_annotation", 100),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", 20),
        ("forward", "user_annotation", 25),
        ("autograd::engine::evaluate_function: AddmmBackward0", "cpu_op", 30),
        ("Optimizer.step#AdamW.step", "user_annotation", 15),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kernel", 10),
    ):
        run.row("trace_spans", ts_ns=at(20), name=name, category=category, duration_ns=ms * 10**6)
    return run.ended(0, t=3520)


def _unnumbered() -> Run:
    """Losses without a number of a step; saves that say how long they took; sampled power of a GPU without counter."""
    run = Run()
    for number, loss in enumerate(LOSSES[:20]):
        run.fact("fact_steps", loss=loss, rank=0, kind="step", ts_ns=at(6 * number))
    for when, seconds in ((30, 5.0), (60, 7.0)):
        run.event(Kind.CHECKPOINT_SAVED, "saved", role="marker", t=when, num=seconds, num_unit="s", subject="out/last")
    return run.ended(0, t=130)


def _bereaved() -> Run:
    """A rank's watchdog aborts it for a peer that was gone; minutes later the scheduler says which node failed."""
    run = Run()
    for step in range(60):
        told = {"step": step, "loss": 3 - step / 60, "kind": "step", "ts_ns": at(10 * step)}
        run.fact("fact_steps", **told, line_seq=step, source="a")
    run.row("slurm_jobs", node="node01", job_id="7", state="NODE_FAIL", start_ns=at(0), end_ns=at(890))
    here = {"source": "a", "node": "node01"}
    gone = {"kind": "peer_lost", "pattern": "nccl.peer_closed", "text": "remote process exited"}
    run.fact("fact_events", **here, **gone, ts_ns=at(700), line_seq=70)
    run.fact("fact_exits", **here, said_by="torchrun", role="rank", rank=0, term_signal=6, ts_ns=at(707), line_seq=71)
    failed = {"kind": "node_failure", "pattern": "slurm.srun_node_failure", "subject": "node02"}
    run.fact("fact_events", **here, **failed, text="srun: Node failure on node02", ts_ns=at(890), line_seq=80)
    return run


def _heartbeats_missed() -> Told:
    """Eight tasks of JAX, of which one fell silent while the others waited for it."""
    task = "/job:jax_worker/replica:0/task:5"
    stuck = "waiting for `acquire clique for rank {r}; clique=devices=64` for {s} seconds and may be stuck."
    fatal = (
        "Terminating process because the JAX distributed service detected fatal errors. absl::Status: UNAVAILABLE:"
        f" The following tasks are unhealthy (stopped sending heartbeats): {task}. The tasks have crashed."
    )
    others = (0, 1, 2, 3, 4, 6, 7)
    lines = [f"{rank}: Jax distributed system initialized on GPU!" for rank in range(8)]
    lines += [f"0: completed step: {n}, seconds: 1.918, loss: {8 / (1 + n / 50):.3f}" for n in range(200)]
    lines += [
        f"{rank}: E1104 06:1{k // 3}:22.5 791508 rendezvous.cc:98] This thread has been"
        f" {stuck.format(r=8 * rank, s=20 * k)}"
        for k in range(1, 9)
        for rank in others
    ]
    lines += [f"{rank}: F1104 06:15:23.9 791479 client.h:77] {fatal}" for rank in others]
    lines += [f"srun: error: h100-04{rank}: task {rank}: Aborted (core dumped)" for rank in others]
    return by_text({"slurm-7.out": "\n".join(lines) + "\n"})


def _shares_printed() -> Told:
    """A program whose own tables say that saving takes most of its time."""
    text = ""
    for step in range(5, 101, 5):
        second = 8 * step // 5
        text += (
            f"2026-11-25 13:{28 + second // 60:02}:{second % 60:02} INFO step {step}/100 loss {2.2 * 0.97**step:.4f}\n"
        )
        if step % 20 == 0:
            save = 79.0 + step / 100
            rows = (("data", 0.1), ("forward", 0.5), ("backward", 99.4 - save), ("checkpoint", save))
            text += "where the time went\n  section          ms/step       share\n"
            text += "".join(f"  {name:<12} {16 * share:>8.1f}     {share:>6.1f} %\n" for name, share in rows)
    return by_text({"train.log": f"{text}2026-11-25 13:30:41 INFO finished\n"}, 0)


def _frames_left() -> Told:
    """A player that stops after a few frames of many, which it counts beside its episodes."""
    games = "".join(
        f"episode {4 * i} frame {64 * i}/400000 return(50) {0.05 * i - 2:.3f} td loss {0.9 * 0.9**i + 0.1:.4f}\n"
        for i in range(1, 31)
    )
    return by_text({"play.log": f"training for 400000 frames\n{games}weights written to picker.pt\n"}, 0)


def _pushed_by_speakers() -> Told:
    """Workers that each push their part of a round, and one that all rounds wait for."""
    lines = []
    for turn in range(1, 31):
        took = [2.0 + (turn * 7 + who * 3) % 5 / 100 + (4.2 if who == 2 else 0.0) for who in range(4)]
        lines += [f"push from worker=w-{who} took={each:.2f}s rows=512" for who, each in enumerate(took)]
        lines.append(f"round {turn}/30 merged, took {max(took) + 0.05:.2f} s, loss {2.5 * 0.92**turn + 0.2:.4f}")
    return by_text({"job.log": "\n".join([*lines, "training complete", ""])}, 0)


def _busy_in_one_line() -> Told:
    """Three ranks, whose loop tells in one line how long each is busy."""
    told = "".join(
        f"step {step}/60 loss {0.4 * 0.97**step + 0.1:.4f}  busy s/step: r0 0.08  r1 0.09  r2 0.7{step % 3}\n"
        for step in range(5, 61, 5)
    )
    return by_text({"train.log": f"{told}all 60 steps done\n"}, 0)


def _time_left() -> Told:
    """Trees whose clocks say that nearly all of the time was left when it ended."""
    text = "".join(
        f"{tree}:\tlearn: {0.86 * 0.996**tree:.7f}\ttest: {(best := 0.85 * 0.997**tree):.7f}\tbest: {best:.7f} ({tree})"
        f"\ttotal: {0.06 * (tree + 1):.3g}s\tremaining: 2m {58 - tree // 5}s\n"
        for tree in range(0, 26, 5)
    )
    text += "bestTest = 0.79\nbestIteration = 25\nShrink model to first 26 iterations.\n"
    return by_text({"train.log": text}, 0)


def _set_low() -> Run:
    """Four GPUs, of which the clock of one was set low after a third of the steps, which took twice as long then."""
    run, second = Run(), 10.0
    for step in range(1, 241):
        second += 10.0 if step > 80 else 5.0
        run.fact("fact_steps", kind="step", rank=0, step=step, loss=4.5 - 0.012 * step, ts_ns=at(second))
    for sampled in range(10, int(second), 15):
        for gpu in range(4):
            low = gpu == 2 and sampled > 410
            read = {"engine_active": 0.99, "fb_used_bytes": 2**35, "throttle_reasons": 2 if low else 0}
            clock = (700 if low else 1980) - sampled // 15 % 7
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(sampled), sm_clock_mhz=clock, **read)
    return run.ended(0, t=second + 2)


_LAUNCHED = (
    "".join(f"step {n}/400 loss {3 - n / 40:.3f}\n" for n in range(1, 40))
    + 'Traceback (most recent call last):\n  File "/w/fit.py", line 12, in <module>\n    main()\nKeyError: 7\n'
    + "Root Cause (first observed failure):\n[0]:\n  host      : gpu07\n  rank      : 3 (local_rank: 3)\n"
    + "  exitcode  : 1 (pid: 4412)\n"
)

RUNS: dict[str, Callable[[], Told]] = {
    "a rank by its launcher": lambda: by_text({"job.log": _LAUNCHED}, 1),
    **{f"files {name}": lambda name=name: by_files(name) for name in FILES},  # type: ignore[misc]
    **{
        name: lambda run=run: by_hand(run())  # type: ignore[misc]
        for name, run in {
            "chained": _chained,
            "a code of its own": _left_with_a_code_of_its_own,
            "a rank was done early": done_early,
            "killed by another": lambda: _killed(sender_pid=12, sender_command="earlyoom", sender_uid=0),
            "killed by the kernel": lambda: _killed(sender_pid=0, signal_code=128),
            "a script's last command failed": _last_command_failed,
            "kernel's kills on the host": _host_kill,
            "clocks held back": _held_back,
            "did less while it was throttled": _did_less,
            "never met": _never_met,
            "went dark in mid-work": went_dark,
            "spun beside an idle GPU": lambda: _spun(gone=False),
            "spun beside a GPU that was gone": lambda: _spun(gone=True),
            "a GPU fell silent": fell_silent_beside_others,
            "a GPU was away": _away_as_it_failed,
            "worked until the limit": _worked_until_the_limit,
            "a process stood still": _stood_still,
            "silent until its limit": _silent_until_the_limit,
            "a control group was full": full_group,
            "a disk without room": filled_disk,
            "a part was killed": part_killed,
            "a process fell silent": _fell_silent,
            "clocked by the loop": _clocked,
            "waited from some step on": slow_later,
            "a slow network by the clocks": slow_network,
            "stood still again and again": _standing_still,
            "blocking by the log": _blocking,
            "straggler by power": _power,
            "waited for a CPU": _waited_for_a_cpu,
            "late host": _late_host,
            "a clock set low": _set_low,
            "held up by its host": _held_up_by_its_host,
            "over sockets": _over_sockets,
            "polled": polled,
            "polled below a limit": _polled_below_a_limit,
            "ranks with clocks": _ranks_clocked,
            "a reward rose": _rewarded,
            "a schedule ended": _scheduled,
            "an optimizer lost": _moments_lost,
            "a counter set back": _set_back,
            "data at their end": _data_ran_out,
            "a farewell": _took_its_leave,
            "gradients overflow": _overflowed,
            "warmed up to the end": _warmed_up,
            "within its warm-up": _within_its_warm_up,
            "not one right answer": _found_nothing,
            "a handful of steps": _hardly_began,
            "a loss met by a trick": _by_a_trick,
            "a detector's reports": _detected,
            "counted on": _counted_on,
            "profiled": _profiled,
            "saves by the clock": lambda: _saves(printed=False),
            "saves as printed": lambda: _saves(printed=True),
            "saved at each step": _stored_at_each_step,
            "a kernel of the job's own": TWINS["B2"].near_miss,
            "starved": TWINS["D1"].positive,
            "dumps": _dumped,
            "RAS: launched less": lambda: _asked(69),
            "RAS: no answer": lambda: _asked(None),
            "stood in its data": _stood,
            "resumed in part": _resumed_in_part,
            "set: limit": lambda: _set(Kind.TIME_LIMIT, KillWait=("30 sec", 30), OverTimeLimit=("5 min", 300)),
            "set: preemption": lambda: _set(Kind.PREEMPTED, PreemptMode=("REQUEUE", None)),
            "waits in the queue": _pending,
            "an hour of training": _long,
            "reports without numbers": _unnumbered,
        }.items()
    },
    "a link went down": _link_down,
    "a link went down, and the library said so": _link_down_told_by_nccl,
    "the job's own timer": _own_timer,
    "a rank left early": _left_early,
    "a kernel began anew": _booted,
    "a node was away": _was_away,
    "a node failed, and its peers told of it first": lambda: by_hand(_bereaved()),
    "a disk filled up": _disk_filled,
    "waits told in words": _told_waits,
    "waits summed up": _summed_up,
    "heartbeats missed": _heartbeats_missed,
    "shares of the time in tables": _shares_printed,
    "time that was left": _time_left,
    "frames that were left": _frames_left,
    "ranks told of in one line": _busy_in_one_line,
    "speakers of whom one takes longest": _pushed_by_speakers,
    "stacks that one process printed": _printed_stacks,
    "a pulse that stood": lambda: by_text({"job.log": sweeps() + pulses(LIVES[0], 40)}),
    "evaluations that took the time": lambda: by_text({"job.log": evaluating(8.7)}, 0),
    "ranks that were sent apart": lambda: by_hand(_sent_apart()),
    "exchange that reports tell of beside GPUs": _exchanging,
    "saves that each report tells of": lambda: by_text({"job.log": saving(60)}, 0),
    "saves that each report tells of beside an idle GPU": lambda: by_text(saving_on_idle_gpus(60), 0),
    "a GPU held, and no update": lambda: by_text({"job.log": "\n".join(at_nought())}),
    "members of whom one did not come": lambda: by_text({"job.log": "\n".join(rounds() + short())}),
    "members that entered a collective": lambda: by_text({"job.log": _entered()}),
    "restarts that are counted": lambda: by_hand(_counted_restarts()),
    "pulses of two": lambda: by_text({"job.log": of_two() + GAVE_UP}, 1),
    "who was behind by an answer in the log": lambda: by_text({"job.log": sweeps() + QUIET}),
    "cancelled long after it fell silent": lambda: by_text({"job.log": sweeps() + CANCELLED}),
    "a checkpoint that did not fit, said and left": lambda: by_text({"job.log": SIZES + LOST}, 1),
    "keys that are not the model's": _keys_apart,
    "a plan set beside the curve": _set_to_more,
    "a link of a chain began anew": _chain_broke,
    "a link that found nothing": _later_link,
    "a state left aside": lambda: _lost_state("could not load out/step_90.pt: corrupt"),
    "weights that were not taken": lambda: _lost_state("resumed from out/step_90.pt, loss there 0.9"),
    "a fold was lost": _fold_lost,
    "an older state was taken": _older_taken,
    "clocks noted by the loop": _noted_by_the_loop,
    "a GPU was found lost": _found_lost,
    "after a parent, by losses": lambda: _after_a_parent(losses=True),
    "after a parent, by steps": lambda: _after_a_parent(losses=False),
    "cannot load what the parent saved": _cannot_load,
    "slower than a baseline": _slower_than_before,
}
"""Runs that reach the kinds of claims that no scene reaches."""


@cache
def run(name: str) -> Told:
    """One of ``RUNS``."""
    return RUNS[name]()


@cache
def verdict_on(name: str) -> Verdict:
    """The verdict on one of ``RUNS``."""
    return judge(run(name).evidence(), strict=True)
