"""Curves c09 to c16 of the twenty-first set: SIMULATED logs, drawn by lot_curves; the truth stands beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

from .stamps import Stamps

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c09_trees_till_morning(place: Path, rng: Random) -> None:
    """F3: xgboost on one card still gains at round 6150 of 12000 when Slurm's limit ends the job."""
    log = [
        "reading /scratch/adtech/clicks_2026q3/*.parquet with dask_cudf",
        "train 96412870 rows x 188 columns, valid 10712541 rows x 188 columns",
        "QuantileDMatrix built in 214.7 s",
        "params = {'objective': 'binary:logistic', 'device': 'cuda', 'tree_method': 'hist', 'max_depth': 11, "
        "'eta': 0.015, 'subsample': 0.8, 'colsample_bytree': 0.6, 'eval_metric': ['logloss', 'auc']}",
        "num_boost_round = 12000, verbose_eval = 150",
    ]
    for step in range(0, 6151, 150):
        train = 0.3712 + 0.1704 * 2.718 ** (-step / 900) + (0.6915 - 0.5416) * 2.718 ** (-step / 60)
        valid = 0.3839 + 0.1588 * 2.718 ** (-step / 900) + (0.6915 - 0.5427) * 2.718 ** (-step / 60)
        auc = 0.8127 - 0.061 * 2.718 ** (-step / 850) + rng.gauss(0, 0.00004)
        log.append(
            f"[{step}]\ttrain-logloss:{train - step * 2e-6:.5f}\ttrain-auc:{auc + 0.006 + step * 1e-6:.5f}"
            f"\tvalid-logloss:{valid - step * 1e-6 + rng.gauss(0, 0.00003):.5f}\tvalid-auc:{auc + step * 4e-7:.5f}"
        )
    err = [
        'Lmod is automatically replacing "gcc/12.2.0" with "gcc/13.1.0".',
        "/home/tju/.conda/envs/xgb/lib/python3.11/site-packages/dask_cudf/io/parquet.py:47: UserWarning: Using "
        "cudf.set_option for spilling is recommended for data larger than device memory",
        "  warnings.warn(",
        "slurmstepd: error: *** JOB 5512093 ON gpu14 CANCELLED AT 2026-11-04T06:00:21 DUE TO TIME LIMIT ***",
    ]
    put(place, "xgb-5512093.out", log)
    put(place, "xgb-5512093.err", err)


