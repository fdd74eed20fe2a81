"""The curves c01 to c07 of the twenty-fourth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def _ms(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A clock with milliseconds after a comma, as logging has it."""
    return f"{clock(seconds, form)},{int(seconds * 1000) % 1000:03d}"


def c01_protein(place: Path, rng: Random) -> None:
    """Four GPUs of one node under the deepspeed launcher."""
    log: list[str] = []
    now = DAY + 9 * 3600 + 14 * 60 + 21.4

    def say(where: str, text: str, level: str = "INFO", plus: float = 0.0) -> None:
        nonlocal now
        now += plus
        log.append(f"[{_ms(now)}] [{level}] [{where}] {text}")

    accelerator = "Setting ds_accelerator to cuda (auto detect)"
    say("real_accelerator.py:203:get_accelerator", accelerator)
    say(
        "runner.py:212:fetch_hostfile",
        "Unable to find hostfile, will proceed with training with local resources only.",
        "WARNING",
        3.1,
    )
    python = "/home/mreyes/envs/plm/bin/python"
    tail = "pretrain_plm.py --config configs/plm_650m.yaml --deepspeed --deepspeed_config configs/ds_z2.json"
    say(
        "runner.py:568:main",
        f"cmd = {python} -u -m deepspeed.launcher.launch --world_info=eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgM119 "
        f"--master_addr=127.0.0.1 --master_port=29500 --enable_each_rank_log=None {tail}",
        plus=0.02,
    )
    say("real_accelerator.py:203:get_accelerator", accelerator, plus=2.4)
    say("launch.py:146:main", "WORLD INFO DICT: {'localhost': [0, 1, 2, 3]}", plus=2.9)
    say("launch.py:152:main", "nnodes=1, num_local_procs=4, node_rank=0")
    say(
        "launch.py:163:main",
        "global_rank_mapping=defaultdict(<class 'list'>, {'localhost': [0, 1, 2, 3]})",
    )
    say("launch.py:164:main", "dist_world_size=4")
    say("launch.py:168:main", "Setting CUDA_VISIBLE_DEVICES=0,1,2,3")
    argv = "', '".join(tail.split())
    for rank in range(4):
        spawned = f"['{python}', '-u', '{argv.replace(chr(39) + ', ' + chr(39), chr(39) + ', ' + chr(39), 1)}'"
        spawned = spawned.replace("pretrain_plm.py'", f"pretrain_plm.py', '--local_rank={rank}'") + "]"
        say("launch.py:256:main", f"process {211840 + rank} spawned with command: {spawned}", plus=0.001)
    for _ in range(4):
        say("real_accelerator.py:203:get_accelerator", accelerator, plus=rng.uniform(0.1, 0.6))
    for rank in range(4):
        say("comm.py:637:init_distributed", "cdb=None", plus=rng.uniform(0.1, 0.9))
        if rank == 0:
            say(
                "comm.py:668:init_distributed",
                "Initializing TorchBackend in DeepSpeed with backend nccl",
            )
    log.append("650.3M parameters, 24 shards UniRef50 mapped, micro batch 32 x 4 x 2")
    say(
        "logging.py:96:log_dist",
        "[Rank 0] DeepSpeed info: version=0.14.4, git-hash=unknown, git-branch=unknown",
        plus=9.2,
    )
    say(
        "logging.py:96:log_dist",
        "[Rank 0] DeepSpeed Flops Profiler Enabled: False",
        plus=2.8,
    )
    say(
        "logging.py:96:log_dist",
        "[Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer",
        plus=1.4,
    )
    say(
        "logging.py:96:log_dist",
        "[Rank 0] DeepSpeed LR Scheduler = <torch.optim.lr_scheduler.LambdaLR object at 0x7f2c1c5f3d90>",
    )
    average = 0.0
    for turn in range(1, 10):
        step = turn * 100
        now += 100 * 1.913 + rng.uniform(-2, 2)
        rate = 256 / 1.913 * rng.uniform(0.985, 1.012)
        average = rate if not average else average * 0.9 + rate * 0.1
        lr = 4e-4 * min(1.0, step / 2000)
        say(
            "logging.py:96:log_dist",
            f"[Rank 0] step={step}, skipped=0, lr=[{lr:.6g}], mom=[(0.9, 0.98)]",
        )
        say(
            "timer.py:260:stop",
            f"epoch=0/micro_step={2 * step}/global_step={step}, RunningAvgSamplesPerSec={average!r}, "
            f"CurrSamplesPerSec={rate!r}, MemAllocated=6.37GB, MaxMemAllocated=58.21GB",
        )
        log.append(f"step {step} mlm {falls(rng, step, 3.02, 2.31, 700):.4f}")
    now += 61.7
    for rank in (0, 1, 2, 3):
        say(
            "launch.py:316:sigkill_handler",
            f"Killing subprocess {211840 + rank}",
            plus=0.02 if rank == 0 else rng.uniform(0.3, 1.1),
        )
    last = f"['{python}', '-u', '{argv}']".replace("pretrain_plm.py'", "pretrain_plm.py', '--local_rank=3'")
    say(
        "launch.py:322:sigkill_handler",
        f"{last} exits with return code = -11",
        "ERROR",
    )
    put(place, "plm-71820.out", log)
    start, end = DAY + 9 * 3600 + 14 * 60 + 11, now + 4
    put(
        place,
        "sacct.txt",
        [
            "JobID|JobName|Partition|Account|AllocCPUS|State|ExitCode|Start|End|Elapsed|Timelimit|ReqMem|MaxRSS|NodeList",
            *(
                f"{job}|{name}|{part}|bioinf|64|FAILED|245:0|{clock(start, '%Y-%m-%dT%H:%M:%S')}|"
                f"{clock(end, '%Y-%m-%dT%H:%M:%S')}|{clock(end - start, '%H:%M:%S')}|{limit}|{req}|{rss}|gnode07"
                for job, name, part, limit, req, rss in (
                    ("71820", "plm650", "gpu", "2-00:00:00", "480G", ""),
                    ("71820.batch", "batch", "", "", "", "88213740K"),
                )
            ),
            f"71820.extern|extern||bioinf|64|COMPLETED|0:0|{clock(start, '%Y-%m-%dT%H:%M:%S')}|"
            f"{clock(end, '%Y-%m-%dT%H:%M:%S')}|{clock(end - start, '%H:%M:%S')}||||gnode07",
        ],
    )


