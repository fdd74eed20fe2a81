"""What a log says becomes facts; what only looks like it does not."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

import time

import polars as pl
import pytest

from inquest.analyze.logs import parse_logs
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.schema import BY_NAME
from inquest.bundle.store import MemoryStore


def facts(text, *, rank=None, source="job.log", **tables):
    rows = [{"text": line, "source": source, "stream": "file", "rank": rank} for line in text.split("\n")]
    return parse_logs(MemoryStore.from_rows({"log_lines": rows, **tables}))


def kinds(text, **tables):
    return set(facts(text, **tables)["fact_events"]["kind"])


def steps(text, *columns):
    return facts(text)["fact_steps"].select(columns).rows()


TRACE = """Traceback (most recent call last):
  File "/work/train.py", line 12, in main
    loss = step(batch)
           ^^^^^^^^^^^
  File "/venv/lib/python3.11/site-packages/torch/x.py", line 3, in step
    raise ValueError("bad sample 7")
ValueError: bad sample 7"""


def test_tables_have_the_columns_of_the_schema():
    for name, frame in facts("step 1 loss 2.0\n" + TRACE).items():
        assert tuple(frame.columns) == BY_NAME[name].column_names
    empty = parse_logs(MemoryStore({}))
    assert {name: frame.height for name, frame in empty.items()} == dict.fromkeys(empty, 0)


# --- lines that look like causes and are not (log-formats.md, sections 4 to 6) --------------------------------------
@pytest.mark.parametrize(
    "line",
    [
        "Setting OMP_NUM_THREADS environment variable for each process to be 1",
        "/v/x.py:3: UserWarning: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 1.00 GiB",
        "+ python train.py --on-error 'CUDA error: an illegal memory access was encountered'",
        "Namespace(resume=None, note='RuntimeError: CUDA error: out of memory')",
        "# retry when NCCL WARN NET/IB : mlx5_0:1 Got async error event: port error",
        "export NOTE='slurmstepd: error: *** JOB 1 ON n CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***'",
        "max_restarts=3, on failure will restart worker group",
        "saving checkpoint every 100 steps to out/ckpt",
        "resume_from_checkpoint: null",
        "[W1120 18:1:1.0 socket.cpp:700] [c10d] The client socket has timed out after 15000ms while trying to connect to"
        " (h, 29512). - retrying (try=0, timeout=15000ms, delay=7267ms)",
        "[/gloo/transport/tcp/debug_logger.cc:9] ERROR failed to connect, willRetry=1, retry=1, retryLimit=3",
        "WARNING: destroy_process_group() was not called before program exit",
        "'[Errno -2] Name or service not known' thrown while requesting HEAD https://huggingface.co/x",
        "NCCL INFO NET/Plugin: Could not find: libnccl-net.so",
        "h:1:2 [0] NCCL WARN NET/IB : mlx5_0:1 Got non-fatal async event: lid change",
        "score.weight | MISSING | ",
        "resource_tracker: There appear to be 4 leaked semaphore objects to clean up at shutdown",
        "if loss is nan, training stops",
        "GPU available later",
        "data/Killed_by_signal_9/Segmentation_fault.txt loaded",
        "214 cudaErrorECCUncorrectable uncorrectable ECC error encountered",
        "Killed 3 stale workers",
    ],
)
def test_frightening_line_is_no_event(line):
    assert kinds(line) <= {Kind.NEXT_RUN}  # that a command begins, where a shell shows it


def test_code_quoted_in_a_traceback_is_no_event():
    text = TRACE.replace("loss = step(batch)", 'raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")')
    assert kinds(text) == {Kind.EXCEPTION}


def test_repetition_is_bounded():
    text = "\n".join(["RuntimeError: CUDA error: out of memory"] * 5000)
    assert facts(text)["fact_events"].height == 400


@pytest.mark.parametrize(
    "unit", ["loss ", "step 1 ", "\x1b[0m", "1/2 [00:00<", "[rank0]: ", "({[", "checkpoint ", "Error: ", '  File "a"']
)
def test_adversarial_line_takes_linear_time(unit):
    def seconds(times):
        began = time.process_time()
        facts(unit * times)
        return time.process_time() - began

    seconds(10)
    assert seconds(1_000_000 // len(unit)) < 20 * max(seconds(100_000 // len(unit)), 0.1)


# --- tracebacks ----------------------------------------------------------------------------------------------------
def exceptions(text, **tables):
    return facts(text, **tables)["fact_exceptions"]


def test_plain_traceback():
    row = exceptions(TRACE).row(0, named=True)
    assert (row["exc_type"], row["message"], row["chain_index"], row["fatal"]) == (
        "ValueError",
        "bad sample 7",
        0,
        True,
    )
    assert row["user_frame"] == "/work/train.py:12 main"
    assert (row["frame_file"], row["frame_line"], row["frame_function"]) == (
        "/venv/lib/python3.11/site-packages/torch/x.py",
        3,
        "step",
    )
    assert (row["line_seq"], row["line_seq_last"]) == (0, 6)


def test_ranks_that_interleave_are_taken_apart():
    one, other = TRACE.split("\n"), TRACE.replace("bad sample 7", "bad sample 8").split("\n")
    text = "\n".join(f"[rank0]: {a}\n[default1]:[rank1]: {b}" for a, b in zip(one, other, strict=True))
    found = exceptions(text)
    assert found.select("rank", "message").rows() == [(0, "bad sample 7"), (1, "bad sample 8")]
    assert found["signature"].n_unique() == 1


@pytest.mark.parametrize(
    "link",
    [
        "The above exception was the direct cause of the following exception:",
        "During handling of the above exception, another exception occurred:",
    ],
)
def test_chain_has_its_root_first(link):
    text = f"{TRACE}\n\n{link}\n\n{TRACE.replace('ValueError', 'OSError')}"
    assert exceptions(text).select("group", "chain_index", "exc_type").rows() == [
        (0, 0, "ValueError"),
        (0, 1, "OSError"),
    ]


def test_worker_traceback_inside_the_message_is_the_root():
    text = TRACE.rpartition("\n")[0] + "\nKeyError: Caught KeyError in DataLoader worker process 1.\nOriginal " + TRACE
    found = exceptions(text).sort("chain_index")
    assert found["exc_type"].to_list() == ["ValueError", "KeyError"]
    assert found["group"].n_unique() == 1


def test_exception_group():
    text = """  + Exception Group Traceback (most recent call last):
  |   File "/work/train.py", line 1, in main
  |     run()
  | ExceptionGroup: two failed (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/work/data.py", line 2, in read
    |     open(path)
    | FileNotFoundError: [Errno 2] No such file or directory: 'a'
    +------------------------------------"""
    found = exceptions(text).sort("chain_index")
    assert found["exc_type"].to_list() == ["FileNotFoundError", "ExceptionGroup"]
    assert found["user_frame"][0] == "/work/data.py:2 read"


def test_rich_box():
    text = """╭───────── Traceback (most recent call last) ─────────╮
│ /work/train.py:38 in main                           │
│                                                     │
│ ❱ 38     step(batch)                                │
╰─────────────────────────────────────────────────────╯
ValueError: boom"""
    row = exceptions(text).row(0, named=True)
    assert (row["exc_type"], row["message"], row["user_frame"]) == ("ValueError", "boom", "/work/train.py:38 main")


def test_traceback_glued_to_a_bar():
    text = " 42%|####      | 17/40 [00:02<00:03,  7.35it/s][rank1]: " + TRACE.replace("\n", "\n[rank1]: ")
    assert exceptions(text).select("rank", "exc_type").rows() == [(1, "ValueError")]


def test_training_that_goes_on_shows_a_handled_traceback():
    before = "\n".join(f"step {n} loss 2.{n}" for n in range(5))
    after = "\n".join(f"step {n} loss 2.{n}" for n in range(5, 9))
    found = facts(f"{before}\nERROR: retrying\n{TRACE}\n{after}")
    assert found["fact_exceptions"]["fatal"].to_list() == [False]
    assert found["fact_events"].height == 0
    assert facts(f"{before}\n{TRACE}")["fact_exceptions"]["fatal"].to_list() == [True]


def test_late_buffered_steps_do_not_unmake_a_death():
    status = [{"event": "exit", "role": "task", "exit_code": 1}]
    text = f"step 1 loss 2.0\n{TRACE}\nstep 2 loss 2.0\nstep 3 loss 2.0\nstep 4 loss 2.0"
    assert exceptions(text, processes=status)["fatal"].to_list() == [True]


def test_ignored_at_shutdown():
    assert exceptions(f"Exception ignored in: <function x>\n{TRACE}")["fatal"].to_list() == [False]


def test_roles_of_exceptions():
    victim = TRACE.replace(
        "ValueError: bad sample 7", "RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:1"
    )
    launcher = TRACE.replace(
        "ValueError: bad sample 7", "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: "
    )
    events = facts(f"{TRACE}\n\n{victim}\n\n{launcher}")["fact_events"].filter(pl.col("kind") == Kind.EXCEPTION)
    assert events["role"].to_list() == ["root", "cascade", "confirmation"]


# --- progress ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "step", "loss"),
    [
        ("step 10 loss 2.3456", 10, 2.3456),
        ("step 10/60 loss 10.3800", 10, 10.38),
        ("Epoch: [0][415/1736]  Loss 0.5844", 415, 0.5844),
        ("Epoch 3/10, Step 100, Loss: 0.1234", 100, 0.1234),
        ("[epoch 1] [iter 20/100] loss=1.5", 20, 1.5),
        ("iter 10: loss 4.1234, time 123.45ms, mfu 41.23%", 10, 4.1234),
        ('{"step": 7, "loss": 1.25, "lr": 0.001}', 7, 1.25),
        (
            "[rank0]:[titan] 2026-08-21 21:30:21,123 - root - INFO - step: 10  loss:  7.12345  grad_norm:  1.2345",
            10,
            7.12345,
        ),
        ("Training epoch 0, iteration 9/99 | lr: 2.999e-05 | global_step: 9 | reduced_train_loss: 10.33", 9, 10.33),
        ("2026-11-20 18:00:00 | INFO | step 7/40 | loss 3.1 | grad_norm 0.9 | lr 1.00e-03 | 12.0 ms/step", 7, 3.1),
        (
            " iteration      100/  500000 | consumed samples: 25600 | lm loss: 7.123456E+00 | number of nan iterations:   0 |",
            100,
            7.123456,
        ),
        (" 50%|#####     | 5/10 [00:00<00:00, 63.53it/s, loss=1.5]", 5, 1.5),
    ],
)
def test_step_lines(line, step, loss):
    assert steps(line, "step", "loss") == [(step, loss)]


@pytest.mark.parametrize(
    "line",
    [
        "loss_scale: 65536, warmup_steps: 100",
        "--loss_weight 0.5 --max_steps 100",
        "step 3: loss function is cross entropy",
        "Loading weights:  50%|#####     | 5/10 [00:00<00:00, 63.53it/s]",
        "Map: 100%|##########| 1000/1000 [00:01<00:00, 999.00 examples/s]",
        "loss 2.0",
        "step 4",
    ],
)
def test_lines_that_are_no_progress(line):
    assert steps(line, "step") == []


@pytest.mark.parametrize(
    "line",
    [
        "{'loss': '0', 'grad_norm': 'nan', 'learning_rate': '0.004', 'epoch': '0.07812'}",
        "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 0.004, 'epoch': 0.08}",
        "step 5 loss nan",
        " iteration      100/  500000 | grad norm: 1.2 | number of skipped iterations:   0 | number of nan iterations:   0 |",
        "Epoch 1:  75%|#######   | 6/8 [00:00<00:00, 635.60it/s, v_num=0, train_loss=nan.0]",
    ],
)
def test_nan_is_kept_and_told_once(line):
    found = facts(f"{line}\n{line}".replace("100/", "99/", 1))
    assert found["fact_steps"]["loss"].is_nan().any()
    assert found["fact_events"]["kind"].to_list() == [Kind.NAN_LOSS]


def test_megatron_skipping_for_its_scale_is_no_nan():
    line = " iteration       10/    1000 | loss scale: 8388608.0 | number of skipped iterations:  10 | number of nan iterations:   0 |"
    assert steps(line, "step", "loss") == [(10, None)]


def test_infinite_loss_that_recovers_is_no_event():
    assert kinds("step 1 loss inf\nstep 2 loss inf\nstep 3 loss 2.0") == set()


def test_both_generations_of_the_trainer():
    old = "{'loss': 4.6908, 'grad_norm': 0.948, 'learning_rate': 0.004, 'epoch': 0.08}"
    new = "{'loss': '4.691', 'grad_norm': '0.948', 'learning_rate': '0.004', 'epoch': '0.08'}"
    assert steps(f"{old}\n{new}", "loss", "grad_norm", "lr") == [(4.6908, 0.948, 0.004), (4.691, 0.948, 0.004)]


def test_evaluation_loss_is_no_training_loss():
    assert steps("Test-log: [10/16] Time: 0.013 Loss:  0.0290", "loss", "eval_loss") == [(None, 0.029)]
    assert steps("step 250: train loss 3.1234, val loss 3.2345", "loss", "eval_loss") == [(3.1234, 3.2345)]


def test_steps_within_epochs_become_steps_of_the_run():
    text = "\n".join(f"[epoch: {e}] [{n}/288] Loss: 0.5" for e in (1, 2) for n in (0, 100, 200))
    assert [step for (step,) in steps(text, "step")] == [0, 100, 200, 288, 388, 488]
    assert facts(text)["fact_attempts"].height == 1


# --- attempts ------------------------------------------------------------------------------------------------------
def attempts(text):
    return facts(text)["fact_attempts"].select("attempt", "first_step", "last_step", "began_by").rows()


def test_step_back_begins_an_attempt():
    once = "\n".join(f"step {n} loss 2.0" for n in range(1, 6))
    assert attempts(f"{once}\n{once}") == [(0, 1, 5, "start"), (1, 1, 5, "step_back")]


def test_a_small_step_back_needs_a_word():
    first = "\n".join(f"step {n} loss 2.0" for n in range(1, 24))
    resumed = "\n".join(f"step {n} loss 2.0" for n in range(21, 30))
    assert len(attempts(f"{first}\n{resumed}")) == 1
    assert len(attempts(f"{first}\nrun.sh: line 3:  9695 Killed    python x\n{resumed}")) == 2


def test_an_agent_that_fails_twice_had_restarted():
    line = "E1120 18:21:02.030000 13194 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 1 (pid: 13307) of binary: python"
    assert [began for *_, began in attempts(f"step 1 loss 2.0\n{line}\nstep 1 loss 2.0\n{line}\nend")] == [
        "start",
        "restart_line",
    ]


# --- exits ---------------------------------------------------------------------------------------------------------
def exits(text):
    columns = ("said_by", "rank", "local_rank", "pid", "exit_code", "term_signal", "first_failure")
    return facts(text)["fact_exits"].select(columns).rows()


def test_summary_of_torchrun():
    text = """Failures:
[1]:
  time      : 2026-11-20_18:20:52
  host      : localhost
  rank      : 4 (local_rank: 0)
  exitcode  : -15 (pid: 13085)  (SIGTERM)
  error_file: <N/A>
Root Cause (first observed failure):
[0]:
  time      : 2026-11-20_18:20:52
  host      : localhost
  rank      : 6 (local_rank: 2)
  exitcode  : -9 (pid: 13087)  (SIGKILL)"""
    assert exits(text) == [
        ("torchrun", 4, 0, 13085, None, 15, False),
        ("torchrun", 6, 2, 13087, None, 9, True),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("srun: error: node02: task 3: Exited with exit code 7", [("slurm", 3, None, None, 7, None, None)]),
        (
            "srun: error: node02: tasks 0-1: Killed",
            [("slurm", 0, None, None, None, 9, None), ("slurm", 1, None, None, None, 9, None)],
        ),
        ("x.sh: line 15:  9695 Killed                  python t.py", [("shell", None, None, 9695, None, 9, None)]),
        ("Segmentation fault (core dumped)", [("shell", None, None, None, None, 11, None)]),
    ],
)
def test_exits_said_in_one_line(line, expected):
    assert exits(line) == expected


def test_kernel_log_is_read_too():
    rows = [{"text": "Memory cgroup out of memory: Killed process 16457 (python3) total-vm:1kB", "ts_ns": 5}]
    found = parse_logs(MemoryStore.from_rows({"kernel_log": rows}))
    assert found["fact_events"].select("kind", "source", "num", "ts_ns").rows() == [
        ("cgroup_oom", "kernel_log", 16457.0, 5)
    ]
    assert found["fact_exits"].select("said_by", "pid", "term_signal").rows() == [("kernel", 16457, 9)]


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-11-13 17:03:23,689 ",
        "[2026-11-13 17:03:23] ",
        "2026-11-13T17:03:23.689123456Z stderr F ",
        "2026-11-13T17:03:23+00:00 node01 train[4711]: ",
        "Nov 13 17:03:23 node01 python3[4711]: ",
    ],
)
def test_a_collectors_clock_before_every_line_hides_nothing(prefix):
    lines = (
        "[rank1]: Traceback (most recent call last):",
        '[rank1]:   File "/work/train.py", line 12, in <module>',
        "[rank1]:     main()",
        "[rank1]: KeyError: 'attention_mask'",
        "Saved checkpoint to /ckpt/step_5 at step 5",
    )
    found = facts("\n".join(prefix + line for line in lines))
    crash = found["fact_exceptions"].row(0, named=True)
    assert (crash["exc_type"], crash["message"], crash["rank"]) == ("KeyError", "'attention_mask'", 1)
    saved = found["fact_events"].filter(pl.col("kind") == "checkpoint_saved")
    assert saved["num"].to_list() == [5]
