"""Ends that are none, of quoted or handled words, and ends of a later job in the log of the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.registry import matches
from inquest.analyze.logs.went_on import makes_do
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def told(folder: Path, exit_code: int | None = None, **files: str) -> str:
    """The verdict on files, by the names of their kinds; ``__`` stands for the point."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    found = analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]
    return str(found.family or found.outcome)


def curve(form: str, reports: int = 40, first: int = 1) -> list[str]:
    """Reports of a loss that falls, and of a share that rises."""
    return [
        form.format(k=k, loss=0.3 + 2 / (1 + 0.2 * k), share=0.9 - 0.6 / (1 + 0.1 * k))
        for k in range(first, first + reports)
    ]


def clock(seconds: int) -> str:
    return f"{8 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


# --- words in a text -------------------------------------------------------------------------------------------------

KILL = "Out of memory: Killed process 4411 (java) total-vm:8123456kB, anon-rss:7123456kB"


@pytest.mark.parametrize(
    "line",
    [
        f"['<|im_start|>user\\nkernel: {KILL}<|im_end|>\\n<|im_start|>assistant\\nLower the heap.<|im_end|>', 0.65]",
        f"[{{'role': 'user', 'content': 'My server printed {KILL}'}}]",
        f"<start_of_turn>user My server printed kernel: {KILL}<end_of_turn>",
        f"[INST] What is this: kernel: {KILL} [/INST] The heap is too large.",
        f"My server says 'kernel: {KILL}'. What should I do?",
        f"('My log ends so:\\nkernel: {KILL}\\nThanks', 0.3)",
        "CUDA error: device-side assert triggered. How can I debug this?",
    ],
)
def test_a_sampled_text_is_no_event(line: str) -> None:
    assert not list(matches(line))


@pytest.mark.parametrize(
    "line",
    [
        f"[ 8123.4567] {KILL}",
        f"kernel: {KILL}",
        f"node7 kernel: {KILL}",
        "RuntimeError: CUDA error: device-side assert triggered",
        "[rank3]: torch.AcceleratorError: CUDA error: device-side assert triggered",
    ],
)
def test_what_is_said_of_the_job_itself_is_one(line: str) -> None:
    assert list(matches(line))


SACCT = (
    "JobID|JobName|State|ExitCode|Start|End|Elapsed\n"
    "7|ppo|{state}|{code}|2026-11-02T08:00:00|2026-11-02T09:00:00|01:00:00\n"
)


def _with_a_kill(at: int, reports: int = 40) -> str:
    lines = curve("2026-11-02 08:{k:02d}:00 step {k}/40 loss {loss:.4f}", reports)
    lines.insert(at, f"ANSWER OF THE MODEL\nkernel: {KILL}")
    return "\n".join(lines) + "\n"


def test_a_kill_that_the_training_read_out_is_not_its_own(tmp_path: Path) -> None:
    assert (
        told(tmp_path, None, job__log=_with_a_kill(9), sacct__txt=SACCT.format(state="COMPLETED", code="0:0")) == "G1"
    )


def test_a_kill_below_the_last_step_is(tmp_path: Path) -> None:
    text = _with_a_kill(30, 30)
    assert told(tmp_path, None, job__log=text, sacct__txt=SACCT.format(state="FAILED", code="9:0")) == "A2"


# --- errors that are handled ------------------------------------------------------------------------------------------

