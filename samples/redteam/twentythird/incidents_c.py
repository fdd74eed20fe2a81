"""t13 to t18 of the twenty-third set: incidents as a site would hand them over. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.twentyfirst.rig_incidents import FREE, Row, Work, bare, dmon, learn, smi_csv, smi_exporter

from .rig_more import (
    ISO,
    Rack,
    bar,
    clock,
    hms,
    job,
    matrix,
    put,
    quiet,
    sacct,
    sacct_json,
    torchrun_end,
    when,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t13(place: Path, rng: Random) -> None:
    """An ASR training that went well; its logs were not handed over."""
    begin, east = when(6, 23, 41, 12), 540
    end = begin + 111 * 60 + 23
    nodes = ["gpu011", "gpu012"]

    def work(node: int, gpu: int, t: float) -> Work:
        into = t - begin
        if into < 20 or t > end - 4:
            return FREE
        if into < 170:
            return Work(engine=0.02, mib=520)
        if (into - 170) % 1590 > 1440 or t > end - 250:
            return Work(engine=0.61, sm=0.22, tensor=0.05, dram=0.16, mib=52110)
        return Work(engine=0.94, sm=0.63, tensor=0.27, dram=0.41, mib=52110 + 380 * gpu + 150 * node)

    holes = [(begin + 1804, begin + 2340), (begin + 4411, begin + 4700)]
    rack = Rack("A100", nodes, 2, work, begin - 600, end + 420, 60, 13, holes=holes)
    smi_exporter(place, "prometheus/nvidia_smi_exporter.json", rack)
    for node, host in enumerate(nodes):
        quiet(place, f"journal/{host}.kernel.log", rng, rack, node, "journalctl", east)
    at = [clock(t, east, ISO) for t in (begin - 1312, begin, end, begin + 86400)]
    put(
        place,
        "scontrol_show_job_220917.txt",
        [
            "JobId=220917 JobName=csj_conformer_l",
            "   UserId=y-tanabe(20417) GroupId=slp(2040) MCS_label=N/A",
            "   Priority=10342 Nice=0 Account=slp QOS=normal",
            "   JobState=COMPLETED Reason=None Dependency=(null)",
            "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0",
            "   RunTime=01:51:23 TimeLimit=1-00:00:00 TimeMin=N/A",
            f"   SubmitTime={at[0]} EligibleTime={at[0]}",
            f"   AccrueTime={at[0]}",
            f"   StartTime={at[1]} EndTime={at[2]} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={at[1]} Scheduler=Main",
            "   Partition=a100 AllocNode:Sid=login02:3311208",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList=gpu[011-012]",
            "   BatchHost=gpu011",
            "   NumNodes=2 NumCPUs=64 NumTasks=2 CPUs/Task=32 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=64,mem=480G,node=2,billing=64,gres/gpu=4",
            "   AllocTRES=cpu=64,mem=480G,node=2,billing=64,gres/gpu=4",
            "   Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*",
            "   MinCPUsNode=32 MinMemoryNode=240G MinTmpDiskNode=0",
            "   Features=(null) DelayBoot=00:00:00",
            "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
            "   Command=/home/y-tanabe/csj/run_train.sh hparams/conformer_large.yaml",
            "   WorkDir=/home/y-tanabe/csj",
            "   StdErr=/home/y-tanabe/csj/slurm/220917.err",
            "   StdIn=/dev/null",
            "   StdOut=/home/y-tanabe/csj/slurm/220917.out",
            "   TresPerNode=gres/gpu:2",
            "",
        ],
    )


def t14(place: Path, rng: Random) -> None:
    """An uncorrectable memory error on one B200 of 32 in the midst of YOLO's training; no kernel log."""
    begin, east = when(13, 5, 2, 44), 480
    nodes = [f"bj-b200-{n:02d}" for n in (17, 18, 21, 22)]
    bad_node, bad_gpu = 2, 6
    first, epoch, batches = begin + 196, 187.0, 1797
    dead = begin + 69 * 60 + 37
    end = dead + 21

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 70 or t > end - 3:
            return FREE
        if t < first:
            return Work(engine=0.01, mib=1610)
        if t > dead:
            return Work(engine=1.0, sm=0.04, mib=126400)
        if (t - first) % epoch > 172:
            return Work(engine=0.38, sm=0.14, tensor=0.03, dram=0.09, mib=126400, rx=400, tx=12)
        return Work(engine=0.93, sm=0.58, tensor=0.22, dram=0.44, mib=126400 + 70 * gpu, rx=2600, tx=40)

    def alter(node: int, gpu: int, t: float, row: Row) -> Row:
        if (node, gpu) == (bad_node, bad_gpu) and t >= dead - 2:
            row |= {"XID_ERRORS": 94, "ECC_DBE_VOL_TOTAL": 1, "UNCORRECTABLE_REMAPPED_ROWS": 1}
        return row

    rack = Rack("B200", nodes, 8, work, begin - 300, end + 300, 60, 14, alter=alter)
    matrix(place, "dcgm_query_range.json", rack, bare(rack, job="dcgm-exporter"))
    sacct(
        place,
        "sacct_-P.txt",
        [
            job(
                "48120",
                "yolo11x-o365",
                "b200",
                "FAILED",
                "1:0",
                (begin - 66, begin, end),
                east,
                "3-00:00:00",
                (4, "bj-b200-[17-18,21-22]"),
            )
        ],
    )
    out = [
        f"[{clock(begin + 2, east)}] master=bj-b200-17 nnodes=4 nproc=8",
        "Ultralytics 8.3.203 🚀 Python-3.11.13 torch-2.8.0+cu128 CUDA:0 (NVIDIA B200, 182642MiB)",
        "engine/trainer: agnostic_nms=False, amp=True, augment=False, auto_augment=randaugment, batch=1024, bgr=0.0, "
        "box=7.5, cache=False, cfg=None, classes=None, close_mosaic=10, cls=0.5, cos_lr=True, data=Objects365.yaml, "
        "deterministic=True, device=None, epochs=100, exist_ok=True, fraction=1.0, imgsz=640, lr0=0.01, lrf=0.01, "
        "model=yolo11x.yaml, momentum=0.937, name=o365_x_b1024, optimizer=auto, patience=100, save=True, "
        "save_period=-1, seed=0, task=detect, val=True, warmup_epochs=3.0, weight_decay=0.0005, workers=12",
        "YOLO11x summary: 357 layers, 57,390,591 parameters, 57,390,575 gradients, 197.0 GFLOPs",
        "",
        "Freezing layer 'model.23.dfl.conv.weight'",
        "AMP: running Automatic Mixed Precision (AMP) checks...",
        "AMP: checks passed ✅",
        "train: Fast image access ✅ (ping: 0.3±0.1 ms, read: 812.4±211.0 MB/s, size: 187.2 KB)",
        "train: Scanning /ds/Objects365/labels/train.cache... 1742289 images, 0 backgrounds, 9 corrupt: "
        "100%|██████████| 1742289/1742289 [00:00<?, ?it/s]",
    ]
    for _ in range(9):
        image = f"/ds/Objects365/images/train/objects365_v{rng.choice((1, 2))}_{rng.randrange(10**6):08d}.jpg"
        out.append(
            f"train: WARNING ⚠️ {image}: ignoring corrupt image/label: image file is truncated "
            f"({rng.randrange(3, 60)} bytes not processed)"
        )
    for _ in range(3):
        image = f"/ds/Objects365/images/train/objects365_v2_{rng.randrange(10**6):08d}.jpg"
        out.append(f"train: WARNING ⚠️ {image}: corrupt JPEG restored and saved")
    out += [
        "val: Scanning /ds/Objects365/labels/val.cache... 80000 images, 0 backgrounds, 0 corrupt: "
        "100%|██████████| 80000/80000 [00:00<?, ?it/s]",
        "Plotting labels to runs/detect/o365_x_b1024/labels.jpg... ",
        "optimizer: 'optimizer=auto' found, ignoring 'lr0=0.01' and 'momentum=0.937' and determining best "
        "'optimizer', 'lr0' and 'momentum' automatically... ",
        "optimizer: SGD(lr=0.01, momentum=0.9) with parameter groups 167 weight(decay=0.0), "
        "174 weight(decay=0.008), 173 bias(decay=0.0)",
        "Image sizes 640 train, 640 val",
        "Using 96 dataloader workers",
        "Logging results to runs/detect/o365_x_b1024",
        "Starting training for 100 epochs...",
        "",
    ]
    number, n = 1, batches - 95
    while first + (number - 1) * epoch < dead:
        at = first + (number - 1) * epoch
        share = min(1.0, (dead - at) / 171)
        i = int(n * share)
        gone = 171 * share
        box, cls, dfl = (
            learn(rng, number, a, b, c, 0.006) for a, b, c in ((3.1, 1.02, 1.7), (5.6, 1.05, 1.5), (3.6, 1.18, 1.4))
        )
        out += [
            "",
            "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size",
            f"{f'{number}/100':>11}{'122G':>11}{box:>11.4g}{cls:>11.4g}{dfl:>11.4g}{rng.randrange(180, 520):>11}"
            f"{640:>11}: {int(100 * i / n):3d}%|{bar(i, n)}| {i}/{n} "
            f"[{hms(gone)}<{hms(171 - gone)}, {n / 171 * rng.gauss(1, 0.01):5.2f}it/s]",
        ]
        if share == 1.0 and at + epoch < dead:
            if number < 3:
                out.append("WARNING ⚠️ NMS time limit 5.200s exceeded")
            p = 0.61 * (1 - 0.83 / (1 + (number / 3) ** 1.2))
            head = f"{'Class':>22}{'Images':>11}{'Instances':>11}{'Box(P':>11}{'R':>11}{'mAP50':>11}{'mAP50-95):':>11}"
            out += [
                f"{head} 100%|██████████| 40/40 [00:13<00:00,  {rng.uniform(2.9, 3.1):.2f}it/s]",
                f"{'all':>22}{80000:>11}{1239576:>11}"
                f"{p + 0.06:>11.3g}{p - 0.09:>11.3g}{p * 0.71:>11.3g}{p * 0.52:>11.3g}",
            ]
        number += 1
    rank = bad_node * 8 + bad_gpu
    lib = "/opt/venv/lib/python3.11/site-packages"
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/liuyx/det/train_o365.py", line 31, in <module>',
        "    main()",
        '  File "/home/liuyx/det/train_o365.py", line 27, in main',
        "    model.train(**cfg)",
        f'  File "{lib}/ultralytics/engine/model.py", line 800, in train',
        "    self.trainer.train()",
        f'  File "{lib}/ultralytics/engine/trainer.py", line 235, in train',
        "    self._do_train(world_size)",
        f'  File "{lib}/ultralytics/engine/trainer.py", line 429, in _do_train',
        "    self.optimizer_step()",
        f'  File "{lib}/ultralytics/engine/trainer.py", line 694, in optimizer_step',
        "    torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=10.0)  # clip gradients",
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might "
        "be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    out += [f"[rank{rank}]: {one}".rstrip() for one in trace]
    pids = list(range(90412, 90420))
    out += torchrun_end(
        dead + 6,
        east,
        nodes[bad_node],
        "train_o365.py",
        rank,
        bad_gpu,
        pids[bad_gpu],
        90377,
        1,
        " ".join(str(p) for p in pids if p != pids[bad_gpu]),
    )
    out += [
        f"srun: error: {nodes[bad_node]}: task 2: Exited with exit code 1",
        "srun: Terminating StepId=48120.0",
        f"slurmstepd: error: *** STEP 48120.0 ON {nodes[0]} CANCELLED AT {clock(end - 6, east, ISO)} ***",
        f"srun: error: {nodes[0]}: task 0: Terminated",
        f"srun: error: {nodes[1]}: task 1: Terminated",
        f"srun: error: {nodes[3]}: task 3: Terminated",
    ]
    put(place, "logs/yolo11x-o365-48120.out", out)


