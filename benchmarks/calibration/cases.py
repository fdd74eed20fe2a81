"""Labelled cases of every source, and what the engine and a grep for keywords say of each.

Sources are never mixed: what a real job printed, what somebody wrote down for a test, and what the simulator made prove
different things. Of the last only seeds are used that no test and no tuning has seen.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.analyze.baseline import classify
from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from samples.simulate.export import export
from samples.simulate.plan import TRUTH, draw
from samples.simulate.record import record
from tests.analyze import framework_logs, score_real_logs
from tests.analyze.cases import ALL as CONSTRUCTED
from tests.analyze.proof_scenes import without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inquest.analyze.model import Verdict
    from inquest.bundle.store import Store

ROOT: Final = Path(__file__).resolve().parents[2]
RECORDED: Final = ROOT / "samples" / "recorded"
GPUALERT: Final = ROOT.parent / "shared" / "corpora" / "gpualert"
SEEDS: Final = range(7000, 7004)
"""Of the simulator; tests use others."""

UNSEEN: Final = (
    ("3b7185d", "984a331", ("batch1", "batch2", "batch3")),
    ("bb8b43e", "bb8b43e", ("batch4",)),
    ("dbe16a0", "dbe16a0", ("batch5",)),
    ("85cd71b", "85cd71b", ("batch6",)),
)
"""Commits of an engine and of logs with their truth, and batches of samples/logs that this engine had not seen."""

UNDECIDED: Final = "-"
OUTSIDE: Final = "outside"

SOURCES: Final[dict[str, tuple[str, str]]] = {
    "first contact": (
        "real",
        "logs of real small jobs (samples/logs), by an engine that had seen none of them",
    ),
    "first contact, staged": (
        "constructed",
        "logs of real processes whose losses, kernels or GPUs a script made up (samples/logs, batch6), by an engine"
        " that had seen none of them; made to frighten or mislead",
    ),
    "jobs of ours, logs": (
        "real",
        "the same logs, judged today; they have been used to mend the engine",
    ),
    "staged jobs, logs": ("constructed", "the staged ones, judged today; they have been used to mend the engine"),
    "jobs of ours, recorded": ("real", "real jobs under `inquest run` (samples/recorded); used to mend the engine"),
    "reference logs": ("real", "recorded runs of frameworks (shared/reference/real-logs); used to mend the engine"),
    "public threads": ("real", "logs pasted in public threads (shared/corpora/real-logs); used to mend the engine"),
    "injected texts": ("constructed", "GPUAlert's corpus of injected failures (shared/corpora/gpualert)"),
    "constructed cases": ("constructed", "cases written for tests (tests/analyze/cases)"),
    "simulated, recorded": ("simulated", "the simulator through the real writers, on seeds no test uses"),
    "simulated, gathered": (
        "simulated",
        "the same jobs as files an operator would have: DCGM JSON, sacct, dmesg, logs",
    ),
}
"""Source -> how real it is, and what it is."""

_EVENTS: Final = ("gpu_events", "gpu_processes")
LEVELS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("logs only", ("log_lines", "log_gaps", "node_info", "clock_samples", "clock_alignment", "metrics")),
    ("+ exit status", ("processes",)),
    ("+ scheduler", ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes", "slurm_controller")),
    ("+ kernel log", ("kernel_log",)),
    (
        "+ telemetry",
        (*(f"{what}_samples" for what in ("gpu", "nvlink", "host", "cgroup", "net", "disk")), *_EVENTS),
    ),
    ("+ eBPF", ("cuda_calls", "nccl_comms", "nccl_collectives", "inflight_calls", "sched_samples")),
    ("+ stacks and dumps", ("stacks", "stack_samples", "flight_recorder")),
)
"""Evidence that is added step by step, each with the tables that hold it."""


@dataclass(frozen=True)
class Score:
    """What became of one case: the right answers, ours with its confidence, and that of the keywords."""

    source: str
    name: str
    right: tuple[str, ...]
    answer: str
    confidence: float
    words: str


def answered(verdict: Verdict) -> str:
    """The family, ``outside`` or ``-``."""
    return {"decided": verdict.family or "", "outside_families": OUTSIDE}.get(verdict.outcome, UNDECIDED)


# --- one case -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Case:
    """A source, a name, and the right answers; the rest is found again by the name."""

    source: str
    name: str
    right: tuple[str, ...]
    exit_code: int | None = None
    paths: tuple[str, ...] = ()


def of_logs() -> Iterator[Case]:
    """Logs with their truth, wherever they lie."""
    for job in framework_logs.cases():
        logs = tuple(str(p) for p in sorted(job.folder.rglob("*")) if p.is_file() and p.name != "truth.json")
        source = "staged jobs, logs" if "constructed" in job.truth else "jobs of ours, logs"
        yield Case(source, job.name, tuple(job.truth["right"]), job.truth["exit_code"], logs)
    if score_real_logs.REFERENCE.is_dir():
        for real in score_real_logs.reference_cases():
            yield Case("reference logs", real.name, tuple(sorted(real.right)), real.exit_code, _texts(real.paths))
    if score_real_logs.CORPUS.is_dir():
        for real in score_real_logs.corpus_cases():
            yield Case("public threads", real.name, tuple(sorted(real.right)), real.exit_code, _texts(real.paths))
    if GPUALERT.is_dir():
        for name, label in json.loads((GPUALERT / "labels.json").read_text()).items():
            code = label["exit_code"]
            status = 128 - code if code is not None and code < 0 else code
            yield Case("injected texts", name, (label["family"],), status, (str(GPUALERT / f"{name}.log"),))


def of_tests() -> Iterator[Case]:
    """Cases written for tests."""
    for case in CONSTRUCTED:
        status = case.exit_code if case.signal is None else 128 + case.signal
        yield Case("constructed cases", case.name, tuple(sorted(case.answers)), status)


def of_recordings() -> Iterator[Case]:
    """Recordings of real jobs."""
    for path in sorted(RECORDED.glob("*/truth.json")):
        yield Case("jobs of ours, recorded", path.parent.name, (json.loads(path.read_text())["family"],))


def of_simulator() -> Iterator[Case]:
    """Simulated jobs of each fault, on seeds of their own."""
    for source in ("simulated, recorded", "simulated, gathered"):
        for fault, truth in TRUTH.items():
            for seed in SEEDS:
                yield Case(source, f"{fault}/{seed}", (truth["family"],))


def _texts(paths: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(str(path) for path in paths)


def score(case: Case) -> Score:
    """Judge one case, by the engine and by keywords."""
    with tempfile.TemporaryDirectory() as folder:
        store, text = _READERS.get(case.source, _of_files)(case, Path(folder))
        verdict, _ = analyze(store)
        code = case.exit_code
    return Score(case.source, case.name, case.right, answered(verdict), verdict.confidence, classify(text, code) or "-")


def _of_files(case: Case, _: Path) -> tuple[Store, str]:
    return import_logs(list(case.paths), exit_code=case.exit_code), _read(Path(path) for path in case.paths)


def _of_test(case: Case, folder: Path) -> tuple[Store, str]:
    made = next(item for item in CONSTRUCTED if item.name == case.name)
    for name, text in made.files.items():
        (folder / name).write_bytes(text.encode())
    files = [str(folder / name) for name in made.files]
    return import_logs(files, exit_code=made.exit_code, signal=made.signal), _read(Path(path) for path in files)


def bundle_of(case: Case, folder: Path) -> BundleStore:
    """The bundle of a recording or a simulated job."""
    inputs = RECORDED / case.name
    if case.source.startswith("simulated"):
        fault, _, seed = case.name.partition("/")
        inputs = folder / "nodes"
        record(draw(fault, int(seed)), inputs)
    merge([inputs], folder / "job.inquest")
    return BundleStore(folder / "job.inquest")


def _of_bundle(case: Case, folder: Path) -> tuple[Store, str]:
    store = bundle_of(case, folder)
    lines = [store.scan(table).select("text").collect()["text"] for table in ("log_lines", "kernel_log")]
    return store, "\n".join(text or "" for column in lines for text in column)


def _gathered(case: Case, folder: Path) -> tuple[Store, str]:
    fault, _, seed = case.name.partition("/")
    export(draw(fault, int(seed)), folder / "job", offset_minutes=int(seed) % 4 * 60, meta=True)
    files = (path for path in sorted((folder / "job").iterdir()) if not path.read_bytes().startswith(b"{"))
    return import_logs([str(folder / "job")]), _read(files)


_READERS: Final[dict[str, Callable[[Case, Path], tuple[Store, str]]]] = {
    "constructed cases": _of_test,
    "jobs of ours, recorded": _of_bundle,
    "simulated, recorded": _of_bundle,
    "simulated, gathered": _gathered,
}


def _read(paths: Iterator[Path]) -> str:
    return "\n".join(path.read_text(errors="replace") for path in paths)


def score_all(cases: list[Case], workers: int) -> list[Score]:
    """Scores of all cases, in their order."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(score, cases, chunksize=4))


