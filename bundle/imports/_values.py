"""What readers of training trackers share: rows of ``metrics`` in batches, times, and the run a path names."""

from __future__ import annotations

import csv
import math
import re
import unicodedata
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from inquest.bundle.imports.source import Source

Row = dict[str, Any]

MAX_NAME: Final = 512
"""Characters of a metric's name; more is no name."""
_BATCH: Final = 10_000
_LATEST_S: Final = 4_102_444_800
"""Seconds from 1970 to 2100: no tracker noted a later time."""
_INT64: Final = 1 << 63
_ROW: Final = 1 << 20
"""Characters of one row of a table; a cell may hold lines."""
_CONTAINER: Final = re.compile(r"[0-9a-f]{12}|localhost(?:\..*)?|")


def batches(rows: Iterable[Row], table: str = "metrics") -> Iterator[tuple[str, list[Row]]]:
    """``rows`` in lists of bounded length, each beside its table."""
    left = iter(rows)
    while batch := list(islice(left, _BATCH)):
        yield table, batch


def nanoseconds(seconds: float | None) -> int | None:
    """UTC nanoseconds of an epoch in seconds; None for what is no time."""
    if seconds is None or not math.isfinite(seconds) or not 0 < seconds < _LATEST_S:
        return None
    return round(seconds * 1e6) * 1000  # a double of today's epoch is exact to a quarter of a microsecond


def int64(value: object) -> int | None:
    """``value`` where it is a whole number that a column can hold, else None."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and -_INT64 <= value < _INT64 else None


def number(text: str) -> float | None:
    """The number ``text`` is, NaN and infinity included; None for anything else."""
    if len(text) > 64 or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def reason_bits(name: str, said: str) -> float | None:
    """The bits of the reasons for a GPU's clocks that a cell tells in words; None for another column or other words."""
    if not _OF_CLOCKS.search(name) or len(said) > MAX_NAME:
        return None
    bits = 0
    for word in filter(None, re.split(r"[|+;,/&\s]+", said.lower())):
        known = _CLOCK_REASONS.get(word.removesuffix("_slowdown").replace("-", "_"))
        if known is None:
            return None
        bits |= known
    return float(bits)


_OF_CLOCKS: Final = re.compile(r"(?i)throttl|clocks?_?(?:event_?)?reason")
_CLOCK_REASONS: Final = {
    **dict.fromkeys(("none", "no", "not_active", "ok", "0"), 0),
    **dict.fromkeys(("idle", "gpu_idle"), 0x1),
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw": 0x8,
    "sync_boost": 0x10,
    "sw_thermal": 0x20,
    "hw_thermal": 0x40,
    "hw_power_brake": 0x80,
    "display_clocks_setting": 0x100,
}
"""Bits by the words of nvidia-smi, without the "slowdown" behind them. Source: nvml.h, nvmlClocksEventReasons."""


def real(value: object) -> float | None:
    """``value`` as a float where it is a number and no truth value, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def text(value: object, longest: int = 512) -> str | None:
    """``value`` where it is text, cut to ``longest`` characters, each one that UTF-8 has; else None."""
    if not isinstance(value, str):
        return None
    return utf8(value[:longest])


def utf8(value: str) -> str:
    """``value`` with a question mark for what UTF-8 has no bytes for: JSON may hold half a surrogate pair."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def host(name: str | None) -> str | None:
    """``name`` where it can be a node's, else None: a container's short id and "localhost" name no node."""
    return None if name is None or len(name) > 255 or _CONTAINER.fullmatch(name) else name


def cells(lines: Iterable[str], sign: str, refuse: Callable[[str], object]) -> Iterator[list[str]]:
    """Rows of a table whose cells ``sign`` parts, read line by line; what is no row is refused and left out.

    A quote that nobody closes takes in whatever follows it: a row that is longer than any ends there.
    """
    fed = _Fed(lines)
    rows = csv.reader(fed, delimiter=sign)
    while not fed.over:
        fed.size = 0
        try:
            row = next(rows)
        except StopIteration:
            continue
        except csv.Error:
            refuse("rows that are no CSV")
            continue
        if fed.size > _ROW:
            refuse("rows that are too long")
        else:
            yield row