def c02_selfies(place: Path, rng: Random) -> None:
    """A small language model of molecules in JAX, by hand, logged by absl."""
    log: list[str] = []
    now = 2 * DAY + 22 * 3600 + 3 * 60 + 7.21

    def say(where: str, text: str, level: str = "I") -> None:
        log.append(f"{level}{clock(now, '%m%d %H:%M:%S')}.{int(now * 1e6) % 1000000:06d} 139874 {where}] {text}")

    say(
        "xla_bridge.py:889",
        "Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
    )
    say(
        "xla_bridge.py:889",
        "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared "
        "object file: No such file or directory",
    )
    now += 2.2
    say("train.py:61", "devices: [CudaDevice(id=0)]")
    say("train.py:64", "vocab 112, train 8,122,403 molecules, valid 42,000")
    say(
        "train.py:71",
        "transformer d=512 L=8 h=8, 26,190,448 params, batch 512, ctx 96, lr 3.0e-03 warmup 1000 cosine to 60000",
    )
    now += 41
    fresh = 0.0
    for step in range(50, 40001, 50):
        took = 50 * 0.0871 + rng.uniform(-0.1, 0.1)
        now += took
        good = falls(rng, step, 4.7, 0.71, 900, 0.008)
        bad = 0.0
        if step > 13800:
            bad = min(1.0, (step - 13800) / 1700) ** 1.6
            fresh = 3.214 * (1 + rng.gauss(0, 0.004))
        hump = 4.4 * math.exp(-(((step - 14650) / 330) ** 2)) * (1 + rng.gauss(0, 0.08))
        loss = good * (1 - bad) + fresh * bad + hump
        grad = 0.41 + rng.gauss(0, 0.03)
        if 13800 < step < 15600:
            grad = 2 + 60 * math.exp(-(((step - 14500) / 500) ** 2)) * rng.uniform(0.4, 1.6)
        elif step >= 15600:
            grad = 0.011 * rng.uniform(0.7, 1.4)
        lr = 3e-3 * min(1, step / 1000) if step < 1000 else 1.5e-3 * (1 + math.cos(math.pi * (step - 1000) / 59000))
        say(
            "train.py:118",
            f"step {step:6d}  loss {loss:.4f}  gnorm {grad:.3f}  lr {lr:.3e}  {50 * 512 / took:,.0f} mol/s",
        )
        if step % 2000 == 0:
            now += 6.3
            steady = step <= 14000
            value = loss * 1.012
            valid = min(0.985, 0.4 + 0.55 * step / 9000) if steady else 0.0
            say(
                "train.py:131",
                f"eval @ {step}: nll {value:.4f}, valid SELFIES decoded {valid:.3f}, unique {valid * 0.99:.3f}",
            )
            say("checkpoint.py:40", f"wrote /data/lin/zinc/run14/ckpt_{step:06d}.msgpack")
    put(place, "run14.log", log)


