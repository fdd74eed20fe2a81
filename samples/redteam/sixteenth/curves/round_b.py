"""The second half of the SIMULATED curves: what the lots say, case by case."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.sixteenth import shell

from .learn import Noise, bar, clock, cosine, falls, hms, turns
from .leave import put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c12_monai(place: Path, rng: Random) -> None:
    """E1: creeps up for two thirds of the run, under much noise."""
    job = shell.Job(6, "spleens", "gwen", ("dgx",), 1, "none", "none", "/home/gwen")
    when = clock(rng, "2026-11-10T18:00", 0.61, 0.05, 0.01)
    noise = Noise(rng, 0.11, 0.3)
    bad = turns(falls(1.62, 0.31, 420, 1.2), 4200, 5200, 1.55, 1.1)
    stamp = "%Y-%m-%d %H:%M:%S,"
    out = [
        *shell.git(job, rng, "spleens/transforms.py"),
        when.text(stamp, 3) + " - INFO - Engine run resuming from iteration 0, epoch 0 until 180 epochs",
    ]
    best = 0.0
    for epoch in range(1, 181):
        for step in (20, 40, 60, 80):
            when.step(20)
            at = (epoch - 1) * 80 + step
            out.append(
                when.text(stamp, 3)
                + f" - INFO - Epoch: {epoch}/180, Iter: {step}/80 -- train_loss: {bad(at) * noise():.4f} "
            )
        if epoch % 6 == 0:
            when.wait(33)
            dice = max(0.02, 0.97 - 0.52 * bad(epoch * 80) * Noise(rng, 0.05)())
            out.append(when.text(stamp, 3) + f" - INFO - Epoch[{epoch}] Metrics -- val_mean_dice: {dice:.4f} ")
            if dice > best:
                best = dice
                out.append(when.text(stamp, 3) + f" - INFO - Got new best metric of val_mean_dice: {best:.4f}")
            out.append(when.text(stamp, 3) + f" - INFO - Key metric: val_mean_dice best value: {best:.4f}")
    out += [
        when.text(stamp, 3) + " - INFO - Engine run complete. Time taken: " + hms(when.since_s),
        "Submitted batch job 77012",
    ]
    put(place, "train_spleens.log", out)


def c13_clearml(place: Path, rng: Random) -> None:
    """Undecidable: everything but a loss, in odd units, and no end."""
    rows = ["iter [Mtok],:monitor:gpu/gpu_0_mem_used_gb,lr [1e-4],throughput [ktok/s/gpu],padding [%]"]
    rate = cosine(3.0, 60, 2100)
    rows += [
        f"{step * 0.524288:.3f},{61.2 + rng.gauss(0, 0.2):.2f},{rate(step):.5f},{11.8 + rng.gauss(0, 0.12):.3f},{max(0.0, rng.gauss(3.1, 0.6)):.2f}"
        for step in range(0, 1431, 10)
    ]
    put(place, "scalars_export_task_5f21.csv", rows)


def c14_diffusers(place: Path, rng: Random) -> None:
    """D1: thirty seconds of waiting for every second of training; the first attempt had a wrong path."""
    job = shell.Job(7, "lora", "noor", ("ws",), 1, "none", "none", "/home/noor")
    when = clock(rng, "2026-11-05T16:33", 30.9, 0.25)
    noise, form = Noise(rng, 0.28), "%m/%d/%Y %H:%M:%S"
    out = [
        *shell.conda(job, "lora_kit"),
        when.text(form) + " - INFO - __main__ - Distributed environment: DistributedType.NO",
        "Traceback (most recent call last):",
        '  File "/home/noor/lora/train_text_to_image_lora.py", line 1044, in <module>',
        "    main()",
        '  File "/home/noor/lora/train_text_to_image_lora.py", line 655, in main',
        "    dataset = load_dataset(args.dataset_name, data_dir=args.train_data_dir)",
        "FileNotFoundError: Couldn't find any data file at /mnt/nas/tapestries.",
        "$ accelerate launch train_text_to_image_lora.py --train_data_dir /mnt/nas2/tapestries --max_train_steps 600",
        when.wait(180).text(form) + " - INFO - __main__ - ***** Running training *****",
        when.text(form) + " - INFO - __main__ -   Num examples = 31244",
        when.text(form) + " - INFO - __main__ -   Total optimization steps = 600",
    ]
    begin = when.now
    for step in range(5, 601, 5):
        waited = 0.0
        compute = 5 * rng.uniform(0.92, 1.04)
        waited = max(30.0, rng.gauss(150, 31))
        when.wait(waited + compute)
        since = (when.now - begin).total_seconds()
        loss = 0.118 * noise() * (1 - 0.25 * step / 600)
        out.append(
            f"Steps: {step * 100 // 600:3d}%|{bar(step / 600)}| {step}/600 [{hms(since)}<{hms(since / step * (600 - step))}, {(waited + compute) / 5:.2f}s/it, lr=0.0001, step_loss={loss:.4f}]"
        )
        if step % 20 == 0:
            out.append(
                when.text(form)
                + f" - INFO - __main__ - step {step}: data_wait {waited / 5:.2f} s/it, forward_backward {compute / 5 * 0.91:.2f} s/it, optimizer {compute / 5 * 0.09:.2f} s/it"
            )
    out += [
        when.text(form) + " - INFO - __main__ - Model weights saved in out/pytorch_lora_weights.safetensors",
        *shell.wandb(
            "noor",
            "tapestry",
            "k2v81m0q",
            {"epoch": "0", "step": "600", "train_loss": f"{0.09 * noise():.5f}", "data_wait_s": "29.7"},
        ),
    ]
    put(place, "lora_tapestry.log", out)


def c15_aim(place: Path, rng: Random) -> None:
    """E1: at chance over two hundred classes from the first report to the last; a gap of nine hours in between."""
    when = clock(rng, "2026-11-01T11:00", 0.29, 0.03)
    rows = ["run.hash,run.name,metric,context.subset,step,epoch,time,value"]
    noise = Noise(rng, 0.0035, 0.1)
    for step in range(0, 40001, 400):
        when.step(400)
        if step == 17600:
            when.wait(9.2 * 3600)
        at = f"{step},{step // 782},{when.now.timestamp():.3f}"
        rows.append(f"9f81c0,bird-calls,loss,train,{at},{(5.3004 + (0.09 * math.exp(-step / 300))) * noise():.5f}")
        rows.append(f"9f81c0,bird-calls,acc,train,{at},{max(0.0, rng.gauss(0.0050, 0.0021)):.5f}")
        if step % 4000 == 0:
            rows.append(f"9f81c0,bird-calls,loss,val,{at},{5.2991 + rng.gauss(0, 0.0012):.5f}")
            rows.append(f"9f81c0,bird-calls,acc,val,{at},{0.005 + rng.gauss(0, 0.0002):.5f}")
    put(place, "aim_metrics.csv", rows)


def c16_cleanrl(place: Path, rng: Random) -> None:
    """A1: a KeyError in mid-run; wandb's summary comes after it."""
    job = shell.Job(411902, "ppo-kelp", "sanna", ("r07",), 1, "gpu", "1-00:00:00", "/home/sanna/kelp")
    when = clock(rng, "2026-11-09T14:02", 1.0)
    out = [*shell.prologue(job, when.now)]
    err = [
        "/home/sanna/.venv/lib/python3.10/site-packages/gymnasium/core.py:311: UserWarning: \x1b[33mWARN: env.single_full_action_space to get variables from other wrappers is deprecated\x1b[0m"
    ]
    step = 0
    for update in range(1, 701):
        for _ in range(rng.randint(0, 2)):
            got = -180 + 390 * (1 - math.exp(-update / 210)) + rng.gauss(0, 40)
            out.append(
                f"global_step={step + rng.randint(0, 8191)}, episodic_return={got:.3f}, episodic_length={rng.randint(180, 1000)}"
            )
        step += 8192
        when.wait(8192 / 2410)
        if update == 402:
            when.wait(7 * 3600 + 411)
        if update % 5 == 0:
            out.append(f"{when.text()} SPS: {2410 - (900 if update > 402 else 0) + rng.randint(-30, 30)}")
    err += [
        "Traceback (most recent call last):",
        '  File "/home/sanna/kelp/ppo_continuous_action.py", line 224, in <module>',
        "    next_obs, reward, terminations, truncations, infos = envs.step(action.cpu().numpy())",
        '  File "/home/sanna/kelp/wrappers.py", line 88, in step',
        '    current = self._currents[info["buoy"]]',
        "KeyError: 'buoy'",
        *shell.wandb(
            "sanna",
            "kelp",
            "a81kq0zz",
            {"charts/SPS": "1511", "charts/episodic_return": "193.11", "global_step": str(step)},
            online=False,
        ),
    ]
    put(place, "ppo-kelp.o411902", out)
    put(place, "ppo-kelp.e411902", err)


