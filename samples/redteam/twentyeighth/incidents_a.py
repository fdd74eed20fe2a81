"""The incidents t01 to t08 of the twenty-eighth set, as sites would hand them over. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentyfirst.rig_incidents import FREE, Row, Work, bare, calm, learn, smi_csv, took
from samples.redteam.twentyfourth.rig_site import coarse, held, pods, shake, spin, step_rows
from samples.redteam.twentythird.rig_more import (
    ISO,
    Rack,
    account,
    bar,
    clock,
    hms,
    job,
    kernel,
    matrix,
    put,
    quiet,
    sacct,
    torchrun_end,
    when,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WEST: Final = -480


def t01(place: Path, rng: Random) -> None:
    """GRPO on three of a node's four GPUs, ended in order."""
    start = when(18, 18, 6, 41, month=11)
    node, user = "sierra-g09", "tvandermeer"
    steps, pace = 90, 8.3
    first = start + 118
    last = first + steps * pace
    stop = last + 27
    gen = Work(0.93, 0.44, 0.21, 0.41, 61200, 310, 190)
    save = Work(0.0, 0.0, 0.0, 0.0, 61200)

    def work(_n: int, g: int, t: float) -> Work:
        if g == 3 or t < start + 34 or t >= stop - 3:
            return FREE
        if t < start + 58:
            return held(3300 + 40 * g)
        if t < first:
            return Work(0.21, 0.06, 0.02, 0.08, 29800) if t > start + 92 else held(8800)
        if t >= last + 3:
            return save
        return replace(shake(gen, f"{g}{t}", 0.78, 1.0), mib=61200 + 210 * g + min(9000, (t - first) * 60))

    rack = Rack("H100", [node], 4, work, start - 60, stop + 60, 10, 28101)
    matrix(place, "dcgm_sierra-g09.json", rack, bare(rack))
    out = [
        f"[{clock(start + 1, WEST, '%a %b %e %H:%M:%S PST %Y')}] job 884120 on {node}",
        "+ module load cuda/12.6",
        "+ source /scratch/tvandermeer/envs/trl022/bin/activate",
        "+ accelerate launch --config_file cfg/zero2.yaml --num_processes 3 grpo_math.py --config runs/q15_b6.yaml",
    ]
    t = start + 36
    out += [
        f"INFO {clock(t + i * 0.2, WEST, '%m-%d %H:%M:%S')} [__init__.py:244] Automatically detected platform cuda."
        for i in range(3)
    ]
    out += [
        "[rank0]: dataset: 7473 train / 1319 test prompts",
        f"INFO {clock(t + 27, WEST, '%m-%d %H:%M:%S')} [config.py:841] This model supports multiple tasks: "
        "{'classify', 'reward', 'generate', 'embed'}. Defaulting to 'generate'.",
        f"INFO {clock(t + 27, WEST, '%m-%d %H:%M:%S')} [config.py:1472] Using max model len 1536",
        f"INFO {clock(t + 33, WEST, '%m-%d %H:%M:%S')} [gpu_model_runner.py:1770] Starting to load model "
        "Qwen/Qwen2.5-1.5B-Instruct...",
        f"INFO {clock(t + 36, WEST, '%m-%d %H:%M:%S')} [default_loader.py:272] Loading weights took 0.74 seconds",
        f"INFO {clock(t + 37, WEST, '%m-%d %H:%M:%S')} [gpu_model_runner.py:1801] Model loading took 2.8876 GiB and "
        "1.402188 seconds",
        f"INFO {clock(t + 58, WEST, '%m-%d %H:%M:%S')} [kv_cache_utils.py:716] GPU KV cache size: 727,344 tokens",
        f"INFO {clock(t + 78, WEST, '%m-%d %H:%M:%S')} [gpu_model_runner.py:2326] Graph capturing finished in 17 secs, "
        "took 0.46 GiB",
    ]
    text = "\n".join(out) + "\n"
    text += f"\r  0%|          | 0/{steps} [00:00<?, ?it/s]"
    tokens, total = 0.0, 0.0
    for i in range(1, steps + 1):
        gone = i * pace + rng.gauss(0, 0.9)
        lr = 1e-6 * (1 - (i - 1) / steps)
        right = 0.74 - 0.47 * (1 + i / 14) ** -0.9 + rng.gauss(0, 0.035)
        shape = 0.97 - 0.55 * 2.7 ** (-i / 9) + rng.gauss(0, 0.012)
        shape = min(1.0, shape)
        length = 276 - 48 * (i / steps) + rng.gauss(0, 9)
        tokens += 108 * (length + 104)
        loss = rng.gauss(0.004, 0.011)
        total += loss
        clipped = max(0, round(rng.gauss(1.6, 1.1))) / 108
        one = {
            "loss": round(loss, 4),
            "grad_norm": round(abs(rng.gauss(0.34, 0.05)), 16),
            "learning_rate": lr,
            "num_tokens": float(round(tokens)),
            "completions/mean_length": round(length, 6),
            "completions/min_length": float(rng.randrange(71, 118)),
            "completions/max_length": 768.0 if clipped else float(rng.randrange(520, 741)),
            "completions/clipped_ratio": clipped,
            "completions/mean_terminated_length": round(length - clipped * 500, 6),
            "completions/min_terminated_length": float(rng.randrange(71, 118)),
            "completions/max_terminated_length": float(rng.randrange(490, 741)),
            "rewards/boxed_correct/mean": round(right, 7),
            "rewards/boxed_correct/std": round((right * (1 - right)) ** 0.5, 7),
            "rewards/tag_format/mean": round(shape, 7),
            "rewards/tag_format/std": round((shape * (1 - shape)) ** 0.5, 7),
            "reward": round(right + 0.2 * shape, 7),
            "reward_std": round(0.36 - 0.13 * i / steps + rng.gauss(0, 0.02), 7),
            "frac_reward_zero_std": round(max(0, rng.gauss(0.18 + 0.25 * i / steps, 0.05)) * 18) / 18,
            "kl": round(0.0006 + 0.011 * i / steps * rng.uniform(0.8, 1.2), 9),
            "clip_ratio/low_mean": 0.0,
            "clip_ratio/high_mean": 0.0,
            "clip_ratio/region_mean": 0.0,
            "epoch": round(i * 18 / 7473, 2),
        }
        each = f"{i * 100 // steps:3d}%|{bar(i, steps)}| {i}/{steps} [{hms(gone)}<{hms((steps - i) * pace)},"
        each += f"  {rng.gauss(pace, 0.12):.2f}s/it]"
        text += f"\r{each}\r{' ' * 78}\r{one}\n\r{each}"
    spent = round(last + 13.1 - first, 4)
    done = {
        "train_runtime": spent,
        "train_samples_per_second": round(steps * 18 / spent, 3),
        "train_steps_per_second": round(steps / spent, 3),
        "train_loss": total / steps,
        "epoch": round(steps * 18 / 7473, 2),
    }
    text += f"\r{' ' * 78}\r{done}\n\r100%|██████████| {steps}/{steps} [{hms(spent)}<00:00,  {spent / steps:.2f}s/it]\n"
    text += "saved policy and tokenizer to /scratch/tvandermeer/out/q15_b6/final\n"
    text += f"[{clock(stop - 1, WEST, '%a %b %e %H:%M:%S PST %Y')}] accelerate rc=0\n"
    put(place, "slurm-884120.out", text)

    zero = {"return_code": {"set": True, "infinite": False, "number": 0}, "status": ["SUCCESS"]}
    span = {"elapsed": int(stop) - int(start), "start": int(start), "end": int(stop), "suspended": 0}
    trace = [{"type": "cpu", "name": "", "id": 1, "count": 48}, {"type": "gres", "name": "gpu", "id": 1001, "count": 4}]
    whole = {
        "jobs": [
            {
                "account": "nlp-rl",
                "allocation_nodes": 1,
                "cluster": "sierra",
                "derived_exit_code": zero,
                "exit_code": zero,
                "job_id": 884120,
                "name": "q15_b6",
                "nodes": node,
                "partition": "gpu-short",
                "restart_cnt": 0,
                "state": {"current": ["COMPLETED"], "reason": "None"},
                "steps": [
                    {
                        "step": {"id": f"884120.{kind}", "name": kind},
                        "state": ["COMPLETED"],
                        "exit_code": zero,
                        "nodes": {"count": 1, "range": node, "list": [node]},
                        "time": {k: v for k, v in span.items() if k != "suspended"},
                    }
                    for kind in ("batch", "extern")
                ],
                "submit_line": "sbatch -p gpu-short -t 1:00:00 --gres=gpu:4 runs/q15_b6.sbatch",
                "time": {
                    **span,
                    "eligible": int(start) - 48,
                    "submission": int(start) - 48,
                    "limit": {"set": True, "infinite": False, "number": 60},
                },
                "tres": {"allocated": trace, "requested": trace},
                "user": user,
                "working_directory": "/scratch/tvandermeer/grpo",
            }
        ],
        "meta": {
            "plugin": {
                "type": "openapi/slurmdbd",
                "name": "Slurm OpenAPI slurmdbd",
                "data_parser": "data_parser/v0.0.41",
            },
            "slurm": {"version": {"major": "24", "micro": "3", "minor": "05"}, "release": "24.05.3"},
        },
        "errors": [],
        "warnings": [],
    }
    put(place, "sacct_884120.json", json.dumps(whole, indent=2) + "\n")
    quiet(place, "sierra-g09.dmesg", rng, rack, 0, "dmesg -T", WEST)


