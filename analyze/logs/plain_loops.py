"""Training progress of anybody's loop: losses beside a count in one line, and which of its numbers counts steps."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import Final

import polars as pl

from inquest.analyze.logs.framework_steps import MEGATRON, ROUND
from inquest.analyze.logs.kinds import SAMPLED, Kind
from inquest.analyze.logs.named_numbers import NO_COUNT
from inquest.analyze.logs.step_rows import (
    CRITERIA,
    EVAL_LOSS,
    KEYS,
    LOSS,
    LR,
    NUM,
    SEP,
    START,
    accuracies,
    as_steps,
    first_number,
    integer_of,
    number_of,
    where,
)
from inquest.analyze.logs.step_times import ESPNET, step_times

_PLAYER: Final = r"(?:[gdq]\d?|gen(?:erator)?|dis(?:c(?:riminator)?)?|policy(?:_gradient)?|value|actor|critic|adv(?:ersarial)?|vf|pg|entropy|kl|aux)"
_GAME: Final = rf"(?i)\b(?:{_PLAYER}[_/ .-]?loss(?:es)?|loss(?:es)?[_/.-]{_PLAYER})(?:[^A-Za-z]|$)"
"""Losses of one who plays against another, or for rewards: they rise and fall in training that goes well."""
_GAME_LOST: Final = rf"(?i)\b(?:{_PLAYER}[_/ .-]?loss(?:es)?|loss(?:es)?[_/.-]{_PLAYER}){SEP}-?nan\b"
"""Such a loss that is NaN: it is part of what the gradient is taken of."""
_OTHER: Final = rf"(?i){START}(?:train(?:ing)?[_ /-]?)?(?:nll(?:[_ ]loss)?|ppl|perplexity|objective|obj|cost|bp[cb]|rmse|m?logloss|verlust|perte|p[ée]rdida|perda|perdita|learn|nt[-_]?xent|info_?nce){SEP}{NUM}"
"""What a loop may call the loss; read where the line has no loss by that name."""
_EVALUATED: Final = rf"{EVAL_LOSS}(?:[ ,;|(]{{1,4}}(?:ppl|perplexity){SEP}{NUM})?"
"""A validation loss, with the perplexity of it that stands right behind."""
_CRITERION: Final = rf"(?i)(?:^|[\s,;|{{\[(\"'>])(?:train(?:ing)?[_ /-]?)?{CRITERIA}{SEP}{NUM}"
"""The criterion by its own name, as a word of its own: what stands before it with a dash may be another's."""
_RETURN: Final = rf"(?i){START}(?:(?:avg|mean|ep)[_ ]?)?ret{SEP}(-?\d{{1,9}}\.\d{{1,9}})"
"""The short word for a return: of a whole number it is what a call came back with."""
_SCORE: Final = rf"(?i){START}(?:critic/score/mean|(?:critic/|train/|mean[_ ]|avg[_ ]|total[_ ])?(?:(?:episode|ep)[_ ])?(?:rewards?|rew|returns?|log[ _-]?likelihood|elbo)(?:[/_ ](?:mean|avg|ma)(?:_?\d{{1,4}})?)?){SEP}{NUM}"
"""What is to rise: the mean of a reward, or a likelihood."""
_PLAYED: Final = rf"(?i){START}(?:(?:env|total|time|agent)[_ ]?)?(?:frames?|timesteps?|env[_ ]steps?){SEP}(\d{{1,12}})(?:\s*/\s*(\d{{1,12}}))?(?:[^.\d]|\.\D|\.?$)"
"""What one who plays counts, read where a line tells a reward and no other count."""
STEP_COUNT: Final = rf"(?i){START}(?:global[_ ]?step|(?:train(?:ing)?|opt(?:imizer)?)[_ ]?step|step|iteration|iter|itr|it|num_updates|update|upd|up\.|pass|round|episode|schritt|durchlauf|étape|paso|passo|шаг|步骤|ステップ){SEP}(\d{{1,12}})(?:\s*(?:/|(?:of|von|van|av|sur|de|di|z|из)[= ])\s*(\d{{1,12}}))?(?:[^.\d]|\.\D|\.?$)"
_BATCH: Final = rf"(?i){START}(?:(?:mini-?)?batch|idx|i){SEP}(\d{{1,12}})(?:\s*/\s*(\d{{1,12}}))?(?:[^.\d]|\.\D|\.?$)"
_BRACKET: Final = r"\[\s*(\d{1,12})\s*/\s*(\d{1,12})\s*(?:\(\s*\d+%\))?\]"
_ABROAD: Final = r"(?:verlust|perte|fehler|co[uû]t|p[eé]rdida|perda|perdita|потер[ия]|ошибка)"
"""What a loss is called where decimals stand behind a comma."""
_COMMAS: Final = (
    rf"(?i)(?:(?:loss|{_ABROAD})[\w.]{{0,12}}\s{{0,2}}[:=]?\s{{0,2}}-?"
    r"(?:0,\d|\d{1,9},(?:\d{1,2}|\d{4,9})(?:[\s;|]|,\D|$))"
    rf"|(?:^|[^\w.]){_ABROAD}\s{{0,2}}[:=]?\s{{0,2}}-?\d{{1,2}},\d{{3}}(?:[\s;|]|,\D|$))"
)
"""A loss whose decimals stand behind a comma, as in most of Europe; by a name of there, three are no thousands."""
_DARKNET: Final = r"^\s{0,4}(\d{1,9}): -?(?:nan|\d[\d.]*), (-?(?:nan|\d[\d.]*)) avg loss, "
"""Its steps, and the loss that it smooths."""
_THOUSANDS: Final = r"(?i)(\b(?:step|iter(?:ation)?|update)s?\b\W{1,12}\d{1,3}),(\d{3})(?:,(\d{3}))?\b"
"""A count whose thousands stand apart, as in ``step 14,000``."""
_THOUSANDS_OF: Final = (
    r"(?i)\b(\d{1,3}),(\d{3})(?:,(\d{3}))?( (?:gradient |training |optimi[sz]er )?(?:steps|iterations|updates)\b)"
)
"""The same before its name: ``After 1,025 steps``."""
_OF_THOUSANDS: Final = (
    r"(?i)(\b(?:step|iter(?:ation)?|update)s?\b\W{1,12}\d{1,12} ?(?:/|of) ?\d{1,3}),(\d{3})(?:,(\d{3}))?\b"
)
"""The same of how many there are to be: ``step 14,000/500,000``."""
_OF_TWO_SETS: Final = r"(?i)(\[train(?:ing)?\]\s.*?\[(?:val|valid|validation|dev)\]\s(?:.*?[\s,;|])??)loss([=: ])"
"""One line for a whole epoch: ``4epoch results: [train] loss=85.4, time=..., [valid] acc=0.61, loss=71.1``."""
_BATCH_OF: Final = r"\bTRAIN Batch (\d{1,6})/(\d{1,12}) (loss )"
_OF_A_CROSS_VALIDATION: Final = r"\bCV Batch \d{1,6}/\d{1,12} loss "
_CROSS_VALIDATED: Final = r"\b(Epoch \d{1,6} )CV info cv_loss "
"""WeNet's epoch and batch, which stand as a part and a whole elsewhere; its validation (wenet/utils/executor.py)."""
_SAMPLED: Final = r"^\W{0,8}Train Epoch: ?\d{1,6} \[\d{1,12}/\d{1,12} \(\d{1,3}%\)\]\s"
"""What PyTorch's examples print, and all that began as a copy of them: samples of the epoch, and no steps.

``100. * batch_idx / len(train_loader)`` is its percent, ``batch_idx * len(data)`` its count: github.com/pytorch/examples, mnist/main.py.
"""
_TWO_BRACKETS: Final = (
    r"\[\s*(\d{1,6})\s*/\s*(\d{1,6})\s*\](?:\s?|[,:|\t]\s?| [|-] )\[\s*(\d{1,12})\s*/\s*(\d{1,12})\s*(?:\(\s*\d+%\))?\]"
)
"""The epoch, and how far it is: ``Train: [3/300][410/1251]``."""
_EPOCH_BEFORE: Final = r"(?i)\bepoch(?: ?\(train\))?:?\s{0,8}\[\s*(\d{1,6})\s*\]\s?\[\s*\d{1,12}\s*/"
"""The epoch alone, and how far it is: ``Epoch(train) [3][410/1251]``, as mmengine and mmcv print it."""
_TRAIN_EPOCH: Final = r"(?i)^\W{0,8}train:? (\d{1,6}) \["
"""timm's way to begin a line with the epoch."""
_LONE: Final = r"(?:^|\] |^[\d-]{0,10}[T ]?\d\d:\d\d:\d\d[\d.,]{0,10}Z? )(?:\[\s*(\d{1,12})\][\s:]|(\d{1,12}):\t)"
"""The number of a step in brackets of its own, or before a colon and a tab, where a line begins."""
_WITHIN: Final = rf"(?i){START}(?:ep(?:och)?|epoche|[ée]poque|[ée]poca){SEP}\d{{1,6}}(?:\s*(?:/|of)\s*\d{{1,6}})?\]?[\s,:|-]{{1,4}}\(\s*(\d{{1,12}})\s*/\s*(\d{{1,12}})\s*\)"
"""How far an epoch is, right behind its number: ``Epoch 3: (50/500)``."""
_FRACTION: Final = r"(?:^|[\s|])(\d{1,12}) ?/ ?(\d{1,12})(?:[\s|:,]|$)"
_PLAN: Final = r"(?i)\b(?:total|max)[_ ](?:steps|iters|iterations)[\"']?[=: ]{1,2}(\d{1,12})"
_EPOCH_WORD: Final = r"(?:ep(?:och)?|epoche|[ée]poque|[ée]poca)"
_EPOCH: Final = rf"(?i){START}{_EPOCH_WORD}{SEP}(\d{{1,6}}(?:\.\d+)?)"
_EPOCHS: Final = rf"(?i){START}{_EPOCH_WORD}{SEP}\d{{1,6}}\s*(?:/|(?:of|von|van|av|sur|de|di|z|из)[= ])\s*(\d{{1,6}})\b"
_GRAD: Final = rf"(?i){START}(?:grad(?:ient)?[_ ]?norm|gnorm){SEP}{NUM}"
_SCALE: Final = rf"(?i){START}(?:loss|grad)[_ ]scale{SEP}{NUM}"
_NEXT: Final = r"/s +([\d,.]+)(?: +[A-Za-z_]\w*[ =:]+-?\d|\s*$)"
"""Where every number stands behind its name, the one before a rate is that of another: ``gnorm 1.01 tokens/s 5123``."""
_NO_NAME: Final = r"(?:[^\w/:=\"' ]| +[^:= ]| *$)"
"""What stands behind a unit; a name has its value there: ``lr=3.0e-04 tok/s=184073``, ``61.4, Tokens/s/device: 4812``."""
_TOKENS: Final = (
    rf"(?i)[A-Za-z_] [\d,.]+ tok(?:ens)?{_NEXT}|"
    r"(?:\btps: +|tok(?:ens)?[_/ ]?(?:per[_ ])?s(?:ec(?:ond)?)?[\"']?[:=] ?)([\d,.]+)|"
    rf"([\d.,]*\d) ?tok(?:ens)?/s(?:ec(?:ond)?)?{_NO_NAME}"
)
_SAMPLES: Final = (
    rf"(?i)[A-Za-z_] [\d,.]+ (?:samples|examples|images|imgs?){_NEXT}|"
    r"(?:samples?[_/ ](?:per[_ ])?s(?:ec(?:ond)?)?|CurrSamplesPerSec|throughput)[\"']?[:=] ?([\d,.]+)|"
    rf"([\d.,]*\d) ?(?:samples|examples|images|imgs?)/s(?:ec(?:ond)?)?{_NO_NAME}"
)
_MFU: Final = r"(?i)\bmfu:? ?=?(-?[\d.]+)%"
_ESTIMATED: Final = r"^.{0,120}\bSaving dict for global step (\d{1,12}): "
EVALUATION: Final = r"(?i)^\W*(?:test|val|valid|validation|eval|evaluation|dev)\b[ _:\]-]"
"""Lines of an evaluation: what they call loss is no training loss."""

