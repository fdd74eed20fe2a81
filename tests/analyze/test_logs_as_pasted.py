"""Logs as they are copied out of clusters: prefixes of platforms, clocks alone, several tries; beside near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.errors import InputError
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def family(folder: Path, *texts: str) -> str | None:
    for number, text in enumerate(texts):
        (folder / f"job{number}.log").write_text(text)
    verdict = analyze(import_logs([folder]), strict=True)[0]
    return verdict.family if verdict.outcome == "decided" else verdict.outcome


STEPS = "".join(f"step {10 * n}/900 loss {3 * 0.97**n:.4f}\n" for n in range(1, 41))
WHOLE = "".join(f"step {10 * n}/400 loss {3 * 0.97**n:.4f}\n" for n in range(1, 41)) + "saved model.pt\n"


# --- clocks that ranks tell -------------------------------------------------------------------------------------------


def clocks(line: str, slow: int | None, ranks: int = 3, steps: int = 30) -> str:
    """Reports of ranks that step together; ``slow`` does all the work, or another one each time."""
    told = []
    for step in range(1, steps + 1):
        for rank in range(ranks):
            works = rank == (step % ranks if slow is None else slow)
            told.append(
                line.format(
                    r=rank, s=step, n=steps, own=0.6 if works else 0.1, rest=0.1 if works else 0.6, loss=3 * 0.95**step
                )
            )
    return "\n".join(told) + "\nsaved final.pt\n"


@pytest.mark.parametrize(
    ("line", "slow", "expected"),
    [
        ("[rank{r}] step {s}/{n}: forward {own:.3f}s backward+sync {rest:.3f}s", 1, "D3"),
        ("[rank{r}] step {s}/{n}: forward {own:.3f}s backward+sync {rest:.3f}s", None, "G1"),  # each in its turn
        ("rango {r} passo {s}/{n} perdita {loss:.3f} calcolo {own:.3f} s, gradienti e attesa {rest:.3f} s", 2, "D3"),
        ("Rang {r} | Schritt {s}/{n} | Rechnen {own:.3f} s | Warten {rest:.3f} s", 0, "D3"),
        (
            "进程 {r}: 第 {s} 步 计算 {own:.3f} s 等待 {rest:.3f} s",
            0,
            "cannot_decide",
        ),  # neither a loss nor a word for it
        ("rank={r} step {s}/{n} generate {own:.2f}s backward 0.20s sync {rest:.2f}s", 1, "D3"),  # of an unknown name
        ("[gpu7:{r}/3] 1epoch:train:{s}-{s}batch: loss={loss:.3f}, forward_time={own}, backward_time={rest}", 2, "D3"),
    ],
)
def test_a_straggler_by_the_clocks_of_ranks(tmp_path: Path, line: str, slow: int | None, expected: str) -> None:
    assert family(tmp_path, clocks(line, slow)) == expected


def test_a_clock_of_work_and_waiting_is_no_clock_of_the_network(tmp_path: Path) -> None:
    alike = "".join(
        f"[rank{rank}] step {step}/40: forward 0.100s backward+sync 0.200s\n"
        for step in range(1, 41)
        for rank in (0, 1)
    )
    assert family(tmp_path, alike) != "D2"


@pytest.mark.parametrize(("waited", "expected"), [(7000, "D1"), (40, "G1")])
def test_megatron_s_generator_of_batches(tmp_path: Path, waited: int, expected: str) -> None:
    report = (
        " [2026-11-18 03:{m:02}:00] iteration {n:8}/    1300 | elapsed time per iteration (ms): {ms}.0 |"
        " lm loss: {loss:.6E} | grad norm: 0.4 |\n"
        "(min, max) time across ranks (ms):\n"
        "    forward-compute ................................: ({fwd}.00, {fwd}.90)\n"
        "    backward-compute ...............................: (1011.12, 1019.33)\n"
        "    batch-generator ................................: ({w}.00, {w}.80)\n"
        "    optimizer ......................................: (41.02, 41.91)\n"
    )
    told = [
        report.format(n=1000 + 10 * k, m=k, ms=waited + 1600, loss=2.6 * 0.99**k, fwd=waited + 500, w=waited)
        for k in range(1, 31)
    ]
    text = "".join(told) + "[after training is done] datetime: 2026-11-18 03:59:12 \n"
    assert family(tmp_path, text) == expected


# --- who speaks -------------------------------------------------------------------------------------------------------

METAFLOW = "2026-11-18 03:{m:02}:00.000 [17/train/12 (pid {pid})] {line}\n"
RETRY = "".join(
    METAFLOW.format(m=n // 60, pid=10 if n < 45 else 11, line=line)
    for n, line in enumerate(
        [
            *STEPS.splitlines()[:40],
            "saved checkpoint at step 400 to s3://ckpt/400.pt",
            "Host EC2 (instance i-0a) terminated. This could be a transient error. Use @retry to retry.",
            "",
            "Task failed.",
            "",
            "Task is starting (retry).",
            *STEPS.splitlines()[:30],
        ]
    )
)


def test_a_retry_of_metaflow_s_that_began_anew(tmp_path: Path) -> None:
    """The node's loss is of the attempt before; the work is lost."""
    assert family(tmp_path, RETRY) == "E2"