def t02(place: Path, rng: Random) -> None:
    """The ranks of one pod lost the other pod's; what that one went through was not handed over."""
    start = when(24, 3, 12, 8, month=11)
    names = ["protpre-7f-master-0", "protpre-7f-worker-0"]
    nodes = ["gke-a100-pool-b1c7", "gke-a100-pool-k8d2"]
    first, pace = start + 236, 3.07
    steps = int((106 * 60 - 236 - 14) / pace)
    lost = first + steps * pace + 1.6
    stop = lost + 9
    train = Work(0.985, 0.78, 0.42, 0.47, 66100, 900, 870)

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 40 or t >= stop - 4:
            return FREE
        if t < first:
            return held(2100 + 60 * g) if t < start + 170 else held(23400)
        if t >= lost:
            return spin(66100)
        return replace(shake(train, f"{g}/{t}", 0.95), mib=66100 + 64 * g)

    def alter(_n: int, g: int, _t: float, one: Row) -> Row:
        if g == 2:
            one["CORRECTABLE_REMAPPED_ROWS"] = 2
        return one

    rack = Rack("A100", nodes, 4, work, start - 75, stop + 120, 15, 28102, alter)
    matrix(place, "prom/range_a100-pool-b1c7.json", rack, bare(rack, "dcgm-exporter", zone="us-west1-b"), only=[0])
    pods(
        place,
        "pods.json",
        "protein",
        "protpre-7f",
        names,
        nodes,
        "registry.lab.example/protein/ds:0.17.2-cu124",
        [
            "bash",
            "-c",
            "deepspeed --no_ssh --node_rank=$RANK --hostfile=/job/hosts --master_addr=$MASTER_ADDR "
            "pretrain_plm.py --deepspeed_config z2.json",
        ],
        4,
        (start, stop),
        1,
    )
    ts = "%Y-%m-%d %H:%M:%S"
    out: list[str] = []

    last = [start]

    def say(t: float, level: str, spot: str, words: str) -> None:
        last[0] = max(last[0] + 0.001, t + rng.uniform(0.002, 0.09))
        stamp = f"{clock(last[0], 0, ts)},{int(last[0] * 1000) % 1000:03d}"
        out.append(f"[{stamp}] [{level}] [{spot}] {words}")

    say(start + 9, "INFO", "real_accelerator.py:260:get_accelerator", "Setting ds_accelerator to cuda (auto detect)")
    say(
        start + 12,
        "INFO",
        "launch.py:146:main",
        "WORLD INFO DICT: {'protpre-7f-master-0': [0, 1, 2, 3], 'protpre-7f-worker-0': [0, 1, 2, 3]}",
    )
    say(start + 12, "INFO", "launch.py:152:main", "nnodes=2, num_local_procs=4, node_rank=0")
    say(start + 12, "INFO", "launch.py:164:main", "dist_world_size=8")
    say(start + 12, "INFO", "launch.py:168:main", "Setting CUDA_VISIBLE_DEVICES=0,1,2,3")
    for i in range(4):
        say(
            start + 12.1 + i / 50,
            "INFO",
            "launch.py:256:main",
            f"process {71 + i} spawned with command: "
            f"['/usr/bin/python3', '-u', 'pretrain_plm.py', '--local_rank={i}', '--deepspeed_config', 'z2.json']",
        )
    say(start + 41, "INFO", "comm.py:669:init_distributed", "cdb=None")
    say(start + 41, "INFO", "comm.py:700:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl")
    out.append("plm: 30 layers, width 1280, 651.9M parameters; shards: 412 (uniref50 2026-08)")
    say(
        start + 171,
        "INFO",
        "logging.py:107:log_dist",
        "[Rank 0] DeepSpeed info: version=0.17.2, git-hash=unknown, git-branch=unknown",
    )
    say(
        start + 188,
        "INFO",
        "logging.py:107:log_dist",
        "[Rank 0] Using DeepSpeed Optimizer param name adamw as basic optimizer",
    )
    say(start + 189, "INFO", "logging.py:107:log_dist", "[Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer")
    say(start + 214, "INFO", "logging.py:107:log_dist", "[Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer")
    for i in range(10, steps + 1, 10):
        t = first + i * pace
        lr = 4e-4 * min(1, i / 1000)
        if i % 20 == 0:
            say(t, "INFO", "logging.py:107:log_dist", f"[Rank 0] step={i}, skipped=0, lr=[{lr}], mom=[[0.9, 0.98]]")
            rate = 8 * 64 / pace * rng.gauss(1, 0.006)
            say(
                t,
                "INFO",
                "timer.py:264:stop",
                f"epoch=0/micro_step={i}/global_step={i}, RunningAvgSamplesPerSec="
                f"{512 / pace * (1 + 0.02 / i):.14f}, CurrSamplesPerSec={rate:.14f}, "
                "MemAllocated=11.29GB, MaxMemAllocated=58.81GB",
            )
        out.append(
            f"it {i:6d} | mlm {learn(rng, i, 3.04, 2.31, 420, 0.004):.4f} | tok/s "
            f"{512 * 512 / pace * rng.gauss(1, 0.006):,.0f}"
        )
        if i % 1000 == 0:
            say(
                t + 1,
                "INFO",
                "logging.py:107:log_dist",
                f"[Rank 0] [Torch] Checkpoint global_step{i} is about to be saved!",
            )
            say(
                t + 2,
                "INFO",
                "torch_checkpoint_engine.py:33:commit",
                f"[Torch] Checkpoint global_step{i} is ready now!",
            )
    lib = "/usr/local/lib/python3.10/dist-packages"
    for r in (1, 3, 0, 2):
        p = f"[rank{r}]:"
        out += [
            f"{p} Traceback (most recent call last):",
            f'{p}   File "/workspace/pretrain_plm.py", line 214, in <module>',
            f"{p}     main()",
            f'{p}   File "/workspace/pretrain_plm.py", line 187, in main',
            f"{p}     engine.step()",
            f'{p}   File "{lib}/deepspeed/runtime/engine.py", line 2371, in step',
            f"{p}     self._take_model_step(lr_kwargs)",
            f'{p}   File "{lib}/deepspeed/runtime/engine.py", line 2267, in _take_model_step',
            f"{p}     self.optimizer.step()",
            f'{p}   File "{lib}/deepspeed/runtime/zero/stage_1_and_2.py", line 1932, in step',
            f"{p}     all_gather_dp_groups(groups_flat=self.bit16_groups_flat,",
            f'{p}   File "{lib}/deepspeed/runtime/utils.py", line 983, in all_gather_dp_groups',
            f"{p}     dist.all_gather(shard_list, shard_list[partition_id], dp_process_group[group_id])",
            f'{p}   File "{lib}/torch/distributed/distributed_c10d.py", line 3707, in all_gather',
            f"{p}     work = group.allgather([tensor_list], [tensor], opts)",
            f"{p} torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/"
            "ProcessGroupNCCL.cpp:3356, remote process exited or there was a network error, NCCL version 2.26.2",
            f"{p} ncclRemoteError: A call failed possibly due to a network error or a remote "
            "process exiting prematurely.",
            f"{p} Last error:",
            f"{p} socketProgress: Connection closed by remote peer "
            f"10-36-4-19.protpre-7f-worker-0.protein.svc.cluster.local<{41200 + 7 * r}>",
        ]
    say(lost + 5, "INFO", "launch.py:319:sigkill_handler", "Killing subprocess 71")
    for i in (72, 73, 74):
        say(lost + 5.2 + i / 100, "INFO", "launch.py:319:sigkill_handler", f"Killing subprocess {i}")
    say(
        lost + 7,
        "ERROR",
        "launch.py:325:sigkill_handler",
        "['/usr/bin/python3', '-u', 'pretrain_plm.py', "
        "'--local_rank=3', '--deepspeed_config', 'z2.json'] exits with return code = 1",
    )
    put(place, "protpre-7f-master-0.log", out)
    for i, host in enumerate(nodes):
        lines = calm(rng, rack.begin, rack.of.driver, kube=True, ib=False)
        kernel(place, f"kern_{host}.txt", lines, "journalctl", WEST, nodes[i])