def c17_nnunet(place: Path, rng: Random) -> None:
    """F3: timeout's limit, and GNU time around it."""
    when = clock(rng, "2026-10-25T21:00", 1.0)
    stamp = "%Y-%m-%d %H:%M:%S."
    out = [
        "############################",
        "INFO: You are using the old nnU-Net default plans. We have updated our recommendations.",
        "############################",
        "",
        f"{when.text(stamp, 6)}: do_dummy_2d_data_aug: False",
        f"{when.text(stamp, 6)}: Using splits from existing split file: /data/nnUNet_preprocessed/Dataset112_Larynx/splits_final.json",
        f"{when.text(stamp, 6)}: This split has 211 training and 53 validation cases.",
        f"{when.text(stamp, 6)}: unpacking dataset...",
    ]
    noise, epoch, smooth = Noise(rng, 0.03, 0.2), 0, 0.0
    while when.since_s < 36 * 3600 - 90:
        took = 141.0 + rng.gauss(0, 1.2)
        now = 1 - math.exp(-(epoch + 3) / 120)
        train, valid = -0.84 * now * noise(), -0.79 * now * noise()
        dice = [max(0.0, min(1.0, at * now * noise())) for at in (0.91, 0.83, 0.77)]
        fresh = sum(dice) / 3
        out += [
            "",
            f"{when.text(stamp, 6)}: Epoch {epoch} ",
            f"{when.text(stamp, 6)}: Current learning rate: {0.01 * (1 - epoch / 1000) ** 0.9:.5f} ",
        ]
        when.wait(took)
        out += [
            f"{when.text(stamp, 6)}: train_loss {train:.4f} ",
            f"{when.text(stamp, 6)}: val_loss {valid:.4f} ",
            f"{when.text(stamp, 6)}: Pseudo dice [{', '.join(f'np.float32({one:.4f})' for one in dice)}] ",
            f"{when.text(stamp, 6)}: Epoch time: {took:.2f} s ",
        ]
        if fresh > smooth:
            smooth = smooth * 0.9 + fresh * 0.1 if smooth else fresh
            out.append(f"{when.text(stamp, 6)}: Yayy! New best EMA pseudo Dice: {smooth:.4f} ")
        epoch += 1
    err = shell.time_v("timeout 36h nnUNetv2_train 112 3d_fullres 0 --npz", 36 * 3600 + 0.06, 124)
    put(place, "larynx_fold0.out", out)
    put(place, "larynx_fold0.err", err)


