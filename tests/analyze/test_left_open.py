"""What an expert reads off a log at one look and was left open, each with a near miss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._causes import Cause, classify
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def verdict(folder: Path, text: str, status: int | None = None) -> Verdict:
    """What the engine says of one log."""
    path = folder / "job.log"
    path.write_text(text)
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def steps(form: str, count: int = 30) -> str:
    """A loop whose loss (``x``) falls."""
    return "".join(form.format(i=i, x=2.4 * math.exp(-i / 12) + 0.3) + "\n" for i in range(1, count + 1))


# --- clocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("it {i} loss {x:.4f} learn 0.11s save 3.82s (6 copies, synced)", "D2"),
        ("step {i}: train 0.41s, archive 5.12s, loss {x:.4f}", "D2"),
        ("step {i} 14.3s of which checkpoint 12.6s, loss {x:.4f}", "D2"),
        ("step {i}: fwd+bwd 0.52s, exchange 4.91s, loss {x:.4f}", "D2"),
        ("step {i}: read 2.31 s, learn 0.018 s, loss {x:.4f}", "D1"),
        ("round {i}: starved 3.3s waiting on the feed, worked 0.2s, loss {x:.4f}", "D1"),
        ("[{i}] unpack 6.25s gpu 0.12s loss {x:.4f}", "D1"),
        # Most of the time was spent in learning, or nothing is a time.
        ("it {i} loss {x:.4f} learn 3.82s save 0.11s", "G1"),
        ("step {i}: read 0.03 s, learn 1.8 s, loss {x:.4f}", "G1"),
        ("it {i} loss {x:.4f} learned 0.11 archive 3.82 files", "G1"),
    ],
)
def test_what_a_step_was_spent_on_by_a_loops_own_words(tmp_path: Path, line: str, family: str) -> None:
    assert verdict(tmp_path, steps(line, 40) + "training finished\n", 0).family == family


# --- progress --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("lap {i} of 30   misfit {x:.4f}   took 1.2s", (30, 30)),
        ("row {i}0 | slack {x:.4f} | 0.2s", (300, None)),
        ("Epoch(train) [{i}][500/500]  lr: 2.0000e-02  eta: 0:10:00  memory: 5121  loss: {x:.4f}", (30, None)),
    ],
)
def test_reports_of_unusual_form_count(tmp_path: Path, line: str, last: tuple[int, int | None]) -> None:
    path = tmp_path / "job.log"
    path.write_text(steps(line))
    rows = parse_logs(import_logs([path]))["fact_steps"].select("step", "total_steps", "loss").rows()
    assert (rows[-1][:2], len(rows)) == (last, 30)
    assert rows[-1][2] is not None


@pytest.mark.parametrize("line", ["shelf {i} of 30   weight {x:.4f}", "port {i} slack {x:.4f}"])
def test_a_number_of_anything_else_is_no_progress(tmp_path: Path, line: str) -> None:
    path = tmp_path / "job.log"
    path.write_text(steps(line))
    assert parse_logs(import_logs([path]))["fact_steps"].is_empty()


def test_parts_of_an_epoch_behind_its_number_in_brackets_add_up(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text(
        "".join(f"Epoch(train) [{e}][{i:3d}/100] lr: 1e-2 loss: {9 / (e + i)}\n" for e in (1, 2) for i in (50, 100))
    )
    rows = parse_logs(import_logs([path]))["fact_steps"].select("epoch", "step").rows()
    assert rows == [(1.0, 50), (1.0, 100), (2.0, 150), (2.0, 200)]


def test_the_objective_of_l_bfgs_b_is_read(tmp_path: Path) -> None:
    text = "".join(f"\nAt iterate {i:4d}    f=  {9.5 / (i + 1):.5f}D+02    |proj g|=  1.0D+00\n" for i in range(10))
    path = tmp_path / "job.log"
    path.write_text(text)
    rows = parse_logs(import_logs([path]))["fact_steps"].select("step", "loss").rows()
    assert rows[0] == (0, 950.0)
    assert len(rows) == 10


@pytest.mark.parametrize(("second", "began_again"), [(25, False), (12, True)])
def test_runs_of_equal_length_are_no_restarts(tmp_path: Path, second: int, began_again: bool) -> None:
    """Each of several seeds does all epochs; a run that broke off and was tried again did fewer at first."""
    form = "Run: {n:02d}, Epoch: {i:02d}, Loss: {x:.4f}, Train: 91.02%\n"
    text = "".join(
        form.format(n=n, i=i, x=2.2 * math.exp(-i / 9) + 0.4)
        for n, k in ((1, second), (2, 25))
        for i in range(1, k + 1)
    )
    attempts = parse_logs(import_logs([_written(tmp_path, text)]))["fact_attempts"]
    assert (attempts.height > 1) is began_again


def _written(folder: Path, text: str) -> Path:
    path = folder / "job.log"
    path.write_text(text)
    return path


# --- how it ended ----------------------------------------------------------------------------------------------------

_LOOP = steps("step {i}0/20000 loss {x:.3f}")


@pytest.mark.parametrize(
    ("end", "family"),
    [
        ("wall clock budget of 3:55:00 used up at step 300 of 20000; state saved for the next slot\n", "F3"),
        ("time slot of 4 h is over, stopping at step 300 of 20000\n", "F3"),
        ("time budget of the search is over, stopping at step 300 of trial 2\n", None),
        ("2025-03-11 WARN imds: received spot instance interruption notice: terminate\n", "F2"),
        ("!! the cloud takes this machine back in 120 s (spot reclaim)\nsaving and leaving\n", "F2"),
        ("subscribed to the spot interruption notice of this machine\n", None),
        ("Exited; the execution host or allocated hosts <g12> went down.\n", "F1"),
        ("the execution host g12 is downloading weights\n", None),
        ("training stopped: RuntimeError: The size of tensor a (64) must match the size of tensor b (48)\n", "A1"),
        ("training stopped by early stopping\n", None),
    ],
)
def test_the_words_of_an_end_short_of_the_plan(tmp_path: Path, end: str, family: str | None) -> None:
    found = verdict(tmp_path, _LOOP + end, None if family == "F1" else 0)
    assert found.family in ({family} if family else {None, "G1", "E3"})


def test_a_loop_that_left_when_preempted_is_not_said_to_have_completed_later(tmp_path: Path) -> None:
    found = verdict(tmp_path, _LOOP + "got a preemption signal from the scheduler, saving\nleaving\n", 0)
    assert found.family == "F2"
    assert "later run of it completed" not in found.headline


@pytest.mark.parametrize(("last", "ended"), [("exit=0", True), ("rc: 0", True), ("exit=3", False), ("grade=0", False)])
def test_a_status_of_0_that_a_script_prints_last_is_a_weak_end(tmp_path: Path, last: str, ended: bool) -> None:
    kinds = parse_logs(import_logs([_written(tmp_path, steps("step {i} loss {x:.3f}") + last + "\n")]))["fact_events"]
    assert ("farewell" in kinds["kind"].to_list()) is ended


# --- swallowed -------------------------------------------------------------------------------------------------------

_RAISED = """Traceback (most recent call last):
  File "forecast.py", line 31, in <module>
    horizon = cfg['model']['horizon']