def c10_rlhf_of_a_helpdesk(place: Path, rng: Random) -> None:
    """G1: OpenRLHF teaches a help desk; its samples speak of crashes, its own job succeeds; no total is printed."""
    ask = (
        "My server says 'kernel: Out of memory: Killed process 4411 (java)'. What should I do?",
        "I get Segmentation fault (core dumped) when I start the viewer.",
        "The disk is full and mysql died with error 28, please help.",
        "Why does my loss become NaN after the first epoch?",
        "CUDA error: device-side assert triggered. How can I debug this?",
        "The node was drained by the admin and my job is gone, was it preempted?",
        "NCCL timeout after 1800 seconds on rank 3, is the switch broken?",
        "How do I stop a process that ignores SIGTERM?",
    )
    say = (
        "The kernel ran out of memory and killed the largest process. First look at free -h and lower the heap.",
        "A segmentation fault means that the program touched memory that is not its own. Try gdb with the core file.",
        "Error 28 means that no space is left on the device. Delete old logs, then restart the service.",
        "A fatal error often has a harmless cause. Lower the learning rate and look for inf in the inputs.",
        "Set CUDA_LAUNCH_BLOCKING=1 and run it again, the traceback will then point to the failing kernel.",
        "Ask your administrator; sacct -j JOBID shows PREEMPTED, FAILED, TIMEOUT or NODE_FAIL.",
        "A rank that crashed makes all others wait. Look for the first rank that raised an exception.",
        "Use kill -9, the process is then terminated at once and cannot save its state.",
    )
    who = "\x1b[36m(PPOTrainer pid=88131)\x1b[0m "
    log = [
        "Job submission server address: http://127.0.0.1:8265",
        "",
        "-------------------------------------------------------",
        "Job 'raysubmit_7VvKqWc3bTnU4h1E' submitted successfully",
        "-------------------------------------------------------",
        "",
        "Next steps",
        "  Query the logs of the job:",
        "    ray job logs raysubmit_7VvKqWc3bTnU4h1E",
        "  Query the status of the job:",
        "    ray job status raysubmit_7VvKqWc3bTnU4h1E",
        "  Request the job to be stopped:",
        "    ray job stop raysubmit_7VvKqWc3bTnU4h1E",
        "",
        "Tailing logs until the job exits (disable with --no-tail-logs):",
        "2026-11-02 19:41:07,518\tINFO worker.py:1694 -- Connecting to existing Ray cluster at address: "
        "10.8.0.21:6379...",
        "2026-11-02 19:41:07,529\tINFO worker.py:1879 -- Connected to Ray cluster. View the dashboard at "
        "\x1b[1m\x1b[32m10.8.0.21:8265 \x1b[39m\x1b[22m",
        "\x1b[36m(LLMRayActor pid=88402)\x1b[0m INFO 11-02 19:42:31 [gpu_model_runner.py:1875] Model loading took "
        "14.2717 GiB",
        "\x1b[36m(PolicyModelActor pid=88977)\x1b[0m [2026-11-02 19:43:02,117] [INFO] [comm.py:669:init_distributed] "
        "Initializing TorchBackend in DeepSpeed with backend nccl",
    ]
    start = 70990.0
    now = start + 210
    for step in range(1, 121):
        reward = 1.94 - 2.2 * 2.718 ** (-step / 38) + rng.gauss(0, 0.06)
        kl = 0.0005 + 0.061 * (1 - 2.718 ** (-step / 60)) * (1 + rng.gauss(0, 0.06))
        glen = 214 + 41 * (1 - 2.718 ** (-step / 40)) + rng.gauss(0, 5)
        lr = 5e-7 * min(1, step / 4)
        pick = rng.randrange(len(ask))
        make, train = 61 + rng.gauss(0, 2.5), 148 + rng.gauss(0, 3)
        log.append(who + f"INFO {clock(now, '%m-%d %H:%M:%S')} experience_maker.py:241] 🚀 Starting experience "
            f"making with "
                   "1024 samples")  # fmt: skip
        log.append(who + f"INFO {clock(now + make, '%m-%d %H:%M:%S')} experience_maker.py:262] ✨ Experience making "
            f"completed "
                   f"in {hms(make).rjust(8, '0') if make >= 3600 else '00:' + hms(make)}")  # fmt: skip
        log.append(who + f"['<|im_start|>user\\n{ask[pick]}<|im_end|>\\n<|im_start|>assistant\\n"
                   f"{say[rng.choice((pick, pick, (pick + 3) % 8))]}<|im_end|>', "
                   f"{reward + rng.gauss(0, 0.7):.4f}]")  # fmt: skip
        if rng.random() < 0.18:
            log.append(
                f"\x1b[36m(PolicyModelActor pid=88977)\x1b[0m [{clock(now + make + 60)},{rng.randrange(1000):03d}] "
                f"[WARNING] "
                "[stage3.py:2139:step] 1 pytorch allocator cache flushes since last step. this happens when there "
                "is high "
                "memory pressure and is detrimental to performance. if this is happening frequently consider "
                "adjusting "
                "settings to reduce memory consumption."
            )
        now += make + train
        status = (
            f"{{'policy_loss': {rng.gauss(0, 0.004):.6f}, 'actor_lr': {lr:.3g}, 'ppo_clip_ratio': "
            f"{abs(rng.gauss(0.011, 0.003)):.6f}, 'ppo_kl': {abs(rng.gauss(0.0006, 0.0002)):.6f}, 'kl': {kl:.6f}, "
            f"'response_length': {glen:.4f}, 'total_length': {glen + 61.3:.4f}, 'reward': {reward:.6f}, "
            f"'return': {reward - kl * 0.01 + rng.gauss(0, 0.02):.6f}, 'critic_loss': "
            f"{0.41 * 2.718 ** (-step / 15) + 0.06:.6f}, "
            f"'values': {reward * 0.93 + rng.gauss(0, 0.05):.6f}, 'critic_lr': {lr * 18:.3g}, 'generate_time': "
            f"{make - 9:.4f}, "
            f"'step_time': {make + train:.4f}}}"
        )
        log.append(who + f"INFO {clock(now, '%m-%d %H:%M:%S')} ppo_trainer.py:288] ✨ Global step {step}: {status}")
    now += 71
    log += [
        "\x1b[36m(PolicyModelActor pid=88977)\x1b[0m "
        f"[{clock(now)},402] [INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saving "
        f"./ckpt/helpdesk-ppo/actor/model.bin...",
        "\x1b[36m(CriticModelActor pid=89244)\x1b[0m Saving critic to ./ckpt/helpdesk-ppo_critic",
        "",
        "------------------------------------------",
        "Job 'raysubmit_7VvKqWc3bTnU4h1E' succeeded",
        "------------------------------------------",
        "",
    ]
    end = now + 33
    took = int(end - start + 165)
    span = f"{took // 3600:02d}:{took % 3600 // 60:02d}:{took % 60:02d}"
    when = f"{clock(end - took, '%Y-%m-%dT%H:%M:%S')}|{clock(end, '%Y-%m-%dT%H:%M:%S')}|{span}"
    put(place, "rlhf-helpdesk.log", log)
    put(
        place,
        "sacct.txt",
        [
            "JobID|JobName|Partition|AllocTRES|State|ExitCode|Start|End|Elapsed|Timelimit",
            f"90417|helpdesk-ppo|h100|billing=64,cpu=64,gres/gpu=8,mem=900G,node=1|COMPLETED|0:0|{when}|12:00:00",
            f"90417.batch|batch||cpu=64,gres/gpu=8,mem=900G,node=1|COMPLETED|0:0|{when}|",
            f"90417.extern|extern||billing=64,cpu=64,gres/gpu=8,mem=900G,node=1|COMPLETED|0:0|{when}|",
        ],
    )