DETERMINED = "[2026-11-18T03:00:00.000000Z] {cid}|| {line}\n"


def test_the_restart_of_a_determined_trial(tmp_path: Path) -> None:
    first = ["Traceback (most recent call last):", '  File "fit.py", line 9, in <module>', "    run()", "ValueError: x"]
    lines = [DETERMINED.format(cid="aa01ffee ", line=line) for line in first]
    lines.append(DETERMINED.format(cid="", line="INFO: Trial 18 failed unexpectedly 1 times, restarting (max 5)"))
    lines += [DETERMINED.format(cid="bb02ffee ", line=line) for line in WHOLE.splitlines()]
    lines.append(DETERMINED.format(cid="", line="INFO: Resources exited successfully with a zero exit code"))
    assert family(tmp_path, "".join(lines)) == "G1"


@pytest.mark.parametrize(("code", "expected"), [(137, "A2"), (1, "cannot_decide")])
def test_the_end_of_a_determined_container(tmp_path: Path, code: int, expected: str) -> None:
    lines = [DETERMINED.format(cid="aa01ffee ", line=line) for line in STEPS.splitlines()]
    said = f"ERROR: resources failed with non-zero exit code: container failed with non-zero exit code: {code}"
    assert family(tmp_path, "".join(lines) + DETERMINED.format(cid="", line=said)) == expected


def test_pods_that_stern_mixes(tmp_path: Path) -> None:
    lines = [f"job-worker-{r} torch step {n}/900 rank {r} loss {3 * 0.97**n:.3f}" for n in range(1, 31) for r in (0, 1)]
    lines += [
        "job-worker-1 torch Fatal Python error: Segmentation fault",
        "job-worker-0 torch Traceback (most recent call last):",
        "job-worker-1 torch ",
        '  File "a.py", line 1, in f'.join(("job-worker-0 torch ", "")),
        "job-worker-1 torch Current thread 0x00007f5e (most recent call first):",
        "job-worker-0 torch     loss.backward()",
        '  File "ops.py", line 44 in rope'.join(("job-worker-1 torch ", "")),
        "job-worker-0 torch RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.4]:41",
    ]
    assert family(tmp_path, "\n".join(lines) + "\n") in {"A2", "C2"}


