"""The first half of the curves of the twenty-ninth set: logs as their frameworks write them. SIMULATED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def c01_roadside(place: Path, rng: Random) -> None:
    """MindSpore with mindcv, pictures of accidents; the standard output alone."""
    t = 3 * DAY + 7 * 3600 + 41 * 60 + 12
    began = t
    rows = [
        "[train.sh] host=wxlab-04 python=/opt/conda/envs/ms23/bin/python cfg=configs/roadside/densenet121_gpu.yaml",
        "[train.sh] stdout -> logs/roadside_07.out   stderr -> logs/roadside_07.err",
    ]

    def say(name: str, text: str) -> None:
        rows.append(f"[{clock(t)}] mindcv.{name} INFO - {text}")

    classes = ("no_event", "near_miss", "rear_end_crash", "rollover", "vehicle_fire", "fatal_collision", "hit_and_run")
    say("train", "Class index: " + ", ".join(f"{i}={one}" for i, one in enumerate(classes)))
    say(
        "train",
        "Reading labels from /data/roadside_v3/annotations/severity.csv (columns: clip, killed, injured, panic)",
    )
    say("train", "1 043 clips with killed > 0, 312 clips with fire, 77 with abort of the overtaking manoeuvre")
    t += 41
    say(
        "train",
        "Essential Experiment Configurations:\n"
        "MindSpore mode[GRAPH(0)/PYNATIVE(1)]: 0\n"
        "Distributed mode: False\n"
        "Number of devices: 1\n"
        "Number of training samples: 28416\n"
        "Number of validation samples: 3520\n"
        "Number of classes: 7\n"
        "Number of batches: 444\n"
        "Batch size: 64\n"
        "Auto augment: randaug-m7-mstd0.5\n"
        "MixUp: 0.0\n"
        "CutMix: 0.0\n"
        "Model: densenet121\n"
        "Model parameters: 6961031\n"
        "Number of epochs: 60\n"
        "Optimizer: momentum\n"
        "Learning rate: 0.05\n"
        "LR Scheduler: cosine_decay\n"
        "Momentum: 0.9\n"
        "Weight decay: 0.0001\n"
        "Auto mixed precision: O2\n"
        "Loss scale: 1024(fixed)",
    )
    say("train", "Start training")
    t += 38
    best = 0.0
    for epoch in range(1, 18):
        start = t
        for batch in (100, 200, 300, 400, 444):
            step = (epoch - 1) * 444 + batch
            span = 100 if batch != 444 else 44
            took = span * 0.281 * (1 + rng.gauss(0, 0.012)) + (23.4 if step == 100 else 0)
            t += took
            rate = 0.05 * 0.5 * (1 + math.cos(math.pi * step / 26640))
            loss = falls(rng, step, 1.95, 0.41, 1500, 0.06)
            say(
                "utils.callbacks",
                f"Epoch: [{epoch}/60], batch: [{batch}/444], loss: {loss:.6f}, lr: {rate:.6f}, time: {took:.6f}s",
            )
            if epoch == 17 and batch == 300:
                break
        else:
            train = t - start
            check = 13.1 + rng.random()
            t += check
            top = 100 * (0.861 - 0.5 * math.exp(-epoch / 4)) + rng.gauss(0, 0.5)
            say("utils.callbacks", f"Validation Top_1_Accuracy: {top:.4f}%, time: {check:.6f}s")
            worst = max(2.0, 58 * math.exp(-epoch / 6) + rng.gauss(5, 1))
            rows.append(
                f"    error by class: fatal_collision {worst:.1f}%  vehicle_fire {worst * 0.7:.1f}%  "
                f"rear_end_crash {worst * 0.4:.1f}%  (fatal taken for near_miss: {int(worst * 1.6)})",
            )
            if top > best:
                best = top
                say("utils.callbacks", f"=> New best val acc: {top:.4f}%")
            say("utils.callbacks", f"Saving model to ./ckpt_roadside/densenet121-{epoch}_444.ckpt")
            t += 0.9
            total = train + check + 0.9
            say(
                "utils.callbacks",
                f"Total time since last epoch: {total:.6f}(train: {train:.6f}, val: {check:.6f})s, "
                f"ETA: {total * (60 - epoch):.6f}s",
            )
            say("utils.callbacks", "-" * 80)
    t += 19
    rows.append(f"[train.sh] {clock(t)} python came back with 1 after 0:{hms(t - began)}, see logs/roadside_07.err")
    put(place, "roadside_07.out", rows)


def _human(value: float) -> str:
    """Nanotron's human format."""
    marks = ["", "K", "M", "G", "T", "P"]
    while abs(value) >= 1000:
        value /= 1000
        del marks[0]
    return f"{value:.3g}{marks[0]}"


