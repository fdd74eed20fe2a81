"""What the eighteenth and nineteenth unseen sets showed, each with its near miss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.families import FAMILIES
from inquest.analyze.families._strange_gpus import strange_gpus
from inquest.analyze.families.base import CannotDecide, RuledIn
from inquest.analyze.logs.spoke_on import spoke_on, tag_of
from inquest.bundle.logs_import import import_logs

from .builders import Run, at
from .proof_kinds import verdict_on

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, status: int | None = None, **logs: str) -> Verdict:
    folder.mkdir(exist_ok=True)
    for name, text in logs.items():
        (folder / f"{name.replace('__', '.')}.log").write_text(text)
    return analyze(import_logs(sorted(folder.iterdir()), exit_code=status), strict=True)[0]


def _clock(minute: int, second: int = 0) -> str:
    return f"2026-11-03 {13 + minute // 60:02}:{minute % 60:02}:{second:02},000"


def _steps(first: int, last: int, total: int = 200, minute: int = 0) -> str:
    return "".join(
        f"{_clock(minute + n // 10, n % 10 * 6)} INFO step {n}/{total} loss {2.4 * math.exp(-n / 40) + 0.3:.4f}\n"
        for n in range(first, last + 1)
    )


_OOM = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/fit.py", line 51, in <module>\n    out = model(batch)\n'
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 320.00 MiB (GPU 0; 9.78 GiB total capacity)\n"
)
_MISSING = (
    "Traceback (most recent call last):\n"
    '  File "/home/u/fit.py", line 12, in <module>\n    tokens = open(args.tokens)\n'
    "FileNotFoundError: [Errno 2] No such file or directory: 'data/tokens.txt'\n"
)

# --- links and logs put aside --------------------------------------------------------------------------------------


def test_a_log_that_says_it_resumes_follows_the_one_that_crashed(tmp_path: Path) -> None:
    first, rest = _steps(1, 120) + _OOM, _steps(101, 200, minute=40)
    went_on = _verdict(tmp_path / "a", try1=first, try2=f"{_clock(50)} INFO Resuming from checkpoint-100\n{rest}")
    assert went_on.family == "G1"
    other = _verdict(tmp_path / "b", try1=first, try2=f"{_clock(50)} INFO fine-tuning the published weights\n{rest}")
    assert other.family == "B1"


def test_a_log_put_aside_under_a_number_is_of_the_run_before(tmp_path: Path) -> None:
    killed = _steps(1, 120, minute=30) + "run.sh: line 9: 4711 Killed                  python fit.py\n"
    turned = _verdict(tmp_path / "a", train__1=f"{_clock(1)} INFO start\n{_MISSING}", train=killed)
    assert turned.family == "A2"
    later = _verdict(tmp_path / "b", train__1=_steps(1, 40, minute=90) + _MISSING, train=_steps(1, 120, minute=30))
    assert later.family == "A1"


# --- errors that a process logged and went on from -----------------------------------------------------------------


def _on_two_ranks(then: tuple[str, str]) -> str:
    out = ""
    for rank in (0, 1):
        out += f"{_clock(0)} [{rank}] ERROR feature cache not usable, computing features\n"
        out += _MISSING.replace("in <module>", "in features")
        out += "".join(f"{_clock(0, 5)} [{rank}] INFO {words}\n" for words in then)
    out += (
        "Traceback (most recent call last):\n"
        '  File "/home/u/fit.py", line 72, in <module>\n    main()\n'
        '  File "/home/u/fit.py", line 55, in main\n    dist.init_process_group(backend="gloo")\n'
        "torch.distributed.DistNetworkError: The client socket has timed out after 45000ms while trying to connect to"
        " (10.0.0.1, 29711).\n"
    )
    return out


def test_a_rank_that_logs_an_error_and_goes_on_met_nobody(tmp_path: Path) -> None:
    assert (
        _verdict(tmp_path, 1, job=_on_two_ranks(("4000 utterances, world size 6", "joining the others"))).family == "C1"
    )


def test_records_of_leaving_show_no_work() -> None:
    heading = "2026-11-24 20:31:09,131 [0] ERROR the cache is not usable"
    assert tag_of(heading) == "[0]"
    assert tag_of("2026-11-24 20:31:09,131 ERROR no rank here") is None
    below = ["2026-11-24 20:31:10,131 [0] INFO {}", "2026-11-24 20:31:10,190 [0] INFO {}"]
    assert spoke_on(heading, [one.format(words) for one, words in zip(below, ("ready", "joining"), strict=True)])
    assert not spoke_on(heading, [one.format("shutting down the pool") for one in below])
    assert not spoke_on(heading, [one.format("ready").replace("[0]", "[1]") for one in below])


# --- losses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rest", "family"), [([7.3] * 11, "E1"), ([7.3 - 0.33 * k for k in range(11)], None)])
def test_a_loss_that_stays_up_for_a_third_of_few_reports(tmp_path: Path, rest: list[float], family: str | None) -> None:
    fell = [9.2, 7.5, 6.4, 5.6, 5.1, 4.8, 4.5, 4.3, 4.2, 4.0, 3.9, 3.85, 3.7, 3.67, 3.6, 3.7, 5.4]
    text = "".join(f"step {100 * n}/2800 loss {loss + n % 3 / 40:.4f}\n" for n, loss in enumerate([*fell, *rest], 1))
    assert _verdict(tmp_path, 0, job=text).family == family


def test_a_measure_with_a_decimal_comma_is_not_nothing(tmp_path: Path) -> None:
    text = "".join(
        f"epoch {k}/12 perte {1.3 / k:.4f} mIoU {0.7 - 0.4 / k:.4f}\n".replace(".", ",") for k in range(1, 13)
    )
    assert _verdict(tmp_path / "a", 0, job=text).family == "G1"
    nothing = "".join(f"epoch {k}/12 perte {1.3 / k:.4f} mIoU 0,0000\n".replace(".", ",") for k in range(1, 13))
    assert _verdict(tmp_path / "b", 0, job=nothing).outcome == "cannot_decide"


# --- ends ----------------------------------------------------------------------------------------------------------


def test_the_last_report_may_take_its_leave(tmp_path: Path) -> None:
    told = "".join(f"step {n:>6}/100000 loss {0.7 - n / 5000:.4f} (smooth {0.6:.4f})\n" for n in range(50, 901, 50))
    short = _verdict(tmp_path / "a", job=told + "finished at step 938, smooth loss 0.4789\n")
    assert short.family == "E3"
    assert "938 steps of 100000" in short.headline
    assert _verdict(tmp_path / "b", job=told + "epoch finished, step 938, loss 0.4789\n").outcome == "cannot_decide"


def _typescript(command: str, code: int) -> str:
    begun = f"Script started on 2026-11-24 20:20:13+00:00 [{command}<not executed on terminal>]\n"
    return begun + _steps(1, 120, 400) + f'\nScript done on 2026-11-24 20:20:52+00:00 [COMMAND_EXIT_CODE="{code}"]\n'


def test_a_typescript_of_one_command_tells_its_status(tmp_path: Path) -> None:
    failed = _verdict(tmp_path / "a", job=_typescript('COMMAND="bash run.sh" ', 3))
    assert "exit code 3" in failed.headline
    assert "exit code" not in _verdict(tmp_path / "b", job=_typescript('TERM="xterm" TTY="/dev/pts/3" ', 3)).headline


def test_ignites_own_limit_is_a_limit(tmp_path: Path) -> None:
    text = _steps(1, 46, 400) + (
        f"{_clock(5)} ignite.handlers.time_limit.TimeLimit INFO: Reached the time limit: 300 sec. Stop training\n"
        "cp: cannot stat 'weights/best.pt': No such file or directory\n"
    )
    assert _verdict(tmp_path, 1, job=text).family == "F3"


# --- waits in a loop's own words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("last 100 steps: 345.8 s, of which 312.1 s in next(iterator)", "D1"),
        ("last 100 steps: 345.8 s, of which 312.1 s in data parallel sync", None),
        ("3.98 s until the plates were there, 18.4 ms to learn from them", "D1"),
        ("3.98 s until the evaluation was there, 18.4 ms to write it down", None),
        ("27.7 s in all, 0.2 s in train steps, reading tiles 2.29 s per batch", "D1"),
    ],
)
def test_a_loop_says_how_long_it_waited(tmp_path: Path, line: str, family: str | None) -> None:
    text = "".join(f"step {n}/40 loss {2.4 * math.exp(-n / 9) + 0.3:.4f}\n{line}\n" for n in range(1, 31))
    assert _verdict(tmp_path, job=text).family == family


# --- schedulers and GPUs -------------------------------------------------------------------------------------------


def _finding(run: Run, family: str) -> object:
    return next(each for each in FAMILIES if each.id == family).judge(run.evidence())


@pytest.mark.parametrize(("state", "kind"), [("RUNNING", CannotDecide), ("PENDING", RuledIn)])
def test_a_job_that_was_requeued_and_runs_is_not_lost(state: str, kind: type) -> None:
    run = Run()
    run.row("slurm_jobs", node="node01", job_id="7", state="REQUEUED", start_ns=at(0), end_ns=at(600))
    run.row("slurm_jobs", node="node01", job_id="7", state=state, start_ns=at(900) if state == "RUNNING" else None)
    run.fact("fact_events", kind="requeued", pattern="slurm.requeued", subject="7", text="REQUEUED", ts_ns=at(600))
    assert isinstance(_finding(run, "F2"), kind)


def _with_neighbours(*, left_at: int) -> Run:
    """Two GPUs of the job from first to last report, and two that somebody left at some time."""
    run = Run()
    for number in range(100):
        run.fact("fact_steps", step=number, loss=4 - number / 40, rank=0, kind="step", ts_ns=at(400 + 10 * number))
    for second in range(400, 1400, 30):
        for gpu in range(4):
            holds = gpu < 2 or second < left_at
            run.row(
                "gpu_samples",
                node="node01",
                gpu_uuid=f"GPU-{gpu}",
                ts_ns=at(second),
                engine_active=0.98 if holds else 0.0,
                fb_used_bytes=(40 << 30) if holds else (4 << 20),
            )
    return run


def test_gpus_that_were_left_in_the_midst_of_reports_are_not_the_jobs() -> None:
    left = {("node01", "GPU-2"), ("node01", "GPU-3")}
    assert strange_gpus(_with_neighbours(left_at=1000).evidence()) == left
    assert not strange_gpus(_with_neighbours(left_at=1330).evidence()), "its processes end as the last reports are made"


@pytest.mark.parametrize(("touched", "family"), [(False, "C3"), (True, None)])
def test_neighbours_that_nobody_touched_are_no_ranks(touched: bool, family: str | None) -> None:
    run = Run()
    for number in range(60):
        run.fact("fact_steps", step=number, loss=4 - number / 40, kind="bar", ts_ns=at(10 * number))
    for second in range(0, 6000, 30):
        for gpu in range(3):
            own = gpu == 0 or (touched and second > 60)
            run.row(
                "gpu_samples",
                node=f"node0{gpu}",
                gpu_uuid=f"GPU-{gpu}",
                ts_ns=at(second),
                engine_active=0.98 if own and second < 600 else 0.0,
                fb_used_bytes=(40 << 30) if own else (3 << 20),
            )
    verdict = judge(run.evidence(), strict=True)
    assert (verdict.family if verdict.family == "C3" else None) == family


def test_ranks_that_abort_of_a_lost_peer_did_not_bring_its_node_down() -> None:
    verdict = verdict_on("a node failed, and its peers told of it first")
    assert verdict.family == "F1"
    assert [link.family for link in verdict.chain][:2] == ["F1", "A2"]


# --- frameworks ----------------------------------------------------------------------------------------------------


def test_composers_batches_are_those_of_an_epoch(tmp_path: Path) -> None:
    text = "".join(
        f"[epoch={n}/90][batch=625/625]:\n\t Train loss/train/total: {3 - n / 40:.4f}\n" for n in range(10, 71)
    )
    broken_off = _verdict(tmp_path / "a", job=text)
    assert broken_off.outcome == "cannot_decide"
    whole = "".join(f"[batch={n}/1000]:\n\t Train loss/train/total: {3 - n / 400:.4f}\n" for n in range(20, 1001, 20))
    assert _verdict(tmp_path / "b", job=whole).family == "G1"
    olmo = "".join(
        f"{_clock(n // 60, n % 60)} INFO olmo.train:967 [step={n}/1000,epoch=0]\n"
        f"    train/CrossEntropyLoss={3 - n / 400:.4f}\n"
        for n in range(20, 1001, 20)
    )
    assert _verdict(tmp_path / "c", job=olmo).family == "G1"


_SKIPPED = (
    "/env/keras/src/saving/saving_lib.py:710: UserWarning: A total of 3 objects could not be loaded. Example error"
    " message for object <Dense name=dense, built=True>:\n"
)


@pytest.mark.parametrize(("again", "family"), [(1.8, "E2"), (0.11, "G1")])
def test_objects_that_keras_could_not_load(tmp_path: Path, again: float, family: str) -> None:
    def epochs(first: int, last: int, top: float) -> str:
        return "".join(
            f"Epoch {n}/40\n94/94 - 1s - 3ms/step - loss: {top * math.exp((first - n) / 6) + 0.01:.4f}\n"
            for n in range(first, last + 1)
        )

    text = epochs(1, 17, 2.1) + _SKIPPED + epochs(18, 40, again)
    assert _verdict(tmp_path, job=text).family == family


@pytest.mark.parametrize(("dev", "decided"), [(81.7, False), (8.1, True)])
def test_who_evaluated_for_most_of_the_time_is_left_open(tmp_path: Path, dev: float, decided: bool) -> None:
    steps = "".join(f"step {n:>4}/240 loss {1.5 * math.exp(-n / 60) + 0.14:.4f}\n" for n in range(6, 241, 6))
    text = f"{steps}finished 240 steps in 85.5s, of which dev {dev}s\n"
    assert (_verdict(tmp_path, 0, job=text).family == "G1") is decided


@pytest.mark.parametrize(("resumes", "family"), [(False, "G1"), (True, None)])
def test_fairseq2_looks_for_a_checkpoint_at_every_start(tmp_path: Path, resumes: bool, family: str | None) -> None:
    said = "fairseq2.trainer - Attempting to load the last checkpoint.\nfairseq2.trainer - No checkpoint found."
    text = f"{'--resume-from out/last ' if resumes else ''}\n{said} Starting training.\n" + _steps(1, 200)
    verdict = _verdict(tmp_path, 0, job=text)
    assert verdict.family == family or (resumes and verdict.family == "E2")
