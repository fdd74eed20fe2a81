"""Vitals: what each says, when it says nothing, and that its SQL gives it."""

from __future__ import annotations

import dataclasses
import math

import pytest

from inquest.analyze.claims import wrong_with
from inquest.analyze.engine import analyze, judge
from inquest.analyze.evidence import rounded
from inquest.analyze.logs.kinds import SAMPLED, Kind
from inquest.analyze.model import Vitals
from inquest.bundle.logs_import import import_logs

from .builders import TWINS, Run, at, gpu_samples, healthy

GIB = 2**30


def vitals_of(run: Run):
    """The vitals of a run as plain values, and the verdict; every claim is run again, and must hold."""
    evidence = run.evidence()
    verdict = judge(evidence, strict=True)
    assert [problem for claim in verdict.vitals.claims for problem in wrong_with(claim, evidence)] == []
    told = {field.name: getattr(verdict.vitals, field.name) for field in dataclasses.fields(Vitals)}
    return {name: None if claim is None else claim.value for name, claim in told.items()}, verdict


def trained(seconds: int, **columns):
    """Two reports of progress that far apart."""
    run = Run()
    for second in (0, seconds):
        run.fact("fact_steps", step=second, kind="step", rank=0, loss=1.0, ts_ns=at(second), **columns)
    return run


def memory(run: Run, used, *, gpu="GPU-0", seconds=3600, every=10):
    """Samples whose memory in use is ``used(share of the time)`` GiB of 80."""
    for second in range(0, seconds + 1, every):
        run.row(
            "gpu_samples",
            gpu_uuid=gpu,
            ts_ns=at(second),
            fb_used_bytes=int(used(second / seconds) * GIB),
            fb_total_bytes=80 * GIB,
        )
    return run


def test_nothing_measured_is_null_and_never_zero():
    told, verdict = vitals_of(Run().ended(0))
    assert set(told.values()) == {None}
    assert verdict.vitals == Vitals()


def test_every_vital_of_every_twin_is_what_its_sql_gives():
    seen = set()
    for twins in TWINS.values():
        for kind in ("positive", "near_miss", "missing"):
            told, _ = vitals_of(getattr(twins, kind)())
            seen |= {name for name, value in told.items() if value is not None}
    assert {"step_time", "engine", "sm"} <= seen


# --- pace -----------------------------------------------------------------------------------------------------------
def test_the_job_s_own_word_on_step_time_comes_first():
    told, verdict = vitals_of(Run().steps([1.0] * 9, every=7, step_time_s=0.25))
    assert (told["step_time"], told["step_time_spread"]) == (0.25, 0)
    assert verdict.vitals.step_time.text.endswith("as printed")


def test_step_time_comes_from_timestamps_divided_by_steps():
    run = Run()
    for number in range(12):
        run.fact("fact_steps", step=number * 10, kind="step", rank=0, loss=1.0, ts_ns=at(number * 5))
    told, _ = vitals_of(run)
    assert told["step_time"] == 0.5


