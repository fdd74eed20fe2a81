"""How much a loop is to do: its plan, the size of its model, and data that came to their end before it."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

_IS_TO_TRAIN = r"\b(?:train(?:ing)?|run(?:ning)?|fit(?:ting)?|learn(?:ing)?|model|network) for(?: a total of)?"
_FOR = (
    "rain for ",
    "raining for ",
    "un for ",
    "unning for ",
    "it for ",
    "itting for ",
    "earn for ",
    "earning for ",
    "odel for ",
    "etwork for ",
)
_IS_OVER = r"(?i)\b(?:took|done|complete[d]?|finished|ended|in \d|after \d|was|were|had|has been|up to|at most|if|would|more)\b"

PATTERNS = (
    *of(
        "loop",
        Pattern(
            "data_exhausted",
            Kind.DATA_EXHAUSTED,
            "root",
            (" exhausted after ", " ran out after ", " ran dry after ", " used up after ", " ended after "),
            r"(?i:\b(?:iterator|loader|dataset|data|stream|corpus|input|shards?|batches|samples|tokens) (?:is |are |was |were )?"
            r"(?:exhausted|ran out|ran dry|used up|ended) after (?:step )?(?P<num>\d{1,12}) (?:steps |iterations |updates )?"
            r"(?:of|/|out of) (?:the )?(?:planned )?(?P<subject>\d{1,12})\b)",
            "[data] loader exhausted after 120 of 9000 steps, stopping",
            "loader exhausted after 3 retries",
            num_unit="step",
        ),
        Pattern(
            # torchtitan/train.py, where its loader stops before its plan
            "ran_out",
            Kind.DATA_EXHAUSTED,
            "root",
            ("an out of data",),
            r"\bRan out of data; last step was cancell?ed",
            "[titan] 2026-07-15 15:01:56,595 - root - WARNING - Ran out of data; last step was canceled.",
            "Ran out of data for the plot",
        ),
        Pattern(
            "data_ended",
            Kind.DATA_EXHAUSTED,
            "root",
            (" exhausted at ", " ran out at ", " ran dry at ", " used up at ", " ended at "),
            r"(?i:\b(?:iterator|loader|dataset|data|stream|corpus|shards?|batches) (?:is |are |was |were )?"
            r"(?:exhausted|ran out|ran dry|used up|ended) at (?:step|iteration|update) (?P<num>\d{1,12})\b)",
            "stream ended at step 1184: no more shards",
            "stream ended at 12:30",
            num_unit="step",
        ),
        # Not Megatron's, which counts what one rank of its tensor and pipeline groups holds.
        Pattern(
            "parameters_of",
            Kind.MODEL_SIZE,
            "marker",
            ("param",),
            r"(?<![\d,.])(?P<num>\d[\d,]{3,20}) (?P<subject>(?:total |trainable |model )?param(?:eter)?s)\b",
            "2026-11-20 21:00:00 | INFO | begin training: 102413 parameters",
            "groups of 16 parameters",
        ),
        Pattern(
            "parameters_counted",
            Kind.MODEL_SIZE,
            "marker",
            ("param",),
            r"(?P<subject>(?:[Tt]otal|[Tt]rainable|[Nn]umber of)[a-z ]{0,24} ?param(?:eter)?s) ?[:=] ?(?P<num>\d[\d,]{0,20}(?:\.\d{1,9})?)",
            "  Number of trainable parameters = 124,439,808",
            "number of parameters on (tensor, pipeline) model parallel rank (0, 0): 354871296",
        ),
        Pattern(
            # A limit, as a rule: other limits may come first.
            "planned_steps",
            Kind.PLANNED_STEPS,
            "marker",
            (
                "max_steps",
                "max-steps",
                "max_iters",
                "max-iters",
                "train_steps",
                "train-steps",
                "train_iters",
                "train-iters",
                "max_batches",
            ),
            r"(?<![\w.])(?:--|[\"'])?(?P<subject>max_batches|(?:max|num|total)[_-](?:train(?:ing)?[_-])?(?:steps|iters|iterations)|train[_-](?:steps|iters|iterations))[\"']?\s?(?:[:= ]|\.{4,})\s?(?P<num>\d{1,12})\b(?!\.\d)",
            "config: batch_size=32 lr=0.001 max_steps=100000 seed=1",
            "max_steps: -1",
            unless=r"(?i)\bloss\W{0,3}\d|reached|stopp|\bstep\W{0,3}\d",
            num_unit="step",
            quoted=True,
        ),
        Pattern(
            # MaxText/pyconfig.py, which prints every setting; its others are named after what they count.
            "maxtext_steps",
            Kind.PLANNED_STEPS,
            "marker",
            ("onfig param ",),
            r"Config param (?P<subject>steps): (?P<num>[1-9]\d{0,11})$",
            "Config param steps: 150000",
            "Config param learning_rate_schedule_steps: 150000",
            num_unit="step",
        ),
        Pattern(
            "planned",
            Kind.PLANNED_STEPS,
            "marker",
            ("teps planned", "teps are planned", "teps in total planned"),
            r"(?i:(?<![\d.,])(?P<num>\d[\d,]{0,14}) (?:[a-z]+ )?steps (?:are |in total )?(?P<subject>planned)\b)",
            "20000 examples, batch 50: 20 epochs of 400 steps = 8000 steps planned",
            "no steps planned",
            num_unit="step",
        ),
        Pattern(
            # torchtitan/train.py: "total steps {job_config.training.steps} (warmup {...})"
            "total_steps",
            Kind.PLANNED_STEPS,
            "marker",
            (" total steps ", "otal training steps: ", "otal steps: "),
            r"(?i:\b(?P<subject>total (?:training )?steps)(?::| (?=\d+ \(warmup)) ?(?P<num>\d[\d,]{0,14})\b)(?![./:]\d)",
            "Trainer is initialized with local batch size 2, sequence length 8192, total steps 10000 (warmup 200)",
            "total steps 10000 were done",
            unless=_IS_OVER,
            num_unit="step",
        ),
        Pattern(
            "steps_said",
            Kind.PLANNED_STEPS,
            "marker",
            _FOR,
            rf"(?i:{_IS_TO_TRAIN} (?P<num>\d[\d,]{{0,14}}) (?P<subject>steps|iterations|iters|updates|kimg)\b)",
            "64 files; will train for 5000 iterations, eval every 500",
            "trained for 5000 iterations",
            unless=_IS_OVER,
            num_unit="step",
        ),
        Pattern(
            "epochs_said",
            Kind.PLANNED_EPOCHS,
            "marker",
            _FOR,
            rf"(?i:{_IS_TO_TRAIN} (?P<num>\d{{1,6}}) (?P<subject>epochs)\b)",
            "Training for 40 epochs on 8 GPUs",
            "training for 40 epochs took 3 h",
            unless=_IS_OVER,
            num_unit="epoch",
        ),
        Pattern(
            # espnet2/train/trainer.py, at each epoch
            "epochs_begun",
            Kind.PLANNED_EPOCHS,
            "marker",
            ("epoch started",),
            r"\b\d{1,6}/(?P<num>\d{1,6}) ?(?P<subject>epoch) started\b",
            "[node3] (trainer:291) INFO: 4/60epoch started. Estimated time to finish: 21 hours",
            "4th epoch started",
            num_unit="epoch",
        ),
        Pattern(
            # The call that a notebook or a terminal shows above what fastai prints.
            "fastai_called",
            Kind.PLANNED_EPOCHS,
            "marker",
            ("learn.fi", "learner.fi"),
            r"^\s{0,8}(?:>>> |In \[\d{1,4}\]: )?learn(?:er)?\.(?P<subject>fine_tune|fit_one_cycle|fit_flat_cos|fit)\((?:n_epoch=|epochs=)?(?P<num>[1-9]\d{0,4})\b",
            "learn.fine_tune(30, 2e-3)",
            "learn.fit_one_cycle(n, 2e-3)",
            num_unit="epoch",
            quoted=True,
        ),
        Pattern(
            # A limit, as a rule: other limits may come first.
            "epochs_set",
            Kind.PLANNED_EPOCHS,
            "marker",
            ("epochs", "Epochs"),
            r"(?<![\w.])(?:--|[\"'])?(?P<subject>(?:[Nn]um[_ ]|n_|max[_-]|total[_-]|num[_-]train[_-]|train[_-])?[eE]pochs)[\"']?\s{0,2}(?:[:= ]|\.{4,})\s?[\"']?(?P<num>\d{1,6})\b(?!\.\d|[/:%])",
            "config: {'epochs': 50, 'batch': 32, 'lr': 0.001}",
            "epochs: 12/50",
            unless=r"(?i)\bloss\W{0,3}\d|reached|stopp|\bepoch\W{0,3}\d|done|complete|finish|warm|patience|every|\d%|\bit/s|s/it",
            num_unit="epoch",
            quoted=True,
        ),
    ),
)
