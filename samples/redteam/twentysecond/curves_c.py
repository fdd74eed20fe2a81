"""Curves c17 to c24 of the twenty-second set, written blind. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import clock, falls, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

MOVIE = "Recommend a movie for me to watch during the weekend and explain the reason."


def c17_litgpt_lora_done(place: Path, rng: Random) -> None:
    """A LoRA finetune by litgpt that ran to its end; the tracker lost its network once and found it again."""
    out = [
        "{'access_token': None,",
        " 'checkpoint_dir': PosixPath('checkpoints/meta-llama/Llama-3.2-3B'),",
        " 'data': JSON(json_path=PosixPath('data/tickets_nl.json'),",
        "              mask_prompt=False,",
        "              val_split_fraction=0.05,",
        "              prompt_style=<litgpt.prompts.Alpaca object at 0x7f20e4b3d5d0>,",
        "              ignore_index=-100,",
        "              seed=42,",
        "              num_workers=4),",
        " 'devices': 1,",
        " 'eval': EvalArgs(interval=100,",
        "                  max_new_tokens=100,",
        "                  max_iters=100,",
        "                  initial_validation=False,",
        "                  final_validation=True,",
        "                  evaluate_example='first'),",
        " 'logger_name': 'wandb',",
        " 'lora_alpha': 16,",
        " 'lora_dropout': 0.05,",
        " 'lora_r': 8,",
        " 'num_nodes': 1,",
        " 'optimizer': 'AdamW',",
        " 'out_dir': PosixPath('out/finetune/lora-tickets'),",
        " 'precision': 'bf16-true',",
        " 'quantize': None,",
        " 'seed': 1337,",
        " 'train': TrainArgs(save_interval=200,",
        "                    log_interval=1,",
        "                    global_batch_size=8,",
        "                    micro_batch_size=4,",
        "                    lr_warmup_steps=20,",
        "                    epochs=2,",
        "                    max_seq_length=512)}",
        "Seed set to 1337",
        "wandb: Currently logged in as: marijke (tickets-nl). Use `wandb login --relogin` to force relogin",
        "wandb: Tracking run with wandb version 0.19.8",
        "wandb: Run data is saved locally in out/finetune/lora-tickets/logs/wandb/run-20261104_101522-jq2r7d0e",
        "Number of trainable parameters: 4,587,520",
        "Number of non-trainable parameters: 3,606,752,256",
        "The longest sequence length in the train data is 512, the model's maximum sequence length is 512 and context"
        " length is 131072",
        "Verifying settings ...",
    ]
    per_epoch, val, step = 436, "n/a", 0
    for it in range(1, 2 * per_epoch + 1):
        loss = falls(rng, it, 2.31, 1.02, 140, 0.06) - (0.06 if it > per_epoch else 0)
        if it % 2 == 0:
            step += 1
        took = rng.gauss(412, 9) + (rng.uniform(1500, 2200) if it == 1 else 0) + (71 if it % 2 == 0 else 0)
        out.append(
            f"Epoch {(it - 1) // per_epoch + 1} | iter {it} step {step} | loss train: {loss:.3f}, val: {val} |"
            f" iter time: {took:.2f} ms{' (step)' if it % 2 == 0 else ''}"
        )
        if it == 301:
            out += [
                "wandb: 429 encountered (Filestream rate limit exceeded, retrying in 2.3 seconds.), retrying request",
                "wandb: Network error (ConnectionError), entering retry loop.",
            ]
        if it == 367:
            out.append("wandb: Network error resolved after 0:00:28.117201, resuming normal operation.")
        if it % 2 == 0 and step % 100 == 0:
            loss_val = falls(rng, it, 2.2, 1.09, 150, 0.006)
            val = f"{loss_val:.3f}"
            out += [
                "Validating ...",
                MOVIE,
                "Below is an instruction that describes a task. Write a response that appropriately completes the"
                " request.",
                "",
                "### Instruction:",
                MOVIE,
                "",
                "### Response:",
                "Een goede film voor het weekend is 'Zwartboek'. Het is een spannende oorlogsfilm met een sterk verhaal"
                if it > 250
                else 'I recommend the movie "The Shawshank Redemption" because it is a movie about hope and friendship',
                "",
                f"iter {it}: val loss {loss_val:.4f}, val time: {rng.gauss(16240, 90):.2f} ms",
            ]
        if it % 2 == 0 and step % 200 == 0:
            out.append(
                f"Saving LoRA weights to 'out/finetune/lora-tickets/step-{step:06d}/lit_model.pth.lora'",
            )
    dash = "| " + "-" * 55
    out += [
        "",
        dash,
        "| Token Counts",
        "| - Input Tokens              :  388142",
        "| - Tokens w/ Prompt          :  566218",
        "| - Total Tokens (w/ Padding) :  1012736",
        dash,
        "| Performance",
        "| - Training Time             :  463.17 s",
        "| - Tok/sec                   :  2186.53 tok/s",
        dash,
        "| Memory Usage",
        "| - Memory Used               :  17.62 GB",
        dash[2:],
        "Validating ...",
        "Final evaluation | val loss: 1.203 | val ppl: 3.330",
        "Saving LoRA weights to 'out/finetune/lora-tickets/final/lit_model.pth.lora'",
        "{'checkpoint_dir': PosixPath('out/finetune/lora-tickets/final'),",
        " 'pretrained_checkpoint_dir': None,",
        " 'precision': None}",
        "Saved merged weights to 'out/finetune/lora-tickets/final/lit_model.pth'",
        "wandb: ",
        "wandb: 🚀 View run proud-heron-14 at: https://wandb.ai/tickets-nl/finetune-lora-tickets/runs/jq2r7d0e",
        "wandb: Find logs at: out/finetune/lora-tickets/logs/wandb/run-20261104_101522-jq2r7d0e/logs",
    ]
    put(place, "tickets_lora.log", out)


def c18_maxtext_task_gone(place: Path, rng: Random) -> None:
    """MaxText on eight nodes: one task falls silent, the others stand in a collective until the coordinator ends it."""
    out = []
    now = 2 * 86400 + 5 * 3600 + 411.0

    def stamp(letter: str, where: str, pid: int) -> str:
        """The head of a line of absl's C++ log, a little after the last."""
        nonlocal now
        now += rng.uniform(0.0004, 0.012)
        return f"{letter}{clock(now, '%m%d %H:%M:%S.%f')} {pid:7d} {where}]"

    pids = [rng.randrange(200000, 900000) for _ in range(8)]
    out.append(
        "+ srun -l --ntasks-per-node=1 --container-image=/lustre/img/maxtext-gpu.sqsh python3 -u "
        "-m MaxText.train src/MaxText/configs/base.yml model_name=llama2-7b hardware=gpu_multiprocess steps=4000"
    )
    for task in range(8):
        out.append(f"{task}: Updating keys from env and command line: ['run_name', 'model_name', 'hardware', 'steps']")
        out.append(f"{task}: Running Model: llama2-7b")
    for task in range(8):
        out.append(f"{task}: Attempting to initialize the jax distributed system for GPU backend...")
        out.append(f"{task}: Jax distributed system initialized on GPU!")
    out += [
        "0: System Information: Jax Version: 0.6.2",
        "0: System Information: Jaxlib Version: 0.6.2",
        "0: System Information: Jax Backend: PJRT C API",
        "0: Config param attention: cudnn_flash_te",
        "0: Config param base_output_directory: /lustre/runs/l2-7b",
        "0: Config param checkpoint_period: 500",
        "0: Config param dataset_type: tfds",
        "0: Config param eval_interval: 100",
        "0: Config param eval_steps: 12",
        "0: Config param global_batch_size_to_train_on: 256",
        "0: Config param jax_distributed_heartbeat_timeout_seconds: 300",
        "0: Config param learning_rate: 3e-05",
        "0: Config param max_target_length: 4096",
        "0: Config param per_device_batch_size: 4.0",
        "0: Config param steps: 4000",
        "0: Num_devices: 64, shape (1, 1, 64, 1, 1, 1, 1, 1, 1, 1)",
        "0: number parameters: 6.738 billion",
        "0: No existing checkpoints found, not restoring checkpoint.",
        "0: Per train step:",
        "0:  Total TFLOPs: 735.02 ",
        "0:  split as 90.29% learnable weight flops and 9.71% attention flops",
    ]
    last = 1863
    for step in range(last + 1):
        took = rng.gauss(1.914, 0.012) + (61.2 if step == 0 else 0)
        now += took
        loss = falls(rng, step, 10.84, 2.61, 260, 0.008)
        out.append(
            f"0: completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {735.02 / took:.3f}, "
            f"Tokens/s/device: {16384 / took:.3f}, total_weights: 1048576, loss: {loss:.3f}"
        )
        if step and step % 100 == 0:
            tasks = list(range(8))
            rng.shuffle(tasks)
            for task in tasks:
                out.append(
                    f"{task}: {stamp('W', 'cache_dataset_ops.cc:917', pids[task])} The calling iterator did not"
                    " fully read"
                    " the dataset being cached. In order to avoid unexpected truncation of the dataset, the partially"
                    " cached contents of the dataset  will be discarded. This can happen if you have an input pipeline"
                    " similar to `dataset.cache().take(k).repeat()`. You should use `dataset.take(k).cache().repeat()`"
                    " instead."
                )
                out.append(
                    f"{task}: {stamp('I', 'local_rendezvous.cc:407', pids[task])} Local rendezvous is aborting with"
                    " status: OUT_OF_RANGE: End of sequence"
                )
            for k in range(12):
                out.append(f"0: Completed eval step {k}")
            now += 12 * 0.66
            out.append(
                f"0: eval metrics after step: {step}, loss={falls(rng, step, 10.8, 2.66, 260, 0.003):.3f},"
                f" total_weights=12582912.0"
            )
        if step and step % 500 == 0:
            out.append(f"0: saved a checkpoint at step {step}")
    run = rng.randrange(10**9)
    now += 38
    for k in range(14):
        for task in (0, 1, 2, 3, 4, 6, 7):
            if k and rng.random() < 0.4:
                continue
            out.append(
                f"{task}: {stamp('E', 'rendezvous.cc:98', pids[task] + 41)} This thread has been waiting for"
                f" `acquire clique for rank {task * 8 + rng.randrange(8)}; clique=devices=64;"
                f" stream=0; run_id={run}` for {20 * (k + 1)} seconds and may be stuck. Expected 8 threads to join the"
                " rendezvous, but not all of them arrived on time."
            )
        now += 20
    now += 21
    down = (
        "UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):"
        " /job:jax_worker/replica:0/task:5. The tasks have crashed. Check the task logs for an earlier error, or"
        " scheduler events (e.g. preemption, eviction) to debug further."
        " [type.googleapis.com/tensorflow.CoordinationServiceError='']"
    )
    out.append(
        f"0: {stamp('E', 'coordination_service.cc:678', pids[0] + 9)} /job:jax_worker/replica:0/task:5 has been set to"
        " ERROR in coordination service: UNAVAILABLE: Task /job:jax_worker/replica:0/task:5 heartbeat timeout. This"
        " indicates that the remote task has failed, got preempted, or crashed unexpectedly. Check the task logs for an"
        " earlier error or scheduler events (e.g. preemption, eviction) to debug further."
    )
    for task in (0, 3, 1, 2, 7, 4, 6):
        out.append(
            f"{task}: {stamp('E', 'coordination_service_agent.cc:332', pids[task] + 12)} Polled an error from"
            f" coordination service (this can be an error from this or another task): {down}"
        )
        out.append(
            f"{task}: {stamp('F', 'client.h:77', pids[task] + 12)} Terminating process because the JAX distributed"
            " service detected fatal errors. This most likely indicates that another task died; see the other task logs"
            " for more details. Disable Python buffering, i.e. `python -u`, to be sure to see all the previous output."
            f" absl::Status: {down}"
        )
    out.append("srun: error: h100-041: task 0: Aborted (core dumped)")
    out.append("srun: launch/slurm: _step_signal: Terminating StepId=771203.0")
    out.append("srun: error: h100-[042-045,047-048]: tasks 1-4,6-7: Aborted (core dumped)")
    put(place, "slurm-771203.out", out)