def test_words_with_dashes_are_no_pods(tmp_path: Path) -> None:
    lines = [f"step-{n} of-900 loss {3 * 0.97**n:.4f}" for n in range(1, 31)]
    assert family(tmp_path, "\n".join(lines) + "\nsaved model.pt\n") != "A2"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{{"ts": "2026-11-18T03:11:02Z", "msg": "{said}"}}\n', "G1"),
        ('{{"timestamp": "2026-11-18T03:11:02Z", "level": "info", "message": "{said}"}}\n', "G1"),
    ],
)
def test_a_program_s_own_lines_of_json(tmp_path: Path, line: str, expected: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(line.format(said=said) for said in WHOLE.splitlines()))
    verdict = analyze(import_logs([path]), strict=True)[0]
    assert verdict.family == expected


def test_rows_of_a_data_set_are_no_log(tmp_path: Path) -> None:
    path = tmp_path / "c4.jsonl"
    path.write_text(30 * '{"text": "loss 3.1 at step 4", "timestamp": "2019-04-25T12:57:54Z", "url": "a.org"}\n')
    with pytest.raises(InputError):
        import_logs([path])


# --- what ended it ----------------------------------------------------------------------------------------------------

KILL = "Memory cgroup out of memory: Killed process 901 ({name}) total-vm:9025364kB, anon-rss:8314060kB, UID:0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"9m  Warning  OOMKilling  node/gpu-09  {KILL.format(name='redis-server')}\n", "cannot_decide"),
        (f"9m  Warning  OOMKilling  node/gpu-09  {KILL.format(name='python3')}\n", "A2"),
        (f'    0.981  "kernel: {KILL.format(name="python3")}"\n', "cannot_decide"),  # a row of data
        ("### 2026-11-23 19:46:18 exit status 139\n", "A2"),
        ("### 2026-11-23 19:46:18 exit status 0\n", "G1"),
        ("failed       37  : qmaster enforced h_rt, h_cpu, or h_vmem limit\nexit_status  137      (Killed)\n", "F3"),
        ("failed       100 : assumedly after job\nexit_status  137                  (Killed)\n", "A2"),
        ("The job is terminating: max_duration_exceeded\n", "F3"),
        ("[lifecycler] Job was preempted: the low-priority node was reclaimed.\n", "F2"),
    ],
)
def test_the_last_words(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, (WHOLE if expected == "G1" else STEPS) + text) == expected


