"""Training progress as the job printed it: steps, losses, rates, from log lines and progress bars.

Everything works on columns: a log of a million metric lines is read by a few dozen regular expressions, none of which
can take more than linear time. Precision over recall: a row needs a step-like integer beside a loss-like number, or a
shape only one framework prints; a bar needs the words of a training bar, or to be the longest bare bar of its source.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.kinds import UNNUMBERED, Kind
from inquest.analyze.logs.loop_clocks import APART, WORDS, agreed, apart_clocks, loop_clocks
from inquest.analyze.logs.other_names import judged, learned, overflowed, renamed, trials
from inquest.analyze.logs.own_counts import NO_COUNT, own_counts
from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.step_tables import bare_rows, table_steps
from inquest.analyze.logs.tool_steps import tool_steps
from inquest.analyze.logs.under_heads import under_heads
from inquest.analyze.logs.unnamed_losses import unnamed_losses
from inquest.bundle.scan import stored_schema
from inquest.bundle.timers import CLOCKS, DATA, STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.logs.attempts import Place
    from inquest.bundle.store import Store

_NUM: Final = r"\+?(-?(?:nan|NaN|inf|Infinity|\d[\d_,]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)"
_SEP: Final = r"""["']?\s*[:=↓↑→]?\s*[\[("']{0,2}"""
_START: Final = r"""(?:^|[\s,;|{\[("'/>_-])"""

_LOSS_WORD: Final = r"(?:train(?:ing)?|batch|av[gr]|average|smooth(?:ed)?|ema|mean|total|running|cur(?:rent)?|step|lm|mlm|ce|cross[_ ]?entropy|reduced_train|policy|train_batch|epoch)"
_AT: Final = r"(?: (?:at|after|in|for) (?:step|iter(?:ation)?|epoch|batch|update) \d{1,12})?"
"""Between the name of a loss and its value: when it was."""
_LOSS: Final = (
    rf"(?i){_START}(?:{_LOSS_WORD}[_ /-]?){{0,2}}loss(?:[_ ]?(?:avg|mean|val(?:ue)?|train(?:ing)?))?{_AT}{_SEP}{_NUM}"
)
_PLAYER: Final = r"(?:[gdq]\d?|gen(?:erator)?|dis(?:c(?:riminator)?)?|policy(?:_gradient)?|value|actor|critic|adv(?:ersarial)?|vf|pg|entropy|kl|aux)"
_GAME: Final = rf"(?i)\b(?:{_PLAYER}[_/ .-]?loss(?:es)?|loss(?:es)?[_/.-]{_PLAYER})(?:[^A-Za-z]|$)"
"""Losses of one who plays against another, or for rewards: they rise and fall in training that goes well."""
_GAME_LOST: Final = rf"(?i)\b(?:{_PLAYER}[_/ .-]?loss(?:es)?|loss(?:es)?[_/.-]{_PLAYER}){_SEP}-?nan\b"
"""Such a loss that is NaN: it is part of what the gradient is taken of."""
_OTHER: Final = rf"(?i){_START}(?:train(?:ing)?[_ /-]?)?(?:nll(?:[_ ]loss)?|ppl|perplexity|objective|obj|cost|bp[cb]|rmse|m?logloss|verlust|perte|p[ée]rdida|perda|perdita|learn|nt[-_]?xent|info_?nce){_SEP}{_NUM}"
"""What a loop may call the loss; read where the line has no loss by that name."""
_PART: Final = r"(?:b?ce|ctc|rnn_?t|focal|dice|huber|hinge|smooth_?l1|l1|mse|mae|iou|tversky|lovasz)"
_CRITERIA: Final = rf"(?:{_PART}(?:[_+]{_PART}){{1,3}}|b?ce|ctc|focal|huber|hinge|x_?ent|cross[_ -]?entropy|mse|mae)"
_CRITERION: Final = rf"(?i)(?:^|[\s,;|{{\[(\"'>])(?:train(?:ing)?[_ /-]?)?{_CRITERIA}{_SEP}{_NUM}"
"""The criterion by its own name, as a word of its own: what stands before it with a dash may be another's."""
_EVAL_LOSS: Final = rf"(?i){_START}(?:(?:val(?:id|idation)?|eval(?:uation)?|test|dev)[_ /-]{{0,2}}(?:loss|verlust|{_CRITERIA})|(?:perte|verlust|p[ée]rdida|perda|perdita)[_ /-](?:val\w{{0,8}}|test)){_SEP}{_NUM}"
_SCORE: Final = rf"(?i){_START}(?:critic/|train/|mean[_ ]|avg[_ ]|total[_ ])?(?:(?:episode|ep)[_ ])?(?:rewards?|rew|returns?|log[ _-]?likelihood|elbo)(?:[/_ ](?:mean|avg))?{_SEP}{_NUM}"
"""What is to rise: the mean of a reward, or a likelihood."""
_ACCURACY: Final = rf"(?i){_START}(?:(?:train(?:ing)?|val(?:id(?:ation)?)?|test|eval|dev|token|binary|(?:sparse_)?categorical|top-?1|mean)[_ /-]?){{0,3}}(?:acc(?:uracy)?(?:@1|[_-]?top-?1)?|exactitude|genauigkeit|(?:top-?1|acc@1)){_SEP}(\d{{0,3}}\.\d{{1,8}}|\d{{1,3}} ?%)"
"""A share of right answers; a number without a point or a per cent sign counts something else."""
_STEP: Final = rf"(?i){_START}(?:global[_ ]?step|(?:train(?:ing)?|opt(?:imizer)?)[_ ]?step|step|iteration|iter|itr|it|num_updates|update|upd|up\.|pass|round|episode|schritt|durchlauf|étape|paso|passo|шаг|步骤|ステップ){_SEP}(\d{{1,12}})(?:\s*(?:/|(?:of|von|sur|de|di)[= ])\s*(\d{{1,12}}))?(?:[^.\d]|\.\D|\.?$)"
_BATCH: Final = rf"(?i){_START}(?:(?:mini-?)?batch|idx|i){_SEP}(\d{{1,12}})(?:\s*/\s*(\d{{1,12}}))?(?:[^.\d]|\.\D|\.?$)"
_BRACKET: Final = r"\[\s*(\d{1,12})\s*/\s*(\d{1,12})\s*(?:\(\s*\d+%\))?\]"
_COMMAS: Final = (
    r"(?i)(?:loss|verlust|perte|fehler)[\w.]{0,12}\s{0,2}[:=]?\s{0,2}-?(?:0,\d|\d{1,9},(?:\d{1,2}|\d{4,9})(?:[\s;|]|$))"
)
"""A loss whose decimals stand behind a comma, as in most of Europe."""
_DARKNET: Final = r"^\s{0,4}(\d{1,9}): -?(?:nan|\d[\d.]*), (-?(?:nan|\d[\d.]*)) avg loss, "
"""Its steps, and the loss that it smooths."""
_THOUSANDS: Final = r"(?i)(\b(?:step|iter(?:ation)?|update)s?\b\W{1,12}\d{1,3}),(\d{3})(?:,(\d{3}))?\b"
"""A count whose thousands stand apart, as in ``step 14,000``."""
_OF_THOUSANDS: Final = (
    r"(?i)(\b(?:step|iter(?:ation)?|update)s?\b\W{1,12}\d{1,12} ?(?:/|of) ?\d{1,3}),(\d{3})(?:,(\d{3}))?\b"
)
"""The same of how many there are to be: ``step 14,000/500,000``."""
_TWO_BRACKETS: Final = r"\[\s*(\d{1,6})\s*/\s*(\d{1,6})\s*\]\s?\[\s*(\d{1,12})\s*/\s*(\d{1,12})\s*(?:\(\s*\d+%\))?\]"
"""The epoch, and how far it is: ``Train: [3/300][410/1251]``."""
_TRAIN_EPOCH: Final = r"(?i)^\W{0,8}train:? (\d{1,6}) \["
"""timm's way to begin a line with the epoch."""
_ROUND: Final = r"^(?:\[?(?:20)?\d\d[-:/][^\]\t]{2,30}\]? )?(?:\[(\d{1,9})\]|(\d{1,9}):)\t"
"""A round of a library of boosted trees, as it begins a line; XGBoost's command puts a clock before it."""
_UNTABBED: Final = r"^(\[\d{1,9}\]) {1,8}([\w-]{1,60}-[\w@.]{1,60}:-?[\d.])"
"""Such a round, copied from a terminal that made blanks of the tab."""
_SCALED: Final = r"\| \w{1,40}: \d[\d.]{0,12}[KMGT](?: \||$)"
"""A number in thousands or more, between strokes, as nanotron prints them all."""
_TREES: Final = r"^\[(\d{1,9})/(\d{1,9})\] \d{1,9} trees?, \d{1,9} leaves"
_FALLS: Final = r"(?:-|'s )(?:[a-z_]{0,24}(?:rmse|rmsle|mae|mape|mphe|error|loss|nloglik|deviance|entropy)|l1|l2|huber|fair|quantile|poisson|gamma|tweedie|kullback_leibler|hinge)(?:@[\d.]{1,8})?: ?"
_FALLS_OF: Final = rf"{_FALLS}|: "
"""Between a set's name and its metric's value: XGBoost's, LightGBM's and CatBoost's way."""
_PRINTS_ITS_LAST: Final = r"\t[\w-]{1,60}-[\w@.]{1,60}:-?[\d.]|^\d{1,9}:\tlearn: "
_LONE: Final = r"(?:^|\] |^[\d-]{0,10}[T ]?\d\d:\d\d:\d\d[\d.,]{0,10}Z? )(?:\[\s*(\d{1,12})\][\s:]|(\d{1,12}):\t)"
"""The number of a step in brackets of its own, or before a colon and a tab, where a line begins."""
_FRACTION: Final = r"(?:^|[\s|])(\d{1,12}) ?/ ?(\d{1,12})(?:[\s|:,]|$)"
_PLAN: Final = r"(?i)\b(?:total|max)[_ ](?:steps|iters|iterations)[\"']?[=: ]{1,2}(\d{1,12})"
_EPOCH_WORD: Final = r"(?:ep(?:och)?|epoche|[ée]poque|[ée]poca)"
_EPOCH: Final = rf"(?i){_START}{_EPOCH_WORD}{_SEP}(\d{{1,6}}(?:\.\d+)?)"
_EPOCHS: Final = rf"(?i){_START}{_EPOCH_WORD}{_SEP}\d{{1,6}}\s*(?:/|(?:of|von|sur|de|di)[= ])\s*(\d{{1,6}})\b"
_GRAD: Final = rf"(?i){_START}(?:grad(?:ient)?[_ ]?norm|gnorm){_SEP}{_NUM}"
_LR: Final = rf"(?i){_START}(?:lr|learning[_ ]rate){_SEP}{_NUM}"
_SCALE: Final = rf"(?i){_START}(?:loss|grad)[_ ]scale{_SEP}{_NUM}"
_MS: Final = r"(?i)(?:elapsed time per iteration \(ms\): |\btime:? ?|iter_time:? ?|\| )([\d.]+) ?ms\b|(?:elapsed time per iteration \(ms\): |\bms/(?:step|it(?:er(?:ation)?)?)[=:] ?)([\d.]+)|([\d.]+) ?ms/(?:step|it)(?:[^=:\w]|$)|\bdt[=:] ?([\d.]+) ?ms\b"
_S: Final = r"(?i)(?:step_timing in s|step[_ ]time|batch[_ ]?time|iter[_ ]time|time per step)[\"']?[:=]? ?([\d.]+)(?:\s|s\b|,|\)|\}|$)|([\d.]+) ?s(?:/(?:step|it)| per (?:step|update|iteration|batch))\b|\btime: ([\d.]+)(?:s, {1,8}[\d.]+/s|  ?(?:data_time|last_time))|\bseconds: ([\d.]+), TFLOP"
_UNIT: Final = r"(ms|s|secs?|seconds?)"
_TIMER: Final = rf"""["']?(?: \(t\))?[ \t]*[:=]?[ \t]*(?:(\d*\.\d+)(?: ?{_UNIT})?|(\d+) ?{_UNIT})\b"""
"""A time after its name, as a clock of a loop prints it; what has neither a point nor a unit counts something."""
_DATA_TIMER: Final = (
    r"(?i)\b(?:avg[_ ])?(?:data(?:[_ -]?(?:time|load(?:ing|er)?|wait(?:ing)?|fetch(?:ing)?|read(?:ing)?))?(?:[_ ](?:time|cost))?"
    r"|dt_data|(?-i:DT)|dataload(?:er|ing)?(?:[_ ](?:time|wait))?|(?:batch[_ ])?(?:reader|fetch|load(?:er|ing)?)[_ ](?:time|cost|wait)"
    rf"|wait(?:ed|ing)?(?:[_ ]for)?[_ ](?:data|input|batch)){_TIMER}"
)
_DATA_BEHIND: Final = (
    r"(?i)\b(\d{1,6}\.\d{1,6}) ?(ms|s|secs?|seconds?)()()(?: spent)?(?: (?:in|on|for|waiting for|waiting on|of))?"
    r" (?:the )?(?:data(?:loader| loading)?|input|loader|loading|batches)\b"
)
"""The same before its name: ``of which 2.3 s data``."""
_DATA_SHARE: Final = r"(?i)\b(?:data(?:[_ -]?(?:time|load(?:ing|er)?|wait(?:ing)?|fetch(?:ing)?))?|input|loader|loading|dataloader)[_ ]?(?:share|frac(?:tion)?|pct|percent)?[ :=]{1,3}(\d{1,3}(?:\.\d{1,4})?) ?%"
"""What part of its step a loop waited for data, where it prints that instead of a time."""
_WHOLE_TIMER: Final = (
    r"(?i)\b(?:avg[_ ])?(?:(?:iter(?:ation)?|step|batch|total|train)(?:[_ -]?(?:time|cost))?|time(?:[_ ]per[_ ](?:iter|step|batch))?|BT|(?-i:dt))"
    rf"{_TIMER}"
)
"""The clock of the whole step that stands beside the one of its data."""
_TOKENS: Final = (
    r"(?i)(?:\btps: +|tok(?:ens)?[_/ ]?(?:per[_ ])?s(?:ec(?:ond)?)?[\"']?[:=] ?)([\d,.]+)|([\d,.]+) ?tok(?:ens)?/s"
)
_SAMPLES: Final = r"(?i)(?:samples?[_/ ](?:per[_ ])?s(?:ec(?:ond)?)?|CurrSamplesPerSec|throughput)[\"']?[:=] ?([\d,.]+)|([\d,.]+) ?(?:samples|examples|images|imgs?)/s"
_MFU: Final = r"(?i)\bmfu:? ?=?(-?[\d.]+)%"

_BAR: Final = r"(\d{1,12})/(\d{1,12}) \[(\d+:\d\d(?::\d\d)?)<([\d:?]+), +(?:([\d.]+|\?) ?((?:it|batch(?:es)?|steps?|iters?|updates?|epochs?)/s|s/(?:it|batch(?:es)?|steps?|iters?|updates?|epochs?))|[A-Za-z_][\w ]{0,40}=)"
_BAR_LOSS: Final = rf"(?i)(?:[ ,]\s?(?:{_LOSS_WORD}[_ ]?){{0,2}}loss(?:_(?:mean|avg|ema|smooth(?:ed)?))?=|^Loss: )(-?(?:nan|inf|\d[\d.]*(?:e[+-]?\d+)?))"
"""After the bar, or before it as torchtune puts it: ``1|25|Loss: 2.3: ``."""
_BAR_STATE: Final = r"(?:[^\r|]{0,60}\|[^|\r]{0,300}\| ?)?\d{1,12}/\d{1,12} \[\d+:\d\d(?::\d\d)?<[^\]\r]{0,400}\]"
_NOT_TRAINING: Final = (
    r"(?i)Writing|Loading|Generating|\bMap\b|Map \(|Sanity|Valid|\bEval|\bTest|Download|Fetching|Tokeniz|Filter|Predict"
    r"|Resolving|Creating|Saving|Materializ|Converting|Packing|Truncating|Extract|Casting|Inference|Upload|Grouping|Adding"
    r"|Applying|Building|Preprocess|Processing|Reading|Caching|Computing|Collect"
)
_TRAINING: Final = r"(?i)train|epoch|\bsteps?\b|\biter|loss ?[:=]"
_CONFIG_LINE: Final = (
    r"^\s*(?:--|\+ |#|Namespace\(|usage: |>>> )|Warning: |\(most recent call|^[A-Za-z_.]{1,80}(?:Error|Exception): "
)

_MEGATRON: Final = (
    r"iteration +\d+/ *\d+ \|.*(?:consumed samples: |elapsed time per iteration|number of skipped iterations)"
)
_PREFIX: Final = r"^(?:\[[0-9A-Za-z_.@-]{1,100},\d{1,5}\]<std(?:out|err)>: ?)?(?:\d{1,5}: )?(?:stderr: |stdout: )?(?:\[rank\d{1,5}\]: ?|\[[a-z][a-z_]*\d{1,5}\]:(?:\[rank\d{1,5}\]: ?)?)?(?:(?:DEBUG|INFO|WARNING):[\w.-]{1,80}:)?"
_PREFIXED: Final = r"^(?:\[|\d{1,5}: |std(?:err|out): |(?:DEBUG|INFO|WARNING):)"
"""What every line that ``_PREFIX`` changes begins with."""
_EVALUATION: Final = r"(?i)^\W*(?:test|val|valid|validation|eval|evaluation|dev)\b[ _:\]-]"
"""Lines of an evaluation: what they call loss is no training loss."""

_NAMED: Final = r"[lL]oss|LOSS|[xX]ent:? |NCE: |nll|NLL|ppl|PPL|erplexity|bjective|\bobj\b|\b[cC]ost\b|\bbp[cb]\b|rmse|logloss|erlust|[pP]erte|[pP][eé]rd(?:id)?a|erdita|learn: |[ \[(\"'|]b?(?:ce|CE)[\"']?[=:]|[ \"_](?:mse|MSE)[\"' :=]|ross[ _-]?[eE]ntropy|(?:[aA]cc(?:uracy)?(?:@1)?|[tT]op-?1)[\x22']?[:= ]{1,2}\d|[ \t_+](?:b?ce|BCE|CE|xent|mse|mae|ctc|CTC|focal|huber|hinge)(?:[_+][A-Za-z]\w{1,9})?[=: ]{1,2}(?:\d|-?(?:nan|inf)\b)|(?:eward|eturn|elbo|ELBO|ikelihood|_rew|_rew_mean)s?[\x22']?[:= ]{1,9}-?\d"
"""Words of lines that may tell a loss, or an accuracy."""
_ACCURATE: Final = (
    r"(?i)acc(?:uracy)?[\x22']?(?:@1|[_-]?top-?1)?[\x22']?[:= ]|top-?1[\x22']?[:= ]|exactitude|genauigkeit"
)
"""Words of lines that may tell an accuracy."""
_BOX: Final = r"^\| +(?:total_timesteps|ep_rew_mean) +\| -?\d"
_ESPNET: Final = r"\b(\d{1,6})epoch(?: results: \[train\]|:train:\d{1,12}-(\d{1,12})batch:) "
_OF_A_SAVED_STATE: Final = r"(?i)^\W{0,8}(?:[\d:., TZ-]{8,40}\W{0,4})?(?:(?:info|debug)\W{1,4})?(?:resum(?:ed|ing)|restor(?:ed|ing)|continu(?:ed|ing)|load(?:ed|ing))\b.{0,120}\b(?:from|checkpoint|ckpt|state)\b"
"""What tells where a run goes on: the step and the loss in such a line are those of the run before."""
_TRAINER_S: Final = r"\{[^}]*'(?:loss|eval_loss|reward|train_runtime)'[^}]*'epoch': "
"""What Hugging Face's Trainer and its family print, where ``_hf`` reads it: the epoch stands behind what it is of."""
_BEST: Final = r"(?i)\bbest[ _](?:iteration|iter|epoch|step|round|update|ntree_limit)\W{1,4}\d{1,12}"
_NUMBERED: Final = r"(?i)\b(?:fold|split|trial|seed|stage|phase) #?\d{1,4} ?(?:/|of) ?\d{1,4}\b"
_METRICS_BELOW: Final = 12
"""Lines beside a bar or a number of a step that may hold its metrics."""

_KEYS: Final = ("node", "capture", "source", "task", "rank")
_BASE: Final = ("node", "capture", "source", "task", "stream", "rank", "rank_by", "seq", "ts_ns", "offset")
_SPEAKER: Final = (
    r"^(?:[0-9]{2}:[0-9]{2}:[0-9]{2} )?(\[pod/[^\]]{1,200}\]|[A-Za-z][0-9A-Za-z_.-]{0,62} +\| "
    r"|(?:[fF]old|FOLD|[sS]plit|[tT]rial|[sS]eed) #?[0-9]{1,4}(?:/[0-9]{1,4})?[ :,|-]"
    r"|[A-Za-z][A-Za-z_.-]{0,40}[0-9][0-9A-Za-z_.-]{0,40}: |\[[A-Za-z][0-9A-Za-z_.-]{0,30}(?:[ :=#][0-9]{1,4}(?:[.e-][0-9e-]{1,8})?)?\] )"
)
"""What pdsh, honcho, docker compose, kubectl and ``sed`` put before a line: which of several processes wrote it, or which
stage."""
_COUNTED: Final = (
    r"(?i)^\W?(?:attempt|try|run|step|iter|epoch|batch|update|round"
    r"|(?:debug|info|notice|warn|warning|error|critical|fatal)\b)"
)
"""What is counted before a line, and so changes with every line, or where the run begins anew; levels of loggers."""
STEP_COLUMNS: Final = tuple(stored_schema("fact_steps").names())


def progress(store: Store, lines: pl.DataFrame, calls: Sequence[tuple[Place, int]] = ()) -> pl.DataFrame:
    """Rows of ``fact_steps``, plus ``capture``, ``task``, ``sub``, ``speaker`` and ``back`` (the step went back).

    ``seq`` and ``attempt`` are not final yet.

    Args:
        store: The recorded tables.
        lines: Its lines that may hold progress, as ``survey`` gives them.
        calls: Where a shell says that it runs a program: what is counted below belongs to that one.
    """
    if lines.is_empty():
        return _bare(store)
    called = pl.DataFrame([(*place, seq) for place, seq in calls], schema=_CALLED, orient="row").sort("called")
    text = pl.col("text")
    lines = lines.with_columns(
        **_where(lines, r"[\x1b\x00\x08]", text=text.str.replace_all(ANSI, "")),
    )
    lines = lines.with_columns(**_where(lines, _PREFIXED, text=text.str.replace(_PREFIX, "")))
    lines = lines.with_columns(**_where(lines, _UNTABBED, text=text.str.replace(_UNTABBED, "$1\t$2")))
    if lines["text"].str.contains(_SCALED).any():
        for letter, power in (("K", "e3"), ("M", "e6"), ("G", "e9"), ("T", "e12")):
            scaled = rf"(: \d[\d.]{{0,12}}){letter}( \||$)"
            lines = lines.with_columns(pl.col("text").str.replace_all(scaled, f"${{1}}{power}$2"))
    lines = lines.filter(~pl.col("text").str.contains(_CONFIG_LINE))
    speaker = pl.col("text").str.extract(_SPEAKER)
    lines = lines.with_columns(speaker=pl.when(~speaker.str.contains(_COUNTED)).then(speaker))
    lines = _told_ranks(lines)
    bars = _bars(lines)
    parts = [
        _unrolled(pl.concat([no_steps(), part], how="diagonal"), called)
        for part in (
            _hf(lines, bars),
            _megatron(lines),
            _deepspeed(lines),
            _keras(lines),
            _lightning(lines),
            _composer(lines),
            _under_epochs(lines),
            _boosting(lines),
            _ultralytics(lines),
            _boxes(lines),
            _plain(lines),
            _apart(lines),
            table_steps(store, lines),
            _unnamed(store, lines),
            _by_tools(lines),
            _summed_up(lines),
            bars,
        )
        if not part.is_empty()
    ]
    told = pl.concat([part.select("node", "capture", "source") for part in parts]).unique() if parts else None
    if not (under := _under_heads(store, lines, told)).is_empty():
        parts.append(_unrolled(pl.concat([no_steps(), under], how="diagonal"), called))
    if not parts and not (paced := _paced(lines)).is_empty():
        parts = [_unrolled(pl.concat([no_steps(), paced], how="diagonal"))]
    if not parts:
        rows = _bare(store)
        return rows if rows.height else _unnumbered(lines)
    if not any(part.select(_TELLS).item() for part in parts):
        parts.append(_judged(store))
    return _best_of_trials(pl.concat([no_steps(), *parts], how="diagonal").sort("node", "capture", "line_seq", "sub"))


def _unnumbered(lines: pl.DataFrame) -> pl.DataFrame:
    """Losses that fall, in lines of one form, where nothing tells the number of a step: a shard and a sample, say."""
    text = pl.col("text")
    told = lines.filter(
        text.str.contains(_LOSS) & ~text.str.contains(_EVALUATION) & ~text.str.contains(_OF_A_SAVED_STATE)
    )
    told = told.with_columns(loss=_number(_LOSS), form=text.str.slice(0, 160).str.replace_all(_VALUES, "#"))
    third = pl.len() // 3
    falls = pl.col("loss").tail(third).median() < _FALLEN * pl.col("loss").head(third).median()
    own = (pl.len() >= _COUNTS) & falls.fill_null(value=False)
    told = told.sort("seq").filter(own.over("node", "capture", "source", "rank", "form"))
    return _unrolled(pl.concat([no_steps(), _select(told, Kind.STEP, UNNUMBERED, loss=pl.col("loss"))], how="diagonal"))


_VALUES: Final = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|nan|inf"
_FALLEN: Final = 0.9
_TELLS: Final = pl.any_horizontal(pl.col("loss", "eval_loss", "score", "accuracy").is_not_null()).any()


def _judged(store: Store) -> pl.DataFrame:
    """What samples or answers are judged by, of logs in which no other value says how learning went."""
    lines = judged(store)
    if lines.is_empty():
        return no_steps()
    rows = _plain(lines.with_columns(speaker=pl.lit(None, pl.String))).with_columns(framework=pl.lit("judged"))
    return _unrolled(pl.concat([no_steps(), rows], how="diagonal"))


_CALLED: Final = {"node": pl.String, "capture": pl.String, "source": pl.String, "called": pl.Int64}


def _bare(store: Store) -> pl.DataFrame:
    """Values by rarer names, or columns of numbers that nothing names, where nothing else tells of progress."""
    lines = renamed(store)
    if lines.height:
        named = learned(_plain(lines.with_columns(speaker=pl.lit(None, pl.String))))
        if named.height:
            return _unrolled(pl.concat([no_steps(), named], how="diagonal"))
    if (tried := trials(store)).height:
        tried = tried.with_columns(speaker=pl.lit(None, pl.String))
        told = {name: pl.col(name) for name in ("step", "eval_loss", "score")}
        return _unrolled(pl.concat([no_steps(), _select(tried, Kind.EPOCH, "search", **told)], how="diagonal"))
    if (counted := own_counts(store)).height:
        counted = counted.with_columns(speaker=pl.lit(None, pl.String))
        told = {name: pl.col(name) for name in ("step", "total_steps", "loss")}
        return _unrolled(pl.concat([no_steps(), _select(counted, Kind.STEP, "loop", **told)], how="diagonal"))
    if (lost := overflowed(store)).height:
        lost = lost.with_columns(speaker=pl.lit(None, pl.String))
        told = {name: pl.col(name) for name in ("step", "loss")}
        return _unrolled(pl.concat([no_steps(), _select(lost, Kind.STEP, "columns", **told)], how="diagonal"))
    rows = bare_rows(store)
    if rows.is_empty():
        return no_steps()
    rows = rows.with_columns(speaker=pl.lit(None, pl.String))
    return _unrolled(pl.concat([no_steps(), _select(rows, Kind.STEP, "columns", step=pl.col("step"))], how="diagonal"))


def _best_of_trials(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows``, of several trainings that each line names by its setting (``[lr=0.1]``) with the losses of the best only.

    What a search wants is one that learns; their losses one after the other are no curve.
    """
    place = ["node", "capture", "source"]
    last = (
        rows.filter(pl.col("speaker").str.contains(_SETTING) & pl.col("loss").is_finite())
        .group_by(*place, "speaker", maintain_order=True)
        .agg(pl.col("loss").last())
    )
    several = last.filter(pl.len().over(place) > 1)
    if several.is_empty():
        return rows
    best = several.sort("loss", "speaker").unique(place, keep="first").select(*place, best="speaker")
    joined = rows.join(best, on=place, how="left", nulls_equal=True, maintain_order="left")
    other = pl.col("speaker").str.contains(_SETTING) & (pl.col("speaker") != pl.col("best"))
    return joined.with_columns(loss=pl.when(~other.fill_null(value=False)).then("loss")).drop("best")


_SETTING: Final = (
    r"^\[(?:lr|wd|bs|seed|dim|width|depth|alpha|beta|gamma|tau|eps|dropout|momentum|optim(?:izer)?|hidden|layers|heads"
    r"|[A-Za-z_.-]{1,20}[_-](?:rate|decay|size|dim|seed|layers|heads))="
)
"""A setting of a trial; what names a process is no such word."""


def _told_ranks(lines: pl.DataFrame) -> pl.DataFrame:
    """``lines`` with the rank that a field of theirs names, where nothing else tells it.

    A field of that name may mean anything else (LoRA has one too): it is whose line it is where the values count from 0
    without a gap, and several of them report the same steps.
    """
    untold = pl.col("rank").is_null()
    if not lines.select((untold & pl.col("text").str.contains(_RANK_GATE)).any()).item():
        return lines
    groups = pl.col("text").str.extract_groups(_RANK).struct
    told = pl.coalesce(groups.field("1"), groups.field("2"), groups.field("3")).cast(pl.Int64, strict=False)
    lines = lines.with_columns(teller=pl.when(untold).then(told))
    seen = lines.filter(pl.col("teller").is_not_null()).select("teller", step=_integer(_STEP)).drop_nulls()
    ranks, steps = seen["teller"].unique(), seen["step"].n_unique()
    whole = len(ranks) > 1 and ranks.min() == 0 and ranks.max() == len(ranks) - 1
    if not whole or seen.unique().height < _SHARED * steps:
        return lines.drop("teller")
    rank_by = pl.when(pl.col("teller").is_not_null()).then(pl.lit("text")).otherwise("rank_by")
    return lines.with_columns(rank=pl.coalesce("rank", "teller"), rank_by=rank_by).drop("teller")


_RANK_GATE: Final = r"(?i)rank|^\[?r\d|^\W?(?:worker|trainer|proc|replica|device|gpu)"
_RANK: Final = r"""(?i)(?:^|[\s,;|{\[(])["']?(?:global[_ ]?)?rank["']?\s{0,2}[:=]?\s{0,2}["']?(\d{1,5})\b|^\[?r(\d{1,5})\]?\s?[|:\]]|^\W?(?:worker|trainer|proc(?:ess)?|replica|device|gpu)[ _:#=-]{0,2}(\d{1,5})\b"""
_SHARED: Final = 1.5
"""How many ranks report a step, at the least, in the mean."""


@cache
def no_steps() -> pl.DataFrame:
    """What ``progress`` gives of a store without any."""
    schema = {name: dtype for name, dtype in stored_schema("fact_steps").items() if name not in {"seq", "attempt"}}
    extra = {"capture": pl.String, "speaker": pl.String, "task": pl.Int64, "sub": pl.Int64, "back": pl.Boolean}
    extra["nan_part"] = pl.Boolean
    return pl.DataFrame(schema={**schema, **extra})


def _select(frame: pl.DataFrame, kind: Kind, framework: str, **columns: pl.Expr) -> pl.DataFrame:
    if frame.is_empty():  # as for most readers of most logs: a dozen patterns need not be made ready for nothing
        return no_steps()
    values = {"sub": pl.lit(0, pl.Int64), **columns}
    return frame.select(
        *(name for name in _BASE if name not in {"seq", "stream"}),
        "speaker",
        pl.col("seq").alias("line_seq"),
        pl.lit(str(kind)).alias("kind"),
        pl.lit(framework).alias("framework"),
        **values,
    )


@cache
def _number(regex: str, group: int = 1) -> pl.Expr:
    """The number a regex finds; NaN and infinity kept, thousands separators dropped."""
    return _parsed(pl.col("text").str.extract(regex, group))


def _parsed(number: pl.Expr) -> pl.Expr:
    return number.str.replace_all("[,_]", "").cast(pl.Float64, strict=False)


@cache
def _first(regex: str, groups: int) -> pl.Expr:
    """The number of whichever group took part."""
    found = pl.col("text").str.extract_groups(regex).struct
    return _parsed(pl.coalesce(*(found.field(str(group)) for group in range(1, groups + 1))))


def _where(rows: pl.DataFrame, words: str, **columns: pl.Expr) -> dict[str, pl.Expr]:
    """``columns``, where any row holds one of ``words``: what nobody prints need not be looked for twice."""
    return columns if rows["text"].str.contains(words).any() else {}


def _accuracy(rows: pl.DataFrame) -> dict[str, pl.Expr]:
    """What share of answers was right, where rows tell; in per cent where any of a source is above 1."""
    told = _parsed(pl.col("text").str.extract(_ACCURACY).str.strip_chars(" %"))
    parts = pl.when((told > 1).any().over("node", "capture", "source")).then(100.0).otherwise(1.0)
    return _where(rows, _ACCURATE, accuracy=told / parts)


@cache
def _integer(regex: str, group: int = 1) -> pl.Expr:
    return pl.col("text").str.extract(regex, group).cast(pl.Int64, strict=False)


# --- frameworks ----------------------------------------------------------------------------------------------------


def _hf(lines: pl.DataFrame, bars: pl.DataFrame) -> pl.DataFrame:
    """HF Trainer and its family: dict lines without a step; the bar beside the line gives it."""
    rows = lines.filter(
        pl.col("text").str.contains(r"\{'[^}]*'epoch': ") & ~pl.col("text").str.contains("'train_runtime'")
    )

    def value(key: str) -> pl.Expr:
        return _number(rf"'{key}': '?{_NUM}")

    rows = rows.with_columns(loss=value("loss"), eval_loss=value("eval_loss"), grad=value("grad_norm"))
    rows = rows.filter(
        pl.any_horizontal(pl.col("loss", "eval_loss").is_not_null()) | pl.col("text").str.contains("'reward'")
    )
    # With the NaN filter on, the Trainer prints loss 0 beside a NaN gradient: the loss was NaN.
    hidden = (pl.col("loss") == 0) & pl.col("grad").is_nan().fill_null(value=False)
    found = _select(
        rows,
        Kind.STEP,
        "huggingface",
        epoch=value("epoch"),
        loss=pl.when(hidden).then(float("nan")).otherwise(pl.col("loss")),
        eval_loss=pl.col("eval_loss"),
        score=value("reward"),
        grad_norm=pl.col("grad"),
        lr=value("learning_rate"),
        tokens_per_s=value("train_tokens_per_second"),
        step_time_s=value("step_time"),
        step=_integer(r"(\d{1,12})/\d{1,12} \[[^\]]*\]\s*\{'"),
        total_steps=_integer(r"\d{1,12}/(\d{1,12}) \[[^\]]*\]\s*\{'"),
    ).with_columns(
        kind=pl.when(pl.col("loss").is_null() & pl.col("eval_loss").is_not_null())
        .then(pl.lit(str(Kind.VALIDATION)))
        .otherwise("kind")
    )
    if bars.is_empty():
        return _with_summary(lines, found)
    if found.is_empty():
        return found
    states = bars.select(
        "node", "capture", "source", "line_seq", bar_seq="line_seq", bar_step="step", bar_total="total_steps"
    )
    near = found.sort("line_seq").join_asof(
        states.sort("line_seq"),
        on="line_seq",
        by=["node", "capture", "source"],
        strategy="backward",
        check_sortedness=False,
    )
    close = pl.col("line_seq") - pl.col("bar_seq") <= 2
    near = near.with_columns(
        step=pl.coalesce("step", pl.when(close).then("bar_step")),
        total_steps=pl.coalesce("total_steps", pl.when(close).then("bar_total")),
    ).drop("bar_seq", "bar_step", "bar_total")
    # Buffered output comes in lumps: lines of different epochs beside one bar state do not belong to it.
    lump = pl.col("epoch").n_unique().over("node", "capture", "source", "step") > 1
    return near.with_columns(step=pl.when(~lump).then("step"))


def _with_summary(lines: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """``found``, and how many steps the final summary tells of, where no line tells a step.

    It gives the time, and the planned steps a second (transformers/trainer_utils.py, speed_metrics), both rounded: their
    product is the number of steps where the rounding leaves no other.
    """
    summary = r"'train_runtime': '?([\d.]+)'?,.*'train_steps_per_second': '?([\d.]+)"
    told = lines.filter(pl.col("text").str.contains(summary))
    if told.is_empty() or found["step"].is_not_null().any():
        return found
    seconds, rate = _number(summary), _number(summary, 2)
    slack = (_rounding(summary, 1) * rate + _rounding(summary, 2) * seconds) * _BOTH
    steps = (seconds * rate).round()
    exact = (slack < 1 / 2) & ((seconds * rate - steps).abs() <= slack) & (steps >= 1)
    told = told.filter(exact)
    count = steps.cast(pl.Int64)
    ends = _select(told, Kind.STEP, "huggingface", step=count, total_steps=count)
    return pl.concat([found, ends], how="diagonal") if told.height else found


_BOTH: Final = 1.01
"""A little more than the roundings of two factors make the product differ by."""


def _rounding(regex: str, group: int) -> pl.Expr:
    """Half of the last digit that is printed of a number."""
    digits = pl.col("text").str.extract(regex, group).str.extract(r"\.(\d*)$").str.len_chars().fill_null(0)
    return 0.5 / pl.lit(10.0).pow(digits.cast(pl.Float64))


def _megatron(lines: pl.DataFrame) -> pl.DataFrame:
    """Megatron-LM: the field ``lm loss`` is left out when it is NaN, unless the iterations were skipped."""
    shape = r"iteration +(\d+)/ *(\d+) \|"
    rows = lines.filter(pl.col("text").str.contains(_MEGATRON))
    skipped = _integer(r"number of skipped iterations: +(\d+)").fill_null(0)
    loss = _number(rf"lm[ _]loss: {_NUM}")
    lost = loss.is_null() & (skipped == 0) & pl.col("text").str.contains("number of nan iterations")
    return _select(
        rows,
        Kind.STEP,
        "megatron",
        step=_integer(shape),
        total_steps=_integer(shape, 2),
        loss=pl.when(lost).then(float("nan")).otherwise(loss),
        grad_norm=_number(rf"grad norm: {_NUM}"),
        lr=_number(rf"learning rate: {_NUM}"),
        loss_scale=_number(rf"loss scale: {_NUM}"),
        step_time_s=_number(r"elapsed time per iteration \(ms\): ([\d.]+)") / 1000,
    )


def _deepspeed(lines: pl.DataFrame) -> pl.DataFrame:
    """DeepSpeed at INFO: steps and rates; it prints no loss itself."""
    shape = r"\bstep=(\d+), skipped=|/global_step=(\d+), "
    rows = lines.filter(pl.col("text").str.contains(shape))
    return _select(
        rows,
        Kind.STEP,
        "deepspeed",
        step=pl.coalesce(_integer(shape, 1), _integer(shape, 2)),
        lr=_number(rf"lr=\[{_NUM}"),
        samples_per_s=_number(r"CurrSamplesPerSec=([\d.]+)"),
    )


def _keras(lines: pl.DataFrame) -> pl.DataFrame:
    """Keras: ``Epoch k/n`` on a line of its own, then batches and metrics of that epoch."""
    head = r"^Epoch (\d+)/(\d+)\s*$"
    shape = r"(\d+)/(\d+) .*?- loss: "
    rows = lines.filter(pl.col("text").str.contains(f"{head}|{shape}")).with_columns(
        epoch_now=_integer(head).forward_fill().over("node", "capture", "source"),
        epochs=_integer(head, 2).forward_fill().over("node", "capture", "source"),
    )
    rows = rows.filter(pl.col("text").str.contains(shape) & pl.col("epoch_now").is_not_null())
    # A bar's states of one epoch overwrite each other: the last one holds the epoch's values.
    rows = rows.filter(
        (pl.col("epoch_now") != pl.col("epoch_now").shift(-1).over("node", "capture", "source")).fill_null(value=True)
    )
    return _select(
        rows,
        Kind.EPOCH,
        "keras",
        epoch=pl.col("epoch_now").cast(pl.Float64),
        step=pl.col("epoch_now") * _integer(shape, 2),
        total_steps=pl.col("epochs") * _integer(shape, 2),
        loss=_number(rf"- loss: {_NUM}(?:[^\x08]*)$"),
        **_accuracy(rows),
        eval_loss=_number(rf"- val_loss: {_NUM}"),
        lr=_number(rf"- learning_rate: {_NUM}"),
        step_time_s=pl.coalesce(
            _number(r" ([\d.]+)ms/step") / 1000, _number(r" ([\d.]+)us/step") / 1e6, _number(r" ([\d.]+)s/step")
        ),
    )


def _lightning(lines: pl.DataFrame) -> pl.DataFrame:
    """Lightning's rich bar: epochs count from 0, and metrics that find no room stand on the lines below it."""
    shape = r"^Epoch (\d{1,9})/(-?\d{1,9}) +[━╸╺ ]+ (\d{1,12})/(\d{1,12}) \d+:\d\d:\d\d • \S+ ([\d.]+)(it/s|s/it)?"
    below = r"^ {20,}\S+: \S+ *$"
    rows = lines.filter(pl.col("text").str.contains(f"{shape}|{below}")).with_columns(
        bar=pl.when(pl.col("text").str.contains(shape)).then("seq").forward_fill().over("node", "capture", "source"),
    )
    rows = rows.filter(pl.col("seq") - pl.col("bar") <= _METRICS_BELOW)
    said = rows.group_by("node", "capture", "source", "bar").agg(
        loss=_number(_LOSS).drop_nulls().first(), eval_loss=_number(_EVAL_LOSS).drop_nulls().first()
    )
    bars = rows.filter(pl.col("seq") == pl.col("bar")).join(
        said, on=["node", "capture", "source", "bar"], how="left", nulls_equal=True
    )
    epochs = _integer(shape, 2) + 1
    rate = _number(shape, 5)
    return _select(
        bars,
        Kind.STEP,
        "lightning",
        epoch=_integer(shape).cast(pl.Float64),
        step=_integer(shape) * _integer(shape, 4) + _integer(shape, 3),
        total_steps=pl.when(epochs > 0).then(epochs * _integer(shape, 4)),
        loss=pl.col("loss"),
        eval_loss=pl.col("eval_loss"),
        step_time_s=pl.when(rate > 0).then(
            pl.when(pl.col("text").str.contains(r"\ds/it")).then(rate).otherwise(1 / rate)
        ),
    )


def _composer(lines: pl.DataFrame) -> pl.DataFrame:
    """Composer's and OLMo's consoles: the step on a line of its own, and each metric on one below it."""
    head = r"(?:^(?:\[epoch=\d{1,9}(?:/\d{1,9})?\])?\[batch=|\[step=)(\d{1,12})/(\d{1,12})(?:,[^\]]{0,80})?\]:?\s*$"
    loss = rf"^\s+(?:Train loss/train/total: |train/(?:CrossEntropyLoss|CE loss)=){_NUM}"
    rows = lines.filter(pl.col("text").str.contains(f"{head}|{loss}")).with_columns(
        step=_integer(head).forward_fill().over("node", "capture", "source"),
        total=_integer(head, 2).forward_fill().over("node", "capture", "source"),
    )
    rows = rows.filter(pl.col("text").str.contains(loss) & pl.col("step").is_not_null())
    return _select(rows, Kind.STEP, "composer", step=pl.col("step"), total_steps=pl.col("total"), loss=_number(loss))


def _under_epochs(lines: pl.DataFrame) -> pl.DataFrame:
    """The epoch on a line of its own, and each of its losses on one below it: nnU-Net, Lasagne, PyTorch's tutorials."""
    if not lines["text"].str.contains(_UNDER).any():
        return no_steps()
    rows = lines.filter(pl.col("text").str.contains(f"{_HEAD}|{_UNDER}|{_SHARES}"))
    place = ["node", "capture", "source"]
    rows = rows.with_columns(epoch=_integer(_HEAD), epochs=_integer(_HEAD, 2)).with_columns(
        pl.col("epoch").forward_fill().over(place),
        epochs=pl.when(pl.col("epoch").is_not_null()).then("epochs").forward_fill().over(place),
    )
    rows = rows.filter(pl.col("text").str.contains(f"{_UNDER}|{_SHARES}") & pl.col("epoch").is_not_null())
    shares = pl.col("text").str.extract(_SHARES).str.extract_all(r"[01]\.\d+").cast(pl.List(pl.Float64)).list.mean()
    validates = pl.col("text").str.contains(r"(?i)val")
    loss = _number(_UNDER)
    found = _select(
        rows,
        Kind.EPOCH,
        "loop",
        step=pl.col("epoch"),
        total_steps=pl.col("epochs"),
        epoch=pl.col("epoch").cast(pl.Float64),
        total_epochs=pl.col("epochs"),
        loss=pl.when(~validates).then(loss),
        eval_loss=pl.when(validates).then(loss),
        **(_accuracy(rows) or {"accuracy": shares}),
    )
    kind = pl.when(pl.col("loss").is_null()).then(pl.lit(str(Kind.VALIDATION))).otherwise("kind")
    return found.with_columns(kind=kind)


_ALONE: Final = r"(?:^|^[\d: .,T-]{8,40}: )"
"""What a line begins with that tells one thing: nothing, or a clock."""
_HEAD: Final = rf"{_ALONE}Epoch:? (\d{{1,6}})(?: ?(?:/|of) ?(\d{{1,6}}))?(?: took \d[\d.]{{0,12}} ?s)?:?\s*$"
_UNDER: Final = (
    rf"{_ALONE}\s{{0,8}}(?:(?i:train(?:ing)?|tr|val(?:idation)?)[_ ](?i:loss))[:=]?\s+{_NUM}"
    r"(?:[\s,;|]+(?i:acc(?:uracy)?)[:=]?\s+(?:nan|\d[\d.]{0,12}) ?%?)?\s*$"
)
_SHARES: Final = (
    rf"{_ALONE}\s{{0,8}}(?:[A-Za-z]{{1,16}} )?(?i:dice|iou)(?i:[ _]score)?[:=]?\s+"
    r"(\[?(?:(?:np\.float\d\d\()?[01]\.\d{1,18}[\s,)]{0,3}){1,64}\]?)\s*$"
)
"""Shares of what there is to find, one or a list of them."""


def _boosting(lines: pl.DataFrame) -> pl.DataFrame:
    """Rounds of XGBoost, LightGBM, CatBoost and scikit-learn: a number, then metrics of each set by its name.

    Where no set is that of training, as LightGBM prints them by default, the metric of the first one is the loss that
    is told. A metric that grows when things go well (auc, map) is none.
    """
    rows = lines.filter(pl.col("text").str.contains(f"{_ROUND}|{_TREES}"))
    trained = _number(rf"\t(?i:train(?:ing)?|learn)(?:{_FALLS_OF}){_NUM}")
    tested = _number(rf"\t(?i:(?:e?val|valid|validation|test)\w*|cv_agg)(?:{_FALLS_OF}){_NUM}")
    rows = rows.with_columns(
        # Of sets by other names the first is the one that is learned from, as a rule.
        loss=pl.coalesce(
            trained, _number(rf"train loss: {_NUM}"), tested, _number(rf"\t[\w .]{{1,40}}?{_FALLS}{_NUM}")
        ),
        tested=pl.coalesce(tested, _number(rf"val loss: {_NUM}")),
        trees=_integer(_TREES),
    ).filter(pl.any_horizontal(pl.col("loss", "tested", "trees").is_not_null()))
    # XGBoost and CatBoost print their last round whatever the interval of their reports.
    place = ["node", "capture", "source"]
    number = pl.coalesce(_first(_ROUND, 2).cast(pl.Int64, strict=False), "trees")
    rows = rows.with_columns(number=number).with_columns(apart=pl.col("number").diff().over(place))
    last = (pl.col("seq") == pl.col("seq").max().over(place)) & pl.col("text").str.contains(_PRINTS_ITS_LAST)
    last &= (pl.col("apart") > 0) & (pl.col("apart") < pl.col("apart").median().over(place))
    # CatBoost does not say which metric it prints: one that rises and never leaves 1 behind is a share of right ones.
    share = (pl.col("loss").max().over(place) <= 1) & (pl.col("loss").last() > pl.col("loss").first()).over(place)
    nameless = pl.col("text").str.contains("\tlearn: ", literal=True)
    return _select(
        rows,
        Kind.STEP,
        "boosting",
        step=pl.col("number"),
        total_steps=pl.coalesce(_integer(_TREES, 2), pl.when(last).then("number")),
        loss=pl.when(~(nameless & share)).then("loss"),
        eval_loss=pl.col("tested"),
    )


def _ultralytics(lines: pl.DataFrame) -> pl.DataFrame:
    """YOLO's rows: the epoch and all of them, GPU memory, the parts of the loss, instances and size, then a bar."""
    rows = lines.filter(pl.col("text").str.contains(_YOLO) & pl.col("text").str.contains(r": +100%"))
    if rows.is_empty():
        return no_steps()
    parts = _number(_YOLO, 3)
    lost = pl.col("text").str.extract(_YOLO, 0).str.contains("(?i)nan")
    return _select(
        rows,
        Kind.EPOCH,
        "ultralytics",
        step=_integer(_YOLO),
        total_steps=_integer(_YOLO, 2),
        epoch=_number(_YOLO),
        total_epochs=_integer(_YOLO, 2),
        loss=pl.when(lost).then(float("nan")).otherwise(parts),
    )


_YOLO: Final = (
    r"^\s*(\d{1,6})/(\d{1,6}) +[\d.]+[GM]?B? +(nan|inf|\d{1,6}\.\d{1,8})"
    r"(?: +(?:nan|inf|\d{1,6}\.\d{1,8})){0,7} +\d{1,6} +\d{2,5}: "
)
"""An epoch of YOLO's."""


def _boxes(lines: pl.DataFrame) -> pl.DataFrame:
    """Stable-Baselines3's boxes: a name and a number a line; the mean reward stands above the count of time steps."""
    rows = lines.filter(pl.col("text").str.contains(_BOX)).with_columns(
        step=_integer(r"\| +total_timesteps +\| (\d{1,12}) "), score=_number(rf"\| +ep_rew_mean +\| {_NUM} ")
    )
    place = ["node", "capture", "source"]
    above = pl.col("score").shift().over(place)
    near = (pl.col("seq") - pl.col("seq").shift().over(place)) <= _METRICS_BELOW
    rows = rows.with_columns(score=pl.when(near).then(above)).filter(pl.col("step").is_not_null())
    return _select(rows, Kind.STEP, "sb3", step=pl.col("step"), score=pl.col("score"))


def _plain(lines: pl.DataFrame) -> pl.DataFrame:
    """Anybody's loop: a step or batch number beside a loss; also NeMo, torchtitan, nanoGPT, fairseq, JSON lines."""
    rows = lines.filter(
        pl.col("text").str.contains(_NAMED)
        & ~pl.col("text").str.contains(
            rf"{_ROUND}|{_TRAINER_S}|{_MEGATRON}|\d(?:it)? \[\d+:\d\d|s/step - loss: |^\s*\d+/\d+ .*- loss: "
        )
    )
    rows = rows.filter(~pl.col("text").str.contains(_OF_A_SAVED_STATE))
    # A history in one line tells several reports, and which is the last it does not say.
    rows = rows.filter(pl.col("text").str.count_matches(r""""(?:epoch|step)": ?\d""") <= 1)
    rows = rows.with_columns(pl.col("text").str.slice(0, 4096))
    if rows["text"].str.contains(_COMMAS).any():
        rows = rows.with_columns(pl.col("text").str.replace_all(r"(\d),(\d)", "$1.$2"))
    # Which one was the best is no count of where it stands.
    rows = rows.with_columns(**_where(rows, _BEST, text=pl.col("text").str.replace(_BEST, " ")))
    for count in (_THOUSANDS, _OF_THOUSANDS):
        rows = rows.with_columns(**_where(rows, count, text=pl.col("text").str.replace(count, "$1$2$3")))
    evaluation = pl.col("text").str.contains(_EVALUATION)
    validated = _where(rows, r"(?i)val|test|dev", validated=_number(_EVAL_LOSS))
    # A policy is told by its reward alone; what an evaluation says of it is no report of training.
    scored = _where(rows, r"(?i)rew|return|elbo|likelihood", score=pl.when(~evaluation).then(_number(_SCORE)))
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
    rows = rows.with_columns(text=pl.when("plays").then(pl.col("text").str.replace_all(_GAME, " ")).otherwise("text"))
    # The loss of an evaluation is none of training, wherever in the line it stands.
    own = rows.with_columns(text=pl.col("text").str.replace_all(_EVAL_LOSS, " ")) if validated else rows
    told = [
        _number(_LOSS),
        *_where(
            own,
            "(?i)nll|ppl|perplexity|obj|cost|bp[cb]|rmse|logloss|verlust|perte|p[ée]rd|learn|xent|nce:",
            other=_number(_OTHER),
        ).values(),
        *_where(own, "(?i)ce|cross|mse|mae|xent|ctc|focal|huber|hinge", criterion=_number(_CRITERION)).values(),
        *_where(own, " avg loss, ", smoothed=_number(_DARKNET, 2)).values(),
    ]
    said = own.select(said=pl.coalesce(*told))["said"]
    rows = rows.with_columns(said=said, evaluated=evaluation, **(validated or {"validated": pl.lit(None)}))
    rows = rows.with_columns(
        loss=pl.when(~pl.col("evaluated")).then(pl.coalesce("said", pl.when("gone").then(float("nan")))),
        eval_loss=pl.coalesce("validated", pl.when("evaluated").then("said")),
        counted=pl.col("text").str.extract_groups(_STEP),
        **(_accuracy(rows) or {"accuracy": pl.lit(None, pl.Float64)}),
        **(scored or {"score": pl.lit(None, pl.Float64)}),
    )
    rows = rows.with_columns(**_where(rows, _TASK, accuracy=pl.when(~_of_tasks_in_turn()).then("accuracy")))
    rows = rows.filter(
        pl.any_horizontal(pl.col("loss", "eval_loss", "accuracy", "score").is_not_null()) | pl.col("plays")
    )
    counted = pl.col("counted").struct
    # Which of several trainings it is, is no count of this one.
    whole_line = pl.col("text").str.replace(_NUMBERED, " ")
    inside = whole_line.str.replace(_EPOCHS, " ")
    rows = rows.with_columns(
        named=counted.field("1").cast(pl.Int64, strict=False),
        named_total=counted.field("2").cast(pl.Int64, strict=False),
        lone=None,
        part=None,
        part_total=None,
        plan=None,
        bracket=None,
        bracket_total=None,
        batch=None,
        batch_total=None,
        epoch=None,
        total_epochs=pl.lit(None, pl.Int64),
        global_step=None,
    ).with_columns(
        **_where(
            rows,
            r"\]",
            bracket=pl.coalesce(_integer(_TWO_BRACKETS, 3), _integer(_BRACKET)),
            bracket_total=pl.coalesce(_integer(_TWO_BRACKETS, 4), _integer(_BRACKET, 2)),
        ),
        **_where(
            rows,
            r"(?i)batch|idx|(?-u:\b)i(?-u:\b)",
            batch=pl.coalesce(_integer(_BATCH), _integer(_ESPNET, 2)),
            batch_total=_integer(_BATCH, 2),
        ),
        **_where(
            rows,
            r"^\[|\] \[|^\s*\d+: ?|:\d\d\S* \[\d",
            lone=pl.coalesce(_first(_LONE, 2).cast(pl.Int64, strict=False), _integer(_DARKNET)),
        ),
        # Behind "Epoch 2/3" another fraction counts within it.
        **_where(
            rows,
            r"\d ?/ ?\d",
            **{
                name: pl.coalesce(inside.str.extract(_FRACTION, group), whole_line.str.extract(_FRACTION, group)).cast(
                    pl.Int64, strict=False
                )
                for name, group in (("part", 1), ("part_total", 2))
            },
        ),
        **_where(rows, "(?i)total|max", plan=_integer(_PLAN)),
        **_where(
            rows,
            r"(?i)ep|[ée]po|rain:? \d+ \[|\]\s?\[",
            epoch=pl.coalesce(_number(_EPOCH), _number(_ESPNET), _number(_TRAIN_EPOCH), _number(_TWO_BRACKETS)),
        ),
        **_where(rows, "(?i)global", global_step=_integer(r"(?i)global[_ ]?step[\"']?\s*[:=]\s*(\d{1,12})")),
    )
    rows = _epoch_and_batch(rows)
    # Of a whole, or a date or a path.
    rows = rows.with_columns(pl.when(pl.col("part") <= pl.col("part_total")).then(pl.col("part", "part_total")))
    rows = rows.with_columns(
        step=pl.coalesce("global_step", "named", "bracket", "batch", "lone", "part"),
        total_steps=pl.when(pl.col("global_step").is_not_null())
        .then(None)
        .when(pl.col("named").is_not_null())
        .then("named_total")
        .when(pl.col("bracket").is_not_null())
        .then("bracket_total")
        .when(pl.col("batch").is_not_null())
        .then("batch_total")
        .when(pl.col("lone").is_null())
        .then("part_total"),
    ).with_columns(total_steps=pl.coalesce("total_steps", "plan"))
    rows = _counted_by_a_word(rows)
    # "Epoch 2/3" alone counts epochs: what else counts stands apart from them.
    rows = rows.with_columns(
        **_where(
            rows,
            rf"{_EPOCHS}|{_TWO_BRACKETS}",
            step=pl.when(~_only_epochs()).then("step"),
            total_epochs=pl.coalesce(_integer(_EPOCHS), _integer(_TWO_BRACKETS, 2)),
        )
    )
    whole = pl.col("step").is_null() & pl.col("epoch").is_not_null()
    rows = rows.filter(pl.col("step").is_not_null() | whole)
    rows, times = _times(rows)
    found = _select(
        rows,
        Kind.STEP,
        "loop",
        step=pl.when(whole).then(pl.col("epoch").cast(pl.Int64, strict=False)).otherwise("step"),
        total_steps=pl.when(whole).then("total_epochs").otherwise("total_steps"),
        epoch=pl.col("epoch"),
        total_epochs=pl.col("total_epochs"),
        loss=pl.col("loss"),
        eval_loss=pl.col("eval_loss"),
        accuracy=pl.col("accuracy"),
        nan_part=pl.col("nan_part"),
        score=pl.col("score"),
        **_where(rows, "(?i)norm", grad_norm=_number(_GRAD)),
        **_where(rows, "(?i)lr|rate", lr=_number(_LR)),
        **_where(rows, "(?i)scale", loss_scale=_number(_SCALE)),
        **times,
        **_where(rows, "(?i)samples?|throughput|examples|im(?:age|g)", samples_per_s=_first(_SAMPLES, 2)),
        **_where(rows, "(?i)tok|tps", tokens_per_s=_first(_TOKENS, 2)),
        **_where(rows, "(?i)mfu", mfu=_number(_MFU) / 100),
    )
    kind = (
        pl.when(pl.col("loss").is_null() & pl.col("score").is_null() & ~pl.col("plays"))
        .then(pl.lit(str(Kind.VALIDATION)))
        .when(pl.col("whole"))
        .then(pl.lit(str(Kind.EPOCH)))
        .otherwise("kind")
    )
    found = found.with_columns(rows.select(whole.alias("whole"), "plays")).with_columns(kind=kind)
    found = found.drop("whole", "plays")
    # Numbers that are aligned leave more blanks or less.
    bare = rows["text"].str.slice(0, 160).str.replace_all(r"[\d.]+(?:e[+-]\d+)?|nan|inf", "").str.replace_all(" +", " ")
    found = _without_strays(found.with_columns(form=bare))
    # Where an epoch is told more than once, its last one may have just begun.
    once = (pl.len() == pl.col("step").n_unique()).over(*_KEYS, "kind")
    found = found.with_columns(total_steps=pl.when((pl.col("kind") != str(Kind.EPOCH)) | once).then("total_steps"))
    # A number that never moves is no step: three lines or more of one series must show two values.
    moving = (pl.col("step").n_unique() > 1) | (pl.len() < 3)
    found = found.filter(moving.over(*_KEYS, "kind"))
    # One that begins anew after every line or two, and comes no farther, counts within something untold.
    series = [*_KEYS, "kind"]
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


_TASK: Final = r"^\s{0,8}([A-Za-z][A-Za-z_.-]{1,40}):? {1,8}\d{1,9} ?/ ?\d{1,9}\b"
_TASKS: Final = 3


def _of_tasks_in_turn() -> pl.Expr:
    """Whether lines name one thing after the other that is counted through, as a benchmark's tasks: no curve."""
    task = pl.col("text").str.extract(_TASK)
    turns = (task != task.shift()).fill_null(value=True).sum()
    tasks = task.drop_nulls().n_unique()
    return ((tasks >= _TASKS) & (turns == tasks) & (task.null_count() == 0)).over(_KEYS)


def _epoch_and_batch(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` whose ``Batch 3/1200`` is batch 1200 of epoch 3: what stands behind the stroke moves, and is no total."""
    if rows["batch_total"].dtype == pl.Null:
        return rows
    behind, before = pl.col("batch_total").n_unique(), pl.col("batch").n_unique()
    swapped = ((behind >= _COUNTS) & (behind > 2 * before)).over(*_KEYS)
    return rows.with_columns(
        epoch=pl.when(swapped).then(pl.coalesce("epoch", pl.col("batch").cast(pl.Float64))).otherwise("epoch"),
        batch=pl.when(swapped).then("batch_total").otherwise("batch"),
        batch_total=pl.when(~swapped).then("batch_total"),
        part=pl.when(~swapped).then("part"),
    )


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
    many = (pl.len() >= _COUNTS) & ((pl.len() >= 2 * _COUNTS) | (apart.min() > 1))
    counts = pl.col("word").is_not_null() & many & (apart.min() > 0)
    counted = counts.over(*_KEYS, "word")
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
    planned = _integer(_EPOCHS)
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
    main = shares.filter(pl.col("rises") & (pl.col("lines") >= _COUNTS) & often)
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


_COUNTS: Final = 10
_MOST: Final = 0.6


def _times(rows: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Expr]]:
    """Seconds a step and of its parts, in whichever unit the loop prints them, where rows tell; rows they are of."""
    espnet = rows["text"].str.contains(_ESPNET)
    if espnet.any():
        rows = rows.with_columns(text=pl.when(espnet).then(_plainly_timed()).otherwise("text"))
    told = {
        **_where(rows, "(?i)ms", ms=_first(_MS, 4) / 1000),
        **_where(rows, r"(?i)tim(?:e|ing)|[^m]s(?:/| per )(?:step|it|update|batch)|seconds: ", s=_first(_S, 4)),
    }
    step = pl.coalesce(*told.values()) if told else pl.lit(None, pl.Float64)
    waited = pl.lit(None, pl.Float64)
    if rows["text"].str.contains(r"(?i)data|reader|fetch|load|wait|\bdt").any():
        waited, rest = _seconds(pl.col("text"), _DATA_TIMER), pl.col("text").str.replace(_DATA_TIMER, " ")
        waited = pl.coalesce(waited, _seconds(pl.col("text"), _DATA_BEHIND))
        whole = pl.coalesce(_seconds(rest, _WHOLE_TIMER), step)
        # What is no part of the step is another number by a name like it.
        part = (waited <= whole * _ROUNDED).fill_null(value=False)
        waited, step = pl.when(part).then(waited), pl.coalesce(pl.when(part).then(whole), step)
    if rows["text"].str.contains(_DATA_SHARE).any():
        share = _number(_DATA_SHARE) / 100
        waited = pl.coalesce(waited, pl.when(share <= 1).then(share * step))
    if not rows["text"].str.contains(WORDS).any():
        return rows, {STEP: step, DATA: waited}
    read = loop_clocks(rows["text"]).rename(lambda name: f"clock.{name}")
    rows = rows.with_columns(read)
    by_name = {name: pl.col(f"clock.{name}") for name in CLOCKS}
    waited = pl.when(pl.lit(espnet)).then(by_name[DATA]).otherwise(waited) if espnet.any() else waited
    # Where nothing tells the whole, its parts make it up.
    waited = pl.coalesce(waited, by_name[DATA])
    return rows, agreed(by_name | {STEP: pl.coalesce(step, by_name[STEP]), DATA: waited})


def _plainly_timed() -> pl.Expr:
    """A report of ESPnet with the names that others give its clocks (espnet2/train/trainer.py).

    Its ``iter_time`` is what the loop waited for its batch; ``train_time`` is of an update, which may be of several.
    """
    text = pl.col("text").str.replace("iter_time=", "data_time=", literal=True)
    text = text.str.replace("optim_step_time=", "optim_time=", literal=True)
    return text.str.replace(r", train_time=[\d.e+-]+", "")


_ROUNDED: Final = 1.01
"""A step that is all waiting may round to less than its wait."""


def _seconds(text: pl.Expr, timer: str) -> pl.Expr:
    """What a timer reads, in seconds."""
    found = text.str.extract_groups(timer).struct
    unit = pl.coalesce(found.field("2"), found.field("4")).str.to_lowercase()
    return _parsed(pl.coalesce(found.field("1"), found.field("3"))) / pl.when(unit == "ms").then(1000.0).otherwise(1.0)


def _apart(lines: pl.DataFrame) -> pl.DataFrame:
    """Clocks of a step on lines of their own."""
    if not lines["text"].str.contains(APART).any():
        return no_steps()
    read = apart_clocks(lines)
    rows = lines.join(
        read, left_on=["node", "capture", "source", "seq"], right_on=["node", "capture", "source", "line_seq"]
    )
    return _select(rows, Kind.STEP, "timers", **{name: pl.col(name) for name in CLOCKS if name in rows.columns})


def _summed_up(lines: pl.DataFrame) -> pl.DataFrame:
    """How far a program says that it came, and of how many steps: ``learned for 15360 of 15000 timesteps``."""
    rows = lines.filter(pl.col("text").str.contains(_CAME_TO))
    return _select(rows, Kind.STEP, "loop", step=_integer(_CAME_TO), total_steps=_integer(_CAME_TO, 2))


_CAME_TO: Final = (
    r"(?i)\b(?:learn(?:ed|t)|trained|finished|completed|ran)(?: for| all)? (\d{1,12}) (?:out )?of (\d{1,12})"
    r" (?:time)?steps\b"
)


def _unnamed(store: Store, lines: pl.DataFrame) -> pl.DataFrame:
    """Losses that no line calls so."""
    rows = unnamed_losses(store, lines.filter(~pl.col("text").str.contains(_NAMED)))
    if rows.is_empty():
        return no_steps()
    told = {name: pl.col(name) for name in ("step", "total_steps", "loss", "eval_loss")}
    return _select(rows, Kind.STEP, "loop", **told, **_where(rows, "(?i)lr|rate", lr=_number(_LR)))


def _by_tools(lines: pl.DataFrame) -> pl.DataFrame:
    """Tools that count in ways of their own."""
    rows = tool_steps(lines)
    told = {name: pl.col(name) for name in ("sub", "step", "total_steps", "loss") if name in rows.columns}
    if rows.is_empty():
        return no_steps()
    return _select(rows, Kind.STEP, "tool", **told, **_where(rows, "lr", lr=_number(_LR)))


def _under_heads(store: Store, lines: pl.DataFrame, told: pl.DataFrame | None) -> pl.DataFrame:
    """Losses under the line that counts, of sources of which nothing else was told."""
    if told is not None:
        lines = lines.join(told, on=told.columns, how="anti", nulls_equal=True, maintain_order="left")
    rows = under_heads(store, lines)
    if rows.is_empty():
        return no_steps()
    names = ("step", "total_steps", "loss", "eval_loss", "score")
    epoch = pl.when("epochs").then(pl.col("step").cast(pl.Float64))
    found = _select(rows, Kind.STEP, "loop", **{name: pl.col(name) for name in names}, epoch=epoch, **_accuracy(rows))
    kind = pl.when(pl.col("loss").is_null() & pl.col("score").is_null()).then(pl.lit(str(Kind.VALIDATION)))
    return found.with_columns(
        kind=kind.when(pl.col("epoch").is_not_null()).then(pl.lit(str(Kind.EPOCH))).otherwise("kind")
    )


def _paced(lines: pl.DataFrame) -> pl.DataFrame:
    """Steps out of so many, and how fast they came, where nothing is told by a name that is known."""
    rows = lines.filter(
        pl.col("text").str.contains(_OF_SO_MANY)
        & pl.col("text").str.contains(_PACE)
        & ~pl.col("text").str.contains(_NOT_TRAINING)
        & ~pl.col("text").str.contains(_EVALUATION)
    )
    seconds = pl.col("text").str.extract(_PACE).cast(pl.Float64, strict=False)
    ms = pl.col("text").str.extract(_PACE, 2).str.to_lowercase() == "ms"
    rate = pl.col("text").str.extract(_PACE, 3).cast(pl.Float64, strict=False)
    found = _select(
        rows,
        Kind.STEP,
        "loop",
        step=_integer(_OF_SO_MANY),
        total_steps=_integer(_OF_SO_MANY, 2),
        **{STEP: pl.coalesce(pl.when(ms).then(seconds / 1000).otherwise(seconds), pl.when(rate > 0).then(1 / rate))},
    )
    one_plan = (pl.col("total_steps").n_unique() == 1) & (pl.col("step").n_unique() >= _PACED)
    return found.filter(one_plan.over(*_KEYS))


_OF_SO_MANY: Final = r"(?i)\b(?:update|step|iter(?:ation)?)s? ?[:#=]? ?(\d{1,12}) ?(?:/|of) ?(\d{1,12})\b"
_PACE: Final = (
    r"(?i)(?:^|[\s(\[,;:=])(?:(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|sec)/(?:step|update|it(?:er(?:ation)?)?|batch)\b"
    r"|(\d{1,9}(?:\.\d{1,6})?) ?(?:steps?|updates?|it(?:er(?:ation)?)?s?)/s(?:ec)?\b)"
)
_PACED: Final = 5


def _bars(lines: pl.DataFrame) -> pl.DataFrame:
    """States of training bars; several states may be glued into one line."""
    # A bar that says what it does is taken by its word; a bare one is training if it is the longest of its source.
    named = pl.col("head").str.contains(_TRAINING) | pl.col("text").str.contains(r"(?i)loss ?=")
    bare = ~pl.col("head").str.contains(r"[A-Za-z]{2}")
    other = pl.col("head").str.contains(_NOT_TRAINING) & ~pl.col("head").str.contains(r"(?i)\btrain|\bepoch")
    bar = pl.col("bar").struct
    rows = (
        lines.lazy()
        .filter(pl.col("text").str.contains(_BAR) & ~pl.col("text").str.contains(_YOLO))
        .with_columns(text=pl.col("text").str.extract_all(_BAR_STATE))
        .filter(pl.col("text").list.len() > 0)
        .with_columns(sub=pl.int_ranges(pl.col("text").list.len()))
        .explode("text", "sub")
        .with_columns(bar=pl.col("text").str.extract_groups(_BAR), head=pl.col("text").str.replace(r"\d+/\d+ \[.*", ""))
        .with_columns(
            step=bar.field("1").cast(pl.Int64, strict=False), total=bar.field("2").cast(pl.Int64, strict=False)
        )
        .with_columns(named=named, bare=bare, other=other)
        .filter(~pl.col("other") & pl.any_horizontal("named", "bare"))
        .collect(engine="streaming")  # row by row on all cores; in memory, one expression runs on one
    )
    if rows.is_empty():
        return no_steps()
    if not rows["named"].all():
        longest = pl.col("total").filter(~pl.col("named")).max().over("node", "capture", "source")
        any_named = pl.col("named").any().over("node", "capture", "source")
        # Where no metric stands beside it, a bare bar that ran to its end may be any loop: a data set being read, say.
        metrics = lines.filter(pl.col("text").str.contains(r"(?i)loss"))["source"].unique()
        unfinished = pl.col("step").max().over("node", "capture", "source", "total") < pl.col("total")
        trained = pl.col("source").is_in(metrics.implode()) | unfinished
        rows = rows.filter(pl.col("named") | (~any_named & trained & (pl.col("total") == longest)))
    rows = _innermost(rows)
    rate = _parsed(bar.field("5"))
    found = _select(
        rows,
        Kind.BAR,
        "tqdm",
        sub=pl.col("sub"),
        step=pl.col("step"),
        total_steps=pl.col("total"),
        **_where(rows, "(?i)epoch", epoch=_number(r"(?i)epoch\D{0,3}(\d{1,6})")),
        **_where(rows, "(?i)loss[=:]", loss=_number(_BAR_LOSS)),
        **_where(rows, "(?i)val", eval_loss=_number(r"(?i)val(?:id)?_loss=(-?(?:nan|inf|\d[\d.]*(?:e[+-]?\d+)?))")),
        **_where(rows, "(?i)lr=", lr=_number(r"(?i)\blr=(\d[\d.]*(?:e[+-]?\d+)?)")),
        step_time_s=pl.when(bar.field("6").str.starts_with("s/")).then(rate).when(rate > 0).then(1 / rate),
    )
    found = pl.concat([no_steps(), found], how="diagonal")
    same = [
        pl.col(name).eq_missing(pl.col(name).shift())
        for name in ("step", "total_steps", "loss", "epoch", "source", "rank")
    ]
    return found.filter(~pl.all_horizontal(same).fill_null(value=False))


def _innermost(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` without the bars around others: of two that go on at the same time, the one that moves counts steps."""
    place = ["node", "capture", "source", "rank", "speaker"]
    rows = rows.with_columns(form=pl.col("head").str.replace_all(r"\d+.*", "").str.strip_chars())
    forms = rows.group_by(*place, "form").agg(low=pl.col("seq").min(), high=pl.col("seq").max(), moves=pl.len())
    beside = forms.join(forms, on=place, how="inner", nulls_equal=True, suffix="_in").filter(
        (pl.col("moves_in") > _MOVES * pl.col("moves"))
        & (pl.col("low_in") <= pl.col("high"))
        & (pl.col("high_in") >= pl.col("low"))
    )
    return rows.join(beside, on=[*place, "form"], how="anti", nulls_equal=True, maintain_order="left").drop("form")


_MOVES: Final = 3
"""How much oftener the inner of two bars moves, at the least."""


# --- steps that begin anew -----------------------------------------------------------------------------------------


def _unrolled(rows: pl.DataFrame, called: pl.DataFrame | None = None) -> pl.DataFrame:
    """Steps counted within an epoch become steps of the run, and a step that goes back otherwise is marked ``back``.

    Within one series (source, rank, kind) a smaller step is a new epoch when the epoch number grew or the count before
    it was complete, and no program was ``called`` between; anything else is the run beginning again, or an earlier
    state of it.
    """
    names = [*_KEYS, "kind", "framework", "speaker"]
    rows = rows.with_columns(series=pl.struct(names).rank("dense"), called=pl.lit(None, pl.Int64))
    if called is not None and called.height:
        place = ["node", "capture", "source"]
        rows = (
            rows.drop("called")
            .sort("line_seq")
            .join_asof(called, left_on="line_seq", right_on="called", by=place, coalesce=False, check_sortedness=False)
        )
    rows = rows.sort("series", "line_seq", "sub")

    def previous(column: str) -> pl.Expr:
        return pl.col(column).shift().over("series")

    rows = rows.with_columns(
        fell=(pl.col("step") < pl.col("step").forward_fill().shift().over("series")).fill_null(value=False),
        grew=(pl.col("epoch") > previous("epoch")).fill_null(value=False),
        done=(previous("step") >= previous("total_steps")).fill_null(value=False),
        was=pl.col("step").forward_fill().shift().over("series"),
    )
    # Each epoch has as many steps as the one before it; another run may have any number.
    as_long = pl.col("total_steps").eq_missing(previous("total_steps"))
    anew = (pl.col("called") > previous("line_seq")).fill_null(value=False)
    next_epoch = (pl.col("fell") & ~anew) & (
        pl.col("grew") | (pl.col("done") & as_long & ~(pl.col("epoch") < previous("epoch")).fill_null(value=False))
    )
    rows = rows.with_columns(carry=pl.when(next_epoch).then(pl.coalesce(previous("total_steps"), "was")).otherwise(0))
    rows = rows.with_columns(back=pl.col("fell") & ~next_epoch)
    rows = rows.with_columns(run=pl.col("back").cast(pl.Int64).cum_sum().over("series"))
    carried = pl.col("carry").cum_sum().over("series") > 0
    return rows.with_columns(
        step=pl.col("step") + pl.col("carry").cum_sum().over("series", "run"),
        total_steps=pl.when(pl.col("total_epochs").is_not_null())
        .then(_of_the_run())
        .when(~carried)
        .then("total_steps"),
    ).drop("series", "fell", "grew", "done", "was", "carry", "run", "called")


def _of_the_run() -> pl.Expr:
    """Planned steps of the run by reports that tell how many epochs are planned; null where its count may be either.

    A count that begins anew with every epoch is as long as all of them; one that goes on is where its epoch is.
    """
    place = ["series", "run"]
    step, told, epochs = pl.col("step"), pl.col("total_steps"), pl.col("total_epochs")
    number = pl.col("epoch").floor().cast(pl.Int64, strict=False)
    number = number + (number.min().over(place) == 0).cast(pl.Int64)  # some count epochs from 0
    within = (pl.col("carry") > 0).any().over(place) & (told.n_unique() == 1).over(place)
    fits = ((number - 1) * told <= step * epochs) & (step * epochs <= number * told)
    goes_on = fits.fill_null(value=False).all().over(place) & (number.n_unique() > 1).over(place)
    only = (epochs == 1) | (pl.col("kind") == str(Kind.EPOCH))
    return pl.when(only | goes_on).then(told).when(within).then(told * epochs)
