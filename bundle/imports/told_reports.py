"""Whether a text is the reports of a loop in words of its own: lines of one form in which a count goes on.

A program that never says INFO, nor prints a clock, leaves a table or the same sentence again and again. So do data
sets, configuration and measurements of other things. Reports are told from these by what their numbers do (one rises
from line to line, another has decimals and moves), and by what the line or the head above it calls them: something
that counts, or a clock, and something that learning brings down.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NUMBER: Final = re.compile(
    r"(?i)(?<![^\W\d_])[-+]?(?:\d{1,3}(?::\d\d){1,2}(?:\.\d+)?|\d+(?:[.,]\d+)*(?:e[-+]?\d{1,3})?)(?![^\W\d_]{3})"
    r"|(?<![\w.])[-+]?(?:nan|inf(?:inity)?)(?!\w)|(?<=\s)-{2,8}(?=\s|$)"
)
"""A number or a clock in a line, what came to be no number, or the dashes of a cell without one."""
_LEAST: Final = 6
"""Lines of one form that are reports."""
_SHARE: Final = 0.25
"""Of all lines looked at: others are heads, evaluations, and what else a program says."""
_RISES: Final = 0.8
"""Of the pairs of neighbours in which a count goes on: it may begin anew with an epoch."""
_HEAD: Final = 4
"""Lines above the first of a form that may hold the head of a table."""
_NUMBERS: Final = 2
_WIDE: Final = 400
_WORD: Final = re.compile(r"[^\W\d_]+")
_COUNTS_WORDS: Final = (
    "step steps iter iters iteration iterations it itr epoch epochs ep ept batch batches minibatch update"
    " updates upd round rounds window windows win min minute minutes cycle cycles pass passes sweep sweeps"
    " generation gen episode episodes chunk chunks block blocks tick ticks interval kimg tokens tok"
    " samples examples images frames turn lap schritt schritte epoche epochen runde ép runden durchlauf"
    " durchläufe fenster minuten zyklus takt stapel étape étapes pas époque époques itération itérations"
    " fenêtre fenêtres tour tours lot lots paso pasos época épocas epoca epocas iteración iteraciones"
    " ventana vuelta vueltas minuto minutos ciclo ciclos ronda passo passos iteração iterações janela"
    " rodada volta lote lotes passi iterazione iterazioni finestra giro giri krok kroki epoka epoki"
    " iteracja partia runda adım tur devir stap stappen ronde venster varv steg kierros шаг шаги эпоха"
    " эпохи итерация итерации ит окно минута цикл раунд пакет bước vòng"
    " 步 步数 步骤 轮 轮次 轮数 迭代 迭代次数 批次 批 窗口 分钟"
    " 周期 回 回数 周回 ステップ エポック 反復 反復回数 分 단계 스텝 에폭 반복 회"
)
_COUNTS: Final = frozenset(_COUNTS_WORDS.split())
"""What a loop may count by, in small letters."""
_LEARNS_WORDS: Final = (
    "loss losses nll bce ce xent xentropy crossentropy mse rmse mae mape smape wape msle logloss ppl"
    " perplexity elbo crps huber pinball focal ctc hinge objective obj cost costs criterion deviance"
    " misfit residual error errors err reward return returns rew chi verlust verluste fehler kosten perte pertes"
    " erreur erreurs coût coûts eqm ecm récompense recompensa belohnung pérdida pérdidas perdida coste costo perda"
    " perdas erro erros custo perdita perdite errore"
    " errori koszt strata błąd kayıp hata maliyet verlies fout förlust fel virhe tappio потери потеря"
    " ошибка ошибки невязка 损失 損失 误差 誤差 代价 コスト 손실 오차 비용"
)
_LEARNS: Final = frozenset(_LEARNS_WORDS.split())
"""What learning brings down, in small letters."""
_CODE: Final = re.compile(r"[;{}]$")
"""What ends a line of a program's source, and none that it prints."""
_CLOCK: Final = re.compile(r"\d{1,3}(?::\d\d){1,2}(?:\.\d+)?")
_WHOLE: Final = re.compile(r"\d{1,12}|\d{1,3}(?::\d\d){1,2}(?:\.\d+)?")
_DECIMALS: Final = re.compile(r"(?i)\d[.,]\d|e-\d|nan|inf|--")
_UNPARTED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")
"""Scripts that write words without blanks between them."""


def are_reports(lines: Iterable[bytes]) -> bool:
    """Whether enough of some lines, the first of a file, are reports of one form."""
    texts = [line[:_WIDE].decode("utf-8", "replace") for line in lines]
    forms: dict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(texts):
        forms[" ".join(_NUMBER.sub(" # ", text).split())].append(at)
    often = [(form, rows) for form, rows in forms.items() if len(rows) >= max(_LEAST, _SHARE * len(texts))]
    return any(
        form.count("#") >= _NUMBERS and not _CODE.search(form) and _tell_of_training(form, rows, texts)
        for form, rows in often
    )


def _tell_of_training(form: str, rows: Sequence[int], texts: Sequence[str]) -> bool:
    """Whether a count goes on in lines of one form beside a number with decimals, and their words fit both."""
    told = [_NUMBER.findall(texts[row]) for row in rows]
    columns = list(zip(*told, strict=True))
    counts = next((at for at, column in enumerate(columns) if _goes_on(column)), None)
    if counts is None or not any(_moves(column) for at, column in enumerate(columns) if at != counts):
        return False
    above = texts[max(0, rows[0] - _HEAD) : rows[0]]
    words = {word.lower() for text in (form, *above) for word in _WORD.findall(text)}
    counted = _CLOCK.fullmatch(columns[counts][0]) is not None or _speak_of(words, _COUNTS)
    return counted and _speak_of(words, _LEARNS)


def _goes_on(column: Sequence[str]) -> bool:
    """Whether whole numbers, or clocks, rise from line to line; one that begins anew may do so now and then."""
    if not all(_WHOLE.fullmatch(cell) for cell in column):
        return False
    counts = [_seconds(cell) for cell in column]
    rises = sum(after > before for before, after in itertools.pairwise(counts))
    return rises >= _RISES * (len(counts) - 1)


def _seconds(cell: str) -> float:
    told = 0.0
    for part in cell.split(":"):
        told = 60 * told + float(part)
    return told


def _moves(column: Sequence[str]) -> bool:
    """Whether numbers with decimals differ."""
    return sum(bool(_DECIMALS.search(cell)) for cell in column) >= len(column) / 2 and len(set(column)) > _LEAST // 2


def _speak_of(words: set[str], known: frozenset[str]) -> bool:
    """Whether a word is among ``known``; scripts that set no blanks may hold one within another."""
    if not words.isdisjoint(known):
        return True
    return any(_UNPARTED.search(word) and any(of in word for of in known if _UNPARTED.search(of)) for word in words)