def c19_nnunet_broken_case(place: Path, rng: Random) -> None:
    """nnU-Net: a preprocessed case is cut short, the worker that reads it dies before the first epoch is done."""
    now = 86400 + 9 * 3600 + 37 * 60 + 2.2
    out = []

    def says(text: str) -> None:
        """A line of nnU-Net's own log, a little after the last."""
        nonlocal now
        now += rng.uniform(0.0008, 0.03)
        out.append(f"{clock(now, '%Y-%m-%d %H:%M:%S.%f')}: {text}")

    out += [
        " {'data_identifier': 'nnUNetPlans_3d_fullres', 'preprocessor_name': 'DefaultPreprocessor', 'batch_size': 2,"
        " 'patch_size': [96, 160, 160], 'median_image_size_in_voxels': [119.0, 402.0, 402.0],"
        " 'spacing': [2.5, 0.8, 0.8],"
        " 'normalization_schemes': ['CTNormalization'], 'use_mask_for_norm': [False], 'batch_dice': True} ",
        " ",
    ]
    says("unpacking dataset...")
    now += 31
    says("unpacking done...")
    says("do_dummy_2d_data_aug: False")
    says("Using splits from existing split file: /data/nnUNet_preprocessed/Dataset217_Pankreas/splits_final.json")
    says("The split file contains 5 splits.")
    says("Desired fold for training: 2")
    says("This split has 225 training and 56 validation cases.")
    says("Unable to plot network architecture:")
    says("No module named 'hiddenlayer'")
    now += 3
    says("")
    says("Epoch 0")
    says("Current learning rate: 0.01")
    lib = "/opt/conda/envs/nnunet/lib/python3.10/site-packages"
    out += [
        "Exception in background worker 4:",
        " mmap length is greater than filesize",
        "Traceback (most recent call last):",
        f'  File "{lib}/batchgenerators/dataloading/nondet_multi_threaded_augmenter.py", line 53, in producer',
        "    item = next(data_loader)",
        f'  File "{lib}/batchgenerators/dataloading/data_loader.py", line 126, in __next__',
        "    return self.generate_train_batch()",
        f'  File "{lib}/nnunetv2/training/dataloading/data_loader_3d.py", line 19, in generate_train_batch',
        "    data, seg, properties = self._data.load_case(i)",
        f'  File "{lib}/nnunetv2/training/dataloading/nnunet_dataset.py", line 86, in load_case',
        "    data = np.load(entry['data_file'][:-4] + \".npy\", 'r')",
        f'  File "{lib}/numpy/lib/npyio.py", line 453, in load',
        "    return format.open_memmap(file, mode=mmap_mode,",
        f'  File "{lib}/numpy/lib/format.py", line 945, in open_memmap',
        "    marray = numpy.memmap(filename, dtype=dtype, shape=shape, order=order,",
        f'  File "{lib}/numpy/core/memmap.py", line 268, in __new__',
        "    mm = mmap.mmap(fid.fileno(), bytes, access=acc, offset=start)",
        "ValueError: mmap length is greater than filesize",
        "Traceback (most recent call last):",
        '  File "/opt/conda/envs/nnunet/bin/nnUNetv2_train", line 8, in <module>',
        "    sys.exit(run_training_entry())",
        f'  File "{lib}/nnunetv2/run/run_training.py", line 275, in run_training_entry',
        "    run_training(args.dataset_name_or_id, args.configuration, args.fold, args.tr, args.p,",
        f'  File "{lib}/nnunetv2/run/run_training.py", line 211, in run_training',
        "    nnunet_trainer.run_training()",
        f'  File "{lib}/nnunetv2/training/nnUNetTrainer/nnUNetTrainer.py", line 1362, in run_training',
        "    train_outputs.append(self.train_step(next(self.dataloader_train)))",
        f'  File "{lib}/batchgenerators/dataloading/nondet_multi_threaded_augmenter.py", line 196, in __next__',
        "    item = self.__get_next_item()",
        f'  File "{lib}/batchgenerators/dataloading/nondet_multi_threaded_augmenter.py", line 181, in __get_next_item',
        '    raise RuntimeError("One or more background workers are no longer alive. Exiting. Please check the "',
        "RuntimeError: One or more background workers are no longer alive. Exiting. Please check the print statements "
        "above for the actual error message",
    ]
    put(place, "fold2.txt", out)
    rows = ["timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]"]
    start = now - 41
    for k in range(10):
        late = k > 6
        rows.append(
            f"{clock(start + 5 * k, '%Y/%m/%d %H:%M:%S')}.{rng.randrange(1000):03d}, 0, 0 %, "
            f"{(612 if late else 4)} MiB, 24576 MiB, {rng.gauss(62 if late else 24, 1.2):.2f} W"
        )
    put(place, "smi.csv", rows)


