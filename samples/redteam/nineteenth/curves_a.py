"""SIMULATED curves c01 to c09 of the nineteenth set, as lot_curves.py drew them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import clock, falls, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

H = 3600.0
DAY = 86400.0


def milli(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """The clock with a comma and milliseconds, as logging has it."""
    return f"{clock(seconds, form)},{int(seconds % 1 * 1000):03d}"


def glog(rng: Random, seconds: float) -> str:
    """The head of a glog line without its letter."""
    return clock(seconds, "%m%d %H:%M:%S") + f".{int(seconds % 1 * 1e6):06d}"


def eta(seconds: float) -> str:
    """As str(timedelta) prints it."""
    return str(timedelta(seconds=int(seconds)))


def c01_gpt_neox(place: Path, rng: Random) -> None:
    t = DAY + 9.2 * H
    out = []

    def ds(where: str, text: str, gap: float = 0.4) -> None:
        nonlocal t
        t += rng.random() * gap
        out.append(f"[{milli(t)}] [INFO] [{where}] {text}")

    ds("real_accelerator.py:203:get_accelerator", "Setting ds_accelerator to cuda (auto detect)")
    out.append("NeoXArgs.configure_distributed_args() using world size: 32 and model-parallel size: 1 ")
    out.append("> building GPT2BPETokenizer tokenizer ...")
    out.append(" > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)")
    out.append("> initializing torch distributed ...")
    ds("comm.py:637:init_distributed", "cdb=None", 4)
    ds("comm.py:668:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl", 1)
    out.append("> initializing model parallel with size 1")
    out.append("MPU DP: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, ")
    out[-1] += "24, 25, 26, 27, 28, 29, 30, 31]"
    out.extend(f"MPU {axis}: [0]" for axis in ("PP", "MP"))
    out.append("> setting random seeds to 1234 ...")
    ds("checkpointing.py:228:model_parallel_cuda_manual_seed", "> initializing model parallel cuda seeds", 2)
    out[-1] += " on global rank 0, model parallel rank 0, and data parallel rank 0 with model parallel seed: 3952"
    out[-1] += " and data parallel seed: 1234"
    out.append("building GPT2 model ...")
    out.append("SEED_LAYERS=False BASE_SEED=1234 SEED_FN=None")
    ds("module.py:390:_partition_layers", "Partitioning pipeline stages with method type:transformer|mlp", 3)
    out.append("stage=0 layers=29")
    names = ["EmbeddingPipe", "_pre_transformer_block", *["ParallelTransformerLayerPipe"] * 24]
    names += ["_post_transformer_block", "NormPipe", "ParallelLinearPipe"]
    out.extend(f"    {i:2d}: {name}" for i, name in enumerate(names))
    out.append("  loss: partial")
    ds("logging.py:96:log_dist", "[Rank 0] DeepSpeed info: version=0.12.4, git-hash=unknown, git-branch=unknown", 5)
    ds("logging.py:96:log_dist", "[Rank 0] Creating fp16 ZeRO stage 1 optimizer", 3)
    ds("engine.py:138:__init__", "RANK=0 STAGE=0 LAYERS=29 [0, 29) STAGE_PARAMS=1414647808 (1414.648M) ", 9)
    out[-1] += "TOTAL_PARAMS=1414647808 (1414.648M) UNIQUE_PARAMS=1414647808 (1414.648M)"
    out.append(" > number of parameters on model parallel rank 0: 1414647808")
    out.append(" > total params: 1,414,647,808")
    out.append("Unable to load checkpoint.")
    out.append("Loading checkpoint and starting from iteration 0")
    out.append("> building train, validation, and test datasets ...")
    out.append("    reading sizes...")
    out.append("    reading pointers...")
    out.append("    reading document index...")
    out.append("    creating numpy buffer of mmap...")
    out.append("    creating memory view of numpy buffer...")
    out.append("setting training data start iteration to 0")
    out.append("done with setups ...")
    out.append("time (ms) | model and optimizer: 14411.20 | train/valid/test data iterators: 6712.54")
    out.append("training ...")
    t += 30
    ds("checkpointing.py:540:forward", "Activation Checkpointing Information")
    took = 8.2
    for it in range(10, 581, 10):
        took = 8.2 + rng.gauss(0, 0.05) + (3.1 if it == 10 else 0)
        t += took * 10
        lr = 2e-4 * max(it - 17, 0) / 1430
        loss = falls(rng, max(it - 17, 0) ** 1.5 / 24, 10.95, 3.35, 95, 0.008)
        out.append(
            f"[{milli(t)}] [INFO] [logging.py:96:log_dist] [Rank 0] step={it}, skipped={min(it, 17)}"
            f", lr=[{lr!r}, {lr!r}], mom=[[0.9, 0.95], [0.9, 0.95]]"
        )
        out.append(f"steps: {it} loss: {loss:.4f} iter time (s): {took:.3f} samples/sec: {1024 / took:.3f}")
        out.append(
            f" samples/sec: {1024 / took:.3f} | iteration {it:8d}/  143000 | elapsed time per iteration (ms): "
            f"{took * 1000:.1f} | learning rate: {lr:.3E} | approx flops per GPU: {728 / took:.1f}TFLOPS | lm_loss: "
            f"{loss:.6E} | loss scale: {4194304 if it < 20 else 32768:.1f} | number of skipped iterations: "
            f"{7 if it == 20 else 10 if it == 10 else 0:3d} | number of nan iterations:   0 |"
        )
        if it == 10:
            out.append(
                "after 10 iterations memory (MB) | allocated: 5981.47216796875 | max allocated: 22117.7353515625 | "
                "reserved: 25216.0 | max reserved: 25216.0"
            )
        if it == 500:
            ds("logging.py:96:log_dist", "[Rank 0] [Torch] Checkpoint global_step500 is about to be saved!", 1)
            ds("torch_checkpoint_engine.py:21:save", "[Torch] Saving /scratch/pythia-rep/ckpt/global_step500/mp", 9)
            out[-1] += "_rank_00_model_states.pt..."
            ds("torch_checkpoint_engine.py:33:commit", "[Torch] Checkpoint global_step500 is ready now!", 16)
    when = clock(t + 41, "%Y-%m-%dT%H:%M:%S")
    out.extend(
        f"slurmstepd: error: *** {what} ON gpu-a014 CANCELLED AT {when} DUE TO PREEMPTION ***"
        for what in ("STEP 4412087.0", "JOB 4412087")
    )
    out.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    put(place, "slurm-4412087.out", out)


def c02_olmo_core(place: Path, rng: Random) -> None:
    t = 2 * DAY + 20.4 * H
    out = []

    def say(where: str, text: str, level: str = "INFO", gap: float = 1) -> None:
        nonlocal t
        t += rng.random() * gap
        stamp = f"{clock(t)}.{int(t % 1 * 1000):03d}"
        out.append(f"{stamp}\tjupiter-cs-aus-131:0\tolmo_core.{where}\t{level}\t{text}")

    say("distributed.utils:178", "Using distributed backend 'cpu:gloo,cuda:nccl'")
    say("nn.transformer.model:301", "Applied FSDP to the model", gap=5)
    say("train.train_module.transformer.train_module:211", "Data parallel world size = 8")
    say("train.train_module.transformer.train_module:288", "Number of trainable parameters: 758,220,288", gap=3)
    say("data.numpy_dataset:1033", "Gathering dataset document indices...")
    say("train.callbacks.wandb:137", "WANDB_API_KEY missing from environment, W&B run will not be tracked", "WARNING")
    say(
        "io:411",
        "Failed attempt 1/5 with retriable error, retrying in 0.5 seconds: Connection reset by peer",
        "WARNING",
    )
    t += 0.5
    say(
        "io:411",
        "Failed attempt 2/5 with retriable error, retrying in 1.0 seconds: Connection reset by peer",
        "WARNING",
    )
    t += 1.0
    say("data.data_loader:418", "Building new global data order indices...", gap=9)
    say("data.data_loader:437", "Global data order indices saved to '/tmp/olmo/dl/global_indices_seed34521_epoch1.npy'")
    say("train.trainer:602", "Training for 6,000 steps")
    say("train.checkpoint:98", "Saving checkpoint for step 0 to '/weka/runs/olmo-760M-ablat-lr6/step0'...", gap=6)
    t += 22
    total, bad = 6000, 4140
    for step in [1, *range(50, total + 1, 50)]:
        tps = 46100 * (1 + rng.gauss(0, 0.006)) * (0.31 if step == 1 else 1)
        t += (1 if step == 1 else 49 if step == 50 else 50) * 65536 / tps * 2
        lr = 6e-3 * (step / 800 if step < 800 else 0.55 + 0.45 * (1 - (step - 800) / 5200))
        loss = falls(rng, step, 11.02, 2.92, 420, 0.006)
        norm = 0.42 + 3.1 * 2.7 ** (-step / 300) + abs(rng.gauss(0, 0.03))
        if step > bad:
            d = (step - bad) / 100
            loss = min(2.96 + 1.9 * d, 7.68) + rng.gauss(0, 0.035)
            norm = (2.9 + 11 * d if d < 2.2 else 6.8) * (1 + abs(rng.gauss(0, 0.3)))
        say("train.callbacks.console_logger:131", f"[step={step}/{total},epoch=1]", gap=0.1)
        rows = (
            ("optim/LR (group 0)", f"{lr:.6f}"),
            ("optim/total grad norm", f"{norm:.4f}"),
            ("throughput/total tokens", f"{step * 1048576:,d}"),
            ("throughput/device/TPS (actual avg)", f"{tps * 0.99:,.0f}"),
            ("throughput/device/TPS", f"{tps:,.0f}"),
            ("train/CE loss", f"{loss:.4f}"),
            ("train/PPL", f"{2.718281828**loss:,.2f}"),
            ("train/Z loss", f"{0.0021 + abs(rng.gauss(0, 0.0002)):.5f}"),
        )
        out.extend(f"    {k}={v}" for k, v in rows)
        if step in (1000, 2000, 3000, 4000, 5000):
            say(
                "train.checkpoint:98",
                f"Saving checkpoint for step {step} to '/weka/runs/olmo-760M-ablat-lr6/step{step}'...",
            )
            say(
                "train.callbacks.checkpointer:216",
                f"Removing old checkpoint at '/weka/runs/olmo-760M-ablat-lr6/step{step - 500}'...",
                gap=14,
            )
        if step in (650, 2350, 2400, 5100):
            say(
                "io:411",
                "Failed attempt 1/5 with retriable error, retrying in 0.5 seconds: HTTP 503 Service Unavailable",
                "WARNING",
            )
        if step == 1500:
            say("train.callbacks.garbage_collector:43", "Running garbage collection")
    say("train.checkpoint:98", "Saving checkpoint for step 6000 to '/weka/runs/olmo-760M-ablat-lr6/step6000'...")
    say("train.trainer:661", "Training complete", gap=20)
    out.append(
        "[rank0]:[W1105 09:00:00.114508912 ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been "
        "destroyed before we destruct ProcessGroupNCCL. On normal program exit, the application should call "
        "destroy_process_group to ensure that any pending NCCL operations have finished in this process. In rare cases "
        "this process can exit before this point and block the progress of another member of the process group. This "
        "constraint has always been present,  but this warning has only been added since PyTorch 2.4 (function "
        "operator())".replace("1105 09:00:00", clock(t, "%m%d %H:%M:%S"))
    )
    put(place, "olmo-760M-ablat-lr6.log", out)


def c03_espnet(place: Path, rng: Random) -> None:
    out = [
        "# python3 -m espnet2.bin.asr_train --use_preprocessor true --bpemodel "
        "data/gl_token_list/bpe_unigram500/bpe.model"
        " --token_type bpe --config conf/train_asr_conformer5.yaml --output_dir exp/asr_train_conformer5_gl --ngpu 1",
        "[gn09] (asr:525) INFO: Vocabulary size: 500",
        "[gn09] (abs_task:1383) INFO: pytorch.version=2.1.2+cu121, cuda.available=True, cudnn.version=8902, "
        "cudnn.benchmark=False, cudnn.deterministic=True",
        "[gn09] (abs_task:1386) INFO: Model summary:\n    Class Name: ESPnetASRModel\n    Total "
        "Number of model parameters: "
        "43.04 M\n    Number of trainable parameters: 43.04 M (100.0%)\n    Size: 172.15 MB\n    Type: torch.float32",
        "[gn09] (trainer:168) INFO: The training was started with 12 epochs",
    ]
    spent = 0.0
    epochs = 12
    best: list[tuple[float, int]] = []
    for ep in range(1, epochs + 1):
        loss = falls(rng, ep, 148, 9.5, 2.6, 0.01)
        val = falls(rng, ep, 118, 15.8, 2.3, 0.012)
        acc = 0.955 - 0.83 * 2.718 ** (-ep / 2.9) + rng.gauss(0, 0.001)
        took = 561 + rng.gauss(0, 4)
        spent += took
        out.append(f"[gn09] (trainer:281) INFO: {ep}/{epochs}epoch started")
        mins = f"time={int(took * 0.93) // 60} minutes and {took * 0.93 % 60:.2f} seconds"
        out.append(
            f"[gn09] (trainer:335) INFO: {ep}epoch results: [train] iter_time={rng.uniform(4, 6):.3f}e-04, "
            f"forward_time=0.131, loss_ctc={loss * 1.11:.3f}, loss_att={loss * 0.95:.3f}, acc={acc - 0.02:.3f}, "
            f"loss={loss:.3f}, backward_time=0.152, grad_norm={rng.uniform(21, 38):.3f}, clip=100.000, "
            f"loss_scale=1.000, optim_step_time=0.042, optim0_lr0={1e-3 * min(ep / 4, (4 / ep) ** 0.5):.3e}, "
            f"train_time=0.345, {mins}, total_count={ep * 1512}, gpu_max_cached_mem_GB=21.338, "
            f"[valid] loss_ctc={val * 1.05:.3f}, cer_ctc={0.9 * 2.718 ** (-ep / 3) + 0.04:.3f}, "
            f"loss_att={val * 0.98:.3f}, acc={acc:.3f}, cer={0.7 * 2.718 ** (-ep / 3) + 0.035:.3f}, "
            f"wer={0.95 * 2.718 ** (-ep / 3.4) + 0.09:.3f}, loss={val:.3f}, "
            f"time={took * 0.06:.2f} seconds, total_count={ep * 88}, gpu_max_cached_mem_GB=21.338"
        )
        better = not best or acc > max(best)[0]
        best.append((acc, ep))
        out.append(
            "[gn09] (trainer:383) INFO: The best model has been updated: valid.acc"
            if better
            else "[gn09] (trainer:381) INFO: There are no improvements in this epoch"
        )
    out.append(f"[gn09] (trainer:458) INFO: The training was finished at {epochs} epochs ")
    names = ", ".join(f'"{e}epoch.pth"' for _, e in sorted(best)[-5:])
    out.append(f'[gn09] (average_nbest_models:69) INFO: Averaging 5best models: criterion="valid.acc": [{names}]')
    out += [
        "run.sh: uploading exp/asr_train_conformer5_gl/valid.acc.ave.zip",
        "huggingface_hub.errors.HfHubHTTPError: 403 Client Error: Forbidden for url: "
        "https://huggingface.co/api/repos/create"
        " (Request ID: Root=1-672a0c3f-2d10fa7b1c6d2f0a5f7c;3f1a1c0e-77c2-4c5e-9a5e-0fd4a1)",
        "",
        'You don\'t have the rights to create a model under the namespace "galego-speech"',
        "run.sh: upload failed, push it by hand later",
    ]
    put(place, "slurm-731902.out", out)
    wall = int(spent + 96)
    el = f"{wall // 3600:02d}:{wall % 3600 // 60:02d}:{wall % 60:02d}"
    put(
        place,
        "sacct.txt",
        [
            "JobID           JobName  Partition      State ExitCode    Elapsed   NNodes     MaxRSS ",
            "------------ ---------- ---------- ---------- -------- ---------- -------- ---------- ",
            f"731902          asr-gl    gpu-a40  COMPLETED      0:0   {el}        1            ",
            f"731902.batch     batch             COMPLETED      0:0   {el}        1  18211904K ",
            f"731902.exte+    extern             COMPLETED      0:0   {el}        1          0 ",
        ],
    )


def c04_deepmd(place: Path, rng: Random) -> None:
    t = 3 * DAY + 7.1 * H
    out: list[str] = []

    def dp(text: str) -> None:
        nonlocal t
        t += 0.0004 + rng.random() * 0.004
        out.append(f"[{milli(t)}] DEEPMD INFO    {text}")

    def banner(restart: int | None) -> None:
        nonlocal t
        flag = f" --restart model.ckpt-{restart}.pt" if restart else ""
        out.append(f"+ torchrun --nproc_per_node=4 --no-python dp --pt train input.json{flag}")
        for line in (
            "DeePMD version: 3.0.2",
            "installed to: /opt/deepmd/lib/python3.11/site-packages/deepmd",
            "source: v3.0.2",
            "build float prec: double",
            "build variant: cuda",
            "Backend: PyTorch",
            "PT ver: v2.5.1+cu124-ga8d6afb511a",
            "running on: gpu22",
            "computing device: cuda:0",
            "CUDA_VISIBLE_DEVICES: 0,1,2,3",
            "Visible GPU Count: 4",
        ):
            dp(line)
        t += 3
        dp("Calculate neighbor statistics... (add --skip-neighbor-stat to skip this step)")
        t += 11
        dp("training data with min nbor dist: 0.7243214")
        dp("Adjust batch size from 1024 to 2048")
        if restart:
            t += 4
            dp(f"Resuming from model.ckpt-{restart}.pt.")
        t += 6

    def run(first: int, last: int) -> None:
        nonlocal t
        for b in range(first, last + 1, 100):
            lr = 1e-3 * 0.95 ** (b // 5000)
            k = 2.718 ** (-b / 15000)
            f = (0.052 + 0.72 * k) * (1 + rng.gauss(0, 0.08))
            e = (0.0011 + 0.021 * k) * (1 + rng.gauss(0, 0.2))
            took = 100 * 0.171 * (1 + rng.gauss(0, 0.01))
            t += took
            for kind, up in (("trn", 1.0), ("val", 1.06 + rng.gauss(0, 0.05))):
                dp(
                    f"Batch {b:7d}: {kind}: rmse = {f * up * (lr * 1000) ** 0.5 * 31:.2e}, "
                    f"rmse_e = {e * up:.2e}, rmse_f = {f * up:.2e}, lr = {lr:.2e}"
                )
            dp(f"Batch {b:7d}: total wall time = {took:.2f} s")
            if b % 2000 == 0:
                dp(f"Saved model to model.ckpt-{b}.pt")

    def fail(pid: int, line: int) -> None:
        nonlocal t
        t += 9.3
        out.extend(
            "[rank2]: " + row
            for row in (
                "Traceback (most recent call last):",
                '  File "/opt/deepmd/bin/dp", line 8, in <module>',
                "    sys.exit(main())",
                '  File "/opt/deepmd/lib/python3.11/site-packages/deepmd/main.py", line 1019, in main',
                "    deepmd_main(args)",
                '  File "/opt/deepmd/lib/python3.11/site-packages/deepmd/pt/entrypoints/main.py", line 527, in main',
                "    train(",
                '  File "/opt/deepmd/lib/python3.11/site-packages/deepmd/pt/entrypoints/main.py", line 361, in train',
                "    trainer.run()",
                '  File "/opt/deepmd/lib/python3.11/site-packages/deepmd/pt/train/training.py", line 1015, in run',
                "    step(step_id)",
                f'  File "/opt/deepmd/lib/python3.11/site-packages/deepmd/pt/train/training.py", line {line}, in step',
                "    loss.backward()" if line == 753 else "    self.optimizer.step()",
                "RuntimeError: CUDA error: uncorrectable ECC error encountered",
                "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below "
                "might be incorrect.",
                "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
                "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
                "",
            )
        )
        t += 2
        out.extend(
            f"W{glog(rng, t)[:-3]}000 {pid} torch/distributed/elastic/multiprocessing/api.py:897] Sending process "
            f"{pid + 66 + n} closing signal SIGTERM"
            for n in (0, 1, 3)
        )
        t += 4
        out.append(
            f"E{glog(rng, t)[:-3]}000 {pid} torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) "
            f"local_rank: 2 (pid: {pid + 68}) of binary: dp"
        )
        out.extend(
            (
                "Traceback (most recent call last):",
                '  File "/opt/deepmd/bin/torchrun", line 8, in <module>',
                "    sys.exit(main())",
                '  File "/opt/deepmd/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in '
                "launch_agent",
                "    raise ChildFailedError(",
                "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
                "=" * 60,
                "dp FAILED",
                "-" * 60,
                "Failures:",
                "  <NO_OTHER_FAILURES>",
                "-" * 60,
                "Root Cause (first observed failure):",
                "[0]:",
                f"  time      : {clock(t, '%Y-%m-%d_%H:%M:%S')}",
                "  host      : gpu22",
                "  rank      : 2 (local_rank: 2)",
                f"  exitcode  : 1 (pid: {pid + 68})",
                "  error_file: <N/A>",
                "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
                "=" * 60,
            )
        )

    banner(None)
    run(100, 38300)
    fail(118204, 753)
    t += 900
    banner(38000)
    run(38100, 61900)
    fail(131877, 779)
    put(place, "train.log", out)


def c05_model_garden(place: Path, rng: Random) -> None:
    t = 0.4 * DAY
    out: list[str] = []
    pid = 2114

    def say(where: str, text: str, level: str = "I") -> None:
        nonlocal t
        t += 0.0001 + rng.random() * 0.002
        out.append(f"{level}{glog(rng, t)} {pid:6d} {where}] {text}")

    def tf(where: str, text: str, level: str = "I") -> None:
        out.append(f"{clock(t)}.{int(t % 1 * 1e6):06d}: {level} {where}] {text}")

    def open_up() -> None:
        nonlocal t
        say("train_utils.py:376", "Saving experiment configuration to gs://vis-exp/r50_i21k_b1024/params.yaml")
        say(
            "mirrored_strategy.py:423",
            "Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0',",
        )
        out[-1] += " '/job:localhost/replica:0/task:0/device:GPU:1', '/job:localhost/replica:0/task:0/device:GPU:2',"
        out[-1] += " '/job:localhost/replica:0/task:0/device:GPU:3')"
        say("train_lib.py:207", "Starts to execute mode: train_and_eval")
        t += 31

    def fill() -> None:
        nonlocal t
        tf(
            "tensorflow/core/kernels/data/shuffle_dataset_op.cc:450",
            "ShuffleDatasetV3:7: Filling up shuffle buffer (this may ",
        )
        out[-1] += f"take a while): {rng.randrange(300, 900)} of 10000"
        for got in sorted(rng.randrange(1200, 9800) for _ in range(rng.randrange(5, 9))):
            t += 10.0 + rng.random()
            tf(
                "tensorflow/core/kernels/data/shuffle_dataset_op.cc:450",
                f"ShuffleDatasetV3:7: Filling up shuffle buffer (this may take a while): {got} of 10000",
            )
        tf("tensorflow/core/kernels/data/shuffle_dataset_op.cc:480", "Shuffle buffer filled.")

    def train(first: int, last: int, until: int) -> None:
        nonlocal t
        say("controller.py:305", f"train | step: {first:6d} | training until step {until}...")
        for step in range(first + 100, last + 1, 100):
            pace = 0.36 * (1 + rng.gauss(0, 0.16))
            pace = max(pace, 0.14)
            took = 100 / pace
            busy = 33.4 + rng.gauss(0, 0.4)
            if rng.random() < 0.2:
                n = 1 if rng.random() < 0.8 else 2
                for k in range(1, n + 1):
                    tf(
                        "external/local_tsl/tsl/platform/retrying_utils.cc:75",
                        "The operation failed and will be automatically retried in "
                        f"{rng.uniform(0.4, 2) * k:.5f} seconds "
                        f"(attempt {k} out of 10), caused by: UNAVAILABLE: Error executing an HTTP "
                        "request: libcurl code 28 "
                        "meaning 'Timeout was reached', error details: Operation too slow. Less than "
                        "1 bytes/sec transferred "
                        "the last 60 seconds\n\t when reading "
                        f"gs://vis-data-eu/i21k/train-{rng.randrange(2048):05d}-of-02048",
                    )
            t += took
            acc = 0.41 - 0.405 * 2.718 ** (-step / 21000) + rng.gauss(0, 0.004)
            loss = falls(rng, step, 9.42, 3.4, 12000, 0.008)
            lr = 0.4 * min(1, step / 6255)
            say("controller.py:466", f"train | step: {step:6d} | steps/sec: {pace:6.1f} | output: ")
            out.append(f"    {{'accuracy': {acc:.7f},")
            out.append(f"     'learning_rate': {lr:.6f},")
            out.append(f"     'training_loss': {loss:.6f}}}")
            say("input_timer.py:38", f"last 100 steps: {took:.1f} s, of which {took - busy:.1f} s in next(iterator)")
            if step % 5000 == 0:
                say("controller.py:495", f"saved checkpoint to gs://vis-exp/r50_i21k_b1024/ckpt-{step}.")

    open_up()
    fill()
    train(0, 8700, 40000)
    for k in range(1, 11):
        t += 60.2
        wait = min(0.55 * 2 ** (k - 1), 32) + rng.random()
        tf(
            "external/local_tsl/tsl/platform/retrying_utils.cc:75",
            f"The operation failed and will be automatically retried in {wait:.5f} seconds (attempt {k} out of 10), "
            "caused by: UNAVAILABLE: Error executing an HTTP request: libcurl code 28 meaning 'Timeout was reached', "
            "error details: Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds\n\t when reading "
            "gs://vis-data-eu/i21k/train-00911-of-02048",
        )
        t += wait
    t += 60.1
    out += [
        "Traceback (most recent call last):",
        '  File "/opt/models/official/vision/train.py", line 31, in <module>',
        "    app.run(train.main)",
        '  File "/usr/local/lib/python3.10/dist-packages/orbit/controller.py", line 319, in train',
        "    train_output = self.trainer.train(num_steps_tensor)",
        "tensorflow.python.framework.errors_impl.AbortedError: All 10 retry attempts failed. The last failure: Error "
        "executing an HTTP request: libcurl code 28 meaning 'Timeout was reached', error details: Operation too slow. "
        "Less than 1 bytes/sec transferred the last 60 seconds",
        "\t [[{{node MultiDeviceIteratorGetNextFromShard}}]] [Op:IteratorGetNext]",
        "launch.sh: exit 1, starting again (2/3)",
    ]
    t += 60
    pid = 9871
    open_up()
    say("controller.py:251", "restored from checkpoint: gs://vis-exp/r50_i21k_b1024/ckpt-5000")
    fill()
    train(5000, 40000, 40000)
    say("controller.py:277", " eval | step:  40000 | running 49 steps of evaluation...")
    t += 71
    say("controller.py:291", " eval | step:  40000 | steps/sec:    0.7 | eval time:   70.9 sec | output: ")
    out.append("    {'accuracy': 0.3418, 'top_5_accuracy': 0.6022, 'validation_loss': 3.9124}")
    put(place, "train_and_eval.log", out)


def c06_detectron2(place: Path, rng: Random) -> None:
    t = 4 * DAY + 13.3 * H
    out: list[str] = []

    def d2(where: str, text: str) -> None:
        out.append(f"\x1b[32m[{clock(t, '%m/%d %H:%M:%S')} {where}]: \x1b[0m{text}")

    d2("detectron2", "Rank of current process: 0. World size: 8")
    d2("detectron2", "Command line arguments: Namespace(config_file='configs/wsi_mask_rcnn_R_50_FPN.yaml', dist_url=")
    out[-1] += (
        "'tcp://127.0.0.1:50152', eval_only=False, machine_rank=0, num_gpus=8, num_machines=1, opts=[], resume=False)"
    )
    d2("d2.data.datasets.coco", "Loading datasets/wsi/annotations/train.json takes 38.12 seconds.")
    d2("d2.data.datasets.coco", "Loaded 212044 images in COCO format from datasets/wsi/annotations/train.json")
    d2("d2.data.build", "Removed 1206 images with no usable annotations. 210838 images left.")
    d2("d2.data.common", "Serializing 210838 elements to byte tensors and concatenating them all ...")
    d2("d2.data.common", "Serialized dataset takes 811.40 MiB")
    d2("d2.checkpoint.c2_model_loading", "Following weights matched with submodule backbone.bottom_up:")
    out.append(
        "WARNING \x1b[32m["
        + clock(t, "%m/%d %H:%M:%S")
        + " fvcore.common.checkpoint]: \x1b[0mThe checkpoint state_dict "
    )
    out[-1] += "contains keys that are not used by the model:"
    out.append("  \x1b[35mfc1000.{bias, weight}\x1b[0m")
    d2("d2.engine.train_loop", "Starting training from iteration 0")
    t += 14
    total = 90000
    last = 17219
    for it in range(19, last + 1, 20):
        took = 0.338 + rng.gauss(0, 0.004)
        t += 20 * took
        loss = falls(rng, it, 2.9, 0.62, 1800, 0.05)
        part = [loss * w for w in (0.31, 0.29, 0.3, 0.04, 0.06)]
        d2(
            "d2.utils.events",
            f" eta: {eta((total - it) * 0.339)}  iter: {it}  total_loss: {loss:.4g}  loss_cls: {part[0]:.4g}  "
            f"loss_box_reg: {part[1]:.4g}  loss_mask: {part[2]:.4g}  loss_rpn_cls: {part[3]:.4g}  "
            f"loss_rpn_loc: {part[4]:.4g}    time: {0.339 + rng.gauss(0, 0.0004):.4f}  last_time: {took:.4f}  "
            f"data_time: {0.0091 + abs(rng.gauss(0, 0.002)):.4f}  last_data_time: "
            f"{0.006 + abs(rng.gauss(0, 0.002)):.4f}   "
            f"lr: {0.02 * min(1, it / 1000):.5g}  max_mem: {6844 if it > 400 else 6512}M",
        )
        if (it + 1) % 5000 == 0:
            d2("fvcore.common.checkpoint", f"Saving checkpoint to ./output/wsi_r50/model_{it:07d}.pth")
            t += 2
    t += 3.5
    seq = 148310
    for k, rank in enumerate((3, 0, 7, 1, 2, 4, 6)):
        ran = 1800000 + rng.randrange(11, 92)
        when = t + 1800.2 + k * 0.013
        out.append(
            f"[rank{rank}]:[E{glog(rng, when)}{rng.randrange(1000):03d} ProcessGroupNCCL.cpp:616] "
            f"[Rank {rank}] Watchdog "
            f"caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=6611012, "
            f"NumelOut=6611012, Timeout(ms)=1800000) ran for {ran} milliseconds before timing out."
        )
        out.append(
            f"[rank{rank}]:[E{glog(rng, when + 0.002)}{rng.randrange(1000):03d} "
            "ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0"
            f"(default_pg) Rank {rank}] Exception (either an error or timeout) detected by watchdog "
            f"at work: {seq}, last "
            f"enqueued NCCL work: {seq + 2}, last completed NCCL work: {seq - 1}."
        )
    t += 1802
    for rank in (3, 0, 7):
        when = t + rng.random()
        out.append(
            f"[rank{rank}]:[E{glog(rng, when)}{rng.randrange(1000):03d} ProcessGroupNCCL.cpp:630] "
            f"[Rank {rank}] Some NCCL "
            "operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, "
            "subsequent GPU operations "
            "might run on corrupted/incomplete data."
        )
        out.append(
            f"[rank{rank}]:[E{glog(rng, when)}{rng.randrange(1000):03d} ProcessGroupNCCL.cpp:636] "
            f"[Rank {rank}] To avoid data "
            "inconsistency, we are taking the entire process down."
        )
    out.append("terminate called after throwing an instance of 'c10::DistBackendError'")
    out.append(
        "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated "
        "with exception: [Rank 3] "
        f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=6611012, "
        f"NumelOut=6611012, Timeout(ms)=1800000) ran for 1800033 milliseconds before timing out."
    )
    out += [
        "Exception raised from checkTimeout at "
        "../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:618 (most recent call first):",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f2be6b6c446 in "
        "/opt/conda/lib/python3.10/"
        "site-packages/torch/lib/libc10.so)",
        "frame #1: "
        "c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, "
        "1000l> > >) + 0x282 (0x7f2b9c7d1772 in /opt/conda/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so)",
        "frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x7f2b9c7d8bb3 in /opt/conda/lib/python3.10/"
        "site-packages/torch/lib/libtorch_cuda.so)",
        "",
        "Traceback (most recent call last):",
        '  File "/home/ksato/wsi/train_net.py", line 141, in <module>',
        "    launch(",
        '  File "/opt/conda/lib/python3.10/site-packages/detectron2/engine/launch.py", line 69, in launch',
        "    mp.start_processes(",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 189, in join',
        "    raise ProcessExitedException(",
        "torch.multiprocessing.spawn.ProcessExitedException: process 3 terminated with signal SIGABRT",
    ]
    put(place, "wsi_r50.log", out)


def c07_libai(place: Path, rng: Random) -> None:
    t = 5 * DAY + 2.7 * H
    out: list[str] = []

    def lb(where: str, text: str) -> None:
        out.append(f"\x1b[32m[{clock(t, '%m/%d %H:%M:%S')} {where}]: \x1b[0m{text}")

    lb("libai", "Rank of current process: 0. World size: 4")
    lb("lb.engine.default", "Full config saved to output/gpt2_zh/config.yaml")
    lb("lb.engine.default", "> compiling dataset index builder ...")
    t += 9
    lb("lb.engine.default", ">>> done with dataset index builder. Compilation time: 8.913 seconds")
    lb("lb.data.data_utils.indexed_dataset", "    creating numpy buffer of mmap...")
    lb("lb.engine.default", "Prepare training, validating, testing set")
    t += 5
    lb("lb.engine.default", "Auto-scaling the config to train.train_iter=120000, train.warmup_iter=1200")
    lb("lb.engine.trainer", "Starting training from iteration 0")
    total = 120000
    for it in range(99, 3800, 100):
        took = 0.512 + rng.gauss(0, 0.003)
        t += 100 * took
        loss = falls(rng, it, 10.4, 4.1, 900, 0.01)
        if it in (2199, 2299, 2399):
            loss += {2199: 2.31, 2299: 1.12, 2399: 0.28}[it]
        lb(
            "lb.utils.events",
            f" eta: {eta((total - it) * 0.513)}  iteration: {it}/{total}  consumed_samples: {(it + 1) * 64}  "
            f"total_loss: {loss:.4g}  time: {took:.4f} s/iter  data_time: "
            f"{0.0021 + abs(rng.gauss(0, 0.0004)):.4f} s/iter "
            f"total_throughput: {64 / took:.2f} samples/s lr: {1.5e-4 * min(1, (it + 1) / 1200):.2e}  ",
        )
    cmd = "['/opt/py310/bin/python3', '-u', 'tools/train_net.py', '--config-file', 'configs/gpt2_zh.py']"
    out += [
        "Killing subprocess 61702",
        "Killing subprocess 61703",
        "Killing subprocess 61704",
        "Killing subprocess 61705",
        "Traceback (most recent call last):",
        '  File "/opt/py310/lib/python3.10/runpy.py", line 196, in _run_module_as_main',
        "    return _run_code(code, main_globals, None,",
        '  File "/opt/py310/lib/python3.10/site-packages/oneflow/distributed/launch.py", line 232, in <module>',
        "    main()",
        '  File "/opt/py310/lib/python3.10/site-packages/oneflow/distributed/launch.py", line 220, in main',
        "    sigkill_handler(signal.SIGTERM, None)",
        '  File "/opt/py310/lib/python3.10/site-packages/oneflow/distributed/launch.py", line 188, in sigkill_handler',
        "    raise subprocess.CalledProcessError(",
        f"subprocess.CalledProcessError: Command '{cmd}' died with <Signals.SIGKILL: 9>.",
    ]
    put(place, "nohup.out", out)


def c08_mmcv(place: Path, rng: Random) -> None:
    t = 0.6 * DAY
    out: list[str] = []

    def mm(text: str, level: str = "INFO") -> None:
        out.append(f"{milli(t)} - mmdet - {level} - {text}")

    mm("Distributed training: True")
    mm("Set random seed to 1862310472, deterministic: False")
    out += ["loading annotations into memory...", "Done (t=96.31s)", "creating index...", "index created!"]
    t += 130
    mm("load checkpoint from torchvision path: torchvision://resnet101")
    mm(
        "The model and loaded state dict do not match exactly\n\nunexpected key in source "
        "state_dict: fc.weight, fc.bias\n",
        "WARNING",
    )
    mm("Start running, host: wangl@gpu-3-11, work_dir: /share/wangl/o365/work_dirs/faster_r101")
    mm("workflow: [('train', 1)], max: 12 epochs")
    mm("Checkpoints will be saved to /share/wangl/o365/work_dirs/faster_r101 by HardDiskBackend.")
    per, took = 9500, 0.561
    for ep in range(1, 4):
        for it in range(50, per + 1, 50):
            step = (ep - 1) * per + it
            s = took + rng.gauss(0, 0.006)
            t += 50 * s
            loss = falls(rng, step, 2.4, 0.78, 4200, 0.025)
            grad = 3.2 + abs(rng.gauss(0, 0.7))
            mm(
                f"Epoch [{ep}][{it}/{per}]\tlr: {0.02 * min(1, step / 500):.3e}, eta: {eta((12 * per - step) * 0.57)}, "
                f"time: {s:.3f}, data_time: {0.021 + abs(rng.gauss(0, 0.004)):.3f}, memory: 7431, "
                f"loss_rpn_cls: {loss * 0.09:.4f}, loss_rpn_bbox: {loss * 0.1:.4f}, loss_cls: {loss * 0.48:.4f}, "
                f"acc: {96 - loss * 3:.4f}, loss_bbox: {loss * 0.33:.4f}, loss: {loss:.4f}, grad_norm: {grad:.4f}"
            )
            if (ep, it) in ((1, 3150), (2, 7400)):
                mm(
                    "img_io: cannot read patch41/objects365_v2_01811203.jpg ([Errno 5] Input/output error), 1/3",
                    "WARNING",
                )
                mm("img_io: patch41/objects365_v2_01811203.jpg read after 2 tries", "WARNING")
        mm(f"Saving checkpoint at {ep} epochs")
        t += 6
        n, began = 80000, t
        out.append(f"[{'>' * 30}] {n}/{n}, 71.{ep} task/s, elapsed: {1121 - 3 * ep}s, ETA:     0s")
        t += 1121
        out.append("")
        mm("Evaluating bbox...")
        out += ["Loading and preparing results...", f"DONE (t={88 + 9 * ep}.{rng.randrange(100):02d}s)"]
        out += ["creating index...", "index created!", "Running per image evaluation..."]
        out.append("Evaluate annotation type *bbox*")
        if ep == 3:
            t += 97 + 13
            break
        long = {1: 1088, 2: 1316}[ep]
        out += [f"DONE (t={long}.{rng.randrange(100):02d}s).", "Accumulating evaluation results..."]
        out.append(f"DONE (t={long // 8}.{rng.randrange(100):02d}s).")
        t = began + 1121 + 97 + long * 1.13
        m = 0.031 + 0.068 * ep
        out.append(f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {m:.3f}")
        out.append(f" Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=1000 ] = {m * 1.7:.3f}")
        out.append(f" Average Precision  (AP) @[ IoU=0.75      | area=   all | maxDets=1000 ] = {m * 0.98:.3f}")
        mm(
            f"Epoch(val) [{ep}][10000]\tbbox_mAP: {m:.4f}, bbox_mAP_50: {m * 1.7:.4f}, bbox_mAP_75: {m * 0.98:.4f}, "
            f"bbox_mAP_copypaste: {m:.3f} {m * 1.7:.3f} {m * 0.98:.3f} {m * 0.3:.3f} {m * 0.8:.3f} {m * 1.5:.3f}"
        )
    ran = {rank: 1800000 + rng.randrange(100, 900) for rank in (5, 1, 6, 2, 7, 3, 4)}
    for rank in ran:
        out.append(
            f"[E ProcessGroupNCCL.cpp:821] [Rank {rank}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum=1283307, OpType=BROADCAST, Timeout(ms)=1800000) ran for {ran[rank]} "
            "milliseconds before timing out."
        )
    for rank in (5, 1, 6):
        out.append(
            "[E ProcessGroupNCCL.cpp:456] Some NCCL operations have failed or timed out. Due to the "
            "asynchronous nature of "
            "CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."
        )
        out.append("[E ProcessGroupNCCL.cpp:461] To avoid data inconsistency, we are taking the entire process down.")
        out.append("terminate called after throwing an instance of 'std::runtime_error'")
        out.append(
            f"  what():  [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1283307, "
            f"OpType=BROADCAST, Timeout(ms)=1800000) ran for {ran[rank]} milliseconds before timing out."
        )
    out += [
        "WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 20411 closing signal SIGTERM",
        "ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 1 "
        "(pid: 20412) of binary: "
        "/share/wangl/envs/mmdet2/bin/python",
        "Traceback (most recent call last):",
        '  File "/share/wangl/envs/mmdet2/lib/python3.8/site-packages/torch/distributed/launch.py", '
        "line 195, in <module>",
        "    main()",
        '  File "/share/wangl/envs/mmdet2/lib/python3.8/site-packages/torch/distributed/launcher/api.py", line 246, in '
        "launch_agent",
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 55,
        "./tools/train.py FAILED",
        "-" * 55,
        "Failures:",
    ]
    stamp = clock(t + 1806, "%Y-%m-%d_%H:%M:%S")
    for k, rank in enumerate((2, 3, 4, 5, 6, 7, 1)):
        if rank == 1:
            out += ["-" * 55, "Root Cause (first observed failure):"]
        out += [
            f"[{(k + 1) % 7}]:",
            f"  time      : {stamp}",
            "  host      : gpu-3-11",
            f"  rank      : {rank} (local_rank: {rank})",
            f"  exitcode  : -6 (pid: {20411 + rank})",
            "  error_file: <N/A>",
            f"  traceback : Signal 6 (SIGABRT) received by PID {20411 + rank}",
        ]
    out.append("=" * 55)
    put(place, "dist_train.out", out)


def c09_spacy(place: Path, rng: Random) -> None:
    out: list[str] = []
    records: list[str] = []

    def table(first: int, last: int, ceiling: float, pace: float, per: int) -> None:
        out.append("ℹ Pipeline: ['transformer', 'ner']")
        out.append("ℹ Initial learn rate: 0.0")
        out.append("E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ")
        out.append("---  ------  -------------  --------  ------  ------  ------  ------")
        for step in range(first, last + 1, 100):
            k = step - first
            f = ceiling * (1 - 2.718 ** (-k / pace)) + (rng.gauss(0, 0.35) if k else 0.41)
            ner = falls(rng, k, 9100, 640, pace * 0.5, 0.06) if k else 742.18
            tr = ner * 0.82 * (1 + rng.gauss(0, 0.05))
            if step in (6200, 6300, 14800):
                ner, tr, f = ner * 4.1, tr * 5, f - 9
            f = max(f, 0.3)
            p = f + rng.gauss(0.8, 0.5) * min(f / 20, 1)
            r = f * p / (2 * p - f)
            epoch = k // per
            out.append(f"{epoch:3d}  {k:6d}  {tr:13.2f}  {ner:8.2f}  {f:6.2f}  {p:6.2f}  {r:6.2f}  {f / 100:6.2f}")
            records.append(
                json.dumps(
                    {
                        "epoch": epoch,
                        "step": k,
                        "losses": {"transformer": round(tr, 4), "ner": round(ner, 4)},
                        "scores": {"ents_f": round(f / 100, 6), "ents_p": round(p / 100, 6)},
                        "score": round(f / 100, 6),
                    }
                )
            )

    out += [
        "== 2026-11-04 08:02:17 train_ner.sh: 40000 steps wanted, out/model-last not there, starting",
        "ℹ Saving to output directory: out",
        "ℹ Using GPU: 0",
        "",
        "=========================== Initializing pipeline ===========================",
        "✔ Initialized pipeline",
        "",
        "============================= Training pipeline =============================",
    ]
    table(0, 30000, 87.2, 4200, 812)
    out += [
        "== 2026-11-04 19:55:41 train_ner.sh: maintenance at 20:00, stopping after this evaluation",
        "✔ Saved pipeline to output directory",
        "out/model-last",
        "== 2026-11-06 07:30:09 train_ner.sh: 30000 of 40000 steps done, 10000 to go, continuing from out/model-last",
        "ℹ Saving to output directory: out",
        "ℹ Using GPU: 0",
        "",
        "=========================== Initializing pipeline ===========================",
        "✔ Initialized pipeline",
        "",
        "============================= Training pipeline =============================",
    ]
    table(30000, 40000, 86.8, 4200, 812)
    out += ["✔ Saved pipeline to output directory", "out/model-last"]
    out.append("== 2026-11-06 11:27:50 train_ner.sh: done, 40000 of 40000 steps")
    put(place, "train_ner.log", out)
    put(place, "metrics.jsonl", records)