def t03(place: Path, rng: Random) -> None:
    """One task of open_clip was gone at once, by signal 9."""
    east = 540
    start = when(28, 13, 4, 17)
    nodes = ["kgpu014", "kgpu015"]
    first, pace = start + 95, 0.7231
    lost = start + 384 * 60 - 6
    stop = lost + 6
    per, size = 8 * 1024, 12_828_672
    train = Work(0.97, 0.66, 0.35, 0.44, 92400, 2100, 480)

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 25 or t >= stop - 2:
            return FREE
        if t < first:
            return held(4100)
        if t >= lost:
            return spin(92400)
        spot = (t - first) % (size / per * pace + 41)
        if spot > size / per * pace:
            return Work(0.62, 0.38, 0.2, 0.24, 92900, 900, 70) if g == _n == 0 else spin(92400)
        return replace(shake(train, f"{_n}{g}/{t}", 0.94), mib=92400 + 50 * g)

    rack = Rack("H200", nodes, 4, work, start - 120, stop + 180, 60, 28103)
    for n, host in enumerate(nodes):
        matrix(place, f"metrics/{host}.json", rack, bare(rack, "node-gpu"), only=[n])
    out: list[str] = []

    def say(t: float, words: str) -> None:
        out.append(f"{clock(t, east, '%Y-%m-%d,%H:%M:%S')} | INFO | {words}")

    say(
        start + 26,
        "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.",
    )
    say(start + 26, "Loaded ViT-B-16 model config.")
    say(start + 31, "Model:")
    say(start + 31, "CLIP(")
    out += [
        "  (visual): VisionTransformer(",
        "    (conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16, 16), bias=False)",
        "    (patch_dropout): Identity()",
        "    (ln_pre): LayerNorm((768,), eps=1e-05, elementwise_affine=True)",
        "    ...",
        ")",
    ]
    say(start + 31, "Params:")
    for key, value in {
        "accum_freq": 1,
        "batch_size": 1024,
        "dataset_type": "webdataset",
        "epochs": 32,
        "grad_checkpointing": False,
        "imagenet_val": "/gpfs/share/imagenet/val",
        "local_loss": True,
        "gather_with_grad": True,
        "log_every_n_steps": 100,
        "lr": 0.0005,
        "model": "ViT-B-16",
        "name": "vitb16_jpalt_r4",
        "precision": "amp_bf16",
        "train_data": "/gpfs/work/jpalt/wds/{00000..01287}.tar",
        "train_num_samples": 12824576,
        "warmup": 2000,
        "wd": 0.2,
        "workers": 12,
        "world_size": 8,
        "zeroshot_frequency": 1,
    }.items():
        say(start + 32, f"  {key}: {value}")
    t, epoch, step, scale = first, 0, 0, 14.286
    batches, gone = size // per, False
    while not gone:
        say(t, f"Start epoch {epoch}")
        mean, count = 0.0, 0
        for i in range(0, batches + 1, 100):
            at = t + (i + 1) * pace
            if at >= lost:
                gone = True
                break
            n = min(i, batches - 1)
            step = epoch * batches + n
            loss = learn(rng, step, 8.9, 0.92, 900, 0.022)
            mean, count = (mean * count + loss) / (count + 1), count + 1
            scale = 14.286 + 60 * (1 - 2.7 ** (-step / 14000))
            lr = 5e-4 * min(1, step / 2000)
            took_ = pace * rng.gauss(1, 0.008)
            rate = per / took_
            say(
                at,
                f"Train Epoch: {epoch} [{(n + 1) * per:>8}/{size} ({100 * n / batches:.0f}%)] "
                f"Data (t): {abs(rng.gauss(0.013, 0.004)):.3f} Batch (t): {took_:.3f}, "
                f"{rate:#g}/s, {rate / 8:#g}/s/gpu "
                f"LR: {lr:5f} Logit Scale: {scale:.3f} Contrastive_loss: {loss:#.5g} ({mean:#.5g}) "
                f"Loss: {loss:#.5g} ({mean:#.5g})",
            )
        if gone:
            break
        t += batches * pace
        say(t + 1, "Starting zero-shot imagenet.")
        say(t + 1, "Building zero-shot classifier")
        say(t + 9, "Using classifier")
        top = 0.52 * (1 - 2.7 ** (-(epoch + 1) / 7))
        say(t + 38, "Finished zero-shot imagenet.")
        say(
            t + 38,
            f"Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: {top:.4f}\timagenet-zeroshot-val-top5: "
            f"{top * 1.63:.4f}",
        )
        epoch, t = epoch + 1, t + 41
    out += [
        "srun: error: kgpu015: task 6: Killed",
        "srun: Terminating StepId=201877.0",
        f"slurmstepd: error: *** STEP 201877.0 ON kgpu014 CANCELLED AT {clock(lost + 1, east, ISO)} ***",
        "srun: error: kgpu014: tasks 0-3: Terminated",
        "srun: error: kgpu015: tasks 4-5,7: Terminated",
        "srun: Force Terminated StepId=201877.0",
    ]
    put(place, "vitb16_jpalt_r4.201877.log", out)
    rows = step_rows(
        "201877",
        "vitb16_jpalt_r4",
        "y-morita",
        "h200",
        ("FAILED", "137:0"),
        ("FAILED", "137:0"),
        ("FAILED", "0:9"),
        (start, stop),
        east,
        "billing=96,cpu=96,gres/gpu=8,mem=1000G,node=2",
        "kgpu[014-015]",
        "kgpu014",
        task="python",
    )
    head = (
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "AllocTRES",
        "NodeList",
    )
    account(place, "sacct_201877.txt", rows, head, bars=True)