def c20_open_instruct_nan(place: Path, rng: Random) -> None:
    """A supervised finetune by open-instruct whose loss climbs and is not a number from then on."""
    out = [
        "Last login: Mon Nov  2 19:02:44 from 10.20.0.14",
        "**********************************************************************",
        "*  Welcome to ARGO. /scratch is purged after 30 days. Next maintenance:",
        "*  18 November, 08:00 - 17:00. No jobs will be killed without notice.",
        "**********************************************************************",
        "(base) [lena@argo-login2 ~]$ cd open-instruct && conda activate oi",
        "(oi) [lena@argo-login2 open-instruct]$ srun --jobid 90217 --overlap tail -n +1 out/sft_olmo2_1b.txt",
        "INFO - __main__ -   ***** Running training *****",
        "INFO - __main__ -     Num examples = 93420",
        "INFO - __main__ -     Num Epochs = 2",
        "INFO - __main__ -     Instantaneous batch size per device = 4",
        "INFO - __main__ -     Total train batch size (w. parallel, distributed & accumulation) = 128",
        "INFO - __main__ -     Gradient Accumulation steps = 8",
        "INFO - __main__ -     Total optimization steps = 1460",
    ]
    base = 0.0
    for step in range(40, 1461, 40):
        rate = 5e-4 * (min(step / 44, 1) if step < 44 else (1460 - step) / 1416)
        if step <= 280:
            base = falls(rng, step, 1.71, 1.18, 120, 0.01)
        elif step <= 440:
            base *= rng.uniform(1.38, 1.75)
        shown = repr(base) if step <= 440 else "nan"
        out.append(f"INFO - __main__ -   Step: {step}, LR: {rate!r}, Loss: {shown}, TPS: {rng.gauss(41870, 240)!r}")
    out += [
        "Configuration saved in output/sft_olmo2_1b/config.json",
        "Model weights saved in output/sft_olmo2_1b/model.safetensors",
        "(oi) [lena@argo-login2 open-instruct]$ exit",
        "logout",
    ]
    put(place, "session.txt", out)


