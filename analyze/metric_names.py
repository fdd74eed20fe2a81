"""What trackers call a loss, a rate, a validation, a clock: the one place that knows what the names of metrics mean."""

from __future__ import annotations

import re
from typing import Final

from inquest.bundle.imports._values import english
from inquest.bundle.timers import epoch_timer_of, timer_of

# What a metric is, by its name in lower case with every other sign as "_": column, expression of the whole name.
_PREFIX: Final = r"(?:(?:train|training|train_samples|charts|optim|optimizer|perf|throughput|trainer|global)_)*"
_LOSS: Final = (
    r"(?:loss(?:es)?|verlust|smape|pinball|quantile|bpr|nll|n(?:eg(?:ative)?_?)?elbo|neg(?:ative)?_log_?likelihood|b?ce|perplexity|ppl|objective|cost|bp[cbd]|bits_per_(?:char|byte|dim|token|word)|cross_entropy|xent"
    r"|(?:rmse|mse|mae)(?:_(?:m?ev|kcal(?:_mol)?|kj(?:_mol)?|eps|epsilon|noise|x0|[mckn]?m|deg(?:rees)?|[kcm]?hz|[kc]|db|pct|percent|m?s|px|mg_dl))?"
    r"|logloss|(?:info_?)?nce|nt_?xent|triplet|contrastive|ctc|rnn_?t|focal|huber|hinge|charbonnier|smooth_l1"
    # Criteria that are added up.
    r"|(?:b?ce|ctc|dice|focal|huber|l1|mse|iou|tversky|lovasz)(?:_(?:b?ce|ctc|dice|focal|huber|l1|mse|iou|tversky|lovasz|perceptual)){1,3})"
)
_CODES: Final = r"(?:[a-z0-9]+_){0,3}(?:code_?book|codes?|vq|gumbel|quantizer|prob)_(?:ppl|perplexity)"
"""How many codes of a codebook are in use: no loss."""
_OTHER_GAME: Final = (
    "val|valid|validation|eval|evaluation|test|dev|g|d|gen|disc|dis|generator|discriminator|policy|value|actor|critic|adv|"
    "adversarial|q|vf|pg|entropy|kl|reg|aux|best|min|max|scale|scaler|weight"
)
_PARTS: Final = (
    "dice|iou|giou|focal|box|bbox|cls|class|obj|mask|rpn|dfl|l1|ce|bce|ctc|seg|recon|kld|mel|dur|pitch|commit"
)
"""What is one part of several that a validation loss is the sum of, as a rule; other words name its data."""
_PLAYERS: Final = (
    "g|d|gen|disc|dis|generator|discriminator|netg|netd|policy|policy_gradient|pg|value|vf|actor|critic|q|qf1|qf2|adv"
    "|adversarial"
)
NAMES: Final = tuple(
    (column, re.compile(expression))
    for column, expression in (
        ("runtime", r"(?:train_)+runtime"),
        (
            "eval_loss",
            r"(?:(?:val|valid|validation|eval|evaluation|test|dev|epoch|avg|mean|total|lm)_)*"
            rf"(?:val|valid|validation|eval|evaluation|test|dev)_(?:(?!(?:{_OTHER_GAME}|{_PARTS})_)[a-z0-9]+_){{0,2}}{_LOSS}(?:_(?:step|epoch|avg|mean))?"
            r"|(?:loss|losses|lm_loss|rmse|mse|mae|nll|b?ce|ppl|perplexity)_(?:val|valid|validation|eval|test|dev)"
            r"|lm_loss_validation_lm_loss",
        ),
        # Of any part of a model, but for what games against another and for what rewards: these rise and fall.
        (
            "loss",
            rf"(?!{_CODES}$)(?:(?!(?:{_OTHER_GAME})_)[a-z0-9]+_){{0,4}}{_LOSS}(?:_(?:train|training|trn|step|epoch|avg|mean|sum|total|batch|optim|value)){{0,3}}"
            r"|lm_loss_training_lm_loss",
        ),
        # One side of a game: no curve to judge, but training went on where it was told.
        (
            "plays",
            rf"(?:(?:train|training|losses?|step|epoch)_)*(?:{_PLAYERS})_?loss(?:es)?(?:_(?:step|epoch|mean|avg|total))?"
            rf"|(?:train_)?loss(?:es)?_(?:{_PLAYERS})",
        ),
        (
            "score",
            r"(?:(?:rollout|charts|train|critic|env|env_runners|metrics|eval)_)*(?:(?:raw|mean|avg|ep|episode|episodic)_)*"
            r"(?:rewards?|rew|returns?|episodic_return|score)(?:_mean)?"
            r"|(?:(?:train|training|val|valid|validation|eval|test)_)?(?:elbo|log_?likelihood)(?:_mean)?"
            r"|(?:(?:average|mean|avg|test|eval)_?){0,2}ep_?(?:ret|rew)(?:_mean)?",
        ),
        (
            "accuracy",
            r"(?:(?:train|training|val|valid|validation|eval|evaluation|test|dev|epoch|metrics|avg|mean|multiclass|binary"
            r"|categorical|sparse|token|top_?1)_)*acc(?:uracy)?(?:_?(?:top_?)?1)?(?:_(?:epoch|step|avg|mean|train|val|test))?"
            r"|(?:(?:train|val|valid|eval|test|metrics)_)*(?:accuracy_)?top_?1",
        ),
        # What is to fall where samples or transcripts are judged, and shares of what there is to find: they stand for a
        # validation loss and for an accuracy where none is told.
        (
            "judged",
            r"(?:(?:val|valid|validation|eval|test|dev|metrics?|gan)_)*(?:fid(?:_?\d{1,3}k)?|kid(?:_?\d{1,3}k)?|wer|cer|eer)"
            r"(?:_(?:full|score|val|test|dev|epoch))*",
        ),
        (
            "quality",
            r"(?:(?:train|val|valid|validation|eval|evaluation|test|dev|metrics?|mean|avg|pseudo|fg)_)*"
            r"(?:m?dice|m?iou|jaccard|f1|m?ap|map_?(?:0_)?50(?:_(?:0_)?95)?|auc|auroc|roc_auc|knn)"
            r"(?:_(?:score|acc|accuracy|mean|avg|macro|micro|[bm]|val|test|dev|epoch))*",
        ),
        (
            "grad_norm",
            rf"{_PREFIX}(?:(?:total|global)_)?(?:grad|grads|gradient|gradients)_(?:2_0_)?norm(?:_total)?|{_PREFIX}gnorm|(?:l2_)?norm_grad_(?:global|total)",
        ),
        (
            "lr",
            rf"{_PREFIX}(?:lr|learning_rate)(?:_(?:\d+|pg\d+|group_?\d+|\w*adam\w*|sgd|lion|adafactor|muon)){{0,2}}",
        ),
        ("loss_scale", rf"{_PREFIX}(?:loss|(?:amp_)?grad|grad_scaler|amp|fp16|scaler)_scale"),
        ("samples_per_s", rf"{_PREFIX}(?:samples|sequences|examples|images)_(?:per_)?s(?:ec|econd)?"),
        ("tokens_per_s", rf"{_PREFIX}(?:tokens|tok)_(?:per_)?s(?:ec|econd)?|{_PREFIX}tps"),
        ("mfu", rf"{_PREFIX}mfu(?:_pct|_percent)?"),
        ("attempt_told", r"(?:run_|restart_|job_)?(?:attempt|restarts?|restart_count|incarnation)(?:_(?:id|no|num))?"),
        ("total_steps", r"max_steps|max_iters|total_steps|target_steps|num_training_steps|of"),
        (
            "progress",
            r"(?:train(?:ing)?_)?(?:progress|percent|pct|completed|completion|percent_(?:complete|done))(?:_(?:pct|percent))?",
        ),
        ("total_epochs", r"(?:total|max|num|n)_epochs"),
        ("patience", r"early_stopping_patience"),
        ("impatience", r"early_stopping_patience_counter"),
        (
            "counter",
            r"(?:(?:train|training|trainer)_)?(?:global_step|step|iter|iteration|num_updates|optimizer_step|current_step)s?",
        ),
        ("epoch_told", r"(?:(?:train|training|trainer)_)?epoch"),
    )
)
LOSS_OF: Final = re.compile(
    rf"(?:(?:train|training|trn|losses?)_)*loss_(?!(?:{_OTHER_GAME}|std|var|count|spikes?|ratio|delta|time|coef)(?:_|$))[a-z]\w{{0,40}}"
)
"""The loss of something: of several, which one tells of the whole is not known."""
RAW: Final = re.compile(r"(?:[a-z0-9]+_)*raw_(?:[a-z]+_)?(?:rewards?|rew|returns?|score)(?:_mean)?")
"""A reward as it was given: of what else is called so beside it, the mean was taken off (GRPO), and it says nothing."""
_OF_THE_RUN: Final = re.compile(r"(?:[a-z0-9]+_)*time_(?:total|since_restore|since_start)(?:_s|_sec|_seconds)?")
"""What RLlib calls the time since its run began, which is no step's."""
_NO_RATE: Final = re.compile(r"momentum|weight_decay|beta")
"""Lightning's monitor notes these under the name of the rate they stand beside."""


def column_of(name: str) -> str | None:
    """What a tracker's metric of this name is: a clock of the step, or a column of ``NAMES``; None for all others."""
    if _OF_THE_RUN.fullmatch(plain(name)):
        return None
    if (timer := timer_of(name)) is not None:
        return timer.column
    if (timer := epoch_timer_of(name)) is not None:
        return timer.column
    told = plain(name)
    if len(told) > 100:
        return None
    for column, expression in NAMES:
        if expression.fullmatch(told):
            return None if column == "lr" and _NO_RATE.search(told) else column
    return None


def plain(name: str) -> str:
    """A name in lower case with every other sign as "_"."""
    return re.sub(r"[^a-z0-9]+", "_", english(name).lower()).strip("_")
