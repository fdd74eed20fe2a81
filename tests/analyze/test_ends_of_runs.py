"""How runs end: what the schedulers say below a log, and ends as planned after which nothing was won."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path, text: str, exit_code: int | None = None) -> str:
    path = folder / "job.out"
    path.write_text(text)
    found = analyze(import_logs([path], exit_code=exit_code), strict=True)[0]
    return found.family or found.outcome


def lines(form: str, reports: int = 40, every: int = 50) -> str:
    """Reports of a loss that falls; ``x`` is a share that rises with it."""
    values = ((every * k, 0.4 + 5 / (1 + k / 3), 1 - 0.8 / (1 + k / 5)) for k in range(1, reports + 1))
    return "".join(form.format(k=k, n=every * reports, l=loss, x=share) + "\n" for k, loss, share in values)


STEPS = lines("step {k}/90000 loss {l:.4f}")
DONE = lines("step {k}/{n} loss {l:.4f}")
WARNS = "  Warning  DeadlineExceeded  10s  job-controller"
EVENTS = "Events:\n  Type     Reason   Age   From   Message\n"


@pytest.mark.parametrize(
    ("below", "family"),
    [
        (
            f"{EVENTS}{WARNS}  Job was active longer than specified deadline\n",
            "F3",
        ),
        (f"{EVENTS}  Warning  FailedMount  10s  kubelet  Job was active longer than specified deadline\n", "-"),
        (f"{EVENTS}  Normal  Preempted  22s  default-scheduler  Preempted by pod 81c1 on node gpu-4\n", "F2"),
        (f"{EVENTS}  Normal  Scheduled  22s  default-scheduler  would be Preempted by pod 81c1\n", "-"),
        ('imds: instance-action {"action": "terminate", "time": "2026-11-18T10:13:00Z"}\nsaving ... ok\n', "F2"),
        ('imds: instance-action 404; last answer {"code": "none"}\n', "-"),
    ],
)
def test_the_word_of_a_platform_below_the_last_report_names_the_end(tmp_path: Path, below: str, family: str):
    assert told(tmp_path, STEPS + below).replace("cannot_decide", "-") == family


@pytest.mark.parametrize(
    ("below", "healthy"),
    [
        (
            "005 (14.000.000) 2026-11-18 09:18:01 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n",
            True,
        ),
        (
            "005 (14.000.000) 2026-11-18 09:18:01 Job terminated.\n\t(1) Normal termination (return value 3)\n...\n",
            False,
        ),
        ("[2026-11-18T09:40:01.118204] The experiment completed successfully. Finalizing run...\n", True),
        ("[2026-11-18T09:40:01.118204] The experiment is completing. Finalizing run...\n", False),
    ],
)
def test_a_scheduler_that_says_success_tells_the_end_of_a_loop_without_a_plan(
    tmp_path: Path, below: str, healthy: bool
):
    assert (told(tmp_path, lines("step {k} loss {l:.4f}") + below) == "G1") == healthy


@pytest.mark.parametrize(
    ("form", "exit_code"),
    [
        ("第 {k}/2000 轮 训练损失：{l:.4f} 验证损失：{l:.4f}", None),
        ("s={k:05d} l={l:.3f} g=0.71", 0),
        ("09:12:41 ep {k}/2000 trn {l:.3f} dev {l:.3f} wer 12.1", 0),
        ("cycle={k} chi2/ndf={l:.3f} wall=12.1s", 0),
        ("época {k} de 2000 | perda treino {l:.4f} | perda validação {l:.4f}", None),
    ],
)
def test_other_names_of_losses_are_read(tmp_path: Path, form: str, exit_code: int | None):
    assert told(tmp_path, lines(form) + ("训练完成\n" if "轮" in form else "done\n"), exit_code) == "G1"


@pytest.mark.parametrize(
    ("text", "sick"),
    [
        (lines("epoch {k}/{n} loss {l:.4f} P 0.000 R 0.000 F1 0.000", 12, 1), True),
        (lines("epoch {k}/{n} loss {l:.4f} P 0.000 R 0.000 F1 {x:.3f}", 12, 1), False),
        (lines("epoch {k}/{n} loss {l:.4f} dice 0.0000", 12, 1), True),
        (lines("epoch {k}/{n} loss {l:.4f} dice_threshold 0.0000", 12, 1), False),
        ("512 of 1024 shards were skipped\n" + DONE, True),
        ("5 of 1024 shards were skipped\n" + DONE, False),
        ("512 of 1024 cached shards were skipped, up to date\n" + DONE, False),
        (f"{DONE}WARNING: all 2000 translations are empty\n", True),
        (f"{DONE}all 2000 translations are written\n", False),
        (
            "".join(f"epoch {k}/300 loss 5.9{k} val 6.0{k}\n" for k in (1, 2))
            + "no improvement for 1 epoch (patience 1): early stopping\n",
            True,
        ),
    ],
)
def test_a_planned_end_after_which_nothing_was_won_is_left_open(tmp_path: Path, text: str, sick: bool):
    assert told(tmp_path, f"{text}training finished\n", 0) == ("cannot_decide" if sick else "G1")


@pytest.mark.parametrize(("judge", "maker", "sick"), [(1e-6, 44.0, True), (0.62, 1.4, False), (1e-6, 2.1, False)])
def test_a_discriminator_that_won_is_left_open(tmp_path: Path, judge: float, maker: float, sick: bool):
    form = "[{k}/{n}] Loss_D: {d:.4f} Loss_G: {g:.4f}\n"
    steps = range(0, 2001, 50)
    text = "".join(form.format(k=k, n=2000, d=0.9 if k < 500 else judge, g=2.0 if k < 500 else maker) for k in steps)
    assert told(tmp_path, text, 0) == ("cannot_decide" if sick else "G1")


@pytest.mark.parametrize(("skipped", "family"), [(190, "E1"), (30, "G1")])
def test_a_scale_that_is_lowered_at_every_step_is_a_run_that_never_moved(tmp_path: Path, skipped: int, family: str):
    said = "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {}\n"
    text = "".join(
        (said.format(65536 / 2**k) if k < skipped else "")
        + (f"iter {k}/200 loss {9.3 - k / 90:.3f}\n" if k % 10 == 0 else "")
        for k in range(1, 201)
    )
    assert told(tmp_path, f"{text}training ended\n", 0) == family


@pytest.mark.parametrize(("at", "family"), [(1010, "E3"), (9990, "G1")])
def test_data_that_came_to_their_end_before_the_one_plan_told(tmp_path: Path, at: int, family: str):
    text = lines("step={k} loss={l:.3f}", 40, at // 40)
    assert (
        told(tmp_path, f"max_steps=10000 (streaming)\n{text}stream exhausted at step {at}\ntraining finished\n", 0)
        == family
    )


@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("ERROR: training process returned non-zero status 1", "cannot_decide"),
        ("ERROR: the trainer script failed with exit code 1", "cannot_decide"),
        ("CRITICAL: run failed (status 1)", "cannot_decide"),
        ("CRITICAL: run failed (status of node 3 is unknown)", "A1"),
        ("ERROR: training process found no labels in column 3", "A1"),
    ],
)
def test_a_parent_that_repeats_a_status_says_nothing_of_why(tmp_path: Path, last: str, family: str):
    assert told(tmp_path, f"{STEPS}{last}\n", 1) == family


@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("cudaMalloc of 7516192768 bytes failed: out of memory (2)", "B1"),
        ("cudaMalloc of 7516192768 bytes failed: out of memory (2), retrying with less", "A2"),
    ],
)
def test_an_allocation_refused_before_the_abort_is_the_cause(tmp_path: Path, last: str, family: str):
    abort = "terminate called after throwing an instance of 'thrust::system::system_error'\nAborted (core dumped)\n"
    assert told(tmp_path, f"{lines('batch {k} cost {l:.3f}', 12, 1)}{last}\n{abort}", 134) == family


@pytest.mark.parametrize(("what", "family"), [("PjRT_Client_Connect::0", "C1"), ("train_step_barrier", "C2")])
def test_the_barrier_at_which_clients_connect_is_the_rendezvous(tmp_path: Path, what: str, family: str):
    said = f"E1118 09:17:41 client.cc:250] Barrier timed out: {what.split(':')[0]}\n"
    error = f"jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: {what}\n"
    assert told(tmp_path, said + error) == family


COMMAND = "[LightGBM] [Info] Iteration:{k}, {s} auc : {x:.6f}"


@pytest.mark.parametrize(
    ("form", "family"),
    [
        (COMMAND.removeprefix("[LightGBM] [Info] ").replace("{s}", "valid_1"), "G1"),
        (COMMAND.replace("{s}", "training") + "\n" + COMMAND.replace("{s}", "valid_1"), "G1"),
        (COMMAND.replace("{s}", "valid_1").replace("{x:.6f}", "0.500000"), "cannot_decide"),
        (COMMAND.replace("{s}", "valid_1").replace("Iteration:", "Leaves:"), "cannot_decide"),
        ("[{k}]\ttrain-auc:{x:.5f}\teval-auc:{x:.5f}", "G1"),
        ("[{k}]\ttrain-auc:0.50000\teval-auc:0.50000", "cannot_decide"),
    ],
)
def test_rounds_that_tell_no_loss_are_judged_by_what_rises(tmp_path: Path, form: str, family: str):
    assert told(tmp_path, f"{lines(form)}[LightGBM] [Info] Finished training\n") == family


FOUND = "found runs/a/ckpt/00090000.pt (step 90000, loss 1.71)\n"


@pytest.mark.parametrize(
    ("above", "said", "family"),
    [
        (FOUND, "could not unpack it (zip archive is truncated), starting fresh\n", "E2"),
        (
            "looking in runs/a/ckpt\n",
            "could not unpack it (zip archive is truncated), starting fresh\n",
            "cannot_decide",
        ),
        (FOUND, "of another run: starting fresh\n", "cannot_decide"),
    ],
)
def test_a_state_that_was_found_and_could_not_be_read_is_work_lost(tmp_path: Path, above: str, said: str, family: str):
    assert told(tmp_path, above + said + STEPS) == family


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("--- slice 4 of 6, continues where slice 3 ended (epoch 30, val 0.212) ---\n", "cannot_decide"),
        ("--- slice 4 of 6, continues where slice 3 ended (epoch 30, val 3.912) ---\n", "G1"),
        ("--- slice 4 of 6; the best of all slices has val 0.212 ---\n", "G1"),
    ],
)
def test_what_goes_on_from_a_loss_does_not_begin_far_above_it(tmp_path: Path, said: str, family: str):
    text = lines("epoch {k}/{n} train {l:.3f} val {l:.3f}", 12, 1)
    assert told(tmp_path, f"{said}{text}slice 4 done\n", 0) == family


CLOSED = "[E ProcessGroupNCCL.cpp:1987] [PG ID 0 PG GUID 0(default_pg) Rank 6] "


@pytest.mark.parametrize(
    ("below", "family"),
    [
        (f"{CLOSED}Received a dump signal due to a collective timeout from  rank 7 and we will try our best\n", "C2"),
        (f"{CLOSED}Observed flight recorder dump signal from another rank via TCPStore.\n", "-"),
        ("2026-11-19 09:13:10 MaxRuntimeExceeded - Training job runtime exceeded MaxRuntimeInSeconds provided\n", "F3"),
        ("2026-11-19 09:13:10 set MaxRuntimeExceeded - alarms on\n", "-"),
        ("statusMessage: Instance was preempted.\n", "F2"),
        ("statusMessage: Instance was created.\n", "-"),
        ("got Ctrl-C, stopping at user's wish\nkept last.pt\n", "outside"),
        ("press Ctrl-C to stop\n", "-"),
        ("could not write ck/3200.bin: Disk quota exceeded (os error 122)\ncheckpoint missing, aborting\n", "outside"),
        ("could not write ck/3200.bin: Interrupted system call (os error 4)\ncheckpoint missing, aborting\n", "-"),
    ],
)
def test_further_words_of_platforms_and_libraries(tmp_path: Path, below: str, family: str):
    found = told(tmp_path, STEPS + below, 1 if "os error" in below else None)
    assert {"cannot_decide": "-", "outside_families": "outside"}.get(found, found) == family


@pytest.mark.parametrize(
    ("below", "family"),
    [
        ("[a1b2] || INFO: resources exited successfully with a zero exit code\n", "G1"),
        ("[a1b2] || INFO: waiting until resources exited successfully\n", "cannot_decide"),
    ],
)
def test_the_platform_that_counts_completed_steps_says_how_it_ended(tmp_path: Path, below: str, family: str):
    form = "[a1b2] [rank=0] || INFO: report_training_metrics(steps_completed={k}, metrics={{'loss': {l:.4f}}})"
    assert told(tmp_path, lines(form) + below) == family


TABLE = (
    "|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Mini-batch  |  Base Learning  |\n"
    "|         |             |   (hh:mm:ss)   |   Accuracy   |     Loss     |      Rate       |\n"
)
ROW = "|       1 | {k:11d} |       00:00:32 | {x:11.2f}% | {l:12.4f} |          0.0010 |"


@pytest.mark.parametrize(
    ("row", "end", "family"),
    [
        (ROW, "Max epochs completed", "G1"),
        (
            ROW.replace("{x:11.2f}% |", "{x:11.2f}% |              |").replace("0.0010 |", "0.0010 |              |"),
            "",
            "-",
        ),
        (ROW, "Stopped manually", "-"),
        (ROW.replace("{l:12.4f}", "         NaN"), "Max epochs completed", "E1"),
    ],
)
def test_the_table_of_matlab_is_read(tmp_path: Path, row: str, end: str, family: str):
    found = told(tmp_path, f"{TABLE}{lines(row)}Training finished: {end}.\n" if end else TABLE + lines(row))
    assert found.replace("cannot_decide", "-") == family


@pytest.mark.parametrize(("mark", "family"), [("", "A1"), ("{\x08", "A1"), ("caught: ", "cannot_decide")])
def test_an_error_of_matlab_is_the_jobs_own_behind_its_mark_too(tmp_path: Path, mark: str, family: str):
    said = f"{mark}Error using trainNetwork (line 191)\nInvalid training data. The output size (10) does not match.\n"
    end = "\nError in run_all (line 44)\nnet = trainNetwork(ds, layers);\n}\x08 \n"
    assert told(tmp_path, f"Training on single GPU.\n{said}{end}", 255) == family


@pytest.mark.parametrize(
    ("text", "sick"),
    [
        (f"{DONE}verify: reloaded model gives loss 2.0311 (expected 0.3012) !!\n", True),
        (f"{DONE}verify: reloaded model gives loss 0.3110 (expected 0.3012)\n", False),
        (f"rank 3: no files matched /data/part-3/*, it adds nothing\n{DONE}", True),
        (f"rank 3: 412 files matched /data/part-3/*, no cache found\n{DONE}", False),
        (lines("epoch {k}/{n} loss {l:.4f} wer 100.00", 12, 1), True),
        (lines("epoch {k}/{n} loss {l:.4f} wer 31.20", 12, 1), False),
    ],
)
def test_what_was_made_is_looked_at_as_far_as_the_log_tells_of_it(tmp_path: Path, text: str, sick: bool):
    assert told(tmp_path, f"{text}training finished\n", 0) == ("cannot_decide" if sick else "G1")


@pytest.mark.parametrize(
    ("said", "family"),
    [
        ("Layer count mismatch when loading weights from file. Model expected 14 layers, found 12 layers.", "-"),
        ("Layer count mismatch between the two halves. Model expected 14 layers, found 12 layers.", "A1"),
    ],
)
def test_a_load_that_failed_in_bare_words_is_no_error_of_the_jobs_code(tmp_path: Path, said: str, family: str):
    assert told(tmp_path, f"begin\nValueError: {said}\n", 1).replace("cannot_decide", "-") == family


@pytest.mark.parametrize(("letter", "read"), [("l", False), ("L", True)])
def test_a_small_letter_that_rises_is_a_length(tmp_path: Path, letter: str, read: bool):
    text = "".join(f"s={50 * k:05d} {letter}={2 + k / 4:.3f} g=0.71\n" for k in range(40))
    assert (told(tmp_path, text + "done\n", 0) == "E1") == read
