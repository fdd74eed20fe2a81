"""A node that no file names is called nothing, and blamed by no name."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._rows import at_node, its_node
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

BEGIN = datetime.fromisoformat("2026-11-20T08:00:00")
HEAD = (
    "timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], temperature.gpu, power.draw [W],"
    " clocks.current.sm [MHz], clocks_event_reasons.active\n"
)


def throttled(folder: Path, samples: str) -> None:
    """Steps that take three times as long while one of two GPUs is too hot."""
    at, log = BEGIN, []
    for k in range(1, 161):
        at += timedelta(seconds=12 if k <= 80 else 36)
        log.append(f"{at:%Y-%m-%d %H:%M:%S},120 INFO train: step {k * 10} loss {9 / (1 + k / 40):.4f}")
    rows = []
    for second in range(0, int((at - BEGIN).total_seconds()), 15):
        hot, now = second > 80 * 12, BEGIN + timedelta(seconds=second)
        for gpu in range(2):
            rest = "93, 280.00, 435, 0x0000000000000048" if hot and gpu else "61, 620.00, 1980, 0x0000000000000000"
            temp, watts, clock, why = rest.split(", ")
            rows.append(
                f"{now:%Y/%m/%d %H:%M:%S}.000, {gpu}, GPU-{gpu}, 98 %, 71234 MiB, {temp}, {watts} W, {clock} MHz, {why}"
            )
    (folder / samples).parent.mkdir(parents=True, exist_ok=True)
    (folder / samples).write_text(HEAD + "\n".join(rows) + "\n")
    (folder / "train.log").write_text("\n".join(log) + "\n")


@pytest.mark.parametrize(("samples", "node"), [("smi.csv", None), ("node-13/smi.csv", "node-13")])
def test_a_gpu_of_a_node_that_nobody_names(tmp_path: Path, samples: str, node: str | None) -> None:
    throttled(tmp_path, samples)
    verdict, _ = analyze(import_logs([tmp_path]), strict=True)
    assert (verdict.family, verdict.culprit_gpus) == ("B3", ("GPU-1",)), verdict.headline
    assert verdict.culprit_nodes == ((node,) if node else ())
    assert (node is not None and f" on {node}" in verdict.headline) or "GPU GPU-1 was" in verdict.headline
    assert "unknown" not in verdict.headline + verdict.next.action


def test_words_for_a_node() -> None:
    assert (at_node("gpu01"), at_node("gpu01", "of"), its_node("gpu01")) == (" on gpu01", " of gpu01", "gpu01")
    assert (at_node("unknown"), at_node(None), its_node("unknown"), its_node(None)) == ("", "", "its node", "its node")