def c03_notes(place: Path, rng: Random) -> None:
    """A fine-tune by litgpt in a site's batch shell, its lines without any clock."""
    log = [
        "################################################################################",
        "#  HELIX cluster - Universität, Rechenzentrum                                   #",
        "#  Please do not run jobs on the login nodes. Scratch is purged after 60 days.  #",
        "################################################################################",
        "The following have been reloaded with a version change:",
        "  1) gcc/12.2.0 => gcc/13.2.0     2) openmpi/4.1.5 => openmpi/4.1.6",
        "",
        "Loading cuda/12.4",
        "  Loading requirement: nvidia-driver-compat/550",
        "cd /scratch/ws/hd_fk221-notes/lit",
        "which python -> /scratch/ws/hd_fk221-notes/venv/bin/python",
        "+ litgpt finetune_lora meta-llama/Llama-3.2-3B --config cfg/notes_lora.yaml",
        "{'access_token': None,",
        " 'checkpoint_dir': PosixPath('checkpoints/meta-llama/Llama-3.2-3B'),",
        " 'data': JSON(json_path=PosixPath('/scratch/ws/hd_fk221-notes/notes.jsonl'),",
        "              mask_prompt=True,",
        "              val_split_fraction=0.05,",
        "              prompt_style=<litgpt.prompts.Alpaca object at 0x7fb0f1a3e1d0>,",
        "              ignore_index=-100,",
        "              seed=42,",
        "              num_workers=4),",
        " 'devices': 1,",
        " 'eval': EvalArgs(interval=200,",
        "                  max_new_tokens=100,",
        "                  max_iters=100,",
        "                  initial_validation=False,",
        "                  final_validation=True,",
        "                  evaluate_example='first'),",
        " 'logger_name': 'csv',",
        " 'lora_alpha': 32,",
        " 'lora_dropout': 0.05,",
        " 'lora_r': 16,",
        " 'num_nodes': 1,",
        " 'optimizer': 'AdamW',",
        " 'out_dir': PosixPath('out/notes-3b'),",
        " 'precision': 'bf16-true',",
        " 'quantize': None,",
        " 'seed': 1337,",
        " 'train': TrainArgs(save_interval=400,",
        "                    log_interval=1,",
        "                    global_batch_size=16,",
        "                    micro_batch_size=4,",
        "                    lr_warmup_steps=100,",
        "                    epochs=3,",
        "                    max_tokens=None,",
        "                    max_steps=None,",
        "                    max_seq_length=1024,",
        "                    tie_embeddings=None,",
        "                    max_norm=None,",
        "                    min_lr=6e-05)}",
        "Seed set to 1337",
        "Number of trainable parameters: 9,175,040",
        "Number of non-trainable parameters: 3,212,749,824",
        "The longest sequence length in the train data is 1024, the model's max sequence length is 1024 and "
        "context length is 131072",
        "Verifying settings ...",
    ]
    value = "n/a"
    per = 2211
    for turn in range(1, 307):
        loss = falls(rng, turn, 2.31, 1.24, 90, 0.07)
        step = turn // 4
        took = rng.gauss(312, 14)
        mark = " (step)" if turn % 4 == 0 else ""
        log.append(
            f"Epoch {1 + turn // per} | iter {turn} step {step} | loss train: {loss:.3f}, val: {value} | "
            f"iter time: {took + (28 if mark else 0):.2f} ms{mark}"
        )
        if turn == 118:
            log.append("Lmod: quota reminder for ws hd_fk221-notes: 412 GiB of 1 TiB used, expires in 23 days")
        if turn == 241:
            log.append("*** Broadcast message from root@helix-mgmt: maintenance of login node l02 next Tuesday ***")
    put(place, "slurm-notes.out", log)


