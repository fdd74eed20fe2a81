"""Phases of a training, and learning that went wrong, in the words of each framework (E1, G1)."""

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
)

_STEP = r"(?:(?:training )?steps?|iter(?:ation)?s?|updates?|epochs?|its?|rounds?)"
_DONE = r"(?:done|finished|completed?)"
_GOT = r"\b(?:received|caught|got)"
_ASKS = r"(?:SIG(?:USR[12]|TERM|INT|XCPU)|signal (?:2|10|12|15|24))"
_LEAVES = r"\b(?:(?:exit|leav|requeu|finish|terminat)(?:s|ing)?|stop(?:s|ping)?|quit(?:s|ting)?|ending|leave|requeue|terminate|shut(?:s|ting)? ?down|bye)\b"
"""What a program says that leaves because it was asked to."""
_EVENT = r'"(?:event|msg|message|status|state|type|kind)"\s{0,3}:\s{0,3}'
_A_SERVICE = r"(?i)\b(?:raylet|server|uvicorn|gunicorn|daemon|exporter|agent|side-?car|proxy|redis|nginx|worker|helper|child|subprocess|evaluator|loader|actor|monitor)s?\b"
"""What runs beside a training, and is ended with it."""

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

CALL = Pattern(
    "shell_trace",
    Kind.NEXT_RUN,
    "marker",
    (
        "+ ",
        *(
            f"{prompt} {what}"
            for prompt in "$#"
            for what in ("python", "torchrun", "accelerate launch", "deepspeed", "srun")
        ),
    ),
    r"^(?:\+{1,3}|[\w.@:~()/ -]{0,80}[$#]) (?:\w+=\S* )*(?P<subject>(?:\S*python[\d.]*|torchrun|accelerate launch|deepspeed|srun) .+)",
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
    r"|(?i:part) ?\d{1,4} ?(?:/|of) ?\d{1,4})(?:\b|$)[^.?!]{0,60}$",
    "----- fold 3 of 10 -----",
    "the best fold 3 of 10 was kept, see the table. Others are gone.",
    quoted=True,
)

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
    ),
    *of(
        "huggingface",
        Pattern(
            "banner",
            Kind.TRAINING_BEGIN,
            "marker",
            ("***** Running training *****",),
            r"\*{5} Running training \*{5}",
            "[transformers] ***** Running training *****",
            "[transformers] ***** Running Evaluation *****",
        ),
        Pattern(
            "evaluation",
            Kind.EVAL,
            "marker",
            ("***** Running Evaluation *****", "***** Running Prediction *****"),
            r"\*{5} Running (?:Evaluation|Prediction) \*{5}",
            "***** Running Evaluation *****",
            "***** Running training *****",
        ),
        Pattern(
            "completed",
            Kind.TRAINING_END,
            "marker",
            ("Training completed. Do not forget",),
            r"Training completed\. Do not forget",
            "Training completed. Do not forget to share your model on huggingface.co/models =)",
            "Training completed?",
        ),
        Pattern(
            "summary",
            Kind.TRAIN_SUMMARY,
            "marker",
            ("'train_runtime': ", "TrainOutput(global_step="),
            r"(?:'train_runtime': '?(?P<num>[\d.]+)|^TrainOutput\(global_step=)",
            "{'train_runtime': '7.684', 'train_samples_per_second': '20.82', 'train_loss': '4.445', 'epoch': '0.625'}",
            "{'eval_runtime': '0.1244', 'eval_loss': '4.376', 'epoch': '0.3125'}",
            num_unit="s",
        ),
        Pattern(
            "unsloth",
            Kind.BANNER,
            "marker",
            ("==((====))==",),
            r"==\(\(====\)\)==  (?P<subject>Unsloth)",
            "==((====))==  Unsloth 2026.8.1: Fast Llama patching. Transformers: 5.x.",
            "==((====))== other",
        ),
        Pattern(
            "axolotl_watchdog",
            Kind.EARLY_STOP,
            "marker",
            ("loss_watchdog_threshold",),
            r"(?P<subject>Loss is too high), stopping training \(loss_watchdog_threshold\)",
            "Loss is too high, stopping training (loss_watchdog_threshold)",
            "loss_watchdog_threshold: 5.0",
        ),
        Pattern(
            "data_exhausted",
            Kind.DATA_EXHAUSTED,
            "root",
            (" a single sample in your epoch_iterator, stopping",),
            r"(?:not to be|to be not) a single sample in your epoch_iterator, stopping training at step (?P<num>\d+)"
            r"(?:.{0,120}?\bnum_steps \((?P<subject>\d+)\))?",
            "There seems not to be a single sample in your epoch_iterator, stopping training at step 12!",
            "a single sample in your epoch_iterator",
            num_unit="step",
        ),
    ),
    *of(
        "lightning",
        Pattern(
            "banner",
            Kind.BANNER,
            "marker",
            ("GPU available: ",),
            r"^(?:INFO: ?)?(?P<subject>GPU) available: (?:True|False)",
            "GPU available: False, used: False",
            "no GPU available: abort",
        ),
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            ("`Trainer.fit` stopped: ",),
            r"`Trainer\.fit` stopped: `(?P<subject>max_\w+=\d+)` reached",
            "`Trainer.fit` stopped: `max_epochs=3` reached.",
            "`Trainer.fit` stopped: No training batches.",
        ),
        Pattern(
            "time_budget",
            Kind.TRAINING_END,
            "marker",
            ("Signaling Trainer to stop",),
            r"Time limit reached\. Elapsed time is [\d:]+\. Signaling Trainer to stop",
            "Time limit reached. Elapsed time is 0:00:08. Signaling Trainer to stop.",
            "Monitored metric val_loss = nan is not finite. Signaling Trainer to stop.",
        ),
        Pattern(
            "early_stop",
            Kind.TRAINING_END,
            "marker",
            ("Signaling Trainer to stop",),
            r"(?:did not improve in the last \d+ records|Stopping threshold reached).*Signaling Trainer to stop",
            "Monitored metric val_loss did not improve in the last 2 records. Best score: 0.866. Signaling Trainer to stop.",
            "Monitored metric val_loss = nan is not finite. Previous best value was 0.5. Signaling Trainer to stop.",
        ),
        Pattern(
            "nan",
            Kind.NAN_LOSS,
            "root",
            ("is not finite",),
            r"Monitored metric (?P<subject>\S+) = (?:nan|inf|-inf) is not finite",
            "Monitored metric train_loss = nan is not finite. Previous best value was 13.238. Signaling Trainer to stop.",
            "value is not finite check enabled",
        ),
        Pattern(
            "requeue",
            Kind.REQUEUED,
            "marker",
            ("Requeuing job ", "Handling auto-requeue signal"),
            r"(?:Requeuing job (?P<subject>\d+)|Handling auto-requeue signal: \d+)",
            "Requeuing job 123...",
            "SLURM auto-requeueing enabled. Setting signal handlers.",
        ),
    ),
    *of(
        "boosting",
        # lightgbm/callback.py, xgboost, catboost
        Pattern(
            "stopped",
            Kind.TRAINING_END,
            "marker",
            ("est iteration", "Stopped by overfitting detector", "bestIteration = "),
            r"^(?:\[[\d:]{8}\] )?(?:Early stopping, best iteration is:|Did not meet early stopping\. Best iteration is:|Stopping\. Best iteration:|Stopped by overfitting detector|bestIteration = \d+)",
            "Did not meet early stopping. Best iteration is:",
            "the best iteration is kept",
        ),
    ),
    *of(
        "caffe",
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            ("] Optimization Done.",),
            r"\] Optimization Done\.$",
            "I1122 05:09:00.000000  4711 solver.cpp:273] Optimization Done.",
            "I1122 05:09:00.000000  4711 solver.cpp:273] Optimization Done. not yet",
        ),
    ),
    *of(
        "tensorflow",
        # tensorflow_estimator/python/estimator/estimator.py
        Pattern(
            "estimator_end",
            Kind.TRAIN_SUMMARY,
            "marker",
            ("Loss for final step: ",),
            r"(?:^|:|\] )Loss for final step: (?P<num>\d[\d.e+-]{0,20}\d)\.$",
            "INFO:tensorflow:Loss for final step: 0.6571.",
            "INFO:tensorflow:Loss for final step: None.",
        ),
    ),
    *of(
        "ultralytics",
        # engine/trainer.py of ultralytics, train.py of YOLOv5
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            (" epochs completed in ",),
            r"^(?P<num>\d{1,6}) epochs completed in [\d.]+ hours\.$",
            "10 epochs completed in 0.012 hours.",
            "only 3 of 10 epochs completed in 2 hours",
            num_unit="epoch",
        ),
    ),
    *of(
        "spacy",
        # spacy/training/loop.py: "This will only run if we didn't hit an error"
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            ("Saved pipeline to output directory",),
            r"^(?:\S )?Saved pipeline to output directory$",
            "✔ Saved pipeline to output directory",
            "was Saved pipeline to output directory of the last run",
        ),
    ),
    *of(
        "sklearn",
        # sklearn/neural_network/_multilayer_perceptron.py
        Pattern(
            "perceptron_stopped",
            Kind.TRAINING_END,
            "marker",
            ("did not improve more than tol=", "Stochastic Optimizer: Maximum iterations "),
            r"(?:^(?:Training loss|Validation score) did not improve more than tol=\S+ for \d+ consecutive epochs\. Stopping"
            r"|ConvergenceWarning: Stochastic Optimizer: Maximum iterations \(\d+\) reached)",
            "Training loss did not improve more than tol=0.000100 for 10 consecutive epochs. Stopping.",
            "Training loss did not improve more than tol=0.000100 for 10 consecutive epochs. Setting learning rate to 0.0002",
            quoted=True,
        ),
    ),
    *of(
        "keras",
        Pattern(
            "nan",
            Kind.NAN_LOSS,
            "root",
            (": Invalid loss, terminating training",),
            r"Batch (?P<num>\d+): Invalid loss, terminating training",
            "Batch 0: Invalid loss, terminating training",
            "Invalid loss name",
            num_unit="batch",
        ),
        Pattern(
            "early",
            Kind.EARLY_STOP,
            "marker",
            (": early stopping",),
            r"Epoch (?P<num>\d+): (?P<subject>early stopping)",
            "Epoch 2: early stopping",
            "with early stopping on",
            num_unit="epoch",
        ),
        Pattern(
            "data_exhausted",
            Kind.DATA_EXHAUSTED,
            "root",
            ("Your input ran out of data",),
            r"Your input ran out of data; interrupting training",
            "UserWarning: Your input ran out of data; interrupting training.",
            "until your input ran out of data",
            quoted=True,
        ),
    ),
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
    ),
    *of(
        "jax",
        Pattern(
            "nan",
            Kind.NAN_LOSS,
            "root",
            ("invalid value (nan)", "Invalid nan value encountered"),
            r"(?:FloatingPointError: invalid value \((?P<subject>nan|inf)\) encountered|^Invalid nan value encountered)",
            "FloatingPointError: invalid value (nan) encountered in log",
            "RuntimeWarning: invalid value (nan) encountered",
        ),
    ),
    *of(
        "deepspeed",
        Pattern(
            "overflow",
            Kind.LOSS_SCALE_DOWN,
            "marker",
            ("OVERFLOW! ", "Reducing dynamic loss scale from "),
            r"(?:OVERFLOW! .*?[Aa]ttempted loss scale: [\d.]+, reducing to |Reducing dynamic loss scale from [\d.e+]+ to )(?P<num>[\d.e+]+\d)",
            "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768",
            "OVERFLOW! in buffer",
            num_unit="loss_scale",
        ),
        Pattern(
            "apex_overflow",
            Kind.LOSS_SCALE_DOWN,
            "marker",
            ("reducing loss scale to ",),
            r"Gradient overflow\. +Skipping step, (?:loss scaler \d{1,4} )?reducing loss scale to (?P<num>[\d.e+-]+\d)",
            "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0",
            "Gradient overflow checks are on",
            num_unit="loss_scale",
        ),
        Pattern(
            "overflow_skipped",
            Kind.LOSS_SCALE_DOWN,
            "marker",
            ("verflow",),
            r"(?i:\b(?:skip\w*\b.{0,40}\boverflow|overflow\w*\b.{0,40}\bskip\w*)\b.{0,40}\bscale\b[^\d\n]{0,16}(?P<num>\d[\d.]*(?:e[+-]?\d+)?))",
            "step 410 skipped: gradient overflow, scale 16384",
            "overflow checks: skip none, scale fixed",
            unless=r"OVERFLOW! |reducing loss scale to ",
            num_unit="loss_scale",
        ),
        Pattern(
            # fairseq2/nn/utils/gradient.py and optim/fp16_loss_scaler.py
            "overflow_decreased",
            Kind.LOSS_SCALE_DOWN,
            "marker",
            ("decreasing loss scale from ",),
            r"verflow detected at step \d+, ignoring gradient, decreasing loss scale from \S+ to (?P<num>\d[\d.]*(?:e[+-]?\d+)?)",
            "Overflow detected at step 7, ignoring gradient, decreasing loss scale from 0.125 to 0.0625.",
            "No gradient overflow detected in the last 128 step(s) after step 256, increasing loss scale from 64 to 128.",
            num_unit="loss_scale",
        ),
        Pattern(
            "minimum",
            Kind.LOSS_SCALE_COLLAPSE,
            "root",
            (
                "loss scale already at minimum",
                "inimum loss scale reached",
                "loss scale is already at minimum",
                "_scale is too small",
            ),
            r"(?:Current loss scale already at minimum|Minimum loss scale reached|, loss scale is already at minimum \(|\bgrad_scale is too small, exiting)",
            "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
            "loss scale minimum: 1",
        ),
    ),
    *of(
        "megatron",
        Pattern(
            "phase",
            Kind.SCHEDULER_NOTICE,
            "marker",
            ("[after ", "[before the start of training step]"),
            r"\[(?P<subject>after (?:megatron is initialized|model, optimizer|dataloaders are built)[^\]]*)\] datetime: ",
            "[after megatron is initialized] datetime: 2026-08-22 15:22:22.000000 ",
            "[after training is done] datetime: 2026-08-22 15:22:22",
        ),
        Pattern(
            "begin",
            Kind.TRAINING_BEGIN,
            "marker",
            ("[before the start of training step]",),
            r"\[before the start of training step\]",
            "[before the start of training step] datetime: 2026-08-22 15:22:22.000000 ",
            "[after training is done] datetime: 2026-08-22 15:22:22",
        ),
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            ("[after training is done]",),
            r"\[after training is done\]",
            "[after training is done] datetime: 2026-08-22 15:22:22.000000 ",
            "[before the start of training step] datetime: 2026-08-22",
        ),
        Pattern(
            "planned",
            Kind.PLANNED_EXIT,
            "marker",
            ("[exiting program ",),
            r"\[exiting program (?P<subject>after receiving SIGTERM|after [\d.]+ minutes|at iteration \d+)",
            "[exiting program after 235.1 minutes] datetime: 2026-08-22 15:22:22.000000 ",
            "[exiting program]",
        ),
        Pattern(
            "nan",
            Kind.NAN_LOSS,
            "root",
            ("found NaN in ", "found Inf in ", "Unexpected result nan"),
            r"(?:Rank (?P<rank>\d+), node \S+, device \d+, iteration (?P<num>\d+): Unexpected result nan|found (?:NaN|Inf) in local)",
            "Rank 3, node h3, device 3, iteration 120: Unexpected result nan (message='found NaN in local forward loss"
            " calculation')",
            "check_for_nan_in_loss_and_grad: found NaN in checks enabled",
            num_unit="step",
        ),
    ),
    *of(
        "ignite",
        # ignite/handlers/terminate_on_nan.py
        Pattern(
            "nan",
            Kind.NAN_LOSS,
            "root",
            ("TerminateOnNan: ",),
            r"TerminateOnNan: Output .{1,300} contains NaN or Inf\. Stop training",
            "TerminateOnNan: Output 'nan' contains NaN or Inf. Stop training",
            "TerminateOnNan: attached to the trainer",
        ),
    ),
    *of(
        "nemo",
        Pattern(
            "preempted",
            Kind.PREEMPTED,
            "root",
            ("Preemption detected, saving checkpoint",),
            r"Preemption detected, saving checkpoint and exiting",
            "Preemption detected, saving checkpoint and exiting",
            "Preemption detected by plugin: enabled",
        ),
    ),
    *of(
        "torchtitan",
        Pattern(
            "begin",
            Kind.TRAINING_BEGIN,
            "marker",
            ("Training starts at step ",),
            r"Training starts at step (?P<num>\d+)",
            "[titan] 2026-08-21 21:30:21,123 - root - INFO - Training starts at step 1",
            "Training starts soon",
            num_unit="step",
        ),
        Pattern(
            "alloc_retries",
            Kind.SCHEDULER_NOTICE,
            "marker",
            ("CUDA memory allocation retries",),
            r"(?P<num>\d+) (?P<subject>CUDA memory allocation retries)\.",
            "[titan] 2026-08-21 21:30:21,123 - root - WARNING - 3 CUDA memory allocation retries.",
            "CUDA memory allocation retries: off",
        ),
    ),
    *of(
        "loop",
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
        Pattern(
            "skipped",
            Kind.UPDATE_SKIPPED,
            "marker",
            ("kipp", "gnor", "iscard", "KIPP"),
            r"(?i:\b(?:nan|inf|infinite|non-?finite|not (?:a )?(?:finite|number))\b.{0,60}\b(?:skipp|ignor|discard)(?:ed|ing)\b"
            r"|\b(?:skipp|ignor|discard)(?:ed|ing)\b.{0,60}\b(?:nan|inf|infinite|non-?finite|not (?:a )?(?:finite|number))\b)",
            "[70] non-finite loss, update skipped",
            "skipping the download: nothing is new",
            unless=r"(?i)overflow|loss[ _]scale|skipped iterations: *\d|\b(?:if|when|will|would)\b",
        ),
        Pattern(
            "begin",
            Kind.TRAINING_BEGIN,
            "marker",
            ("raining", "tart"),
            r"(?i:(?:^|[\]>|:-] ?)(?:start(?:ing|ed)?(?: the)? training(?! from)|begin(?:ning)? training|training begins|training started)\b)",
            "2026-11-20 21:00:00 | INFO | begin training: 1000 parameters",
            "before starting training you should",
        ),
        Pattern(
            # A program that caught what ended its training, says so, and leaves as it likes.
            "failed",
            Kind.BARE_ERROR,
            "root",
            (
                *("raining failed", "un failed", "ob failed", "xperiment failed", "raining crashed"),
                *("raining stopped", "raining aborted", "raining ended", "raining halted", "raining interrupted"),
            ),
            r"(?i:(?:^|[\]>|:;-] ?|\b(?:error|critical|fatal) )(?:the )?(?:(?:training|run|job|experiment) (?:has )?(?:failed|crashed)"
            r"|training (?:was )?(?:stopped|aborted|ended|halted|interrupted)(?= (?:with|due to|because|by)|[:;(]))(?: with| due to| because| by)?(?: an?)?[:;(]? ?)(?P<subject>(?-i:[A-Z])\w*(?:Error|Exception)\b.{0,200})",
            "ERROR training failed: KeyError: 'text'",
            "the last run failed: see KeyError in its log",
            unless=r"(?i)\b(?:previous|earlier|last|retry|retrying|again|attempt|trial|skip\w*|continu\w*|if|when)\b",
        ),
        Pattern(
            # As above, of the process that a parent of its own waited for.
            "child_failed",
            Kind.BARE_ERROR,
            "root",
            tuple(f"{verb} with " for verb in ("nded", "xited", "eft", "ailed", "died")),
            r"(?i:\b(?:worker|child|trainer|process|job|run|program|script)\b.{0,20} (?:ended|exited|left|failed|died) with (?:exit )?(?:code |status )?"
            r"[1-9]\d{0,2}[:,;] ?)(?P<subject>(?-i:[A-Z])\w*(?:Error|Exception)\b.{0,200})",
            "keeper: worker ended with 1: ModuleNotFoundError: No module named 'ops'",
            "the worker exited with 1 after a KeyError it had logged",
            unless=r"(?i)\b(?:retry|retrying|again|trial|skip\w*|continu\w*|if|when)\b",
        ),
        Pattern(
            # As above.
            "gave_up",
            Kind.BARE_ERROR,
            "root",
            ("iving up", "ave up", "borting", "topping", "ailing out", "annot continue", "annot go on"),
            r"(?i:(?:^|[\]>|:;-] ?|\b(?:warning|error|critical|fatal) )(?:giving up|gave up|aborting|stopping|bailing out|cannot (?:continue|go on))\b"
            r"[^:(]{0,60}[:(] ?)(?P<subject>(?-i:[A-Z])\w*(?:Error|Exception)\b.{0,200})",
            "WARNING giving up in epoch 7: ValueError('shard 00017 has 31 columns, expected 32')",
            "giving up the lock: KeyError is raised by the caller if it is held",
            unless=r"(?i)\b(?:previous|earlier|last|retry|retrying|again|attempt|trial|skip\w*|continu(?:ed|ing)|if|when)\b",
        ),
        Pattern(
            # What a search says of one of its trials that gave no result; some may fail.
            "trial_failed",
            Kind.BARE_ERROR,
            "marker",
            tuple(f"{word}{sep}" for word in ("rial", "andidate", "onfig") for sep in " _#-"),
            r"(?i:\b(?:trial|candidate|config)[ _#-]{1,2}(?P<num>\d{1,6})\b.{0,40}?\b(?:error|failed|crashed)\b)"
            r".{0,200}?\b(?P<subject>[A-Z]\w{0,40}(?:Error|Exception)\b.{0,200})",
            "trial 3 ERROR val_loss=None KeyError: 'batch_size'",
            "trial 3 failed to beat the best",
            unless=r"(?i)\b(?:retry|retrying|again|if|when)\b",
        ),
        Pattern(
            # timm's script, below its last epoch.
            "timm_best",
            Kind.TRAINING_END,
            "marker",
            ("*** Best metric: ",),
            r"^\*\*\* Best metric: (?P<subject>[\d.]{1,20} \(epoch \d{1,6}\))$",
            "*** Best metric: 78.92 (epoch 299)",
            "Best metric: 78.92 (epoch 299)",
        ),
        Pattern(
            # torchtune and those who call their programs recipes.
            "recipe_completed",
            Kind.TRAINING_END,
            "marker",
            ("ecipe completed",),
            r"\b[Rr]ecipe completed(?: successfully| with \d{1,9} steps| in [\d.:]{1,20} ?\w{0,8})?[.!]?\s*$",
            "INFO:torchtune.utils._logging:Recipe completed.",
            "Recipe completed the download of 3 files, now training",
        ),
        Pattern(
            # ray/tune/progress_reporter.py: what a trial reports last, in its block "Result for NAME:".
            "ray_done",
            Kind.TRAINING_END,
            "marker",
            ("  done: true",),
            r"^(?:\([^()]{1,120}\) )?  done: (?P<subject>true)$",
            "  done: true",
            "  done: false",
        ),
        Pattern(
            # What a program says that found nothing to learn from, and leaves as it likes.
            "nothing_to_train_on",
            Kind.DATA_ERROR,
            "root",
            tuple(f"to {verb}" for verb in ("train on", "train with", "learn from", "fit on")),
            r"(?i:\b(?P<subject>nothing|no (?:data|examples?|samples?|rows?|images?|files?|shards?|batches|sequences|records?|documents?))"
            r"(?: (?:is |was |are |were )?(?:left|found|there|remaining))? to (?:train|learn|fit) (?:on|from|with)\b(?! rank| gpu| this| the))",
            "giving up: nothing to train on",
            "if there is nothing to train on the job leaves",
            unless=r"(?i)\b(?:if|when|unless|until|whether|skip\w*)\b",
        ),
        Pattern(
            "stops_on_signal",
            Kind.PLANNED_EXIT,
            "marker",
            ("SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT", "SIGXCPU", "ignal 2", "ignal 1"),
            rf"(?i:{_GOT} (?:an? |the )?(?:signal (?=SIG))?(?P<subject>{_ASKS})\b(?=.{{0,120}}{_LEAVES}))",
            "received SIGUSR1: will save and stop",
            "handler installed: when SIGUSR1 is received the job saves and will exit",
            unless=_A_SERVICE,
        ),
        Pattern(
            "signal_stops",
            Kind.PLANNED_EXIT,
            "marker",
            ("SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT", "SIGXCPU", "ignal 2", "ignal 1"),
            rf"(?i:(?:^|[\]>|:-] ?)(?:signal (?=SIG))?(?P<subject>{_ASKS})(?: (?:was |has been )?(?:received|caught)\b|: )(?=.{{0,120}}{_LEAVES}))",
            "SIGTERM received - finishing this step, then writing a checkpoint",
            "if SIGTERM received: finish the step, write a checkpoint",
            unless=_A_SERVICE,
        ),
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            ("raining", "TRAINING"),
            r"(?i:(?:^|[\]>|:;-] ?)(?:(?:the )?training (?:(?:process|job|run|loop) )?(?:is |was |has )?(?:complete|completed|finished|done)\b|finished training|completed training"
            r"|done training))",
            "2026-11-20 21:00:00 | INFO | training complete: 40 steps in 3.0 s",
            "until training complete callback fires",
            unless=r"Training completed\. Do not forget",
        ),
        Pattern(
            "early_stop",
            Kind.EARLY_STOP,
            "marker",
            (
                "arly stop",
                "arly-stop",
                "arlyStop",
                "ping early",
                "ped early",
                "o improvement ",
                "not improve",
                "n't improve",
            ),
            r"(?i:(?:^|[\]>|:;.-] ?|\d |training )(?:early[- ]?stop(?:ping|ped)?(?: (?:was )?triggered| (?:training )?(?:at|after) |: (?:no improvement|.{1,40} (?:did not|has not|hasn't) improved?)|$)"
            r"|stopp(?:ing|ed) early\b|no improvement (?:(?:of|in|on) [\w -]{1,30} )?(?:for|in) (?:the last )?\d+ \w+.{0,20}\bstop(?:ping|ped))"
            r"|\b(?:has|have|did)(?: not|n't) improved? (?:for|in|over) (?:the last )?\d{1,6} \w+\W{1,4}(?:so )?stop(?:ping|ped)\b)",
            "early stopping: no improvement for 8 epochs, best 0.4912",
            "early stopping counter: 3 out of 8",
            unless=r"(?i)\b(?:counter|enabled|disabled|configured|will|would|may|if|when|unless|patience=|not)\b(?! improve)",
        ),
        Pattern(
            # A record that a loop writes among those of its metrics, for a program to read.
            "event_end",
            Kind.TRAINING_END,
            "marker",
            ('"train', '"run_', '"fit_', '"Train'),
            rf'{_EVENT}"(?i:(?:train(?:ing)?|run|fit)[_ -]?(?:end|ended|completed?|finished|done))"',
            '{"event": "training_end", "step": 4000, "elapsed_s": 812.4}',
            '{"event": "train_step", "phase": "run_end"}',
            unless=r"(?i)fail|error|abort|kill|interrupt|cancel|crash|nan",
        ),
        Pattern(
            "event_early",
            Kind.EARLY_STOP,
            "marker",
            ("arly_stop", "arlyStop", "arly-stop", "arly stop"),
            rf'{_EVENT}"(?i:early[_ -]?stop(?:ping|ped)?)"',
            '{"event": "early_stop", "epoch": 34, "best": 24}',
            '{"event": "config", "rule": "early_stop"}',
        ),
        Pattern(
            # main.py of DETR and those after it (torchvision's references, DeiT, MAE, Swin)
            "training_time",
            Kind.TRAINING_END,
            "marker",
            ("Training time ",),
            r"(?:^|[\]>|:-] ?)Training time (?P<subject>(?:\d+ days?, )?\d{1,4}:\d\d:\d\d)$",
            "Training time 3:41:11",
            "Training time per epoch 0:12:11",
        ),
        Pattern(
            # detectron2/engine/hooks.py, IterationTimer: also after an exception, which then stands beside it
            "overall_speed",
            Kind.TRAINING_END,
            "marker",
            ("Overall training speed: ",),
            r"Overall training speed: (?P<num>\d+) iterations in ",
            "[11/20 23:40:33 d2.engine.hooks]: Overall training speed: 258 iterations in 0:25:11 (5.8566 s / it)",
            "Overall training speed: to be measured",
        ),
        Pattern(
            "timesteps_done",
            Kind.TRAINING_END,
            "marker",
            ("inished ", "ompleted "),
            r"(?i:(?:^|[\]>|:;.-] ?)(?:finished|completed) (?P<num>\d[\d,_]{2,14}) (?:total )?(?:time|env(?:ironment)?)[ _-]?steps\.?$)",
            "Finished 2000000 timesteps",
            "Completed 2048 timesteps in 3.1 s, going on",
            num_unit="step",
        ),
        Pattern(
            "steps_reached",
            Kind.TRAINING_END,
            "marker",
            (
                "max_steps",
                "max_iters",
                *(f"{mark} {word}" for mark in (",", ":", "-") for word in ("done", "finished", "complete")),
                *(
                    f"{unit}s {word}"
                    for unit in ("step", "epoch", "update", "iteration")
                    for word in ("done", "finished", "complete", "are done", "were done")
                ),
            ),
            r"(?i:(?:reached max_(?:steps|iters)|max_(?:steps|iters)(?:=\d+)? reached)"
            rf"|(?:^|[\]>|:;.-] ?|\d )(?:{_STEP} (?P<all>\d{{2,12}}) ?(?:/|of) ?(?P=all)\W{{1,3}}{_DONE}|all (?:of the )?(?:planned )?(?:\d+ )?{_STEP} (?:were |are )?{_DONE}))\b",
            "10:21:30 step 700/700, done",
            "max_steps=100",
            unless=r"Trainer\.fit",
        ),
        Pattern(
            "model_saved",
            Kind.MODEL_SAVED,
            "marker",
            ("odel",),
            r"(?i:(?:^|[\]>|:-] ?)(?:final model saved|saved (?:the )?final model|model successfully saved|model weights saved in|(?:saved|wrote|exported)(?: \w+){0,2} \S*(?:final[_-]?model|model[_-]?final))(?:.*?(?:to|in) (?P<subject>\S+))?)",
            "final model saved to outputs/model.safetensors",
            "model will be saved",
            # HF's Trainer says the same of every checkpoint on the way.
            unless=r"(?i:checkpoint|step|iter|epoch)[-_=]?\d",
        ),
        Pattern(
            "nan",
            Kind.NAN_LOSS,
            "root",
            ("NaN", "nan", "non-finite", "Non-finite", "inf "),
            r"(?i:(?:(?:error|exception|warning|critical)\b.{0,60})?\b(?:loss|gradients?|grad[_ ]norm) (?:is|became|was|has become|went|contains?) (?:nan|inf\b|non-finite|not finite|infinite)"
            r"|(?:nan|non-finite|inf/nan|nan/inf) (?:loss|gradients?|grad(?:ient)?[_ ]norm)? ?(?:detected|encountered|found)"
            r"|(?:detected|encountered|found) (?:a )?(?:nan|non-finite|inf) (?:in|loss|gradient))",
            "ValueError: loss is nan, stopping training",
            "stop if the loss is nan",
            unless=r"(?i:\bif\b|when\b|check_for|skip_nan|raise if|\btrial \d+ failed\b)",
        ),
    ),
)