HANDLED = (
    "(TaskRunner pid=21) Traceback (most recent call last):\n"
    '(TaskRunner pid=21)   File "/w/reward.py", line 61, in score\n'
    "(TaskRunner pid=21)     value = parse(answer, timeout=5)\n"
    '(TaskRunner pid=21)   File "/w/reward.py", line 33, in parse\n'
    '(TaskRunner pid=21)     raise TimeoutError("parse took more than 5 s")\n'
    "(TaskRunner pid=21) TimeoutError: parse took more than 5 s\n"
)
SCORED = "".join(
    f"(TaskRunner pid=21) step:{k} - actor/entropy:0.3 - actor/kl_loss:0.001 - critic/score/mean:{0.5 + k / 100:.3f}"
    f" - critic/rewards/mean:{0.5 + k / 100:.3f} - timing_s/step:72.5\n"
    for k in range(1, 40)
)
FINAL = "(TaskRunner pid=21) (\"Final validation metrics: {'val-core/reward/mean@1': 0.8426}\")\n"
STARTED = "2026-11-03 09:12:40,311\tINFO worker.py:1888 -- Started a local Ray instance.\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("[reward_fn] could not score this answer, counting it as 0.0 and going on", "G1"),
        ("cannot score this answer, treating it as wrong", "G1"),
        ("reward set to 0", "G1"),
        ("using the rule-based score instead", "G1"),
        ("[reward_fn] giving up, cannot continue", "A1"),
        ("[reward_fn] counting it as a failure and exiting", "A1"),
        ("[reward_fn] scored 31 answers", "A1"),
    ],
)
def test_what_a_reward_function_says_of_an_error_in_a_stream_of_its_own(
    tmp_path: Path, words: str, expected: str
) -> None:
    err = STARTED + HANDLED + f"(TaskRunner pid=21) {words}\n(TaskRunner pid=21) wandb: synced\n"
    assert told(tmp_path, None, job__out=SCORED + FINAL, job__err=err) == expected


def test_who_says_so_and_is_gone_with_another_error(tmp_path: Path) -> None:
    raised = (
        "Traceback (most recent call last):\n"
        '  File "/w/main.py", line 9, in <module>\n    main()\n'
        '  File "/w/main.py", line 5, in main\n    fit()\nTimeoutError: parse took more than 5 s\n'
    )
    err = STARTED + HANDLED + "(TaskRunner pid=21) counting it as 0.0 and going on\n" + raised
    assert told(tmp_path, 1, job__out=SCORED, job__err=err) == "A1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("falling back to the old tokenizer", True),
        ("bad sample replaced by the previous one", True),
        ("counted as incorrect", True),
        ("2026-11-03 ERROR going on is not possible", False),
        ("unable to continue", False),
        ("exiting", False),
        ("moved 31 files", False),
        ("connection dropped", False),
        ("nobody knows what is going on", False),
        ("dropped this batch", True),
    ],
)
def test_words_of_who_makes_do(text: str, expected: bool) -> None:
    assert makes_do(text) is expected


# --- a later job in the same log --------------------------------------------------------------------------------------

LIMIT = "slurmstepd: error: *** JOB 31 ON n6 CANCELLED AT 2026-11-03T08:14:00 DUE TO TIME LIMIT ***\n"
HEAD = "Command Line Args: Namespace(config='r50.yaml', resume={resume}, num_gpus=4, world_size=4)\n"
LOAD = (
    '  File "/w/train.py", line 41, in main\n    trainer.resume_or_load(resume=True)\n'
    '  File "/w/lib/python3.9/site-packages/torch/optim/optimizer.py", line 390, in load_state_dict\n'
    '    raise ValueError("loaded state dict contains a parameter group "\n'
    "ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group\n"
)
FAILS = 'Traceback (most recent call last):\n  File "/w/train.py", line 77, in <module>\n    main()\n' + LOAD


def _first_job(line: str = "2026-11-03 {at} iter: {k} total_loss: {loss:.4f} lr: 0.01 world_size: 4") -> str:
    reports = (line.replace("{at}", clock(20 * k)).format(k=50 * k, loss=0.3 + 2 / (1 + 0.2 * k)) for k in range(1, 41))
    return HEAD.format(resume=False) + "[rank0] of 4 ranks\n[rank3] of 4 ranks\n" + "\n".join(reports) + "\n"


def _second_job(minute: int, head: str) -> str:
    begun = [f"2026-11-03 08:{minute}:0{s} [Checkpointer] Loading from ./out/model_1999.pth ..." for s in (1, 3)]
    return head + "\n".join(begun) + "\n" + FAILS + "srun: error: n6: task 0: Exited with exit code 1\n"


TWO_JOBS = (
    "JobID|JobName|State|ExitCode|Start|End|Elapsed\n"
    "31|r50|TIMEOUT|0:0|2026-11-03T07:59:00|2026-11-03T08:14:00|00:15:00\n"
    "38|r50|FAILED|1:0|2026-11-03T08:29:50|2026-11-03T08:30:20|00:00:30\n"
)


