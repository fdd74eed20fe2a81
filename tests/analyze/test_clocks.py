"""A loop's own clocks, from their names in files of metrics to verdicts; each with a run in which they mean nothing."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families import FAMILIES
from inquest.analyze.families._gpu import span
from inquest.analyze.families._pace import save_rhythm
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, RuledIn, RuledOut
from inquest.analyze.logs import parse_logs
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore
from inquest.bundle.timers import CLOCKS

from .builders import Run, at, gpu_samples

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.families.base import Finding
    from inquest.analyze.model import Verdict

STEPS = 60


def told(folder: Path, rows: list[dict[str, Any]], name: str = "clocks.jsonl") -> None:
    """A file of metrics, one object a line, or a table."""
    if name.endswith(".csv"):
        lines = [",".join(rows[0]), *(",".join(f"{value}" for value in row.values()) for row in rows)]
    else:
        lines = [json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")


def judged(folder: Path) -> Verdict:
    """The verdict on a folder of a run that left with status 0."""
    rows = import_paths([folder], exit_code=0).rows
    store = MemoryStore({table: rows.collect(table, "import") for table in rows.tables()})
    return analyze(store, strict=True)[0]


def finding(family: str, run: Run) -> Finding:
    """What one family finds."""
    return next(each for each in FAMILIES if each.id == family).judge(run.evidence())


def loss(number: int) -> float:
    """One that falls."""
    return 1.5 + 4 * math.exp(-number / 20)


@pytest.mark.parametrize(
    ("clocks", "family", "mode"),
    [
        ({"iter_ms": 6400, "loader_wait_ms": 6100}, "D1", None),
        ({"iter_ms": 6400, "loader_wait_ms": 310}, "G1", None),
        ({"fwd_s": 0.1, "bwd_s": 0.2, "optimizer_s": 0.1, "input_wait_s": 5.5}, "D1", None),
        ({"step_s": 9.0, "ckpt_write_s": 7.5}, "D2", "save_storm"),
        ({"step_s": 9.0, "ckpt_write_s": 0.4}, "G1", None),
        ({"step_s": 5.0, "allreduce_s": 3.2, "allgather_s": 1.1}, "D2", "interconnect"),
        ({"step_s": 5.0, "allreduce_s": 0.9}, "G1", None),
        # What grows all along counts from the start; what is longer than the step is no part of it.
        ({"total_time_s": "sum", "data_wait_s": 4.0}, "G1", None),
        ({"step_s": 0.5, "ckpt_write_s": 7.5}, "G1", None),
    ],
)
def test_what_a_loop_tells_of_its_own_steps(tmp_path: Path, clocks: dict[str, Any], family: str, mode: str) -> None:
    rows = []
    for number in range(1, STEPS + 1):
        read = {name: 4.2 * number if value == "sum" else value for name, value in clocks.items()}
        rows.append({"step": number, "loss": loss(number), **read})
    told(tmp_path, rows)
    verdict = judged(tmp_path)
    assert (verdict.family, verdict.sub_mode) == (family, mode), verdict.headline


def ranks(folder: Path, own: list[float], *, tabled: bool = False, part: str = "compute_s", talks: bool = True) -> None:
    """Ranks that wait for the one whose own part of a step is the longest."""
    every = []
    for rank, mine in enumerate(own):
        rest = {"comm_s": max(own) - mine + 0.1} if talks else {"step_s": max(own) + 0.1}
        rows = [
            {"step": number, "rank": rank, "loss": loss(number), part: mine, **rest} for number in range(1, STEPS + 1)
        ]
        every += rows
        if not tabled:
            told(folder, rows, f"rank{rank}.jsonl")
    if tabled:
        told(folder, every, "ranks.csv")


@pytest.mark.parametrize("tabled", [True, False])
@pytest.mark.parametrize("talks", [True, False])
def test_the_rank_that_the_others_wait_for(tmp_path: Path, tabled: bool, talks: bool) -> None:
    ranks(tmp_path, [0.7, 0.72, 0.7, 1.9, 0.71, 0.7], tabled=tabled, talks=talks)
    verdict = judged(tmp_path)
    assert (verdict.family, verdict.culprit_ranks, verdict.attribution) == ("D3", (3,), "infrastructure")


def test_a_rank_that_became_slow_late(tmp_path: Path) -> None:
    for rank in range(4):
        lines, second = [], 0
        for n in range(1, 61):
            slow = n > 45
            own = 2.25 if slow and rank == 2 else 0.72
            second += 24 if slow else 8
            at_time = f"2026-04-14T18:{second // 60:02}:{second % 60:02}"
            waits = (2.3 if slow else 0.8) - own
            work = f"local_work {own * 1000:.0f}ms waiting_for_others {waits * 1000:.0f}ms"
            lines.append(f"{at_time} step {n} rank {rank} loss {loss(n):.4f} {work}")
        (tmp_path / f"out.{rank}").write_text("\n".join(lines) + "\n")
    verdict = judged(tmp_path)
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (2,))


def test_the_rank_whose_data_comes_late(tmp_path: Path) -> None:
    ranks(tmp_path, [0.2, 0.2, 3.1, 0.2], part="data_wait_s", talks=False)
    verdict = judged(tmp_path)
    assert (verdict.family, verdict.sub_mode, verdict.culprit_ranks) == ("D3", "late_host", (2,))


@pytest.mark.parametrize(
    "own",
    [
        [0.7, 0.72, 0.7, 0.71],
        [0.62, 0.74, 0.74, 0.81],  # stages of a pipeline
        [0.5, 0.9, 1.3, 1.7],
        [0.5, 0.5, 1.7, 1.7],  # two kinds of work
    ],
)
def test_ranks_that_differ_as_ranks_do(tmp_path: Path, own: list[float]) -> None:
    ranks(tmp_path, own)
    assert judged(tmp_path).family == "G1"


def test_ranks_that_go_each_alone_hold_nobody_up(tmp_path: Path) -> None:
    for rank, step_s in enumerate([0.5, 0.5, 1.6, 0.5]):
        rows = [{"step": number, "loss": loss(number), "step_s": step_s} for number in range(1, round(60 / step_s))]
        told(tmp_path, rows, f"rank{rank}.jsonl")
    assert judged(tmp_path).family == "G1"


def saved(run: Run, seconds: float | None = None) -> Run:
    """A run whose log tells of a save after each of its steps, and may tell how long it took."""
    for number in range(40):
        told = {"kind": "step", "rank": 0, "step": number, "loss": loss(number)}
        run.fact("fact_steps", step_time_s=8.0, ts_ns=at(10 + 8 * number), **told)
        num = {"num": float(number), "num_unit": "step"} if seconds is None else {"num": seconds, "num_unit": "s"}
        run.fact(
            "fact_events", kind="checkpoint_saved", role="progress", text="saved", ts_ns=at(17 + 8 * number), **num
        )
    return run


def test_what_the_reports_of_saves_say_they_took() -> None:
    found = finding("D2", saved(Run(), 6.5))
    assert isinstance(found, RuledIn)
    assert (found.sub_mode, "6.5 s each" in found.headline) == ("save_storm", True)
    assert isinstance(finding("D2", saved(Run(), 0.5)), CannotDecide)
    assert isinstance(finding("D2", saved(Run())), CannotDecide)


@pytest.mark.parametrize(
    ("said", "saves"),
    [
        (("saving checkpoint-{n}", "saved checkpoint-{n}"), 40),
        (("saved last.pt",), 40),  # written over each time
        (("saved checkpoint-{n}", "saved last.pt"), 41),
    ],
)
def test_a_save_that_is_told_twice_is_one(said: tuple[str, ...], saves: int) -> None:
    run = saved(Run(), 6.5)
    told = run._facts["fact_events"][:]
    run._facts["fact_events"].clear()
    for number, event in enumerate(told):
        for at_line, words in enumerate(said):
            subject = words.format(n=number).split()[1]
            run._facts["fact_events"].append({**event, "subject": subject, "line_seq": 10 * number + at_line})
    assert save_rhythm(tell(run.evidence())) == (saves, 40)


def test_one_gpu_draws_as_in_computing_and_its_peers_as_in_waiting() -> None:
    drawn = [240.0] * 7 + [560.0]

    def run(**columns: Any) -> Run:
        return gpu_samples(Run().steps([loss(n) for n in range(60)]), gpus=8, engine=1.0, sm=None, **columns)

    found = finding("D3", run(power_w=drawn, sm_clock_mhz=1700))
    assert isinstance(found, RuledIn)
    assert (found.culprit_gpus, any(item.decisive for item in found.support)) == (("GPU-7",), False)
    assert not isinstance(finding("D3", run(power_w=drawn, sm_clock_mhz=[1100] * 7 + [1700])), RuledIn)
    assert not isinstance(finding("D3", run(power_w=[240.0, 300.0, 360.0, 420.0, 450.0, 480.0, 520.0, 560.0])), RuledIn)


def test_all_gpus_of_a_slow_node_are_named() -> None:
    def run(active: list[float]) -> Run:
        made = Run().steps([loss(n) for n in range(60)])
        for second in range(60):
            for gpu, sm in enumerate(active):
                read = {"engine_active": 1.0, "sm_active": sm, "ts_ns": at(10 + second)}
                made.row("gpu_samples", node=f"node{gpu // 4}", gpu_uuid=f"GPU-{gpu}", **read)
        return made

    found = finding("D3", run([0.2] * 4 + [0.6] * 4))
    assert isinstance(found, RuledIn)
    assert (found.scope, found.culprit_nodes, len(found.culprit_gpus)) == ("node", ("node1",), 4)
    assert isinstance(finding("D3", run([0.2, 0.2, 0.6, 0.6] * 2)), RuledOut)


@pytest.mark.parametrize(
    ("work", "nodes"),
    [
        ([0.3] * 8, ("node1",)),
        ([0.3] * 4 + [0.12] * 4, ()),  # less busy as it has less to do
    ],
)
def test_a_node_whose_host_comes_late_to_every_step(work: list[float], nodes: tuple[str, ...]) -> None:
    run = Run().steps([loss(n) for n in range(60)])
    for second in range(60):
        for gpu, tensor in enumerate(work):
            read = {"engine_active": 1.0 if gpu < 4 else 0.45, "tensor_active": tensor, "ts_ns": at(10 + second)}
            run.row("gpu_samples", node=f"node{gpu // 4}", gpu_uuid=f"GPU-{gpu}", **read)
    found = finding("D3", run)
    assert (found.culprit_nodes if isinstance(found, RuledIn) else ()) == nodes


@pytest.mark.parametrize(("peers", "held"), [(0.2, True), (0.7, False)])
def test_a_gpu_that_was_held_back_from_the_first_step_on(peers: float, held: bool) -> None:
    run = Run().steps([loss(n) for n in range(60)])
    for second in range(-20, 60):
        for gpu in range(4):
            hot, trains = gpu == 2, second >= 0
            read = {
                "engine_active": 1.0 if trains else 0.0,
                "sm_active": (0.7 if hot else peers) if trains else 0.0,
                "sm_clock_mhz": (840 if hot else 1410) if trains else 210,
                "throttle_reasons": 0x20 if hot and trains else 0,
                "fb_used_bytes": 20 * 2**30,
            }
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(10 + second), **read)
    found = finding("B3", run)
    assert isinstance(found, RuledIn) == held
    assert not isinstance(found, RuledIn) or found.culprit_gpus == ("GPU-2",)


# --- in lines of text -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "clocks"),
    [
        ("iter 7/90 loss 2.5 fwd+bwd 0.125s wrote model_7.pt (1.5s) total 1.75s", (1.75, None, 0.125, None, 1.5)),
        (
            "step 7 loss 2.5 | data 250 ms | compute 500 ms | allreduce 125 ms | step 1000 ms",
            (1.0, 0.25, 0.5, 0.125, None),
        ),
        ("step 7 loss 2.5 fwd_ms=125.0 bwd_ms=250.0 comm_ms=125.0", (0.5, None, 0.375, 0.125, None)),
        ("[7/90] checkpoint saved in 1.5s; step took 1.75s; loss 2.5", (1.75, None, None, None, 1.5)),
        ("2026-10-03 10:00:00 [7] loss=2.5 compute_ms=250 ckpt_ms=1500", (1.75, None, 0.25, None, 1.5)),
        ("step 7 loss 2.5 | train 0.25 s | checkpoint 1.5 s", (1.75, None, 0.25, None, 1.5)),
        ("step 7 loss 2.5 fetch_ms=1500 step_ms=1750.0", (1.75, 1.5, None, None, None)),
        ("step 7 loss 2.5 step_time=1.75s input_wait=1.5s", (1.75, 1.5, None, None, None)),
        ("update 7: loss 2.5, 1.75s per update of which 1.5s data", (1.75, 1.5, None, None, None)),
        ("step 7 loss 2.5 saved 3 of 9 shards, model 7b", (None, None, None, None, None)),
    ],
)
def test_clocks_in_a_line(tmp_path: Path, line: str, clocks: tuple[float | None, ...]) -> None:
    path = tmp_path / "job.log"
    path.write_text(f"began\n{line}\n")
    assert parse_logs(import_logs([path]))["fact_steps"].select(CLOCKS).rows() == [clocks]


_DEEPSPEED = (
    "[Rank 0] time (ms) | fwd: 210.5 | bwd: {bwd:.2f} | bwd_inner: 410.25 | bwd_allreduce: {comm:.2f} | step: 80.5\n"
)
_MEGATRON = (
    "(min, max) time across ranks (ms):\n    forward-backward ....: ({bwd:.2f}, {bwd:.2f})\n"
    "    forward-compute .....: (210.50, 215.25)\n    backward-compute ....: (410.25, 415.50)\n"
    "    all-grads-sync ......: ({comm:.2f}, {comm:.2f})\n"
)


@pytest.mark.parametrize("form", [_DEEPSPEED, _MEGATRON])
@pytest.mark.parametrize(("comm", "family"), [(7000.0, "D2"), (120.0, "G1")])
def test_clocks_on_lines_of_their_own(tmp_path: Path, form: str, comm: float, family: str) -> None:
    path = tmp_path / "job.log"
    timed = form.format(bwd=410.25 + comm, comm=comm)
    path.write_text("".join(f"step {n}/60 loss {loss(n):.4f}\n{timed}" for n in range(1, 61)))
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == family


@pytest.mark.parametrize(("seconds", "family"), [(1, "D2"), (4, "G1")])
def test_a_step_is_at_least_what_lies_between_its_reports(tmp_path: Path, seconds: int, family: str) -> None:
    """The parts that a loop times add up to no step where it does more than them."""
    lines = []
    for n in range(1, 61):
        at = f"2026-03-04 12:{n * seconds // 60:02d}:{n * seconds % 60:02d}"
        lines.append(f"{at} step {n}/60 loss {loss(n):.4f} compute 20 ms allreduce 970 ms\n")
    path = tmp_path / "job.log"
    path.write_text("".join(lines))
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == family


_RTT = "| MnRtt/Rnk: 2450.10ms/{fast} | MxRtt/Rnk: {slow:.2f}ms/{rank} | MnPwr/Rnk: 312.00W/1\n"
_GPU = "GPU relative performance: worst: {worst:.2f} Rank={rank} Node=n3, median: 0.98, best: 1.00 Rank=0 Node=n0\n"


@pytest.mark.parametrize(
    ("form", "ranks", "slow", "family"),
    [
        (_RTT, [5], 5100.0, "D3"),
        (_GPU, [5], 0.0, "D3"),
        (_RTT, [5], 2600.0, "G1"),  # somebody is always the slowest
        (_RTT, [5, 2, 7, 1], 5100.0, "G1"),  # now one and now another
    ],
)
def test_detectors_of_stragglers(tmp_path: Path, form: str, ranks: list[int], slow: float, family: str) -> None:
    lines = []
    for n in range(1, 61):
        told = form.format(fast=n % 4, slow=slow, rank=ranks[n % len(ranks)], worst=0.41)
        lines.append(f"step {n}/60 loss {loss(n):.4f}\n{told if n % 5 == 0 else ''}")
    path = tmp_path / "job.log"
    path.write_text("".join(lines))
    verdict = analyze(import_logs([path], exit_code=0), strict=True)[0]
    assert (verdict.family, verdict.culprit_ranks) == (family, (5,) if family == "D3" else ())


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("|  [_TrainingEpochLoop].train_dataloader_next  |  4.5012\t|  60\t|  270.1\t|  81.5\t|", "D1"),
        ("|  [_TrainingEpochLoop].train_dataloader_next  |  0.0412\t|  60\t|  2.5\t|  1.5\t|", "G1"),
        ("Step-time breakdown: average step time 5200.0 ms (input 4500.0 ms, device compute 600.0 ms)", "D1"),
        ("Step-time breakdown: average step time 5200.0 ms (input 45.0 ms, device compute 5000.0 ms)", "G1"),
    ],
)
def test_profilers_that_tell_of_the_input(tmp_path: Path, said: str, family: str) -> None:
    path = tmp_path / "job.log"
    path.write_text("".join(f"step {n}/60 loss {loss(n):.4f}\n" for n in range(1, 61)) + f"{said}\n")
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == family


@pytest.mark.parametrize(("begins", "family"), [(5.4, "E2"), (1.5, "G1")])
def test_a_load_in_mid_run_without_effect(tmp_path: Path, begins: float, family: str) -> None:
    first = [f"step {n}/120 loss {loss(n):.4f}\n" for n in range(1, 61)]
    again = [f"step {60 + n}/120 loss {begins * math.exp(-n / 60):.4f}\n" for n in range(1, 61)]
    path = tmp_path / "job.log"
    path.write_text("".join([*first, "Loading checkpoint /ckpt/step_60.pt with strict=False\n", *again]))
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("form", "family"),
    [
        ('{{"rank": {rank}, "step": {step}, "loss": {loss}, "compute_ms": {own}, "sync_ms": {wait}}}', "D3"),
        (
            "r{rank} | iteration {step}/60 | loss: {loss} | forward-backward (ms): {own} | gradient sync (ms): {wait}",
            "D3",
        ),
        # One number on every line is another rank, LoRA's say; who reports stays unknown.
        ('{{"rank": 16, "step": {step}, "loss": {loss}, "compute_ms": {own}, "sync_ms": {wait}}}', None),
    ],
)
def test_a_field_that_tells_whose_line_it_is(tmp_path: Path, form: str, family: str | None) -> None:
    lines = []
    for step in range(1, STEPS + 1):
        for rank, own in enumerate((251, 1046, 262)):
            said = {
                "rank": rank,
                "step": step,
                "loss": round(loss(step), 3),
                "own": own + 0.5,
                "wait": 1060 - own + 0.5,
            }
            lines.append(form.format(**said))
    (tmp_path / "job.log").write_text("\n".join(lines) + "\n")
    store = import_logs([tmp_path / "job.log"], exit_code=0)
    verdict, evidence = analyze(store)
    told = evidence.facts("fact_steps")["rank"]
    if family is None:
        assert told.null_count() == len(told)
        assert verdict.family != "D3"
    else:
        assert set(told) == {0, 1, 2}
        assert (verdict.family, verdict.culprit_ranks) == (family, (1,))


@pytest.mark.parametrize(
    ("again", "warm", "slow", "family"),
    [
        (5.4, True, 20, "E2"),
        (1.9, True, 20, "G1"),  # a second stage on harder data
        (5.4, False, 20, "E2"),  # it falls as it did at first, report by report
        (5.4, False, 7, "G1"),  # a spike comes back sooner
    ],
)
def test_weights_of_scratch_under_a_counter_that_goes_on(
    tmp_path: Path, again: float, warm: bool, slow: int, family: str
) -> None:
    rows = []
    for step in range(1, 241):
        since = step if step <= 120 else step - 120
        value = loss(since) if step <= 120 else 1.5 + (again - 1.5) * math.exp(-since / slow)
        rate = 3e-4 * min(1.0, (since if warm else step) / 10)
        rows.append({"step": step, "loss": value, "lr": rate})
    told(tmp_path, rows)
    verdict = judged(tmp_path)
    assert (verdict.family, verdict.sub_mode) == (family, "load_without_effect" if family == "E2" else None)


def test_parts_of_epochs_count_reports(tmp_path: Path) -> None:
    told(tmp_path, [{"epoch": number / 4, "lr": 0.1, "loss": loss(number)} for number in range(1, STEPS + 1)])
    rows = import_paths([tmp_path]).rows
    metrics = rows.collect("metrics", "import")
    assert metrics.filter(metrics["name"] == "loss")["step"].to_list() == list(range(1, STEPS + 1))
    assert judged(tmp_path).family == "G1"


@pytest.mark.parametrize(("after", "found"), [(290.0, True), (71.0, False)])
def test_power_that_fell_with_the_pace_is_no_work(after: float, found: bool) -> None:
    """One node was braked: the others, which wait for it, draw more than it does, and far less than before."""
    run = Run()
    for number in range(80):
        second = 10 + 2 * number if number < 40 else 90 + 8 * (number - 40)
        run.fact("fact_steps", kind="step", rank=0, step=number, loss=loss(number), ts_ns=at(second))
    for second in range(10, 400, 10):
        for gpu in range(8):
            drawn = 300.0 if second < 90 else 53.0 if gpu < 4 else after
            told = {"gpu_uuid": f"GPU-{gpu}", "node": f"node{gpu // 4}", "engine_active": 1.0, "power_w": drawn}
            run.row("gpu_samples", ts_ns=at(second), **told)
    assert isinstance(finding("D3", run), RuledIn) is found


@pytest.mark.parametrize("hours", [0, 7])
def test_a_straggler_is_seen_beside_a_log_of_another_zone(hours: int) -> None:
    run = Run().row("slurm_jobs", job_id="7", state="COMPLETED", start_ns=at(0), end_ns=at(700), ts_ns=at(700))
    for number in range(60):
        told = {"kind": "step", "rank": 0, "step": number, "loss": loss(number)}
        run.fact("fact_steps", ts_ns=at(3600 * hours + 10 + 10 * number), **told)
    for second in range(-600, 1300, 10):
        for gpu in range(8):
            busy = {"engine_active": 1.0, "sm_active": 0.8 if gpu == 7 else 0.2}
            reading = busy if 0 < second < 700 else {"engine_active": 0.0, "sm_active": 0.0}
            run.row("gpu_samples", ts_ns=at(second), gpu_uuid=f"GPU-{gpu}", **reading)
    found = finding("D3", run)
    assert isinstance(found, RuledIn)
    assert found.culprit_gpus == ("GPU-7",)


@pytest.mark.parametrize(("theirs", "found"), [(0.2, True), (0.0, False)])
def test_counters_that_were_paused_on_a_node_are_no_waiting(theirs: float, found: bool) -> None:
    nodes = ["node0"] * 4 + ["node1"] * 4
    run = Run().steps([loss(n) for n in range(60)])
    run = gpu_samples(run, gpus=8, engine=1.0, sm=None, sm_active=[0.7] * 4 + [theirs] * 4, node=nodes)
    assert isinstance(finding("D3", run), RuledIn) is found


@pytest.mark.parametrize("dated", [True, False])
def test_an_xid_that_stood_when_the_metrics_began_may_be_of_another_job(dated: bool) -> None:
    told = {"pattern": "gpu_events.xid", "framework": "nvml", "subject": "GPU-1", "num": 31.0, "line_seq": None}
    run = gpu_samples(Run().steps([loss(n) for n in range(60)]), gpus=2)
    run.event(Kind.XID, "XID 31 of GPU-1", t=69 if dated else None, source=None, **told)
    assert isinstance(finding("A1", run), RuledIn) is dated


def test_reports_of_the_run_keep_their_span_where_only_its_end_was_sampled() -> None:
    run = Run().row("slurm_jobs", job_id="7", state="TIMEOUT", start_ns=at(0), end_ns=at(700), ts_ns=at(700))
    for second in range(400, 700, 2):
        run.row("gpu_samples", ts_ns=at(second), gpu_uuid="GPU-0", engine_active=1.0, sm_active=0.0)
    ev = run.steps([loss(n) for n in range(60)]).evidence()
    assert span(ev, tell(ev)) == (at(10), at(69))
