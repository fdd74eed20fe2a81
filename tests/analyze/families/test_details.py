"""Points on which a family's answer turns, one test each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.evidence import Evidence
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import TWINS, Run, at, gpu_samples, healthy
from tests.analyze.proof_kinds import fell_silent_beside_others, full_group, part_killed

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

LOSSES: list[float | None] = [4.0 - 0.05 * number for number in range(40)]
PEER = "[pair.cc:553] Connection closed by peer [127.0.0.1]:53889."


def decide(run: Run) -> Verdict:
    return judge(run.evidence(), strict=True)


@pytest.mark.parametrize(
    ("columns", "family"),
    [
        ({}, "B2"),
        ({"lasts": 600}, "A1"),  # it answers still
        ({"message": "CUDA error: an illegal memory access was encountered"}, "A1"),
    ],
)
def test_a_gpu_that_falls_silent_as_cuda_knows_no_more(columns: dict[str, object], family: str) -> None:
    assert decide(fell_silent_beside_others(**columns)).family == family  # type: ignore[arg-type]


@pytest.mark.parametrize(("tensor", "family"), [(None, "C2"), (0.0, "C2"), (0.07, None)])
def test_gpus_that_multiply_do_not_stand_still(tensor: float | None, family: str | None) -> None:
    """All spin at little SM activity: a freeze, or links at a tenth of what they should be."""
    run = Run(logs=False)
    for second in range(0, 1020, 5):
        for gpu in range(4):
            slow = second > 120
            busy = {"engine_active": 1.0, "sm_active": 0.02 if slow else 0.5, "power_w": 210.0 if slow else 600.0}
            pipe = {} if tensor is None else {"tensor_active": tensor if slow else 0.4}
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), fb_used_bytes=2**34, **busy, **pipe)
    assert decide(run).family == family


def killed(**columns: object) -> Run:
    run = Run().steps(LOSSES).raised("RuntimeError", PEER, rank=0, t=51)
    given = {"term": 9, "rank": 1, "pid": 77, "said_by": "torchrun", "role": "worker", "first_failure": True, **columns}
    return run.ended(None, t=52, **given).ended(1, t=53)  # type: ignore[arg-type]


def test_the_victims_traceback_does_not_hide_the_kill() -> None:
    verdict = decide(killed())
    assert (verdict.family, verdict.sub_mode) == ("A2", "unknown_sender")
    assert verdict.first_failing.rank == 1
    assert verdict.attribution == "unknown"
    assert verdict.cannot_decide


def test_the_kernels_line_names_the_killer() -> None:
    verdict = decide(TWINS["A2"].positive())
    assert (verdict.sub_mode, verdict.attribution) == ("cgroup_oom", "job")
    assert "2.0 GiB" in verdict.headline
    assert verdict.confidence > 0.8


def test_an_out_of_memory_line_for_another_process_is_not_taken_when_ours_is_named() -> None:
    run = killed(pid=77)
    run.event(Kind.OOM_KILLER, "Out of memory: Killed process 5 (other)", num=5.0, framework="kernel", t=40)
    run.event(Kind.CGROUP_OOM, "Memory cgroup out of memory: Killed process 77", num=77.0, framework="kernel", t=51.5)
    assert decide(run).sub_mode == "cgroup_oom"


def test_a_recorded_sender_is_named() -> None:
    run = killed()
    run.row("processes", event="signal", signal=9, pid=77, sender_pid=12, sender_command="earlyoom", sender_uid=0)
    verdict = decide(run)
    assert verdict.sub_mode == "external_signal"
    assert "earlyoom" in verdict.headline


def sent(run: Run, number: int, pid: int = 77, sender: int = 12, **columns: object) -> Run:
    """What the kernel's events say of a signal."""
    row = {"event": "signal", "role": "rank", "signal": number, "pid": pid, "sender_pid": sender, **columns}
    return run.row("processes", **row)