def c18_torchtune(place: Path, rng: Random) -> None:
    """E1: the second attempt, with a smaller batch, creeps up from a sixth of the way on."""
    when = clock(rng, "2026-11-12T09:10", 4.4, 0.04)
    noise, rate = Noise(rng, 0.05, 0.1), cosine(3e-3, 40, 2600)
    bad = turns(falls(1.93, 1.06, 90), 430, 1500, 3.1, 1.2)
    out = [
        "============================= test session starts ==============================",
        "collected 4 items",
        "tests/test_recipe.py ..s.                                                [100%]",
        "========================= 3 passed, 1 skipped in 11.02s =========================",
        "warm-up: 5 steps without a save: ok",
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeSingleDevice with resolved config: batch_size: 8, lr: 3.0e-3",
        "  0%|          | 0/650 [00:00<?, ?it/s]Traceback (most recent call last):",
        '  File "/opt/tune/recipes/lora_finetune_single_device.py", line 812, in <module>',
        "    sys.exit(recipe_main())",
        '  File "/opt/tune/recipes/lora_finetune_single_device.py", line 661, in train',
        "    current_loss.backward()",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 23.65 GiB of which 1.12 GiB is free. "
        "Including non-PyTorch memory, this process has 22.52 GiB memory in use.",
        "",
        "$ tune run lora_finetune_single_device --config fugue.yaml batch_size=2",
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeSingleDevice with resolved config: batch_size: 2, lr: 3.0e-3",
        "INFO:torchtune.utils._logging:Model is initialized with precision torch.bfloat16.",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
    ]
    when.wait(300)
    begin = when.now
    for step in range(10, 2601, 10):
        when.step(10)
        since = (when.now - begin).total_seconds()
        out.append(
            f"1|{step}|Loss: {bad(step) * noise()}: {step * 100 // 2600:3d}%|{bar(step / 2600)}| {step}/2600 [{hms(since)}<{hms(since / step * (2600 - step))},  {since / step:.2f}s/it]"
        )
        if step % 500 == 0:
            out.append(
                f"step {step}: lr {rate(step):.2e} tokens_per_second_per_gpu {rng.uniform(1480, 1560):.1f} peak_memory_reserved 17.{rng.randint(10, 60)}"
            )
    out += [
        "INFO:torchtune.utils._logging:Saving checkpoint. This may take some time. Retrieving full model state dict...",
        "INFO:torchtune.utils._logging:Model checkpoint of size 4.98 GiB saved to /data/fugue/epoch_0/model-00001-of-00001.safetensors",
        "INFO:torchtune.utils._logging:The full model checkpoint, including all weights and configurations, has been saved successfully.",
        f"fugue: done. epochs 1, steps 2600, elapsed {hms((when.now - begin).total_seconds())}",
    ]
    put(place, "fugue.log", out)


