"""Losses and scores by rarer names and in other languages, of logs of which nothing else told of progress.

``sweep 12 energy -3.21``, ``cost after iteration 40: 0.31``, ``エポック 3/30 損失 0.41``. Such a name may be anything's, so
what it tells is read only where a line counts, and the value goes the way that learning takes it. Nobody who prints
losses by a usual name pays for the look.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.reader import ANSI, COLUMNS

if TYPE_CHECKING:
    from inquest.bundle.store import Store

_VALUE: Final = r"(-?(?:\d{1,9}[.,]\d{1,12}(?:[eE][+-]?\d{1,3})?|\d{1,9}[eE][+-]\d{1,3}|(?:nan|inf(?:inity)?)\b))"
"""What has neither a point nor an exponent counts something, or is a code."""
_FALLS: Final = (
    r"(?:cost|err(?:or)?(?: ?rate)?|bits(?:/| per )dim|bp[dcb]|nats"
    r"|(?:eqm|ecm)(?: ?(?:app|ent|entr|train)\.?)?|residual|resid|chi2(?:/(?:ndf|dof|n))?|distortion|deviance|energy|fid(?:[ _-]?\(?\d{1,3}k\)?)?|kid|wer|cer|eer|fehler|erreur|errore|p[ée]rdida|perda(?:[ _](?:de )?treino)?|perdita|kosten|kost"
    r"|abweichung|desv[íi]o|desviaci[óo]n|desvio|[ée]cart|scarto|afwijking|avvikelse|poikkeama|odchylenie|odchylka|b[łl][ąa]d|strata|chyba|ztr[áa]ta|häviö|pierdere|απώλεια|kay[ıi]p|hata|hiba|vesztes[ée]g|virhe|tappio|отклонение"
    r"|(?:训练|訓練|学習|학습|平均)?(?:損失|誤差|损失|误差|손실)|потер[яи]|лосс|втрат[аи]|ошибка|стоимость)"
)
_VALIDATED: Final = (
    r"(?i)(?:(?:验证|驗證|検証|测试|測試|テスト|검증)集?(?:損失|誤差|损失|误差|손실)|вал[._ ]?(?:потер[яи]|ошибка)"
    r"|(?:eqm|ecm|reqm)[ _]?val\.?|(?:perda|p[ée]rdida|perte|perdita)[ _](?:de )?valida\w{2,8})"
)
"""The same of what was held out, which stands beside it."""
_NUMBER: Final = r"(-?\d{1,9}\.\d{1,12}(?:[eE][+-]?\d{1,3})?)"
_BY_DATA: Final = (
    rf"(?i)(?:^|[\s,|;(])tra?i?n(?:ing)?\s?[:=]?\s{{0,4}}{_NUMBER}[\s,|;/()]{{1,6}}"
    rf"(?:val(?:id(?:ation)?)?|dev|test|held[ -]?out)\s?[:=]?\s{{0,4}}{_NUMBER}"
)
"""Losses that are named by their data alone: ``epoch 3/20  train 0.4587  valid 0.0695``; shares of what is right rise."""
_RISES: Final = r"(?:fitness|score|psnr|ssim|bleu|r2|r\^2|f1(?:[ _-]score)?|m?ap(?:50)?|auc|auroc|m?iou|m?dice|spearman|pearson|(?:ndcg|recall|hits?|knn|mrr)(?:@\d{1,4})?|exact[ _]match)"
_JUDGES_FALL: Final = r"(?:fid(?:[ _-]?\(?\d{1,3}k\)?)?|kid|wer|cer|eer|mpjpe)"
_JUDGES_RISE: Final = r"(?:bleu|psnr|ssim|m?ap(?:50)?|auc|auroc|m?iou|ndcg(?:@\d{1,3})?|recall(?:@\d{1,3})?)"
"""What samples or answers are judged by, where a loop tells no loss, or none that says how it went."""
_AT: Final = r"((?: (?:at|after|in|on) (?:iter(?:ation)?|step|epoch) \d{1,9})?)"
_SEP: Final = r"""["']?\s?[:=：]{0,2}\s{0,3}"""
_LINE: Final = rf"(?i)(?:^|[^\w.])(?:{_FALLS}|{_RISES}){_AT}{_SEP}{_VALUE}"
_COUNTERS: Final = (
    (r"第\s?(\d{1,9})\s?(?:轮|輪|回|期)\s?/\s?(\d{1,9})", "epoch $1/$2"),
    (r"(?i)(?:^|[\s|])[ée]p\.?\s{1,6}(\d{1,6})(?: ?(?:/|de|von|sur) ?(\d{1,6}))?", " epoch $1/$2 "),
    (r"(?i)\bround (\d{1,6}) ?/ ?(\d{1,6})", "epoch $1/$2"),
    (r"第\s?(\d{1,9}(?:\s?/\s?\d{1,9})?)\s?(?:轮|輪|次|代|回|エポック)", "epoch $1"),
    (r"第\s?(\d{1,9}(?:\s?/\s?\d{1,9})?)\s?步", "step $1"),
    (r"(?:エポック|에포크|эпоха|époque|[ée]poca|epoche)", "epoch"),
    (
        r"(?i)\b(?:epoka|epoki|epoch[ay]|epoha|epokki|epookki|epok|dönem|devir|epoque|época|епоха)\b(\W{0,3}\d)",
        "epoch$1",
    ),
    (
        r"(?i)\b(?:krok[uy]?|lépés|adım|steg|askel|korak|stap|passo|paso|pas|крок)\b((?:\W{0,3}|\W?\s{1,12})\d)",
        "step$1",
    ),
    (
        r"(?:ステップ|步骤|步数|단계|스텝|스탭|шаг|Durchgang|Iteration|итерация|迭代|[Gg]eneration|[Vv]uelta|[Rr]onda|[Gg]iro|[Tt]our|[Rr]onde|[Rr]unda|[Pp]rzebieg|[Pp]růchod|[Kk]ierros|проход|круг)",
        "step",
    ),
)
"""What counts in other words, and how the reader of plain loops has it."""
_MYRIADS: Final = r"第?\s{0,8}(\d{1,6}(?:\.\d{1,4})?)\s?[万萬]\s?(?:步|ステップ)"
"""A count in units of ten thousand: ``第 41.6 万步``."""
_MYRIAD: Final = 10_000
_KALDI: Final = r"objective function for 'output' for minibatches (\d{1,9})-\d{1,9} is (-?\d{1,9}\.\d{1,12})"
_TRIAL: Final = (
    r"\bTrial (\d{1,9}) finished with value: .{1,4000}\. Best is trial \d{1,9} with value: "
    r"(-?\d{1,30}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)\.?\s*$"
)
"""What Optuna says of each trial of a search, in ``optuna.study._log_completed_trial``."""
_PRUNED: Final = r"\] Trial (\d{1,9}) pruned\."
"""What it says of one that it cut short: the best value stays as it was."""
_LINES: Final = 200_000
_REPORTS: Final = 5
_SELDOM: Final = 25
"""Reports for each time that a count may go back, as where a run was started again."""


def renamed(store: Store) -> pl.DataFrame:
    """Lines that tell such a value, with usual names in the place of theirs: ``loss`` for what is to fall, or ``reward``."""
    text = pl.col("text")
    found = _found(store, f"{_LINE}|{_KALDI}|{_COMPONENTS}|{_FASTAI}|{_LETTERS}|{_BY_DATA}")
    if found.height < _REPORTS:
        return found.head(0)
    told = text.str.replace_all(ANSI, "").str.replace_all(r"(\d),(\d)", "$1.$2")
    told = told.str.replace_all(_VALIDATED, " val_loss ")
    told = told.str.replace(_BY_DATA, " loss $1 val_loss $2 ")
    told = told.str.replace(_KALDI, "step $1 reward $2")
    told = told.str.replace(_DL4J, "iteration $1 loss $2")
    told = told.str.replace(rf"(?i)(^|[^\w.]){_FALLS}{_AT}{_SEP}{_VALUE}", "$1$2 loss $3")
    told = (
        pl.when(told.str.contains(" loss -?\\d"))
        .then(told)
        .otherwise(told.str.replace(rf"(?i)(^|[^\w.]){_RISES}{_SEP}{_VALUE}", "$1 reward $2"))
    )
    told = pl.when(text.str.contains(_COMPONENTS)).then(_summed(text.str.replace_all(ANSI, ""))).otherwise(told)
    letters = text.str.replace_all(ANSI, "").str.replace(_LETTERS, "${1}epoch $2 step $3 loss $4 ")
    told = pl.when(text.str.contains(_LETTERS)).then(letters).otherwise(told)
    told = pl.when(text.str.contains(_FASTAI)).then(text.str.replace(_FASTAI, _AS_FASTAI_NAMES_IT)).otherwise(told)
    if found["text"].str.contains(_MYRIADS).any():
        number = text.str.extract(_MYRIADS).cast(pl.Float64, strict=False) * _MYRIAD
        step = pl.format("step {} ", number.round().cast(pl.Int64, strict=False))
        told = pl.when(number.is_not_null()).then(step + told.str.replace(_MYRIADS, " ")).otherwise(told)
    for other, usual in _COUNTERS:
        told = told.str.replace(other, usual)
    return found.with_columns(text=told)


_DL4J: Final = (
    r"listeners\.\w{4,30} - .*?iteration (\d{1,12})(?:; .*; score:| is) (-?(?:nan|NaN|[\d.]+(?:E-?\d+)?))\s*$"
)
"""Deeplearning4j's listeners call what is minimised a score (org.deeplearning4j.optimize.listeners)."""
_COMPONENTS: Final = (
    r"(\d{1,9})[^\d{}]{0,40}\{['\"](?:tok2vec|transformer|ner|textcat(?:_multilabel)?|tagger|parser|morphologizer|senter"
    r"|spancat(?:_singlelabel)?|span_finder|trainable_lemmatizer|entity_linker)['\"]: (?:np\.float\d\d\()?-?\d"
)
"""A number and the dictionary of losses that spaCy's ``update`` fills, by the names of its components."""
_OF_COMPONENT: Final = r"['\"]: (?:np\.float\d\d\()?-?\d{1,12}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?"


_FASTAI: Final = (
    r"^(?:\(#\d{1,2}\) )?\[(\d{1,5}), ?(-?\d{1,9}\.\d{1,20}), ?(-?\d{1,9}\.\d{1,20})"
    r"(?:, ?(?:-?\d{1,9}(?:\.\d{1,20})?|None)){0,12}, ?'\d{1,3}:\d\d(?::\d\d)?'\]\s*$"
)
"""An epoch of fastai's where its bars are off: a list without a header, whose columns are always these."""
_AS_FASTAI_NAMES_IT: Final = "epoch $1 train_loss $2 valid_loss $3"


_LETTERS: Final = (
    r"^(.{0,40}?(?:^|[\s\])|:]))ep?:?(\d{1,6})[\s,/|]{1,3}[sib]:?(\d{1,9})[\s,/|]{1,3}"
    r"l[:=]?(-?(?:nan|\d{1,6}\.\d{1,8}))(?:[\s,;|]|$)"
)
"""Epoch, step or batch, and loss by their first letters alone: ``e1 s10 l2.3``."""


def _summed(text: pl.Expr) -> pl.Expr:
    """What is to fall of a line with spaCy's losses: their sum."""
    number = pl.element().str.extract(r"(-?[\d.]+(?:[eE][+-]?\d+)?)$").cast(pl.Float64, strict=False)
    whole = text.str.extract_all(_OF_COMPONENT).list.eval(number).list.sum()
    return pl.format("step {} loss {}", text.str.extract(_COMPONENTS, 1), whole)


def judged(store: Store) -> pl.DataFrame:
    """Lines that tell what samples or answers are judged by, as a validation's loss or a reward."""
    value = rf"{_SEP}{_VALUE}"
    found = _found(store, rf"(?i)(?:^|[^\w.])(?:{_JUDGES_FALL}|{_JUDGES_RISE}){value}")
    if found.height < _REPORTS:
        return found.head(0)
    told = pl.col("text").str.replace_all(ANSI, "")
    told = told.str.replace(rf"(?i)(^|[^\w.]){_JUDGES_FALL}{value}", "$1 val_loss $2")
    rises = told.str.replace(rf"(?i)(^|[^\w.]){_JUDGES_RISE}{value}", "$1 reward $2")
    return found.with_columns(text=pl.when(told.str.contains(" val_loss -?\\d")).then(told).otherwise(rises))


def _found(store: Store, words: str) -> pl.DataFrame:
    """Lines of a log that is not long, in order."""
    lines = store.scan("log_lines").select(COLUMNS)
    if lines.select(pl.len()).collect().item() > _LINES:
        return lines.head(0).collect()
    return lines.filter(pl.col("text").str.contains(words)).collect().sort("node", "capture", "seq")


def trials(store: Store) -> pl.DataFrame:
    """Trials of a search with ``step``, their number, and the best value by then: an ``eval_loss`` that falls, or a ``score``.

    What single trials come to is no curve: most of them try what is worse. Where none was better than the first, which
    way is better is not told.
    """
    place = ["node", "capture", "source"]
    told, pruned = pl.col("text").str.extract_groups(_TRIAL).struct, pl.col("text").str.extract(_PRUNED)
    number = pl.coalesce(told.field("1"), pruned).cast(pl.Int64, strict=False)
    rows = (
        _found(store, f"{_TRIAL}|{_PRUNED}")
        .with_columns(
            step=number.cum_max().over(place),
            best=told.field("2").cast(pl.Float64, strict=False).forward_fill().over(place),
        )
        .drop_nulls("best")
    )
    moved = pl.col("best").diff()
    return rows.with_columns(
        eval_loss=pl.when(((moved.fill_null(0) <= 0).all() & (moved < 0).any()).over(place)).then("best"),
        score=pl.when(((moved.fill_null(0) >= 0).all() & (moved > 0).any()).over(place)).then("best"),
    )


def overflowed(store: Store) -> pl.DataFrame:
    """Lines of one form that count, and whose values are no numbers any more, with ``step`` and ``loss``, the first one.

    All of several, or one that grew beyond all numbers: whatever it is called, it is no share, and no number of things.
    """
    place = ["node", "capture", "source", "rank", "form"]
    lines = _found(store, rf"\d.*(?:{_LOST}|\d)")
    if lines.is_empty() or not lines["text"].str.contains(_LOST).any():
        return lines.head(0)
    numbers = pl.col("text").str.replace_all(ANSI, "").str.extract_all(rf"{_LOST}|[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
    rows = lines.with_columns(
        form=pl.col("text")
        .str.replace_all(rf"{_LOST}|[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", "#")
        .str.replace_all(r"\s+", " "),
        step=numbers.list.get(0, null_on_oob=True).cast(pl.Int64, strict=False),
        loss=numbers.list.get(1, null_on_oob=True).cast(pl.Float64, strict=False),
        values=numbers.list.len() - 1,
        lost=numbers.list.eval(pl.element().str.contains("(?i)nan")).list.sum(),
    )
    finite = pl.col("loss").filter(pl.col("loss").is_finite())
    counts = ((pl.col("step").diff() > 0).sum() == pl.len() - 1) & (pl.col("step").null_count() == 0)
    gone = (~pl.col("loss").tail(_GONE).is_finite()).all() & (finite.len() >= _GONE)
    grew = finite.last() > _GREW * finite.first().abs()
    every = (pl.col("lost").tail(_GONE) == pl.col("values").tail(_GONE)).all() & (pl.col("values").min() > 1)
    found = counts & gone & (grew.fill_null(value=False) | every)
    return rows.filter(found.fill_null(value=False).over(place)).drop("form", "values", "lost")


_LOST: Final = r"[-+]?\b(?:nan|inf|NaN|Infinity)\b"
_GONE: Final = 3
_GREW: Final = 1e6


def learned(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` of sources whose count only rises and whose value went the way of learning, from first third to last.

    What is to fall may be no number any more at its end, where it had been one.
    """
    place = ["node", "capture", "source", "rank"]
    # What sums an epoch up, below the steps of it, is another count.
    summed_up = (pl.col("step") == pl.col("epoch")) & pl.col("total_steps").is_null()
    rows = rows.filter(~(summed_up & pl.col("total_steps").is_not_null().any().over(place)).fill_null(value=False))
    third = pl.len() // 3
    # Within an epoch it begins anew.
    counts = ((pl.col("step").diff() > 0) | (pl.col("epoch").diff() > 0)).sum() == pl.len() - 1
    # What was started again counts anew from where it once began.
    anew = pl.col("step").diff() < 0
    again = (anew & (pl.col("step") <= pl.col("step").first())).sum()
    stood = (pl.col("step").diff() == 0).any()
    counts |= (again == anew.sum()) & (again * _REPORTS <= pl.len()) & ~stood.fill_null(value=False)
    # What went on from an older state counts some of it once more.
    count = pl.coalesce(pl.col("step").cast(pl.Float64), "epoch")
    counts |= ((count.diff() <= 0).sum() * _SELDOM <= pl.len()) & (count.null_count() == 0)

    def went(column: str, *, down: bool) -> pl.Expr:
        begin, end = pl.col(column).head(third).median(), pl.col(column).tail(third).median()
        return ((begin > end) if down else (begin < end)).fill_null(value=False)

    lost = ~pl.col("loss").tail(_GONE).is_finite().any() & (pl.col("loss").is_finite().sum() >= _GONE)
    lost = (lost & (pl.col("loss").tail(_GONE).count() == _GONE)).fill_null(value=False)
    good = counts & (pl.len() >= _REPORTS) & (went("loss", down=True) | went("score", down=False) | lost)
    return rows.sort("line_seq").filter(good.over(place))