def c21_mace_diverged(place: Path, rng: Random) -> None:
    """MACE: the errors on the validation set fall for six epochs, jump far above the start and never come back."""
    out = [
        "INFO: ===========VERIFYING SETTINGS===========",
        "INFO: MACE version: 0.3.10",
        "INFO: CUDA version: 12.1, CUDA device: 0",
        "INFO: ===========LOADING INPUT DATA===========",
        "INFO: Using heads: ['Default']",
        "INFO: =============    Processing head Default     ===========",
        "INFO: Training set 1/1 [energy: 3120, stress: 0, virials: 0, dipole components: 0, head: 3120, elec_temp: 0,"
        " total_charge: 0, polarizability: 0, total_spin: 0]",
        "INFO: Total Training set [energy: 3120, stress: 0, virials: 0, dipole components: 0, head: 3120]",
        "INFO: Using random 5% of training set for validation with indices saved in: ./valid_indices_123.txt",
        "INFO: Atomic Numbers used: [1, 6, 8, 30]",
        "INFO: Atomic Energies used (z: eV) for head Default: {1: -13.663181, 6: -1029.280946, 8: -2042.030391,"
        " 30: -48373.1127}",
        "INFO: ===========MODEL DETAILS===========",
        "INFO: Building model",
        "INFO: Message passing with 128 channels and max_L=1 (128x0e+128x1o)",
        "INFO: 2 layers, each with correlation order: 3 (body order: 4) and spherical harmonics up to: l=3",
        "INFO: 8 radial and 5 basis functions",
        "INFO: Radial cutoff: 6.0 A (total receptive field for each atom: 12.0 A)",
        "INFO: Distance transform for radial basis functions: None",
        "INFO: Hidden irreps: 128x0e+128x1o",
        "INFO: Total number of parameters: 731408",
        "INFO: ===========OPTIMIZER INFORMATION===========",
        "INFO: Using ADAM as parameter optimizer",
        "INFO: Batch size: 16",
        "INFO: Number of gradient updates: 44400",
        "INFO: Learning rate: 0.05, weight decay: 5e-07",
        "INFO: WeightedEnergyForcesLoss(energy_weight=1.000, forces_weight=100.000)",
        "INFO: Using gradient clipping with tolerance=10.000",
        "INFO: ===========TRAINING===========",
        "INFO: Started training, reporting errors on validation set",
        "INFO: Loss metrics on validation set",
        "INFO: Initial: head: Default, loss=66.31204418, RMSE_E_per_atom= 1412.77 meV, RMSE_F= 1382.05 meV / A",
    ]
    for epoch in range(57):
        if epoch < 7:
            forces = falls(rng, epoch, 912, 402, 3, 0.03)
            energy = falls(rng, epoch, 520, 188, 3, 0.06)
        elif epoch < 11:
            forces = (790, 2214, 5120, 6644)[epoch - 7] * rng.uniform(0.95, 1.05)
            energy = (612, 3140, 9215, 21870)[epoch - 7] * rng.uniform(0.9, 1.1)
        else:
            forces = 5800 * math.exp(rng.gauss(0, 0.12))
            energy = 17400 * math.exp(rng.gauss(0, 0.25))
        loss = (energy / 1000) ** 2 * 0.35 + (forces / 1000) ** 2 * 33.9
        out.append(
            f"INFO: Epoch {epoch}: head: Default, loss={loss:8.8f}, RMSE_E_per_atom={energy:8.2f} meV,"
            f" RMSE_F={forces:8.2f} meV / A"
        )
    out += [
        "INFO: Stopping optimization after 50 epochs without improvement",
        "INFO: Training complete",
    ]
    put(place, "zn_water_mace_run-123.log", out)