KeyError: 'horizon'
"""


def test_a_crash_before_anything_trained_is_not_undone_by_the_words_of_the_next_command(tmp_path: Path) -> None:
    found = verdict(tmp_path, "reading forecast.toml\n" + _RAISED + "pipeline: all stages done\n", 0)
    assert found.family == "A1"
    assert found.confidence <= 0.7


@pytest.mark.parametrize(
    "text",
    [
        steps("step {i}/30 loss {x:.4f}") + _RAISED + "all 30 steps done\n",  # it trained
        "2025-03-11 09:14:02 ERROR optional part left out\n" + _RAISED + "all stages done\n",  # a logger showed it
        _RAISED.replace("<module>", "probe") + "all stages done\n",  # it was caught, below the program
    ],
)
def test_a_traceback_that_was_survived_is_none(tmp_path: Path, text: str) -> None:
    assert verdict(tmp_path, text, 0).family != "A1"


@pytest.mark.parametrize(("times", "family"), [(4, "A1"), (1, None)])
def test_a_keeper_that_started_in_vain(tmp_path: Path, times: int, family: str | None) -> None:
    one = "[keeper] start\nModuleNotFoundError: No module named 'einops'\n[keeper] worker left with 1\n"
    assert verdict(tmp_path, one * times + "[keeper] leaving\n", 0).family == family


def test_imports_that_each_rank_did_without_are_no_crash(tmp_path: Path) -> None:
    text = "ModuleNotFoundError: No module named 'apex'\n" * 4 + steps("step {i} loss {x:.4f}") + "training finished\n"
    assert verdict(tmp_path, text, 0).family == "G1"


# --- checkpoints -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("resume: wanted model_300.bin\nno such file model_300.bin here, initialising at random\n", "E2"),
        ("resuming from ckpt_9000.pt\ntook over 0 of 212 tensors (names differ)\n", "E2"),
        # At the first start of all it is looked for as well, and a folder is where a run of that name would be.
        ("continue from runs/lichen\nnothing there, fresh weights\n", None),
        ("auto-resume from model_300.bin\nno such file model_300.bin here, initialising at random\n", None),
        ("no such file cache_3.bin here, starting over with the download\n", None),
        ("copied 212 of 212 tensors\n", "G1"),
    ],
)
def test_a_resume_that_found_nothing(tmp_path: Path, said: str, family: str | None) -> None:
    found = verdict(tmp_path, said + steps("step {i} loss {x:.4f}") + "training finished\n", 0)
    assert found.family in ({family} if family else {None, "G1"})


@pytest.mark.parametrize(
    ("exc_type", "message", "code", "cause"),
    [
        ("RuntimeError", "PytorchStreamReader failed reading zip archive", "s = torch.load(args.resume)", "checkpoint"),
        ("RuntimeError", "PytorchStreamReader failed reading zip archive", "x = torch.load(shard_path)", "application"),
        ("DataLossError", "Unable to open table file /m/model.ckpt-20: not an sstable", "", "checkpoint"),
        ("DataLossError", "corrupted record at 1204", "", "application"),
        ("XlaRuntimeError", "DEADLINE_EXCEEDED: Barrier timed out.", "jax.distributed.initialize()", "rendezvous"),
        ("XlaRuntimeError", "DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks", "", "rendezvous"),
        ("XlaRuntimeError", "DEADLINE_EXCEEDED: Barrier timed out. Id: sync_global_devices", "", "collective"),
    ],
)
def test_what_a_read_or_a_barrier_was_for(exc_type: str, message: str, code: str, cause: str) -> None:
    assert classify(exc_type, message, "train.py:88 <module>", code).cause == Cause(cause)


def test_what_tensorflow_says_of_its_graph_is_below_its_heading(tmp_path: Path) -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "fit.py", line 70, in <module>\n    model.fit(ds)\n'
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\n"
        "Detected at node 'model/Conv2D' defined at (most recent call last):\n"
        '    File "fit.py", line 70, in <module>\n      model.fit(ds)\n'
        "Node: 'model/Conv2D'\n"
        "OOM when allocating tensor with shape[64] and type float on /job:localhost/device:GPU:0 by allocator bfc\n"
    )
    found = verdict(tmp_path, text, 1)
    assert found.family == "B1"
    assert verdict(tmp_path, text.split("Node: ")[0].replace("ResourceExhausted", "InvalidArgument"), 1).family == "A1"


# --- nothing to learn from, and a GPU that was lost ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("try 3: no shards in /data/*.tar\ngiving up: nothing to train on\n", "A1"),
        ("after filters: 0 rows\nno rows left to train on, leaving\n", "A1"),
        (steps("step {i} loss {x:.4f}") + "no shards left to train on, done\n", "G1"),  # it had trained on all of them
        ("if there is nothing to train on, the job leaves\n", None),
    ],
)
def test_a_program_that_found_nothing_to_train_on(tmp_path: Path, text: str, family: str | None) -> None:
    assert verdict(tmp_path, text, 0).family == family


@pytest.mark.parametrize(
    ("error", "family"),
    [
        ("RuntimeError: CUDA error: unknown error", "B2"),
        ("ValueError: too many values to unpack", "A1"),  # no GPU brings that about, and it came first
    ],
)
def test_a_gpu_found_lost_after_the_end_was_lost_before(tmp_path: Path, error: str, family: str) -> None:
    text = steps("step {i} loss {x:.4f}") + 'Traceback (most recent call last):\n  File "t.py", line 8, in <module>\n'
    text += f"    loss.backward()\n{error}\n== epilog nvidia-smi ==\n"
    text += "Unable to determine the device handle for GPU0000:41:00.0: GPU is lost.  Reboot the system\n"
    assert verdict(tmp_path, text, 1).family == family


@pytest.mark.parametrize(
    ("notice", "family"),
    [
        ("[1]+  Killed                  nohup python fit.py", "A2"),
        ("[1]-  Done                    python fit.py", "G1"),
        ("[1]+  Killed                  tensorboard --logdir logs", "G1"),
    ],
)
def test_a_shell_tells_of_a_job_in_the_background(tmp_path: Path, notice: str, family: str) -> None:
    text = steps("batch {i} | err {x:.3f} | loss {x:.3f}") + notice + "\npacking results\n"
    assert verdict(tmp_path, text, 0).family == family


def test_weights_that_hdf5_cannot_open_are_a_checkpoint() -> None:
    text = "Unable to open file (truncated file: eof = 41943040, stored_eof = 98012312)"
    frames = "h5py/h5f.pyx:106 h5py.h5f.open"
    assert classify("OSError", text, frames, "model.load_weights('weights/ep07.h5')").cause == Cause.CHECKPOINT
    assert classify("OSError", text, frames, "f = h5py.File(args.features)").cause == Cause.APPLICATION


def test_what_ends_a_program_of_kaldis(tmp_path: Path) -> None:
    said = "ERROR (nnet3-train[5.5]:CheckInput():nnet-training.cc:122) Dimension mismatch: expected 40, got 43\n"
    assert verdict(tmp_path, "# nnet3-train 0.raw ark:egs.1.ark 1.raw\n" + said + "\n[ Stack-Trace: ]\n").family == "A1"
