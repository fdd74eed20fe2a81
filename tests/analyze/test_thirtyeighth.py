"""What the thirty-eighth set found wrong or open at first contact, in short texts of our own with near misses."""

# ruff: noqa: E501 (log lines are kept whole, so that they can be searched for)

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from .short_logs import clock, fell, verdict_of

if TYPE_CHECKING:
    from pathlib import Path

_CHANCE = random.Random(38)


def _of_rank(rank: int, last: int, begun_s: float) -> str:
    said = [f"{clock(begun_s)} process {rank} of 4", "No existing checkpoints found, not restoring checkpoint."]
    for step in range(last + 1):
        said.append(f"completed step: {step}, seconds: 2.1, loss: {fell(_CHANCE, step, last):.3f}")
        if step % 50 == 0:
            said.append(f"saved a checkpoint at step {step}")
    return "\n".join([*said, ""])


# --- logs of ranks, each with a number, are no links of a chain -----------------------------------------------------------
@pytest.mark.parametrize(("apart_s", "lost"), [(0.5, False), (7200.0, True)], ids=["one launch", "one after the other"])
def test_logs_of_one_launch_are_no_chain(tmp_path: Path, apart_s: float, *, lost: bool) -> None:
    for rank in range(4):
        began = clock(rank * apart_s)
        log = _of_rank(rank, 200, rank * apart_s).replace("No existing", f"{began} No existing")
        (tmp_path / f"lm_71833_{rank}.out").write_text(log)
    assert (verdict_of(tmp_path).family == "E2") == lost


# --- a rank that left with 1 and wrote nothing ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "family"),
    [([f"{clock(60 * n)[11:]}  {40 * n}  {9 - n / 9:.4f}  gn 0.3" for n in range(1, 40)], None), ([], "A1")],
    ids=["in the midst of a count", "before it began"],
)
def test_a_bare_status_of_a_loop_that_counted_stands_for_anything(
    tmp_path: Path, before: list[str], family: str | None
) -> None:
    said = [
        "# world 8, stderr -> /local/6034/err.<rank>",
        *before,
        "srun: error: gx12: tasks 4-7: Exited with exit code 1",
    ]
    assert verdict_of(tmp_path, said).family == family


# --- an error that was warned of, and got over before the ranks were to meet ----------------------------------------------
_PASSED_ON = [
    "Traceback (most recent call last):",
    '  File "/venv/bin/onmt_train", line 8, in <module>',
    "    sys.exit(main())",
    '  File "/venv/lib/python3.10/site-packages/onmt/utils/distributed.py", line 189, in signal_handler',
    "    raise Exception(msg)",
    "Exception: ",
    "",
    "-- Tracebacks above this line can probably",
    "                 be ignored --",
    "",
    "Traceback (most recent call last):",
    '  File "/venv/lib/python3.10/site-packages/onmt/utils/distributed.py", line 28, in multi_init',
    "    torch.distributed.init_process_group(",
]


@pytest.mark.parametrize(
    ("raised", "family"),
    [
        (
            "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 2/4 clients joined.",
            "C1",
        ),
        ("ValueError: unknown activation 'swishglu'", "A1"),
    ],
)
def test_what_a_signal_handler_passes_on_is_the_cause(tmp_path: Path, raised: str, family: str) -> None:
    said = [
        "[2026-11-03 13:22:09,703 INFO] Get special vocabs from Transforms: {'src': [], 'tgt': []}.",
        "[2026-11-03 13:22:09,716 WARNING] could not read /proj/kat/vocab.joint (try 1 of 4)",
        "Traceback (most recent call last):",
        '  File "/proj/kat/bin/start_train.py", line 58, in read_vocab',
        "    lines = handle.readlines()",
        "OSError: [Errno 116] Stale file handle: '/proj/kat/vocab.joint'",
        "[2026-11-03 13:22:14,735 INFO] read /proj/kat/vocab.joint at try 2",
        "[2026-11-03 13:22:14,785 INFO] Building model...",
        "[2026-11-03 13:22:16,566 INFO] Starting training on GPU: [2], to 180000 steps, valid every 4000",
        *_PASSED_ON,
        raised,
        "+ 13:52:14 onmt_train left with 1",
    ]
    verdict = verdict_of(tmp_path, said)
    assert verdict.family == family
    assert "Stale file handle" not in verdict.headline


def test_a_caught_error_that_is_the_last_word_is_the_cause(tmp_path: Path) -> None:
    said = [
        "[2026-11-03 13:22:09,716 WARNING] could not read /proj/kat/vocab.joint (try 4 of 4)",
        "Traceback (most recent call last):",
        '  File "/proj/kat/bin/start_train.py", line 9, in <module>',
        "    main()",
        '  File "/proj/kat/bin/start_train.py", line 58, in read_vocab',
        "    lines = handle.readlines()",
        "OSError: [Errno 116] Stale file handle: '/proj/kat/vocab.joint'",
        "+ 13:52:14 onmt_train left with 1",
    ]
    assert verdict_of(tmp_path, said).family == "A1"


