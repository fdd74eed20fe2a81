"""How long a line says that something took, and what a run whose saves say so is not called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._spoken_times import took_s
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Dumped model.de-en.iter2300.pt, took 33.86 s", 33.86),
        ("log_model artifact_path=model_e19 ... 517.05 s", 517.05),
        ('"message": "checkpoint gs://a/ckpt-700 written in 14.53 secs\\n"}, "labels": {"x": 1}}', 14.53),
        ('{"event": "ckpt_uploaded", "step": 397, "file": "s3://p/397.pt", "ms": 5199.5}', 5.1995),
        ('{"event": "checkpoint", "data": {"path": "/ckpt/step-145", "timing": {"wall_s": 23.535}}}', 23.535),
        ("event=snapshot batch=240 took_ms=10691 uri=s3://ml-ctr/240", 10.691),
        ("{'salvo': 'pesos/950.pt', 'tempo': 270.569}", 270.569),
        (">> gewichte.00003300 geschrieben, Schreiben [s]       51.886", 51.886),
        ("modelo salvo em modelos/soja_7000.pt, levou 154.7s", 154.7),
        ("(sauvegarde de neumes_it1480.pt : 12.2 s)", 12.2),
        ("niveau=info bericht=weggeschreven bestand=model_85.pkl duur=63626ms", 63.626),
        ("saved in 2 min", 120.0),
    ],
)
def test_a_time_is_read(line: str, seconds: float) -> None:
    assert took_s(line) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "line",
    [
        "saved best.pt 0.8731",
        "saved 412.5 MB to /ckpt/step-145",
        "saved to /ckpt at 12.5 MB/s",
        "checkpoint 3 of 5 written",
        '{"event": "checkpoint", "params": 4150, "items": 32}',
        "wrote model.pt (3.2 samples/s)",
    ],
)
def test_another_number_is_no_time(line: str) -> None:
    assert took_s(line) is None


def records(seconds: float, key: str) -> str:
    """A run of 60 reports, each followed by an upload that takes so long."""
    lines, at = [], 0.0
    for step in range(1, 61):
        at += 4.0
        lines.append({"ts": _at(at), "event": "train", "step": step, "steps": 60, "loss": 3 / step**0.5})
        at += seconds
        lines.append({"ts": _at(at), "event": "ckpt_uploaded", "step": step, "file": f"s3://c/{step}.pt", key: seconds})
    lines.append({"ts": _at(at + 1), "event": "train_end", "step": 60})
    return "\n".join(map(json.dumps, lines)) + "\n"


def _at(seconds: float) -> str:
    return f"2026-01-06T{int(seconds) // 3600:02d}:{int(seconds) // 60 % 60:02d}:{seconds % 60:06.3f}"


@pytest.mark.parametrize(("seconds", "family"), [(14.0, "D2"), (0.3, "G1")])
def test_saves_that_took_most_of_the_time(tmp_path: Path, seconds: float, family: str) -> None:
    (tmp_path / "train.jsonl").write_text(records(seconds, "took_s"))
    verdict, _ = analyze(import_logs([tmp_path]), strict=True)
    assert verdict.family == family
    if family == "D2":
        assert "14 s" in verdict.headline