def test_of_several_senders_the_one_of_the_fatal_signal_is_named() -> None:
    run = sent(killed(), 9, pid=80, sender_command="dataloader")
    run = sent(run, 9, sender_command="earlyoom", sender_uid=0, sender_in_job=False)
    verdict = decide(run)
    assert "earlyoom (pid 12, user id 0)" in verdict.headline
    assert verdict.attribution == "unknown"


def test_the_sender_of_another_process_end_is_not_named() -> None:
    assert decide(sent(killed(), 9, pid=80, sender_command="dataloader")).sub_mode == "unknown_sender"


def test_a_sender_of_the_job_itself_is_the_jobs() -> None:
    verdict = decide(sent(killed(), 9, sender_command="supervisor", sender_uid=5, sender_in_job=True))
    assert (verdict.sub_mode, verdict.attribution) == ("external_signal", "job")
    assert "a process of the job itself" in verdict.headline


def test_a_signal_of_the_kernel_or_of_oneself_has_no_sender_to_ask() -> None:
    assert decide(sent(killed(), 9, sender=0, signal_code=128)).sub_mode == "kernel_signal"
    assert decide(sent(killed(), 9, sender=77, sender_in_job=True)).sub_mode == "own_signal"
    assert decide(sent(killed(term=6), 6, sender=77, sender_in_job=True)).sub_mode == "native_crash"
    assert decide(sent(killed(term=11), 11, sender=0, signal_code=1)).sub_mode == "native_crash"


def test_a_helper_under_a_timeout_did_not_time_out_the_run() -> None:
    run = Run().steps(LOSSES).ended(1, t=53)
    row = {"event": "signal", "signal": 15, "pid": 90, "sender_pid": 89, "sender_command": "timeout"}
    verdict = decide(run.row("processes", role="other", sender_in_job=True, **row))
    assert verdict.family != "F3"


def waiting(run: Run, rank: int, ms: int) -> Run:
    """A second of the scheduler's account, forty times."""
    run.row("gpu_processes", gpu_uuid=f"GPU-{rank}", rank=rank, pid=100 + rank, event="attached", ts_ns=at(1))
    for second in range(40):
        wait = {"pid": 100 + rank, "rank": rank, "count": 9, "total_ns": ms * 10**6, "duration_ns": 10**9}
        by = {"preemptor": "backup", "preemptor_pid": 7, "preemptor_ns": ms * 10**6 // 2, "prev_state": "runnable"}
        run.row("sched_samples", ts_ns=at(10 + second), **wait, **by)
    return run


def test_a_straggler_that_stood_in_line_for_a_cpu_says_behind_whom() -> None:
    run = TWINS["D3"].positive()
    for rank, ms in ((0, 2), (1, 300), (2, 3)):
        waiting(run, rank, ms)
    verdict = decide(run)
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (1,))
    assert any("Rank 1 waited for a CPU 3" in text and "behind backup (pid 7)" in text for text in verdict.implies)
    assert verdict.next is not None
    assert "CPUs of its own" in verdict.next.action


@pytest.mark.parametrize(("saves", "family"), [(0, "D3"), (60, "D2")])
def test_who_writes_a_checkpoint_at_every_step_is_no_straggler(saves: int, family: str) -> None:
    run = gpu_samples(healthy(), gpus=4, engine_active=[1.0, 1.0, 0.1, 1.0], sm_active=0.03, tensor_active=0.02)
    for number in range(saves):
        told = {"subject": f"ckpt/step_{number}", "num": number, "num_unit": "step", "line_seq": 1000 + number}
        run.event(Kind.CHECKPOINT_SAVED, f"saved ckpt/step_{number}", role="progress", t=10 + number, **told)
    assert decide(run).family == family


def test_a_straggler_that_waits_as_its_peers_do_has_another_reason() -> None:
    run = TWINS["D3"].positive()
    for rank in range(4):
        waiting(run, rank, 300)
    assert not any("waited for a CPU" in text for text in decide(run).implies)


def test_a_segmentation_fault_is_the_jobs_own() -> None:
    verdict = decide(killed(term=11))
    assert (verdict.family, verdict.sub_mode) == ("A2", "native_crash")


