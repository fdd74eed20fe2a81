"""Words of a finding that take from the log what belongs to it, and not what only stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def said_of(folder: Path, text: str) -> Verdict:
    (folder / "job.log").write_text(text)
    return analyze(import_logs([str(folder / "job.log")], exit_code=1), strict=True)[0]


@pytest.mark.parametrize(
    ("line", "loss", "validated"),
    [
        ("epoch 2/8 val loss 0.7011 ppl 2.02", None, 0.7011),
        ("epoch 2/8 | valid loss: 0.7011 | ppl: 2.02", None, 0.7011),
        ("epoch 2/8 loss 0.9132 val loss 0.7011 ppl 2.02", 0.9132, 0.7011),
        ("epoch 2/8 ppl 2.02", 2.02, None),  # a loop may call its loss so
        ("epoch 2/8 val loss 0.7011 train ppl 2.02", 2.02, 0.7011),
    ],
)
def test_the_perplexity_behind_a_validation_loss_is_none_of_training(
    tmp_path: Path, line: str, loss: float | None, validated: float | None
) -> None:
    (tmp_path / "job.log").write_text(f"began\n{line}\n")
    steps = parse_logs(import_logs([tmp_path / "job.log"]))["fact_steps"]
    assert steps.select("loss", "eval_loss").rows() == [(loss, validated)]


def boxed(*paths: str) -> str:
    """A box of rich."""
    inside = [f"\u2502 {path:<58} \u2502" for path in paths]
    top = "\u256d" + "\u2500" * 16 + " Traceback (most recent call last) " + "\u2500" * 9 + "\u256e"
    return "\n".join([top, *inside, "\u2570" + "\u2500" * 60 + "\u256f", "KeyError: 'answer'", ""])


@pytest.mark.parametrize(
    ("paths", "where"),
    [
        (
            (
                "/home/ada/talk/tune.py:31 in pairs",
                "/opt/venv/lib/python3.11/site-packages/datasets/f",
                "ormat.py:9 in get",
            ),
            "/home/ada/talk/tune.py:31 pairs",
        ),
        (
            ("/home/ada/a_path_that_is_long/indeed/t", "une.py:31 in pairs"),
            "/home/ada/a_path_that_is_long/indeed/tune.py:31 pairs",
        ),
        (("rows = 3", "tune.py:31 in pairs"), "tune.py:31 pairs"),  # run from its own folder
    ],
)
def test_a_path_that_a_box_breaks_is_whole(tmp_path: Path, paths: tuple[str, ...], where: str) -> None:
    assert where in said_of(tmp_path, boxed(*paths)).next.action


def apart(joined: int, alone: tuple[int, ...], task: str = "srun: error: cn-7: task 7: Exited with exit code 1") -> str:
    """Ranks of eight that did not come to the store."""
    trace = '[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File "/w/t.py", line 4, in up\n'
    trace += "[rank{0}]:     up()\n"
    store = (
        "[rank0]: torch.distributed.DistStoreError: Timed out after 301 seconds waiting for clients."
        f" {joined}/8 clients joined.\n"
    )
    client = (
        "[rank{0}]: torch.distributed.DistNetworkError: The client socket has timed out after 300000ms while trying to"
        " connect to (cn-0, 29400).\n"
    )
    return trace.format(0) + store + "".join((trace + client).format(rank) for rank in alone) + task + "\n"


@pytest.mark.parametrize("task", ["task 7", "tasks 4-7"])
def test_the_ranks_that_could_not_connect_are_those_that_did_not_join(tmp_path: Path, task: str) -> None:
    said = said_of(tmp_path, apart(6, (6, 7), f"srun: error: cn-7: {task}: Exited with exit code 1"))
    assert (said.family, said.culprit_ranks, said.culprit_nodes) == ("C1", (6, 7), ("cn-7",))
    assert "ranks 6, 7 could not connect, one of them on cn-7" in said.headline


@pytest.mark.parametrize(("joined", "alone", "ranks"), [(5, (6, 7), ()), (7, (6, 7), ()), (6, (), ())])
def test_others_may_be_missing_where_the_numbers_differ(
    tmp_path: Path, joined: int, alone: tuple[int, ...], ranks: tuple[int, ...]
) -> None:
    said = said_of(tmp_path, apart(joined, alone))
    assert said.culprit_ranks == ranks
    assert "could not connect" not in said.headline