def t15(place: Path, rng: Random) -> None:
    """Somebody else's process sits on one H200 of 16 from the third hour on; no profiling fields."""
    begin, east = when(19, 14, 20, 5), -360
    nodes = ["th-h200-03", "th-h200-04"]
    first, onset = begin + 118, begin + 8040.0
    fast, slow, evals = 0.5382, 0.9217, 26.0
    iters, at = [], first
    i = 0
    while i <= 30000:
        if i % 1000 == 0:
            iters.append((at + evals, i, "eval", 0.0))
            at += evals * (1.0 if at < onset else 1.6)
        one = (fast if at < onset else slow) * rng.gauss(1, 0.004)
        at += one * 10
        iters.append((at, i, "iter", one))
        i += 10
    end = at + 9

    def work(node: int, gpu: int, t: float) -> Work:
        odd = (node, gpu) == (1, 3)
        if t > end - 2 and odd:
            return Work(engine=0.99, sm=0.47, tensor=0.1, dram=0.41, mib=23480)
        if t < begin + 25 or t > end - 2:
            return FREE
        if t < first:
            return Work(engine=0.05, mib=4100)
        if t >= onset:
            if odd:
                return Work(engine=1.0, sm=0.86, tensor=0.38, dram=0.61, mib=97300 + 23480)
            return Work(engine=1.0, sm=0.44, tensor=0.27, dram=0.25, mib=97300)
        return Work(engine=1.0, sm=0.74, tensor=0.47, dram=0.44, mib=97300)

    rack = Rack("H200", nodes, 8, work, begin - 120, end + 120, 15, 15)
    for node, host in enumerate(nodes):
        dmon(
            place,
            f"dcgmi_dmon_{host}.log",
            rack,
            node,
            east,
            "%b %d %H:%M:%S",
            without=("GRACT", "SMACT", "TENSO", "DRAMA"),
        )
        quiet(place, f"syslog/{host}.log", rng, rack, node, "syslog", east)
    title = clock(begin - 4000, east, "%a %b %e %H:%M:%S %Y")
    q = ["", "==============NVSMI LOG==============", "", f"Timestamp                                 : {title}"]
    q += [f"Driver Version                            : {rack.of.driver}"]
    q += ["CUDA Version                              : 12.7", "", "Attached GPUs                             : 8"]
    for g in range(8):
        q += [f"GPU 00000000:{rack.bus(g)}", "    Remapped Rows"]
        q += [f"        Correctable Error                 : {2 if g == 6 else 0}"]
        q += ["        Uncorrectable Error               : 0", "        Pending                           : No"]
        q += ["        Remapping Failure Occurred        : No", "        Bank Remap Availability Histogram"]
        q += [f"            Max                           : {3198 if g == 6 else 3200} bank(s)"]
        q += [f"            High                          : {2 if g == 6 else 0} bank(s)"]
        q += [f"            {w:<30}: 0 bank(s)" for w in ("Partial", "Low", "None")]
    put(place, f"nvidia-smi_-q_-d_ROW_REMAPPER_{nodes[0]}.txt", [*q, ""])
    sacct_json(place, "sacct.json", 1184402, "gpt-1p3b-owt", (begin - 40, begin, end + 2), "th-h200-[03-04]")
    out = [
        "Overriding config with config/train_gpt_1p3b.py:",
        "batch_size = 12",
        "block_size = 2048",
        "gradient_accumulation_steps = 16",
        "max_iters = 30000",
        "eval_interval = 1000",
        "eval_iters = 100",
        "log_interval = 10",
        "compile = True",
        "tokens per iteration will be: 393,216",
        "Initializing a new model from scratch",
        "defaulting to vocab_size of GPT-2 to 50304 (50257 rounded up for efficiency)",
        "number of parameters: 1311.08M",
        "num decayed parameter tensors: 98, with 1,315,176,448 parameters",
        "num non-decayed parameter tensors: 49, with 100,352 parameters",
        "using fused AdamW: True",
        "compiling the model... (takes a ~minute)",
    ]
    mfu = -1.0
    for when_, i, kind, one in iters:
        if kind == "eval":
            a = learn(rng, i, 10.99, 2.49, 210, 0.002)
            out.append(f"step {i}: train loss {a:.4f}, val loss {a + 0.012 * (i > 0) + rng.gauss(0, 0.004):.4f}")
            if i:
                out.append("saving checkpoint to out-gpt-1p3b")
        else:
            ms = one * 1000
            if i % 1000 == 0:
                pause = evals if when_ < onset else evals * 1.6
                ms = (pause * rng.gauss(1, 0.01) + one + (31.4 if i == 0 else 2.9)) * 1000
            seen = 1.178 * fast / (ms / 1000)
            mfu = -1.0 if i < 50 else (seen if mfu < 0 else 0.9 * mfu + 0.1 * seen)
            out.append(
                f"iter {i}: loss {learn(rng, i, 10.99, 2.49, 210, 0.009):.4f}, time {ms:.2f}ms, mfu {mfu * 100:.2f}%"
            )
    put(place, "logs/slurm-1184402.out", out)