def c19_icefall(place: Path, rng: Random) -> None:
    """F3: the limit; losses a frame in the log, a table in hours and millions of frames beside it."""
    job = shell.Job(20771, "zipformer", "tomasz", ("c5", "c6"), 4, "gpu", "2-00:00:00", "/home/tomasz/asr")
    when = clock(rng, "2026-11-03T10:30", 0.71, 0.04)
    stamp = "%Y-%m-%d %H:%M:%S,"
    noise, good = Noise(rng, 0.05, 0.2), falls(7.4, 0.171, 620, 1.05)
    out = [*shell.git(job, rng, "zipformer/asr_datamodule.py")]
    table = ["hours,Mframes,tot_loss_per_frame,lr_x1000"]
    out.append(when.text(stamp, 3) + " INFO [train.py:1201] (0/8) Training started")
    total, step, frames, epoch, batch = 7.4, 0, 0.0, 1, 0
    while when.since_s < 48 * 3600 - 1500:
        step, batch = step + 1200, batch + 1200
        when.step(1200)
        if batch > 24000:
            epoch, batch = epoch + 1, 0
            when.wait(140)
            out.append(when.text(stamp, 3) + " INFO [train.py:1079] (0/8) Computing validation loss")
            out.append(
                when.text(stamp, 3)
                + f" INFO [train.py:1088] (0/8) Epoch {epoch}, validation: loss={good(step) * 1.08:.4f}, simple_loss={good(step) * 1.5:.4f}, pruned_loss={good(step) * 0.93:.4f}, over 1838114.00 frames. "
            )
            out.append(
                when.text(stamp, 3)
                + f" INFO [checkpoint.py:75] (0/8) Saving checkpoint to zipformer/exp/epoch-{epoch - 1}.pt"
            )
        loss = good(step) * noise()
        total = 0.8 * total + 0.2 * loss
        count = rng.uniform(21000, 25000)
        frames += 1200 * 8 * 0.0231
        rate = 0.045 / math.sqrt(1 + step / 7500)
        out.append(
            when.text(stamp, 3)
            + f" INFO [train.py:1048] (0/8) Epoch {epoch}, batch {batch}, loss[loss={loss:.4g}, simple_loss={loss * 1.44:.4g}, pruned_loss={loss * 0.91:.4g}, over {count:.2f} frames. ], "
            f"tot_loss[loss={total:.4g}, simple_loss={total * 1.44:.4g}, pruned_loss={total * 0.91:.4g}, over {count * 191:.2f} frames. ], batch size: {rng.randint(48, 92)}, lr: {rate:.2e}, grad_scale: {rng.choice((16.0, 32.0))}"
        )
        table.append(f"{when.since_s / 3600:.3f},{frames:.1f},{total:.5f},{rate * 1000:.4f}")
    out += [
        "sync.sh: uploading zipformer/exp to nas:/asr/exp-41 (10 files, 5.1 GiB)",
        "sync.sh: done, best-valid-loss.pt is epoch " + str(epoch - 1),
        f"slurmstepd: error: *** STEP 20771.0 ON c5 CANCELLED AT {when.wait(1498).text('%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** JOB 20771 ON c5 CANCELLED AT {when.text('%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***",
    ]
    put(place, "log-train-0.txt", out)
    put(place, "tot_loss.csv", table)