def c22_timm_killed(place: Path, rng: Random) -> None:
    """Timm on two GPUs: the kernel takes one rank for the memory of the host; the launcher and slurmstepd say it."""
    zero = 2 * 86400 + 13 * 3600 + 8 * 60
    first = [
        "Training in distributed mode with multiple processes, 1 device per process.Process 0, total 2, device cuda:0.",
        "Model convnext_small created, param count:50223688",
        "Data processing configuration for current model + dataset:",
        "\tinput_size: (3, 224, 224)",
        "\tinterpolation: bicubic",
        "\tmean: (0.485, 0.456, 0.406)",
        "\tstd: (0.229, 0.224, 0.225)",
        "\tcrop_pct: 0.875",
        "\tcrop_mode: center",
        "AdamW (",
        "Parameter Group 0",
        "    lr: 0.001",
        "    weight_decay: 0.0",
        "",
        "Parameter Group 1",
        "    lr: 0.001",
        "    weight_decay: 0.05",
        ")",
        "Using native Torch AMP. Training in mixed precision.",
        "Using native Torch DistributedDataParallel.",
        "Scheduled epochs: 300. LR stepped per epoch.",
    ]
    second = [
        "Training in distributed mode with multiple processes, 1 device per process.Process 1, total 2, device cuda:1.",
    ]
    stop = False
    for epoch in range(9):
        rate = 1e-4 + 9e-4 * min(epoch / 5, 1)
        mean = 0.0
        for seen, update in enumerate((*range(0, 2500, 50), 2501)):
            now = falls(rng, epoch * 2502 + update, 6.97, 2.3, 14000, 0.02)
            mean += (now - mean) / (seen + 1)
            took, avg = rng.gauss(0.361, 0.006), 0.363
            first.append(
                f"Train: {epoch} [{update:>4d}/2502 ({100 * (update + 1) / 2502:>3.0f}%)]  "
                f"Loss: {now:#.3g} ({mean:#.3g})  "
                f"Time: {took:.3f}s, {512 / took:>7.2f}/s  ({avg:.3f}s, {512 / avg:>7.2f}/s)  "
                f"LR: {rate:.3e}  Data: {rng.gauss(0.012, 0.001):.3f} (0.014)"
            )
            if (epoch, update) in ((1, 1150), (4, 300), (6, 2050)):
                second.append(
                    f"Skipped sample (index {rng.randrange(1281167)}, file n0{rng.randrange(1440764, 4613696)}"
                    f"_{rng.randrange(9999)}.JPEG). image file is truncated ({rng.randrange(2, 60)} bytes not"
                    " processed)"
                )
            if epoch == 8 and update == 1400:
                stop = True
                break
        if stop:
            break
        top = max(0.1, 71 * (1 - math.exp(-(epoch + 0.4) / 5)))
        for batch in (0, 50, 97):
            hit, loss = top + rng.gauss(0, 1.1), 7 - top / 14
            first.append(
                f"Test: [{batch:>4d}/97]  Time: {rng.gauss(0.29, 0.01):.3f} (0.301)  "
                f"Loss: {loss + rng.gauss(0, 0.05):>7.3f} ({loss:>6.3f})  "
                f"Acc@1: {hit:>7.3f} ({top:>7.3f})  Acc@5: {min(hit + 17, 99):>7.3f} ({min(top + 17, 99):>7.3f})"
            )
        first.append("Current checkpoints:")
        for back in range(epoch, -1, -1):
            score = max(0.1, 71 * (1 - math.exp(-(back + 0.4) / 5)))
            first.append(f" ('./output/train/convnext_small-224/checkpoint-{back}.pth.tar', {score:.3f})")
        first.append("")
    put(place, "log/attempt_0/0/stderr.log", first)
    put(place, "log/attempt_0/1/stderr.log", second)
    put(place, "log/attempt_0/0/stdout.log", "")
    put(place, "log/attempt_0/1/stdout.log", "")
    end = zero + 8 * (2502 * 0.363 + 41) + 1423 * 0.363
    elastic = "torch.distributed.elastic.multiprocessing"
    launcher = [
        f"W{clock(zero, '%m%d %H:%M:%S')}.412000 40112 torch/distributed/run.py:793] ",
        f"W{clock(zero, '%m%d %H:%M:%S')}.412000 40112 torch/distributed/run.py:793] "
        "*****************************************",
        f"W{clock(zero, '%m%d %H:%M:%S')}.412000 40112 torch/distributed/run.py:793] Setting"
        " OMP_NUM_THREADS environment"
        " variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the"
        " variable for optimal performance in your application as needed. ",
        f"W{clock(zero, '%m%d %H:%M:%S')}.412000 40112 torch/distributed/run.py:793] "
        "*****************************************",
        f"W{clock(end, '%m%d %H:%M:%S')}.118000 40112 torch/distributed/elastic/multiprocessing/api.py:897] Sending"
        " process 40131 closing signal SIGTERM",
        f"E{clock(end + 2, '%m%d %H:%M:%S')}.683000 40112 torch/distributed/elastic/multiprocessing/api.py:869] failed"
        " (exitcode: -9) local_rank: 1 (pid: 40132) of binary: /home/rkim/venv/bin/python",
        "Traceback (most recent call last):",
        '  File "/home/rkim/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/home/rkim/venv/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/'
        '__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        '  File "/home/rkim/venv/lib/python3.11/site-packages/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        '  File "/home/rkim/venv/lib/python3.11/site-packages/torch/distributed/run.py", line 910, in run',
        "    elastic_launch(",
        '  File "/home/rkim/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py",'
        " line 138, in __call__",
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        '  File "/home/rkim/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in'
        " launch_agent",
        "    raise ChildFailedError(",
        f"{elastic.replace('multiprocessing', 'multiprocessing.errors')}.ChildFailedError: ",
        "=====================================================",
        "train.py FAILED",
        "-----------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-----------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(end, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : vision03.cs.lab",
        "  rank      : 1 (local_rank: 1)",
        "  exitcode  : -9 (pid: 40132)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 40132",
        "=====================================================",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=55190.batch. Some of the step tasks"
        " have been OOM Killed.",
    ]
    put(place, "slurm-55190.out", launcher)


