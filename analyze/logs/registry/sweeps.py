"""Which of several runs begins here: folds, trials and commands of a script, in the words of those that run them."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

_HEADED = (
    "old ",
    "old=",
    "old:",
    "old#",
    "OLD ",
    "rial ",
    "rial=",
    "rial:",
    "rial#",
    "eed ",
    "eed=",
    "eed:",
    "plit ",
    "epeat ",
    "xperiment ",
    "eneration ",
    "tage ",
    "hase ",
    "art ",
    *(f"{word} {digit}" for word in ("un", "onfig", "figuration", "ariant", "etting") for digit in range(1, 10)),
)

CALL = Pattern(
    "shell_trace",
    Kind.NEXT_RUN,
    "marker",
    (
        "+ ",
        "]$ ",
        "]# ",
        ":~$ ",
        *(
            f"{prompt} {what}"
            for prompt in "$#"
            for what in ("python", "torchrun", "accelerate launch", "deepspeed", "srun")
        ),
    ),
    r"^(?:\+{1,3}|[\w.@:~()\[\]/ -]{0,80}[$#]) (?:\w+=\S* )*(?P<subject>(?:\S*python[\d.]*|torchrun|accelerate launch|deepspeed|srun) .+)",
    "++ torchrun --nproc-per-node 4 fit.py --lr 3e-4",
    "+ cp -r runs/fit out",
    unless=r"(?i)resum|continue",
    quoted=True,
)
"""A shell under "set -x", or behind its prompt, says which command it runs; the same once more is a restart."""

HEADING = Pattern(
    "heading",
    Kind.NEXT_RUN,
    "marker",
    _HEADED,
    r"^(?:\[?20\d\d-\S+ [\d:.,]+\]? )?\W{0,24}(?i:(?:running|starting|training|begin(?:ning)?|now) )?(?P<subject>(?i:(?:cv[ _-]?)?fold|trial|seed|(?:random )?split|repeat|experiment|generation|stage|phase)"
    r"(?:\s?[#=:]?\s?\d{1,4}(?:\s?(?:/|of)\s?\d{1,4})?| (?:[a-z_]{1,40}=\S{1,40},? ?){1,8})"
    r"|(?i:part|run|config(?:uration)?|variant|setting) ?\d{1,4} ?(?:/|of) ?\d{1,4})(?:\b|$)(?:[^.?!]|\.\d){0,60}$",
    "----- fold 3 of 10 -----",
    "the best fold 3 of 10 was kept, see the table. Others are gone.",
    quoted=True,
)

_SET = (
    *(
        "lr",
        "learning_rate",
        "seed",
        "wd",
        "weight_decay",
        "momentum",
        "mom",
        "bs",
        "batch",
        "batch_size",
        "dropout",
        "drop",
    ),
    *(
        "alpha",
        "beta",
        "gamma",
        "lambda",
        "temp",
        "temperature",
        "hidden",
        "width",
        "depth",
        "layers",
        "heads",
        "dim",
        "rank",
    ),
    *("model", "arch", "optim", "optimizer", "loss", "aug", "size", "scale", "eps", "tau", "k", "n"),
)
"""What trials of a search differ in."""

SETTINGS = Pattern(
    "settings",
    Kind.NEXT_RUN,
    "marker",
    tuple(f"{name}=" for name in _SET),
    # Ruled off by a sign that stands twice, with a few words and settings alone: no report of a loop looks so.
    r"^\s{0,4}([-=#*>~+])\1{1,40} ?(?:[^\W\d][\w./-]{0,24}[:,]? ){0,4}[(\[{]?(?P<subject>(?:[a-z_.-]{1,24}=[\w.,+-]{1,24}[,;|)\]}]{0,2}(?: |$)){1,8})\W{0,40}$",
    "--- config lr=0.5 momentum=0.9 seed=3",
    "--- epoch 3: lr=0.5 loss=0.91 acc=0.7 best so far",
    unless=r"(?i)\b(?:epoch|step|iter(?:ation)?|batch|update|round|resum\w*|restor\w*|continu\w*|load\w*)\b[ :=]{0,2}\d|(?i:\b(?:resum|continu|restor)\w*)",
    quoted=True,
)
"""A heading above one of several trainings: what it is to be made with; the same once more is a restart."""

COMMAND = Pattern(
    "command",
    Kind.NEXT_RUN,
    "marker",
    (".py -",),
    r"^\s{0,4}([-=#*>~+])\1{1,40} ?(?:[^'\"(]{0,60} )?(?P<subject>[\w./-]{1,80}\.py(?: -{1,2}[A-Za-z][\w.-]{0,40}(?:[= ][^\s-]\S{0,80})?){1,24})\W{0,40}$",
    "==== Mon 30 Nov 2026 09:31:08 ==== train_fsdp.py --steps 300 --lr 3e-3",
    "==== usage: train_fsdp.py --steps N, and --lr LR where it is known",
    unless=r"(?i)resum|restor|continu",
    quoted=True,
)
"""A heading above one of several trainings that a script ran: with which command; the same once more is a restart."""

PATTERNS = (
    *of(
        "sweep",
        # hydra/_internal/core_plugins/basic_launcher.py
        Pattern(
            "hydra_job",
            Kind.NEXT_RUN,
            "marker",
            ("[HYDRA]",),
            r"\[HYDRA\]\s+#(?P<num>\d+) : (?P<subject>.{0,300})",
            "[2026-11-21 08:00:01,120][HYDRA] \t#4 : optim=adamw seed=2",
            "[2026-11-21 08:00:01,120][HYDRA] Launching 5 jobs locally",
        ),
        Pattern(
            "wandb_agent",
            Kind.NEXT_RUN,
            "marker",
            ("Agent Starting Run: ",),
            r"Agent Starting Run: (?P<subject>\w+) with config",
            "wandb: Agent Starting Run: 8x2k1p0z with config:",
            "wandb: Starting wandb agent",
        ),
        # wandb/wandb_agent.py: what ``wandb agent`` prints on the command line
        Pattern(
            "wandb_command",
            Kind.NEXT_RUN,
            "marker",
            ("wandb.wandb_agent - INFO - Agent starting run",),
            r"wandb\.wandb_agent - INFO - Agent starting run with config:",
            "2026-03-18 22:04:19,330 - wandb.wandb_agent - INFO - Agent starting run with config:",
            "2026-03-18 22:04:19,330 - wandb.wandb_agent - INFO - Agent received command: run",
        ),
        Pattern(
            "keras_tuner",
            Kind.NEXT_RUN,
            "marker",
            ("Search: Running Trial #",),
            r"^Search: Running Trial #(?P<num>\d+)",
            "Search: Running Trial #3",
            "Trial 3 Complete [00h 00m 12s]",
        ),
        CALL,
        HEADING,
        SETTINGS,
        COMMAND,
    ),
)
