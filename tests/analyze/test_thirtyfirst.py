"""What the thirty-first unseen set showed, each with a near miss."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import import_logs
from tests.analyze.builders import Run, at

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def told(tmp_path: Path, text: str, status: int | None = None) -> Verdict:
    """The verdict on one log."""
    (tmp_path / "train.log").write_text(text)
    return analyze(import_logs([str(tmp_path)], exit_code=status), strict=True)[0]


def loss(n: float) -> float:
    return 0.4 + 1.9 * math.exp(-n / 8) + 0.004 * math.sin(n)


# --- D1: a report that is glued to the bar before it ------------------------------------------------------------------


@pytest.mark.parametrize(("waits", "family"), [(8.7, "D1"), (0.01, "G1")])
def test_a_report_behind_a_bar_tells_its_waits(tmp_path: Path, waits: float, family: str) -> None:
    lines = [
        f"1|{n}|Loss: {loss(n / 5):.6f}:  50%|\u2588\u2588\u2588\u2588\u2588     | {n}/200 [{n // 6:02}:{10 * n % 60:02}<29:00,  9.90s/it]"
        f"Step {n} | loss:{loss(n / 5):.6f} lr:4.8e-05 tokens_per_second_per_gpu:590.5 data_wait_s:{waits + 0.01 * (n % 7):.3f}"
        " fwd_bwd_s:0.909 peak_memory_active:38.21"
        for n in range(1, 201)
    ]
    assert told(tmp_path, "\n".join([*lines, "Saving final epoch checkpoint.", ""]), 0).family == family


# --- D2: what passes from one save to the next ------------------------------------------------------------------------


@pytest.mark.parametrize(("apart", "own", "family"), [(10, 0.2313, "D2"), (1, 0.9313, None)])
def test_each_step_is_saved_and_no_time_of_the_loop_tells(
    tmp_path: Path, apart: int, own: float, family: str | None
) -> None:
    """detectron2 times its steps without its hooks; ``[01/22 04:51:17`` has no year."""
    lines = []
    for n in range(1, 121):
        clock = f"{4 + apart * n // 3600:02}:{apart * n // 60 % 60:02}:{apart * n % 60:02}"
        lines.append(f"[01/22 {clock} fvcore.common.checkpoint]: Saving checkpoint to /w/out/model_{n:07}.pth")
        if n % 20 == 0:
            lines.append(
                f"[01/22 {clock} d2.utils.events]:  eta: 0:01:09  iter: {n}  total_loss: {loss(n / 9):.4f}  time: {own}"
                f"  last_time: {own}  data_time: 0.0055  last_data_time: 0.0057   lr: 0.00025  max_mem: 7418M"
            )
    verdict = told(tmp_path, "\n".join([*lines, ""]), 0)
    assert verdict.family == family if family else verdict.family != "D2", verdict.headline


# --- a full disk that others tell of ----------------------------------------------------------------------------------

REFUSED = (
    "Traceback (most recent call last):\n"
    '  File "/e/torch/serialization.py", line 1114, in _save\n'
    "    zip_file.write_record(name, storage, num_bytes)\n"
    "RuntimeError: [enforce fail at inline_container.cc:764] . PytorchStreamWriter failed writing file data/27: file write"
    " failed\n"
)


def test_a_disk_that_a_later_program_says_is_full(tmp_path: Path) -> None:
    steps = "".join(f"epoch {n}: loss {loss(n):.4f}\n" for n in range(1, 30))
    full = "cp: error writing '/scratch/u/archive/indices.txt': No space left on device\n"
    assert told(tmp_path, steps + REFUSED + full, 1).outcome == "outside_families"


def test_another_error_is_not_that_disk(tmp_path: Path) -> None:
    steps = "".join(f"epoch {n}: loss {loss(n):.4f}\n" for n in range(1, 30))
    raised = 'Traceback (most recent call last):\n  File "fit.py", line 3, in fit\nKeyError: 27\n'
    full = "cp: error writing '/scratch/u/archive/indices.txt': No space left on device\n"
    assert told(tmp_path, steps + raised + full, 1).family == "A1"


# --- A2: what bash says of a kill -------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["regel 19: 118034 Gedood", "rad 19: 118034 D\u00f6dad", "line 19: 118034 Killed"])
def test_bash_says_it_was_killed(tmp_path: Path, words: str) -> None:
    steps = "".join(f"epoch 1/6 stap {800 * n}/64000 verlies {loss(n):.4f}\n" for n in range(1, 30))
    shell = f"./start.sh: {words}                  python -u train.py --config conf.toml\n"
    assert told(tmp_path, f"{steps}{shell}[start.sh] python gestopt met code 137\n").family == "A2"
    assert told(tmp_path, steps + "klassen: gedood 121, verdrinking 412\n").family is None


# --- D3 without a log -------------------------------------------------------------------------------------------------


def _without_a_log(slow: float, samples: int) -> Run:
    run = Run(logs=False)
    for gpu in range(4):
        for n in range(samples):
            sm = slow if gpu == 2 else 0.155
            run.row(
                "gpu_samples", ts_ns=at(30 * n), gpu_uuid=f"GPU-{gpu}", engine_active=0.99, sm_active=sm, power_w=300.0
            )
    return run


@pytest.mark.parametrize(("slow", "samples", "family"), [(0.56, 200, "D3"), (0.16, 200, None), (0.56, 20, None)])
def test_a_gpu_that_works_while_its_peers_spin_needs_no_log(slow: float, samples: int, family: str | None) -> None:
    verdict = judge(_without_a_log(slow, samples).evidence())
    assert verdict.family == family, verdict.headline


# --- E3: a warm-up far longer than the run ----------------------------------------------------------------------------


@pytest.mark.parametrize(("warm_up", "family"), [(50, "E3"), (5, None)])
def test_a_warm_up_that_had_hardly_begun(tmp_path: Path, warm_up: int, family: str | None) -> None:
    lines = [f"Namespace(total_timesteps=300000, warmup_updates={warm_up}, lr=0.0003)", "9 updates of 32768 steps"]
    lines += [
        f"update {n}/9 | global_step {32768 * n} | v_loss {1300 - 55 * n:.1f} | lr {6e-6 * n:.2e}" for n in range(1, 10)
    ]
    verdict = told(tmp_path, "\n".join([*lines, "saved pump_policy.pt after 294912 steps, 62.5s in all", ""]), 0)
    assert verdict.family == family if family else verdict.family != "E3", verdict.headline


# --- the zone that a log names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("zone", "minutes"), [("JST", 540), ("CET", 60), ("PDT", -420), ("CST", None), ("XYZ", None)])
def test_the_zone_that_date_names(tmp_path: Path, zone: str, minutes: int | None) -> None:
    head = f"== job 61877 on ada04 == Tue Oct 27 13:02:18 {zone} 2026\n"
    lines = "".join(f"2026-10-27 13:{2 + n}:21 step {n} loss {loss(n):.4f}\n" for n in range(20))
    (tmp_path / "job.out").write_text(head + lines)
    rows = (
        "".join(f'["{1793073570 + 30 * n}", "97"],' for n in range(20))
        .replace('["17', "[17")
        .replace('", "', ', "')
        .rstrip(",")
    )
    series = (
        '{"metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL", "Hostname": "ada04", "gpu": "0"}, "values": [' + rows + "]}"
    )
    (tmp_path / "dcgm.json").write_text(
        '{"status": "success", "data": {"resultType": "matrix", "result": [' + series + "]}}"
    )
    assert import_paths([str(tmp_path)]).report.offset.minutes == minutes


# --- E2: who always looks for a checkpoint ----------------------------------------------------------------------------


def test_olmo_core_always_looks_into_its_folder(tmp_path: Path) -> None:
    stamp = "2025-09-02 13:{m:02}:46.300\tv100n05:0\t{where}\tINFO\t"
    lines = [
        stamp.format(m=1, where="olmo_core.train.trainer:520")
        + "No checkpoint found in save folder '/data2/hakka', will train from scratch"
    ]
    lines += [
        stamp.format(m=2 + n, where="olmo_core.train.callbacks.console_logger:88")
        + f"[step={60 * n}/2400,epoch=1]\n    train/CE loss={loss(n):.3f}"
        for n in range(1, 41)
    ]
    lines.append(stamp.format(m=45, where="olmo_core.train.trainer:710") + "Training complete")
    assert told(tmp_path, "\n".join([*lines, ""]), 0).family == "G1"