# --- the engine of another day --------------------------------------------------------------------------------------
_PROGRAM: Final = """
import json
from pathlib import Path
from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
for path in sorted(Path("samples/logs").glob("*/*/truth.json")):
    truth = json.loads(path.read_text())
    logs = [p for p in sorted(path.parent.rglob("*")) if p.is_file() and p.name != "truth.json"]
    verdict, _ = analyze(import_logs(logs, exit_code=truth["exit_code"]))
    said = {"decided": verdict.family, "outside_families": "outside"}.get(verdict.outcome, "-")
    name = path.parent.relative_to("samples/logs").as_posix()
    staged = "constructed" in truth
    print(json.dumps([name, truth["right"], said, verdict.confidence, truth["exit_code"], staged]), flush=True)
"""


def first_contact() -> Iterator[Score]:
    """Batches of samples/logs, with the truth as it was put down, judged by an engine that had seen none of them.

    Raises:
        subprocess.CalledProcessError: The history of the repository is not here.
    """
    for engine, truth, batches in UNSEEN:
        with tempfile.TemporaryDirectory() as folder:
            _unpack(engine, Path(folder), "analyze", "bundle", "inquest", "pyproject.toml")
            _unpack(truth, Path(folder), *(f"samples/logs/{batch}" for batch in batches))
            environment = {**os.environ, "PYTHONPATH": folder}
            done = subprocess.run(
                [sys.executable, "-c", _PROGRAM], cwd=folder, env=environment, capture_output=True, check=True
            )
            for line in done.stdout.splitlines():
                name, right, said, confidence, code, staged = json.loads(line)
                source = "first contact, staged" if staged else "first contact"
                logs = Path(folder, "samples", "logs", name)
                text = _read(path for path in sorted(logs.rglob("*")) if path.is_file() and path.name != "truth.json")
                yield Score(source, name, tuple(right), said, confidence, classify(text, code) or "-")