def c23_keras_jax_cut(place: Path, rng: Random) -> None:
    """Keras 3 on jax: the log ends in the middle of a bar, with nothing that tells why, or whether it ended at all."""
    out = [
        "2026-11-05 22:14:03.118274: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:477] Unable to register"
        " cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
        "E0000 00:00:1793916843.131882   21877 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to"
        " register factory for plugin cuDNN when one has already been registered",
        "E0000 00:00:1793916843.135931   21877 cuda_blas.cc:1418] Unable to register cuBLAS factory: Attempting to"
        " register factory for plugin cuBLAS when one has already been registered",
        "Using JAX backend with jax version 0.4.38 [CudaDevice(id=0)]",
        '\x1b[1mModel: "functional"\x1b[0m',
        "\x1b[1m Total params: \x1b[0m\x1b[38;5;34m11,186,889\x1b[0m (42.67 MB)",
        "\x1b[1m Trainable params: \x1b[0m\x1b[38;5;34m11,177,289\x1b[0m (42.64 MB)",
        "\x1b[1m Non-trainable params: \x1b[0m\x1b[38;5;34m9,600\x1b[0m (37.50 KB)",
    ]
    rows = ["epoch,accuracy,loss,val_accuracy,val_loss"]
    text = "\n".join(out) + "\n"
    for epoch in range(1, 12):
        text += f"Epoch {epoch}/40\n"
        loss = hit = 0.0
        for step in (1, 98, 195, 293, 391):
            if epoch == 11 and step > 195:
                break
            loss = falls(rng, epoch - 1 + step / 391, 1.66, 0.42, 6, 0.01)
            hit = 1 - 0.36 * loss / 1.2 - 0.04
            done = int(20 * step / 391)
            text += (
                f"\r\x1b[1m{step:3d}/391\x1b[0m \x1b[32m{'━' * done}\x1b[0m\x1b[37m{'━' * (20 - done)}\x1b[0m "
                f"\x1b[1m{(391 - step) * 0.071:.0f}s\x1b[0m {rng.choice((70, 71, 71, 72))}ms/step"
                f" - accuracy: {hit:.4f} - loss: {loss:.4f}"
            )
        if epoch == 11:
            break
        vloss = falls(rng, epoch, 1.58, 0.55, 6, 0.015)
        vhit = 1 - 0.36 * vloss / 1.2 - 0.03
        text += (
            f"\r\x1b[1m391/391\x1b[0m \x1b[32m{'━' * 20}\x1b[0m\x1b[37m\x1b[0m \x1b[1m{rng.choice((29, 30, 30, 31))}s"
            f"\x1b[0m {rng.choice((75, 76, 77))}ms/step - accuracy: {hit:.4f} - loss: {loss:.4f}"
            f" - val_accuracy: {vhit:.4f} - val_loss: {vloss:.4f}\n"
        )
        rows.append(f"{epoch - 1},{hit:.7f},{loss:.7f},{vhit:.7f},{vloss:.7f}")
    put(place, "nohup.out", text)
    put(place, "history.csv", rows)


