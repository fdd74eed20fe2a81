"""Which clock of a step a name means, and in which unit; what is no clock of a step."""

from __future__ import annotations

import pytest

from inquest.bundle.timers import COMM, COMPUTE, DATA, SAVE, STEP, chosen, timer_of


@pytest.mark.parametrize(
    ("column", "names"),
    [
        (STEP, "step_time_s iter-time(ms) t_total sec_per_step ms/iter dt batch_ms time_metrics/end_to_end(s) t_step"),
        (STEP, "seconds_per_iteration perf/iterTimeMs train_step_timing_in_s time_this_iter_s step_s"),
        (DATA, "data_time t_dataload data_wait_s io_ms inputWaitSeconds avg_reader_time dataloader/fetch_s dt_data"),
        (DATA, "batch_load_time time/data_loading(s) wait_for_data_ms data_to_gpu_ms prefetch_wait_us"),
        (COMPUTE, "compute_s t_model fwd_bwd_s forward-ms backward_time optimizer_step_ms gpu_time_ms t_fwd"),
        (COMPUTE, "train_s work_s"),
        (COMM, "allreduce_wait_s comm_s all-reduce-time grad_sync_ms nccl_time_s reduce_scatter_ms barrier_wait_s"),
        (SAVE, "checkpoint_save_s ckpt_ms t_save timers/save-checkpoint-time snapshotSeconds write_time_s"),
        (None, "step global_step loss train/loss lr tokens_per_s samples_s it/s it_s steps_per_second mfu dt_net"),
        (None, "eval_time_s val_step_ms data_loading(%) data_wait_share step_time_max_ms checkpoint_load_s wait_s s t"),
        (None, "loss_time timestamp gpu_mem_s model_load_time gpu_wait_ms time elapsed train_runtime sampling_time_s"),
    ],
)
def test_names_of_clocks(column: str | None, names: str) -> None:
    told = {name: timer.column if (timer := timer_of(name)) else None for name in names.split()}
    assert told == dict.fromkeys(names.split(), column)


@pytest.mark.parametrize(
    ("name", "seconds"), [("step_ms", 1e-3), ("data_wait_us", 1e-6), ("t_total", None), ("iter time (s)", 1.0)]
)
def test_units(name: str, seconds: float | None) -> None:
    timer = timer_of(name)
    assert timer is not None
    assert timer.seconds == seconds


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        ("fwd_ms bwd_ms optimizer_ms", {"fwd_ms", "bwd_ms", "optimizer_ms"}),
        ("fwd_ms bwd_ms fwd_bwd_ms", {"fwd_bwd_ms"}),
        ("fwd_ms bwd_ms compute_ms", {"compute_ms"}),
        ("data_ms step_ms", set()),
    ],
)
def test_pieces_of_computing_are_added_and_none_twice(names: str, taken: set[str]) -> None:
    timers = [(name, timer) for name in names.split() if (timer := timer_of(name))]
    assert set(chosen(COMPUTE, timers)) == taken


def test_a_name_without_end_is_no_clock() -> None:
    assert timer_of("step_" * 1000 + "ms") is None
