"""A restart that took an older state than the newest one that its own log tells of: work that was done twice.

Names of states are sorted as text, a pointer to the latest is stale, or one after the other cannot be read and is
passed over. Only the numbers show it: the state that is named as taken, the newer one that had been saved, and values
that are back where they had been. Who goes back on purpose, as after a loss that diverged, says so, or had lost ground.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._resumes import GOES_ON
from inquest.analyze.families._set_back import STRIDES, TAIL
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class OlderState:
    """The reports about the restart, what they are compared by, and the lines that name both states."""

    before: Row
    after: Row
    measure: str
    said: Row
    taken: int
    newer: Row
    newest: int


def older_state(ev: Evidence, story: Story) -> OlderState | None:
    """The first place where a log's counter went back to a state that was not the newest of those it tells of."""
    last = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq").tail(1)
    if last.is_empty() or not ev.has("log_lines"):
        return None
    stream = same_stream(last.row(0, named=True)) & pl.col("rank").eq_missing(last["rank"][0])
    counted = pl.col("step").is_not_null() & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    told = story.all_steps.filter(stream & counted & pl.col("line_seq").is_not_null())
    told = told.filter(pl.col("kind") == last["kind"][0]).sort("line_seq", "seq")
    for measure in ("loss", "score"):
        mine = told.filter(pl.col(measure).is_finite())
        steps = mine["step"].to_list()
        backs = [at for at in range(TAIL, len(steps) - STRIDES) if steps[at] < steps[at - 1]]
        if not backs or len(backs) > _STARTS:
            continue
        return next((found for at in backs if (found := _at(ev, mine, measure, at)) is not None), None)
    return None


def _at(ev: Evidence, told: pl.DataFrame, measure: str, at: int) -> OlderState | None:
    before, after = told.row(at - 1, named=True), told.row(at, named=True)
    stride = told["step"].unique().sort().diff().median()
    if not isinstance(stride, float) or not _as_it_had_been(told, measure, at):
        return None
    text = pl.col("text").fill_null("").str.head(_READ)
    lines = ev.scan("log_lines").filter(same_stream(after) & (pl.col("seq") < after["line_seq"])).with_columns(text)
    between = lines.filter(pl.col("seq") > before["line_seq"]).sort("seq").tail(_LINES).collect().to_dicts()
    if any(_ON_PURPOSE.search(row["text"]) for row in between):
        return None
    named = [(row, number) for row in between if _TAKES.search(row["text"]) for number in _states(row["text"])]
    named = [(row, number) for row, number in named if after["step"] - 2 * stride <= number <= after["step"]]
    if not named:
        return None
    said, taken = named[-1]
    newest = range(int(taken + stride) + 1, before["step"] + 1)
    broken = [(row, n) for row in between if _UNREAD.search(row["text"]) for n in _states(row["text"]) if n in newest]
    if broken:
        # The newest may be torn, as where a save was cut off; to go back by half of all the work is no such thing.
        newer, number = max(broken, key=lambda each: each[1])
        far = 2 * taken <= number
        return OlderState(before, after, measure, said, taken, newer, number) if far else None
    saves = lines.filter((pl.col("seq") < before["line_seq"]) & pl.col("text").str.contains(_SAVED)).sort("seq")
    stored = [(row, n) for row in saves.collect().to_dicts() for n in _states(row["text"]) if n in newest]
    if not stored:
        return None
    newer, number = max(stored, key=lambda each: each[1])
    return OlderState(before, after, measure, said, taken, newer, number)


def _as_it_had_been(told: pl.DataFrame, measure: str, at: int) -> bool:
    """Whether values below a step back are those of the first time there, and it had come farther by then."""
    steps, values = told["step"].to_list(), told[measure].to_list()
    there = next((number for number in range(at) if steps[number] >= steps[at]), None)
    if there is None or there > at - TAIL:
        return False
    then, reached = (statistics.median(values[low : low + STRIDES]) for low in (there, at - STRIDES))
    level = statistics.median(values[at : at + STRIDES])
    gained = then - reached if measure == "loss" else reached - then
    return bool(gained > 0 and abs(level - then) < gained / 2)


def _states(text: str) -> list[int]:
    """Numbers of states that a line names."""
    return [int(number) for number in _STATE.findall(text)]


_STARTS: Final = 8
"""Starts of one log; what goes back more often counts something else."""
_READ: Final = 400
_LINES: Final = 400
_STATE: Final = re.compile(
    r"(?i)(?<![a-z])(?:global_?step|steps?|iter(?:ation)?s?|epochs?|ep|updates?|ckpts?|ck|cp|chk|chkpt|checkpoints?|snap(?:shot)?s?"
    r"|states?|models?|weights|saves?|last|schritt|epoche|étape|époque|paso|época|passo|шаг|эпоха|stap|krok|adım"
    r"|步|步数|ステップ|스텝|체크포인트|检查点|チェックポイント)[a-z]{0,12}[ _=:#/.-]{0,3}0{0,12}(\d{1,12})(?!\d|[.:]\d)"
)
"""A state by the step that it is of: ``ck-8000``, ``step_8000.ckpt``, ``step 1000``."""
_TAKES: Final = re.compile(
    rf"{GOES_ON}|(?i:\b(?:tak(?:ing|en|es)|took|us(?:ing|es)|read(?:ing)?|load(?:ing|s)?|open(?:ed|ing)|chose(?:n)?|picked|selected"
    r"|nehme|lade|lädt|geladen|gelesen|charg(?:é|ée|ement)|cargad[oa]|cargando|carregad[oa]|carregando|caricat[oa]|carico"
    r"|geladen|wczytan\w+)\b|загруж|взят|读取|加载|载入|読み込|ロード|불러|로드)"
)
"""What a line says that names the state which is taken."""
_SAVED: Final = (
    r"(?i)\b(?:saved|wrote|written|stored|dumped|finished saving|committed|uploaded|gespeichert|gesichert|geschrieben"
    r"|enregistrée?s?|sauvegardée?s?|écrite?s?|guardad[oa]s?|escrit[oa]s?|salv[oa]s?|gravad[oa]s?|salvat[oa]|scritt[oa]|opgeslagen"
    r"|zapisan[oaey])\b|сохран[её]н|записан|已保存|保存しました|保存完了|저장됨|저장 완료|저장했"
)
"""A save that is over, not one that begins."""
_UNREAD: Final = re.compile(
    r"(?i)\b(?:error|corrupt\w*|truncated|unreadable|damaged|incomplete|broken|invalid|missing|skip(?:ped|ping)?|could not"
    r"|couldn't|cannot|can't|failed|unable|defekt|beschädigt|unvollständig|illisible|corrompue?|dañad[oa]|corrompid[oa]"
    r"|danneggiat[oa])\b|\w(?:Error|Exception)\b|поврежд|损坏|破損|손상"
)
_ON_PURPOSE: Final = re.compile(
    r"(?i)\broll(?:ed|ing|s)?[- ]?back|\brewind\w*|\brewound|\brevert\w*|\bgo(?:es|ing)? back to|\bwent back to|\bbest\b"
    r"|\bdiverg\w*|\bspik\w+|\bnan\b|\bunstable|\bfork\w*|\bbranch\w*|\bpoison\w*|\bbad (?:data|batch\w*|shard\w*)"
    r"|\bzurück(?:gesetzt|gerollt)|\bretour (?:à|en arrière)|\bvuelta atrás|\bretroced\w+|откат|回滚|回退|巻き戻|ロールバック|롤백"
    r"|\b(?:delet|remov|prun)\w+\b"
)
"""Words of who goes back because it was wanted, or because what was newer is gone."""