def test_a_clock_of_whole_seconds_does_not_lengthen_steps():
    run = Run()
    for step in range(200):
        run.fact("fact_steps", step=step, kind="step", rank=0, loss=1.0, ts_ns=at(step * 0.2 // 1))
    assert vitals_of(run)[0]["step_time"] == pytest.approx(0.2)


def test_reports_without_a_number_tell_no_step_time():
    run = Run()
    for number in range(9):
        run.fact("fact_steps", kind="step", rank=0, loss=1.0, epoch=number / 9, ts_ns=at(number * 6))
    told, _ = vitals_of(run)
    assert (told["step_time"], told["report_time"]) == (None, 6)


def test_evaluation_is_no_step_of_training():
    run = Run().steps([1.0] * 5, step_time_s=0.5)
    run.steps([None] * 50, kind="validation", step_time_s=9.0)
    assert vitals_of(run)[0]["step_time"] == 0.5


def test_ranks_that_print_the_same_count_once_and_the_last_attempt_alone():
    run = Run()
    for attempt, rate in ((0, 10.0), (1, 20.0)):
        run.fact(
            "fact_attempts",
            attempt=attempt,
            began_by="start" if not attempt else "step_back",
            first_line_seq=attempt,
            last_line_seq=attempt,
            last_step=9,
        )
        run.steps([1.0] * 9, attempt=attempt, tokens_per_s=rate)
    told, _ = vitals_of(run)
    assert (told["tokens_per_s_first"], told["tokens_per_s_last"]) == (20, 20)


def test_rates_of_first_and_last_third():
    run = Run()
    for step in range(30):
        rates = {"tokens_per_s": 1000.0 - 10 * step, "samples_per_s": 8.0 if step < 15 else 4.0}
        run.fact("fact_steps", step=step, kind="step", rank=0, loss=1.0, ts_ns=at(step), **rates)
    told, _ = vitals_of(run)
    assert (told["tokens_per_s_first"], told["tokens_per_s_last"]) == (955, 755)
    assert (told["samples_per_s_first"], told["samples_per_s_last"]) == (8, 4)
    assert told["mfu"] is None


@pytest.mark.parametrize(("mfu", "steps", "warned"), [(0.22, 30, True), (0.22, 5, False), (0.38, 30, False)])
def test_low_mfu_is_a_warning_and_no_finding(mfu, steps, warned):
    run = healthy(steps)
    plain = judge(run.evidence(), strict=True)
    again = Run().steps([4.0 - 0.05 * number for number in range(steps)], total_steps=steps, mfu=mfu)
    again.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=10.0 + steps).ended(0, t=11.0 + steps)
    told, verdict = vitals_of(again)
    assert told["mfu"] == mfu
    assert any("MFU" in text for text in verdict.warnings) == warned
    assert ("vitals.mfu_low" in {row.name for row in verdict.thresholds}) == (steps >= 20)
    assert (verdict.family, verdict.confidence) == (plain.family, plain.confidence)


def test_validation_loss_first_best_last_with_a_nan_among_them():
    run = healthy()
    for number, loss in enumerate((3.0, 2.0, math.nan, 1.5, 2.5)):
        run.fact("fact_steps", step=10 * number, kind="validation", eval_loss=loss, ts_ns=at(20 + number))
    told, verdict = vitals_of(run)
    assert [told[f"eval_loss_{which}"] for which in ("first", "best", "last")] == [3.0, 1.5, 2.5]
    assert verdict.vitals.eval_loss_last.rows[0].table == "fact_steps"


# --- checkpoints ----------------------------------------------------------------------------------------------------
def saves(run: Run, steps, *, every=100.0, took=None, **columns):
    for number, step in enumerate(steps):
        t = 100 + number * every
        about = {"num": float(step), "num_unit": "step", "subject": f"/ckpt/step-{step}", **columns}
        if took is not None:
            run.event(Kind.CHECKPOINT_SAVE_BEGIN, role="marker", t=t - took, **{**about, "pattern": "begin"})
        run.event(Kind.CHECKPOINT_SAVED, role="marker", t=t, **about)
    return run


def test_checkpoints_count_cadence_duration_and_the_last_one():
    told, verdict = vitals_of(saves(healthy(), range(500, 3000, 500), took=31))
    assert (told["checkpoints"], told["checkpoint_every_steps"], told["checkpoint_every"]) == (5, 500, 100)
    assert (told["checkpoint_duration"], told["checkpoint_last"]) == (31, "/ckpt/step-2500")
    assert verdict.family == "G1"


def test_a_save_that_two_ranks_and_two_patterns_report_is_one_save():
    run = healthy()
    for rank in (0, 1):
        saves(run, (500, 1000), rank=rank)
        saves(run, (500, 1000), rank=rank, pattern="weights", num=None, num_unit=None)
    told, _ = vitals_of(run)
    assert told["checkpoints"] == 2
    assert told["checkpoint_duration"] is None


def test_unnumbered_saves_are_counted_by_their_reports():
    told, _ = vitals_of(saves(healthy(), (1, 2, 3), num=None, num_unit=None, subject="/ckpt/last.pt"))
    assert (told["checkpoints"], told["checkpoint_every_steps"], told["checkpoint_every"]) == (3, None, 100)


def test_a_printed_duration_is_taken_as_printed():
    run = healthy()
    for t, seconds in ((50, 4.0), (60, 6.0), (70, 5.0)):
        run.event(Kind.CHECKPOINT_SAVED, role="marker", t=t, num=seconds, num_unit="s")
    told, _ = vitals_of(run)
    assert (told["checkpoints"], told["checkpoint_duration"]) == (3, 5)


# --- profiled steps -------------------------------------------------------------------------------------------------
def test_parts_of_a_step_are_told_where_a_profiler_named_them():
    run = healthy()
    for name, category, duration in (
        ("ProfilerStep#3", "user_annotation", 100),
        ("ProfilerStep#3", "gpu_user_annotation", 100),
        ("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "user_annotation", 20),
        ("autograd::engine::evaluate_function: MmBackward0", "cpu_op", 30),
        ("MmBackward0", "cpu_op", 25),
        ("Optimizer.step#AdamW.step", "user_annotation", 10),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "kernel", 40),
        ("nccl:all_reduce", "cpu_op", 5),
    ):
        run.row("trace_spans", name=name, category=category, duration_ns=duration, ts_ns=at(20))
    told, _ = vitals_of(run)
    shares = {name: told[f"share_{name}"] for name in ("data", "forward", "backward", "optimizer", "communication")}
    assert shares == {"data": 0.2, "forward": None, "backward": 0.3, "optimizer": 0.1, "communication": 0.4}


def test_spans_without_steps_tell_no_shares():
    run = healthy().row("trace_spans", name="Optimizer.step#SGD.step", category="cpu_op", duration_ns=9, ts_ns=at(20))
    assert vitals_of(run)[0]["share_optimizer"] is None


# --- GPUs -----------------------------------------------------------------------------------------------------------
def test_worst_and_best_gpu_are_named():
    run = gpu_samples(healthy(50), gpus=3, engine_active=[0.9, 0.4, 0.8], sm_active=[0.85, 0.2, 0.7])
    told, verdict = vitals_of(run)
    assert [told[name] for name in ("engine", "engine_lowest", "engine_highest")] == [0.8, 0.4, 0.9]
    assert [told[name] for name in ("sm", "sm_lowest", "sm_highest")] == [0.7, 0.2, 0.85]
    assert "GPU-1" in verdict.vitals.sm_lowest.text
    assert "GPU-0" in verdict.vitals.sm_highest.text


def test_only_training_counts_for_how_busy_gpus_were():
    run = trained(100)
    for second in range(-300, 100):
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), engine_active=0.0 if second < 0 else 1.0)
    told, _ = vitals_of(run)
    assert (told["engine"], told["sm"], told["sm_below"]) == (1, None, None)


