"""Crashes in the words of programs of their own, what came after all was done, and ends that are told in few words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str) -> Verdict:
    path = folder / "job.log"
    path.write_text(text, encoding="utf-8")
    return analyze(import_logs([path]), strict=True)[0]


def falling(at: int) -> float:
    return 2.4 * math.exp(-at / 15) + 0.3 + 0.01 * ((7 * at) % 5)


def epochs(count: int, form: str = "epoch {k}/{n} loss {l:.4f}", plan: int = 40, first: int = 1) -> str:
    return "".join(form.format(k=k, n=plan, l=falling(k)) + "\n" for k in range(first, count + first))


UPLOAD = """\
uploading 4 files to the tracking server
Traceback (most recent call last):
  File "/env/lib/site-packages/tracker/rest.py", line 128, in request
    raise TrackerException(message)
tracker.exceptions.TrackerException: request failed: too many 500 error responses
"""


# --- what was raised after all was done ------------------------------------------------------------------------------
@pytest.mark.parametrize("last", ["done, exit=0", "[go.sh] rc=0", "job_end rc=0 out=final.pt", "код возврата 0"])
def test_a_crash_after_all_was_done_where_the_script_says_0(tmp_path: Path, last: str) -> None:
    verdict = judged(tmp_path, epochs(40) + UPLOAD + f"left in ./offline\n{last}\n")
    assert verdict.family == "G1", verdict.headline


@pytest.mark.parametrize(
    ("reports", "last"),
    [
        (40, "done, exit=1"),
        (40, ""),  # nobody says how it ended
        (25, "done, exit=0"),  # a pipe's status, it may be: not all was done
    ],
)
def test_a_crash_that_may_be_the_end(tmp_path: Path, reports: int, last: str) -> None:
    assert judged(tmp_path, epochs(reports) + UPLOAD + f"{last}\n").family != "G1"


# --- errors by a program's own check of a call -----------------------------------------------------------------------
ECC = {
    "gromacs": "cudaStreamSynchronize failed! CUDA error #214 (cudaErrorECCUncorrectable):\nuncorrectable ECC error",
    "cudarc": 'Error: DriverError(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered")',
    "helper": 'CUDA error at sim.cu:31 code=214(cudaErrorECCUncorrectable) "cudaDeviceSynchronize()"',
}
EXIT = "srun: error: gn04: task 0: Exited with exit code 1\n"


@pytest.mark.parametrize("form", ECC)
def test_ecc_errors_by_a_check_of_ones_own(tmp_path: Path, form: str) -> None:
    assert judged(tmp_path, epochs(20) + ECC[form] + "\n" + EXIT).family == "B2"


def test_a_list_of_errors_is_none(tmp_path: Path) -> None:
    listed = "cudaErrorECCUncorrectable = 214: an uncorrectable ECC error was detected\n"
    assert judged(tmp_path, listed + epochs(40) + "training complete\n").family == "G1"


def test_a_refusal_of_rapids_is_of_the_gpu(tmp_path: Path) -> None:
    raised = (
        'Traceback (most recent call last):\n  File "grid.py", line 41, in <module>\n    m.fit(X, y)\nMemoryError: {}\n'
    )
    gpu = "std::bad_alloc: out_of_memory: CUDA error (failed to allocate 8589934592 bytes) at: /opt/rmm/cuda.hpp"
    assert judged(tmp_path, raised.format(gpu)).family == "B1"
    assert judged(tmp_path, raised.format("std::bad_alloc")).family != "B1"


def test_a_device_that_is_not_there(tmp_path: Path) -> None:
    said = "xgboost.core.XGBoostError: [00:47:59] /src/cuda_rt_utils.cc:36: "
    said += "Check failed: ordinal < n (3 vs. 1) : Invalid device ordinal.\n"
    fold = "fold {} loaded: 18 M rows\n" + said + "fold left out\n"
    assert judged(tmp_path, "".join(fold.format(k) for k in range(1, 6)) + "0 of 5 folds trained\n").family == "A1"
    fine = judged(tmp_path, said + "taking cuda:0 instead\n" + epochs(40) + "training complete\n")
    assert fine.family != "A1", fine.headline


# --- tries of a workflow ---------------------------------------------------------------------------------------------
KILLED = ".command.run: line 148: 2211 Killed                  /bin/bash .command.sh\n"
OPEN = "part epoch {k} :: nll {l:.3f} :: 13.0s"


def test_a_try_with_more_memory_is_no_silent_restart(tmp_path: Path) -> None:
    text = "# attempt 1 mem=32 GB\n{}" + KILLED + "# attempt {} GB\n{}done: 60 epochs\n"
    more = text.format(epochs(13, OPEN), "2 mem=64", epochs(60, OPEN))
    assert judged(tmp_path, more).family == "G1"
    saved = text.format(epochs(13, OPEN) + "saved checkpoint ckpt_13.pt\n", "2 mem=32", epochs(60, OPEN))
    assert judged(tmp_path, saved).family == "E2"


# --- who never reached the place to meet -----------------------------------------------------------------------------
AWAY = {
    "structlog": "2026-05-27T08:{m:02d}:10Z [warning ] coordinator unreachable"
    "  err='Name or service not known' tries={m}",
    "mindspore": "[WARNING] DISTRIBUTED(23,7f,python):2026-09-21-03:{m:02d}:22.650 [cluster_context.cc:271] "
    "Failed to connect"
    " to the meta server node url: 10.20.4.31:8118",
    "german": "2026-05-27 08:{m:02d}:10 Koordinator ist noch nicht erreichbar, Versuch {m}",
}
UP = {"structlog": "[error ] giving up", "mindspore": "RuntimeError: build timed out", "german": "aufgegeben"}


@pytest.mark.parametrize("form", AWAY)
def test_a_place_to_meet_that_nobody_reached(tmp_path: Path, form: str) -> None:
    asked = "".join(AWAY[form].format(m=m) + "\n" for m in range(1, 31))
    assert judged(tmp_path, asked + UP[form] + "\nrc=1\n").family == "C1"


@pytest.mark.parametrize("form", AWAY)
def test_a_place_to_meet_that_came_late(tmp_path: Path, form: str) -> None:
    asked = "".join(AWAY[form].format(m=m) + "\n" for m in range(1, 6))
    assert judged(tmp_path, asked + epochs(40) + "training complete\n").family == "G1"


# --- ends in few words -----------------------------------------------------------------------------------------------
PLAIN = "época {k} | pérdida {l:.4f} | avance 11.4 s"


@pytest.mark.parametrize(
    "last",
    [
        "fin: 40 épocas en 20 min 41 s; guardado red_final.pt",
        "[go.sh] rc=0",
        "exit=0",
        "退出码 0",
        "5 partitions written, 0 failed",
        "8 of 8 steps (100%) done",
        "saved flow_final.pt; test rmse 0.312",
        "Modell geschrieben: schaden-1.7.zip (31 MB)",
    ],
)
def test_ends_that_are_told(tmp_path: Path, last: str) -> None:
    assert judged(tmp_path, epochs(40, PLAIN) + last + "\n").family == "G1"


@pytest.mark.parametrize(
    "last",
    [
        "guardado red_40.pt",
        "[go.sh] rc=1",
        "exit=143",
        "4 partitions written, 1 failed",
        "7 of 8 steps (88%) done",
        "reached memory limit, flushing",
        "época 40 guardada",
    ],
)
def test_ends_that_are_none(tmp_path: Path, last: str) -> None:
    assert judged(tmp_path, epochs(40, PLAIN) + last + "\n").family != "G1"


def test_the_plan_of_a_call_of_fastai(tmp_path: Path) -> None:
    head = "learn.fine_tune({}, 2e-3)\n\nepoch     train_loss  valid_loss  error_rate  time    \n"
    rows = "".join(f"{k:<9} {falling(k):.6f}    {falling(k) + 0.05:.6f}    0.08      02:11   \n" for k in range(40))
    assert judged(tmp_path, head.format(40) + rows).family == "G1"
    assert judged(tmp_path, head.format(60) + rows).family != "G1"


def test_losses_that_lightning_names_by_step(tmp_path: Path) -> None:
    bar = "Epoch {k}: 100%|██████████| 420/420 [01:48<00:00,  3.99it/s, v_num=8, "
    bar += "train/loss_step={l:.3f}, val/dice=0.{k:02d}]"
    done = judged(tmp_path, epochs(40, bar, first=0) + "`Trainer.fit` stopped: `max_epochs=40` reached.\n")
    assert done.family == "G1"
    assert "the loss fell" in done.headline


def test_how_many_codes_are_in_use_is_no_loss(tmp_path: Path) -> None:
    form = "progress upd={k} contrastive={l:.4f} codebook_ppl=31{n}"
    text = "".join(form.format(k=50 * k, l=falling(k), n=k % 7) + "\n" for k in range(1, 60))
    verdict = judged(tmp_path, text + "finished upd=2950\n")
    assert verdict.family in {"G1", None}
    assert "31" not in verdict.headline


# --- names cut short, and times beside them --------------------------------------------------------------------------
def test_epochs_that_come_to_take_longer_are_not_called_healthy(tmp_path: Path) -> None:
    def log(late: float) -> str:
        took = [(31.0 if k < 30 else late) + 0.1 * (k % 3) for k in range(61)]
        form = "Ep.{k:02d} L={l:.4f} Lv={v:.4f} dauer={s:.1f}s"
        lines = (form.format(k=k, l=falling(k), v=falling(k) + 0.02, s=took[k]) for k in range(1, 61))
        return "\n".join([*lines, "fertig, Netz in netz_060.bson", ""])

    assert judged(tmp_path, log(31.0)).family == "G1"
    assert judged(tmp_path, log(69.0)).family is None


def test_simulations_close_their_logs(tmp_path: Path) -> None:
    rows = "   Step          Temp          E_pair         TotEng         Press\n"
    rows += "".join(f"{500 * k:7d}   {298 + k % 5}.5454  -2893448.9  -2120573  {110 + k % 9}.699\n" for k in range(200))
    end = "Loop time of 1884.21 on 4 procs for 100000 steps with 864000 atoms\n\nTotal wall time: 0:31:31\n"
    assert judged(tmp_path, rows + end).family == "G1"
    assert judged(tmp_path, rows).family is None


def test_no_time_was_left_by_its_own_word(tmp_path: Path) -> None:
    def log(reports: int, whole: int) -> str:
        form = "Epoch(train) [{e}][{i}/500] lr: 2.0e-02 eta: 0:{m:02d}:{s:02d} time: 0.4 loss: {l:.4f}\n"
        left = (whole - 20 * k for k in range(1, reports + 1))
        return "".join(
            form.format(e=1 + k // 10, i=50 * (1 + k % 10), m=max(0, at) // 60, s=max(0, at) % 60, l=falling(k))
            for k, at in enumerate(left)
        )

    assert judged(tmp_path, log(40, 800)).family == "G1"
    assert judged(tmp_path, log(30, 800)).family is None  # ten minutes were left
    assert judged(tmp_path, log(10, 200)).family is None  # of the only epoch, it may be