@pytest.mark.parametrize("sacct", ["", TWO_JOBS])
@pytest.mark.parametrize("head", [HEAD.format(resume=True), "another first line\n"])
def test_how_the_later_job_ended_counts(tmp_path: Path, head: str, sacct: str) -> None:
    files = {"job__out": _first_job() + LIMIT + _second_job(30, head)} | ({"sacct__txt": sacct} if sacct else {})
    assert told(tmp_path, None, **files) == "E2"


def test_what_a_limit_tore_down_is_of_no_later_job(tmp_path: Path) -> None:
    torn = FAILS.removesuffix(LOAD) + "KeyboardInterrupt\n"
    assert told(tmp_path, None, job__out=_first_job() + LIMIT + "2026-11-03 08:14:02 saving\n" + torn) == "F3"


# --- a pod's log ------------------------------------------------------------------------------------------------------


def _pod(*lines: str, stream: str = "stdout") -> str:
    return "".join(
        f"2026-11-02T08:{k // 60:02d}:{k % 60:02d}.606485588Z {stream} F {line}\n" for k, line in enumerate(lines)
    )


EPOCHS = curve("Epoch {k:05d} | Loss {loss:.4f} | Accuracy {share:.4f}", 300, first=287)


def test_last_words_behind_what_a_container_runtime_puts_before_them(tmp_path: Path) -> None:
    text = _pod(*EPOCHS, "Testing...", "Test accuracy 0.7187", "model saved to /out/ogbn-arxiv-gat.pt")
    assert told(tmp_path, None, pod__log=text) == "G1"


@pytest.mark.parametrize("last", [(), ("Testing...",), ("Test accuracy so far 0.7187",)])
def test_a_pods_log_that_only_ends(tmp_path: Path, last: tuple[str, ...]) -> None:
    lines = [*EPOCHS]
    lines.insert(100, "Test accuracy so far 0.6100")
    assert told(tmp_path, None, pod__log=_pod(*lines, *last)) == "cannot_decide"


def test_a_crash_behind_the_same(tmp_path: Path) -> None:
    crash = [
        "Traceback (most recent call last):",
        '  File "/app/gat.py", line 88, in <module>',
        "    main()",
        "ValueError: too few nodes",
    ]
    assert told(tmp_path, None, pod__log=_pod(*EPOCHS) + _pod(*crash, stream="stderr")) == "A1"


# --- an early stop while it gains -------------------------------------------------------------------------------------

ESPNET = (
    "[n3] (trainer:291) INFO: {e}/60epoch started. Estimated time to finish: 21 hours\n"
    "[n3] (trainer:737) INFO: {e}epoch:train:1-1200batch: iter_time=1.8e-04, loss_att={x:.3f}, loss={a:.3f}\n"
    "[n3] (trainer:737) INFO: {e}epoch:train:1201-2400batch: iter_time=1.8e-04, loss_att={x:.3f}, loss={b:.3f}\n"
    "[n3] (trainer:343) INFO: {e}epoch results: [train] iter_time=1.9e-04, loss={b:.3f}, time=21 minutes, "
    "total_count={n}, [valid] loss_ctc={x:.3f}, acc=0.5, loss={v:.3f}, time=1 minute, total_count=96\n"
)
STOPPED = (
    "[n3] (reporter:477) INFO: [Early stopping] valid.loss has been not improved 3 epochs continuously. "
    "The training was stopped at {e}epoch\n"
)


def _espnet(validated: tuple[float, ...]) -> str:
    reports = (
        ESPNET.format(e=e, a=200 / e + 5, b=200 / (e + 0.4), v=v, x=210 / e, n=2400 * e)
        for e, v in enumerate(validated, 1)
    )
    return "".join(reports) + STOPPED.format(e=len(validated))


def test_a_rule_that_watched_the_wrong_way_stopped_it(tmp_path: Path) -> None:
    assert told(tmp_path, None, train__log=_espnet((156.1, 111.8, 86.0, 71.1))) == "E3"


def test_a_rule_that_stopped_what_gained_no_more(tmp_path: Path) -> None:
    assert told(tmp_path, None, train__log=_espnet((156.1, 158.8, 160.0, 163.1))) != "E3"