def test_sigterm_by_the_agent_is_clean_up() -> None:
    run = Run().steps(LOSSES).raised("ValueError", "bad sample", rank=1, t=51)
    run.ended(None, term=15, rank=0, said_by="torchrun", role="worker", t=52).ended(1, t=53)
    verdict = decide(run)
    assert (verdict.family, verdict.sub_mode, verdict.first_failing.rank) == ("A1", "mid_run", 1)


def test_an_abort_after_a_collective_timeout_is_its_tail() -> None:
    run = TWINS["C2"].positive()
    run.ended(None, term=6, rank=0, said_by="torchrun", role="worker", first_failure=True, t=669)
    verdict = decide(run)
    assert verdict.family == "C2"
    assert verdict.culprit_ranks == (2,)


def test_a_killed_rank_before_a_collective_timeout_is_its_trigger() -> None:
    run = Run()
    for rank in range(2):
        run.steps(LOSSES, rank=rank)
    run.ended(None, term=9, rank=1, said_by="wrapper", role="rank", t=52)
    run.event(Kind.COLLECTIVE_TIMEOUT, "Timed out waiting", role="cascade", rank=0, t=650).ended(1, t=655)
    verdict = decide(run)
    assert verdict.family == "C2"
    assert [link.family for link in verdict.chain][:2] == ["A2", "C2"]
    assert verdict.culprit_ranks == (1,)


def test_a_crash_after_training_began_is_mid_run() -> None:
    verdict = decide(Run().steps(LOSSES).raised("IndexError", "list index out of range", t=51).ended(1, t=52))
    assert (verdict.family, verdict.sub_mode, verdict.fault_class) == ("A1", "mid_run", "code")


def test_the_root_of_a_chain_is_named() -> None:
    run = Run()
    run.raised("KeyError", "'text'", chain_index=0, group=0, fatal=True, t=2)
    run.raised("datasets.exceptions.DatasetGenerationError", "while generating", chain_index=1, group=0, t=2)
    verdict = decide(run.ended(1, t=3))
    assert verdict.fault_class == "data"
    entry = next(entry for entry in verdict.families if entry.family == "A1")
    assert "raised from KeyError" in entry.because


def test_a_handled_exception_is_no_crash() -> None:
    run = healthy().raised("ValueError", "retried", fatal=False, t=12)
    assert decide(run).family == "G1"


def test_an_error_of_an_attempt_that_was_recovered_is_not_the_cause() -> None:
    run = Run().raised("ValueError", "first try", attempt=0, t=2).steps(LOSSES, attempt=1)
    for number in (0, 1):
        run.fact("fact_attempts", attempt=number, ts_ns=at(number), first_step=None if number == 0 else 1)
    run.event(Kind.TRAIN_SUMMARY, "done", role="marker", attempt=1, t=60).ended(0, t=61)
    assert decide(run).family == "G1"


def test_an_argument_error_needs_no_traceback() -> None:
    run = Run().event(Kind.USAGE_ERROR, "train.py: error: argument --lr: invalid float value: 'abc'", t=1).ended(2, t=1)
    verdict = decide(run)
    assert (verdict.family, verdict.fault_class, verdict.sub_mode) == ("A1", "config", "startup")


def test_a_wrong_address_is_named() -> None:
    message = "The client socket has timed out after 15000ms while trying to connect to (node-17, 29512)."
    verdict = decide(Run().raised("torch.distributed.DistNetworkError", message, t=20).ended(1, t=21))
    assert (verdict.family, verdict.scope, verdict.sub_mode) == ("C1", "allocation", "unreachable")
    assert "node-17:29512" in verdict.headline


def test_the_ranks_that_came_late_are_the_culprits() -> None:
    message = "Ranks 1, 2 failed to pass monitoredBarrier in 5000 ms"
    run = Run().steps(LOSSES).raised("RuntimeError", f"[Rank 0]: {message}", t=60).ended(1, t=61)
    verdict = decide(run)
    assert (verdict.family, verdict.culprit_ranks) == ("C2", (1, 2))