def c24_r_torch_error_one(place: Path, rng: Random) -> None:
    """R torch under make: epochs whose validation worsens, and then make's word that something failed; no more."""
    out = [
        "Rscript --vanilla R/fit.R config/lstm_load.yml",
        "\x1b[36mℹ\x1b[39m torch 0.13.0, cuda_is_available(): \x1b[34mTRUE\x1b[39m",
        "\x1b[36mℹ\x1b[39m 41280 training windows, 5160 validation windows",
        "\x1b[32m✔\x1b[39m Model moved to \x1b[34mcuda:0\x1b[39m (2,106,881 parameters)",
    ]
    rows = ["set,epoch,loss,mae"]
    for epoch in range(1, 15):
        loss = falls(rng, epoch, 0.71, 0.112, 4, 0.012)
        worse = falls(rng, epoch, 0.55, 0.29, 2, 0.01) + 0.011 * max(0, epoch - 6)
        out += [
            f"\x1b[1mEpoch {epoch}/60\x1b[22m",
            f"Train metrics: Loss: {loss:.4f} - MAE: {loss * 0.81 + 0.08:.4f}",
            f"Valid metrics: Loss: {worse:.4f} - MAE: {worse * 0.81 + 0.08:.4f}",
        ]
        rows += [
            f"train,{epoch},{loss:.6f},{loss * 0.81 + 0.08:.6f}",
            f"valid,{epoch},{worse:.6f},{worse * 0.81 + 0.08:.6f}",
        ]
    out += ["make: *** [Makefile:23: models/lstm_load.rds] Error 1"]
    put(place, "make.log", out)
    put(place, "luz_metrics.csv", rows)
