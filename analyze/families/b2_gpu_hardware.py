"""B2: a GPU fault, by one sourced table of XIDs: hardware, or an application's own doing."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.each_gpu import Question, together
from inquest.analyze.evidence import literal
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._frozen import beside_work, worked_until
from inquest.analyze.families._gone_silent import UNTOLD, Silent, gone_silent
from inquest.analyze.families._gpu import of_process, rank_of_gpu
from inquest.analyze.families._of_others import NAMED_PID
from inquest.analyze.families._rows import Row, at_node, failing, gpu_called, its_node, place
from inquest.analyze.families._seats import gpu_at, of_another_job
from inquest.analyze.families._story import GOES_ON
from inquest.analyze.families._telling import tell
from inquest.analyze.families._where import node_of
from inquest.analyze.families._window import run_span, within
from inquest.analyze.families._xid import HARDWARE_XIDS, class_of
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName

_CUDA: Final = re.compile(r"CUDA error|CUDNN_STATUS|CUBLAS_STATUS|NCCL.*unhandled cuda error")
"""How a process feels a fault of its GPU."""
_STORES: Final[dict[str, StoreName]] = {"kernel": "kernel", "nvml": "metrics"}
_NEVER: Final = 2**62
_COUNTERS: Final = ("ecc_uncorrected_volatile", "remap_uncorrectable", "retired_pages", "ecc_uncorrected_aggregate")


_COUNTED: Final = {
    "ecc_uncorrected_volatile": "the count of uncorrectable ECC errors",
    "remap_uncorrectable": "the count of rows remapped for uncorrectable errors",
    "retired_pages": "the count of retired pages",
    "ecc_uncorrected_aggregate": "the count of uncorrectable ECC errors",
}
_SERIES: Final = ("node", "gpu_uuid")
"""What has error counters of its own."""


@dataclass(frozen=True, slots=True)
class _Rise:
    """An error counter that rose: from and to what among the rows ``where`` tells, on which GPU, and since when."""

    column: str
    where: str
    least: int
    most: int
    node: str
    gpu_uuid: str | None
    ts_ns: int | None


@dataclass(frozen=True, slots=True)
class GpuHardware:
    """See the module."""

    id: str = "B2"
    name: str = "GPU hardware fault"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("kernel", "gpu_events", "gpu_samples", "logs")
    helps: tuple[str, ...] = ("kernel", "gpu_samples", "gpu_events")

    def judge(self, ev: Evidence) -> Finding:
        """A hardware XID, a lost GPU or a risen uncorrectable counter, together with an abnormal end."""
        story = tell(ev)
        told = _faults(story)
        strange = [row for row in told if of_another_job(ev, row)]
        told = [row for row in told if row not in strange]
        unknown = run_span(ev) == (None, None)
        faults = [row for row in told if within(ev, row["ts_ns"]) and not _undated(row)]
        faults = [row for row in faults if not (unknown and beside_work(ev, row["ts_ns"]))]
        crash = next(iter(story.crashes_of(Cause.GPU_FAULT)), None)
        risen = _risen(ev)
        old = [row for row in told if row not in faults]
        warnings = (
            *_latent(ev),
            *(f"{_what(row)} on {place(row) or 'a node'}: of a GPU that the job did not hold." for row in strange[:3]),
            *(f"{_what(row)} on {place(row) or 'a node'}, not while the job ran." for row in old[:3]),
            *_stopped_engines(story),
        )
        # Of several faults the run died of the first that it did not survive.
        fatal = [row for row in faults if not survived(ev, story, row)]
        outlived = bool(faults) and not fatal and crash is None
        faults = fatal or faults
        if not faults and crash is None and risen is None:
            silent = gone_silent(ev, story)
            return self._absent(ev, warnings) if silent is None else self._silent(ev, silent)
        claims = Claims(ev, self.id)
        support: list[Support] = []
        if faults and (met := _met_before(story, faults[0])) is not None:
            claims.row("Error that the process met", "fact_exceptions", met.shown, "message")
        if faults:
            claims.row("First hardware fault reported", "fact_events", faults[0], "text")
            store: StoreName = _STORES.get(faults[0]["framework"], "logs")
            support.append(Support(store, _what(faults[0]), decisive=True))
        if crash is not None:
            claims.row("CUDA error that ended the process", "fact_exceptions", crash.speaking, "message")
            support.append(Support("logs", crash.title, decisive=True))
        if risen is not None:
            text = f"Rise of {risen.column} while the job ran"
            known = ((risen.node, risen.gpu_uuid), risen.least, risen.most)
            claims.rise(text, risen.column, "gpu_samples", _SERIES, risen.where, unit="errors", known=known)
            support.append(Support("metrics", f"{risen.column} rose by {risen.most - risen.least}", decisive=True))
        ended_badly = not outlived and (not _ended_well(ev, story) or bool(story.failures))
        ended_badly &= not (crash is None and _of_no_gpu(story))
        bare: Row = {"ts_ns": risen and risen.ts_ns, "node": risen and risen.node, "rank": None}
        row: Row = faults[0] if faults else crash.speaking if crash else bare
        node, uuid = _located(ev, (*faults, row), risen)
        rank, gpu = _process(ev, row)
        uuid = uuid or gpu
        if rank is None:
            rank = rank_of_gpu(ev, uuid)
        felt = crash or next((c for c in story.crashes if _CUDA.search(str(c.shown["message"]))), None)
        if rank is None and felt is not None and len(felt.ranks) == 1:
            rank = felt.ranks[0]
        what = _what(row) if faults else crash.title if crash else ""
        if not what and risen is not None:
            of = f" of {uuid}" if uuid else ""
            what = f"{_COUNTED[risen.column]}{of} rose from {risen.least} to {risen.most}"
        node = node or (None if rank is None else node_of(ev, rank))
        node = None if node == UNKNOWN_NODE else node
        return RuledIn(
            because=f"{what} on {node or 'a node of the job'} while the job ran.",
            would_change_if="the same fault on healthy runs of this GPU, or an application XID (13, 31, 43) before it",
            headline=f"GPU fault on {node or 'a node of the job'}: {what.rstrip('.')}.",
            claims=claims.all,
            support=tuple(support),
            attribution="infrastructure",
            scope="gpu",
            severity="high" if ended_badly else "low",
            onset_ns=_onset(ev, row["ts_ns"], felt),
            sub_mode="ecc" if not faults and crash is None else _mode(row, crash is not None),
            first_failing=replace(
                failing(row), node=node, gpu_uuid=uuid, rank=rank if rank is not None else row["rank"]
            ),
            culprit_ranks=() if rank is None else (rank,),
            culprit_nodes=(node,) if node else (),
            culprit_gpus=(uuid,) if uuid else (),
            next=Next(
                "infrastructure",
                f"Drain {node or 'the node'}, reset or reboot it, run a GPU diagnostic (dcgmi diag -r 3), and "
                "replace the"
                " GPU if the fault comes back.",
            ),
            explains_end=ended_badly,
        )

    def _silent(self, ev: Evidence, silent: Silent) -> Finding:
        claims = Claims(ev, self.id)
        crash, end = silent.crash, tell(ev).end_status
        support = [Support("metrics", "one GPU fell silent beside the others of its node", decisive=False)]
        since, rank, onset = "the job failed at that moment", None, silent.last_ns
        if crash is not None:
            claims.row("Error that the process met", "fact_exceptions", crash.shown, "message")
            support.append(Support("logs", crash.title, decisive=False))
            since = f"a process met {crash.title}"
            rank = crash.ranks[0] if len(crash.ranks) == 1 else None
            onset = min(onset, (crash.root["ts_ns"] or onset) - 1)
        elif end is not None:
            claims.ending("the command", end.row)
        seen = silent.where if silent.back_ns is None else f"{silent.where} AND ts_ns <= {silent.last_ns}"
        claims.over("Last sample of the GPU", "MAX", "ts_ns", "gpu_samples", seen, unit="ns")
        mine = gpu_called(silent.gpu_uuid)
        what = f"{mine} was sampled no more, and the others{at_node(silent.node, 'of')} were"
        if silent.back_ns is not None:
            later = f"{silent.where} AND ts_ns > {silent.last_ns}"
            claims.over("First sample of it afterwards", "MIN", "ts_ns", "gpu_samples", later, unit="ns")
            away = round((silent.back_ns - silent.last_ns) / 1e9)
            what = f"{mine} was not sampled for {away} s, and the others{at_node(silent.node, 'of')} were"
        said = f"{what}, since {since}" if crash else f"{what}; {since}"
        rank = rank_of_gpu(ev, silent.gpu_uuid) if rank is None else rank
        bare: Row = {"ts_ns": silent.last_ns, "node": silent.node, "rank": rank}
        first = failing(bare if crash is None else crash.root)
        return RuledIn(
            because=f"{said}.",
            would_change_if="samples of that GPU after the error, or a kernel log that tells of another cause",
            headline=f"GPU fault{at_node(silent.node)}: {said}.",
            claims=claims.all,
            support=tuple(support),
            attribution="infrastructure",
            scope="gpu",
            severity="high",
            onset_ns=onset,
            sub_mode="fallen_off_bus",
            first_failing=replace(first, node=silent.node, gpu_uuid=silent.gpu_uuid, rank=rank),
            culprit_ranks=() if rank is None else (rank,),
            culprit_nodes=(silent.node,),
            culprit_gpus=(silent.gpu_uuid,),
            next=Next(
                "infrastructure",
                f"Read the kernel log of {its_node(silent.node)} for XID 79, then drain it and run a GPU diagnostic.",
            ),
        )

    @staticmethod
    def _absent(ev: Evidence, warnings: tuple[str, ...]) -> Finding:
        if not ev.has("kernel") and not ev.has("gpu_events") and not ev.has("gpu_samples"):
            return CannotDecide(
                because="Nothing captured would show a GPU fault: no kernel log and no GPU counters.",
                missing=("the kernel log of the nodes (dmesg)", "GPU error counters (NVML)"),
                warnings=warnings,
            )
        return RuledOut(
            because="No hardware XID stands in what was captured, and no uncorrectable error counter rose.",
            would_change_if="a hardware XID, a lost GPU or a risen error counter at the end would have had to be there",
            stores=("kernel",) if ev.has("kernel") else ("metrics",),
            warnings=warnings,
        )


def _faults(story: Story) -> list[Row]:
    found = []
    for row in story.of(Kind.XID, Kind.SXID, Kind.GPU_LOST, Kind.ECC_ERROR, Kind.NVLINK_ERROR):
        code = None if row["num"] is None else int(row["num"])
        if row["kind"] == Kind.XID and code not in HARDWARE_XIDS:
            continue
        if row["kind"] == Kind.SXID and "fatal" not in str(row["text"]).lower().replace("non-fatal", ""):
            continue
        found.append(row)
    return found


def _met_before(story: Story, fault: Row) -> Crash | None:
    """The crash above a look at the GPUs that finds one lost, or above lines of the kernel's: its process met that.

    CUDA knew no more of it.
    """
    if fault["kind"] not in (Kind.GPU_LOST, Kind.XID) or fault["ts_ns"] is not None or fault["line_seq"] is None:
        return None
    place = (fault["node"], fault["source"])
    return next(
        (
            crash
            for crash in story.crashes
            if UNTOLD.search(str(crash.shown["message"]))
            and (crash.shown["node"], crash.shown["source"]) == place
            and crash.shown["line_seq"] < fault["line_seq"]
        ),
        None,
    )


def _ended_well(ev: Evidence, story: Story) -> bool:
    """Whether the run ended well, or came to its planned end by its own word where no status is known."""
    return planned_end(ev, story) is not None if story.ended_well is None else story.ended_well


def _of_no_gpu(story: Story) -> bool:
    """Whether the run died of what no GPU brings about: a module, a name or a file that was not there."""
    crash = None if story.first is None else story.first.crash
    if crash is None or crash.root["seq"] != crash.shown["seq"]:
        return False
    kind = str(crash.shown["exc_type"]).rpartition(".")[2]
    return kind in _NO_GPUS and _GPU_WORDS.search(str(crash.shown["message"])) is None


_NO_GPUS: Final = frozenset(
    {"ImportError", "ModuleNotFoundError", "SyntaxError", "IndentationError", "NameError", "KeyError"}
    | {"FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "UnicodeDecodeError", "JSONDecodeError"}
)
_GPU_WORDS: Final = re.compile(r"(?i)cuda|cudnn|cublas|nccl|nvml|nvidia|\bgpus?\b|device")


def _onset(ev: Evidence, reported_ns: int | None, felt: Crash | None) -> int | None:
    """When the GPU failed: a process may meet it before whoever asks the driver in turns reports it."""
    met_ns = None if felt is None or felt.cause.cause is not Cause.APPLICATION else felt.root["ts_ns"]
    if reported_ns is None or met_ns is None:
        return reported_ns
    # Just before, as what a process meets is a consequence.
    soon = 0 <= reported_ns - met_ns <= ev.threshold("b2.report_lag") * 1e9
    return met_ns - 1 if soon else reported_ns


def _stopped_engines(story: Story) -> tuple[str, ...]:
    """Warnings of XIDs that tell of hardware only where one GPU repeats them, a GPU and number once."""
    told: dict[tuple[str | None, str, int], int] = {}
    for row in story.of(Kind.XID):
        code = 0 if row["num"] is None else int(row["num"])
        if class_of(code) == "repeated":
            unit = (place(row), str(row["subject"] or "a GPU"), code)
            told[unit] = told.get(unit, 0) + 1
    return tuple(
        f"XID {code} of {unit} on {node or 'a node'}{f', {count} times' if count > 1 else ''}: an engine of the GPU"
        " stopped. It is hardware where this GPU repeats it in other jobs."
        for (node, unit, code), count in told.items()
    )


def _undated(row: Row) -> bool:
    """A reading that stood when metrics began: nobody knows since when."""
    return bool(row["framework"] == "nvml" and row["ts_ns"] is None)


def survived(ev: Evidence, story: Story, row: Row) -> bool:
    """Whether training went on for long after a GPU's fault: by steps, else by what that GPU went on to compute.

    What the job's own log tells of faults may be of GPUs elsewhere: some reports beyond the time that it takes to be
    told of one are enough, as none follow where a rank has lost its GPU.
    """
    last, at = story.steps["ts_ns"].max(), row["ts_ns"]
    if at is not None and row["source"] != "kernel_log" and row["line_seq"] is not None:
        late = pl.col("ts_ns") > at + int(ev.threshold("b2.report_lag") * 1e9)
        if story.steps.filter(late)["step"].n_unique() > GOES_ON:
            return True
    if not isinstance(last, int):
        subject = str(row["subject"] or "")
        uuid = subject if subject.startswith("GPU-") else gpu_at(ev, row["node"], subject)
        last = worked_until(ev, row["node"], uuid)
    return at is not None and last is not None and last - at >= ev.threshold("b2.survived") * 1e9


def _process(ev: Evidence, row: Row) -> tuple[int | None, str | None]:
    """Rank and GPU of the process that the kernel names in its message."""
    found = NAMED_PID.search(str(row.get("text") or ""))
    return (None, None) if found is None else of_process(ev, row["node"], int(found[1]))


def _located(ev: Evidence, rows: tuple[Row, ...], risen: _Rise | None) -> tuple[str | None, str | None]:
    """Node and GPU of the first of several reports of a fault that tells them; else where a counter rose."""
    places = []
    for row in rows:
        subject = str(row.get("subject") or "")
        uuid = subject if subject.startswith("GPU-") else gpu_at(ev, row["node"], subject or str(row.get("text") or ""))
        places.append((place(row), uuid))
    if risen is not None:
        places.append((risen.node, risen.gpu_uuid))
    node = next((node for node, _ in places if node), None)
    return node, next((uuid for where, uuid in places if uuid and where in (node, None)), None)


def _what(row: Row) -> str:
    where = f" ({row['subject']})" if row.get("subject") else ""
    if row["kind"] == Kind.XID:
        code = int(row["num"])
        return f"XID {code}, {HARDWARE_XIDS[code]}{where}"
    if row["kind"] == Kind.SXID:
        return f"NVSwitch SXID {int(row['num'] or 0)}{where}"
    words = {
        Kind.GPU_LOST: "the GPU was lost",
        Kind.ECC_ERROR: "uncorrectable ECC error",
        Kind.NVLINK_ERROR: "NVLink error",
    }
    return words[row["kind"]] + where


def _mode(row: Row, crashed: bool) -> str:
    text = f"{row.get('num')} {row.get('kind')} {row.get('message') or ''}".lower()
    if row.get("kind") == Kind.GPU_LOST or row.get("num") == 79:
        return "fallen_off_bus"
    if (
        row.get("kind") in (Kind.NVLINK_ERROR, Kind.SXID)
        or row.get("num") in (74, *range(144, 151))
        or "nvlink" in text
    ):
        return "nvlink"
    if row.get("num") in (119, 120):
        return "gsp"
    return "ecc" if "ecc" in text or row.get("num") in (48, 63, 64, 92, 94, 95, 140, 171, 172) else "other"


def _during(ev: Evidence) -> tuple[pl.Expr, str]:
    """Condition, also as SQL, for samples of the run and shortly before and after it."""
    began, ended = run_span(ev)
    if began is None:
        return pl.lit(value=True), "TRUE"
    margin = int(ev.threshold("run.margin") * 1e9)
    first, last = began - margin, (ended or _NEVER - margin) + margin
    return pl.col("ts_ns").is_between(first, last), f"ts_ns BETWEEN {first} AND {last}"


@together
def _rises(ev: Evidence) -> Question:
    told: dict[str, pl.Expr] = {}
    for name in _COUNTERS:
        value = pl.col(name)
        told |= {f"{name}.least": value.min(), f"{name}.most": value.max()}
        told[f"{name}.ts_ns"] = pl.col("ts_ns").filter(value > value.min()).min()
        told[f"{name}.fell"] = (value.drop_nulls().diff() < 0).any()
    return Question(told, _during(ev)[0])


@together
def _lasting(_: Evidence) -> Question:
    return Question(
        {
            "old": pl.col("ecc_uncorrected_aggregate").min(),
            "pending": pl.col("remap_pending").any(),
            "failed": pl.col("remap_failure").any(),
        }
    )


def _risen(ev: Evidence) -> _Rise | None:
    """The first uncorrectable counter that rose within the run, and where it rose most."""
    if not ev.has("gpu_samples"):
        return None
    for name in _COUNTERS:
        told = {part: pl.col(f"{name}.{part}") for part in ("least", "most", "ts_ns", "fell")}
        rises = _rises(ev).select(*_SERIES, **told).filter(pl.col("most") > pl.col("least"))
        rows = rises.with_columns(by=pl.col("most") - pl.col("least")).sort(
            "by", *_SERIES, descending=[True, False, False], nulls_last=True
        )
        for row in rows.drop("by").iter_rows(named=True):
            where, fell = _during(ev)[1], row.pop("fell")
            if not fell:
                return _Rise(name, where, **row)
            if (rise := _risen_after_fall(ev, name, row["node"], row["gpu_uuid"])) is not None:
                return rise
    return None


def _risen_after_fall(ev: Evidence, name: str, node: str, uuid: str | None) -> _Rise | None:
    """The rise of a counter that fell in between: it begins anew with the driver, and some reads give 0 by mistake.

    What is as high again as before was not read; what is higher rose since; what is lower is counted anew.
    """
    inside, where = _during(ev)
    mine = (pl.col("node") == node) & pl.col("gpu_uuid").eq_missing(uuid) & pl.col(name).is_not_null()
    read = ev.scan("gpu_samples").filter(inside & mine).select("ts_ns", "seq", name).collect().sort("ts_ns", "seq")
    rows: list[tuple[int, int]] = read.select("ts_ns", name).rows()
    fell = max(number for number in range(1, len(rows)) if rows[number][1] < rows[number - 1][1])
    before = max(value for _, value in rows[:fell])
    if max(value for _, value in rows[fell:]) >= before:
        kept, told = [row for row in rows if row[1] >= before], f"{name} >= {before}"
    else:
        kept, told = rows[fell:], f"ts_ns >= {rows[fell][0]}"
    least, most = (edge(value for _, value in kept) for edge in (min, max))
    if least == most:
        return None
    since = min(at for at, value in kept if value > least)
    whose = f"node = {literal(node)}" + ("" if uuid is None else f" AND gpu_uuid = {literal(uuid)}")
    return _Rise(name, f"{where} AND {whose} AND {told}", least, most, node, uuid, since)


def _latent(ev: Evidence) -> tuple[str, ...]:
    """Old errors of a GPU that did not change: worth a warning, no cause."""
    if not ev.has("gpu_samples"):
        return ()
    warnings = []
    for node, uuid, old, pending, failed in _lasting(ev).sort("node", "gpu_uuid").iter_rows():
        if failed:
            warnings.append(f"{node} {gpu_called(uuid)}: a row remap has failed; the GPU should be replaced.")
        elif pending:
            warnings.append(f"{node} {gpu_called(uuid)}: a row remap waits for a reset.")
        elif old:
            warnings.append(f"{node} {gpu_called(uuid)}: {old} uncorrected ECC errors over its life, none of them new.")
    return tuple(warnings)


FAMILY: Final = GpuHardware()
