"""A GPU whose clock somebody set far below its peers': all go at its pace; and the times of all ranks in pairs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import ImportedStore, import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

BEGAN = 1_793_700_000
STEPS = 240
SLOW = {"clock": 700, "reason": 2}
SACCT = (
    "JobID|JobName|State|ExitCode|Start|End|Elapsed|NNodes|NodeList\n"
    "77|t|{state}|{code}:0|2026-11-03T10:00:00|2026-11-03T{end}|00:30:00|1|n1\n"
)


def _gpus(folder: Path, series: list[dict[str, Any]], seconds: int) -> None:
    """``series``: of each GPU its readings; those of ``late`` from a second on."""
    names = {"clock": "SM_CLOCK", "reason": "CLOCKS_EVENT_REASONS", "engine": "GPU_UTIL", "held": "FB_USED"}
    names |= {"power": "POWER_USAGE"}
    result = []
    for gpu, told in enumerate(series):
        labels: dict[str, Any] = {
            "UUID": f"GPU-{gpu}",
            "gpu": str(gpu),
            "Hostname": "n1",
            "modelName": told.get("model", "NVIDIA H100"),
        }
        late, since = told.get("late", {}), told.get("since", 0)
        for key, name in (*names.items(), ("sm", "PROF_SM_ACTIVE")):
            usual: dict[str, Any] = {"clock": 1980, "reason": 0, "engine": 99, "held": 60000, "power": 300, "sm": None}
            usual |= told
            values = [
                [BEGAN + s, str(late.get(key, usual[key]) if s >= since else usual[key])]
                for s in range(0, seconds, 15)
                if usual[key] is not None
            ]
            whole = f"DCGM_FI_{name}" if name.startswith("PROF") else f"DCGM_FI_DEV_{name}"
            result.append({"metric": labels | {"__name__": whole}, "values": values})
    text = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
    (folder / "gpus.json").write_text(text)


def _run(folder: Path, series: list[dict[str, Any]], slower: float = 2.0) -> Verdict:
    """240 steps of 5 s, or ``slower`` times as long behind the first third, of two GPUs or more."""
    folder.mkdir()
    text, at = "", float(BEGAN)
    for step in range(1, STEPS + 1):
        at += 5 * (slower if step > STEPS // 3 else 1)
        text += f"[{at:.3f}] step {step}/{STEPS} loss {4.5 - 0.012 * step:.4f}\n"
    (folder / "train.log").write_text(text + "training finished\n")
    _gpus(folder, series, int(at) - BEGAN)
    return analyze(ImportedStore(import_paths([folder], exit_code=0)), strict=True)[0]


THIRD = 5 * STEPS // 3


def test_a_clock_that_fell_as_steps_became_slower(tmp_path: Path) -> None:
    slow = {"late": SLOW, "since": THIRD}
    verdict = _run(tmp_path / "low", [{}, {}, slow, {}])
    assert (verdict.family, verdict.sub_mode, verdict.culprit_gpus) == ("D3", "low_clock", ("GPU-2",))
    # All fell, another model, heat, or far more time than the clock explains.
    assert _run(tmp_path / "all", [slow] * 4).family != "D3"
    models = [{"model": "NVIDIA A100"} | slow, {}, {}, {}]
    assert _run(tmp_path / "models", models).family != "D3"
    hot = {"late": SLOW | {"reason": 0x40}, "since": THIRD}
    assert _run(tmp_path / "hot", [{}, {}, hot, {}]).family == "B3"
    assert _run(tmp_path / "more", [{}, {}, slow, {}], slower=7).family != "D3"


def test_a_low_clock_throughout_keeps_a_run_from_being_called_healthy(tmp_path: Path) -> None:
    assert _run(tmp_path / "well", [{}, {}, {}, {}], slower=1).family == "G1"
    low = _run(tmp_path / "low", [{}, {}, {"clock": 700, "reason": 2}, {}], slower=1)
    assert low.outcome == "cannot_decide"
    assert "700 MHz" in low.headline
    # A GPU that is nobody's in this job may stand at any clock.
    spare = {"clock": 210, "reason": 1, "engine": 0, "held": 2, "power": 60}
    assert _run(tmp_path / "spare", [{}, {}, {}, spare], slower=1).family == "G1"


def _unlogged(folder: Path, series: list[dict[str, Any]], state: str = "COMPLETED") -> Verdict:
    folder.mkdir()
    code = 0 if state == "COMPLETED" else 1
    (folder / "sacct.txt").write_text(SACCT.format(state=state, code=code, end="10:30:00"))
    _gpus(folder, series, 1800)
    return analyze(ImportedStore(import_paths([folder])), strict=True)[0]


def test_equal_work_at_a_low_clock_without_a_log(tmp_path: Path) -> None:
    slow = {"clock": 880, "reason": 2, "sm": 0.9}
    verdict = _unlogged(tmp_path / "equal", [{"sm": 0.41}, slow])
    assert (verdict.family, verdict.culprit_gpus) == ("D3", ("GPU-1",))
    # Unequal work or memory: programs apart; and who failed did so for another reason.
    assert _unlogged(tmp_path / "apart", [{"sm": 0.6}, slow]).family is None
    assert _unlogged(tmp_path / "held", [{"sm": 0.41, "held": 20000}, slow]).family is None
    assert _unlogged(tmp_path / "failed", [{"sm": 0.41}, slow], "FAILED").family is None


# --- the times of all ranks, in pairs --------------------------------------------------------------------------------


def _pairs(folder: Path, line: str, since: int = 60, factor: float = 2.1) -> Verdict:
    folder.mkdir()
    text = ""
    for step in range(1, STEPS + 1):
        took = 0.61 * (factor if step > since else 1)
        text += f"step {step}/{STEPS} loss {4.5 - 0.012 * step:.4f} {took:.3f} s/it\n"
        if not step % 20:
            own = [0.58 + 0.001 * ((rank * 7 + step) % 5) for rank in range(6)]
            own[4] *= factor if step > since else 1
            text += line.format(" ".join(f"{rank}:{each:.3f}" for rank, each in enumerate(own))) + "\n"
    (folder / "train.log").write_text(text + "training finished\n")
    return analyze(import_logs([folder], exit_code=0), strict=True)[0]


@pytest.mark.parametrize(
    "line", ["compute s/it before sync, by rank: {}", "[timer] forward and backward time per gpu {}"]
)
def test_one_rank_came_to_take_longer(tmp_path: Path, line: str) -> None:
    verdict = _pairs(tmp_path / "slow", line)
    assert (verdict.family, verdict.culprit_ranks) == ("D3", (4,))
    assert _pairs(tmp_path / "alike", line, factor=1).family == "G1"


@pytest.mark.parametrize("line", ["samples/s by rank: {}", "s waited by rank: {}", "grad norm by rank: {}"])
def test_near_miss_pairs_of_what_is_no_time_of_work(tmp_path: Path, line: str) -> None:
    assert _pairs(tmp_path / "slow", line).family != "D3"