def test_shares_of_minutes_below_and_above():
    run = trained(600)
    begin = -(at(0) // 10**9) % 60
    for second in range(begin, begin + 480):
        level = 0.3 if second < begin + 120 else 0.9 if second < begin + 240 else 0.7
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), sm_active=level)
    told, _ = vitals_of(run)
    assert (told["sm_below"], told["sm_above"]) == (0.25, 0.25)


def test_memory_peak_and_temperature_name_their_gpu():
    run = gpu_samples(
        healthy(), gpus=2, fb_used_bytes=[70 * GIB, 76 * GIB], fb_total_bytes=80 * GIB, temp_core_c=[84, 60]
    )
    told, verdict = vitals_of(run)
    assert (told["gpu_memory_peak"], told["temperature"]) == (0.95, 84)
    assert any("GPU-0 reached 84 C" in text for text in verdict.warnings)
    assert verdict.family == "G1"


@pytest.mark.parametrize(
    ("used", "clear"),
    [
        (lambda share: 40 + 20 * share, True),
        (lambda share: 40 + (10 if share > 0.5 else 0), False),
        (lambda share: 40 + 0.5 * share, False),
        (lambda share: 60 - 20 * share, False),
        (lambda share: 40 + 3 * share + 12 * (share * 1000 % 2 > 1), False),
    ],
    ids=["leak", "one step up", "little", "falls", "noise"],
)
def test_growth_is_told_only_where_it_is_clear(used, clear):
    told, verdict = vitals_of(memory(trained(3600), used))
    assert (told["gpu_memory_growth"] == pytest.approx(20, rel=0.02)) if clear else told["gpu_memory_growth"] is None
    assert any("grew by" in text for text in verdict.warnings) == clear


def test_growth_over_a_few_minutes_is_none():
    assert vitals_of(memory(trained(300), lambda share: 40 + 20 * share, seconds=300))[0]["gpu_memory_growth"] is None


def test_the_gpu_that_grows_most_is_named():
    run = memory(trained(3600), lambda share: 40 + 5 * share, gpu="GPU-0")
    told, verdict = vitals_of(memory(run, lambda share: 40 + 9 * share, gpu="GPU-1"))
    assert told["gpu_memory_growth"] == pytest.approx(9, rel=0.02)
    assert verdict.vitals.gpu_memory_growth.text.endswith("GPU-1")