def c02_smol_kk(place: Path, rng: Random) -> None:
    """Nanotron on two nodes, twelve hours a go, sent in twice by hand."""
    rows: list[str] = []
    host = "hgx-c2-11"
    step, limit = 0, 12 * 3600
    for job, begin in ((448127, 8 * 3600 + 3 * 60 + 9.0), (448913, DAY + 7 * 3600 + 22 * 60 + 48.0)):
        t = begin
        pid = 21763 if job == 448127 else 1180452
        first = f"{clock(t + 6, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d}"
        stamp = "%m/%d/%Y %H:%M:%S"

        def say(text: str, rank: str = "DP=0|PP=0|TP=0") -> None:
            rows.append(f"{clock(t, stamp)} [INFO|{rank}|{host}]: {text}")  # noqa: B023

        rows += [
            f"==== smol-kk-1b7  job {job}  nodes hgx-c2-[11-12]  {clock(t, '%a %b %e %H:%M:%S UTC %Y')}",
            "==== venv /lustre/home/aidos/envs/nanotron-0.5  config configs/smol_kk_1b7.yaml",
            f"W{first} {pid} torch/distributed/run.py:793] ",
            f"W{first} {pid} torch/distributed/run.py:793] *****************************************",
            f"W{first} {pid} torch/distributed/run.py:793] "
            "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system "
            "being overloaded, please further tune the variable for optimal performance in your application as "
            "needed. ",
            f"W{first} {pid} torch/distributed/run.py:793] *****************************************",
        ]
        t += 41
        say("Config:")
        rows += [
            "Config(general=GeneralArgs(project='smol-kk',",
            "                           run='smol-kk-1b7-a',",
            "                           seed=42,",
            f"                           step={step or None},",
            "                           consumed_train_samples=" + (f"{step * 512}," if step else "None,"),
            "                           benchmark_csv_path=None,",
            "                           ignore_sanity_checks=True),",
            "       parallelism=ParallelismArgs(dp=16, pp=1, tp=1, "
            "pp_engine=<nanotron.parallel.pipeline_parallel.engine."
            "OneForwardOneBackwardPipelineEngine object at 0x7f1c2a3d5e10>, tp_mode=<TensorParallelLinearMode."
            "REDUCE_SCATTER: 2>, tp_linear_async_communication=True, expert_parallel_size=1),",
            "       checkpoints=CheckpointsArgs(checkpoints_path=PosixPath('/lustre/work/aidos/ckpt/smol-kk-1b7-a'),",
            "                                   checkpoint_interval=2000,",
            "                                   save_initial_state=False,",
            "                                   resume_checkpoint_path="
            + (f"PosixPath('/lustre/work/aidos/ckpt/smol-kk-1b7-a/{step}')," if step else "None,"),
            "                                   checkpoints_path_is_shared_file_system=True),",
            "       tokens=TokensArgs(sequence_length=2048, train_steps=60000, micro_batch_size=8, "
            "batch_accumulation_per_replica=4, val_check_interval=-1, limit_val_batches=0, limit_test_batches=0))",
        ]
        say("Model Config:")
        rows.append(
            "LlamaConfig(bos_token_id=1, eos_token_id=2, hidden_act='silu', hidden_size=2048, "
            "initializer_range=0.02, intermediate_size=8192, num_attention_heads=32, num_hidden_layers=24, "
            "num_key_value_heads=32, rope_theta=10000.0, tie_word_embeddings=True, vocab_size=50304)",
        )
        t += 3
        say("Building model..")
        say("Initialize RoPE Theta = 10000.0")
        say("Setting PP block ranks...")
        t += 4
        say("Total number of parameters: 1.71G (3264.42MiB)")
        say("Local number of parameters: 1.71G (3264.42MiB)")
        say("[After model building] Memory usage: 3264.45MiB. Peak allocated: 3264.47MiB Peak reserved: 3388.00MiB")
        if step:
            t += 2
            say(f"Loading weights from /lustre/work/aidos/ckpt/smol-kk-1b7-a/{step}")
            t += 27
        else:
            say("No checkpoint path provided.")
            say("Parametrizing model parameters using StandardParametrizator")
        say("[Optimizer Building] Using LearningRateForSP as learning rate")
        say("[ZeRO sharding] Size of optimizer params per rank:")
        for rank in range(16):
            say(f"[ZeRO sharding] DP Rank {rank} has 107M out of 1.71G (6.25%) params' optimizer states")
        if step:
            t += 18
            say("Loading Optimizer States")
            t += 22
        say("Using `datasets` library")
        t += 11
        say(
            f"[Training Plan] Stage stable has {60000 - step} remaining training steps and has consumed "
            f"{step * 512} samples"
        )
        say(
            f"[Start training] datetime: {clock(t)}.118204 | mbs: 8 | grad_accum: 4 | global_batch_size: 512 | "
            f"sequence_length: 2048 | train_steps: 60000 | start_iteration_step: {step} | "
            f"consumed_train_samples: {step * 512}",
        )
        if step:
            say(
                "Resuming training from stage stable, it has trained for "
                + f"{step * 512} samples and has "
                + f"{60000 - step} remaining train steps"
            )
        end = begin + limit + 14
        while True:
            step += 10
            each = 2.36 * (1 + rng.gauss(0, 0.006)) + (0.9 if rng.random() < 0.004 else 0)
            t += 10 * each
            if t > end:
                break
            rate = 3e-4 * min(1, step / 2000) * (1 if step < 48000 else (60000 - step) / 12000)
            loss = falls(rng, step, 10.6, 2.21, 1700, 0.012)
            norm = max(0.19, 2.4 * math.exp(-step / 1500) + rng.gauss(0.31, 0.03))
            rate_s = 512 * 2048 / each
            flops = 301 * 2.36 / each
            say(
                f"iteration: {step} / 60000 | consumed_tokens: {_human(step * 512 * 2048)} | "
                f"elapsed_time_per_iteration_ms: {_human(each * 1000)} | tokens_per_sec: {_human(rate_s)} | "
                f"tokens_per_sec_per_gpu: {_human(rate_s / 16)} | global_batch_size: 512 | lm_loss: {loss:.3g} | "
                f"lr: {rate:.3g} | model_tflops_per_gpu: {flops:.3g} | hardware_tflops_per_gpu: {flops:.3g} | "
                f"grad_norm: {norm:.3g} | cuda_memory_allocated: 8.02G | cuda_max_memory_reserved: 52.4G | "
                "hd_total_memory_tb: 1.12P | hd_used_memory_tb: 633T | hd_free_memory_tb: 487T",
                "DP=0|PP=0|TP=0",
            )
            if step % 2000 == 0:
                say(f"Saving checkpoint at /lustre/work/aidos/ckpt/smol-kk-1b7-a/{step}")
                rows.append("Saving weights: 100%|██████████| 219/219 [00:03<00:00, 61.92it/s]")
                t += 19 + rng.random() * 4
        kept = step // 2000 * 2000
        late = end + rng.random() * 20
        form = "%Y-%m-%dT%H:%M:%S"
        micro = rng.randrange(10**6)
        rows += [
            f"slurmstepd: error: *** JOB {job} ON {host} CANCELLED AT {clock(late, form)} DUE TO TIME LIMIT ***",
            "srun: Job step aborted: Waiting up to 92 seconds for job step to finish.",
            f"slurmstepd: error: *** STEP {job}.0 ON {host} CANCELLED AT {clock(late, form)} DUE TO TIME LIMIT ***",
            f"W{clock(late, '%m%d %H:%M:%S')}.{micro:06d} {pid} torch/distributed/elastic/agent/server/api.py:704] "
            "Received Signals.SIGTERM death signal, shutting down workers",
        ]
        rows += [
            f"W{clock(late, '%m%d %H:%M:%S')}.{micro + 900 + 41 * i:06d} {pid} torch/distributed/elastic/"
            f"multiprocessing/api.py:897] Sending process {pid + 77 + i} closing signal SIGTERM"
            for i in range(8)
        ]
        rows += [f"srun: error: {host}: task 0: Terminated", "srun: error: hgx-c2-12: task 1: Terminated"]
        step = kept
    put(place, "smol-kk-1b7-a.log", rows)