NAMED: Final = r"[lL]oss|LOSS|[xX]ent:? |\b(?:[a-zA-Z]{2,4}_)?[rR]et\b|NCE:? |nll|NLL|ppl|PPL|erplexity|bjective|\bobj\b|\b[cC]ost\b|\bbp[cb]\b|rmse|logloss|erlust|[pP]erte|[pP][eé]rd(?:id)?a|erdita|learn: |[ \[(\"'|]b?(?:ce|CE)[\"']?[=:]|[ \"_](?:mse|MSE)[\"' :=]|ross[ _-]?[eE]ntropy|(?:[aA]cc(?:uracy)?(?:@1)?|[tT]op-?1)[\x22']?[:= ]{1,2}\d|[ \t_+](?:b?ce|BCE|CE|xent|mse|mae|ctc|CTC|focal|huber|hinge)(?:[_+][A-Za-z]\w{1,9})?[=: ]{1,2}(?:\d|-?(?:nan|inf)\b)|(?:eward|eturn|elbo|ELBO|ikelihood|_rew|_rew_mean)s?(?:_(?:mean|avg|ma)_?\d{0,4})?[\x22']?[:= ]{1,9}[-+]?\d"
"""Words of lines that may tell a loss, or an accuracy."""
OF_A_SAVED_STATE: Final = (
    r"(?i)^\W{0,8}(?:[\d:., TZ-]{8,40}\W{0,4})?(?:[\w.]{1,40} - )?(?:(?:info|debug)\W{1,4})?"
    r"(?:(?:rank|worker|proc(?:ess)?|gpu|r)[ :=_-]?\d{1,5}\W{1,4})?"
    r"(?:(?:resum(?:e|es|ed|ing)|restor(?:ed|ing)|continu(?:es|ed|ing)|load(?:ed|ing))\b.{0,120}\b(?:from|checkpoint|ckpt|state)\b"
    r"|(?:resum(?:es|ed|ing)|re-?start(?:ed|ing)?|continuing|go(?:es|ing) on|went on|pick(?:ed|ing) up|carrying on|resume=\w+)\b"
    r".{0,80}\b(?:loss|epoch|step|iter\w*|round)\b)"
    r"|[:;,] (?:continuing|resuming|going on|picking up)(?: there| from there)?\W{0,3}$"
)
"""What tells where a run goes on: the step and the loss in such a line are those of the run before."""
_TRAINER_S: Final = r"\{[^}]*'(?:loss|eval_loss|reward|train_runtime)'[^}]*'epoch': "
"""What Hugging Face's Trainer and its family print, where ``huggingface`` reads it: the epoch stands behind what it is of."""
_TIME_COST: Final = r"(?i)\b(time)[ _-](?:cost)\b"
_CODES: Final = r"(?i)\b(?:code_?book|codes?|vq|gumbel|quantizer|prob)[_ /-](?:ppl|perplexity)\b"
"""The perplexity of a codebook's use: wav2vec 2.0, VQ-VAE."""
_BEST: Final = r"(?i)\bbest[ _](?:iteration|iter|epoch|step|round|update|ntree_limit)\W{1,4}\d{1,12}"
_NUMBERED: Final = r"(?i)\b(?:fold|split|trial|seed|stage|phase) #?\d{1,4} ?(?:/|of) ?\d{1,4}\b"