def t04(place: Path, rng: Random) -> None:
    """MaxText six minutes after its start, quiet since its parameters were set up; still running when asked."""
    start = when(12, 22, 40, 2, month=11)
    nodes = ["dune-h1", "dune-h2", "dune-h5"]
    now = start + 6 * 60
    set_up = start + 207

    def work(n: int, g: int, t: float) -> Work:
        if g == 3 or t < start + 51 + 2 * n:
            return FREE
        if t < start + 78:
            return held(0)
        if set_up - 11 < t < set_up - 4:
            return Work(0.34, 0.11, 0.0, 0.19, 61180)
        return held(61180)

    rack = Rack("H100", nodes, 4, work, start - 40, now, 5, 28104)
    matrix(place, "q_dune.json", rack, bare(rack, "dcgm"))
    out = [
        f"== {clock(start + 2, WEST)} dune-h1: 3 tasks, CUDA_VISIBLE_DEVICES=0,1,2 (3 is kept for the eval server) ==",
    ]

    def say(t: float, words: str, spot: str) -> None:
        out.append(f"I{clock(t, WEST, '%m%d %H:%M:%S')}.{rng.randrange(10**6):06d} {40112} {spot}] {words}")

    say(start + 52, "Initializing distributed JAX with coordinator dune-h1:12345, process 0 of 3", "max_utils.py:231")
    say(start + 78, "Jax distributed system initialized!", "max_utils.py:262")
    out += [
        "System Information: Jax Version: 0.6.2",
        "System Information: Jaxlib Version: 0.6.2",
        "System Information: Jax Backend: PJRT C API",
        "cuda 12090",
    ]
    for key, value in {
        "attention": "cudnn_flash_te",
        "base_emb_dim": 2048,
        "base_mlp_dim": 8192,
        "base_num_decoder_layers": 24,
        "dataset_type": "grain",
        "dcn_data_parallelism": 3,
        "dtype": "bfloat16",
        "enable_checkpointing": True,
        "global_batch_size_to_load": 36,
        "hardware": "gpu",
        "ici_fsdp_parallelism": 1,
        "ici_data_parallelism": 3,
        "max_target_length": 4096,
        "model_name": "llama2-1b-wide",
        "per_device_batch_size": 4.0,
        "remat_policy": "minimal",
        "run_name": "wide1b-data3",
        "scan_layers": False,
        "steps": 40000,
    }.items():
        out.append(f"Config param {key}: {value}")
    say(start + 83, "Num_devices: 9, shape (1, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)", "maxtext_utils.py:918")
    say(start + 84, "Creating checkpoint manager with ocdbt=True and zarr3=True", "checkpointing.py:88")
    say(start + 85, "Checkpoint manager created!", "checkpointing.py:141")
    say(
        start + 148,
        "checkpoint manager exists so trying to load this run's existing checkpoint",
        "checkpointing.py:322",
    )
    say(start + 149, "No existing checkpoints found, not restoring checkpoint.", "max_utils.py:512")
    say(set_up - 3, "number parameters: 1.742 billion", "max_utils.py:144")
    out.append("Memstats: After params initialized:")
    out += [f"\tUsing (GB) 20.91 / 63.72 (32.815443%) on cuda:{g}" for g in range(3)]
    put(place, "wide1b-data3.out", out)
    head = (
        "JobID",
        "JobName",
        "User",
        "Partition",
        "State",
        "ExitCode",
        "Start",
        "End",
        "Elapsed",
        "AllocTRES",
        "NodeList",
    )
    begin, spent = clock(start, WEST, ISO), took(now - start)
    tres = "billing=192,cpu=192,gres/gpu=12,mem=1440G,node=3"
    cut = "cpu=192,gres/gpu=12,mem=1440G,node=3"
    rows = [
        ["70341", "wide1b-data3", "rokafor", "h100", "RUNNING", "0:0", begin, "Unknown", spent, tres, "dune-h[1-2,5]"],
        [
            "70341.batch",
            "batch",
            "",
            "",
            "RUNNING",
            "0:0",
            begin,
            "Unknown",
            spent,
            "cpu=64,gres/gpu=4,mem=480G,node=1",
            "dune-h1",
        ],
        ["70341.extern", "extern", "", "", "RUNNING", "0:0", begin, "Unknown", spent, tres, "dune-h[1-2,5]"],
        [
            "70341.0",
            "python3",
            "",
            "",
            "RUNNING",
            "0:0",
            clock(start + 5, WEST, ISO),
            "Unknown",
            took(now - start - 5),
            cut,
            "dune-h[1-2,5]",
        ],
    ]
    account(place, "sacct.txt", rows, head, bars=True)