HELPER = (
    "+ python tools/ping.py\nTraceback (most recent call last):\n"
    '  File "/w/tools/ping.py", line 7, in <module>\n    ask()\nwandb.errors.CommError: Network error\noffline then\n'
)
LIMIT = "TERM_RUNLIMIT: job killed after reaching LSF run time limit.\nExited with exit code 140.\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HELPER + "+ python pretrain.py\nloading\n" + LIMIT, "F3"),
        (HELPER, "A1"),  # nothing was called below
    ],
)
def test_a_helper_that_failed_before_the_training_was_called(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


def crash(status: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "fit.py", line 9, in <module>\n    run()\nValueError: x\n{status}'
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (crash("### 19:43:48 exit status 1\n") + STEPS + "### 19:46:18 exit status 137\n", "A2"),
        (STEPS + crash("### 19:43:48 exit status 1\n") + "### 19:46:18 exit status 1\n", "A1"),  # a script around it
    ],
)
def test_commands_of_a_script_that_ended_one_by_one(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


AIRFLOW = (
    "Traceback (most recent call last):\n"
    '  File "/w/airflow/operators/bash.py", line 210, in execute\n    raise AirflowException(\n'
    "airflow.exceptions.AirflowException: Bash command failed. The command returned a non-zero exit code {code}.\n"
)


@pytest.mark.parametrize(("code", "expected"), [(139, "A2"), (1, "cannot_decide")])
def test_what_airflow_raises_is_a_launcher_s(tmp_path: Path, code: int, expected: str) -> None:
    said = f"[2026-11-18, 03:11:21 UTC] {{subprocess.py:97}} INFO - Command exited with return code {code}\n"
    assert family(tmp_path, STEPS + said + AIRFLOW.format(code=code)) == expected


OF_SRUN = "srun: error: n14: task 0: Exited with exit code 1\n"
FULL = 'Traceback (most recent call last):\n  File "fit.py", line 9, in <module>\n    save()\nOSError: {said}\n'
MEMORY = (
    'Traceback (most recent call last):\n  File "fit.py", line 5, in <module>\n    step()\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.56 GiB. GPU 0 has a total capacity of 44.3 GiB\n"
)


def test_a_task_of_srun_s_that_ended_twice(tmp_path: Path) -> None:
    """The first end is that of a job before, whose output went to the same file."""
    first = MEMORY + OF_SRUN
    assert family(tmp_path, STEPS, first + FULL.format(said="[Errno 122] Disk quota exceeded") + OF_SRUN) == (
        "outside_families"
    )


def test_one_end_of_a_task_of_srun_s(tmp_path: Path) -> None:
    both = MEMORY + FULL.format(said="[Errno 122] Disk quota exceeded") + OF_SRUN
    assert family(tmp_path, STEPS, both) == "B1"


def box(lines: int) -> str:
    items = "".join(f"│ │   x{n} = {n}   │ │\n" for n in range(lines))
    return f"╭──── Traceback (most recent call last) ────╮\n│ /w/fit.py:23 in main          │\n{items}╰────╯\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (box(900) + "ValueError: no samples left\n", "A1"),
        (box(400) + "ConnectionError: refused\nupload ok\n" + WHOLE, "G1"),  # it was caught
    ],
)
def test_a_box_that_shows_every_variable(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


# --- what was told of training ----------------------------------------------------------------------------------------


def tune(count: int, reached: float) -> str:
    return "".join(
        f"Result for PPO_Ant_1:\n  date: 2026-11-18\n  episode_reward_mean: {reached * (1 - 0.9**n) - 300:.3f}\n"
        f"  training_iteration: {n}\n\n"
        + (f"Trial PPO_Ant_1 saved a checkpoint for iteration {n} at: (s3)b/c_{n}\n" if n % 10 == 0 else "")
        for n in range(1, count + 1)
    )


DONE = "Trial PPO_Ant_1 completed after 40 iterations at 2026-11-18 04:00:00. Total running time: 1h\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (tune(40, 4000) + DONE, "G1"),
        (tune(40, 4000), "cannot_decide"),
        (tune(60, 4000) + "Restarting the job, attempt 2\n" + tune(30, 4000) + DONE, "E2"),
        (
            "Trial PPO_Ant_0 errored after 0 iterations at 2026-11-18 03:00:00.\n" + tune(40, 4000) + DONE,
            "cannot_decide",
        ),
    ],
)
def test_results_of_ray_tune(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("skipped", "expected"),
    [
        ("Skip loading parameter 'head.cls.weight' to the model: shapes (81, 9) in the checkpoint, (12, 9) here", "G1"),
        ("could not load checkpoint out/last.pt: file is truncated", "E2"),
    ],
)
def test_a_part_that_does_not_fit_is_not_the_state(tmp_path: Path, skipped: str, expected: str) -> None:
    assert family(tmp_path, f"{skipped}\n{WHOLE}") == expected


@pytest.mark.parametrize(("last", "expected"), [("nan", "E1"), ("1.21", "G1")])
def test_rasa_s_total_loss(tmp_path: Path, last: str, expected: str) -> None:
    told = [
        f"Epochs:  {n}%|██   | {n}/100 [00:09<10:11, 10.2s/it, t_loss={8 - n / 20 if n < 40 else last}, i_acc=0.4]"
        for n in range(1, 101)
    ]
    assert family(tmp_path, "\n".join(told) + "\n") == expected


def test_the_cost_in_time_is_no_cost(tmp_path: Path) -> None:
    told = [
        f"INFO:root:Epoch[{n}] Train-accuracy={0.1 + n / 99:.4f}\nINFO:root:Epoch[{n}] Time cost=88.2"
        for n in range(40)
    ]
    assert family(tmp_path, "\n".join(told) + "\n") != "E1"