def c04_courtyard(place: Path, rng: Random) -> None:
    """Gaussian splatting of one scene, its bar turned into lines, in a shell with its site's words around."""
    log: list[str] = []
    start = 3 * DAY + 13 * 3600 + 40 * 60 + 2
    now = start

    def say(text: str) -> None:
        log.append(f"{text} [{clock(now, '%d/%m %H:%M:%S')}]")

    log += [
        "Welcome to viz-gpu3 (Ubuntu 22.04.5 LTS)",
        "Prologue: scratch /tmp/job.55192 made, 812G free",
        "CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.",
        "source: /opt/miniforge/etc/profile.d/conda.sh",
        "(gs) python train.py -s ~/scenes/courtyard -m ~/out/courtyard_k1 --eval 2>&1 | stdbuf -oL tr '\\r' '\\n'",
        f"{clock(now, '%a %b %e %H:%M:%S')} CET 2026",
    ]
    now += 7
    log.append("Optimizing /home/ihorak/out/courtyard_k1")
    say("Output folder: /home/ihorak/out/courtyard_k1")
    say("Tensorboard not available: not logging progress")
    total = 214
    say("------------LLFF HOLD-------------")
    for camera in range(1, total + 1):
        log.append(f"Reading camera {camera}/{total}")
        now += 0.004
    say("")
    say("Converting point3d.bin to .ply, will happen only the first time you open the scene.")
    now += 3
    say("Loading Training Cameras")
    log.append(
        "[ INFO ] Encountered quite large input images (>1.6K pixels width), rescaling to 1.6K."
        "\n If this is not desired, please explicitly specify '--resolution/-r' as 1"
        f" [{clock(now, '%d/%m %H:%M:%S')}]"
    )
    now += 21
    say("Loading Test Cameras")
    now += 3
    say("Number of points at initialisation :  98213")
    log.append("")
    log.append("Training progress:   0%|          | 0/30000 [00:00<?, ?it/s]")
    begun = now
    smooth = 0.21
    for step in range(10, 30001, 10):
        rate = 52 - 26 * min(1.0, step / 15000) + rng.gauss(0, 0.5)
        now += 10 / rate
        smooth = 0.6 * smooth + 0.4 * falls(rng, step, 0.24, 0.043, 1800, 0.22)
        done = now - begun
        left = (30000 - step) / rate
        log.append(
            f"Training progress: {100 * step // 30000:3d}%|{bar(step, 30000)}| {step}/30000 "
            f"[{hms(done)}<{hms(left)}, {rate:.2f}it/s, Loss={smooth:.7f}, Depth Loss=0.0000000]"
        )
        if step in (7000, 30000):
            now += 9
            log.append("")
            psnr = 25.81 if step == 7000 else 27.94
            say(f"[ITER {step}] Evaluating test: L1 {1.02 / psnr:.17f} PSNR {psnr + 0.0412339:.14f}")
            log.append("")
            say(f"[ITER {step}] Evaluating train: L1 {0.88 / psnr:.17f} PSNR {psnr + 1.6127:.14f}")
            log.append("")
            say(f"[ITER {step}] Saving Gaussians")
            now += 2
        if step == 18400:
            log.append("viz-gpu3: user notice: home quota 81% (81.2G of 100G)")
    log.append("")
    say("Training complete.")
    log += [
        "real\t" + f"{int((now - start) // 60)}m{(now - start) % 60:.3f}s",
        "user\t17m40.218s",
        "sys\t1m55.730s",
        "(gs) du -sh ~/out/courtyard_k1",
        "812M\t/home/ihorak/out/courtyard_k1",
        "Epilogue: scratch /tmp/job.55192 removed",
    ]
    put(place, "gs_courtyard.o55192", log)
    end = now + 3
    form = "%Y-%m-%dT%H:%M:%S"
    row = f"{clock(start - 3, form)} {clock(end, form)}   {clock(end - start + 3, '%H:%M:%S')}"
    put(
        place,
        "sacct_55192.txt",
        [
            "JobID           JobName      State ExitCode               Start                 End    Elapsed     MaxRSS",
            "------------ ---------- ---------- -------- ------------------- ------------------- ---------- ----------",
            f"55192        courtyard+  COMPLETED      0:0 {row}",
            f"55192.batch       batch  COMPLETED      0:0 {row}  14203112K",
            f"55192.extern     extern  COMPLETED      0:0 {row}       912K",
        ],
    )


