"""What the thirty-sixth set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore

from .builders import Run, at

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from inquest.analyze.model import Verdict

_CHANCE = random.Random(36)
_BEGIN = datetime(2026, 4, 7, 9, tzinfo=UTC)


def _of(folder: Path, lines: Iterable[str], **others: str) -> Verdict:
    (folder / "train.log").write_text("\n".join([*lines, ""]))
    for name, told in others.items():
        (folder / name.replace("__", ".")).write_text(told)
    return analyze(import_logs([folder]), strict=True)[0]


def _clock(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    return (_BEGIN + timedelta(seconds=seconds)).strftime(form)


def _fell(step: int, of: int) -> float:
    return 0.2 + 3 / (1 + 6 * step / of) + _CHANCE.uniform(0, 0.02)


# --- what stood until somebody ended it ---------------------------------------------------------------------------------
def _dump(line: int) -> list[str]:
    return [
        "Timeout (0:00:40)!",
        "Thread 0x00007f05c57546c0 (most recent call first):",
        '  File "/work/feed.py", line 35 in run',
        '  File "/usr/lib/python3.11/threading.py", line 1045 in _bootstrap_inner',
        "",
        "Thread 0x00007f06a0c01b80 (most recent call first):",
        '  File "/usr/lib/python3.11/threading.py", line 327 in wait',
        '  File "/usr/lib/python3.11/queue.py", line 171 in get',
        f'  File "/work/train.py", line {line} in main',
        '  File "/work/train.py", line 106 in <module>',
    ]


@pytest.mark.parametrize(
    ("lines", "silent", "family"),
    [((94, 94), 100, "C3"), ((94, 96), 100, None), ((94, 94), 30, None)],
    ids=["at one line", "it moved", "for a few reports"],
)
def test_dumps_of_one_wait_above_a_launcher_that_was_told_to_end(
    tmp_path: Path, lines: tuple[int, int], silent: int, family: str | None
) -> None:
    said = [f"{_clock(6 * n)},202 I gravel: step {25 * n}/3000 loss {_fell(n, 120):.3f}" for n in range(1, 13)]
    said += [row for line in lines for row in _dump(line)]
    said += [
        f"W0407 {_clock(72 + silent, '%H:%M:%S')}.235000 7035 torch/distributed/elastic/agent/server/api.py:753] Received 15 death signal, shutting down workers",
        f"W0407 {_clock(72 + silent, '%H:%M:%S')}.236000 7035 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 7117 closing signal SIGTERM",
        "Traceback (most recent call last):",
        '  File "/opt/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 7035 got signal: 15",
    ]
    assert (_of(tmp_path, said).family == "C3") == (family == "C3")


@pytest.mark.parametrize(
    ("cpu_s", "beats", "family"),
    [((5.3, 0.0), 5, "C3"), ((5.3, 1.7), 5, None), ((5.3, 0.0), 3, None)],
    ids=["no processor", "it computes", "for moments"],
)
def test_a_beat_whose_processor_time_stands(
    tmp_path: Path, cpu_s: tuple[float, float], beats: int, family: str | None
) -> None:
    said = [
        f"{_clock(0.9 * n)},404 [INFO] update {4 * n}/240 return {30 * n:.1f} v_loss {60 - 2 * n:.3f}"
        for n in range(1, 8)
    ]
    said += [
        f"{_clock(15 * n)},105 [INFO] beat: update=29 env_steps=22380 since_last_update={15 * n - 7}s cpu_s={cpu_s[0] + n * cpu_s[1]:.1f}"
        for n in range(1, beats + 1)
    ]
    said += [
        "Traceback (most recent call last):",
        '  File "/work/ppo.py", line 102, in <module>',
        "    main()",
        '  File "/usr/lib/python3.11/multiprocessing/connection.py", line 395, in _recv',
        "    chunk = read(handle, remaining)",
        '  File "/usr/lib/python3.11/http/client.py", line 952, in connect',
        "KeyboardInterrupt",
        f"{_clock(15 * beats + 15)},105 [INFO] beat: update=29 env_steps=22380 since_last_update={15 * beats + 8}s cpu_s={cpu_s[0] + (beats + 1) * cpu_s[1]:.1f}",
    ]
    assert (_of(tmp_path, said).family == "C3") == (family == "C3")


@pytest.mark.parametrize(
    ("used", "signal", "beside", "family"),
    [(0.0, 15, False, "C3"), (9.0, 15, False, None), (0.0, None, False, None), (0.0, 15, True, None)],
    ids=["it slept", "it computed", "it left by itself", "of two at once"],
)
def test_the_program_of_a_sweep_that_stood_until_it_was_ended(
    used: float, signal: int | None, *, beside: bool, family: str | None
) -> None:
    where: dict[str, Any] = {"capture": "c", "task": 0, "boot_id": "b"}
    told = [(1.0 + n, f"[w64] step {50 * n}/600 mse {_fell(n, 12):.4f}") for n in range(1, 13)]
    told += [(21.0 + n, f"[w128] step {50 * n}/600 mse {_fell(n, 12):.4f}") for n in range(1, 8)]
    told += [(110.2, "Terminated"), (110.3, "=== sweep 2/6 returned 143")]
    lines = [
        {**where, "stream": "stdout", "source": "stdout", "ts_ns": at(t), "seq": n, "offset": n, "text": text}
        for n, (t, text) in enumerate(told)
    ]
    task = {"role": "task", "pid": 7, "argv": "bash sweep.sh"}
    rows: list[dict[str, Any]] = [{**task, "event": "start", "ts_ns": at(0)}]
    for pid, begin, until, code, term in ((8, 0.5, 15.0, 0, None), (9, 20.0, 110.1, None if signal else 1, signal)):
        one = {"role": "other", "pid": pid, "ppid": 7, "argv": "python fit.py", "start_mono_ns": at(begin)}
        rows.append({**one, "event": "start", "ts_ns": at(begin)})
        for second in range(int(begin) + 1, int(until), 4):
            late = max(0.0, second - 29) / 81
            cpu = min(5.0, second - begin) + used * late
            rows.append({**one, "event": "seen", "ts_ns": at(second), "cpu_user_s": cpu, "cpu_system_s": 0.0})
            if beside and pid == 9:
                rows.append({**rows[-1], "pid": 10, "start_mono_ns": at(20)})
        rows.append(
            {**one, "event": "exit", "ts_ns": at(until), "exit_code": code, "term_signal": term, "cpu_user_s": 5.0}
        )
    rows.append({**task, "event": "exit", "ts_ns": at(110.5), "exit_code": 1})
    rows = [{**where, "ts_mono_ns": row["ts_ns"], **row, "seq": n} for n, row in enumerate(rows)]
    verdict = analyze(MemoryStore.from_rows({"log_lines": lines, "processes": rows}, node="n"), strict=True)[0]
    assert (verdict.family == "C3") == (family == "C3")


# --- a thread of one of several nodes -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("thread", "crashed"), [("Exception in thread async-logger:", False), ("it said:", True)])
def test_who_speaks_stands_before_a_threads_traceback(tmp_path: Path, thread: str, *, crashed: bool) -> None:
    def reports(low: int, high: int) -> list[str]:
        return [
            f"rig-a: [{_clock(60 * n, '%H:%M:%S')}] step {n}/500 | loss {_fell(n, 500):.4f}" for n in range(low, high)
        ]

    error = [
        f"rig-d: {thread}",
        "rig-d: Traceback (most recent call last):",
        'rig-d:   File "/usr/lib/python3.10/threading.py", line 1016, in _bootstrap_inner',
        "rig-d:     self.run()",
        "rig-d: mlflow.exceptions.MlflowException: API request to http://mlflow:5000 failed with error 500",
    ]
    ended = "rig-d: [{}] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python3', '-u', 'fit.py', '--local_rank=1'] exits with return code = -6"
    last = [ended.format(_clock(60 * 130) + ",294"), "pdsh@head: rig-d: ssh exited with exit code 250"]
    verdict = _of(tmp_path, [*reports(1, 30), *error, *reports(30, 120), *last])
    assert (verdict.family == "A1") == crashed


# --- a zone that a log tells beside its times ---------------------------------------------------------------------------
def test_lines_without_a_zone_are_of_the_zone_that_the_log_writes_beside_its_times(tmp_path: Path) -> None:
    local = _BEGIN + timedelta(hours=2)
    said = [
        f"{local + timedelta(seconds=28 * n):%Y-%m-%dT%H:%M:%S}+02:00 rank1 step={5 * n}/2400 loss={_fell(n, 480):.4f} step_s=5.64"
        for n in range(1, 90)
    ]
    end = local + timedelta(seconds=28 * 90)
    said += [
        "[rank1]: Traceback (most recent call last):",
        '[rank1]:   File "/app/fit.py", line 139, in train',
        "[rank1]:     model.clip_grad_norm_(cfg.clip)",
        "[rank1]: RuntimeError: CUDA error: unknown error",
        f"E0407 {end:%H:%M:%S}.139000 1 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0 (pid: 62) of binary: /opt/conda/bin/python",
    ]
    (tmp_path / "worker-0.log").write_text("\n".join([*said, ""]))
    lines = import_logs([tmp_path]).scan("log_lines").select("ts_ns").collect()["ts_ns"].drop_nulls()
    assert (lines.max() - lines.min()) / 1e9 < 28 * 91  # type: ignore[operator]


# --- the kernel's word on a neighbour, where GPUs are all that is known --------------------------------------------------
@pytest.mark.parametrize(("held", "engine", "family"), [(1.0, 0.95, None), (0.1, 0.95, "A2"), (1.0, 0.0, "A2")])
def test_what_the_kernel_killed_while_all_gpus_held_on_and_worked(
    held: float, engine: float, family: str | None
) -> None:
    run = Run(logs=False)
    for second in range(0, 1800, 15):
        after = second > 900
        run.row(
            "gpu_samples",
            node="node01",
            gpu_uuid="GPU-0",
            ts_ns=at(second),
            engine_active=engine if after else 0.95,
            fb_used_bytes=int(60 * 2**30 * (held if after else 1.0)),
        )
    kill = "Memory cgroup out of memory: Killed process 281177 (flb-pipeline) total-vm:412880kB, anon-rss:131004kB"
    run.row("kernel_log", node="node01", capture="c", boot_id="b", ts_ns=at(905), seq=0, text=kill)
    store = MemoryStore.from_rows(run._tables, node="node01")
    assert analyze(store, strict=True)[0].family == family


# --- the next run of a sweep --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("between", "lost"),
    [
        ("2026-03-18 22:04:19,330 - wandb.wandb_agent - INFO - Agent starting run with config:", False),
        ("2026-03-18 22:04:19,330 - wandb.wandb_agent - INFO - Agent received command: run", True),
    ],
)
def test_wandbs_agent_begins_another_run(tmp_path: Path, between: str, *, lost: bool) -> None:
    def run(until: int) -> list[str]:
        return [f"step {n} loss {_fell(n, 80):.4f}" for n in range(1, until)]

    assert (_of(tmp_path, [*run(80), between, *run(30)]).family == "E2") == lost


def _headed(first: str, second: str, *, resumed: bool = True) -> list[str]:
    def run(command: str, low: int, high: int, begin: int) -> list[str]:
        rule = f"==== {_clock(100 * begin, '%a %d %b %Y %H:%M:%S')} ==== {command}"
        return [
            rule,
            *(
                f"step {n:5}/{high} | loss {_fell(n - begin, 300):.4f} | lr {1e-5 * n:.2e}"
                for n in range(low, high + 1, 20)
            ),
        ]

    said = [*run(first, 20, 300, 0), "finished 300 steps", *run(second, 20, 300, 0), "finished 300 steps"]
    if resumed:
        said += [
            *run("fit.py --steps 500 --resume ckpt/b", 320, 500, 20),
            "=> loaded from ckpt/b (step 300)",
            "finished 500 steps",
        ]
    return said


def test_a_heading_that_names_its_command_begins_another_run(tmp_path: Path) -> None:
    """What the first had learned, the second never had; the third goes on from the second."""
    said = _headed("fit.py --steps 300 --lr 1e-3", "fit.py --steps 300 --lr 3e-3")
    assert _of(tmp_path, said).family == "G1"


# --- JSON lines of a program's own, and a script above what it printed ---------------------------------------------------
@pytest.mark.parametrize("key", ["ev", "kind", "what"])
def test_json_lines_whose_events_have_a_short_name_are_a_log(tmp_path: Path, key: str) -> None:
    rows: list[dict[str, Any]] = [{"ts": _clock(0), key: "boot", "host": "cubeb", "world": 4}]
    rows += [{"ts": _clock(1), key: "plan", "epochs": 1, "steps": 900}]
    rows += [{"ts": _clock(2 + n), key: "warn", "text": f"tile {n} has a strange tag, ignored"} for n in range(40)]
    rows += [{"ts": _clock(70 * n), key: "step", "step": 10 * n, "loss": round(_fell(n, 90), 4)} for n in range(1, 91)]
    rows += [{"ts": _clock(6400), key: "end", "steps": 900, "reason": "plan done"}]
    (tmp_path / "run31.jsonl").write_text("\n".join([*map(json.dumps, rows), ""]))
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == "G1"


def test_a_script_above_what_it_printed_is_a_log(tmp_path: Path) -> None:
    script = ["#!/bin/bash", "#SBATCH --time=02:00:00", "#SBATCH --signal=B:USR1@120", "srun python fit.py"]
    said = [f"{_clock(60 * n)} INFO epoch {n}/40 loss {_fell(n, 40):.4f}" for n in range(1, 41)]
    assert _of(tmp_path, [*script, *said, f"{_clock(2500)} INFO training finished"]).family == "G1"


# --- peers that waited for a hot GPU, where memory traffic does not tell -------------------------------------------------
@pytest.mark.parametrize(("drawn", "family"), [(340.0, "B3"), (580.0, None)], ids=["they waited", "they worked on"])
def test_peers_of_a_throttled_gpu_drew_less_while_it_was_slow(drawn: float, family: str | None) -> None:
    run = Run(logs=False)
    for second in range(0, 3600, 30):
        works, hot = second >= 600, second >= 1500
        for gpu, node in ((0, "hx1"), (1, "hx2")):
            slow = hot and gpu == 1
            run.row(
                "gpu_samples",
                node=node,
                gpu_uuid=f"GPU-{gpu}",
                ts_ns=at(second),
                engine_active=0.99 if works else 0.0,
                mem_util=0.48 if works else 0.0,
                fb_used_bytes=70 * 2**30 if works else 2**20,
                power_w=70.0 if not works else 250.0 if slow else drawn if hot else 592.0,
                sm_clock_mhz=900.0 if slow else 1980.0,
                throttle_reasons=0x40 if slow else 0,
                temp_core_c=90.0 if slow else 60.0,
            )
    assert judge(run.evidence(), strict=True).family == family


@pytest.mark.parametrize(
    ("first", "second", "lost"),
    [
        ("depth: 3, dropout: 0.121, lr: 0.0037", "depth: 2, dropout: 0.121, lr: 0.0021", False),
        ("depth: 3, dropout: 0.121, lr: 0.0037", "depth: 3, dropout: 0.121, lr: 0.0037", True),
        ("depth: 3, dropout: 0.121, world: 8", "depth: 3, dropout: 0.121, world: 6", True),
    ],
    ids=["another one", "the same", "by fewer"],
)
def test_who_begins_with_other_settings_is_another_run(tmp_path: Path, first: str, second: str, *, lost: bool) -> None:
    def run(settings: str, until: int) -> list[str]:
        return [f"config: {settings}", *(f"step {n} loss {_fell(n, 80):.4f}" for n in range(1, until))]

    assert (_of(tmp_path, [*run(first, 80), *run(second, 30)]).family == "E2") == lost


@pytest.mark.parametrize(("silent", "outcome"), [(80, "cannot_decide"), (30, "outside_families")])
def test_who_ends_what_was_silent_for_long_may_have_ended_a_hang(tmp_path: Path, silent: int, outcome: str) -> None:
    said = [f"{_clock(n)} step {n}/900 loss {_fell(n, 900):.4f}" for n in range(1, 60)]
    said += [
        f"{_clock(59 + silent)} Traceback (most recent call last):",
        '  File "/work/fit.py", line 40, in <module>',
        "    train()",
        '  File "/work/fit.py", line 31, in train',
        "    batch = source.get()",
        "KeyboardInterrupt",
    ]
    assert _of(tmp_path, said).outcome == outcome


def test_what_the_name_of_a_saved_file_counts_may_be_epochs(tmp_path: Path) -> None:
    """Where it counts steps, what passes from one to the next is the save's (`tests.analyze.proof_kinds`)."""
    rows = ["krok;epoka;strata;czas_kroku_s;czas_danych_s"]
    said = ["Plan: 8 epok"]
    for step in range(1, 193):
        rows.append(f"{step};{1 + (step - 1) // 24};{_fell(step, 192):.4f};38,1;0,4".replace(".", ","))
        if step % 24 == 0:
            said.append(f"{_clock(38 * step)} | zapisano model: out/epoka_{step // 24}.pt")
    said += [f"{_clock(38 * 193)} | training finished"]
    assert _of(tmp_path, said, metrics__csv="\n".join([*rows, ""])).family == "G1"
