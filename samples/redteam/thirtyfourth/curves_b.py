"""Curves c07 to c12 of the thirty-fourth set. SIMULATED: no line here was taken from a real job."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.thirtyfourth.ticking import Clock

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# c07 ------------------------------------------------------------------------------------------------------------------


def c07_halide(place: Path, rng: Random) -> None:
    """A potential for molten chlorides; two spikes of the force error heal, and the model is saved at the end."""
    clock, lines = Clock("2026-02-11 18:02:33.410"), list[str]()

    def say(text: str, after: float = 0.0, level: str = "INFO   ") -> None:
        lines.append(f"[{clock.tick(after).milli()}] DEEPMD {level} {text}")

    lines += [
        (
            "To get the best performance, it is recommended to adjust the number of threads by setting the "
            "environment variables OMP_NUM_THREADS, DP_INTRA_OP_PARALLELISM_THREADS, and "
            "DP_INTER_OP_PARALLELISM_THREADS. See https://deepmd.rtfd.io/parallelism/ for more information."
        )
    ]
    say("DeePMD version: 3.0.1", 3)
    say("Configuration path: input.json", 0.01)
    banner = r"""
 _____               _____   __  __  _____           _     _  _
|  __ \             |  __ \ |  \/  ||  __ \         | |   (_)| |
| |  | |  ___   ___ | |__) || \  / || |  | | ______ | | __ _ | |_
| |  | | / _ \ / _ \|  ___/ | |\/| || |  | ||______|| |/ /| || __|
| |__| ||  __/|  __/| |     | |  | || |__| |        |   < | || |_
|_____/  \___| \___||_|     |_|  |_||_____/         |_|\_\|_| \__|
"""
    for row in banner.strip("\n").split("\n"):
        say(row)
    say("Please read and cite:")
    say("Wang, Zhang, Han and E, Comput.Phys.Comm. 228, 178-184 (2018)")
    say("Zeng et al, J. Chem. Phys., 159, 054801 (2023)")
    say("See https://deepmd.rtfd.io/credits/ for details.")
    say("-" * 78)
    for key, value in (
        ("installed to", "/opt/deepmd/lib/python3.11/site-packages/deepmd"),
        ("source", "v3.0.1"),
        ("source branch", "HEAD"),
        ("build float prec", "double"),
        ("backend", "PyTorch"),
        ("PT ver", "v2.5.1+cu121-ga8d6afb511a"),
        ("Enable custom OP", "True"),
        ("running on", "salt-gpu1"),
        ("computing device", "cuda:0"),
        ("CUDA_VISIBLE_DEVICES", "0"),
        ("Count of visible GPUs", "1"),
        ("num_intra_threads", "4"),
        ("num_inter_threads", "2"),
    ):
        say(f"{key + ':':<24}{value}")
    say("-" * 78)
    say("Calculate neighbor statistics... (add --skip-neighbor-stat to skip this step)", 0.4)
    say("training data with min nbor dist: 1.7431806128221847", 38)
    say("training data with max nbor size: [22 24 61]")
    for kind, systems in (
        (
            "training  ",
            (
                ("../data/LiCl-KCl.eut", 108, 2, 412),
                ("../data/NaCl-MgCl2.1", 96, 2, 380),
                ("../data/NaCl-MgCl2.2", 96, 2, 377),
                ("../data/UCl3-NaCl", 112, 1, 640),
            ),
        ),
        ("validation", (("../data/val.mix", 104, 2, 96),)),
    ):
        say(f"---Summary of DataSystem: {kind}-----------------------------------------------", 0.2)
        say(f"found {len(systems)} system(s):")
        say("                                 system  natoms  bch_sz   n_bch   prob  pbc")
        for name, atoms, size, batches in systems:
            say(f"{name:>39}  {atoms:6d}  {size:6d}  {batches:6d}  {batches / sum(one[3] for one in systems):.3e}    T")
        say("-" * 86)
    say("Computing s2s stats... using 10 batches from each system", 1.4)
    say("RMSE of energy per atom after linear regression is: 0.0191 in the unit of energy.", 5.1)
    say("Set up optimizer Adam, lr 1.00e-03, decay 0.97", 0.6)
    for step in (1, *range(2000, 160_001, 2000)):
        took = rng.uniform(58.2, 61.0)
        part = step / 160_000
        spike = {46_000: 7.9, 48_000: 2.6, 94_000: 11.4, 96_000: 4.2, 98_000: 1.5}.get(step, 1.0)
        force = (0.052 + 0.72 * math.exp(-part * 14) + 0.06 * (1 - part)) * spike * rng.uniform(0.92, 1.09)
        energy = (4.1e-4 + 0.052 * math.exp(-part * 16) + 9e-4 * (1 - part)) * spike * rng.uniform(0.6, 1.4)
        rate = 1e-3 * 0.97 ** (step // 500)
        for kind in ("trn", "val"):
            lean = 1.0 if kind == "trn" else rng.uniform(0.97, 1.12)
            say(
                (
                    f"batch {step:7d}: {kind}: rmse = {force * lean * math.sqrt(1000 * rate / 1e-3):8.2e}, rmse_e = "
                    f"{energy * lean:8.2e}, rmse_f = {force * lean:8.2e}, lr = {rate:8.2e}"
                ),
                took if kind == "trn" and step > 1 else 0.3,
            )
        say(f"batch {step:7d}: total wall time = {took if step > 1 else 1.38:.2f} s", 0.002)
        if step % 20_000 == 0:
            say(f"Saved model to model.ckpt-{step}.pt", 0.2)
    say("average training time: 0.0298 s/batch (100 batches excluded)", 0.4)
    say("Trained model has been saved to: model.ckpt-160000.pt", 0.3)
    say("Saved frozen model to halide-r7.pth", 9.2)
    say("# number of test data : 96 ", 12.4)
    say(f"Energy RMSE/Natoms     : {5.3e-04 * rng.uniform(0.95, 1.05):e} eV")
    say(f"Force  RMSE            : {5.6e-02 * rng.uniform(0.95, 1.05):e} eV/A")
    _write(place / "dp_train.log", lines)


# c08 ------------------------------------------------------------------------------------------------------------------


def c08_proofs(place: Path, rng: Random) -> None:
    """GRPO with slime over Lean tactics; an inference engine dies once, is brought back, and all rollouts are done."""
    clock, lines, metrics = Clock("2026-03-18 09:40:12.200"), list[str](), list[str]()
    actor, manager, engine = (
        "(MegatronTrainRayActor pid=31442)",
        "(RolloutManager pid=30877)",
        "(SGLangEngine pid=31019)",
    )

    def job(text: str, line: int, level: str = "INFO") -> None:
        lines.append(f"{clock.milli()}\t{level} cli.py:{line} -- {text}")

    def say(who: str, where: str, text: str, after: float = 0.0) -> None:
        lines.append(f"{who} [{clock.tick(after).form('%Y-%m-%d %H:%M:%S')}] {where} - {text}")

    job("Job submission server address: http://127.0.0.1:8265", 39)
    job("-------------------------------------------------------", 63, "SUCC")
    job("Job 'raysubmit_wNq4YbHk2sT7cVdR' submitted successfully", 64, "SUCC")
    job("-------------------------------------------------------", 65, "SUCC")
    job("Tailing logs until the job exits (disable with --no-wait):", 85)
    args = {
        "actor_num_gpus_per_node": 8,
        "actor_num_nodes": 1,
        "advantage_estimator": "grpo",
        "colocate": True,
        "entropy_coef": 0.0,
        "eps_clip": 0.2,
        "eps_clip_high": 0.28,
        "eval_interval": 10,
        "global_batch_size": 256,
        "hf_checkpoint": "/ckpt/Qwen3-4B",
        "kl_loss_coef": 0.0,
        "lr": 1e-06,
        "max_tokens_per_gpu": 9216,
        "n_samples_per_prompt": 8,
        "num_rollout": 50,
        "over_sampling_batch_size": 64,
        "prompt_data": "/data/lean/tactics-train.jsonl",
        "rollout_batch_size": 32,
        "rollout_max_response_len": 8192,
        "rollout_num_gpus_per_engine": 2,
        "rollout_temperature": 0.8,
        "save": "/ckpt/qwen3-4b-lean",
        "save_interval": 25,
        "sglang_mem_fraction_static": 0.7,
        "tensor_model_parallel_size": 2,
        "use_dynamic_batch_size": True,
        "use_fault_tolerance": True,
        "wandb_group": "lean-tactics-r3",
        "wandb_mode": "offline",
    }
    lines.append(f"{actor} ------------------------ arguments ------------------------")
    lines.extend(f"{actor}   {key} {'.' * (46 - len(key))} {value}" for key, value in args.items())
    lines.append(f"{actor} -------------------- end of arguments ---------------------")
    say(
        engine,
        "server_args.py:712",
        "launch ServerArgs(model_path='/ckpt/Qwen3-4B', tp_size=2, mem_fraction_static=0.7, port=15000)",
        41,
    )
    for number in range(4):
        say(manager, "sglang_engine.py:118", f"engine {number} is healthy at http://10.4.0.17:{15000 + 10 * number}", 6)
    say(actor, "checkpoint.py:74", "loaded hf checkpoint /ckpt/Qwen3-4B into megatron model, 398 tensors", 33)
    start = clock.now
    evals = 0.214
    for rollout in range(50):
        part = rollout / 50
        reward = 0.27 + 0.31 * (1 - math.exp(-part * 2.4)) + rng.gauss(0, 0.017)
        length = 2310 + 900 * part + rng.gauss(0, 80)
        generate, train = rng.uniform(88, 121), rng.uniform(47, 58)
        if rollout == 23:
            clock.tick(30)
            lines.append("(SGLangEngine pid=31023) Scheduler hit an exception: Traceback (most recent call last):")
            lines.append(
                '(SGLangEngine pid=31023)   File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2713, in run_scheduler_process'
            )
            lines.append("(SGLangEngine pid=31023)     scheduler.event_loop_overlap()")
            lines.append(
                "(SGLangEngine pid=31023) RuntimeError: token_to_kv_pool_allocator memory leak detected! "
                "available_size=481204, protected_size=0, self.max_total_num_tokens=481236"
            )
            say(
                manager,
                "http_utils.py:164",
                "Error: All connection attempts failed, retrying... (attempt 1/60, url=http://10.4.0.17:15020/generate)",
                31,
            )
            say(
                manager,
                "http_utils.py:164",
                "Error: All connection attempts failed, retrying... (attempt 2/60, url=http://10.4.0.17:15020/generate)",
                1,
            )
            say(
                manager,
                "health_monitor.py:128",
                "Health check timed out for rollout engine 2 (ray timeout). Killing actor.",
                30,
            )
            say(manager, "health_monitor.py:142", "Killing engine group 2...", 1)
            say(manager, "rollout.py:118", "restarting 1 rollout engine(s): [2]", 64)
            say(manager, "sglang_engine.py:118", "engine 2 is healthy at http://10.4.0.17:15020", 38)
        say(
            manager,
            "rollout.py:402",
            (
                f"perf {rollout}: {{'perf/rollout_time': {generate:.4f}, 'perf/tokens_per_gpu_per_sec': "
                f"{256 * length / generate / 8:.2f}, 'perf/longest_sample_tokens_per_sec': {8192 / generate:.2f}}}"
            ),
            generate,
        )
        say(
            actor,
            "data.py:311",
            (
                f"rollout {rollout}: {{'rollout/response_lengths': {length:.4f}, 'rollout/rewards': "
                f"{rng.gauss(0, 2e-8):.3e}, 'rollout/truncated': {0.06 + rng.uniform(0, 0.03):.5f}, 'rollout/raw_reward': "
                f"{reward:.6f}, 'rollout/total_lengths': {length + 412:.4f}}}"
            ),
            4,
        )
        norm, entropy = rng.uniform(0.11, 0.19), 0.42 - 0.12 * part + rng.gauss(0, 0.008)
        loss, frac = rng.gauss(0, 0.006), rng.uniform(0.0006, 0.002)
        say(
            actor,
            "model.py:466",
            (
                f"step {rollout}: {{'train/loss': {loss:.6f}, 'train/pg_loss': {loss:.6f}, 'train/entropy_loss': "
                f"{entropy:.6f}, 'train/pg_clipfrac': {frac:.6f}, 'train/ppo_kl': {rng.uniform(1e-4, 5e-4):.3e}, "
                f"'train/grad_norm': {norm:.6f}, 'train/lr-pg_0': 1e-06, 'train/step': {rollout}}}"
            ),
            train,
        )
        row = {
            "_step": rollout,
            "_runtime": round((clock.now - start).total_seconds(), 2),
            "_timestamp": round(clock.now.timestamp(), 2),
            "rollout/raw_reward": round(reward, 6),
            "rollout/response_lengths": round(length, 4),
            "train/pg_loss": round(loss, 6),
            "train/entropy_loss": round(entropy, 6),
            "train/grad_norm": round(norm, 6),
            "train/pg_clipfrac": round(frac, 6),
            "perf/rollout_time": round(generate, 4),
            "perf/train_time": round(train, 4),
        }
        if rollout % 10 == 9:
            evals = 0.214 + 0.19 * (1 - math.exp(-(rollout + 1) / 22)) + rng.gauss(0, 0.006)
            say(
                manager,
                "rollout.py:371",
                (
                    f"eval {rollout}: {{'eval/minif2f': {evals:.6f}, 'eval/minif2f-truncated_ratio': 0.0451, "
                    f"'eval/minif2f/response_len/mean': {length + 300:.2f}}}"
                ),
                168,
            )
            row["eval/minif2f"] = round(evals, 6)
        metrics.append(json.dumps(row))
        if rollout in (24, 49):
            lines.append(
                f"{actor} saving checkpoint at iteration {rollout:7d} to /ckpt/qwen3-4b-lean in torch_dist format"
            )
            clock.tick(39)
            lines.append(
                f"{actor}   successfully saved checkpoint from iteration {rollout:7d} to /ckpt/qwen3-4b-lean [ t 1/2, p 1/1 ]"
            )
        say(actor, "actor.py:402", f"Timer update_weights end (elapsed: {rng.uniform(3.4, 4.1):.1f}s)", 4)
    lines.append(f"{actor} wandb: You can sync this run to the cloud by running:")
    lines.append(f"{actor} wandb: wandb sync /work/wandb/offline-run-20260318_094144-k2v81mzp")
    clock.tick(8)
    job("------------------------------------------", 65, "SUCC")
    job("Job 'raysubmit_wNq4YbHk2sT7cVdR' succeeded", 66, "SUCC")
    job("------------------------------------------", 67, "SUCC")
    _write(place / "run_lean.log", lines)
    _write(place / "wandb_history.jsonl", metrics)


# c09 ------------------------------------------------------------------------------------------------------------------


def c09_energetic(place: Path, rng: Random) -> None:
    """PaiNN over energetic molecules, cut-off raised; in epoch 21 a batch of large cells does not fit."""
    clock, lines = Clock("2026-01-14 14:11:20.004"), list[str]()

    def say(who: str, text: str, after: float = 0.0, level: str = "INFO") -> None:
        lines.append(
            f"[\x1b[36m{clock.tick(after).milli()}\x1b[0m][\x1b[34m{who}\x1b[0m][\x1b[{'32' if level == 'INFO' else '33'}m{level}\x1b[0m] - {text}"
        )

    lines += [
        "",
        "   _____      __    _   __     __  ____            __",
        "  / ___/_____/ /_  / | / /__  / /_/ __ \\____ ______/ /__",
        "  \\__ \\/ ___/ __ \\/  |/ / _ \\/ __/ /_/ / __ `/ ___/ //_/",
        " ___/ / /__/ / / / /|  /  __/ /_/ ____/ /_/ / /__/ ,<",
        "/____/\\___/_/ /_/_/ |_/\\___/\\__/_/    \\__,_/\\___/_/|_|",
        "",
    ]
    say("schnetpack.cli", "Running on host: chem-l40-2")
    tree = {
        "run": ("work_dir: ${hydra:runtime.cwd}", "data_dir: /data/energetic", "path: runs", "id: detonation_painn_r8"),
        "globals": ("cutoff: 8.0", "lr: 0.0005", "energy_key: E_blast", "forces_key: F_blast"),
        "data": (
            "_target_: schnetpack.data.AtomsDataModule",
            "datapath: ${run.data_dir}/crash_sensitivity_v3.db",
            "batch_size: 24",
            "num_train: 18000",
            "num_val: 2000",
            "num_workers: 8",
        ),
        "model": (
            "_target_: schnetpack.model.NeuralNetworkPotential",
            "representation:",
            "  _target_: schnetpack.representation.PaiNN",
            "  n_atom_basis: 192",
            "  n_interactions: 4",
            "  radial_basis:",
            "    _target_: schnetpack.nn.radial.GaussianRBF",
            "    n_rbf: 32",
        ),
        "task": (
            "_target_: schnetpack.AtomisticTask",
            "optimizer_cls: torch.optim.AdamW",
            "scheduler_cls: schnetpack.train.ReduceLROnPlateau",
            "scheduler_monitor: val_loss",
        ),
        "trainer": (
            "_target_: pytorch_lightning.Trainer",
            "devices: 1",
            "min_epochs: null",
            "max_epochs: 300",
            "accelerator: auto",
            "inference_mode: false",
        ),
    }
    lines.append("\x1b[2m⚙\x1b[0m \x1b[2mCONFIG\x1b[0m")
    for number, (key, values) in enumerate(tree.items()):
        last = number == len(tree) - 1
        lines.append(f"\x1b[2m{'└──' if last else '├──'}\x1b[0m \x1b[2m{key}\x1b[0m")
        for place_in, value in enumerate(values):
            name, _, rest = value.partition(":")
            lines.append(
                f"\x1b[2m{'    ' if last else '│   '}{'└── ' if not place_in else '    '}\x1b[0m\x1b[91;40m{name}"
                f"\x1b[0m\x1b[97;40m:\x1b[0m\x1b[40m{rest}\x1b[0m"
            )
    say("schnetpack.cli", "Seed randomly with <2871034417>", 0.2)
    say("schnetpack.cli", "Instantiating datamodule <schnetpack.data.AtomsDataModule>", 0.1)
    say(
        "schnetpack.data.datamodule",
        "37 structures marked 'fatal: self-detonated during relaxation' left out",
        2,
        "WARNING",
    )
    for what in (
        "model <schnetpack.model.NeuralNetworkPotential>",
        "task <schnetpack.AtomisticTask>",
        "callback <schnetpack.train.ModelCheckpoint>",
        "callback <pytorch_lightning.callbacks.EarlyStopping>",
        "callback <schnetpack.train.ExponentialMovingAverage>",
        "logger <pytorch_lightning.loggers.tensorboard.TensorBoardLogger>",
        "trainer <pytorch_lightning.Trainer>",
    ):
        say("schnetpack.cli", f"Instantiating {what}", 0.1)
    say("schnetpack.cli", "Logging hyperparameters.", 0.2)
    say("schnetpack.cli", "Starting training.", 0.1)
    best, last, loss = math.inf, 0.0, 0.0
    for epoch in range(22):
        last = loss
        loss = 0.031 + 0.6 * math.exp(-epoch / 3.1) + rng.gauss(0, 0.003)
        speed = rng.uniform(6.6, 6.9)
        shown, end = [], 750 if epoch < 21 else 412
        for done in range(0, end + 1, 75) if epoch < 21 else (0, 75, 150, 225, 300, 375, 412):
            spent, left = int(done / speed), int((750 - done) / speed)
            eighths = done * 80 // 750
            filled = "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8] * (eighths < 80)
            tail = f"v_num=0, val_loss={last:.4f}" if epoch else "v_num=0"
            shown.append(
                f"Epoch {epoch}: {100 * done // 750:3d}%|{filled:<10}| {done}/750 [{spent // 60:02d}:{spent % 60:02d}"
                f"<{left // 60:02d}:{left % 60:02d}, {speed + rng.uniform(-0.1, 0.1):5.2f}it/s, {tail}]"
            )
        clock.tick(end / speed)
        lines.append("\r" + "\r".join(shown))
        if epoch < 21:
            lines.append(
                "\r"
                + "\r".join(
                    f"\x1b[AValidation DataLoader 0: {n:3d}%|{'█' * (n // 10):<10}| {84 * n // 100}/84 [00:{n // 20:02d}<00:{5 - n // 20:02d}, 16.02it/s]"
                    for n in (0, 25, 50, 75, 100)
                )
            )
            clock.tick(6)
            if loss < best:
                say(
                    "schnetpack.train.callbacks",
                    f"val_loss {loss:.5f} < {best:.5f}, best model written to runs/detonation_painn_r8/best_model",
                    0.3,
                )
                best = loss
    sp = "/home/ifedorova/.conda/envs/spk/lib/python3.12/site-packages"
    err = [
        (
            f"{sp}/pytorch_lightning/utilities/parsing.py:209: Attribute 'model' is an instance of `nn.Module` and is "
            "already saved during checkpointing. It is recommended to ignore them using "
            "`self.save_hyperparameters(ignore=['model'])`."
        ),
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name    | Type                   | Params | Mode ",
        "-----------------------------------------------------------",
        "0 | model   | NeuralNetworkPotential | 1.9 M  | train",
        "1 | outputs | ModuleList             | 0      | train",
        "-----------------------------------------------------------",
        "1.9 M     Trainable params",
        "0         Non-trainable params",
        "1.9 M     Total params",
        "7.709     Total estimated model params size (MB)",
        (
            f"{sp}/torch/autograd/graph.py:825: UserWarning: Attempting to run cuBLAS, but there was no current CUDA "
            "context! Attempting to set the primary context... (Triggered internally at "
            "../aten/src/ATen/cuda/CublasHandlePool.cpp:135.)"
        ),
        "Error executing job with overrides: ['experiment=detonation', 'globals.cutoff=8.0', 'data.batch_size=24']",
        "Traceback (most recent call last):",
    ]
    for file, line, name, text in (
        (
            "schnetpack/cli.py",
            162,
            "train",
            "trainer.fit(model=task, datamodule=datamodule, ckpt_path=config.run.ckpt_path)",
        ),
        ("pytorch_lightning/trainer/trainer.py", 539, "fit", "call._call_and_handle_interrupt("),
        (
            "pytorch_lightning/loops/training_epoch_loop.py",
            250,
            "advance",
            "batch_output = self.automatic_optimization.run(trainer.optimizers[0], batch_idx, kwargs)",
        ),
        ("schnetpack/task.py", 163, "training_step", "pred = self.predict_without_postprocessing(batch)"),
        ("schnetpack/model/base.py", 244, "forward", "inputs = self.representation(inputs)"),
        (
            "schnetpack/representation/painn.py",
            248,
            "forward",
            "q, mu = interaction(q, mu, filter_list[i], dir_ij, idx_i, idx_j, n_atoms)",
        ),
        ("schnetpack/representation/painn.py", 62, "forward", "dmu = dmuR * dir_ij[..., None] + dmumu * muj"),
    ):
        err += [f'  File "{sp}/{file}", line {line}, in {name}', f"    {text}"]
    err.append(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.62 GiB. GPU 0 has a total capacity of "
        "44.39 GiB of which 1.27 GiB is free. Including non-PyTorch memory, this process has 43.11 GiB memory in "
        "use. Of the allocated memory 41.78 GiB is allocated by PyTorch, and 838.12 MiB is reserved by PyTorch "
        "but unallocated. If reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
        "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )
    err += ["", "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace."]
    _write(place / "spk_detonation.out", lines)
    _write(place / "spk_detonation.err", err)


# c10 ------------------------------------------------------------------------------------------------------------------


def _human(number: float) -> str:
    """As nanotron shortens numbers."""
    for unit in ("", "K", "M", "G", "T"):
        if abs(number) < 1000:
            return f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g}P"


def c10_basque(place: Path, rng: Random) -> None:
    """A 1.3B model on four nodes whose NCCL found no InfiniBand and took one Ethernet port; all ranks spin alike."""
    nodes = [f"hz{number:02d}" for number in (3, 4, 9, 10)]
    lines, metrics = list[str](), list[str]()
    for number, node in enumerate(nodes):
        for gpu in range(8):
            head = f"{node}:{20411 + gpu}:{20411 + gpu} [{gpu}] NCCL INFO"
            lines.append(f"{head} Bootstrap : Using eno1np0:10.20.4.{13 + number}<0>")
            deep = f"{node}:{20411 + gpu}:{21877 + gpu} [{gpu}] NCCL INFO"
            lines.append(f"{deep} NET/IB : No device found.")
            lines.append(f"{deep} NET/Socket : Using [0]eno1np0:10.20.4.{13 + number}<0>")
            lines.append(f"{deep} Using network Socket")
            lines.append(
                f"{deep} ncclCommInitRankConfig comm 0x{0x55D0_0000_0000 + rng.randrange(1 << 30):x} rank "
                f"{8 * number + gpu} nranks 32 cudaDev {gpu} nvmlDev {gpu} busId "
                f"{(0x19, 0x3B, 0x4C, 0x5D, 0x9B, 0xBB, 0xCB, 0xDB)[gpu]:x}000 commId 0x7c21a90f4ee1d3b8 - Init COMPLETE"
            )
    tag = f"[INFO|DP=0|PP=0|TP=0|{nodes[0]}]:"
    lines += [
        f"{tag} Config:",
        f"{tag} Config(general=GeneralArgs(project='latxa-mini', run='latxa-1b3-eu', seed=42, step=None, ignore_sanity_checks=True),",
        (
            f"{tag}        parallelism=ParallelismArgs(dp=32, pp=1, tp=1, "
            "pp_engine=OneForwardOneBackwardPipelineEngine(), tp_mode=REDUCE_SCATTER, expert_parallel_size=1),"
        ),
        (
            f"{tag}        tokens=TokensArgs(sequence_length=2048, train_steps=1800, micro_batch_size=16, "
            "batch_accumulation_per_replica=1, val_check_interval=-1, limit_val_batches=0, limit_test_batches=0),"
        ),
        (
            f"{tag}        checkpoints=CheckpointsArgs(checkpoints_path=/lustre/latxa/ckpt/1b3, "
            "checkpoint_interval=600, save_initial_state=False, resume_checkpoint_path=None),"
        ),
        f"{tag}        logging=LoggingArgs(log_level='info', log_level_replica='info', iteration_step_info_interval=1))",
        f"{tag} Building model..",
        f"{tag} Initialize RoPE Theta = 10000.0",
        f"{tag} Setting PP block ranks...",
        f"{tag} Total number of parameters: 1.31G (2503.40MiB)",
        f"{tag} [After model building] Memory usage: 2504.11MiB. Peak allocated: 2504.12MiB Peak reserved: 2520.00MiB",
        f"{tag} No checkpoint path provided.",
        f"{tag} Parametrizing model parameters using StandardParametrizator",
        f"{tag} [Optimizer Building] Using LearningRateForSP as learning rate",
        f"{tag} [Training Plan] There are 1 training stages ",
        f"{tag} [Stage Stable training] start from step 1 ",
        (
            f"{tag}  [Start training] mbs: 16 | grad_accum: 1 | global_batch_size: 512 | sequence_length: 2048 | "
            "train_steps: 1800 | start_iteration_step: 0 | consumed_train_samples: 0"
        ),
    ]
    for step in range(1, 1801):
        spent = rng.uniform(9420, 9790) if step > 1 else 31_204.0
        loss = 2.71 + 8.3 * math.exp(-step / 130) + 1.1 * math.exp(-step / 900) + rng.gauss(0, 0.025)
        rate = 3e-4 * min(1, step / 200) * (1 if step < 1500 else 1 - (step - 1500) / 330)
        speed = 1_048_576 / spent * 1000
        flops = 6 * 1.31e9 * 1.12 * speed / 32 / 1e12
        norm = (0.42 + 4 * math.exp(-step / 60)) * rng.uniform(0.85, 1.2)
        lines.append(
            f"{tag} iteration: {step} / 1800 | consumed_tokens: {_human(step * 1_048_576)} | "
            f"elapsed_time_per_iteration_ms: {_human(spent)} | tokens_per_sec: {_human(speed)} | "
            f"tokens_per_sec_per_gpu: {_human(speed / 32)} | global_batch_size: 512 | lm_loss: {loss:.3g} | lr: "
            f"{rate:.3g} | model_tflops_per_gpu: {flops:.3g} | hardware_tflops_per_gpu: {flops:.3g} | grad_norm: "
            f"{norm:.3g} | cuda_memory_allocated: 10.9G | cuda_max_memory_reserved: 61.4G | hd_total_memory_tb: 3.84T "
            "| hd_used_memory_tb: 412G | hd_free_memory_tb: 3.43T"
        )
        metrics.append(
            json.dumps(
                {
                    "iteration_step": step,
                    "consumed_tokens": step * 1_048_576,
                    "lm_loss": round(loss, 5),
                    "lr": float(f"{rate:.4g}"),
                    "grad_norm": round(norm, 4),
                    "elapsed_time_per_iteration_ms": round(spent, 1),
                    "tokens_per_sec": round(speed, 1),
                    "model_tflops_per_gpu": round(flops, 2),
                }
            )
        )
        if step % 600 == 0:
            lines.append(f"[WARNING|DP=0|PP=0|TP=0|{nodes[0]}]: Saving checkpoint at /lustre/latxa/ckpt/1b3/{step}")
    lines.append("train_eu.sh: srun returned 0")
    table = [
        "sample,node,gpu,gpu_util,sm_active,tensor_active,dram_active,sm_clock_mhz,power_w,temp_c,throttle_reasons,nic_eno1np0_tx_gbit"
    ]
    for sample in range(60):
        for node in nodes:
            send = rng.uniform(9.31, 9.42)
            table.extend(
                (
                    f"{sample},{node},{gpu},{rng.choice((99, 100, 100, 100))},{rng.uniform(0.085, 0.121):.3f}"
                    f",{rng.uniform(0.026, 0.034):.3f},{rng.uniform(0.03, 0.05):.3f},1980,{rng.uniform(188, 214):.0f}"
                    f",{rng.randint(36, 43)},0x0,{send:.2f}"
                )
                for gpu in range(8)
            )
    _write(place / "latxa-1b3-eu.log", lines)
    _write(place / "metrics.jsonl", metrics)
    _write(place / "dcgm_hz.csv", table)


# c11 ------------------------------------------------------------------------------------------------------------------


def c11_pollen(place: Path, rng: Random) -> None:
    """Pollen grains under the microscope with fastai, frozen and then fine-tuned."""
    lines = [
        "fastai 2.7.18 / torch 2.4.0 / Quadro RTX 5000",
        "13 classes, 6204 train, 1551 valid",
        "class counts: alnus 811, betula 902, corylus 640, poaceae 1188, quercus 506, ... plantago 148",
        "lr_find: valley=0.001737800776027143",
    ]
    best = math.inf
    number = 0
    for stage, epochs in (("frozen", 3), ("unfrozen", 18)):
        lines.append(f"--- {stage}")
        lines.append("epoch     train_loss  valid_loss  accuracy  f1_score  time    ")
        for epoch in range(epochs):
            number += 1
            train = 0.06 + 1.25 * math.exp(-number / 3.4) + rng.gauss(0, 0.008)
            valid = 0.121 + 0.7 * math.exp(-number / 2.8) + rng.gauss(0, 0.006)
            right = 0.966 - 0.22 * math.exp(-number / 2.9) + rng.gauss(0, 0.002)
            lines.append(
                f"{epoch:<10}{train:<12.6f}{valid:<12.6f}{right:<10.6f}{right - rng.uniform(0.014, 0.024):<10.6f}"
                f"{'00:' + str(rng.randint(31, 34) if stage == 'frozen' else rng.randint(44, 47)):<8}  "
            )
            if valid < best:
                lines.append(f"Better model found at epoch {epoch} with valid_loss value: {valid:.16f}.")
                best = valid
    lines += [
        "validate (TTA, n=4): accuracy 0.9684, macro f1 0.9521",
        "most confused: [('betula', 'corylus', 14), ('alnus', 'betula', 9), ('secale', 'poaceae', 6)]",
        "exported models/pollen13_convnext_tiny.pkl",
    ]
    _write(place / "train.log", lines)


# c12 ------------------------------------------------------------------------------------------------------------------


def c12_necrosis(place: Path, rng: Random) -> None:
    """OpenFold fine-tuned on death-domain complexes; some NaN terms are skipped; the job ended by itself."""
    clock, lines = Clock("2026-02-02 19:06:12"), list[str]()
    lines += [
        "openfold 2.2.0 @ 3bec3e9b, deepspeed off, bf16-mixed",
        "[rank: 0] Seed set to 4242",
        "INFO:root:Loaded 1184 chains from /proj/tnf/mmcif_cache.json (death domain, TNF receptor, killer-cell lectin, necrosis factor, toxin)",
        "WARNING:root:5 chains killed by resolution filter: 7fdd_A 6act_B 3ezq_B 1ddf_A 2of5_K",
        "INFO:root:Successfully loaded JAX parameters at openfold/resources/params/params_model_1_ptm.npz...",
        "Using bfloat16 Automatic Mixed Precision (AMP)",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *(f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/4" for rank in range(4)),
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "-" * 100,
        "",
        *(f"LOCAL_RANK: {rank} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for rank in range(4)),
        "  | Name  | Type          | Params",
        "----------------------------------------",
        "0 | model | AlphaFold     | 93.2 M",
        "1 | loss  | AlphaFoldLoss | 0     ",
        "----------------------------------------",
        "93.2 M    Trainable params",
        "0         Non-trainable params",
        "93.2 M    Total params",
        "372.916   Total estimated model params size (MB)",
    ]
    clock.tick(214)
    for epoch in range(12):
        spent = int(rng.uniform(2520, 2590))
        clock.tick(spent + 95)
        if epoch in (2, 5, 9):
            lines.append(
                f"WARNING:root:{('violation', 'fape', 'experimentally_resolved')[(epoch - 2) // 3]} loss is NaN. Skipping..."
            )
        train = 21.4 + 9.7 * math.exp(-epoch / 3.2) + rng.gauss(0, 0.2)
        lines.append(
            f"Epoch {epoch}: 100%|██████████| 500/500 [{spent // 60:02d}:{spent % 60:02d}<00:00,  {spent / 500:.2f}"
            f"s/it, v_num=0, train/loss={train:.3f}, "
            f"val/lddt_ca={0.871 - 0.09 * math.exp(-epoch / 3) + rng.gauss(0, 0.002):.3f}]"
        )
    clock.tick(38)
    lines += [
        "best: epoch=11-step=6000.ckpt by val/lddt_ca, EMA weights exported to /proj/tnf/models/dd_ft2.pt",
        f"train_dd.sh finished {clock.form('%F %T')}",
    ]
    end, start = clock.tick(3), Clock("2026-02-02 19:06:01")
    spent = int((end.now - start.now).total_seconds())
    span = f"{spent // 3600:02d}:{spent // 60 % 60:02d}:{spent % 60:02d}"
    table = [
        (
            f"{'JobID':<12} {'JobName':>10} {'Partition':>10} {'NNodes':>6} {'State':>10} {'ExitCode':>8} {'Start':>19}"
            f" {'End':>19} {'Elapsed':>10} {'Timelimit':>10} {'MaxRSS':>10} {'NodeList':>10}"
        )
    ]
    table.append(" ".join("-" * width for width in (12, 10, 10, 6, 10, 8, 19, 19, 10, 10, 10, 10)))
    for row, name, part, limit, rss in (
        ("2207716", "dd_ft2", "a100", "1-00:00:00", ""),
        ("2207716.bat+", "batch", "", "", "71320448K"),
        ("2207716.ext+", "extern", "", "", "1020K"),
    ):
        table.append(
            f"{row:<12} {name:>10} {part:>10} {1:>6} {'COMPLETED':>10} {'0:0':>8} {start.form('%Y-%m-%dT%H:%M:%S'):>19}"
            f" {end.form('%Y-%m-%dT%H:%M:%S'):>19} {span:>10} {limit:>10} {rss:>10} {'kraken07':>10}"
        )
    _write(place / "dd_ft2-2207716.out", lines)
    _write(place / "sacct.txt", table)
