"""What the fourteenth set's first round showed of logs and programs, in words of our own, each beside its near miss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def falls(n: int) -> float:
    return 2.4 * (0.2 + 0.8 * math.exp(-n / 6))


def said(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


STEPS = "".join(f"epoch {n // 10} batch {n % 10} loss {falls(n):.4f}\n" for n in range(30))
WRONG = "Traceback (most recent call last):\n  File \"fit.py\", line 3, in <module>\n    go()\nKeyError: 'r99'\n"


@pytest.mark.parametrize(
    ("between", "told"),
    [
        ("== attempt 1 ended with 1; attempt 2\n", True),
        ("--- attempt 2 of 3 ---\n", True),
        ("attempt 1 failed (exit 1), retry 2\n", True),
        ("[launch.sh] try 1: exit 1\n", True),
        ("=== training exited with 1, starting it again (2/3) ===\n", True),
        ("train.py failed with exit code 1, retrying in 30 s\n", True),
        ("try 1: exit 1\n", True),
        ("attempt 1: 1\nattempt 2\n", True),
        ("--- first try: 1; second try, on other coins\n", True),
        ("upload of the log failed with 503, trying again\n", False),  # no attempt of the training
    ],
)
def test_a_shells_own_word_on_an_attempt(tmp_path: Path, between: str, told: bool) -> None:
    verdict = said(tmp_path, WRONG + between + STEPS, 143)
    assert (verdict.outcome, verdict.family) == (("outside_families", None) if told else ("decided", "A1"))


INTERRUPTED = 'Traceback (most recent call last):\n  File "fit.py", line 7, in go\n    step()\nKeyboardInterrupt\n'
NO_PEERS = (
    'Traceback (most recent call last):\n  File "fit.py", line 2, in <module>\n    dist.init_process_group("gloo")\n'
    "torch.distributed.DistStoreError: Timed out after 61 seconds waiting for clients. 1/2 clients joined.\n"
)


@pytest.mark.parametrize(
    ("again", "family", "least", "most"),
    [
        (INTERRUPTED, None, 0.5, 1.0),  # whatever the attempt before had died of, a person ended this one
        (WRONG, "A1", 0.8, 1.0),
        (NO_PEERS, "A1", 0.0, 0.75),  # its peers had failed as well, or never came: neither explains the other
        ("loading data\n", "A1", 0.8, 1.0),
    ],
)
def test_how_the_last_attempt_of_a_shell_ended(
    tmp_path: Path, again: str, family: str | None, least: float, most: float
) -> None:
    verdict = said(tmp_path, f"{STEPS}{WRONG}=== attempt 2 ===\n{again}", 1)
    assert verdict.family == family
    assert least <= verdict.confidence <= most
    earlier = [text for text in verdict.warnings if text.startswith("An earlier attempt ended with KeyError: 'r99'")]
    assert bool(earlier) is (again in (INTERRUPTED, WRONG))


@pytest.mark.parametrize(
    ("name", "family"),
    [("  trial {k}", "G1"), ("\ttrial {k}", "G1"), ("  run", "E2")],
)
def test_trials_that_stand_apart_from_the_margin(tmp_path: Path, name: str, family: str) -> None:
    text = "".join(
        name.format(k=k) + f" epoch {100 * n} train_mse {0.4 * 0.8**n - k / 90:.4f} valid_mse {0.5 * 0.8**n:.4f}\n"
        for k in range(8)
        for n in range(1, 5)
    )
    found = said(tmp_path, text + "8 trials done, the best one is trial 7\nwrote trials.csv\n")
    assert (found.family == "E2") is (family == "E2")
    assert family != "G1" or found.family in ("G1", None)


STRUCT = "2026-11-23 15:49:01 [info     ] step      examples_seen={s} max_steps={m} ner_loss=np.float32({v}) step={n}\n"
OVER = "2026-11-23 15:49:02 [info     ] training_complete              epochs=0.0067 steps={m}\n"


@pytest.mark.parametrize(("steps", "family"), [(5, "E3"), (900, "G1")])
def test_numbers_as_numpy_shows_them(tmp_path: Path, steps: int, family: str) -> None:
    every = max(1, steps // 30)
    text = "".join(STRUCT.format(s=4 * n, m=steps, v=round(falls(n * 30 // steps), 3), n=n)
                   for n in range(every, steps + 1, every))  # fmt: skip
    assert said(tmp_path, text + OVER.format(m=steps)).family == family


TITAN = "[titan] 2026-07-15 15:00:02,000 - root - INFO - "
SHORT = "".join(f"{TITAN}step: {n}  loss: {12 - n / 50:.5f}  grad_norm: 1.2  tps: 4,240\n" for n in range(10, 70, 10))
DRY = f"{TITAN}WARNING - Ran out of data; last step was canceled.\n{TITAN}Training completed\n"


@pytest.mark.parametrize(
    ("plan", "family"),
    [
        ("Trainer is initialized with sequence length 8192, total steps 10000 (warmup 200)", "E3"),
        ("Trainer is initialized with sequence length 8192, total steps 60 (warmup 2)", None),
    ],
)
def test_a_plan_of_which_a_small_part_was_done(tmp_path: Path, plan: str, family: str | None) -> None:
    found = said(tmp_path, f"{TITAN}{plan}\n{SHORT}{DRY}").family
    assert (found == "E3") is (family == "E3")


@pytest.mark.parametrize(
    ("names", "losses"),
    [
        ("epoch   textcat loss   dev acc", 9),
        ("epoch   dev loss   dev acc", 0),
        ("epoch   textcat loss   parser loss", 0),  # which one is what is learned is not told
    ],
)
def test_a_table_whose_names_are_of_two_words(tmp_path: Path, names: str, losses: int) -> None:
    (tmp_path / "job.log").write_text(
        "Resuming from model-last after epoch 0\n"
        + names
        + "\n"
        + "".join(f"    {n}        {falls(n) * 7:.4f}     {0.5 + n / 30:.3f}\n" for n in range(1, 10))
    )
    assert parse_logs(import_logs([tmp_path]))["fact_steps"]["loss"].count() == losses


@pytest.mark.parametrize(("first", "told"), [(0, "905 steps"), (9, "905 steps"), (1, "904 steps")])
def test_trees_that_are_counted_from_nothing_and_told_now_and_then(tmp_path: Path, first: int, told: str) -> None:
    rows = "".join(f"{n}:\tlearn: {falls(n // 40):.7f}\ttotal: {n}ms\tremaining: 9ms\n" for n in range(first, 904, 10))
    found = said(tmp_path, f"{rows}904:\tlearn: 0.4410000\ttotal: 9s\tremaining: 0us\n")
    assert told in found.headline


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("step 3/9 loss 0.41 | checkpoint saved in 1.35 s", None),
        ("checkpoint saved to out/last.pt in 1.35 s", "out/last.pt"),
    ],
)
def test_what_a_save_took_is_no_name_of_it(tmp_path: Path, line: str, subject: str | None) -> None:
    (tmp_path / "job.log").write_text(line + "\n")
    events = parse_logs(import_logs([tmp_path]))["fact_events"]
    assert events.filter(events["pattern"] == "checkpoint.generic_saved")["subject"].to_list() == [subject]


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("WARNING: could not load ckpt/last.pt: Error(s) in loading state_dict for Net", "E2"),
        ("WARNING: could not load libjpeg, going on", "G1"),
    ],
)
def test_a_state_that_could_not_be_read(tmp_path: Path, line: str, family: str) -> None:
    text = "".join(f"epoch {n}/20 loss {falls(n):.4f}\n" for n in range(1, 21))
    assert said(tmp_path, f"##### run 2 #####\n{line}\n{text}training complete\n").family == family


LAUNCHER = """Traceback (most recent call last):
  File "/e/bin/torchrun", line 8, in <module>
    sys.exit(main())
  File "/e/lib/python3.11/site-packages/torch/distributed/run.py", line 990, in main
    run(args)
{}
"""
FAILED = LAUNCHER.format("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ")
TAKEN_DOWN = LAUNCHER.format(
    "torch.distributed.elastic.multiprocessing.api.SignalException: Process 23735 got signal: 15"
)


@pytest.mark.parametrize(
    ("heading", "errors", "named"),
    [
        ("attempt 1: 1\n", FAILED + TAKEN_DOWN, False),
        ("attempt 1: 1\n", FAILED, True),  # that of the last attempt
        ("", FAILED + TAKEN_DOWN, True),  # of one attempt, of which several launchers tell
    ],
    ids=["an attempt before", "the last attempt", "no attempts"],
)
def test_an_attempt_whose_errors_went_to_another_file(tmp_path: Path, heading: str, errors: str, named: bool) -> None:
    (tmp_path / "job.err").write_text(WRONG + errors)
    verdict = said(tmp_path, heading + STEPS)
    assert ("KeyError" in verdict.headline) is named


@pytest.mark.parametrize(
    ("errors", "heard"),
    [(FAILED + TAKEN_DOWN, False), (FAILED, True)],
    ids=["the launcher of the last attempt was ended from outside", "the one launcher"],
)
def test_what_a_launcher_before_the_last_said_of_its_worker(tmp_path: Path, errors: str, heard: bool) -> None:
    word = (
        "E1123 16:16:05.209000 23548 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1)"
        " local_rank: 0 (pid: 23650) of binary: /e/bin/python3\n"
    )
    (tmp_path / "job.err").write_text(word + errors)
    verdict = said(tmp_path, "attempt 1: 1\nattempt 2\n" + STEPS)
    (crash,) = (entry for entry in verdict.families if entry.family == "A1")
    assert ("left with exit code 1" in crash.because) is heard
    assert verdict.family is None  # it may have left for anything