def plain_steps(lines: pl.DataFrame) -> pl.DataFrame:
    """Anybody's loop: a step or batch number beside a loss; also NeMo, torchtitan, nanoGPT, fairseq, JSON lines."""
    rows = _step_of(_numbers(_measured(_readable(lines))))
    rows = rows.filter(pl.col("step").is_not_null() | _tells_epochs())
    return _believable(_without_strays(_reports(rows)))


def _readable(lines: pl.DataFrame) -> pl.DataFrame:
    """Lines that may report, without those that other readers read, and with their numbers as they are meant."""
    rows = lines.filter(
        pl.col("text").str.contains(NAMED)
        & ~pl.col("text").str.contains(
            rf"{ROUND}|{_TRAINER_S}|{MEGATRON}|\d(?:it)? \[\d+:\d\d|s/step - loss: |^\s*\d+/\d+ .*- loss: "
        )
    )
    rows = rows.filter(~pl.col("text").str.contains(OF_A_SAVED_STATE))
    # A history in one line tells several reports, and which is the last it does not say.
    for count in ("epoch", "step"):
        rows = rows.filter(pl.col("text").str.count_matches(rf""""{count}": ?\d""") <= 1)
    rows = rows.with_columns(pl.col("text").str.slice(0, 4096))
    # What syslog makes of a tab: SageMaker's containers.
    rows = rows.with_columns(**where(rows, "#011", text=pl.col("text").str.replace_all("#011", "\t", literal=True)))
    if rows["text"].str.contains(_COMMAS).any():
        rows = rows.with_columns(pl.col("text").str.replace_all(r"(\d),(\d)", "$1.$2"))
    # What a validation tells on its way is no report of training; its whole is told below.
    if rows["text"].str.contains(_BATCH_OF).any():
        rows = rows.filter(~pl.col("text").str.contains(_OF_A_CROSS_VALIDATION))
        text = pl.col("text").str.replace(_BATCH_OF, "TRAIN epoch ${1} batch ${2} ${3}")
        rows = rows.with_columns(text=text.str.replace(_CROSS_VALIDATED, "${1}valid_loss "))
    # TensorFlow's Estimator: the values of an evaluation, in the order of their names.
    estimated = pl.col("text").str.replace(_ESTIMATED, "eval step ${1}, ")
    rows = rows.with_columns(**where(rows, "Saving dict for global step", text=estimated))
    # What it cost in time is no cost to be minimised.
    rows = rows.with_columns(**where(rows, _TIME_COST, text=pl.col("text").str.replace_all(_TIME_COST, "$1 ")))
    # How many of its codes are in use is no loss, whatever it is called.
    rows = rows.with_columns(**where(rows, _CODES, text=pl.col("text").str.replace_all(_CODES, "codes_used")))
    rows = rows.filter(pl.col("text").str.contains(NAMED))
    # Which one was the best is no count of where it stands.
    rows = rows.with_columns(**where(rows, _BEST, text=pl.col("text").str.replace(_BEST, " ")))
    # What stands behind the head of a set is of that set.
    of_two = pl.col("text").str.replace(_OF_TWO_SETS, "${1}valid_loss${2}")
    rows = rows.with_columns(**where(rows, _OF_TWO_SETS, text=of_two))
    for count in (_THOUSANDS, _OF_THOUSANDS, _THOUSANDS_OF):
        rows = rows.with_columns(**where(rows, count, text=pl.col("text").str.replace(count, "${1}${2}${3}${4}")))
    return _with_epochs_named(rows)