def c03_voice(place: Path, rng: Random) -> None:
    """Piper's own logger tells little of its training."""
    home = "/home/marta/tts/pt_farol"
    lib = "/home/marta/tts/.venv/lib/python3.10/site-packages/pytorch_lightning"
    names = [f"farol_{rng.randrange(100, 4000):05d}" for _ in range(3)]
    rows = [
        f"DEBUG:piper_train:Namespace(dataset_dir='{home}', checkpoint_epochs=5, quality='medium', "
        "resume_from_single_speaker_checkpoint=None, logger=True, enable_checkpointing=True, default_root_dir=None, "
        "gradient_clip_val=None, accelerator='gpu', devices='1', max_epochs=6000, min_epochs=None, precision='32', "
        f"resume_from_checkpoint='{home}/../base/pt_BR-faber-medium-epoch=6159-step=1230728.ckpt', batch_size=24, "
        "validation_split=0.0, num_test_examples=0, max_phoneme_ids=400, hidden_channels=192, inter_channels=192, "
        "filter_channels=768, n_layers=6, n_heads=2, seed=1234)",
        f"{lib}/trainer/connectors/checkpoint_connector.py:52: "
        "LightningDeprecationWarning: Setting `Trainer(resume_from_checkpoint=)` is deprecated in v1.5 and will "
        "be removed "
        "in v2.0. Please pass `Trainer.fit(ckpt_path=)` directly instead.",
        "  rank_zero_deprecation(",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "IPU available: False, using: 0 IPUs",
        "HPU available: False, using: 0 HPUs",
        "DEBUG:piper_train:Checkpoints will be saved every 5 epoch(s)",
        f"DEBUG:vits.dataset:Loading dataset: {home}/dataset.jsonl",
        *(f"DEBUG:vits.dataset:Skipping utterance, too many phonemes: {one}" for one in names),
        f"{lib}/trainer/connectors/checkpoint_connector.py:152: "
        "LightningDeprecationWarning: `trainer.resume_from_checkpoint` is deprecated in v1.5 and will be "
        "removed in v2.0. "
        "Specify the fit checkpoint path with `trainer.fit(ckpt_path=)` instead.",
        "  ckpt_path = ckpt_path or self.resume_from_checkpoint",
        f"Restoring states from the checkpoint path at {home}/../base/pt_BR-faber-medium-epoch=6159-step=1230728.ckpt",
        f"DEBUG:fsspec.local:open file: {home}/../base/pt_BR-faber-medium-epoch=6159-step=1230728.ckpt",
        f"{lib}/callbacks/model_checkpoint.py:342: UserWarning: "
        "The dirpath has changed from '/ckpt/faber/lightning_logs/version_3/checkpoints' to "
        f"'{home}/lightning_logs/version_1/checkpoints', therefore `best_model_score`, `kth_best_model_path`, "
        f"`kth_value`, "
        "`last_model_path` and `best_k_models` won't be reloaded. Only `best_model_path` will be reloaded.",
        "  warnings.warn(",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        f"DEBUG:fsspec.local:open file: {home}/lightning_logs/version_1/hparams.yaml",
        "Restored all states from the checkpoint file at "
        f"{home}/../base/pt_BR-faber-medium-epoch=6159-step=1230728.ckpt",
        f"{lib}/utilities/data.py:153: "
        "UserWarning: Total length "
        "of `DataLoader` across ranks is zero. Please make sure this was your intention.",
        "  rank_zero_warn(",
        f"{lib}/trainer/connectors/data_connector.py:236: "
        "PossibleUserWarning: The dataloader, train_dataloader, does not have many workers which may be a bottleneck. "
        "Consider increasing the value of the `num_workers` argument` (try 16 which is the number of cpus on "
        "this machine) "
        "in the `DataLoader` init to improve performance.",
        "  rank_zero_warn(",
    ]
    put(place, "piper_farol.log", rows)