def test_host_memory_that_grows():
    run = trained(3600)
    for second in range(0, 3601, 10):
        free = int((200 - second / 36) * GIB)
        run.row("host_samples", ts_ns=at(second), memory_total_bytes=256 * GIB, memory_available_bytes=free)
    assert vitals_of(run)[0]["host_memory_growth"] == pytest.approx(100, rel=0.02)


def test_energy_by_counters_survives_a_counter_that_began_anew():
    run = trained(3600)
    for second in range(0, 3601, 60):
        counter = second * 500_000 + (9 * 10**12 if second < 1800 else 0)
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), energy_mj=counter, power_w=300.0)
    told, verdict = vitals_of(run)
    assert told["energy"] == pytest.approx(0.5 * 59 / 60)
    assert "counters" in verdict.vitals.energy.text


def test_energy_of_power_times_time_leaves_gaps_out():
    run = trained(3600)
    for second in (*range(0, 1801, 60), *range(2700, 3601, 60)):
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), power_w=400.0)
    told, verdict = vitals_of(run)
    assert told["energy"] == pytest.approx(0.4 * 0.75)
    assert "power times time" in verdict.vitals.energy.text


def test_energy_of_some_gpus_only_is_not_told():
    run = gpu_samples(trained(60), gpus=2, power_w=[300.0, None])
    assert vitals_of(run)[0]["energy"] is None


# --- from a real log, to the document -------------------------------------------------------------------------------
def test_a_vital_names_the_line_it_was_read_from(tmp_path):
    path = tmp_path / "train.log"
    path.write_text(
        "".join(f"step {n}/40 loss {4 - n / 20:.4f} 30.1 ms/step | {50000 + n} tokens/s\n" for n in range(1, 41))
        + "saved checkpoint to checkpoints/step-40.pt\n"
    )
    verdict, evidence = analyze(import_logs([path]), strict=True)
    last = verdict.vitals.checkpoint_last
    assert last.value == "checkpoints/step-40.pt"
    assert {row.table for row in last.rows} == {"fact_events", "log_lines"}
    assert verdict.vitals.step_time.value == pytest.approx(0.0301)
    assert verdict.claim("V.checkpoint_last") == last
    assert [problem for claim in verdict.claims for problem in wrong_with(claim, evidence)] == []


def test_another_engine_gives_the_same_values():
    duckdb = pytest.importorskip("duckdb", reason="the test extra duckdb is not installed")
    run = memory(saves(trained(3600, step_time_s=0.5), range(100, 900, 100), took=5), lambda share: 40 + 20 * share)
    for second in range(0, 3601, 30):
        about = {"engine_active": 0.9, "sm_active": 0.5 + (second % 7) / 20, "temp_core_c": 60, "power_w": 350.5}
        run.row("gpu_samples", gpu_uuid="GPU-1", ts_ns=at(second) + 1, energy_mj=second * 350_500, **about)
    evidence = run.evidence()
    claims = judge(evidence, strict=True).vitals.claims
    assert {"V.checkpoint_duration", "V.sm_below", "V.gpu_memory_growth"} <= {claim.id for claim in claims}
    with duckdb.connect() as connection:
        for table in {claim.table for claim in claims}:
            connection.register(table, evidence.scan(table).drop("ts").collect().to_arrow())
        for claim in claims:
            assert rounded(connection.sql(claim.sql).fetchall()[0][0], claim.unit) == pytest.approx(claim.value), (
                claim.id
            )


def test_validation_that_never_was_a_number_has_no_best() -> None:
    run = Run()
    for number in range(3):
        run.fact("fact_steps", kind="validation", step=number, eval_loss=float("nan"), ts_ns=at(10 + number))
    vitals = judge(run.ended(0, t=20).evidence(), strict=True).vitals
    assert vitals.eval_loss_best is None
    assert vitals.eval_loss_last is not None


@pytest.mark.parametrize(("framework", "step_time", "report_time"), [(SAMPLED, None, 2.0), ("loop", 0.02, None)])
def test_samples_are_no_steps(framework, step_time, report_time):
    """Of reports that number the samples of an epoch, the time between two is told, and no time of a step."""
    run = Run()
    for report in range(20):
        columns = {
            "framework": framework,
            "kind": "step",
            "rank": 0,
            "loss": 2.0 - report / 20,
            "ts_ns": at(2 * report),
        }
        run.fact("fact_steps", step=100 * report, **columns)
    told, _ = vitals_of(run)
    assert (told["step_time"], told["report_time"]) == (step_time, report_time)