# --- an instance that is taken back, said behind a hash ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("said", "family"),
    [
        (f"## {clock(900)} spot watcher: instance-action terminate in 120 s (capacity is wanted back)", "F2"),
        ("# spot watcher: instance-action terminate in 120 s is what it prints", None),
        ("############ spot watcher: instance-action terminate in 120 s ############", None),
        (f"## {clock(900)} spot watcher: no instance-action, polling again in 5 s", None),
    ],
)
def test_a_notice_behind_a_hash_and_aclock(tmp_path: Path, said: str, family: str | None) -> None:
    run = [f"{clock(10 * n)} step {n}/900 loss {fell(_CHANCE, n, 900):.4f}" for n in range(1, 80)]
    assert verdict_of(tmp_path, [*run, said]).family == family


def test_an_instance_taken_back_and_a_run_resumed_to_its_end(tmp_path: Path) -> None:
    for life, (first, last) in enumerate(((1, 500), (450, 1000))):
        loaded = [
            f"[{clock(0)[5:16]} fvcore.common.checkpoint]: [Checkpointer] Loading from /efs/out/model_0000449.pth ..."
        ]
        said = loaded * life + [f"iter: {n}  total_loss: {fell(_CHANCE, n, 1000):.4f}" for n in range(first, last, 10)]
        said += [f"## {clock(900)} spot watcher: instance-action terminate in 120 s"] if not life else ["training done"]
        (tmp_path / f"life_{life}.log").write_text("\n".join([*said, ""]))
    verdict = verdict_of(tmp_path)
    assert (verdict.family, verdict.sub_mode) == ("F2", "recovered")


# --- a rule that counts the looks which brought nothing ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("last", "family"),
    [
        ("four in a row without gain: done as the rule has it. best is update 1000", "G1"),
        ("no rise for 4 rounds: that is the end as ruled. Best 0.8036 of round 27", "G1"),
        ("no rise for 3 rounds: one more to go", None),
        ("rule: four in a row without gain: done when that happens", None),
    ],
)
def test_a_rule_of_no_gain_ends_a_run(tmp_path: Path, last: str, family: str | None) -> None:
    run = [f"{clock(30 * n)} update {100 * n}  loss {fell(_CHANCE, n, 40):.4f}" for n in range(1, 41)]
    assert verdict_of(tmp_path, [*run, f"{clock(1230)} {last}"]).family == family


# --- a line that tells where a run goes on, behind the name of its rank --------------------------------------------------
@pytest.mark.parametrize(("again", "lost"), [(3.2, True), (0.29, False)])
def test_a_state_whose_loss_is_told_behind_a_rank(tmp_path: Path, again: float, *, lost: bool) -> None:
    said = ["[rank 0] resuming from state/upd000600.pt (update 600, loss 0.2865)"]
    said += [f"[rank 0] update {600 + 25 * n}/1200 loss {0.28 + (again - 0.28) * 0.4**n:.4f}" for n in range(24)]
    assert (verdict_of(tmp_path, said).family == "E2") == lost


# --- a step that is what comes after its wait ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("waits", "step_s", "starved"),
    [((2.3, 2.4, 2.2), 0.01, True), ((0.0, 0.4, 3.1), 0.02, True), ((0.001, 0.002, 0.001), 0.2, False)],
    ids=["each waits", "one of three waits for all", "none waits"],
)
def test_waits_told_beside_a_step(tmp_path: Path, waits: tuple[float, ...], step_s: float, *, starved: bool) -> None:
    at, said = 0.0, []
    for n in range(1, 61):
        wait = waits[n % 3]
        at += wait + step_s
        said.append(f"{clock(at)} it {n:3} loss {fell(_CHANCE, n, 60):.4f} data {wait:6.3f}s step {step_s:6.3f}s")
    assert (verdict_of(tmp_path, said).family == "D1") == starved


# --- each rank's clause of one line --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "form",
    [
        "[timing] rank0: forward {0:.3f}s of step {2:.3f}s  rank1: forward {1:.3f}s of step {2:.3f}s",
        "step {3}: rank 0 own forward {4:.0f} ms, backward with exchange {5:.0f} ms; rank 1 own forward {6:.0f} ms, backward with exchange {7:.0f} ms",
    ],
)
@pytest.mark.parametrize("slow", [0.135, 0.017])
def test_clauses_of_ranks_in_one_line(tmp_path: Path, form: str, *, slow: float) -> None:
    said = []
    for n in range(1, 31):
        quick, late = 0.016 + _CHANCE.uniform(0, 0.002), slow + _CHANCE.uniform(0, 0.002)
        step = max(quick, late) + 0.02
        told = (quick, late, step, n, 1000 * quick, 1000 * (step - quick), 1000 * late, 1000 * (step - late))
        said += [f"step {n}/30 loss {fell(_CHANCE, n, 30):.4f}", form.format(*told)]
    verdict = verdict_of(tmp_path, said)
    assert (verdict.family == "D3") == (slow > 0.1)
    assert slow < 0.1 or verdict.culprit_ranks == (1,)