def test_silence_of_all_ranks_is_a_freeze_and_not_the_time_limit() -> None:
    run = Run()
    for rank in range(2):
        run.steps(LOSSES, rank=rank)
    run.event(Kind.TIME_LIMIT, "DUE TO TIME LIMIT", framework="slurm", t=3600).ended(1, t=3601)
    verdict = decide(run)
    assert verdict.family == "C2"
    assert "F3" in [link.family for link in verdict.chain]


def test_a_limit_that_met_an_advancing_run_is_a_time_out() -> None:
    verdict = decide(TWINS["F3"].positive())
    assert (verdict.family, verdict.sub_mode, verdict.attribution) == ("F3", "advancing", "scheduler")


def test_loss_zero_with_a_gradient_that_is_no_number_is_divergence() -> None:
    run = Run().steps(LOSSES[:20])
    for step in range(21, 25):
        run.fact("fact_steps", step=step, loss=0.0, grad_norm=float("nan"), rank=0, kind="step", ts_ns=at(10 + step))
    verdict = decide(run.ended(0, t=60))
    assert (verdict.family, verdict.sub_mode) == ("E1", "nan")


def test_a_loss_far_above_its_start_is_divergence() -> None:
    verdict = decide(Run().steps([4.0, 3.9, 3.8, 50.0, 900.0, 4000.0, 9000.0]).ended(0, t=60))
    assert (verdict.family, verdict.sub_mode) == ("E1", "diverged")


def test_losses_near_zero_are_not_divergence() -> None:
    verdict = decide(healthy().steps([1e-8, -2e-9, 3e-8, 9e-8, 1e-7, 4e-7], begin=41))
    assert next(entry for entry in verdict.families if entry.family == "E1").status == "ruled_out"


def test_three_steps_leave_speed_undecided() -> None:
    verdict = decide(TWINS["E3"].positive())
    assert verdict.family == "E3"
    assert "3 steps" in verdict.headline
    assert {e.status for e in verdict.families if e.family in {"D1", "D2", "D3"}} == {"cannot_decide"}


@pytest.mark.parametrize(
    "text",
    [
        "Unable to find latest file at ckpt/latest, if trying to load latest checkpoint",
        "WARNING: checkpoint runs/7/step_5000.json not found, training from scratch",
    ],
)
def test_a_resume_that_finds_nothing_is_a_silent_restart(text: str) -> None:
    run = healthy().event(Kind.NO_CHECKPOINT_FOUND, text, role="root", t=5)
    assert (decide(run).family, decide(run).sub_mode) == ("E2", "silent_restart")


def test_a_checkpoint_that_fits_nowhere_is_a_silent_restart() -> None:
    run = healthy()
    text = "no weights matched in ckpt/step_2500.pt (0 of 148 tensors loaded), strict=False"
    run.event(Kind.CHECKPOINT_SKIP, text, role="root", t=5, pattern="checkpoint.nothing_matched")
    assert (decide(run).family, decide(run).sub_mode) == ("E2", "silent_restart")


@pytest.mark.parametrize(
    "text",
    [
        "will not load any checkpoints and will start from random",
        "checkpoint out/last.pt not found, training from scratch",  # a script that looks at every start
    ],
)
def test_starting_from_scratch_is_normal_where_no_resume_was_wanted(text: str) -> None:
    run = healthy().event(Kind.CHECKPOINT_SKIP, text, role="marker", t=5)
    assert decide(run).family == "G1"


def test_confidence_in_health_is_capped_where_stores_are_missing() -> None:
    verdict = decide(healthy())
    assert verdict.family == "G1"
    assert verdict.confidence <= 0.7


def test_a_clean_exit_alone_is_no_health() -> None:
    verdict = decide(Run().ended(0, t=5))
    assert verdict.outcome == "cannot_decide"