class _Fed:
    """Lines as `csv.reader` takes them; it believes them to be over where a row has become too long."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.size = 0
        self.over = False

    def __iter__(self) -> _Fed:
        return self

    def __next__(self) -> str:
        if self.size > _ROW:
            raise StopIteration
        try:
            line = next(self._lines)
        except StopIteration:
            self.over = True
            raise
        self.size += len(line)
        return line


def teller(source: Source, framework: str, run: str | None) -> Row:
    """Columns that all rows of a file share."""
    return {"framework": framework, "run": run, "rank": source.rank, "rank_by": source.rank_by}


def folder(name: str) -> str | None:
    """The folder of a file as the user sees it; None at the top."""
    parent = str(PurePosixPath(name).parent)
    return None if parent in {".", "/"} else parent


@lru_cache(maxsize=4096)
def english(name: str) -> str:
    """The name of a metric without accents, its words apart (``trainLoss``), in English where it is in another."""
    told = _HUMP.sub("_", _plain(name))
    told = _FOREIGN.sub(lambda found: _WORDS[found[0].lower()], told)
    if not _UNPARTED.search(told):
        return told
    return re.sub(r"[ _]*_[ _]*", "_", _UNPARTED.sub(lambda found: f"_{_SIGNS[found[0]]}_", told)).strip("_")


def _plain(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))


_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z]{2})|(?<=[A-Z])(?=[A-Z][a-z]{3})")
"""Where a word begins with a capital letter: not within ``mIoU``."""
_WORDS: Final = {
    _plain(word): meant
    for meant, words in {
        "loss": "perte pertes verlust verluste perdida perdidas perdita perda fehler errore erreur erro verlies förlust"
        " strata straty ztráta kayıp kayip потеря потери потерь ошибка ошибки лосс",
        "train_loss": "trainingsverlust trainingsfehler trainingsverlies träningsförlust",
        "val_loss": "validierungsverlust validierungsfehler testverlust validatieverlies valideringsförlust",
        "epoch": "epoque epoche epoca epoka epocha epok tijdperk эпоха",
        "epochs": "epoques epochen epocas epoche_gesamt эпохи эпох",
        "step": "etape etapes pas paso pasos passo passi schritt schritte iteracion iteracao iterazione iteratie stap"
        " stappen krok kroki steg adım adim шаг шаги шагов итерация итерации",
        "train": "entrainement apprentissage entrenamiento addestramento addestr treino treinamento trening uczenie"
        " trenowanie träning eğitim egitim обучение обуч трейн",
        "val": "validierung validacion validazione validacao validatie walidacja validering doğrulama dogrulama"
        " валидация валид проверка",
        "accuracy": "genauigkeit treffergenauigkeit exactitude exactitud precision_globale accuratezza acuracia"
        " nauwkeurigheid dokładność dokladnosc noggrannhet doğruluk dogruluk точность",
        "lr": "lernrate taux_apprentissage taux_d_apprentissage tasa_aprendizaje tasa_de_aprendizaje taxa_aprendizado"
        " taxa_de_aprendizado tasso_apprendimento tasso_di_apprendimento passo_appr leersnelheid inlärningshastighet"
        " скорость_обучения скорость_обуч темп_обучения",
        "grad_norm": "gradientennorm norme_gradient norme_du_gradient norma_gradiente norma_do_gradiente"
        " norma_del_gradiente norma_gradientu норма_градиента",
    }.items()
    for word in words.split()
}
_SIGNS: Final = {
    _plain(word): meant
    for meant, words in {
        "loss": "损失值 损失函数 损失 損失値 損失 ロス 손실값 손실",
        "epoch": "训练轮次 轮次 轮数 エポック 에포크 에폭",
        "step": "迭代次数 迭代 步数 步骤 ステップ 反復 단계 스텝 반복",
        "train": "训练 訓練 学習 훈련 학습",
        "val": "验证 驗證 検証 검증",
        "accuracy": "准确率 準確率 正确率 精度 正解率 정확도",
        "lr": "学习率 學習率 学習率 학습률",
        "grad_norm": "梯度范数 勾配ノルム 기울기노름",
    }.items()
    for word in words.split()
}
"""Words of languages that write them without a sign between them: one may stand in another one (``训练损失``)."""
_UNPARTED: Final = re.compile("|".join(sorted(_SIGNS, key=len, reverse=True)))
_FOREIGN: Final = re.compile(rf"(?i)(?<![^\W\d_])(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![^\W\d_])")