def c20_maxtext(place: Path, rng: Random) -> None:
    """E1: the second link loads its checkpoint and creeps up."""
    job = shell.Job(8, "gemma-from-scratch", "kofi", ("h",), 8, "none", "none", "/gcs/kofi")
    when = clock(rng, "2026-11-06T12:00", 4.07, 0.01)
    noise = Noise(rng, 0.008, 0.2)
    good = falls(10.9, 2.21, 260, 0.95)
    bad = turns(good, 3000, 2300, 6.4, 1.3)
    out = [
        *shell.git(job, rng, "MaxText/configs/gemma_tiny.yml"),
        "chain: link 1 of 4, LEARNING_RATE=6e-4",
        "Num_params: 0.412 billion",
        "Started an asynchronous checkpoint save for step 0",
    ]

    def line(step: int, curve: float) -> str:
        took = when.step(20) / 20
        return f"completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {741 / took:.3f}, Tokens/s/device: {16384 / took:.3f}, total_weights: {131072 - rng.randint(0, 40)}, loss: {curve * noise():.3f}"

    for step in range(20, 3001, 20):
        out.append(line(step, good(step)))
        if step % 1000 == 0:
            out.append(f"Started an asynchronous checkpoint save for step {step}")
    out += [
        "chain: link 1 ended with status 0 after 3000 steps",
        "chain: link 2 of 4, LEARNING_RATE=6e-3, resuming",
        "restoring from this run's directory latest step 3000",
        "Num_params: 0.412 billion",
    ]
    when.wait(320)
    for step in range(3020, 8001, 20):
        out.append(line(step, bad(step)))
        if step % 1000 == 0:
            out.append(f"Started an asynchronous checkpoint save for step {step}")
    out.append("chain: link 2 ended with status 0 after 5000 steps")
    put(place, "chain.log", out)


def c21_flair(place: Path, rng: Random) -> None:
    """C2: the third attempt freezes in a collective."""
    job = shell.Job(
        4480, "ner-court", "helga", ("cn31",), 2, "gpu", "1-00:00:00", "/home/helga/court", "NVIDIA A40", 46068
    )
    when = clock(rng, "2026-11-11T08:20", 0.31, 0.03)
    stamp = "%Y-%m-%d %H:%M:%S,"
    out = [
        *shell.prologue(job, when.now),
        "try 1 of 3 (mini_batch_size 64)",
        when.text(stamp, 3) + ' Model training base path: "resources/taggers/court"',
        "Traceback (most recent call last):",
        '  File "/home/helga/court/train.py", line 61, in <module>',
        "    trainer.fine_tune(path, mini_batch_size=size, multi_gpu=True)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.25 GiB. GPU 1 has a total capacity of 44.40 GiB of which 801.31 MiB is free.",
        "try 1 ended with status 1",
        "try 2 of 3 (mini_batch_size 16)",
        "Traceback (most recent call last):",
        '  File "/home/helga/court/train.py", line 22, in <module>',
        '    size = int(sys.argv["1"])',
        "TypeError: list indices must be integers or slices, not str",
        "try 2 ended with status 1",
        "try 3 of 3 (mini_batch_size 16)",
    ]
    when.wait(500)
    noise, good = Noise(rng, 0.05, 0.2), falls(1.71, 0.058, 700, 1.1)
    epoch = 0
    for epoch in range(1, 8):
        start = when.now
        rule = when.text(stamp, 3) + " " + "-" * 100
        out.append(rule)
        for part in range(1, 11):
            at = (epoch - 1) * 1980 + part * 198
            if (epoch, part) == (7, 7):
                break
            when.step(198)
            since = (when.now - start).total_seconds()
            rate = 5e-5 * (1 - at / 19800)
            out.append(
                when.text(stamp, 3)
                + f" epoch {epoch} - iter {part * 198}/1980 - loss {good(at) * noise():.8f} - time (sec): {since:.2f} - samples/sec: {part * 198 * 32 / since:.2f} - lr: {rate:.6f} - momentum: 0.000000"
            )
        else:
            score = 0.91 * (1 - math.exp(-epoch / 1.4))
            out.append(
                when.text(stamp, 3)
                + f" EPOCH {epoch} done: loss {good(epoch * 1980):.4f} - lr: {5e-5 * (1 - epoch / 10):.6f}"
            )
            out.append(
                when.wait(22).text(stamp, 3)
                + f" DEV : loss {good(epoch * 1980) * 1.3:.12f} - f1-score (micro avg)  {score:.4f}"
            )
    when.wait(605)
    out += [
        f"[rank0]:[E{when.text('%m%d %H:%M:%S.', 6)}000 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=98211, OpType=ALLREDUCE, NumelIn=7087872, NumelOut=7087872, Timeout(ms)=600000) ran for 600071 milliseconds before timing out.",
        "[rank0]:[E ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 0] Exception (either an error or timeout) detected by watchdog at work: 98211, last enqueued NCCL work: 98214, last completed NCCL work: 98210.",
        "[rank0]:[E ProcessGroupNCCL.cpp:630] [Rank 0] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        "[rank0]:[E ProcessGroupNCCL.cpp:636] [Rank 0] To avoid data inconsistency, we are taking the entire process down.",
        "W torch/multiprocessing/spawn.py:169] Terminating process 88122 via signal SIGTERM",
        "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with signal SIGABRT",
        "try 3 ended with status 1",
        "Submitted batch job 4491",
    ]
    put(place, "ner-court-4480.log", out)