def c04_teapot(place: Path, rng: Random) -> None:
    """Dreambooth on two GPUs of a shared cluster, a log for each task."""
    begin = DAY + 14 * 3600 + 11 * 60 + 6.0
    form = "%m/%d/%Y %H:%M:%S"
    for rank in range(2):
        t = begin
        rows = [
            "",
            "   *** NESHYBA: scheduled power maintenance in room B on 14 Nov, queues drain from 12 Nov 18:00 ***",
            "   *** Files older than 60 days on /scratch are deleted without further notice          ***",
            "",
            "The following modules were not unloaded:",
            '  (Use "module --force purge" to unload all):',
            "",
            "  1) StdEnv",
            "",
            'Lmod is automatically replacing "gcc/11.3.0" with "gcc/12.2.0".',
            "",
            "The following have been reloaded with a version change:",
            "  1) openmpi/4.1.4 => openmpi/4.1.5",
            "",
            "Disk quotas for user zkova (uid 41877):",
            "     Filesystem     used    quota   limit   grace   files   quota   limit   grace",
            "     /home        41.20G     45G     50G       -  212733  300000  310000       -",
            "     /scratch     1.733T      2T    2.1T       -  901128       0       0       -",
            f"+ export MASTER_ADDR=gn117 MASTER_PORT=29411 RANK={rank} LOCAL_RANK={rank} WORLD_SIZE=2",
            "+ cd /scratch/zkova/db-teapot",
            "+ nvidia-smi -L",
            "GPU 0: NVIDIA A40 (UUID: GPU-5b1c0a3e-77d2-4a10-9c8e-1f60ad20b6c1)",
            "GPU 1: NVIDIA A40 (UUID: GPU-e30977f4-0c19-d3b5-5f7a-92aa1dd7e40b)",
            "+ python train_dreambooth.py --pretrained_model_name_or_path=/scratch/models/stable-diffusion-v1-5 "
            "--instance_data_dir=teapot_in --class_data_dir=teapot_cls --output_dir=out/teapot-a "
            "--instance_prompt='a photo of zkv teapot' --class_prompt='a photo of a teapot' --with_prior_preservation "
            "--prior_loss_weight=1.0 --num_class_images=200 --train_text_encoder --resolution=512 --train_batch_size=1 "
            "--mixed_precision=fp16 --learning_rate=2e-6 --lr_scheduler=constant --lr_warmup_steps=0 "
            "--max_train_steps=800 --checkpointing_steps=200 --validation_prompt='zkv teapot on a bench' "
            "--validation_steps=200 --seed=7",
        ]

        def say(text: str, name: str = "__main__") -> None:
            rows.append(f"{clock(t, form)} - INFO - {name} - {text}")  # noqa: B023

        t += 24
        say(
            "Distributed environment: MULTI_GPU  Backend: nccl\nNum processes: 2\n"
            f"Process index: {rank}\nLocal process index: {rank}\nDevice: cuda:{rank}\n\nMixed precision type: fp16\n",
        )
        if rank == 0:
            rows += [
                "You are using a model of type clip_text_model to instantiate a model of type . This is not supported "
                "for all configurations of models and can yield errors.",
                "{'variance_type', 'prediction_type', 'clip_sample_range', 'timestep_spacing', 'thresholding', "
                "'dynamic_thresholding_ratio', 'sample_max_value', 'rescale_betas_zero_snr'} was not found in config. "
                "Values will be initialized to default values.",
                "{'force_upcast', 'scaling_factor', 'latents_mean', 'latents_std', 'shift_factor', "
                "'use_quant_conv', 'use_post_quant_conv', 'mid_block_add_attention'} was not found in config. "
                "Values will be initialized to default values.",
            ]
            t += 31
            for text in (
                "***** Running training *****",
                "  Num examples = 200",
                "  Num batches each epoch = 100",
                "  Num Epochs = 8",
                "  Instantaneous batch size per device = 1",
                "  Total train batch size (w. parallel, distributed & accumulation) = 2",
                "  Gradient Accumulation steps = 1",
                "  Total optimization steps = 800",
            ):
                say(text)
            start = t
            row = "\rSteps:   0%|          | 0/800 [00:00<?, ?it/s]"
            for step in range(1, 801):
                each = 0.71 * (1 + rng.gauss(0, 0.02)) + (3.1 if step == 1 else 0)
                t += each
                spent = t - start
                loss = abs(rng.gauss(0, 0.13)) + abs(rng.gauss(0.05, 0.1)) + 0.012
                row += (
                    f"\rSteps: {100 * step // 800:3d}%|{bar(step, 800)}| {step}/800 "
                    f"[{hms(spent)}<{hms((800 - step) * 0.712)},  {1 / each:.2f}it/s, loss={loss:.3g}, lr=2e-6]"
                )
                if step % 200 == 0:
                    rows.append(row)
                    row = ""
                    where = f"out/teapot-a/checkpoint-{step}"
                    say(f"Saving current state to {where}", "accelerate.accelerator")
                    rows += [
                        f"Configuration saved in {where}/unet/config.json",
                        f"Model weights saved in {where}/unet/diffusion_pytorch_model.safetensors",
                    ]
                    t += 14
                    say(f"Optimizer state saved in {where}/optimizer.bin", "accelerate.checkpointing")
                    say(f"Scheduler state saved in {where}/scheduler.bin", "accelerate.checkpointing")
                    say(f"Sampler state for dataloader 0 saved in {where}/sampler.bin", "accelerate.checkpointing")
                    say(f"Gradient scaler state saved in {where}/scaler.pt", "accelerate.checkpointing")
                    say(f"Random states saved in {where}/random_states_0.pkl", "accelerate.checkpointing")
                    say(f"Saved state to {where}")
                    say("Running validation... \n Generating 4 images with prompt: zkv teapot on a bench.")
                    rows.append(
                        "\rLoading pipeline components...:   0%|          | 0/6 [00:00<?, ?it/s]"
                        "\rLoading pipeline components...: 100%|██████████| 6/6 [00:00<00:00, 41.27it/s]",
                    )
                    t += 17
            rows.append(
                "\rLoading pipeline components...:   0%|          | 0/6 [00:00<?, ?it/s]"
                "\rLoading pipeline components...:  67%|██████▋   | 4/6 [00:00<00:00, 15.90it/s]"
                "\rLoading pipeline components...: 100%|██████████| 6/6 [00:00<00:00, 18.15it/s]",
            )
            rows += [
                "Configuration saved in out/teapot-a/vae/config.json",
                "Model weights saved in out/teapot-a/vae/diffusion_pytorch_model.safetensors",
                "Configuration saved in out/teapot-a/unet/config.json",
                "Model weights saved in out/teapot-a/unet/diffusion_pytorch_model.safetensors",
                "Configuration saved in out/teapot-a/scheduler/scheduler_config.json",
                "Configuration saved in out/teapot-a/model_index.json",
                f"\rSteps: 100%|██████████| 800/800 [{hms(t - start + 8)}<00:00,  1.26s/it, loss={loss:.3g}, lr=2e-6]",
            ]
            t += 11
        else:
            t = begin + 24 + 31 + 3 + 800 * 0.712 + 4 * 31 + 9
        rows += [
            "+ rc=0",
            "+ ls -sh out/teapot-a",
            "total 28K",
            "4.0K checkpoint-200  4.0K checkpoint-400  4.0K checkpoint-600  4.0K checkpoint-800  4.0K logs",
            "4.0K model_index.json  4.0K scheduler  4.0K text_encoder  4.0K tokenizer  4.0K unet  4.0K vae",
            f"+ echo 'task {rank} done'",
            f"task {rank} done",
        ]
        put(place, f"db-teapot-90412-{rank}.out", rows)