def t16(place: Path, rng: Random) -> None:
    """A GRPO run is preempted in its 27th minute; no accounting."""
    begin, east = when(21, 14, 5, 20), 0
    host = "b200-07"
    first, dead = begin + 214, begin + 27 * 60 + 2
    end = dead + 34
    steps: list[tuple[float, float, float]] = []
    at = first
    while at < end:
        one = rng.uniform(51.5, 60.5)
        steps.append((at, one, rng.uniform(0.53, 0.58)))
        at += one

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 40 or t > end - 4:
            return FREE
        if t < first:
            return Work(engine=0.03, mib=18100)
        for start, one, share in steps:
            if start <= t < start + one:
                if t - start < one * share:
                    return Work(engine=0.88, sm=0.37, tensor=0.12, dram=0.58, mib=148900 + 60 * gpu)
                return Work(engine=0.91, sm=0.61, tensor=0.38, dram=0.37, mib=117200 + 60 * gpu)
        return FREE

    rack = Rack("B200", [host], 8, work, begin - 240, end + 300, 30, 16)
    matrix(place, "prom/dcgm.json", rack, bare(rack, job="dcgm", cluster="nova"))
    quiet(place, f"journalctl-k_{host}.txt", rng, rack, 0, "journalctl", east)
    stamp = clock(begin + 61, east, "%Y-%m-%d %H:%M:%S")
    out = [
        f"{stamp},114\tINFO worker.py:1918 -- Started a local Ray instance. View the dashboard at "
        "\x1b[1m\x1b[32m127.0.0.1:8265 \x1b[39m\x1b[22m",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2,",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m                                  'grad_clip': 1.0,",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m                                  'kl_loss_coef': 0.001,",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m                                  'strategy': 'fsdp',",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m                                  'use_kl_loss': True}},",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m  'trainer': {'balance_batch': True,",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m              'resume_mode': 'auto',",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m              'save_freq': 20,",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m              'total_epochs': 15}}",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m dataset len: 7473",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m Size of train dataloader: 29, Size of val dataloader: 1",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m Total training steps: 435",
        "\x1b[33m(raylet)\x1b[0m [2026-10-21 14:07:13,402 E 310993 311031] (raylet) file_system_monitor.cc:116: "
        "/tmp/ray/session_2026-10-21_14-06-20_884213_310642 is over 95% full, available space: 31.2 GB; "
        "capacity: 878.7 GB. Object creation will fail if spilling is required.",
        "\x1b[36m(WorkerDict pid=313204)\x1b[0m Flash Attention 2.0 only supports torch.float16 and torch.bfloat16 "
        "dtypes, but the current dype in Qwen2ForCausalLM is torch.float32. You should run training or inference "
        "using Automatic Mixed-Precision via the `with torch.autocast(device_type='torch_device'):` decorator, or "
        "load the model with the `torch_dtype` argument.",
        "\x1b[36m(WorkerDict pid=313204)\x1b[0m NCCL version 2.26.2+cuda12.8",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m Checkpoint tracker file does not exist: "
        "/scratch/rlhf/checkpoints/gsm8k/qwen2_5_7b_grpo/latest_checkpointed_iteration.txt",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m Training from scratch",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m test_gen_batch meta info: {'eos_token_id': 151645, "
        "'pad_token_id': 151643, 'recompute_log_prob': False, 'do_sample': False, 'validate': True}",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m validation generation end",
        "\x1b[36m(TaskRunner pid=311846)\x1b[0m step:0 - val-core/openai/gsm8k/reward/mean@1:0.6027",
    ]
    for number, (start, one, share) in enumerate(steps, 1):
        if start + one > dead:
            break
        score = 0.62 + 0.29 * (1 - 1 / (1 + number / 9)) + rng.gauss(0, 0.008)
        length = 244 + 2.2 * number + rng.gauss(0, 4)
        cells = {
            "global_seqlen/mean": 92000 + 250 * number + rng.gauss(0, 900),
            "actor/entropy": 0.33 / (1 + number / 40) + rng.gauss(0, 0.006),
            "actor/kl_loss": 0.0004 * number + abs(rng.gauss(0, 0.0003)),
            "actor/pg_loss": rng.gauss(0.004, 0.006),
            "actor/pg_clipfrac": abs(rng.gauss(0.0011, 0.0004)),
            "actor/ppo_kl": rng.gauss(0.0001, 0.0001),
            "actor/grad_norm": rng.gauss(0.34, 0.03),
            "actor/lr": 1e-06,
            "critic/score/mean": score,
            "critic/rewards/mean": score,
            "response_length/mean": length,
            "response_length/clip_ratio": abs(rng.gauss(0.001, 0.0006)),
            "timing_s/gen": one * share * 0.96,
            "timing_s/update_actor": one * (1 - share) * 0.7,
            "timing_s/step": one,
            "perf/throughput": 92000 / one * rng.gauss(1, 0.01),
        }
        text = " - ".join(f"{k}:{v:.3f}" if abs(v) >= 0.01 else f"{k}:{v:.6g}" for k, v in cells.items())
        gone = start + one - first
        out += [
            f"\x1b[36m(TaskRunner pid=311846)\x1b[0m step:{number} - {text}",
            f"\x1b[36m(TaskRunner pid=311846)\x1b[0m Training Progress: {int(100 * number / 435):3d}%|"
            f"{bar(number, 435)}| {number}/435 [{hms(gone)}<{hms(gone / number * (435 - number))}, {one:5.2f}s/it]",
        ]
        if number == 20:
            root = "/scratch/rlhf/checkpoints/gsm8k/qwen2_5_7b_grpo"
            out.append(f"\x1b[36m(TaskRunner pid=311846)\x1b[0m local_global_step_folder: {root}/global_step_20")
    cut = clock(dead, east, ISO)
    out += [
        f"slurmstepd: error: *** STEP 771203.0 ON {host} CANCELLED AT {cut} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB 771203 ON {host} CANCELLED AT {cut} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.",
        "\x1b[36m(raylet)\x1b[0m [2026-10-21 14:32:23,118 I 310993 310993] (raylet) main.cc:458: "
        "received SIGTERM. Existing local drain request = None",
    ]
    put(place, "grpo-771203.log", out)