def _unpack(commit: str, folder: Path, *paths: str) -> None:
    tree = subprocess.run(["git", "archive", commit, *paths], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(tree)) as archive:
        archive.extractall(folder, filter="tar")


# --- evidence, step by step -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """What the engine said of a job when it had the evidence of a level and of all before it."""

    source: str
    name: str
    level: str
    right: tuple[str, ...]
    answer: str
    confidence: float


def ablate(case: Case) -> list[Step]:
    """One recorded or simulated job, judged with ever more of its evidence.

    A level whose tables the job does not have is left out: nothing was measured there.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        store = bundle_of(case, Path(folder))
        frames = store.tables()
        kept: set[str] = {"collection"}
        for level, tables in LEVELS:
            kept |= set(tables)
            if not any(table in frames for table in tables):
                continue
            verdict, _ = analyze(without(store, *(name for name in frames if name not in kept)))
            found.append(Step(case.source, case.name, level, case.right, answered(verdict), verdict.confidence))
    return found


def ablate_all(cases: list[Case], workers: int) -> list[Step]:
    """The steps of all cases, in their order."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return [step for steps in pool.map(ablate, cases) for step in steps]


def as_json(scores: Sequence[Score | Step]) -> list[dict[str, object]]:
    """Scores and steps as JSON holds them."""
    return [asdict(item) for item in scores]