def c11_tickets_in_folds(place: Path, rng: Random) -> None:
    """A1 in mid-run: a fold has no ticket of one class, and the report at its end raises."""
    names = (
        "disk_failure",
        "gpu_lost",
        "kernel_panic",
        "login",
        "network_timeout",
        "out_of_memory",
        "quota",
        "segfault",
    )
    share = (212, 61, 88, 940, 377, 265, 430, 4)
    log = ["tickets: 16904 texts, 8 labels", "configs: 6, folds per config: 10, epochs per fold: 20", ""]
    err = [
        "/opt/fastai/lib/python3.9/site-packages/fastai/learner.py:59: UserWarning: Could not load the optimizer "
        "state.",
        '  if with_opt: warn("Could not load the optimizer state.")',
    ]
    count = 0
    for config in range(1, 7):
        drop = (0.3, 0.5, 0.7)[(config - 1) % 3]
        for fold in range(10):
            count += 1
            rate = (2e-3, 5e-3)[(config - 1) // 3]
            log += [
                f"=== config {config} (drop_mult={drop}, lr={rate}) fold {fold} ===",
                "".join(f"{x:10s}" for x in ("epoch", "train_loss", "valid_loss", "accuracy", "f1_score", "time"))
                .replace("train_loss", "train_loss  ")
                .replace("valid_loss", "valid_loss  "),
            ]
            for epoch in range(20):
                train = falls(rng, epoch, 1.84, 0.41 + 0.12 * drop, 5.5, 0.012)
                valid = falls(rng, epoch, 1.63, 0.53, 4.5, 0.014)
                acc = 0.842 - 0.33 * 2.718 ** (-epoch / 4.5) + rng.gauss(0, 0.004)
                cells = (f"{train:.6f}", f"{valid:.6f}", f"{acc:.6f}", f"{acc - 0.07:.6f}")
                log.append(
                    f"{epoch:<10d}" + "".join(f"{x:<12s}" for x in cells[:2]) + "".join(f"{x:<10s}" for x in cells[2:])
                    + f"00:{rng.choice((17, 18, 18, 19)):02d}     "
                )  # fmt: skip
            if (config, fold) == (5, 7):
                break
            log += ["", f"{'':>15} precision    recall  f1-score   support", ""]
            for name, many in zip(names, share, strict=True):
                p, r = (min(0.99, 0.62 + 0.05 * many**0.25 + rng.gauss(0, 0.03)) for _ in range(2))
                true = max(1, many * 7 // 10 + rng.randrange(-3, 4))
                hits = round(r * true)
                p, r = hits / max(hits, round(hits / p), 1), hits / true
                f1 = 2 * p * r / (p + r) if hits else 0.0
                log.append(f"{name:>15} {p:9.2f} {r:9.2f} {f1:9.2f} {true:9d}")
            log += ["", f"{'accuracy':>15} {'':9} {'':9} {acc:9.2f} {1690:9d}", ""]
        else:
            continue
        break
    err += [
        "Traceback (most recent call last):",
        '  File "/home/nadia/tickets/sweep.py", line 93, in <module>',
        "    main()",
        '  File "/home/nadia/tickets/sweep.py", line 88, in main',
        "    run_fold(cfg, fold, dls)",
        '  File "/home/nadia/tickets/sweep.py", line 61, in run_fold',
        "    print(classification_report(targs, preds.argmax(1), target_names=LABELS))",
        '  File "/opt/fastai/lib/python3.9/site-packages/sklearn/metrics/_classification.py", line 2132, in '
        "classification_report",
        "    raise ValueError(",
        "ValueError: Number of classes, 7, does not match size of target_names, 8. Try specifying the labels parameter",
    ]
    put(place, "sweep.out", log)
    put(place, "sweep.err", err)


def c12_tower_talk(place: Path, rng: Random) -> None:
    """G1: SpeechBrain learns what pilots in distress say, to the test; the words are frightening, the run is not."""
    log: list[str] = []
    now = 208800.0
    tick = Stamps(rng)

    def say(name: str, text: str) -> None:
        log.append(f"{tick(now)} - {name} - INFO - {text}")

    save = "results/wav2vec2_atc_distress/2026/save"
    say("speechbrain.core", "Beginning experiment!")
    say("speechbrain.core", "Experiment folder: results/wav2vec2_atc_distress/2026")
    now += 4
    say("speechbrain.dataio.encoder", "Load called, but CTCTextEncoder is not empty. Loaded data will overwrite "
        "everything. "
        "This is normal if there is e.g. an unk label defined at init.")  # fmt: skip
    say("speechbrain.core", "Info: precision arg from hparam file is used")
    say("speechbrain.core", "Gradscaler enabled: `True`")
    say("speechbrain.core", "Info: max_grad_norm arg from hparam file is used")
    say("speechbrain.core", "ASR Model Statistics:\n* Total Number of Trainable Parameters: 317.5M\n"
        "* Total Number of Parameters: 317.5M\n* Trainable Parameters represent 100.0000% of the total "
        "size.")  # fmt: skip
    say("speechbrain.utils.checkpoints", "Would load a checkpoint here, but none found yet.")
    kept: str | None = None
    lr, wav = 1.0, 1e-4
    before = 9e9
    table = []
    best = 999.0
    for epoch in range(1, 31):
        say("speechbrain.utils.epoch_loop", f"Going into epoch {epoch}")
        now += 611 + rng.gauss(0, 7)
        train = falls(rng, epoch - 1, 3.9, 0.19, 3.0, 0.02)
        valid = falls(rng, epoch - 1, 2.4, 0.43, 3.1, 0.022)
        cer = 4.1 + 52 * 2.718 ** (-epoch / 2.6) + abs(rng.gauss(0, 0.12))
        wer = 10.4 + 84 * 2.718 ** (-epoch / 3.0) + abs(rng.gauss(0, 0.3))
        row = (
            f"epoch: {epoch}, lr_model: {lr:.2e}, lr_wav2vec: {wav:.2e} - train loss: {train:.2e} - "
            f"valid loss: {valid:.2e}, valid CER: {cer:.2f}, valid WER: {wer:.2f}"
        )
        table.append(row)
        say("speechbrain.utils.train_logger", row)
        mark = f"{save}/CKPT+{clock(now, '%Y-%m-%d+%H-%M-%S')}+00"
        say("speechbrain.utils.checkpoints", f"Saved an end-of-epoch checkpoint in {mark}")
        if wer < best:
            if kept:
                say("speechbrain.utils.checkpoints", f"Deleted checkpoint in {kept}")
            best, kept = wer, mark
        if (before - valid) / before < 0.0025:
            say("speechbrain.nnet.schedulers", f"Changing lr from {lr:.2g} to {lr * 0.8:.2g}")
            lr, wav = lr * 0.8, wav * 0.9
        before = valid
    say("speechbrain.utils.checkpoints", f"Loading a checkpoint from {kept}")
    now += 96
    row = f"Epoch loaded: 30 - test loss: 4.61e-01, test CER: 4.37, test WER: {best + 0.62:.2f}"
    table.append(row)
    say("speechbrain.utils.train_logger", row)
    put(place, "log.txt", log)
    put(place, "train_log.txt", table)
    pairs = (
        ("mayday mayday mayday engine failure number two", "mayday mayday mayday engine failure number two"),
        ("we have lost the left engine fire warning on", "we have lost the left engine fire warning on"),
        ("radar contact lost say again", "radar contact lost say again"),
        ("total electrical failure we abort the approach", "total electrical failure we abort the approach"),
        ("pan pan cabin pressure error descending", "pan pan cabin pressure terror descending"),
    )
    wrong = round((best + 0.62) / 100 * 9214)
    lines = [
        f"%WER {best + 0.62:.2f} [ {wrong} / 9214, {wrong // 6} ins, {wrong // 4} del, "
        f"{wrong - wrong // 6 - wrong // 4} sub ]",
        "%SER 41.88 [ 413 / 986 ]",
        "Scored 986 sentences, 0 not present in hyp.",
        "=" * 80,
        "ALIGNMENTS",
        "",
        "Format:",
        "<utterance-id>, WER DETAILS",
        "<eps> ; reference  ; on ; the ; first ;  line",
        "  I   ;     S      ; =  ;  =  ;   S   ;   D  ",
        " and  ; hypothesis ; on ; the ; third ; <eps>",
        "=" * 80,
    ]
    for number, (true, heard) in enumerate(pairs):
        a, b = true.split(), heard.split()
        bad = sum(x != y for x, y in zip(a, b, strict=True))
        lines += [
            f"atc_{number + 410:05d}, %WER {100 * bad / len(a):.2f} [ {bad} / {len(a)}, 0 ins, 0 del, {bad} sub ]",
            " ; ".join(a),
            " ; ".join(("=" if x == y else "S").center(len(x)) for x, y in zip(a, b, strict=True)),
            " ; ".join(b),
            "=" * 80,
        ]
    put(place, "wer_test.txt", lines)


def c13_flair_of_genes(place: Path, rng: Random) -> None:
    """G1: flair tags genes for ten epochs, as planned, and tests its model."""
    log: list[str] = []
    now = 119000.0
    tick = Stamps(rng)

    def say(text: str) -> None:
        log.append(f"{tick(now)} {text}")

    rule = "-" * 100
    say("Computing label dictionary. Progress:")
    now += 6
    say("Dictionary created for label 'ner' with 4 values: Gene (seen 15911 times), Disease (seen 6204 times), "
        "Chemical (seen 4817 times)")  # fmt: skip
    say('SequenceTagger predicts: Dictionary with 13 tags: O, S-Gene, B-Gene, E-Gene, I-Gene, S-Disease, B-Disease, '
        "E-Disease, I-Disease, S-Chemical, B-Chemical, E-Chemical, I-Chemical")  # fmt: skip
    say(rule)
    say('Model: "SequenceTagger(\n  (embeddings): TransformerWordEmbeddings(\n    (model): BertModel(...)\n  )\n'
        '  (locked_dropout): LockedDropout(p=0.5)\n  (linear): Linear(in_features=768, out_features=13, bias=True)\n'
        '  (loss_function): CrossEntropyLoss()\n)"')  # fmt: skip
    for text in (
        rule,
        "Corpus: 12574 train + 1398 dev + 3494 test sentences",
        rule,
        "Train:  12574 sentences",
        "        (train_with_dev=False, train_with_test=False)",
        rule,
        "Training Params:",
        ' - learning_rate: "3e-05" ',
        ' - mini_batch_size: "16"',
        ' - max_epochs: "10"',
        ' - shuffle: "True"',
        rule,
        "Plugins:",
        " - LinearScheduler | warmup_fraction: '0.1'",
        rule,
        "Final evaluation on model from best epoch (best-model.pt)",
        " - metric: \"('micro avg', 'f1-score')\"",
        rule,
        "Computation:",
        " - compute on device: cuda:0",
        " - embedding storage: none",
        rule,
        'Model training base path: "resources/taggers/bio-ner"',
        rule,
        rule,
    ):
        say(text)
    table = ["EPOCH\tTIMESTAMP\tLEARNING_RATE\tTRAIN_LOSS\tDEV_LOSS\tDEV_PRECISION\tDEV_RECALL\tDEV_F1\tDEV_ACCURACY"]
    iters, best = 786, 0.0
    for epoch in range(1, 11):
        spent = 0.0
        running = 0.0
        for done in range(78, 781, 78):
            spent += 8.9 + rng.gauss(0, 0.2)
            where = epoch - 1 + done / iters
            lr = 3e-5 * (where if where < 1 else (10 - where) / 9)
            current = falls(rng, where, 1.9, 0.021, 0.5, 0.02)
            running = current if epoch > 1 else (running or 1.9) * 0.55 + current * 0.45
            now += 8.9
            say(f"epoch {epoch} - iter {done}/{iters} - loss {running:.8f} - time (sec): {spent:.2f} - samples/sec: "
                f"{done * 16 * 26 / spent:.2f} - lr: {lr:.6f} - momentum: 0.000000")  # fmt: skip
        now += 1
        say(rule)
        say(f"EPOCH {epoch} done: loss {running:.4f} - lr: {lr:.6f}")
        now += 9
        dev = 0.081 + 0.13 * 2.718 ** (-epoch / 1.1) + 0.002 * epoch + rng.gauss(0, 0.002)
        prec = 0.894 - 0.2 * 2.718 ** (-epoch / 1.6) + rng.gauss(0, 0.002)
        rec = 0.903 - 0.2 * 2.718 ** (-epoch / 1.5) + rng.gauss(0, 0.002)
        score = 2 * prec * rec / (prec + rec)
        say(f"DEV : loss {dev:.16f} - f1-score (micro avg)  {score:.4f}")
        if score > best:
            best = score
            say("saving best model")
        say(rule)
        table.append(f"{epoch}\t{clock(now, '%H:%M:%S')}\t{lr:.4f}\t{running:.16f}\t{dev:.16f}\t{prec:.4f}\t{rec:.4f}\t"
                     f"{score:.4f}\t{score * 0.885:.4f}")  # fmt: skip
    say("Loading model from best epoch ...")
    now += 21
    log.append(
        "\nResults:\n- F-score (micro) 0.8912\n- F-score (macro) 0.8837\n- Accuracy 0.8214\n\nBy class:\n"
        "              precision    recall  f1-score   support\n\n"
        "        Gene     0.8894    0.9021    0.8957      4402\n"
        "     Disease     0.8511    0.8690    0.8600      1718\n"
        "    Chemical     0.8903    0.9007    0.8955      1340\n\n"
        "   micro avg     0.8805    0.9021    0.8912      7460\n"
        "   macro avg     0.8769    0.8906    0.8837      7460\n"
        "weighted avg     0.8807    0.9021    0.8912      7460\n"
    )
    say(rule)
    put(place, "training.log", log)
    put(place, "loss.tsv", table)


def c14_tiles_off_the_tape(place: Path, rng: Random) -> None:
    """D1: a program in C++ waits three seconds for each batch that it computes in a fifth of one; it does finish."""
    log = []
    now = 142310.0
    first, last = 24700, 40000
    best = 1.0
    for step in range(first, last + 1, 100):
        load = max(1.6, 3.08 + rng.gauss(0, 0.34) + (2.3 if rng.random() < 0.08 else 0))
        work = 0.187 + rng.gauss(0, 0.003)
        now += (load + work + 0.014) * 100
        loss = falls(rng, step, 0.11, 0.0347, 6100, 0.02)
        best = min(best, loss)
        log.append(
            f"{clock(now, '%d.%m. %H:%M:%S')}  it {step:6d}/{last}  l1 {loss:.5f}  psnr "
            f"{1.6 - 20 * math.log10(loss):.2f} dB"
            f"  iter {load + work + 0.014:.3f} s [next_batch {load:.3f}  h2d 0.006  fwd+bwd {work:.3f}  step "
            f"0.008]  queue 0/8"
        )
        if step % 5000 == 0:
            now += 3
            log.append(f"{clock(now, '%d.%m. %H:%M:%S')}  wrote out/edsr_s2_{step:06d}.pt (163.2 MiB)")
    log += [
        f"{clock(now + 1, '%d.%m. %H:%M:%S')}  done: {last} iterations, 1280000 tiles, best l1 {best:.5f}",
        f"{clock(now + 2, '%d.%m. %H:%M:%S')}  time by stage: next_batch 93.8 %  h2d 0.2 %  fwd+bwd 5.7 %  step 0.3 %",
    ]
    took = int((last - 0) * 3.32) + 61
    end = now + 4
    span = f"{took // 86400}-{took % 86400 // 3600:02d}:{took % 3600 // 60:02d}:{took % 60:02d}"
    when = f"{clock(end - took, '%Y-%m-%dT%H:%M:%S')} {clock(end, '%Y-%m-%dT%H:%M:%S')} {span:>12}"
    cpu = took * 0.31
    total = f"{int(cpu // 3600):02d}:{int(cpu % 3600 // 60):02d}:{int(cpu % 60):02d}"
    put(place, "edsr_train.log", log)
    put(
        place,
        "sacct.txt",
        [
            "JobID           JobName  State      ExitCode               Start                 End      Elapsed   "
            "TotalCPU"
            "  AllocCPUS     MaxRSS",
            "------------ ---------- ---------- -------- ------------------- ------------------- ------------ "
            "----------"
            " ---------- ----------",
            f"{'77103':<12} {'edsr-s2':>10} {'COMPLETED':>10} {'0:0':>8} {when} {total:>10} {4:>10} {'':>10}",
            f"{'77103.batch':<12} {'batch':>10} {'COMPLETED':>10} {'0:0':>8} {when} {total:>10} {4:>10} "
            f"{'9316204K':>10}",
        ],
    )


def c15_humanoid_begins_again(place: Path, rng: Random) -> None:
    """E2: the second job says that it resumes, and its reward and its entropy are a beginner's."""

    def table(rows: dict[str, dict[str, float]]) -> list[str]:
        pairs: list[tuple[str, str]] = []
        for tag, values in rows.items():
            pairs.append((f"{tag}/", ""))
            for key, value in values.items():
                pairs.append((f"   {key}", f"{value:<8.3g}" if isinstance(value, float) else f"{value:<8}"))
        wide, deep = (max(len(pair[side]) for pair in pairs) for side in (0, 1))
        dashes = "-" * (wide + deep + 7)
        return [dashes, *[f"| {key:<{wide}} | {value:<{deep}} |" for key, value in pairs], dashes]

    def run(tables: int, seed_fps: int) -> list[str]:
        lines = []
        for number in range(1, tables + 1):
            iters = number * 20
            steps = iters * 32768
            grown = 1 - 2.718 ** (-steps / 3.4e6)
            reward = 108 + 5100 * grown**1.7 + rng.gauss(0, 40 * grown + 3)
            length = min(1000.0, 22.5 + 905 * grown**1.25 + rng.gauss(0, 9 * grown + 0.4))
            std = 1.0 - 0.047 * number
            lines += table(
                {
                    "rollout": {"ep_len_mean": float(length), "ep_rew_mean": float(reward)},
                    "time": {
                        "fps": seed_fps + rng.randrange(-15, 15),
                        "iterations": iters,
                        "time_elapsed": int(steps / seed_fps),
                        "total_timesteps": steps,
                    },
                    "train": {
                        "approx_kl": 0.0121 + rng.gauss(0, 0.0012),
                        "clip_fraction": 0.147 + rng.gauss(0, 0.01),
                        "clip_range": 0.2,
                        "entropy_loss": -24.1 + 0.79 * number,
                        "explained_variance": min(0.97, 0.61 + 0.4 * grown + rng.gauss(0, 0.01)),
                        "learning_rate": 0.0003,
                        "loss": 0.031 + rng.gauss(0, 0.008),
                        "n_updates": (iters - 1) * 10,
                        "policy_gradient_loss": -0.0131 + rng.gauss(0, 0.0008),
                        "std": std,
                        "value_loss": 0.094 + rng.gauss(0, 0.009),
                    },
                }
            )
        return lines

    head = ["Using cuda device", "Logging to ./tb/ppo_humanoid_{0}"]
    log = [
        "[train.py] no checkpoint in ./ckpt, starting fresh",
        head[0],
        head[1].format(1),
        *run(9, 2140),
        "[train.py] SIGUSR1 from slurm, saving to ./ckpt/ppo_humanoid_5931008.zip and leaving",
        "[train.py] found ./ckpt/ppo_humanoid_5931008.zip, resuming from it",
        head[0],
        head[1].format(2),
        *run(8, 2117),
        "[train.py] learn() returned, model written to ./ckpt/ppo_humanoid_last.zip",
    ]
    put(place, "humanoid.log", log)


def c16_conformer_says_nothing(place: Path, rng: Random) -> None:
    """E1: NeMo's model predicts blanks only; the word error rate stays 1; early stopping ends it."""
    log: list[str] = []
    now = 291000.0

    def say(where: str, text: str, level: str = "I") -> None:
        log.append(f"[NeMo {level} {clock(now)} {where}] {text}")

    run = "/ws/nemo_experiments/conformer_ctc_sw/2026-11-05_08-50-04"
    say("exp_manager:396", f"Experiments will be logged at {run}")
    say("exp_manager:835", "TensorboardLogger has been set up")
    now += 9
    say("mixins:170", "Tokenizer SentencePieceTokenizer initialized with 256 tokens")
    now += 14
    say("collections:301", "Dataset loaded with 71204 files totalling 98.41 hours")
    say("collections:302", "1918 files were filtered totalling 9.70 hours")
    say("collections:301", "Dataset loaded with 2105 files totalling 3.02 hours")
    say("modelPT:616", "Optimizer config = AdamW (\n    Parameter Group 0\n        betas: [0.9, 0.98]\n        lr: "
        "5.0\n"
        "        weight_decay: 0.001\n)")  # fmt: skip
    say("lr_scheduler:910", 'Scheduler "<nemo.core.optim.lr_scheduler.NoamAnnealing object at 0x7f11c0a51b20>" \n'
        "    will be used during training (effective maximum steps = 111300) - \n"
        "    Parameters : \n    (d_model: 512\n    warmup_steps: 1000\n    max_steps: 111300\n    )")  # fmt: skip
    log += ["Epoch 0:   0%|          | 0/1113 [00:00<?, ?it/s]"]
    words = (
        "watu wengi walikuja sokoni",
        "mvua ilinyesha usiku kucha",
        "serikali imetangaza bei mpya",
        "habari za asubuhi",
    )
    for epoch in range(6):
        now += 744 + rng.gauss(0, 5)
        say("wer:319", "\n", "I")
        say("wer:320", f"reference:{rng.choice(words)}")
        say("wer:321", "predicted:")
        loss = (207 if epoch == 0 else 188) + rng.gauss(0, 3)
        secs = 741 + rng.gauss(0, 4)
        log.append(f"Epoch {epoch}: 100%|{bar(1, 1)}| 1113/1113 [{hms(secs)}<00:00,  {1113 / secs:.2f}it/s, "
            f"loss={loss:.0f}, "
                   "v_num=0-04]")  # fmt: skip
        if epoch == 0:
            log.append("Metric val_wer improved. New best score: 1.000")
        step = (epoch + 1) * 1113
        if epoch < 3:
            log.append(f"Epoch {epoch}, global step {step}: 'val_wer' reached 1.00000 (best 1.00000), saving model "
                f"to "
                       f"'{run}/checkpoints/conformer_ctc_sw--val_wer=1.0000-epoch={epoch}.ckpt' as top "
                       f"3")  # fmt: skip
        else:
            log.append(f"Epoch {epoch}, global step {step}: 'val_wer' was not in top 3")
    log.append(
        "Monitored metric val_wer did not improve in the last 5 records. Best score: 1.000. Signaling Trainer to stop."
    )
    put(place, "nemo_log.txt", log)