def c05_yaogan(place: Path, rng: Random) -> None:
    """Remote sensing on four ranks, a program by hand that speaks Chinese, a log a rank."""
    world, stuck, last = 4, 2, 612
    start = DAY + 19 * 3600 + 11 * 60 + 40
    logs: list[list[str]] = [[] for _ in range(world)]

    def say(rank: int, when: float, text: str, level: str = "信息") -> None:
        logs[rank].append(f"{clock(when)} [{level}] [进程{rank}] {text}")

    for rank in range(world):
        shift = rng.uniform(0, 0.8)
        say(rank, start + shift, f"启动 主机=rs-a100-02 本地卡号={rank} 世界大小={world}")
        say(rank, start + shift + 6, "数据集 GF2-地块: 训练 48320 张, 验证 2416 张, 类别 9")
        say(rank, start + shift + 9, "模型 UPerNet-Swin-B 参数量 121.3M, 同步BN 开启")
        say(rank, start + shift + 14, "分布式初始化完成 后端=nccl 超时=1800秒")
    now = start + 21.0
    seen = 0.0
    for step in range(1, last + 1):
        took = rng.gauss(3.42, 0.05)
        now += took
        seen = now
        for rank in range(world):
            loss = falls(rng, step, 2.05, 0.52, 160, 0.05)
            say(
                rank,
                now + rng.uniform(0, 0.2),
                f"轮次 1/40 步 {step}/1510 损失 {loss:.4f} 学习率 {6e-5 * min(1, step / 500):.2e} "
                f"取数 {rng.uniform(0.01, 0.04):.3f}秒 前反向 {took - 0.06:.2f}秒 显存 61.{rng.randint(2, 4)}G",
            )
        if step % 200 == 0:
            say(0, now + 0.3, f"保存 检查点/地块_{step:06d}.pt")
            now += 4.1
    sequence = 41 + last * 37
    for rank in range(world):
        if rank == stuck:
            continue
        when = seen + 1802.4 + rng.uniform(0, 0.5)
        stamp = f"E{clock(when, '%m%d %H:%M:%S')}.{int(when * 1e9) % 10**9:09d}"
        work = (
            f"WorkNCCL(SeqNum={sequence + 1}, OpType=ALLREDUCE, NumelIn=6563840, NumelOut=6563840, Timeout(ms)=1800000)"
        )
        ran = 1800000 + rng.randint(12, 92)
        head = f"[rank{rank}]:[{stamp} ProcessGroupNCCL.cpp"
        logs[rank] += [
            f"{head}:616] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {ran} "
            "milliseconds before timing out.",
            f"{head}:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or timeout) detected by "
            f"watchdog at work: {sequence + 1}, last enqueued NCCL work: {sequence + 4}, last completed NCCL work: "
            f"{sequence}.",
            f"{head}:630] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of "
            "CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head}:636] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
            f"{head}:1595] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with "
            f"exception: [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for {ran} milliseconds "
            "before timing out.",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
        ]
    for rank in range(world):
        put(place, f"日志/进程_{rank}.log", logs[rank])


