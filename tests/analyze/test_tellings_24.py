"""What programs of many countries and frameworks left, as short texts: what may be said of them, and what may not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FORMS = {
    "ru": ("эпоха {e} пакет {i}/400 | потеря {l} | норма град. 2.1e-06", "готово, веса в /srv/w.pt"),
    "uk": ("епоха {e}/20 крок {s} втрата {l}", "готово, ваги у w.pt"),
    "pl": ("epoka {e}/20 krok {s} strata {l}", "Trening zakończony, model zapisany do w.pt"),
    "ja": ("エポック {e}/20 ステップ {s} 損失 {l}", "学習が完了しました。モデルを保存: w.pt"),
    "ko": ("에포크 {e}/20 스텝 {s} 손실 {l}", "학습 완료. 모델 저장: w.pt"),
    "fi": ("epookki {e}/20 askel {s} häviö {l}", "Koulutus valmis, malli tallennettu w.pt"),
}


def _falls(part: float) -> float:
    return 0.3 + 1.3 * math.exp(-4 * part) + 0.02 * math.sin(977 * part)


def _breaks(part: float) -> float:
    return _falls(part) if part < 0.5 else math.nan


def _stands(part: float) -> float:
    return math.log(5) + 0.001 * math.sin(977 * part)


def _told(form: str, loss: Callable[[float], float]) -> list[str]:
    steps = [(epoch, batch) for epoch in range(1, 21) for batch in range(50, 401, 50)]
    counts = [(epoch - 1) * 400 + batch for epoch, batch in steps]
    return [
        form.format(e=epoch, i=batch, s=step, l=f"{loss(step / counts[-1]):.4f}")
        for (epoch, batch), step in zip(steps, counts, strict=True)
    ]


def _verdict(tmp_path: Path, files: dict[str, list[str]]) -> tuple[str | None, str]:
    folder = tmp_path / "left"
    folder.mkdir()
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    verdict, _ = analyze(import_logs([str(folder)]))
    return verdict.family, verdict.headline


@pytest.mark.parametrize("tongue", sorted(_FORMS))
@pytest.mark.parametrize(("loss", "family"), [(_falls, "G1"), (_breaks, "E1"), (_stands, "E1")])
def test_a_loss_in_another_language(tmp_path: Path, tongue: str, loss: Callable[[float], float], family: str) -> None:
    form, end = _FORMS[tongue]
    assert _verdict(tmp_path, {"train.log": ["5 classes, V100", *_told(form, loss), end]})[0] == family


def test_lost_packets_are_no_loss(tmp_path: Path) -> None:
    lines = [f"узел {n % 4} проход {n} потеря пакетов {0.2 + n % 3 / 10:.1f} %" for n in range(1, 60)]
    assert _verdict(tmp_path, {"net.log": lines})[0] is None


_CAUGHT = [
    "Traceback (most recent call last):",
    '  File "/home/a/picker/io.py", line 58, in _open',
    "    return h5py.File(p, 'r', swmr=True)",
    "BlockingIOError: [Errno 11] Unable to open file (Resource temporarily unavailable)",
]


def test_an_undated_traceback_beside_a_farewell_ended_nothing(tmp_path: Path) -> None:
    told = [*_told(_FORMS["ru"][0], _falls), "готово, веса в /srv/w.pt"]
    assert _verdict(tmp_path, {"a.err": _CAUGHT, "a.log": told})[0] == "G1"


def test_an_undated_traceback_beside_a_log_that_stops_is_not_called_healthy(tmp_path: Path) -> None:
    told = _told(_FORMS["ru"][0], _falls)[:40]
    assert _verdict(tmp_path, {"a.err": _CAUGHT, "a.log": told})[0] != "G1"


def _nnunet(epochs: range, waited: float, *, long: float = 540.0) -> list[str]:
    return [
        f"2024-05-13 1{epoch % 10}:{minute}:33.6{at}1: {said}"
        for epoch in epochs
        for minute, at, said in (
            (20, 1, f"Epoch {epoch}"),
            (29, 2, f"train_loss {-0.1 - epoch / 20:.4f}"),
            (29, 3, f"val_loss {-0.09 - epoch / 22:.4f}"),
            (29, 4, f"next(dataloader_train) {waited * long:.1f} s  fwd+bwd {(1 - waited) * long:.1f} s  (250 it)"),
            (29, 5, f"Epoch time: {long:.2f} s"),
        )
    ]


@pytest.mark.parametrize(("waited", "long", "family"), [(0.88, 540.0, "D1"), (0.2, 540.0, None), (0.88, 5.0, None)])
def test_two_epochs_of_minutes_tell_of_waits(tmp_path: Path, waited: float, long: float, family: str | None) -> None:
    assert _verdict(tmp_path, {"training_log.txt": _nnunet(range(5, 7), waited, long=long)})[0] == family


def _scenic(first: int, last: int, loss: Callable[[float], float]) -> list[str]:
    return [
        f"I0419 02:{n // 60 % 60:02d}:{n % 60:02d}.208232 14015537 logging_writer.py:48] [{n}00] "
        f"global_gradient_norm=0.0012, learning_rate=0.0003, train_accuracy=0.00{10 + n % 3}, train_loss={loss(n):.6f}"
        for n in range(first, last)
    ]


def _resumed(loss: Callable[[float], float], *, from_elsewhere: bool = False) -> list[str]:
    head = "I0419 02:00:00.206544 140155370440512 "
    load = f"{head}checkpoints.py:439] Restoring checkpoint from /gcs/plk/checkpoint_10000"
    return [
        *([load] if from_elsewhere else []),
        f"{head}classification_trainer.py:231] Starting training loop at step 1.",
        *_scenic(1, 121, loss),
        load,
        f"{head}classification_trainer.py:231] Starting training loop at step 10001.",
        *_scenic(101, 301, loss),
        f"{head}classification_trainer.py:377] Finished training.",
    ]


def test_what_was_resumed_from_its_own_guesses_never_learned(tmp_path: Path) -> None:
    guesses = _resumed(lambda n: math.log(1000) + 0.002 * math.sin(7 * n))
    assert _verdict(tmp_path, {"vit.log": guesses})[0] == "E1"


def test_what_was_loaded_from_elsewhere_may_have_learned(tmp_path: Path) -> None:
    guesses = _resumed(lambda n: math.log(1000) + 0.002 * math.sin(7 * n), from_elsewhere=True)
    assert _verdict(tmp_path, {"vit.log": guesses})[0] is None


@pytest.mark.parametrize("healthy", [True, False])
def test_the_score_of_an_agent_tells_more_than_its_loss_of_images(tmp_path: Path, *, healthy: bool) -> None:
    lines = ["Logdir /scratch/dv3", "Config: run.steps 600000  run.train_ratio 32"]
    for n in range(1, 61):
        gain = 0 if n > 40 and not healthy else n  # what was won is lost again
        lines += [
            f"──────────────────── Step {n * 10000} ────────────────────",
            f"episode/length 500 / episode/score {3 + gain + math.sin(n):.2f} / fps/policy 12.53",
            f"train/opt_loss {1000 + 9000 * math.exp(-n / 12):.2f} / train/opt_grad_norm 876.78",
            "",
        ]
    lines += ["Wrote checkpoint: /scratch/dv3/checkpoint.ckpt", "Training finished."]
    assert (_verdict(tmp_path, {"crane.log": lines})[0] == "G1") == healthy