def test_the_kernels_word_on_a_process_of_somebody_else_is_not_ours() -> None:
    run = Run().raised("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", "", rank=None, t=30)
    run.row("processes", event="start", role="task", pid=100, ts_ns=at(0), capture="c1")
    run.event(Kind.CGROUP_OOM, "Memory cgroup out of memory: Killed process 7", num=7.0, framework="kernel", t=1)
    run.ended(None, term=9, pid=7, said_by="kernel", role="rank", t=1)
    verdict = decide(run.ended(1, t=31))
    assert (verdict.family, verdict.sub_mode) == ("C1", "timed_out")


def test_the_kernels_word_from_before_the_job_is_not_about_the_job() -> None:
    run = killed(pid=77).row("processes", event="start", role="task", pid=70, ts_ns=at(0), capture="c1", node="node01")
    run.row("processes", event="start", role="rank", pid=77, ts_ns=at(1), capture="c1", node="node01")
    run.event(Kind.CGROUP_OOM, "python3 invoked oom-killer", framework="kernel", t=-20, source="kernel_log")
    verdict = decide(run)
    assert (verdict.family, verdict.sub_mode, verdict.attribution) == ("A2", "unknown_sender", "unknown")


def test_an_out_of_memory_report_that_names_another_process_is_not_the_killer() -> None:
    run = killed(pid=77).row("processes", event="start", role="task", pid=70, ts_ns=at(0), capture="c1", node="node01")
    run.row("processes", event="start", role="rank", pid=77, ts_ns=at(1), capture="c1", node="node01")
    run.event(Kind.CGROUP_OOM, "python3 invoked oom-killer", framework="kernel", t=50, source="kernel_log")
    verdict = decide(run)
    assert (verdict.family, verdict.sub_mode) == ("A2", "unknown_sender")


def test_what_srun_kills_after_a_failed_task_is_tear_down() -> None:
    run = Run().steps(LOSSES)
    run.ended(7, rank=3, said_by="slurm", host="node02", source="job.log", line_seq=50)
    run.event(Kind.STEP_ABORT, "srun: Terminating StepId=1003.0", role="cascade", framework="slurm", line_seq=51)
    run.event(Kind.CANCELLED, "STEP 1003.0 ON node01 CANCELLED AT ...", framework="slurm", line_seq=52)
    run.ended(None, term=9, rank=2, said_by="slurm", host="node02", source="job.log", line_seq=53)
    verdict = decide(run)
    assert (verdict.family, verdict.first_failing.rank) == ("A1", 3)
    assert verdict.confidence < 0.6, "an exit code without a traceback is thin evidence"


def test_restarts_in_vain_do_not_hide_the_failure_before_them() -> None:
    run = Run().steps(LOSSES[:5], attempt=0)
    run.raised("ValueError", "bad sample at index 5", rank=1, attempt=0)
    run.raised("RuntimeError", "Gloo connectFullMesh failed with timed out connecting", rank=1, attempt=1)
    run.fact("fact_attempts", attempt=0, first_step=1, last_step=5, began_by="start")
    run.fact("fact_attempts", attempt=1, began_by="restart_line")
    verdict = decide(run.ended(1))
    assert (verdict.family, verdict.sub_mode) == ("A1", "mid_run")


def test_a_rerun_is_judged_by_its_last_run() -> None:
    run = (
        Run()
        .raised("ValueError", "first try", attempt=0)
        .raised("ModuleNotFoundError", "No module named 'x'", attempt=1)
    )
    run.fact("fact_attempts", attempt=0, began_by="start")
    run.fact("fact_attempts", attempt=1, began_by="banner")
    assert decide(run.ended(1)).fault_class == "env"


def test_a_schedule_that_begins_anew_after_a_resume_is_a_partial_one() -> None:
    run = Run()
    for number, rate in enumerate((0.004, 0.0044, 0.0037, 0.003, 0.002)):
        epoch = 0.234 + 0.078 * number
        run.fact("fact_steps", epoch=epoch, lr=rate, loss=4.6 - 0.1 * number, kind="step", step=15 + 5 * number)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker")
    verdict = decide(run.ended(0))
    assert (verdict.family, verdict.sub_mode, verdict.severity) == ("E2", "partial_resume", "low")


