"""Phases of a training, and learning that went wrong, in the words of loops that people write themselves."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

_STEP = r"(?:(?:training )?steps?|iter(?:ation)?s?|updates?|epochs?|its?|rounds?)"
_DONE = r"(?:done|finished|completed?)"
_GOT = r"\b(?:received|caught|got)"
_ASKS = r"(?:SIG(?:USR[12]|TERM|INT|XCPU)|signal (?:2|10|12|15|24))"
_LEAVES = r"\b(?:(?:exit|leav|requeu|finish|terminat)(?:s|ing)?|stop(?:s|ping)?|quit(?:s|ting)?|ending|leave|requeue|terminate|shut(?:s|ting)? ?down|bye)\b"
"""What a program says that leaves because it was asked to."""
_EVENT = r'"(?:event|msg|message|status|state|type|kind)"\s{0,3}:\s{0,3}'
_A_SERVICE = r"(?i)\b(?:raylet|server|uvicorn|gunicorn|daemon|exporter|agent|side-?car|proxy|redis|nginx|worker|helper|child|subprocess|evaluator|loader|actor|monitor)s?\b"
"""What runs beside a training, and is ended with it."""
_BEGINS = r"(?:^|[\]】>|:;-] ?|=== )"
"""Where a sentence begins: at once, or behind a clock, a level or a name."""
_GAIN = r"(?:gain|rise|improvement|progress|new best|better (?:score|result|value))"
_SO_MANY = r"(?:\d{1,4}|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_ENDED_ABROAD = (
    *("terminé", "beendet", "abgeschlossen", "fertig", "finalizado", "terminado", "completado"),
    *("concluído", "completato", "terminato", "concluso", "voltooid", "zakończon"),
    *("завершен", "окончен", "закончен", "完了", "終了", "完成", "结束", "結束", "완료", "종료"),
)
_NO_GOOD_END = (
    r"(?i)\b(?:avant|apr[èe]s|quand|lorsque|bevor|nachdem|wenn|nicht|ohne|antes|cuando|quando|prima|dopo|erreurs?|fehler|abbruch"
    r"|abgebrochen|vorzeitig|interrompu|interrumpido|interrotto|errores?|erros?|errori|ошиб\w*|прерван\w*|если|после|когда)\b"
    r"|未|没有|沒有|不|失败|失敗|异常|異常|エラー|ない|中断|後|后|まで|たら|오류|실패|중단|후"
)
"""What such a sentence says beside it that is about another time, or another end."""

PATTERNS = (
    *of(
        "loop",
        Pattern(
            "skipped",
            Kind.UPDATE_SKIPPED,
            "marker",
            ("kipp", "gnor", "iscard", "KIPP", "eft out"),
            r"(?i:\b(?:nan|inf|infinite|non-?finite|not (?:a )?(?:finite|number))\b.{0,60}\b(?:(?:skipp|ignor|discard)(?:ed|ing)|left out)\b"
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
            "2026-11-20 21:00:00 | INFO | fairseq.trainer | begin training epoch 2",
            # fairseq/trainer.py, begin_epoch: it says so of each
            unless=r"(?i)training (?:on |for |of |in )?(?:the )?(?:epoch|round|phase|stage|iteration|cycle|step|pass|generation)s? ?[#:(]{0,2} ?\d",
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
            # nequip/train/trainer.py
            "nequip_stopped",
            Kind.TRAINING_END,
            "marker",
            ("! Stop training: ",),
            r"^! Stop training: (?P<subject>max epochs|.{1,120} has not (?:been )?(?:reduced|improved) for \d{1,6} epochs|.{1,80} lower bound .{1,80})",
            "! Stop training: max epochs",
            "! Stop training: eventual problems above",
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
            # ray/tune/progress_reporter.py, below the last table: none of its trials failed, or is still to come.
            "ray_all_done",
            Kind.TRAINING_END,
            "marker",
            (" TERMINATED)",),
            r"^Number of trials: (?P<num>[1-9]\d{0,5})/(?P=num) \((?P=num) TERMINATED\)$",
            "Number of trials: 16/16 (16 TERMINATED)",
            "Number of trials: 16/16 (1 ERROR, 15 TERMINATED)",
        ),
        Pattern(
            # ray/tune/experimental/output.py
            "ray_completed",
            Kind.TRAINING_END,
            "marker",
            (" completed after ",),
            r"^(?:\([^()]{1,120}\) )?Trial \S{1,160} completed after \d+ iterations at ",
            "Trial PPO_Ant_9c1_00000 completed after 200 iterations at 2026-11-16 09:46:41. Total running time: 46min 40s",
            "Trial PPO_Ant_9c1_00000 errored after 12 iterations at 2026-11-18 03:14:01. Total running time: 2min 41s",
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
            # How much of its plan a program says that it made, when it leaves.
            "done_of_plan",
            Kind.TRAINING_END,
            "marker",
            ("planned ", "scheduled ", "configured "),
            r"(?i:(?<![\d.,])(?P<num>\d{1,12}) (?:steps |updates |iterations )?(?:of|out of) (?:the )?(?P<subject>\d{1,12}) "
            r"(?:planned|scheduled|configured) (?:training |optimi[sz]er )?(?:steps|updates|iterations) "
            r"(?:were |have been |are )?(?:made|done|run|taken|completed|performed|executed)\b)",
            "training over: 40 of 90000 planned steps were made",
            "40 of 90000 planned steps done so far",
            unless=r"(?i)\bso far\b|\byet\b|\bwhen\b|\bif\b|fail|abort|kill|interrupt|signal|crash|error|paus|stopped by|preempt",
            num_unit="step",
        ),
        Pattern(
            "end",
            Kind.TRAINING_END,
            "marker",
            ("raining", "TRAINING"),
            r"(?i:(?:^|[\]>|:;-] ?)(?:(?:the )?training (?:(?:process|job|run|loop) )?(?:is |was |has )?(?:complete|completed|finished|done)\b|finished training|completed training"
            r"|done training|training_(?:complete|completed|finished|done|ended)\b(?!\s?[=:])))",
            "2026-11-20 21:00:00 | INFO | training complete: 40 steps in 3.0 s",
            "until training complete callback fires",
            unless=r"(?i:finished iteration \d)|Training completed\. Do not forget|finished: Stopped manually",
        ),
        Pattern(
            "end_in_other_words",
            Kind.TRAINING_END,
            "marker",
            _ENDED_ABROAD,
            rf"{_BEGINS}(?i:(?:l['’]|le |das |el |o |il |lo )?(?:entra[iî]nement|apprentissage|training|entrenamiento|treinamento|treino"
            r"|addestramento|allenamento|trening) (?:est |ist |wurde |è |está |foi |is |został )?(?:terminé|beendet|abgeschlossen|fertig"
            r"|finalizado|terminado|completado|concluído|completato|terminato|concluso|voltooid|zakończony)\b"
            r"|обучение (?:модели )?(?:завершен|окончен|закончен)о\b)"
            rf"|{_BEGINS}.{{0,12}}(?:学習|訓練|トレーニング)[がは]?(?:すべて)?(?:完了|終了)|{_BEGINS}.{{0,16}}(?:训练|訓練|学习)(?:已经?)?(?:全部)?(?:完成|结束|結束)"
            rf"|{_BEGINS}(?:모델 )?학습이? ?(?:완료|종료)",
            "2026-11-04 15:38:50 | entraînement terminé : 50 époques sur 50",
            "quand l'entraînement est terminé le fichier est écrit",
            unless=_NO_GOOD_END,
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
            r"|\bearly[- ]?stop(?:ping|ped)?\b.{1,160}\b(?:training|run|fit) (?:was|is|has been) stopped\b"
            r"|\b(?:has|have|did)(?: not|n't) improved? (?:for|in|over) (?:the last )?\d{1,6} \w+\W{1,4}(?:so )?stop(?:ping|ped)\b)",
            "early stopping: no improvement for 8 epochs, best 0.4912",
            "early stopping counter: 3 out of 8",
            unless=r"(?i)\b(?:counter|enabled|disabled|configured|will|would|may|if|when|unless|patience=|not)\b(?! improve)",
        ),
        Pattern(
            # The same where a loop's own rule counts the looks that brought nothing.
            "no_gain_in_a_row",
            Kind.EARLY_STOP,
            "marker",
            (
                *("no gain ", "no rise ", "o improvement ", "o progress ", "o new best ", "o better ", " in a row "),
                *(
                    f"ithout {word}"
                    for word in ("a ", "an ", "any ", "gain", "rise", "impr", "progr", "new b", "better")
                ),
            ),
            rf"(?:{_BEGINS}|\d )(?i:(?:no|without(?: an?y?)?) {_GAIN} (?:for|in|over|since) (?:the last )?{_SO_MANY} (?:\w{{1,20}} )?\w{{2,20}}s(?: in a row)?"
            rf"|{_SO_MANY} (?:\w{{1,20}} )?in a row (?:without|with no|brought no|gave no) (?:an?y? )?{_GAIN})(?: \([^)]{{1,40}}\))?"
            r"(?i:\W{1,4}(?:so |(?:that|this) is )?(?:(?:the|my|our) )?(?:done|over|end(?:ed|ing|s)?|stop(?:ped|ping|s)?|finish(?:ed|ing)?|enough)\b)",
            "10:18:27 | four in a row without gain: done as the rule has it. best is update 3324 with F1 0.8801",
            "10:06:12 | rule: evaluate every 277 updates, go on until four evaluations in a row bring no gain: end",
            unless=r"(?i)\b(?:counter|will|would|may|if|when|until|unless|rule:)\b",
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
            # The same by a shorter name, with what the whole run came to.
            "event_over",
            Kind.TRAINING_END,
            "marker",
            ('"end"', '"done"', '"finished"', '"complete"', '"completed"', '"finish"'),
            r'^\{(?:.{0,200}?[,{] ?)?"(?:ev|evt|event|kind|type|what|phase|stage)" ?: ?"(?:end|done|finish(?:ed)?|completed?)"(?=.{0,300}"(?:total_)?(?:steps|epochs|iters|iterations|updates|hours|wall\w{0,8}|elapsed\w{0,8}|duration\w{0,8})" ?: ?\d)',
            '{"ts": "2026-11-12T11:17:45-06:00", "ev": "end", "steps": 960, "reason": "plan done", "errors": 0}',
            '{"ts": "2026-11-12T11:17:45-06:00", "ev": "done", "what": "saved", "step": 960}',
            unless=r"(?i)fail|error(?!s?\"? ?: ?(?:0|null|false|\[\])\b)|abort|kill|interrupt|cancel|crash|\bnan\b|signal|limit|preempt|\"(?:epoch|step)\" ?:",
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
            unless=r"(?i:\bif\b|when\b|check_for|skip_nan|raise if|\btrial \d+ failed\b|\bleft out\b)",
        ),
    ),
)