def t17(place: Path, rng: Random) -> None:
    """An SFT on three workstations' 4090s that went as planned; no kernel log."""
    begin, east = when(24, 8, 31, 50), 0
    nodes = ["ws-a", "ws-b", "ws-c"]
    first, total = begin + 141, 1185
    pace = 6.52
    last = first + total * pace
    end = last + 38

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 30 or t > end - 5:
            return FREE
        if t < first:
            return Work(engine=0.04, mib=900)
        if t > last or (t - first) % (200 * pace) < 14 < t - first:
            return Work(engine=0.03, mib=21560)
        return Work(engine=0.97, sm=0.7, tensor=0.42, dram=0.4, mib=21560 + 90 * gpu, rx=3000, tx=2100)

    rack = Rack("4090", nodes, 4, work, begin - 90, end + 90, 15, 17)
    columns: tuple[str, ...] = (
        "index",
        "uuid",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
    )
    columns += ("memory.total", "power.draw", "power.limit", "clocks.current.sm", "clocks_event_reasons.active")
    for node, host in enumerate(nodes):
        smi_csv(place, f"gpu_{host}.csv", rack, node, east, columns)
    sacct(
        place,
        "sacct.txt",
        [
            job(
                "3077",
                "sft-mistral-fr-qlora",
                "ws",
                "COMPLETED",
                "0:0",
                (begin - 2, begin, end),
                east,
                "12:00:00",
                (3, "ws-[a-c]"),
            )
        ],
    )
    out = [
        f"[{clock(begin + 33, east)}] accelerate launch --num_machines 3 --num_processes 12 sft.py cfg/mistral7b.yaml",
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:11<00:00,  3.71s/it]",
        "trainable params: 41,943,040 || all params: 7,289,966,592 || trainable%: 0.5754",
        "The tokenizer has new PAD/BOS/EOS tokens that differ from the model config and generation config. The model "
        "config and generation config were aligned accordingly, being updated with the tokenizer's values. Updated "
        "tokens: {'pad_token_id': 2}.",
    ]
    losses = []
    for step in range(5, total + 1, 5):
        part = min(1.0, step / 36)
        lr = 2e-4 * part * (1 if step < 36 else 1 - (step - 36) / (total - 36))
        drop = 0.035 * (step > 395) + 0.03 * (step > 790)
        loss = learn(rng, step, 1.62, 1.04, 60, 0.013) - drop
        losses.append(loss)
        accuracy = 0.745 - (loss - 1.04) * 0.21 + rng.gauss(0, 0.002)
        row = {
            "loss": round(loss, 4),
            "grad_norm": rng.gauss(0.46 if step > 40 else 0.9, 0.05),
            "learning_rate": lr,
            "entropy": loss * 0.98 + rng.gauss(0, 0.01),
            "num_tokens": float(step * 96 * 1024 - rng.randrange(4000)),
            "mean_token_accuracy": accuracy,
            "epoch": round(step / 395, 2),
        }
        out.append(str(row))
    row = {
        "train_runtime": round(last - first + 9.4, 4),
        "train_samples_per_second": round(total * 96 / (last - first + 9.4), 3),
        "train_steps_per_second": round(total / (last - first + 9.4), 3),
        "train_loss": sum(losses) / len(losses),
        "entropy": 1.01,
        "num_tokens": row["num_tokens"],
        "mean_token_accuracy": 0.7581,
        "epoch": 3.0,
    }
    out += [str(row), f"[{clock(end - 6, east)}] adapter saved to /srv/models/mistral-fr-qlora"]
    put(place, "sft-3077.out", out)