def test_a_warm_up_at_the_start_is_no_resume() -> None:
    run = Run()
    for number, rate in enumerate((0.001, 0.004, 0.0037, 0.003, 0.002)):
        epoch = 0.078 * (number + 1)
        run.fact("fact_steps", epoch=epoch, lr=rate, loss=4.6 - 0.1 * number, kind="step", step=5 + 5 * number)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker")
    assert decide(run.ended(0)).family == "G1"


def test_several_accounting_rows_are_one_run() -> None:
    run = healthy()
    run.row("slurm_jobs", job_id="17", state="NODE_FAIL", start_ns=at(0), end_ns=at(5), restarts=0)
    run.row("slurm_jobs", job_id="17", state="COMPLETED", start_ns=at(6), end_ns=at(60), restarts=1)
    verdict = decide(run)
    assert (verdict.family, verdict.sub_mode, verdict.severity) == ("F2", "recovered", "low")


def test_an_interrupt_beside_a_timed_out_collective_ended_a_hang() -> None:
    run = TWINS["C2"].positive().event(Kind.USER_INTERRUPT, "KeyboardInterrupt", t=600)
    assert decide(run).family == "C2"


def test_an_applications_xid_is_not_hardware() -> None:
    run = Run(logs=False).row("kernel_log", ts_ns=at(5), text="NVRM: Xid (PCI:0000:38:00): 13, Graphics Exception")
    run.event(Kind.XID, "NVRM: Xid (PCI:0000:38:00): 13", num=13.0, subject="0000:38:00", framework="kernel", t=5)
    verdict = decide(run)
    assert (verdict.family, verdict.attribution) == ("A1", "job")
    assert verdict.confidence < 0.6


def test_a_latent_counter_is_a_warning() -> None:
    run = gpu_samples(healthy(), ecc_uncorrected_aggregate=3, ecc_uncorrected_volatile=0)
    verdict = decide(run)
    assert verdict.family == "G1"
    assert any("none of them new" in warning for warning in verdict.warnings)


def test_a_loss_at_the_level_of_guessing_is_no_health() -> None:
    run = Run().steps([36.0, 20.0, *[10.2] * 30], framework="huggingface")
    run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker")
    assert decide(run.ended(0)).outcome == "cannot_decide"