def _with_epochs_named(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` whose ``[2/40] batch 50/500`` or ``E2: 50/500`` is told as ``Epoch 2``: the count behind it tells.

    That one begins anew where the first goes on by one, and nowhere else.
    """
    if not rows["text"].str.contains(_AHEAD).any():
        return rows
    groups = pl.col("text").str.extract_groups(_AHEAD).struct
    slow = pl.coalesce(groups.field("slow"), groups.field("bare")).cast(pl.Int64, strict=False).diff()
    count = pl.coalesce(groups.field("named"), groups.field("part")).cast(pl.Int64, strict=False).diff()
    within = ((slow == 0) & (count > 0)) | ((slow == 1) & (count < 0))
    ahead = pl.col("text").str.contains(_AHEAD)
    laps = (within.fill_null(value=True).all() & (slow == 1).any() & (slow == 0).any()).over(*KEYS, ahead)
    named = ahead & laps
    told = pl.col("text").str.replace(_AHEAD_OF, "${1}Epoch ${2}/${3}").str.replace(_AHEAD_BARE, "${1}Epoch ${2}${3}")
    return rows.with_columns(text=pl.when(named).then(told).otherwise("text"), speaker=pl.when(~named).then("speaker"))


_STAMP: Final = r"(?:[\W\d_]|[tz]|\b(?:debug|info|warn(?:ing)?|error)\b){0,80}?"
"""A clock and a level, or nothing, before what a line tells."""
_HEAD: Final = rf"(?i)^({_STAMP})"
_AHEAD_OF: Final = rf"{_HEAD}\[\s*(\d{{1,6}})\s*/\s*(\d{{1,6}})\s*\]"
_AHEAD_BARE: Final = rf"{_HEAD}E(\d{{1,6}})([\s,:|-])"
_AHEAD: Final = (
    rf"{_HEAD}(?:\[\s*(?P<slow>\d{{1,6}})\s*/\s*\d{{1,6}}\s*\]|E(?P<bare>\d{{1,6}}))[\s,:|-]{{1,4}}"
    r"(?:(?:(?:mini-?)?batch|step|iter(?:ation)?|it)\b[\s:=\[(]{0,3}(?P<named>\d{1,12})"
    r"|[\[(]?\s*(?P<part>\d{1,12})\s*(?:/|of)\s*\d{1,12})(?:[^\w.]|$)"
)
"""What may be an epoch that no word names, before the count of its batches."""


def _measured(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` that tell a loss, an accuracy or a reward, with what they tell, and with what stands behind the count."""
    evaluation = pl.col("text").str.contains(EVALUATION)
    validated = where(rows, r"(?i)val|test|dev|held", validated=number_of(EVAL_LOSS))
    # A policy is told by its reward alone; what an evaluation says of it is no report of training.
    scored = where(
        rows,
        r"(?i)rew|ret|elbo|likelihood|critic/score",
        score=pl.when(~evaluation).then(pl.coalesce(number_of(_SCORE), number_of(_RETURN))),
    )
    rows = _of_players(rows)
    # The loss of an evaluation is none of training, wherever in the line it stands.
    own = rows.with_columns(text=pl.col("text").str.replace_all(_EVALUATED, " ")) if validated else rows
    told = [
        number_of(LOSS),
        *where(
            own,
            "(?i)nll|ppl|perplexity|obj|cost|bp[cb]|rmse|logloss|verlust|perte|p[ée]rd|learn|xent|nce[: =]",
            other=number_of(_OTHER),
        ).values(),
        *where(own, "(?i)ce|cross|mse|mae|xent|ctc|focal|huber|hinge", criterion=number_of(_CRITERION)).values(),
        *where(own, " avg loss, ", smoothed=number_of(_DARKNET, 2)).values(),
    ]
    said = own.select(said=pl.coalesce(*told))["said"]
    rows = rows.with_columns(said=said, evaluated=evaluation, **(validated or {"validated": pl.lit(None)}))
    rows = rows.with_columns(
        loss=pl.when(~pl.col("evaluated")).then(pl.coalesce("said", pl.when("gone").then(float("nan")))),
        eval_loss=pl.coalesce("validated", pl.when("evaluated").then("said")),
        counted=_counted(rows, played=scored),
        **(accuracies(rows) or {"accuracy": pl.lit(None, pl.Float64)}),
        **(scored or {"score": pl.lit(None, pl.Float64)}),
    )
    rows = rows.with_columns(**where(rows, _TASK, accuracy=pl.when(~_of_tasks_in_turn()).then("accuracy")))
    return rows.filter(
        pl.any_horizontal(pl.col("loss", "eval_loss", "accuracy", "score").is_not_null()) | pl.col("plays")
    )


def _counted(rows: pl.DataFrame, *, played: dict[str, pl.Expr]) -> pl.Expr:
    """How far the lines say they are, and of how much."""
    counted, text = pl.col("text").str.extract_groups(STEP_COUNT), pl.col("text")
    if not played or not rows["text"].str.contains(_PLAYED).any():
        return counted
    mine = (
        text.str.contains(_PLAYED) & ~text.str.contains(STEP_COUNT) & ~text.str.contains(r"(?i)epoch|loss|iter|step\b")
    )
    return pl.when(mine).then(text.str.extract_groups(_PLAYED)).otherwise(counted)


def _of_players(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` without the losses of who plays against another: that they were told, and whether they are numbers."""
    # A loss of one who plays against another is no curve to judge; that it was told shows that training went on.
    plays = pl.col("text").str.contains(_GAME)
    rows = rows.with_columns(
        plays=plays if rows["text"].str.contains("(?i)[a-z][_/ .-]?loss|loss[_/.-][a-z]").any() else pl.lit(value=False)
    )
    lost = pl.col("text").str.contains(_GAME_LOST)
    rows = rows.with_columns(nan_part=lost if rows["plays"].any() else pl.lit(value=False))
    # Of players that have all lost their numbers, nobody learns.
    every = pl.col("text").str.count_matches(_GAME)
    gone = (every > 1) & (pl.col("text").str.count_matches(_GAME_LOST) >= every)
    rows = rows.with_columns(gone=gone & pl.col("nan_part") if rows["nan_part"].any() else pl.lit(value=False))
    return rows.with_columns(text=pl.when("plays").then(pl.col("text").str.replace_all(_GAME, " ")).otherwise("text"))


def _numbers(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with each number that may count steps or epochs, by where it stands."""
    counted = pl.col("counted").struct
    # Which of several trainings it is, is no count of this one.
    whole_line = pl.col("text").str.replace(_NUMBERED, " ")
    inside = whole_line.str.replace(_EPOCHS, " ")

    def bracketed(group: int) -> pl.Expr:
        return inside.str.extract(_BRACKET, group).cast(pl.Int64, strict=False)

    return rows.with_columns(
        named=counted.field("1").cast(pl.Int64, strict=False),
        named_total=counted.field("2").cast(pl.Int64, strict=False),
        lone=None,
        part=None,
        part_total=None,
        plan=None,
        bracket=None,
        bracket_total=None,
        own_bracket=None,
        own_bracket_total=None,
        within=None,
        within_total=None,
        batch=None,
        batch_total=None,
        epoch=None,
        total_epochs=pl.lit(None, pl.Int64),
        global_step=None,
    ).with_columns(
        **where(
            rows,
            r"\]",
            # A bracket behind an epoch is that of its steps; the epoch's own is one of epochs.
            bracket=pl.coalesce(integer_of(_TWO_BRACKETS, 3), bracketed(1)),
            bracket_total=pl.coalesce(integer_of(_TWO_BRACKETS, 4), bracketed(2)),
            own_bracket=pl.when(~whole_line.str.contains(_EPOCHS)).then(integer_of(_BRACKET)),
            own_bracket_total=integer_of(_BRACKET, 2),
        ),
        **where(rows, r"\(\s*\d{1,12}\s*/", within=integer_of(_WITHIN), within_total=integer_of(_WITHIN, 2)),
        **where(
            rows,
            r"(?i)batch|idx|(?-u:\b)i(?-u:\b)",
            batch=pl.coalesce(integer_of(_BATCH), integer_of(ESPNET, 2)),
            batch_total=integer_of(_BATCH, 2),
        ),
        **where(
            rows,
            r"^\[|\] \[|^\s*\d+: ?|:\d\d\S* \[\d",
            lone=pl.coalesce(first_number(_LONE, 2).cast(pl.Int64, strict=False), integer_of(_DARKNET)),
        ),
        # Behind "Epoch 2/3" another fraction counts within it.
        **where(
            rows,
            r"\d ?/ ?\d",
            **{
                name: pl.coalesce(inside.str.extract(_FRACTION, group), whole_line.str.extract(_FRACTION, group)).cast(
                    pl.Int64, strict=False
                )
                for name, group in (("part", 1), ("part_total", 2))
            },
        ),
        **where(rows, "(?i)total|max", plan=integer_of(_PLAN)),
        **where(
            rows,
            r"(?i)ep|[ée]po|rain:? \d+ \[|\]\s?\[",
            epoch=pl.coalesce(
                number_of(_EPOCH),
                number_of(ESPNET),
                number_of(_TRAIN_EPOCH),
                number_of(_TWO_BRACKETS),
                number_of(_EPOCH_BEFORE),
            ),
        ),
        # Determined's name for it is the second.
        **where(
            rows,
            "(?i)global|steps_completed",
            global_step=integer_of(r"(?i)(?:global[_ ]?step|steps_completed)[\"']?\s*[:=]\s*(\d{1,12})"),
        ),
    )


def _step_of(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the one of their numbers that counts steps, and how many there are to be."""
    rows = _without_seats(_epoch_and_batch(rows))
    # Of a whole, or a date or a path.
    rows = rows.with_columns(pl.when(pl.col("part") <= pl.col("part_total")).then(pl.col("part", "part_total")))
    rows = rows.with_columns(
        step=pl.coalesce("global_step", "named", "within", "bracket", "batch", "own_bracket", "lone", "part"),
        total_steps=pl.when(pl.col("global_step").is_not_null())
        .then(None)
        .when(pl.col("named").is_not_null())
        .then("named_total")
        .when(pl.col("within").is_not_null())
        .then("within_total")
        .when(pl.col("bracket").is_not_null())
        .then("bracket_total")
        .when(pl.col("batch").is_not_null())
        .then("batch_total")
        .when(pl.col("own_bracket").is_not_null())
        .then("own_bracket_total")
        .when(pl.col("lone").is_null())
        .then("part_total"),
    ).with_columns(total_steps=pl.coalesce("total_steps", "plan"))
    rows = _counted_by_a_word(rows)
    # "Epoch 2/3" alone counts epochs: what else counts stands apart from them.
    rows = rows.with_columns(
        **where(
            rows,
            rf"{_EPOCHS}|{_TWO_BRACKETS}",
            step=pl.when(~_only_epochs()).then("step"),
            total_epochs=pl.coalesce(integer_of(_EPOCHS), integer_of(_TWO_BRACKETS, 2)),
        )
    )
    # Where each epoch is told once, as it ends, it is epochs that are counted.
    full = pl.col("step").is_between(pl.col("total_steps") - 1, pl.col("total_steps"))  # counted from 0, too
    once = full & (pl.col("epoch").diff().fill_null(1) >= 1)
    return rows.with_columns(
        **where(
            rows,
            f"{_EPOCH_BEFORE}|{_TRAIN_EPOCH}",
            step=pl.when(~(once.all() & (pl.len() > 1)).over(KEYS)).then("step"),
        )
    )


def _tells_epochs() -> pl.Expr:
    """Whether a line tells of a whole epoch: no number of it counts steps."""
    return pl.col("step").is_null() & pl.col("epoch").is_not_null()


_JUDGES: Final = r"(?i)(?:^|[^a-z])(?:val(?:id\w*)?|test(?:ing)?|eval\w*|dev|predict\w*|infer\w*)(?:[^a-z]|$)"
"""What tells how well the model does on other data, at whatever pace: MXNet trains by accuracy and pace alone."""


def _reports(rows: pl.DataFrame) -> pl.DataFrame:
    """Reports of progress with all that they tell, and the ``form`` of their line."""
    whole = _tells_epochs()
    rows, times = step_times(rows)
    found = as_steps(
        rows,
        Kind.STEP,
        pl.when(pl.col("text").str.contains(_SAMPLED)).then(pl.lit(SAMPLED)).otherwise(pl.lit("loop")),
        step=pl.when(whole).then(pl.col("epoch").cast(pl.Int64, strict=False)).otherwise("step"),
        total_steps=pl.when(whole).then("total_epochs").otherwise("total_steps"),
        epoch=pl.col("epoch"),
        total_epochs=pl.col("total_epochs"),
        loss=pl.col("loss"),
        eval_loss=pl.col("eval_loss"),
        accuracy=pl.col("accuracy"),
        nan_part=pl.col("nan_part"),
        score=pl.col("score"),
        **where(rows, "(?i)norm", grad_norm=number_of(_GRAD)),
        **where(rows, "(?i)lr|rate", lr=number_of(LR)),
        **where(rows, "(?i)scale", loss_scale=number_of(_SCALE)),
        **times,
        **where(rows, "(?i)samples?|throughput|examples|im(?:age|g)", samples_per_s=first_number(_SAMPLES, 3)),
        **where(rows, "(?i)tok|tps", tokens_per_s=first_number(_TOKENS, 3)),
        **where(rows, "(?i)mfu", mfu=number_of(_MFU) / 100),
    )
    kind = (
        pl.when(pl.col("loss").is_null() & pl.col("score").is_null() & ~pl.col("plays") & ~pl.col("paced"))
        .then(pl.lit(str(Kind.VALIDATION)))
        .when(pl.col("whole"))
        .then(pl.lit(str(Kind.EPOCH)))
        .otherwise("kind")
    )
    pace = found["samples_per_s"].is_not_null() if "samples_per_s" in found.columns else pl.lit(value=False)
    paced = ~whole & pace & ~pl.col("text").str.contains(_JUDGES)
    found = found.with_columns(rows.select(whole.alias("whole"), "plays", paced=paced)).with_columns(kind=kind)
    found = found.drop("whole", "plays", "paced")
    # Numbers that are aligned leave more blanks or less, and a number that is longer takes no word from the form.
    bare = rows["text"].str.slice(0, 480).str.replace_all(r"[\d.]+(?:e[+-]\d+)?|nan|inf", "").str.replace_all(" +", " ")
    return found.with_columns(form=bare.str.slice(0, 120))


def _believable(found: pl.DataFrame) -> pl.DataFrame:
    """``found`` without numbers that count nothing, seen by how they go on from one report to the next."""
    # Where an epoch is told more than once, its last one may have just begun; each fold counts its own.
    found = found.with_columns(lap=(pl.col("step").diff() < 0).cum_sum().over(*KEYS, "kind").fill_null(0))
    laps = (pl.col("lap").max() * _TO_A_LAP <= pl.len()).over(*KEYS, "kind")
    once = (pl.len() == pl.col("step").n_unique()).over(*KEYS, "kind", pl.when(laps).then("lap"))
    found = found.with_columns(total_steps=pl.when((pl.col("kind") != str(Kind.EPOCH)) | once).then("total_steps"))
    found = found.drop("lap")
    # The one batch that is reported of each epoch tells of the epoch.
    one = (pl.col("step").n_unique() == 1) & (pl.col("epoch").n_unique() >= COUNTS)
    one = (one & pl.col("epoch").is_not_null().all()).over(*KEYS, "kind")
    found = found.with_columns(step=pl.when(one).then(pl.col("epoch").cast(pl.Int64)).otherwise("step"))
    # A number that never moves is no step: three lines or more of one series must show two values.
    moving = (pl.col("step").n_unique() > 1) | (pl.len() < 3)
    found = found.filter(moving.over(*KEYS, "kind"))
    # One that begins anew after every line or two, and comes no farther, counts within something untold.
    series = [*KEYS, "kind"]
    if found["epoch"].is_null().any():
        begins = (pl.col("step").diff() < 0).sum()
        number = pl.int_range(pl.len())
        farther = (
            pl.col("step").filter(number * 2 >= pl.len()).max() > pl.col("step").filter(number * 2 < pl.len()).max()
        )
        untold = pl.col("epoch").is_null().all() & pl.col("total_steps").is_null().all()
        turns = untold & (begins >= _TURNS) & (pl.len() <= _TURNS * (begins + 1)) & ~farther
        found = found.with_columns(step=pl.when(~turns.over(series)).then("step"))
    return found


_TO_A_LAP: Final = 3
"""Reports that a fold makes, at the least; what takes turns with another makes fewer in a row."""

_TASK: Final = r"^\s{0,8}([A-Za-z][A-Za-z_.-]{1,40}):? {1,8}\d{1,9} ?/ ?\d{1,9}\b"
_TASKS: Final = 3


def _of_tasks_in_turn() -> pl.Expr:
    """Whether lines name one thing after the other that is counted through, as a benchmark's tasks: no curve."""
    task = pl.col("text").str.extract(_TASK)
    turns = (task != task.shift()).fill_null(value=True).sum()
    tasks = task.drop_nulls().n_unique()
    return ((tasks >= _TASKS) & (turns == tasks) & (task.null_count() == 0)).over(KEYS)


def _epoch_and_batch(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` whose ``Batch 3/1200`` is batch 1200 of epoch 3: what stands behind the stroke moves, and is no total."""
    if rows["batch_total"].dtype == pl.Null:
        return rows
    behind, before = pl.col("batch_total").n_unique(), pl.col("batch").n_unique()
    swapped = ((behind >= COUNTS) & (behind > 2 * before)).over(*KEYS)
    return rows.with_columns(
        epoch=pl.when(swapped).then(pl.coalesce("epoch", pl.col("batch").cast(pl.Float64))).otherwise("epoch"),
        batch=pl.when(swapped).then("batch_total").otherwise("batch"),
        batch_total=pl.when(~swapped).then("batch_total"),
        part=pl.when(~swapped).then("part"),
    )


def _without_seats(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` whose ``[0/2]`` before their words tells which rank of how many wrote them, and counts nothing.

    It stands in all reports and never moves, while the words behind it count epochs: else it may be the epoch in which
    a run was cut short. It is 0, or the rank that a source is of: one from 1 on may be a fold.
    """
    if rows["bracket"].dtype == pl.Null:
        return rows
    text, seat = pl.col("text"), pl.col("bracket") == pl.col("rank").fill_null(0)
    heads = (text.str.contains(AT_HEAD) & seat & (pl.col("bracket") < pl.col("bracket_total"))).all()
    still = heads & (pl.col("bracket_total").n_unique() == 1) & (pl.col("epoch").n_unique() > 1)
    still = still.fill_null(value=False).over(KEYS)
    return rows.with_columns(pl.when(~still).then(pl.col("bracket", "bracket_total")))


AT_HEAD: Final = rf"(?i)^{_STAMP}{_BRACKET}"
"""Such a count, with nothing but a clock and a level before it."""


def _counted_by_a_word(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with the number behind the first word for their step, where they have none: ``reading 300 loss 2.1``.

    Such a number counts what the loop counts if it only rises, by hundreds or for long; a fold or a client may as well.
    """
    bare = pl.col("step").is_null() & pl.col("epoch").is_null()
    if not rows.select(bare.any()).item():
        return rows
    groups = pl.col("text").str.extract_groups(_WORD_COUNT).struct
    first = pl.col("text").str.extract(_FIRST_COUNT).cast(pl.Int64, strict=False)
    word = groups.field("1").str.to_lowercase()
    rows = rows.with_columns(
        word=pl.when(bare).then(pl.when(first.is_not_null()).then(pl.lit("#")).otherwise(word)),
        number=pl.coalesce(first, groups.field("2").cast(pl.Int64, strict=False)),
    ).with_columns(pl.when(~pl.col("word").str.contains(NO_COUNT)).then("word"))
    apart = pl.col("number").diff()
    many = (pl.len() >= COUNTS) & ((pl.len() >= 2 * COUNTS) | (apart.min() > 1))
    counts = pl.col("word").is_not_null() & many & (apart.min() > 0)
    counted = counts.over(*KEYS, "word")
    of = pl.when(counted & first.is_null()).then(groups.field("3").cast(pl.Int64, strict=False))
    return rows.with_columns(
        step=pl.coalesce("step", pl.when(counted).then("number")), total_steps=pl.coalesce("total_steps", of)
    ).drop("word", "number")


_WORD_COUNT: Final = r"(?i)^(?:[\W\d_]|\b(?:info|debug|train(?:ing)?)\b){0,60}?([a-z]{3,20})s?[ :=#]{1,3}(\d{1,12})(?:\s?(?:/|of )\s?(\d{1,12})\b|[\s,;|:)\]/-])"
_FIRST_COUNT: Final = r"^\s{0,12}(\d{1,9})(?:[\s,;|]{1,8}|\s?[:)-]\s{0,8})[A-Za-z]"
"""A number with which the line begins, before the name of what it tells."""


_TURNS: Final = 3
"""How often a counter has to begin anew, and of how many reports at the most each time."""


def _only_epochs() -> pl.Expr:
    """Whether the step that was read is the epoch, and the epochs that are planned all that was planned."""
    nothing_else = pl.all_horizontal(pl.col("global_step", "named", "batch", "lone").is_null())
    planned = integer_of(_EPOCHS)
    return (nothing_else & (pl.col("step") == pl.col("epoch")) & (pl.col("total_steps") == planned)).fill_null(
        value=False
    )


def _without_strays(found: pl.DataFrame) -> pl.DataFrame:
    """``found`` without lines that tell of no step of this loop: samples of a model that writes logs, say.

    Where one form of line counts through a source without a step back, what other forms tell must lie where it stands,
    or count for itself.
    """
    place = ["node", "capture", "source", "task", "rank"]
    step = pl.col("step")
    shares = found.group_by(*place, "form").agg(
        lines=pl.len(),
        rises=(step.diff() > 0).sum() == pl.len() - 1,
        planned=pl.col("total_steps").is_not_null().all() & (step != pl.col("epoch")).fill_null(value=True).any(),
        untold=pl.col("total_steps").is_null().all(),
    )
    shares = shares.with_columns(all=pl.col("lines").sum().over(place))
    often = pl.col("planned") | (pl.col("lines") > _MOST * pl.col("all"))
    main = shares.filter(pl.col("rises") & (pl.col("lines") >= COUNTS) & often)
    main = main.sort("lines", "form").unique(place, keep="last").select(*place, main="form", plan="planned")
    if main.is_empty() or main.height == shares.height:
        return found.drop("form")
    told = found.join(main, on=place, how="left", nulls_equal=True, maintain_order="left")
    shares = shares.select(*place, "form", "rises", "lines", "untold")
    told = told.join(shares, on=[*place, "form"], how="left", nulls_equal=True)
    told = told.sort("line_seq")
    own = (pl.col("form") == pl.col("main")).fill_null(value=True)
    counted = pl.when(own).then(step)
    below = counted.forward_fill().over(place).fill_null(0)
    stride = (counted.max() - counted.min()).over(place) / (counted.count().over(place) - 1)
    above = counted.backward_fill().over(place).fill_null(below + stride)
    alone = ~(pl.col("rises") & (pl.col("lines") > 1)) & pl.col("eval_loss").is_null()
    stray = ~own & alone & ~step.is_between(below, above)
    # What says the same step again and again beside a count that knows its plan counts nothing.
    stray |= ~own & pl.col("plan") & pl.col("untold") & ~pl.col("rises") & pl.col("eval_loss").is_null()
    return told.filter(~stray.fill_null(value=False)).select(found.drop("form").columns)


COUNTS: Final = 10
_MOST: Final = 0.6