def t18(place: Path, rng: Random) -> None:
    """Two folds of nnU-Net, one a node; one A40 of the second has its clocks pinned low by somebody."""
    begin, east = when(14, 7, 12, 31), -360
    nodes = ["mic-a40-1", "mic-a40-2"]
    onset = begin + 41 * 60 + 7
    ends = []
    for fold in range(2):
        at = begin + 33 + 4 * fold
        name = f"Dataset217_Pancreas/nnUNetTrainer_100epochs__nnUNetPlans__3d_fullres/fold_{fold}"
        out = ["", "#" * 71]
        out += ["Please cite the following paper when using nnU-Net:"]
        out += ["Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). nnU-Net: a "]
        out[-1] += "self-configuring method for deep learning-based biomedical image segmentation. Nature methods, "
        out[-1] += "18(2), 203-211."
        out += ["#" * 71, ""]
        best, average = 0.0, 0.0

        def say(t: float, text: str, out: list[str] = out) -> None:
            t += rng.uniform(0, 0.0002)
            out.append(f"{clock(t, east)}.{int(t * 1e6) % 10**6:06d}: {text}")

        say(at + 3.113, "unpacking dataset...")
        say(at + 21.4071, "unpacking done...")
        at += 22.518
        for epoch in range(100):
            base = rng.gauss(61.2, 0.4) + (8.2 if epoch == 0 else 0)
            if fold == 1 and at > onset:
                base *= 1.885
            say(at, "")
            say(at + 0.0013, f"Epoch {epoch} ")
            say(at + 0.0041, f"Current learning rate: {0.01 * (1 - epoch / 100) ** 0.9:.5f}".rstrip("0"))
            at += base
            p = epoch / 14
            loss = -0.83 + 0.92 / (1 + p) ** 1.25
            say(at - 0.014, f"train_loss {loss + rng.gauss(0, 0.012):.4f}".rstrip("0"))
            say(at - 0.0138, f"val_loss {loss * 0.93 + rng.gauss(0, 0.02):.4f}".rstrip("0"))
            dice = [max(0.0, (0.93 - 0.87 / (1 + p) ** 1.4) * f + rng.gauss(0, 0.012)) for f in (1.0, 0.62)]
            say(at - 0.0135, "Pseudo dice [" + ", ".join(f"np.float32({d:.4f})" for d in dice) + "]")
            say(at - 0.0132, f"Epoch time: {base:.2f} s")
            mean = sum(dice) / 2
            average = mean if epoch == 0 else 0.9 * average + 0.1 * mean
            if average > best:
                best = average
                say(at - 0.0129, f"Yayy! New best EMA pseudo Dice: {average:.4f}")
            at += 0.31
        say(at + 1.2, "Training done.")
        say(at + 41.5, "Validation complete")
        say(at + 41.6, f"Mean Validation Dice:  {average + 0.0137:.16f}")
        put(place, f"{name}/training_log_{clock(begin + 33 + 4 * fold, east, '%Y_%-m_%-d_%H_%M_%S')}.txt", out)
        ends.append(at)
    end = max(ends) + 52

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 18 or t > ends[node] + 44:
            return FREE
        if t < begin + 60:
            return Work(engine=0.02, mib=610)
        if t > ends[node]:
            return Work(engine=0.55, sm=0.4, tensor=0.2, dram=0.2, mib=15100)
        if node == 1 and t > onset:
            if gpu == 2:
                return Work(engine=0.99, sm=0.86, tensor=0.27, dram=0.26, mib=14420)
            return Work(engine=0.99, sm=0.47, tensor=0.15, dram=0.24, mib=14420)
        return Work(engine=0.96, sm=0.76, tensor=0.3, dram=0.46, mib=14420 + 40 * gpu)

    def alter(node: int, gpu: int, t: float, row: Row) -> Row:
        if (node, gpu) == (1, 2) and t > onset and row["GPU_UTIL"] > 20:
            row |= {"SM_CLOCK": 705, "CLOCKS_EVENT_REASONS": 2, "POWER_USAGE": row["POWER_USAGE"] * 0.56}
            row["GPU_TEMP"] = round(row["GPU_TEMP"] - 13 * min(1.0, (t - onset) / 240))
        return row

    holes = [(begin + 1330, begin + 1491), (begin + 6002, begin + 6407), (begin + 8111, begin + 8160)]
    rack = Rack("A40", nodes, 4, work, begin - 180, end + 180, 15, 18, alter=alter, holes=holes)
    drop = {"GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE", "PCIE_TX_BYTES", "PCIE_RX_BYTES"}
    matrix(place, "dcgm_range.json", rack, bare(rack), keep=lambda f: f not in drop)
    for node, host in enumerate(nodes):
        quiet(place, f"dmesg_{host}.txt", rng, rack, node, "dmesg -T", east)
    sacct(
        place,
        "sacct_90731.txt",
        [
            job(
                "90731",
                "nnunet_217_f01",
                "a40",
                "COMPLETED",
                "0:0",
                (begin - 9, begin, end),
                east,
                "08:00:00",
                (2, "mic-a40-[1-2]"),
            )
        ],
    )