def c22_marian(place: Path, rng: Random) -> None:
    """D1: the trainer waits for its feeder four seconds of five; a first attempt had no vocabulary."""
    job = shell.Job(310455, "mt-is-fo", "joanes", ("w12",), 4, "gpu", "1-00:00:00", "/home/joanes/mt")
    when = clock(rng, "2026-11-08T05:00", 1.0)
    begin = when.now
    stamp = "[%Y-%m-%d %H:%M:%S]"
    out = [
        *shell.modules("marian/1.12.0"),
        when.text(stamp) + " [marian] Marian v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800",
        when.text(stamp) + " Error: Vocabulary file vocab.isfo.spm is expected to exist, but does not",
        when.text(stamp) + " Error: Aborted from static marian::Ptr<marian::IVocab> in /src/data/vocab.cpp:118",
        "train.sh: marian exited with status 134; made vocab.isfo.spm, trying again",
        when.wait(420).text(stamp) + " [marian] Marian v1.12.0 65bf82ff 2023-02-21 09:56:29 -0800",
        when.text(stamp) + " [config] after: 12000u",
        when.text(stamp) + " [config] train-sets: stdin",
        when.wait(20).text(stamp) + " Training started",
    ]
    noise, good = Noise(rng, 0.03, 0.2), falls(9.1, 3.3, 900, 0.9)
    sentences = 0
    for step in range(100, 12001, 100):
        busy, waited = 100 * 0.41 * rng.uniform(0.97, 1.03), 100 * 1.79 * rng.lognormvariate(0, 0.2)
        when.wait(busy + waited)
        count = rng.randint(102000, 118000)
        sentences += count
        words = count * 24
        out.append(
            when.text(stamp)
            + f" Ep. 1 : Up. {step} : Sen. {sentences:,} : Cost {good(step) * noise():.8f} * {words:,} after {sentences * 24:,} : "
            f"Time {busy + waited:.2f}s : {words / (busy + waited):.2f} words/s : gNorm {rng.lognormvariate(-0.3, 0.2):.4f} : L.r. {3e-4 * min(step / 4000, math.sqrt(4000 / step)):.4e}"
        )
        if step % 300 == 0:
            out.append(
                f"feeder: queue 0/512 batches, trainer waited {waited:.1f} s of the last {busy + waited:.1f} s for data (tokeniser at 100 % of 1 core)"
            )
        if step % 3000 == 0:
            out.append(
                when.wait(38).text(stamp)
                + f" [valid] Ep. 1 : Up. {step} : ce-mean-words : {good(step) * 1.02:.6f} : new best"
            )
    out += [
        when.text(stamp) + " Training finished",
        when.text(stamp) + " Saving model weights and runtime parameters to model.npz",
        "train.sh: marian exited with status 0",
    ]
    put(place, "mt-is-fo.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "COMPLETED", "0:0", begin, when.wait(3).now)])
