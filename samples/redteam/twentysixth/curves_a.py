"""Curves c01 to c06 of the twenty-sixth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from samples.redteam.seventeenth.pen import at, bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY: Final = 86400.0
HOUR: Final = 3600.0


def _dots(number: float) -> str:
    """A whole number as the Dutch write it."""
    return f"{int(number):,}".replace(",", ".")


def _comma(number: float, digits: int) -> str:
    """A fraction as the Dutch write it."""
    return f"{number:.{digits}f}".replace(".", ",")


def c01_bladeren(place: Path, rng: Random) -> None:
    """A leaf classifier whose limit for a trial was left in the settings of the main run."""
    t = 2 * DAY + 8 * HOUR + 12 * 60 + 40.0
    out = [
        "bladziek v2.3 - convnext_small, 38 klassen",
        f"gestart {clock(t)} op wkr-gpu07, 1x NVIDIA A40",
        "instellingen conf/hoofdrun.yaml, daaroverheen: max_stappen=24 uitvoer=/data/bladziek/hoofd_2026w45",
        "train 412.806 foto's, validatie 51.600 foto's, batch 128: 3.225 stappen per ronde",
        "schema: 30 rondes = 96.750 stappen, opwarmen 2.000 stappen, hoogste leersnelheid 4,0e-04",
        "startgewichten: willekeurig",
    ]
    t += 312
    out.append(f"{clock(t, '%H:%M:%S')} index van de foto's gebouwd in 5 min 12 s")
    err = []
    for step in range(1, 25):
        t += 11.2 if step == 1 else rng.gauss(0.71, 0.02)
        if step % 3 == 0:
            loss = 3.642 + 0.05 * math.exp(-step / 9) + rng.gauss(0, 0.012)
            out.append(
                f"{clock(t, '%H:%M:%S')} ronde 1/30 stap {step}/24 verlies {_comma(loss, 3)}"
                f" lr {_comma(step / 2000 * 4.0, 4)}e-04 {_comma(128 / rng.gauss(0.71, 0.02), 0)} foto's/s"
            )
        if step % 2 == 0:
            err.append(
                f"{clock(t - 0.3, '%H:%M:%S')} !!! LET OP !!! witbalanstabel kas_{rng.randrange(1, 9)}.csv is ouder dan"
                f" {rng.randrange(91, 240)} dagen, standaardwaarden gebruikt"
            )
    t += 96
    out += [
        f"{clock(t, '%H:%M:%S')} max_stappen bereikt, training stopt",
        f"{clock(t + 0.2, '%H:%M:%S')} validatie: verlies 3,631 top1 3,4 % top5 14,2 %",
        f"{clock(t + 1.9, '%H:%M:%S')} gewichten weggeschreven naar /data/bladziek/hoofd_2026w45/eind.pt",
        f"{clock(t + 2.0, '%H:%M:%S')} klaar, {_dots(24 * 128)} foto's gezien",
    ]
    put(place, "hoofd_2026w45.log", out)
    put(place, "hoofd_2026w45.err", err)


def c02_clusters(place: Path, rng: Random) -> None:
    """SchNetPack on water clusters; the clusters grow with the epochs."""
    t = 9 * HOUR + 3 * 60 + 17.2

    def say(module: str, words: str, level: str = "INFO") -> str:
        return f"[{clock(t)},{int(t * 1000) % 1000:03d}][{module}][{level}] - {words}"

    out = [
        say("schnetpack.cli", "Running on host: hpc-g22"),
        say("schnetpack.cli", "Seed randomly with <2117840563>"),
        say("schnetpack.cli", "Instantiating datamodule <spk_water.data.ClusterData>"),
        say("schnetpack.cli", "Instantiating model <schnetpack.model.NeuralNetworkPotential>"),
        say("schnetpack.cli", "Instantiating task <schnetpack.AtomisticTask>"),
    ]
    for name in ("ModelCheckpoint", "EarlyStopping", "LearningRateMonitor", "ExponentialMovingAverage"):
        home = (
            "schnetpack.train"
            if name in ("ModelCheckpoint", "ExponentialMovingAverage")
            else "pytorch_lightning.callbacks"
        )
        out.append(say("schnetpack.cli", f"Instantiating callback <{home}.{name}>"))
    out += [
        say("schnetpack.cli", "Instantiating logger <pytorch_lightning.loggers.CSVLogger>"),
        say("schnetpack.cli", "Instantiating trainer <pytorch_lightning.Trainer>"),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        say("schnetpack.cli", "Logging hyperparameters."),
        say("schnetpack.cli", "Starting training."),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
    ]
    t += 61.4
    out += [
        say("spk_water.data", "curriculum: max_atoms 60 (epoch 0), 96 (epoch 40), 150 (epoch 80); batch_size 48"),
        "",
        "  | Name    | Type                   | Params | Mode ",
        "-----------------------------------------------------------",
        "0 | model   | NeuralNetworkPotential | 1.2 M  | train",
        "1 | outputs | ModuleList             | 0      | train",
        "-----------------------------------------------------------",
        "1.2 M     Trainable params",
        "0         Non-trainable params",
        "1.2 M     Total params",
        "4.846     Total estimated model params size (MB)",
        "69        Modules in train mode",
        "0         Modules in eval mode",
    ]
    rows = ["epoch,lr-AdamW,step,train_loss,val_energy_MAE,val_forces_MAE,val_loss"]
    total, per, best = 934, 0.088, 1e9
    last, stop = 81, 571
    val = 0.0
    for epoch in range(last):
        pace = per * (1 if epoch < 40 else 1.85 if epoch < 80 else 3.4)
        shown = f", v_num=0, val_loss={val:.4f}" if epoch else ", v_num=0"
        end = stop if epoch == last - 1 else total
        gone = 0.0
        for done in range(100, end + 1, 100):
            gone = done * pace * rng.gauss(1, 0.01)
            out.append(
                f"Epoch {epoch}: {int(100 * done / total):3d}%|{bar(done, total)}| {done}/{total}"
                f" [{hms(gone)}<{hms((total - done) * pace)}, {1 / pace * rng.gauss(1, 0.01):5.2f}it/s{shown}]"
            )
        t += gone
        if epoch == last - 1:
            t += 71 * pace + 0.137
            break
        if epoch in (17, 52):
            row = rng.randrange(20000, 90000)
            out += [
                say("spk_water.data", f"row {row} could not be read", "ERROR"),
                "Traceback (most recent call last):",
                '  File "/home/ilaria/spk_water/data.py", line 141, in _row',
                "    return self._conn.get(int(i) + 1)",
                '  File "/home/ilaria/envs/spk/lib/python3.11/site-packages/ase/db/core.py", line 410, in get',
                "    rows = list(self.select(selection, limit=2, **kwargs))",
                '  File "/home/ilaria/envs/spk/lib/python3.11/site-packages/ase/db/sqlite.py", line 716, in _select',
                "    cur.execute(sql, args)",
                "sqlite3.OperationalError: disk I/O error",
                say("spk_water.data", f"reopened /beegfs/ilaria/clusters.db, row {row} read at attempt 2 of 5"),
            ]
        rate = 5e-4 if epoch < 55 else 4e-4
        train = falls(rng, epoch, 1.92, 0.041, 8, 0.02) * (1.3 if 40 <= epoch < 44 else 1)
        val = falls(rng, epoch, 1.71, 0.049, 8, 0.02) * (1.22 if 40 <= epoch < 44 else 1)
        energy, forces = 0.31 * val**0.7, 0.118 * val**0.6
        step = (epoch + 1) * total - 1
        rows.append(f",{rate},{step - 34},,,,")
        rows.append(f"{epoch},,{step},,{energy:.6f},{forces:.6f},{val:.6f}")
        rows.append(f"{epoch},,{step},{train:.6f},,,")
        t += 6.8
        out.append(
            f"Epoch {epoch}: 100%|{bar(1, 1)}| {total}/{total} [{hms(gone + 9)}<00:00,"
            f" {1 / pace * 0.94:5.2f}it/s, v_num=0, val_loss={val:.4f}]"
        )
        if val < best - 1e-4:
            best = val
        if epoch in (39, 79):
            out.append(say("spk_water.data", f"max_atoms now {96 if epoch == 39 else 150}, {total} batches an epoch"))
    home = "/home/ilaria/envs/spk/lib/python3.11/site-packages"
    out += [
        say("schnetpack.cli", "Training stopped by exception", "ERROR"),
        "Error executing job with overrides: ['experiment=water_clusters', 'data.batch_size=48', 'model.cutoff=6.0']",
        "Traceback (most recent call last):",
        f'  File "{home}/schnetpack/cli.py", line 169, in train',
        "    trainer.fit(model=task, datamodule=datamodule, ckpt_path=config.run.ckpt_path)",
        f'  File "{home}/pytorch_lightning/trainer/trainer.py", line 539, in fit',
        "    call._call_and_handle_interrupt(",
        f'  File "{home}/pytorch_lightning/loops/optimization/automatic.py", line 188, in run',
        "    self._optimizer_step(batch_idx, closure)",
        f'  File "{home}/schnetpack/task.py", line 206, in training_step',
        "    pred = self.predict_without_postprocessing(batch)",
        f'  File "{home}/schnetpack/model/base.py", line 252, in forward',
        "    inputs = self.representation(inputs)",
        f'  File "{home}/schnetpack/representation/painn.py", line 238, in forward',
        "    q, mu = interaction(q, mu, filter_list[i], dir_ij, idx_i, idx_j, n_atoms)",
        f'  File "{home}/schnetpack/representation/painn.py", line 64, in forward',
        "    muj = mu[idx_j]",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.74 GiB. GPU 0 has a total capacity of"
        " 39.49 GiB of which 1.13 GiB is free. Including non-PyTorch memory, this process has 38.35"
        " GiB memory in use. Of the"
        " allocated memory 36.91 GiB is allocated by PyTorch, and 952.40 MiB is reserved by PyTorch but unallocated. If"
        " reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to"
        " avoid fragmentation.  See documentation for Memory Management "
        " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        "",
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
    ]
    put(place, "water_clusters.log", out)
    put(place, "lightning_logs/version_0/metrics.csv", rows)


def c03_sums(place: Path, rng: Random) -> None:
    """Slime, GRPO on grade school sums, forty rollouts."""
    t = 3 * DAY + 13 * HOUR + 20 * 60 + 4.0
    actor, manager = 21877, 21102
    stamp = "%Y-%m-%d %H:%M:%S"

    def act(words: str) -> str:
        return f"(MegatronTrainRayActor pid={actor}) [{clock(t, stamp)}] {words}"

    def roll(words: str) -> str:
        return f"(RolloutManager pid={manager}) [{clock(t, stamp)}] {words}"

    out = [
        "Job submission server address: http://127.0.0.1:8265",
        "",
        "-------------------------------------------------------",
        "Job 'raysubmit_wY3nUf8GkLqT2sRb' submitted successfully",
        "-------------------------------------------------------",
        "",
        "Next steps",
        "  Query the logs of the job:",
        "    ray job logs raysubmit_wY3nUf8GkLqT2sRb",
        "",
        "Tailing logs until the job exits (disable with --no-wait):",
        f"{clock(t)},118 INFO worker.py:1554 -- Using address 10.4.0.31:6379 set in the environment variable"
        " RAY_ADDRESS",
        f"{clock(t)},131 INFO worker.py:1694 -- Connecting to existing Ray cluster at address: 10.4.0.31:6379...",
        f"{clock(t)},144 INFO worker.py:1879 -- Connected to Ray cluster. View the dashboard at 127.0.0.1:8265",
    ]
    t += 14
    out.append(f"[{clock(t, stamp)}] placement_group.py:72 - Create placement group with 8 GPUs...")
    t += 3
    out += [
        f"[{clock(t, stamp)}] placement_group.py:90 -   bundle {i:5d}, actual_bundle_index: {i:5d}, "
        f"node: 10.4.0.31, gpu: {i}"
        for i in range(8)
    ]
    t += 41
    out += [
        act("initialize.py:36 - > initialized tensor model parallel with size 2"),
        act(
            "arguments.py:88 - --num-rollout 40 --rollout-batch-size 32 --n-samples-per-prompt 8"
            " --global-batch-size 256"
        ),
        act("checkpoint.py:61 -  loading distributed checkpoint from /root/Qwen3-4B_torch_dist at iteration 0"),
    ]
    t += 52
    out.append(act("timer.py:32 - Timer update_weights end (elapsed: 2.4s)"))
    for n in range(40):
        share = 1 - math.exp(-n / 14)
        reward = 0.412 + 0.31 * share + rng.gauss(0, 0.018)
        length = 1480 - 310 * share + rng.gauss(0, 22)
        wait = length / 21.5 + rng.uniform(0, 5)
        t += wait
        out.append(
            roll(
                f"rollout.py:402 - perf {n}: {{'perf/rollout_time': {wait!r}, 'perf/tokens_per_gpu_per_sec':"
                f" {256 * length / wait / 8!r}, 'rollout/response_len/mean': {length!r},"
                f" 'rollout/truncated_ratio': {max(0, round(rng.gauss(6, 2))) / 256!r}}}"
            )
        )
        t += 9.6
        out.append(
            act(
                f"data.py:212 - rollout {n}: {{'rollout/response_lengths': {length!r}, 'rollout/rewards':"
                f" {rng.gauss(0, 3e-9)!r}, 'rollout/raw_reward': {reward!r}, 'rollout/log_probs':"
                f" {-0.31 + 0.08 * share + rng.gauss(0, 0.004)!r}, 'rollout/advantages': {rng.gauss(0, 0.01)!r}}}"
            )
        )
        train = rng.gauss(31, 0.6)
        t += train
        loss = rng.gauss(0, 0.003)
        out += [
            act(
                f"model.py:649 - step {n}: {{'train/loss': {loss!r}, 'train/pg_loss': {loss!r}, 'train/entropy_loss':"
                f" {0.29 - 0.09 * share + rng.gauss(0, 0.004)!r}, 'train/pg_clipfrac':"
                f" {abs(rng.gauss(0.0011, 0.0003))!r}, 'train/ppo_kl': {rng.gauss(0.0002, 0.0001)!r},"
                f" 'train/train_rollout_logprob_abs_diff': {0.0142 + rng.gauss(0, 0.0004)!r}, 'train/kl_loss':"
                f" {0.0031 * share + abs(rng.gauss(0, 0.0001))!r}, 'train/grad_norm': {rng.gauss(0.21, 0.02)!r},"
                f" 'train/lr-pg_0': 1e-06, 'train/step': {n}}}"
            ),
            act(f"timer.py:32 - Timer actor_train end (elapsed: {train:.1f}s)"),
        ]
        if n % 20 == 19:
            t += 21
            out.append(
                act(f"checkpoint.py:118 - successfully saved checkpoint from iteration {n:7d} to /root/sums_slime/")
            )
        t += 2.5
        out.append(act(f"timer.py:32 - Timer update_weights end (elapsed: {rng.gauss(2.4, 0.1):.1f}s)"))
        if n % 10 == 9:
            t += 48
            out.append(
                roll(
                    f"rollout.py:371 - eval {n}: {{'eval/gsm-held-out': {0.66 + 0.22 * share + rng.gauss(0, 0.006)!r},"
                    f" 'eval/gsm-held-out/response_len/mean': {length - 60!r}}}"
                )
            )
    t += 12
    out += [
        f"(SGLangEngine pid=20418) [{clock(t, stamp)}] INFO:     Shutting down",
        "",
        "------------------------------------------",
        "Job 'raysubmit_wY3nUf8GkLqT2sRb' succeeded",
        "------------------------------------------",
        "",
    ]
    put(place, "slime_sums_1105.log", out)


def c04_sami(place: Path, rng: Random) -> None:
    """Marian, Finnish to North Sami, the cost as perplexity, work counted in millions of target labels."""
    t = 4 * DAY + 6 * HOUR + 2 * 60 + 9.31
    out: list[str] = []

    def say(words: str) -> None:
        out.append(f"{clock(t, '%Y-%m-%dT%H:%M:%S')}.{int(t % 1 * 1e9):09d}Z [{clock(t)}] {words}")

    say("[marian] Marian v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800")
    say("[marian] Running on fi-se-big-0 as process 1 with command line:")
    say("[marian] /marian/build/marian -c /conf/transformer-big.yml --after 3000Mt --disp-freq 20Mt --save-freq 200Mt")
    for key, value in (
        ("after", "3000Mt"),
        ("cost-type", "perplexity"),
        ("devices", ""),
        ("disp-freq", "20Mt"),
        ("early-stopping", "8"),
        ("learn-rate", "0.002"),
        ("lr-decay-inv-sqrt", ""),
        ("lr-warmup", "60Mt"),
        ("mini-batch-fit", "true"),
        ("precision", ""),
        ("type", "transformer"),
        ("valid-freq", "100Mt"),
    ):
        say(f"[config] {key}: {value}".rstrip())
        if key in ("devices", "precision", "lr-decay-inv-sqrt"):
            for item in {"devices": "0123", "precision": ("float16", "float32"), "lr-decay-inv-sqrt": ("60Mt",)}[key]:
                say(f"[config]   - {item}")
    t += 2.2
    say("[data] Loading SentencePiece vocabulary from file /data/fi-se.spm")
    say("[data] Setting vocabulary size for input 0 to 32,000")
    say("[data] Setting vocabulary size for input 1 to 32,000")
    say("[comm] Using NCCL 2.8.3 for GPU communication")
    t += 11
    for gpu in range(4):
        say(f"[memory] Extending reserved space to 32000 MB (device gpu{gpu})")
    say("[batching] Collecting statistics for batch fitting with step size 10")
    t += 24
    say("[batching] Done. Typical MB size is 61,104 target words")
    say("Training started")
    say("[data] Shuffling data")
    t += 19.4
    say("[data] Done reading 11,208,440 sentences")
    up = sen = labels = 0
    epoch, best, high, stalled, speed = 1, 1e9, 0.0, 0, 92000.0
    while True:
        labels += 20
        took = 20e6 / speed * rng.gauss(1, 0.01)
        t += took
        up += round(20e6 / 61104 * rng.gauss(1, 0.004))
        sen += round(20e6 / 21.7 * rng.gauss(1, 0.004))
        if sen > 11208440:
            epoch, sen = epoch + 1, sen - 11208440
            say(f"Seen {11208440:,} samples")
            say(f"Starting data epoch {epoch} in logical epoch {epoch}.000")
            say("[data] Shuffling data")
            say("[data] Done shuffling 11,208,440 sentences (cached in RAM)")
        if labels <= 360:
            words = 9.4 * math.exp(-labels / 70) + 3.55 + rng.gauss(0, 0.02)
            norm = 0.9 * math.exp(-labels / 160) + 0.32
        elif labels <= 440:
            words = (5.1, 7.4, 9.6, 9.9)[(labels - 380) // 20] + rng.gauss(0, 0.1)
            norm = (4.8, 22.1, 61.3, 18.2)[(labels - 380) // 20]
        else:
            words = 8.62 + rng.gauss(0, 0.02)
            norm = 0.031
        rate = 0.002 * min(labels / 60, (60 / labels) ** 0.5)
        say(
            f"Ep. {epoch} : Up. {up} : Sen. {sen:,} : Cost {math.exp(words):.8f} * {20e6 + rng.randrange(60000):,.0f} @"
            f" {rng.randrange(52000, 66000):,} after {labels * 1000000 + rng.randrange(70000):,} : Time {took:.2f}s :"
            f" {20e6 / took:.2f} words/s : gNorm {norm * rng.gauss(1, 0.06):.4f} : L.r. {rate:.4e}"
        )
        if labels % 200 == 0:
            say("Saving model parameters to /work/fi-se/model.npz")
            say("Saving training state to /work/fi-se/model.npz and /work/fi-se/model.npz.optimizer.npz")
            t += 6
        if labels % 100 == 0:
            t += 14
            score = math.exp(max(1.8, words + rng.gauss(0, 0.03)))
            bleu = max(0.0, 31 - 7.6 * (words - 1)) if words < 5 else 0.0
            stalled = 0 if score < best else stalled + 1
            best, high = min(best, score), max(high, bleu)
            note = "new best" if not stalled else f"stalled {stalled} times (last best: {best:g})"
            say(f"[valid] Ep. {epoch} : Up. {up} : perplexity : {score:g} : {note}")
            t += 31
            note = "new best" if not stalled else f"stalled {stalled} times (last best: {high:.4g})"
            say(f"[valid] Ep. {epoch} : Up. {up} : bleu : {bleu if bleu else 0:.4g} : {note}")
            if stalled >= 8:
                break
    say("Training finished")
    say("Saving model parameters to /work/fi-se/model.npz")
    t += 5
    say("Saving training state to /work/fi-se/model.npz and /work/fi-se/model.npz.optimizer.npz")
    put(place, "fi-se-big-0.log", out)


def c05_lantern(place: Path, rng: Random) -> None:
    """DreamBooth on photographs of a lantern; stopped by hand once, gone on with and finished."""
    t = 5 * DAY + 19 * HOUR + 41 * 60 + 12.0
    out: list[str] = []
    total = 1600

    def head(resume: str) -> None:
        extra = f" --resume_from_checkpoint={resume}" if resume else ""
        out.append(
            "$ accelerate launch train_dreambooth.py --pretrained_model_name_or_path=stable-diffusion-v1-5/"
            "stable-diffusion-v1-5 --instance_data_dir=./lantern --instance_prompt='a photo of sks lantern'"
            " --resolution=512 --train_batch_size=1 --gradient_accumulation_steps=1 --learning_rate=2e-6"
            " --lr_scheduler=constant --lr_warmup_steps=0 --max_train_steps=1600 --checkpointing_steps=400"
            f" --output_dir=out/lantern{extra} 2>&1 | tr '\\r' '\\n' | tee -a lantern.txt"
        )

    def say(module: str, words: str) -> None:
        out.append(f"{clock(t, '%m/%d/%Y %H:%M:%S')} - INFO - {module} - {words}")

    def begin() -> None:
        nonlocal t
        t += 9
        say("__main__", "Distributed environment: DistributedType.NO")
        out.extend(["Num processes: 1", "Process index: 0", "Local process index: 0", "Device: cuda", ""])
        out.append("Mixed precision type: fp16")
        out.append("")
        out.append(
            "You are using a model of type clip_text_model to instantiate a model of type . This is not supported for"
            " all configurations of models and can yield errors."
        )
        out.append(
            "{'clip_sample_range', 'rescale_betas_zero_snr', 'variance_type'} was not found in config. Values will"
            " be initialized to default values."
        )
        t += 21
        for words in (
            "***** Running training *****",
            "  Num examples = 24",
            "  Num batches each epoch = 24",
            "  Num Epochs = 67",
            "  Instantaneous batch size per device = 1",
            "  Total train batch size (w. parallel, distributed & accumulation) = 1",
            "  Gradient Accumulation steps = 1",
            f"  Total optimization steps = {total}",
        ):
            say("__main__", words)

    def steps(first: int, last: int) -> str:
        nonlocal t
        start, loss, spent = t, 0.0, ""
        for step in range(first + 1, last + 1):
            t += rng.gauss(0.41, 0.012)
            before = spent
            pace = (t - start) / (step - first)
            spent = (
                f"Steps: {int(100 * step / total):3d}%|{bar(step, total)}| {step}/{total} [{hms(t - start)}<"
                f"{hms((total - step) * pace)},  {1 / pace:.2f}it/s"
            )
            tail = f", loss={loss:.3g}, lr=2e-6]" if before else "]"
            out.append(spent + tail)
            if step % 400 == 0:
                t += 17
                say("accelerate.accelerator", f"Saving current state to out/lantern/checkpoint-{step}")
                out.append(f"Configuration saved in out/lantern/checkpoint-{step}/unet/config.json")
                out.append(
                    f"Model weights saved in out/lantern/checkpoint-{step}/unet/diffusion_pytorch_model.safetensors"
                )
                for name, file in (
                    ("Optimizer", "optimizer.bin"),
                    ("Scheduler", "scheduler.bin"),
                    ("Gradient scaler", "scaler.pt"),
                ):
                    say("accelerate.checkpointing", f"{name} state saved in out/lantern/checkpoint-{step}/{file}")
                say(
                    "accelerate.checkpointing",
                    f"Random states saved in out/lantern/checkpoint-{step}/random_states_0.pkl",
                )
                say("__main__", f"Saved state to out/lantern/checkpoint-{step}")
            loss = min(0.92, max(0.0018, math.exp(rng.gauss(-2.4 - 0.35 * step / total, 0.95))))
            if rng.random() < 0.93:
                out.append(f"{spent}, loss={loss:.3g}, lr=2e-6]")
        return f"{hms(t - start + 8)}<00:00,  {(last - first) / (t - start + 8):.2f}it/s, loss={loss:.3g}, lr=2e-6]"

    head("")
    begin()
    out.append(f"Steps:   0%|{bar(0, total)}| 0/{total} [00:00<?, ?it/s]")
    steps(0, 537)
    out += [
        "^CTraceback (most recent call last):",
        '  File "/home/oskar/diffusers/examples/dreambooth/train_dreambooth.py", line 1448, in <module>',
        "    main(args)",
        '  File "/home/oskar/diffusers/examples/dreambooth/train_dreambooth.py", line 1337, in main',
        "    optimizer.step()",
        '  File "/home/oskar/venvs/sd/lib/python3.10/site-packages/accelerate/optimizer.py", line 165, in step',
        "    self.scaler.step(self.optimizer, closure)",
        "KeyboardInterrupt",
        "Traceback (most recent call last):",
        '  File "/home/oskar/venvs/sd/bin/accelerate", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/home/oskar/venvs/sd/lib/python3.10/site-packages/accelerate/commands/launch.py", line 778, in'
        " simple_launcher",
        "    process.wait()",
        "KeyboardInterrupt",
        "",
    ]
    t += 1460
    out.append(
        f"$ date; nvidia-smi --query-gpu=memory.used --format=csv,noheader\n{clock(t, '%a %b %e %H:%M:%S UTC %Y')}"
    )
    out.append("14 MiB")
    head("latest")
    begin()
    out.append("Resuming from checkpoint checkpoint-400")
    say("accelerate.accelerator", "Loading states from out/lantern/checkpoint-400")
    t += 4
    say("accelerate.checkpointing", "All model weights loaded successfully")
    say("accelerate.checkpointing", "All optimizer states loaded successfully")
    say("accelerate.checkpointing", "All scheduler states loaded successfully")
    say("accelerate.checkpointing", "All random states loaded successfully")
    say("accelerate.accelerator", "Loading in 0 custom states")
    out.append(f"Steps:  25%|{bar(400, total)}| 400/{total} [00:00<?, ?it/s]")
    tail = steps(400, total)
    t += 8
    out += [
        "Loading pipeline components...:   0%|          | 0/7 [00:00<?, ?it/s]",
        "Loading pipeline components...: 100%|██████████| 7/7 [00:01<00:00,  5.11it/s]",
        "Configuration saved in out/lantern/vae/config.json",
        "Model weights saved in out/lantern/vae/diffusion_pytorch_model.safetensors",
        "Configuration saved in out/lantern/unet/config.json",
        "Model weights saved in out/lantern/unet/diffusion_pytorch_model.safetensors",
        "Configuration saved in out/lantern/scheduler/scheduler_config.json",
        "Configuration saved in out/lantern/model_index.json",
        f"Steps: 100%|{bar(1, 1)}| {total}/{total} [{tail}",
        "$ ls out/lantern",
        "checkpoint-1200  checkpoint-1600  checkpoint-400  checkpoint-800  feature_extractor  logs  model_index.json",
        "safety_checker  scheduler  text_encoder  tokenizer  unet  vae",
    ]
    put(place, "lantern.txt", out)


def c06_roadside(place: Path, rng: Random) -> None:
    """Detectron2 on roadside furniture, one GPU, with a script beside it that looks at the card every ten minutes."""
    t = 1 * DAY + 15 * HOUR + 7 * 60 + 2.0
    green, red, off = "\x1b[32m", "\x1b[5m\x1b[31m", "\x1b[0m"
    out: list[str] = []
    err: list[str] = []

    def say(module: str, words: str, level: str = "") -> None:
        mark = f"{red}WARNING{off} " if level else ""
        out.append(f"{green}[{clock(t, '%m/%d %H:%M:%S')} d2.{module}]: {off}{mark}{words}")

    def watch(moment: float, util: int, watts: float, mib: int, state: str) -> None:
        err.append(
            f"\x1b[2m{clock(moment, '%Y/%m/%d %H:%M:%S')}.{rng.randrange(1000):03d}, NVIDIA L40S, {util} %,"
            f" {watts:.2f} W, {mib} MiB, pid 318207 {state}\x1b[0m"
        )

    say("data.datasets.coco", "Loading /ssd/roadside/annotations/train.json takes 11.84 seconds.")
    say("data.datasets.coco", "Loaded 58213 images in COCO format from /ssd/roadside/annotations/train.json")
    say("data.build", "Removed 1907 images with no usable annotations. 56306 images left.")
    say("data.build", "Distribution of instances among all 6 categories:")
    names = ("crash_barrier", "dead_end_sign", "fatal_spot_cross", "fire_hydrant", "emergency_phone", "broken_lamp")
    out.append("\x1b[36m|    category    | #instances   |     category     | #instances   |")
    out.append("|:--------------:|:-------------|:----------------:|:-------------|")
    counts = (88121, 14077, 2210, 40318, 9120, 6654)
    out += [f"| {names[i]:^16} | {counts[i]:<12} | {names[i + 1]:^16} | {counts[i + 1]:<12} |" for i in (0, 2, 4)]
    out.append(f"|     total      | {sum(counts):<12} |                  |              |{off}")
    say(
        "data.dataset_mapper", "[DatasetMapper] Augmentations used in training: [ResizeShortestEdge(...), RandomFlip()]"
    )
    say("data.common", "Serializing 56306 elements to byte tensors and concatenating them all ...")
    t += 3
    say("data.common", "Serialized dataset takes 96.41 MiB")
    say("data.build", "Making batched data loader with batch_size=8")
    say(
        "checkpoint.detection_checkpoint",
        "[DetectionCheckpointer] Loading from detectron2://COCO-Detection/model_final.pkl ...",
    )
    for part, old, new in (
        ("cls_score.weight", "(81, 1024)", "(7, 1024)"),
        ("cls_score.bias", "(81,)", "(7,)"),
        ("bbox_pred.weight", "(320, 1024)", "(24, 1024)"),
        ("bbox_pred.bias", "(320,)", "(24,)"),
    ):
        out.append(
            f"{red}WARNING{off} {green}[{clock(t, '%m/%d %H:%M:%S')} fvcore.common.checkpoint]: {off}Skip loading"
            f" parameter 'roi_heads.box_predictor.{part}' to the model due to incompatible shapes: {old} in the"
            f" checkpoint but {new} in the model! You might want to double check if this is expected."
        )
    err += [
        f"\r\x1b[34mtiles sanity\x1b[0m: {i * 100 // 39:3d}%|{bar(i, 39)}| {i * 1444}/56316"
        f" [{hms(i * 2.1)}<{hms((39 - i) * 2.1)}, {rng.gauss(688, 9):.1f}tile/s]"
        for i in range(40)
    ]
    err.append("tiles sanity: 0 unreadable, 3 with a dead corner, 0 lost, 12 panic-brake frames kept")
    t += 96
    say("engine.train_loop", "Starting training from iteration 0")
    begin, pace = t, 0.386
    end = 9859
    look = begin + 240
    for it in range(19, end + 1, 20):
        t += 20 * pace * rng.gauss(1, 0.008)
        while look < t:
            watch(look, rng.randrange(92, 100), rng.gauss(271, 6), 31874, "R")
            look += 600
        loss = falls(rng, it, 1.48, 0.41, 1800, 0.045)
        parts = (0.29, 0.47, 0.09, 0.15)
        cls, box, rpn, loc = (loss * p * rng.gauss(1, 0.02) for p in parts)
        left = int((30000 - it) * pace)
        eta = f"{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
        say(
            "utils.events",
            f" eta: {eta}  iter: {it}  total_loss: {loss:.4g}  loss_cls: {cls:.4g}  loss_box_reg: {box:.4g}"
            f"  loss_rpn_cls: {rpn:.4g}  loss_rpn_loc: {loc:.4g}    time: {pace * rng.gauss(1, 0.003):.4f}  last_time:"
            f" {pace * rng.gauss(1, 0.05):.4f}  data_time: {abs(rng.gauss(0.011, 0.001)):.4f}  last_data_time:"
            f" {abs(rng.gauss(0.010, 0.003)):.4f}   lr: {0.01 * min(1, it / 1000):.5g}  "
            f"max_mem: {27911 if it > 700 else 27204}M",
        )
        if it % 5000 == 4999:
            say("evaluation.evaluator", "Start inference on 3011 batches")
            for done in range(11, 3011, 250):
                t += 250 * 0.061
                say(
                    "evaluation.evaluator",
                    f"Inference done {done}/3011. Dataloading: 0.0013 s/iter. Inference: 0.0551 s/iter. Eval: 0.0004"
                    f" s/iter. Total: 0.0568 s/iter. ETA={hms((3011 - done) * 0.0568).rjust(8, '0')}",
                )
            say("evaluation.coco_evaluation", "Evaluation results for bbox: ")
            ap = [28 + rng.uniform(-6, 12) for _ in names]
            out.append("|   AP   |  AP50  |  AP75  |  APs   |  APm   |  APl   |")
            out.append("|:------:|:------:|:------:|:------:|:------:|:------:|")
            out.append(f"| {sum(ap) / 6:.3f} | 52.118 | 31.904 | 14.220 | 33.871 | 44.016 |")
            say("evaluation.coco_evaluation", "Per-category bbox AP: ")
            for name, value in zip(names, ap, strict=True):
                out.append(f"| {name:<18} | {value:.3f} |")
            say("engine.defaults", "Evaluation results for roadside_val in csv format:")
    stuck = t
    while look < stuck + 5.4 * HOUR:
        watch(look, 0, rng.gauss(88, 0.8), 31874, "S")
        look += 600
    t = stuck + 5.4 * HOUR + 220
    err += [
        f"\x1b[1m+ py-spy dump --pid 318207   # {clock(t)}\x1b[0m",
        "Process 318207: python train_net.py --config-file configs/roadside_r50.yaml --num-gpus 1",
        "Python v3.10.14 (/opt/conda/envs/d2/bin/python3.10)",
        "",
        'Thread 318207 (idle): "MainThread"',
        "    wait (threading.py:320)",
        "    get (queue.py:171)",
        "    _try_get_data (torch/utils/data/dataloader.py:1133)",
        "    _get_data (torch/utils/data/dataloader.py:1285)",
        "    _next_data (torch/utils/data/dataloader.py:1329)",
        "    __next__ (torch/utils/data/dataloader.py:631)",
        "    __iter__ (detectron2/data/common.py:329)",
        "    run_step (detectron2/engine/train_loop.py:391)",
        "    train (detectron2/engine/train_loop.py:155)",
        "    main (train_net.py:122)",
        'Thread 318411 (idle): "Thread-4 (_pin_memory_loop)"',
        "    select (selectors.py:416)",
        "    wait (multiprocessing/connection.py:931)",
        "    get (multiprocessing/queues.py:113)",
        "    do_one_step (torch/utils/data/_utils/pin_memory.py:31)",
        "Process 318402 (worker 0): python train_net.py --config-file configs/roadside_r50.yaml --num-gpus 1",
        'Thread 318402 (idle): "MainThread"',
        "    get_image (roadside/tiles.py:58)",
        "    __call__ (roadside/mapper.py:91)",
        f"slurmstepd: error: *** JOB 4410927 ON ada-14 CANCELLED AT {at(t + 95).strftime('%Y-%m-%dT%H:%M:%S')} ***",
    ]
    put(place, "slurm-4410927.out", out)
    put(place, "slurm-4410927.err", err)