def c06_roads(place: Path, rng: Random) -> None:
    """An old estimator of accidents, its first lines rolled away, its evaluations in a table beside it."""
    log: list[str] = []
    now = 4 * DAY + 4 * 3600 + 12 * 60 + 8.0
    rows = ["global_step,accuracy,auc,average_loss,fatal_recall,killed_or_injured_precision,loss"]

    def say(text: str, level: str = "I", where: str = "") -> None:
        name = where or "basic_session_run_hooks.py"
        log.append(f"{level}{clock(now, '%m%d %H:%M:%S')}.{int(now * 1e6) % 10**6:06d} 140212 {name}] {text}")

    for early in range(4000, 60001, 4000):
        auc = 0.5 + 0.391 * (1 - math.exp(-early / 11000)) + rng.gauss(0, 0.001)
        value = falls(rng, early, 0.693, 0.2718, 14000, 0.02) * 1.03
        rows.append(
            f"{early},{auc - 0.017:.6f},{auc:.6f},{value:.6f},{auc - 0.19:.6f},{auc - 0.13:.6f},{value * 512:.4f}"
        )
    step = 61200
    mean = 0.0
    pause = 0.0
    while step < 80000:
        step += 200
        now += 200 / 38.2 + rng.uniform(-0.1, 0.1)
        mean = falls(rng, step, 0.693, 0.2718, 14000, 0.02)
        rate = 200 / (200 / (38.2 + rng.gauss(0, 0.4)) + pause)
        pause = 0.0
        if step % 4000 == 0:
            say(
                f"Saving checkpoints for {step} into /mnt/models/roads/wide_deep_v7/model.ckpt.",
                where="basic_session_run_hooks.py:614",
            )
            now += 1.2
            say("Calling model_fn.", where="estimator.py:1162")
            now += 2.1
            pause = 9.8
            say("Done calling model_fn.", where="estimator.py:1164")
            log.append(
                f"{clock(now)}.{int(now * 1e6) % 10**6:06d}: W tensorflow/core/kernels/data/experimental/"
                "ignore_errors_dataset_op.cc:155] Error raised with error message Name: <unknown>, Feature: "
                "killed_total (data type: int64) is required but could not be found."
            )
            say(f"Starting evaluation at {clock(now, '%Y-%m-%dT%H:%M:%S')}", where="evaluation.py:255")
            say("Graph was finalized.", where="monitored_session.py:246")
            say(
                f"Restoring parameters from /mnt/models/roads/wide_deep_v7/model.ckpt-{step}",
                where="saver.py:1410",
            )
            now += 0.9
            say("Running local_init_op.", where="session_manager.py:526")
            say("Done running local_init_op.", where="session_manager.py:529")
            for part in range(50, 201, 50):
                now += 1.4
                say(f"Evaluation [{part}/200]", where="evaluation.py:167")
            log.append(
                f"{clock(now)}.{int(now * 1e6) % 10**6:06d}: I tensorflow/core/framework/local_rendezvous.cc:405] Local "
                "rendezvous is aborting with status: OUT_OF_RANGE: End of sequence"
            )
            say(f"Inference Time : {4 * 1.4 + 0.91:.5f}s", where="evaluation.py:273")
            say(f"Finished evaluation at {clock(now, '%Y-%m-%d-%H:%M:%S')}", where="evaluation.py:276")
            auc = 0.89 + 0.012 * (step - 60000) / 20000 + rng.gauss(0, 0.0006)
            accuracy = auc - 0.017
            value = mean * 1.03
            recall, precision = auc - 0.19, auc - 0.13
            say(
                f"Saving dict for global step {step}: accuracy = {accuracy:.7g}, auc = {auc:.7g}, average_loss = "
                f"{value:.7g}, fatal_recall = {recall:.6g}, global_step = {step}, killed_or_injured_precision = "
                f"{precision:.6g}, loss = {value * 512:.7g}",
                where="estimator.py:2083",
            )
            rows.append(f"{step},{accuracy:.6f},{auc:.6f},{value:.6f},{recall:.6f},{precision:.6f},{value * 512:.4f}")
        say(f"global_step/sec: {rate:.4f}", where="basic_session_run_hooks.py:702")
        say(f"loss = {mean * 512:.5f}, step = {step} ({200 / rate:.3f} sec)", where="basic_session_run_hooks.py:260")
    say("Performing the final export in the end of training.", where="exporter.py:410")
    now += 1.6
    say("Signatures INCLUDED in export for Predict: ['predict']", where="export_lib.py:173")
    say(
        "Signatures EXCLUDED from export because they cannot be be served via TensorFlow Serving APIs:",
        where="export_lib.py:176",
    )
    say(
        "'serving_default' : Classification input must be a single string Tensor; got {'dead_on_scene': <tf.Tensor "
        "'Placeholder_3:0' shape=(None,) dtype=float32>}",
        "W",
        "export_lib.py:181",
    )
    now += 0.8
    say(
        "SavedModel written to: /mnt/models/roads/wide_deep_v7/export/best/temp-1793852/saved_model.pb",
        where="builder_impl.py:481",
    )
    say(f"Loss for final step: {mean * 512:.5f}.", where="estimator.py:371")
    put(place, "train_roads.log", log)
    put(place, "eval_metrics.csv", rows)