_TATAR = (
    "исәнмесез хәерле иртә барыгызга да",
    "бүген без яңа дәрес башлыйбыз укучылар",
    "казан шәһәрендә кар ява инде",
    "рәхмәт сезгә бик зур рәхмәт дуслар",
)


def _parts(count: int, simple: float, pruned: float) -> str:
    """The losses of a transducer, weighed as the warm-up has them."""
    share = min(1.0, count / 2000)
    loss = (1 - 0.5 * share) * simple + (0.1 + 0.9 * share) * pruned
    return f"loss={loss:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}"


def c05_tatar(place: Path, rng: Random) -> None:
    """Icefall's zipformer on two GPUs, with a coloured run.sh before and after."""
    begin = 2 * DAY + 19 * 3600 + 2 * 60 + 40.2
    t = begin
    rows: list[str] = []

    def stage(text: str) -> None:
        rows.append(f"\x1b[1;34m{clock(t)} (run.sh:{rng.choice((61, 74, 88))}:main)\x1b[0m \x1b[32m{text}\x1b[0m")

    def say(where: str, text: str, rank: int = 0, level: str = "INFO") -> None:
        rows.append(f"{clock(t)},{int(t * 1000) % 1000:03d} {level} [{where}] ({rank}/2) {text}")

    stage("stage 4: zipformer, medium, bpe 500, 2 GPUs, 8 epochs")
    t += 9
    for rank in range(2):
        say("train.py:1270", "Training started", rank)
        say("train.py:1280", f"Device: cuda:{rank}", rank)
        say(
            "train.py:1291",
            "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, "
            "'batch_idx_train': 0, 'log_interval': 50, 'reset_interval': 200, 'valid_interval': 3000, "
            "'feature_dim': 80, 'subsampling_factor': 4, 'warm_step': 2000, 'env_info': {'k2-version': '1.24.4', "
            "'k2-build-type': 'Release', 'torch-version': '2.4.0+cu121', 'torch-cuda-version': '12.1', "
            "'python-version': '3.10', 'icefall-git-branch': 'master', 'hostname': 'kzn-gpu3'}, 'world_size': 2, "
            "'master_port': 12354, 'num_epochs': 8, 'start_epoch': 1, 'exp_dir': PosixPath('zipformer/exp-tt'), "
            "'base_lr': 0.045, 'use_fp16': True, 'max_duration': 900, 'vocab_size': 500}",
            rank,
        )
        t += 0.6
    say("train.py:1293", "About to create model")
    t += 1.1
    say("train.py:1297", "Number of model parameters: 65549011")
    say("asr_datamodule.py:432", "About to get train cuts")
    t += 6
    rows.append(
        "\r\x1b[36mLoading cuts\x1b[0m:   0%|          | 0/41207 [00:00<?, ?it/s]"
        "\r\x1b[36mLoading cuts\x1b[0m:  58%|█████▊    | 23911/41207 [00:01<00:00, 23880.31it/s]"
        "\r\x1b[36mLoading cuts\x1b[0m: 100%|██████████| 41207/41207 [00:01<00:00, 23977.05it/s]",
    )
    say("asr_datamodule.py:239", "Enable MUSAN")
    say("train.py:1480", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.")
    t += 31
    say("train.py:1508", "Maximum memory allocated so far is 21874MB", 0)
    say("train.py:1508", "Maximum memory allocated so far is 21902MB", 1)
    count = 0
    for epoch in range(1, 9):
        means = [(0.0, 0.0), (0.0, 0.0)]
        for batch in range(0, 301, 50):
            count = (epoch - 1) * 330 + batch
            t += 0.9 if batch == 0 else 50 * 0.86 * (1 + rng.gauss(0, 0.02))
            rate = 0.045 * ((count**2 + 7500**2) / 7500**2) ** -0.25 * ((epoch**2 + 3.5**2) / 3.5**2) ** -0.25
            rate *= min(1.0, 0.5 + 0.5 * count / 500)
            for rank in range(2):
                simple = falls(rng, count, 7.41, 0.21, 240, 0.03)
                pruned = falls(rng, count, 7.22, 0.12, 260, 0.04)
                frames = rng.uniform(19800, 22100)
                scale = min(4.0, 1.0 * 2 ** (count // 900))
                old = (simple, pruned) if batch == 0 else means[rank]
                means[rank] = (0.6 * old[0] + 0.4 * simple, 0.6 * old[1] + 0.4 * pruned)
                held = frames if batch == 0 else 20950 * min(190, batch + 1) * rng.uniform(0.98, 1.02)
                say(
                    "train.py:1135",
                    f"Epoch {epoch}, batch {batch}, loss[{_parts(count, simple, pruned)}, over {frames:.2f} frames. ], "
                    f"tot_loss[{_parts(count, *means[rank])}, over {held:.2f} frames. ], "
                    f"batch size: {rng.randrange(44, 190)}, lr: {rate:.2e}, grad_scale: {scale}",
                    rank,
                )
            for _ in range(rng.randrange(1, 4)):
                text = rng.choice(_TATAR)
                tokens = [piece for word in text.split() for piece in ("▁" + word[:2], *word[2:])]
                frames = rng.randrange(62, 4 * len(tokens))
                say(
                    "train.py:1407",
                    f"Exclude cut with ID tt_cv_{rng.randrange(10**7):08d}-{rng.randrange(90)}"
                    f"_sp{rng.choice(('0.9', '1.1'))} "
                    f"from training. Number of frames (before subsampling): {frames}. Number of frames "
                    f"(after subsampling): {((frames - 7) // 2 + 1) // 2}. Text: {text}. "
                    f"Tokens: {tokens}. Number of tokens: {len(tokens)}",
                    rng.randrange(2),
                    "WARNING",
                )
            if batch in (100, 200):
                middle = 40 * math.exp(-count / 900) + 62
                quarts = " ".join(f"{middle * k:.3e}" for k in (0.51, 0.83, 1.0, 1.31, 3.4))
                part = rng.choice((1.0, 2.0, 3.0, 4.0))
                for rank in range(2):
                    say(
                        "optim.py:487",
                        f"Clipping_scale=2.0, grad-norm quartiles {quarts}, threshold={middle * 2:.3e}, "
                        f"percent-clipped={part:.1f}",
                        rank,
                        "WARNING",
                    )
            if batch == 0:
                say("train.py:1149", "Computing validation loss", 1)
                say("train.py:1149", "Computing validation loss", 0)
                t += 21
                simple = falls(rng, count, 7.38, 0.24, 235, 0.01)
                pruned = falls(rng, count, 7.2, 0.11, 250, 0.01)
                for rank in (0, 1):
                    say(
                        "train.py:1158",
                        f"Epoch {epoch}, validation: {_parts(count, simple, pruned)}, over 1204810.00 frames. ",
                        rank,
                    )
                say("train.py:1161", "Maximum memory allocated so far is 22310MB", 0)
                say("train.py:1161", "Maximum memory allocated so far is 22274MB", 1)
        t += 25
        say("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-tt/epoch-{epoch}.pt")
        t += 2.4
    say("train.py:1446", "Done!", 1)
    say("train.py:1446", "Done!", 0)
    t += 3
    stage("stage 4 took " + hms(t - begin) + ", next: ./zipformer/decode.py --epoch 8 --avg 3")
    put(place, "slurm-77120.out", rows)
    last = t + 1
    put(
        place,
        "sacct_77120.txt",
        [
            "       JobID    JobName  Partition      State ExitCode               Start                 End    Elapsed "
            "    ReqTRES",
            "------------ ---------- ---------- ---------- -------- ------------------- ------------------- ---------- "
            "-----------",
            *(
                f"{one:<12} {name:>10} {part:>10}  COMPLETED      0:0 {clock(begin - 2, '%Y-%m-%dT%H:%M:%S')} "
                f"{clock(last, '%Y-%m-%dT%H:%M:%S')}   00:{hms(last - begin + 2)} {tres}"
                for one, name, part, tres in (
                    ("77120", "zip-tt-m", "gpu", "gres/gpu=2"),
                    ("77120.batch", "batch", "", ""),
                    ("77120.extern", "extern", "", ""),
                )
            ),
        ],
    )


def c06_forklift(place: Path, rng: Random) -> None:
    """MMAction2, the stamps cut off before it was handed over."""
    head = "mmengine - INFO - "
    rows = [
        head + "Config:",
        "model = dict(type='Recognizer2D', backbone=dict(type='ResNetTSM', depth=50, num_segments=8, shift_div=8), "
        "cls_head=dict(type='TSMHead', num_classes=9, in_channels=2048))",
        "train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=12, val_begin=2, val_interval=2)",
        "work_dir = './work_dirs/tsm_forklift_r50_8f'",
        head + "Distributed training is not used, all SyncBatchNorm (SyncBN) layers in the model will be automatically "
        "reverted to BatchNormXd layers if they are used.",
        "Loads checkpoint by local backend from path: ckpt/tsm_r50_8xb16-1x1x8-50e_kinetics400-rgb.pth",
        head + "Load checkpoint from ckpt/tsm_r50_8xb16-1x1x8-50e_kinetics400-rgb.pth",
        'mmengine - WARNING - "FileClient" will be deprecated in future. Please use io functions in '
        "https://mmengine.readthedocs.io/en/latest/api/fileio.html#file-io",
        head + "Checkpoints will be saved to /srv/ml/forklift/work_dirs/tsm_forklift_r50_8f.",
    ]
    best, kept = 0.0, 0
    for epoch in range(1, 13):
        for batch in (40, 80):
            step = (epoch - 1) * 86 + batch
            rate = 7.5e-4 * (0.1 ** ((epoch > 6) + (epoch > 10)))
            each = 0.592 + rng.gauss(0, 0.01) + (0.21 if step == 40 else 0)
            loss = falls(rng, step, 2.2, 0.16, 190, 0.05)
            top1 = min(1.0, round((1 - loss / 2.5) * 16) / 16)
            rows.append(
                f"{head}Epoch(train) {epoch:3d}][{batch}/86]  ".replace(f" {epoch:3d}]", f" {f'[{epoch}]':>4}")
                + f"lr: {rate:.4e}  eta: 0:{hms((1032 - step) * 0.6)}  time: {each:.4f}  data_time: {each * 0.11:.4f}  "
                f"memory: 9874  grad_norm: {falls(rng, step, 7.4, 1.9, 300, 0.08):.4f}  loss: {loss:.4f}  "
                f"top1_acc: {top1:.4f}  top5_acc: 1.0000  loss_cls: {loss:.4f}",
            )
        if epoch % 3 == 0:
            rows.append(f"{head}Saving checkpoint at {epoch} epochs")
        if epoch % 2 == 0:
            acc = 0.934 - 0.4 * math.exp(-epoch / 2.6) + rng.gauss(0, 0.003)
            rows.append(
                f"{head}Epoch(val) {f'[{epoch}]':>4}[31/31]    acc/top1: {acc:.4f}  acc/top5: "
                f"0.99{rng.randrange(10, 99)}  "
                f"acc/mean1: {acc - 0.012:.4f}  data_time: {0.183 + rng.random() / 50:.4f}  time: "
                f"{0.352 + rng.random() / 40:.4f}",
            )
            if acc > best:
                if kept:
                    rows.append(
                        f"{head}The previous best checkpoint /srv/ml/forklift/work_dirs/tsm_forklift_r50_8f/"
                        f"best_acc_top1_epoch_{kept}.pth is removed",
                    )
                best, kept = acc, epoch
                rows.append(
                    f"{head}The best checkpoint with {acc:.4f} acc/top1 at {epoch} epoch is saved to "
                    f"best_acc_top1_epoch_{epoch}.pth.",
                )
    put(place, "train.log", rows)
    put(
        place,
        "train.err",
        [
            "/srv/ml/venv/lib/python3.10/site-packages/torch/functional.py:504: UserWarning: torch.meshgrid: in "
            "an upcoming "
            "release, it will be required to pass the indexing argument. (Triggered internally at "
            "../aten/src/ATen/native/TensorShape.cpp:3526.)",
            "  return _VF.meshgrid(tensors, **kwargs)  # type: ignore[attr-defined]",
            "[h264 @ 0x55d0c8a1f2c0] mmco: unref short failure",
            "[h264 @ 0x55d0c8a1f2c0] mmco: unref short failure",
            "[h264 @ 0x7fe93c04b880] mmco: unref short failure",
        ],
    )