def _kube(rack: Rack, space: str, names: list[str], box: str) -> Callable[[int, int], dict[str, str]]:
    """Labels of the GPU operator's exporter, with the pod that holds the GPU."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": rack.of.driver,
        "Hostname": rack.nodes[n],
        "UUID": rack.uuid(n, g),
        "container": box,
        "device": f"nvidia{g}",
        "endpoint": "gpu-metrics",
        "gpu": str(g),
        "instance": f"10.128.{14 + n}.7:9400",
        "job": "nvidia-dcgm-exporter",
        "modelName": rack.of.name,
        "namespace": space,
        "pci_bus_id": f"00000000:{rack.bus(g)}",
        "pod": names[n],
        "service": "nvidia-dcgm-exporter",
    }


def t05(place: Path, rng: Random) -> None:
    """NeMo 2 on two pods whose ranks never met."""
    start = when(2, 6, 31, 55, month=11)
    names = ["nemo-mx8b-master-0", "nemo-mx8b-worker-0"]
    nodes = ["ip-10-71-4-88.hgx.internal", "ip-10-71-9-13.hgx.internal"]
    patience = 8100
    begun = start + 268
    stop = begun + patience + 96
    gone = begun + patience + 4

    def work(n: int, g: int, t: float) -> Work:
        up = start + (66 + 3 * n if g == 0 else 171 + 2 * g + 4 * n)
        down = gone + (0.8 if n == 0 else 77)
        return held(0) if up <= t < down else FREE

    def alter(n: int, g: int, _t: float, one: Row) -> Row:
        if (n, g) == (1, 3):
            one["CORRECTABLE_REMAPPED_ROWS"] = 1
        return one

    rack = Rack("H200", nodes, 4, work, start - 90, stop + 150, 30, 28105, alter)
    matrix(place, "dcgm_by_pod.json", rack, _kube(rack, "llm-team2", names, "pytorch"))
    pods(
        place,
        "get_pods.json",
        "llm-team2",
        "nemo-mx8b",
        names,
        nodes,
        "nvcr.io/nvidia/nemo:25.04",
        ["bash", "-c", "NODE_RANK=$RANK python /work/pretrain_mx8b.py --nodes 2 --gpus 4"],
        4,
        (start, stop),
        1,
    )
    lib = "/usr/local/lib/python3.12/dist-packages"
    for n, name in enumerate(names):
        out: list[str] = []

        def nemo(t: float, level: str, words: str, out: list[str] = out) -> None:
            out.append(f"[NeMo {level} {clock(t, 0, '%Y-%m-%d %H:%M:%S')} nemo_logging:393] {words}")

        at = start + 70 + 3 * n
        out += [
            "",
            "=============",
            "== PyTorch ==",
            "=============",
            "",
            "NVIDIA Release 25.04 (build 161044321)",
            "",
        ]
        nemo(at, "W", "nemo.collections.llm: mamba_ssm fused kernels are used where available")
        nemo(at + 12, "I", "Padded vocab_size: 131072, original vocab_size: 131072, dummy tokens: 0.")
        out.append("GPU available: True (cuda), used: True")
        out.append("TPU available: False, using: 0 TPU cores")
        out.append("HPU available: False, using: 0 HPUs")
        nemo(at + 15, "I", "Experiments will be logged at /results/mx8b/2026-11-02_06-33-20")
        for g in range(4):
            r = 4 * n + g
            nemo(at + 16 + 27 * (g > 0), "I", f"Rank {r} has data parallel group : {[r % 2 + 2 * k for k in range(4)]}")
            nemo(
                at + 16 + 27 * (g > 0), "I", f"Rank {r} has tensor model parallel group: {[r // 2 * 2, r // 2 * 2 + 1]}"
            )
        for g in range(4):
            out.append(f"Initializing distributed: GLOBAL_RANK: {4 * n + g}, MEMBER: {4 * n + g + 1}/8")
        if n:
            end = gone + 77
            tries: list[tuple[float, int]] = []
            for g in range(4):
                t = begun + 2.1 * g
                while (t := t + 131.07 + rng.uniform(0.4, 3.6)) < end - 140:
                    tries.append((t, g))
            out += [
                f"[rank{4 + g}]:[W{clock(t, 0, '%m%d %H:%M:%S')}.{int(t * 1e9) % 10**9:09d} socket.cpp:755] [c10d] The "
                f"client socket has failed to connect to [{names[0]}]:23456 (errno: 110 - Connection timed out)."
                for t, g in sorted(tries)
            ]
            for g in range(4):
                p = f"[rank{4 + g}]:"
                out.append(
                    f"{p}[E{clock(end - 3, 0, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} socket.cpp:1023] [c10d] The "
                    f"client socket has timed out after {patience * 1000}ms while trying to connect to "
                    f"({names[0]}, 23456)."
                )
            last = (
                f"torch.distributed.DistNetworkError: The client socket has timed out after {patience * 1000}ms while "
                f"trying to connect to ({names[0]}, 23456)."
            )
            ranks = range(4, 8)
        else:
            last = (
                f"torch.distributed.DistStoreError: Timed out after {patience + 1} seconds waiting for clients. "
                "4/8 clients joined."
            )
            ranks = range(1)
        for r in ranks:
            p = f"[rank{r}]:"
            out += [
                f"{p} Traceback (most recent call last):",
                f'{p}   File "/work/pretrain_mx8b.py", line 96, in <module>',
                f"{p}     llm.pretrain(model, data, trainer, log=log, optim=opt, resume=resume)",
                f'{p}   File "/opt/NeMo/nemo/collections/llm/api.py", line 157, in pretrain',
                f"{p}     return train(",
                f'{p}   File "/opt/NeMo/nemo/collections/llm/api.py", line 107, in train',
                f"{p}     trainer.fit(model, data)",
                f'{p}   File "{lib}/lightning/pytorch/trainer/trainer.py", line 538, in fit',
                f"{p}     call._call_and_handle_interrupt(",
                f'{p}   File "{lib}/lightning/pytorch/trainer/trainer.py", line 941, in _run',
                f"{p}     self.strategy.setup_environment()",
                f'{p}   File "/opt/NeMo/nemo/lightning/pytorch/strategies/megatron_strategy.py", line 505, in '
                "setup_environment",
                f"{p}     super().setup_environment()",
                f'{p}   File "{lib}/lightning/fabric/utilities/distributed.py", line 297, in _init_dist_connection',
                f"{p}     torch.distributed.init_process_group(torch_distributed_backend, rank=global_rank, "
                "world_size=world_size, **kwargs)",
                f'{p}   File "{lib}/torch/distributed/distributed_c10d.py", line 1740, in init_process_group',
                f"{p}     store, rank, world_size = next(rendezvous_iterator)",
                f'{p}   File "{lib}/torch/distributed/rendezvous.py", line 198, in _create_c10d_store',
                f"{p}     return TCPStore(",
                f"{p}            ^^^^^^^^^",
                f"{p} {last}",
            ]
        put(place, f"logs/{name}.log", out)


def t06(place: Path, rng: Random) -> None:
    """Eight ranks on four nodes that waited for their samples nearly all of the time, until they were cancelled."""
    start = when(6, 17, 2, 11, month=11)
    nodes = [f"bluff{n}" for n in (21, 22, 25, 26)]
    first, stop = start + 74, start + 379 * 60
    spans: list[tuple[float, list[float], float]] = []
    t = first
    while t < stop - 9:
        base = rng.gauss(8.4, 0.7) + (rng.expovariate(1 / 9) if rng.random() < 0.05 else 0)
        waits = [max(2.0, base + rng.gauss(0, 0.35)) for _ in range(8)]
        spans.append((t, waits, 0.81 + rng.gauss(0, 0.012)))
        t += max(waits) + spans[-1][2]
    at = [one[0] for one in spans]

    def work(n: int, g: int, now: float) -> Work:
        if now < start + 40 or now >= stop - 2:
            return FREE
        if now < first:
            return held(1900)
        low, high = 0, len(at) - 1
        while low < high:
            mid = (low + high + 1) // 2
            low, high = (mid, high) if at[mid] <= now else (low, mid - 1)
        begin, waits, run = spans[low]
        gone, mine = now - begin, waits[2 * n + g]
        if gone < mine - 0.3:
            return held(33720 + 36 * g)
        if gone < max(waits) + 0.1 * run and mine < max(waits) - 0.3:
            return spin(33720 + 36 * g)
        return Work(0.92, 0.55, 0.24, 0.37, 33720 + 36 * g)

    rack = Rack("A40", nodes, 2, work, start - 100, stop + 140, 60, 28106)
    for n, host in enumerate(nodes):
        smi_csv(
            place,
            f"smi/{host}.csv",
            rack,
            n,
            WEST,
            [
                "index",
                "uuid",
                "pstate",
                "temperature.gpu",
                "utilization.gpu",
                "utilization.memory",
                "memory.used",
                "power.draw",
                "clocks.current.sm",
                "clocks_event_reasons.active",
                "ecc.errors.uncorrected.volatile.total",
            ],
        )
        quiet(place, f"journal/{host}.txt", rng, rack, n, "journalctl", WEST)
    out = [f"r{r} {nodes[r // 2]} cuda:{r % 2} up, world 8" for r in (2, 0, 1, 3, 6, 7, 5, 4)]
    out += [
        "r0 histoseg: SwinUNETR 62.2M params, patch 96^3, batch 2/rank, bf16",
        "r0 train 18844 volumes from /archive/histo/zarr, 6 readers a rank",
        "r0 plan: 40 epochs, 1177 it each",
    ]
    for i, (begin, waits, run) in enumerate(spans):
        if i % 10:
            continue
        whole = max(waits) + run
        order = list(range(8))
        rng.shuffle(order)
        for r in order:
            loss = learn(rng, i, 1.38, 0.29, 260, 0.06)
            out.append(
                f"{clock(begin + whole, WEST, '%H:%M:%S')} r{r} e{i // 1177:02d} it {i:5d} dice_ce {loss:.4f} "
                f"lr {2e-4 * min(1, (i + 1) / 500):.2e} next {waits[r]:6.2f}s fwbw {whole - waits[r]:5.2f}s "
                f"mem {30.8 + r % 2 * 0.04:.1f}G"
            )
        if i and i % 1000 == 0:
            out.append(f"{clock(begin + whole + 1, WEST, '%H:%M:%S')} r0 wrote ckpt/it{i:06d}.pt (0.9s)")
    out += [
        f"slurmstepd: error: *** STEP 50918.0 ON {nodes[0]} CANCELLED AT {clock(stop, WEST, ISO)} ***",
        f"slurmstepd: error: *** JOB 50918 ON {nodes[0]} CANCELLED AT {clock(stop, WEST, ISO)} ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    put(place, "histoseg-50918.log", out)
    sacct(
        place,
        "sacct.txt",
        [
            job(
                "50918",
                "histoseg",
                "a40",
                "CANCELLED by 30418",
                "0:0",
                (start - 61, start, stop + 1),
                WEST,
                "3-00:00:00",
                (4, "bluff[21-22,25-26]"),
            ),
            job("50918.batch", "batch", "", "CANCELLED", "0:15", (start, start, stop + 2), WEST, "", (1, nodes[0])),
            job(
                "50918.0",
                "python",
                "",
                "CANCELLED",
                "0:15",
                (start + 3, start + 3, stop + 2),
                WEST,
                "",
                (4, "bluff[21-22,25-26]"),
            ),
        ],
        bars=False,
    )


def t07(place: Path, rng: Random) -> None:
    """A B200's memory gave an uncorrectable error under rank 6; an XID 31 of hours before was somebody else's."""
    east = 480
    start = when(20, 7, 48, 30, month=11)
    nodes = ["bj-b200-03", "bj-b200-11"]
    first, pace = start + 141, 1.94
    hit = start + 38 * 60 - 16
    stop = hit + 14
    train = Work(0.985, 0.81, 0.47, 0.46, 141300, 1300, 1250)
    weak = (1, 2)

    def work(n: int, g: int, t: float) -> Work:
        if t < start + 31 or t >= stop - 3 or ((n, g) == weak and t >= hit + 3):
            return FREE
        if t < first:
            return held(2600) if t < start + 92 else held(38200)
        if t >= hit:
            return spin(141300)
        return replace(shake(train, f"{n}.{g}.{t}", 0.95), mib=141300 + 80 * g)

    def alter(n: int, g: int, t: float, one: Row) -> Row:
        if (n, g) == (0, 1):
            one["XID_ERRORS"] = 31
        if (n, g) == weak and t >= hit:
            one["XID_ERRORS"] = 94
            one["ECC_DBE_VOL_TOTAL"] = 1
            one["UNCORRECTABLE_REMAPPED_ROWS"] = 1
        return one

    rack = Rack("B200", nodes, 4, work, start - 120, stop + 180, 15, 28107, alter)
    matrix(place, "prom_b200.json", rack, bare(rack, "dcgm-b200"))
    pid = 215530 + 2
    early = start - 5 * 3600 - 1322
    quiet(
        place,
        f"{nodes[0]}.dmesg",
        rng,
        rack,
        0,
        "dmesg",
        east,
        [
            (early, f"NVRM: GPU at PCI:0000:{rack.bus(1)[:2].lower()}:00: {rack.uuid(0, 1)}"),
            (
                early + 0.000009,
                f"NVRM: Xid (PCI:0000:{rack.bus(1)[:2].lower()}:00): 31, pid=118204, name=pt_sim_md, channel "
                "0x0000000a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_5 "
                "faulted @ 0x7f3a_6c200000. Fault is "
                "of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE",
            ),
        ],
    )
    bus = rack.bus(2)[:2].lower()
    quiet(
        place,
        f"{nodes[1]}.dmesg",
        rng,
        rack,
        1,
        "dmesg",
        east,
        [
            (hit - 1.14, f"NVRM: GPU at PCI:0000:{bus}:00: {rack.uuid(*weak)}"),
            (
                hit - 1.139991,
                f"NVRM: Xid (PCI:0000:{bus}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row "
                "(0x00000006b0449e71) marked for remapping, reset gpu to activate.",
            ),
            (
                hit - 1.121407,
                f"NVRM: Xid (PCI:0000:{bus}:00): 94, pid={pid}, name=python3.11, Contained: SM (0x1). RST: No, "
                "D-RST: No",
            ),
            (
                hit - 1.120118,
                f"NVRM: Xid (PCI:0000:{bus}:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action "
                "changed from 0x0 (None) to 0x4 (Drain and Reset)",
            ),
        ],
    )
    out: list[str] = []

    def say(t: float, r: int, words: str, level: str = "信息") -> None:
        out.append(f"{clock(t, east)}.{int(t * 1000 + rng.randrange(900)) % 1000:03d} [{level}] [rank{r}] {words}")

    for r in range(8):
        say(start + 33, r, f"进程组就绪 主机={nodes[r // 4]} 本地卡={r % 4} 总进程数=8")
    say(start + 35, 0, "读取配置 conf/xiaohe_13b.yaml")
    say(start + 93, 0, "模型参数量 13.02B,FSDP 全分片,激活重计算=开")
    say(start + 104, 0, "语料索引加载完成:1,184 个分片,共 2.41T token")
    say(start + 139, 0, "从头开始训练,计划 60000 步")
    steps = int((hit - first) / pace)
    for i in range(10, steps + 1, 10):
        t = first + i * pace
        say(
            t,
            0,
            f"步 {i:6d} | 损失 {learn(rng, i, 11.1, 2.6, 130, 0.008):.4f} | 梯度范数 "
            f"{abs(rng.gauss(0.9 + 40 / (i + 10), 0.07)):.3f} | 学习率 {3e-4 * min(1, i / 2000):.3e} | "
            f"{262144 / pace * rng.gauss(1, 0.007) / 8:.0f} token/s/卡",
        )
        if i % 500 == 0:
            say(t + 4, 0, f"保存检查点 ckpt/step_{i:06d}(异步)")
    say(hit + 0.2, 6, "训练循环异常退出", "错误")
    p = ""
    out += [
        f"{p}Traceback (most recent call last):",
        '  File "/data/llm/xiaohe/train.py", line 341, in <module>',
        "    main(cfg)",
        '  File "/data/llm/xiaohe/train.py", line 288, in main',
        "    loss_val = loss.detach().float().item()",
        "               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
        "incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    out += torchrun_end(hit + 4, east, nodes[1], "train.py", 6, 2, pid, 215471, 1, f"{pid - 2} {pid - 1} {pid + 1}")
    out += [
        "srun: error: bj-b200-11: task 1: Exited with exit code 1",
        "srun: Terminating StepId=90213.0",
        f"slurmstepd: error: *** STEP 90213.0 ON bj-b200-03 CANCELLED AT {clock(stop - 4, east, ISO)} ***",
        "srun: error: bj-b200-03: task 0: Terminated",
        "srun: Force Terminated StepId=90213.0",
    ]
    put(place, "xiaohe_13b_run2.log", out)


def t08(place: Path, rng: Random) -> None:
    """One of four RTX 4090 left the bus during a LoRA run; a run of the same name had ended well hours before."""
    start = when(9, 14, 21, 6, month=11)
    node = ["anvil"]
    first, pace = start + 83, 3.38
    total = 1562
    hit = start + 27 * 60 - 31
    stop = hit + 9
    lost = 2
    train = Work(0.96, 0.62, 0.34, 0.55, 19800, 5200, 5100)
    end1 = start - 6410
    begin1 = end1 - 83 - 312 * pace

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 22 or t >= stop - 2:
            return FREE
        if t < first:
            return held(1400) if t < start + 51 else held(7900)
        if t >= hit:
            return spin(19800)
        return replace(shake(train, f"{g}|{t}", 0.93), mib=19800 + 44 * g)

    def alter(_n: int, g: int, t: float, one: Row) -> Row | None:
        return None if g == lost and t >= hit - 1 else one

    rack = Rack("4090", node, 4, work, start - 300, stop + 240, 30, 28108, alter)
    matrix(place, "anvil_gpu.json", rack, bare(rack, "dcgm-exporter"), keep=coarse)
    bus = rack.bus(lost)[:2].lower()
    pid, agent = 61877 + lost, 61802
    dead = hit - 1.6
    quiet(
        place,
        "anvil.dmesg.txt",
        rng,
        rack,
        0,
        "dmesg -T",
        0,
        [
            (
                dead - 0.0004,
                f"pcieport 0000:{int(bus, 16) - 1:02x}:00.0: AER: Uncorrectable (Fatal) error message received "
                f"from 0000:{bus}:00.0",
            ),
            (dead, f"NVRM: GPU at PCI:0000:{bus}:00: {rack.uuid(0, lost)}"),
            (dead + 0.00001, f"NVRM: Xid (PCI:0000:{bus}:00): 79, pid={pid}, name=python, GPU has fallen off the bus."),
            (dead + 0.00002, f"NVRM: GPU 0000:{bus}:00.0: GPU has fallen off the bus."),
            (dead + 0.13, "NVRM: A GPU crash dump has been created. If possible, please run"),
            (dead + 0.13001, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
            (dead + 0.13002, "NVRM: the NVIDIA kernel module is unloaded."),
            (
                dead + 0.2,
                f"NVRM: Xid (PCI:0000:{bus}:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed "
                "from 0x0 (None) to 0x2 (Node Reboot Required)",
            ),
        ],
    )

    def config(steps: int | None) -> list[str]:
        return [
            "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeDistributed with resolved config:",
            "",
            "batch_size: 2",
            "checkpointer:",
            "  _component_: torchtune.training.FullModelHFCheckpointer",
            "  checkpoint_dir: /srv/models/Llama-3.1-8B-Instruct",
            "  model_type: LLAMA3",
            "  output_dir: /srv/runs/ticket-sum",
            "compile: false",
            "dataset:",
            "  _component_: torchtune.datasets.chat_dataset",
            "  data_files: /srv/data/tickets_oct.jsonl",
            "  packed: true",
            "device: cuda",
            "dtype: bf16",
            "enable_activation_checkpointing: true",
            "epochs: 1",
            "gradient_accumulation_steps: 4",
            f"max_steps_per_epoch: {'null' if steps is None else steps}",
            "metric_logger:",
            "  _component_: torchtune.training.metric_logging.DiskLogger",
            "  log_dir: /srv/runs/ticket-sum/logs",
            "model:",
            "  _component_: torchtune.models.llama3_1.lora_llama3_1_8b",
            "  lora_alpha: 32",
            "  lora_rank: 16",
            "seed: 17",
            "",
        ]

    def body(steps: int, until: int, salt: str) -> tuple[str, list[str]]:
        own = Random(salt)
        text, disk = "", []
        for i in range(1, until + 1):
            loss = learn(own, i, 1.91, 1.02, 60, 0.04)
            gone = i * pace
            text += (
                f"\r1|{i}|Loss: {loss}: {100 * i // steps:3d}%|{bar(i, steps)}| {i}/{steps} "
                f"[{hms(gone)}<{hms((steps - i) * pace)},  {own.gauss(pace, 0.02):.2f}s/it]"
            )
            disk.append(
                f"Step {i} | loss:{loss} lr:{3e-4 * min(1, i / 100)} "
                f"tokens_per_second_per_gpu:{32768 / 4 / pace * own.gauss(1, 0.01) * 1.9:.6f} "
                f"peak_memory_active:{16.9 + own.random() / 100:.6f} peak_memory_alloc:16.4 peak_memory_reserved:18.71"
            )
        return text, disk

    begun = [
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 17. Local seed is seed + rank = 17 + 0",
        "Writing logs to /srv/runs/ticket-sum/logs/log_{}.txt",
        "INFO:torchtune.utils._logging:FSDP is enabled. Instantiating model and loading checkpoint on Rank 0 ...",
        "INFO:torchtune.utils._logging:Instantiating model and loading checkpoint took 21.48 secs",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory active: 6.52 GiB",
        "\tGPU peak memory alloc: 6.52 GiB",
        "\tGPU peak memory reserved: 6.63 GiB",
        "INFO:torchtune.utils._logging:Optimizer is initialized.",
        "INFO:torchtune.utils._logging:Loss is initialized.",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
        "INFO:torchtune.utils._logging: Profiling disabled.",
    ]

    def opening(at: float, steps: int | None) -> str:
        return "\n".join([*config(steps), *begun]).format(int(at + 26)) + "\n"

    # the run before: a short one that ended in order
    text, disk = body(312, 312, "t08 first")
    text += (
        "\nINFO:torchtune.utils._logging:Saving checkpoint. This may take some time. Retrieving "
        "full model state dict..."
        "\nINFO:torchtune.utils._logging:Getting full model state dict took 8.12 secs"
        "\nINFO:torchtune.utils._logging:Model checkpoint of size 15.0 GiB saved to "
        "/srv/runs/ticket-sum/epoch_0\nINFO:torchtune.utils._logging:Saving checkpoint took 31.77 secs\n"
    )
    put(place, "ticket-sum/slurm-3317.out", opening(begin1, 312) + text)
    put(place, f"ticket-sum/logs/log_{int(begin1 + 26)}.txt", disk)
    done = int((hit - first) / pace)
    text, disk = body(total, done, "t08 second")
    why = "CUDA error: unknown error"
    stamp = f"{clock(hit, 0, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d}"
    tail = [
        "",
        f"[rank{lost}]: Traceback (most recent call last):",
        f"[rank{lost}]:   File "
        '"/opt/venv/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 961, '
        "in <module>",
        f"[rank{lost}]:     sys.exit(recipe_main())",
        f"[rank{lost}]:              ^^^^^^^^^^^^^",
        f"[rank{lost}]:   File "
        '"/opt/venv/lib/python3.11/site-packages/recipes/lora_finetune_distributed.py", line 842, '
        "in train",
        f"[rank{lost}]:     current_loss.backward()",
        f'[rank{lost}]:   File "/opt/venv/lib/python3.11/site-packages/torch/_tensor.py", line 648, in backward',
        f"[rank{lost}]:     torch.autograd.backward(",
        f"[rank{lost}]: RuntimeError: {why}",
        f"[rank{lost}]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
        "below might be incorrect.",
        f"[rank{lost}]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        f"[rank{lost}]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
        f"[rank{lost}]:[E{stamp} ProcessGroupNCCL.cpp:1896] [PG ID 0 PG GUID 0(default_pg) Rank {lost}] Process group "
        f"watchdog thread terminated with exception: {why}",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
        "incorrect.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID 0 PG GUID 0(default_pg) Rank {lost}] Process group watchdog thread "
        "terminated with exception: "
        f"{why}",
    ]
    others = " ".join(str(61877 + g) for g in range(4) if g != lost)
    tail += torchrun_end(hit + 3, 0, "anvil", "lora_finetune_distributed.py", lost, lost, pid, agent, -6, others)
    lib = "/opt/venv/lib/python3.11/site-packages"
    top = next(n for n, one in enumerate(tail) if one.endswith('/opt/venv/bin/torchrun", line 8, in <module>'))
    low = next(n for n, one in enumerate(tail) if one == "    elastic_launch(")
    tail[top : low - 1] = [
        '  File "/opt/venv/bin/tune", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{lib}/torchtune/_cli/tune.py", line 52, in main',
        "    parser.run(args)",
        f'  File "{lib}/torchtune/_cli/tune.py", line 46, in run',
        "    args.func(args)",
        f'  File "{lib}/torchtune/_cli/run.py", line 212, in _run_cmd',
        "    self._run_distributed(args, is_builtin=is_builtin)",
        f'  File "{lib}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 357, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/torchtune/_cli/run.py", line 101, in _run_distributed',
        "    run(args)",
    ]
    put(place, "ticket-sum/slurm-3324.out", opening(start, None) + text + "\n".join(tail) + "\n")
    put(place, f"ticket-sum/logs/log_{int(start + 26)}.txt", disk)
