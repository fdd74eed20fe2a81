"""What the twenty-seventh unseen set left open or got wrong, and what matrices of forms found; near misses."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Final

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

from .standing_logs import clock, sweeps

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from inquest.analyze.model import Verdict


def judged(folder: Path, text: str, status: int | None = None) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder / "job.log"], exit_code=status), strict=True)[0]


def steps(folder: Path, text: str) -> pl.DataFrame:
    (folder / "job.log").write_text(text)
    return parse_logs(import_logs([folder / "job.log"]))["fact_steps"]


# --- epochs, and what counts within them -----------------------------------------------------------------------------

WITHIN: Final = (
    "Epoch [{e}/40], Step [{b}/500], Loss: {x:.4f}",
    "Epoch [{e}/40] Batch [{b}/500] Loss: {x:.4f}",
    "Epoch [{e}/40], batch={b}, Loss: {x:.4f}",
    "Epoch {e}/40: ({b}/500): loss={x:.4f}",
    "Epoch: [{e}]\t({b}/500)\tLoss: {x:.4f}",
    "[{e}/40], [{b}/500], loss={x:.4f}",
    "Epoch [{e}/40] | {b}/500 | Loss: {x:.4f}",
)


@pytest.mark.parametrize("form", WITHIN)
@pytest.mark.parametrize("head", ["", "start\n"])
def test_batches_behind_the_bracket_of_an_epoch_are_the_steps(tmp_path: Path, form: str, head: str) -> None:
    # The first of these forms looks like a header with commas, and the log was taken for a table without rows.
    text = "".join(
        form.format(e=e, b=b, x=2 / (e + b / 500)) + "\n" for e, b in itertools.product((1, 2, 3), range(50, 501, 50))
    )
    told = steps(tmp_path, head + text)
    assert told.height == 30
    assert told["step"].n_unique() >= 10
    assert told["loss"].null_count() == 0


# --- next to nothing of a plan ---------------------------------------------------------------------------------------

PLANS: Final = {
    "of": ("", "update {n} of 20000: loss {x:.4f}"),
    "in its head": ("total steps: 20000\n", "step {n} | loss {x:.4f} | lr 1e-4"),
    "set": ("max_iters=20000 batch_size=32\n", "iter {n}: loss {x:.4f}, time 93.1ms"),
    "JSON": ('{{"max_steps": 20000, "lr": 0.0003}}\n', '{{"step": {n}, "loss": {x:.4f}}}'),
    "epochs": ("training for 40 epochs, 500 batches each\n", "epoch 1 batch {n} loss {x:.4f}"),
}
LAST: Final = (
    "",
    "no more shards, closing up\nweights written to out/last.pt\n",
    "got StopIteration from the stream, leaving the loop\nexport ok -> out/model.onnx\n",
    "that was everything in the reel. goodnight.\n",
    "fin del entrenamiento, pesos guardados en out/final.pt\n",
)


def barely(plan: str, end: str, last: int = 30) -> str:
    head, line = PLANS[plan]
    told = "".join(
        f"{clock(3 * k)} " + line.format(n=4 * k, x=6.0 - 0.08 * k + 0.03 * ((k * 7) % 5 - 2)) + "\n"
        for k in range(1, last + 1)
    )
    return head.format() + told + end


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("end", LAST)
def test_who_leaves_with_status_0_after_next_to_nothing_of_its_plan_was_to_do_more(
    tmp_path: Path, plan: str, end: str
) -> None:
    assert judged(tmp_path, barely(plan, end), 0).family == "E3"


def test_a_rule_a_person_or_an_end_that_nobody_saw_explains_a_short_run(tmp_path: Path) -> None:
    for name, end, status in (
        ("a", "early stopping: no improvement for 10 evaluations\n", 0),
        ("b", "", None),
        ("c", "", 1),
        ("d", "time budget is used up, leaving\n", 0),
    ):
        assert judged(tmp_path / name, barely("in its head", end), status).family != "E3", name


# --- who is slow, told in forms without units and as lists ------------------------------------------------------------


def by_rank(
    slow: float, line: str = "    r{r} dgx cuda:{r}  load   2.3  fwd+bwd  {own:.1f}  in all_reduce {wait:.1f}"
) -> str:
    out = ""
    for n in range(1, 41):
        late = slow if n > 12 else 170.0
        out += f"step {25 * n}  train_loss={2.5 * 0.96**n:.4f}  lr=1e-4  step {late + 20 + n % 3:.1f}\n"
        for r in range(4):
            own = late if r == 2 else 168.0 + (n + r) % 4
            out += line.format(r=r, own=own, wait=late + 5 - own + (r != 2) * 0.5) + "\n"
    return out


def test_a_rank_is_slow_by_lines_without_units_too(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", by_rank(380.0))
    assert (told.family, told.culprit_ranks) == ("D3", (2,))
    assert "(380 against" in told.headline  # no unit is told that nobody knows
    assert judged(tmp_path / "b", by_rank(172.0)).family != "D3"


def _listed(slow: float, words: str = "fwd+bwd s by rank") -> str:
    return "".join(
        f"{clock(80 * n)} step {100 * n} loss {2.5 * 0.97**n:.4f} {words} [1.7{n % 9}, {slow if n > 13 else 1.76:.2f}]"
        f" tok by rank [49152, 49152]\n"
        for n in range(1, 25)
    )


def test_a_rank_is_slow_by_a_list_of_ranks(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", _listed(4.2))
    assert (told.family, told.culprit_ranks) == ("D3", (1,))
    assert judged(tmp_path / "b", _listed(1.8)).family != "D3"
    assert judged(tmp_path / "c", _listed(4.2, "all_reduce wait by rank")).family != "D3"  # it waits for the other


# --- ends and parts --------------------------------------------------------------------------------------------------

JOB: Final = "slurmstepd-n1: error: *** JOB 48213 ON n1 CANCELLED AT 2026-03-01T08:01:09 ***\n"
ABORT: Final = "srun: Job step aborted: Waiting up to 5 seconds for job step to finish.\n"


def test_srun_ends_its_step_for_scancel_as_well(tmp_path: Path) -> None:
    told = judged(tmp_path / "a", sweeps() + ABORT + JOB)
    assert (told.outcome, told.sub_mode) == ("outside_families", "user_cancel")
    failed = "srun: error: n1: task 1: Exited with exit code 1\n"
    assert judged(tmp_path / "b", sweeps() + failed + ABORT + JOB).sub_mode != "user_cancel"


def _two_parts(words: str, begin: float = 8.5) -> str:
    def part(first: float, last: int) -> str:
        return "".join(
            f"{clock(30 * n)} [marian] Up. {1000 * n} : Cost {2.8 + (first - 2.8) * math.exp(-n / 8):.6f} : Time 3.1s\n"
            for n in range(1, last)
        )

    saved = "[training] Saving training checkpoint to models/lven-base/model.npz\n"
    first = f"==> part 1 of 2\n{part(8.5, 60)}{saved}[marian] Training finished\n"
    return f"{first}==> part 2 of 2: {words}\n{part(begin, 30)}"


def test_a_part_that_was_to_go_on_and_begins_anew_lost_the_first(tmp_path: Path) -> None:
    assert judged(tmp_path / "a", _two_parts("going on from the 90k model to 180k updates")).family == "E2"
    assert judged(tmp_path / "b", _two_parts("the other direction")).family != "E2"
    assert judged(tmp_path / "c", _two_parts("going on from the 90k model to 180k updates", 2.9)).family != "E2"


def _boosted(rises: bool) -> str:
    def value(n: int) -> float:
        gone = math.exp(-n / 6)
        return 0.755 - 0.06 * gone if rises else 0.42 + 0.27 * gone

    return "".join(
        f"{20 * n}:\ttest: {value(n):.7f}\tbest: {value(n):.7f} ({20 * n})\ttotal: {n}s\tremaining: {50 - n}s\n"
        for n in range(30)
    )


def test_the_best_value_so_far_tells_which_way_is_better(tmp_path: Path) -> None:
    end = "Stopped by overfitting detector  (120 iterations wait)\n\nbestTest = 0.7554\nbestIteration = 560\n"
    risen = judged(tmp_path / "a", _boosted(rises=True) + end, 0)
    assert (risen.family, "the score rose" in risen.headline) == ("G1", True)
    fell = judged(tmp_path / "b", _boosted(rises=False) + end, 0)
    assert (fell.family, "the loss fell" in fell.headline) == ("G1", True)