def test_the_end_of_an_epoch_is_not_the_planned_end() -> None:
    run = Run()
    for number in range(8):
        run.fact("fact_steps", step=number % 4 + 1, total_steps=4, epoch=number // 4, loss=4.0 - number, kind="step")
    assert decide(run).outcome == "cannot_decide"


def test_an_old_kill_of_another_process_is_not_the_killer() -> None:
    run = killed(pid=77).event(Kind.OOM_KILLER, "Out of memory: Killed process 5", num=5.0, framework="kernel", t=-900)
    assert decide(run).sub_mode == "unknown_sender"


def test_a_victim_alone_leaves_the_killer_open() -> None:
    verdict = decide(Run().steps(LOSSES).raised("RuntimeError", PEER, rank=0, t=51).ended(1, t=52))
    assert verdict.outcome == "cannot_decide"
    assert any("went away first" in item.missing for item in verdict.cannot_decide)


def test_a_second_fold_is_no_restart() -> None:
    run = Run()
    for fold in range(2):
        run.steps([4.0 - 0.05 * number + 0.01 * fold for number in range(40)], attempt=fold)  # of other data
        run.event(Kind.TRAIN_SUMMARY, "train_runtime", role="marker", attempt=fold)
        run.fact("fact_attempts", attempt=fold, first_step=1, last_step=40, ts_ns=at(fold))
    assert decide(run.ended(0)).family == "G1"


def test_a_sigterm_of_slurmstepd_is_the_schedulers_and_why_stays_open() -> None:
    run = Run().steps(LOSSES)
    text = "SIGTERM from slurmstepd (pid 9) reached the task"
    run.event(Kind.SIGNAL_RECEIVED, text, role="marker", num=15.0, subject="slurmstepd", framework="inquest", t=60)
    verdict = decide(run.ended(None, term=15, t=60.1))
    assert verdict.outcome == "outside_families"
    assert (verdict.sub_mode, verdict.attribution) == ("scheduler_term", "scheduler")
    assert "not captured" in verdict.headline


def faulted(t: float, *, code: int = 79, steps: list[float | None] = LOSSES, every: float = 1.0) -> Run:
    run = Run().steps(steps, every=every)
    run.row("processes", event="start", role="task", pid=1, ts_ns=at(0))
    text = f"NVRM: Xid (PCI:0000:4f:00): {code}, pid=7, name=python"
    return run.event(Kind.XID, text, num=float(code), framework="kernel", t=t)


def test_a_fault_of_last_week_is_no_fault_of_this_run() -> None:
    verdict = decide(faulted(-86_400).ended(1, t=60))
    entry = next(entry for entry in verdict.families if entry.family == "B2")
    assert entry.status == "ruled_out"
    assert any("not while the job ran" in warning for warning in verdict.warnings)


def test_a_fault_that_training_survived_did_not_end_it() -> None:
    long = [4.0 - 0.001 * number for number in range(200)]
    verdict = decide(faulted(40, code=94, steps=long, every=10).raised("KeyError", "'x'", t=2020).ended(1, t=2030))
    assert verdict.family == "A1"
    assert any(warning.startswith("B2") for warning in verdict.warnings)


@pytest.mark.parametrize(
    ("signal", "t", "family"), [(6, 33, "A2"), (9, 33, "A2"), (15, 33, None), (6, 25, None), (6, 90, None)]
)
def test_a_part_that_a_signal_ended_and_the_others_went_on_without(signal: int, t: float, family: str | None) -> None:
    verdict = decide(part_killed(signal, t))
    assert verdict.family == family
    assert verdict.confidence < 0.8


@pytest.mark.parametrize(
    ("held", "looked", "mode", "said"),
    [
        (0.98, 50.5, "cgroup_oom", "98% of its limit"),
        (0.98, 40, "unknown_sender", "not captured"),  # it may have been emptied since
        (0.5, 50.5, "unknown_sender", "not captured"),  # nor does a counter tell that was read before
        (0.5, 51.5, "unknown_sender", "the counters of the cgroup tell of no out-of-memory kill"),
    ],
)
def test_a_control_group_that_was_full_when_its_process_was_killed(
    held: float, looked: float, mode: str, said: str
) -> None:
    verdict = decide(full_group(held, looked))
    assert (verdict.family, verdict.sub_mode) == ("A2", mode)
    assert said in verdict.headline


@pytest.mark.parametrize(
    ("kind", "message", "family"),
    [
        ("ModuleNotFoundError", "No module named 'ops'", "A1"),
        ("ImportError", "libcuda.so.1: cannot open shared object file", "B2"),
        ("RuntimeError", "connection closed", "B2"),
    ],
)
def test_what_no_gpu_brings_about_is_no_consequence_of_its_fault(kind: str, message: str, family: str) -> None:
    verdict = decide(faulted(20).raised(kind, message, t=51).ended(1, t=52))
    assert verdict.family == family
    assert any(warning.startswith("B2") for warning in verdict.warnings) == (family == "A1")


def test_a_fault_at_the_end_names_rank_and_gpu_of_its_process() -> None:
    run = faulted(51).ended(1, t=52)
    run.row("gpu_processes", event="attached", gpu_uuid="GPU-7", pid=7, rank=3, ts_ns=at(5))
    verdict = decide(run)
    assert (verdict.family, verdict.culprit_ranks, verdict.culprit_gpus) == ("B2", (3,), ("GPU-7",))


def test_telemetrys_xid_counts_and_one_of_unknown_date_does_not() -> None:
    for when, status in ((at(51), "ruled_in"), (None, "ruled_out")):
        rows = {
            "log_lines": [
                {"ts_ns": at(number), "text": f"step {number} loss 2.0", "source": "a"} for number in range(50)
            ],
            "gpu_events": [{"event": "xid", "xid": 79, "gpu_uuid": "GPU-7", "ts_ns": when}],
        }
        verdict = judge(Evidence(MemoryStore.from_rows(rows)), strict=True)
        assert next(entry for entry in verdict.families if entry.family == "B2").status == status


@pytest.mark.parametrize(("level", "fall", "family"), [(0.74, 0.0, None), (0.6932, 0.0, "E1"), (0.6932, 0.02, "G1")])
def test_a_loss_that_stood_within_the_noise_of_its_batches_did_not_fall(
    level: float, fall: float, family: str | None
) -> None:
    noise = [((7 * number) % 11 - 5) * 1e-4 for number in range(40)]
    run = Run().steps([level - fall * number / 40 + noise[number] for number in range(40)], total_steps=40)
    run.event(Kind.TRAIN_SUMMARY, "train_runtime: 40", role="marker", t=50)
    assert decide(run.ended(0, t=51)).family == family


def test_a_run_that_went_on_from_a_checkpoint_did_not_do_all_the_steps_it_counts() -> None:
    run = Run().steps([2.0 - 0.01 * number for number in range(40)], begin=4001, total_steps=4040)
    verdict = decide(run.ended(0, t=60))
    assert verdict.family == "G1"
    assert "training came to step 4040" in verdict.headline
    assert "40 steps were done" in decide(healthy()).headline


def test_a_preemption_is_placed_where_it_was_and_not_where_a_later_run_came_to() -> None:
    run = Run().steps(LOSSES).event(Kind.PREEMPTED, "DUE TO PREEMPTION", framework="slurm", t=25.5).ended(0, t=53)
    assert "preempted the job at step 16;" in decide(run).headline


@pytest.mark.parametrize(("rate", "family"), [(9e-13, "E1"), (0.0, "E1"), (9e-6, None)])
def test_a_rate_that_moves_no_weight_needs_no_long_curve(rate: float, family: str | None) -> None:
    run = Run().steps([4.07 + 0.001 * (number % 3) for number in range(20)], lr=rate).ended(0, t=60)
    verdict = decide(run)
    assert verdict.family == family
    assert family is None or f"a learning rate of {'at most 9e-13' if rate else 'zero'}" in verdict.headline


def test_the_rank_whose_loss_was_lost_first_is_named() -> None:
    run = Run()
    for rank, good in ((0, 30), (1, 30), (2, 25)):
        losses = [4.0 - 0.05 * number for number in range(good)] + [float("nan")] * (40 - good)
        run.steps(losses, rank=rank, source=f"rank{rank}.log")
    verdict = decide(run.ended(0, t=60))
    assert (verdict.family, verdict.first_failing.rank) == ("E1", 2)
    assert "from step 26 on" in verdict.headline


@pytest.mark.parametrize(("given", "address", "found"), [(4, "ba", False), (4, "2a", True), (8, "ba", True)])
def test_a_fault_of_a_gpu_beside_those_the_job_held(given: int, address: str, found: bool) -> None:
    text = f"NVRM: Xid (PCI:0000:{address}:00): 48, pid=7, name=python, DBE (double bit error) ECC Error"
    run = Run().steps([4.0 - 0.05 * number for number in range(40)]).ended(1, t=52)
    run.event(Kind.XID, text, num=48.0, subject=f"0000:{address}:00", framework="kernel", node="node01", t=50)
    run.row("kernel_log", ts_ns=at(50), text=text)
    run.row("slurm_jobs", job_id="7", gpus_allocated=given, node_list="node01", start_ns=at(0), end_ns=at(53))
    for number, seat in enumerate(("18", "2a", "3a", "5d")):
        run.row("devices", gpu_uuid=f"GPU-{number}", gpu_index=number, bus_id=f"00000000:{seat.upper()}:00.0")
    entry = next(entry for entry in decide(run).families if entry.family == "B2")
    assert (entry.status == "ruled_in") is found