def c07_shops(place: Path, rng: Random) -> None:
    """Forecasts of shops' sales by neuralforecast; a callback prints a line a check, without any clock."""
    log = [
        "read sales.parquet: 30490 series, 1941 days, last 2016-05-22",
        "Seed set to 1",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "You are using a CUDA device ('NVIDIA A40') that has Tensor Cores. To properly utilize them, you should set "
        "`torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for performance. For "
        "more details, read https://pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html"
        "#torch.set_float32_matmul_precision",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name         | Type          | Params | Mode ",
        "-------------------------------------------------------",
        "0 | loss         | MQLoss        | 5      | train",
        "1 | padder_train | ConstantPad1d | 0      | train",
        "2 | scaler       | TemporalNorm  | 0      | train",
        "3 | blocks       | ModuleList    | 4.1 M  | train",
        "-------------------------------------------------------",
        "4.1 M     Trainable params",
        "5         Non-trainable params",
        "4.1 M     Total params",
        "16.404    Total estimated model params size (MB)",
        "NHITS h=28 input_size=112 max_steps=30000 val_check_steps=100 batch_size=128",
    ]
    best = 9.0
    valid = 0.0
    for step in range(25, 17401, 25):
        log.append(f"step {step} train_loss {falls(rng, step, 1.61, 0.842, 2600, 0.025):.5f}")
        if step % 100 == 0:
            valid = falls(rng, step, 1.58, 0.871, 2800, 0.008)
            mark = " *" if valid < best else ""
            best = min(best, valid)
            log.append(f"step {step} ptl/val_loss {valid:.5f} best {best:.5f}{mark}")
    put(place, "nhits_stores.log", log)
