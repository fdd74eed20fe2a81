"""The twentieth set's incidents t07 to t12, as drawn in ``lot_incidents``; all SIMULATED."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .rig import (
    NOBODY,
    PROFILED,
    Fleet,
    Load,
    Values,
    clock,
    curve,
    dmon,
    epoch,
    kernel,
    kube,
    milli,
    plain,
    put,
    query_range,
    quiet,
    series,
    smi_exporter,
    took,
    victoria,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

ISO = "%Y-%m-%dT%H:%M:%S"


def t07(place: Path, rng: Random) -> None:
    """A1: after twenty minutes DINOv2's loader meets a file that is no image; the cards run at a soft power cap."""
    east, host = 180, "aigpu-04"
    begin = epoch("2026-05-25T11:31:40", east)
    start, total, pid = begin + 96, 62500, 18722
    fail = begin + 23 * 60 + 36
    lines = []

    def say(t: float, text: str, where: str = "helpers.py:102", name: str = "dinov2") -> None:
        lines.append(f"I{clock(t, east, '%Y%m%d %H:%M:%S')} {pid} {name} {where}] {text}")

    say(
        begin + 14,
        "git:\n  sha: e1277af2ba9496fbadf7aec6eba56e8d882d1e35, status: clean, branch: main\n",
        "config.py:59",
    )
    say(begin + 14, "sqrt scaling learning rate; base: 0.004, new: 0.0012247448713915891", "config.py:26")
    say(begin + 33, "OPTIONS -- architecture : embed-dim: 384", "ssl_meta_arch.py:43")
    say(begin + 41, "DISTRIBUTED FSDP -- preparing model for distributed training", "ssl_meta_arch.py:383")
    say(
        begin + 55,
        'using dataset: "HistoTiles:split=TRAIN:root=/data/tiles_v3:extra=/data/tiles_v3/extra"',
        "loaders.py:85",
    )
    say(begin + 58, "# of dataset samples: 4,318,772", "loaders.py:90")
    say(begin + 58, "sampler: sharded infinite", "loaders.py:119")
    say(begin + 58, "using PyTorch data loader", "loaders.py:206")
    say(begin + 59, "infinite data loader", "loaders.py:219")
    say(begin + 60, "Starting training from iteration 0", "train.py:203")
    t, i, parts = start, 0, ("dino_local_crops_loss", "dino_global_crops_loss", "koleo_loss", "ibot_loss")
    sums = dict.fromkeys(parts, 0.0)
    count, pace = 0, 0.97
    while t < fail - 3:
        share = i / total
        now = {
            "dino_local_crops_loss": curve(rng, i, 9.9, 6.1, 900, 0.01),
            "dino_global_crops_loss": curve(rng, i, 1.24, 0.76, 900, 0.01),
            "koleo_loss": curve(rng, i, 0.11, -0.02, 500, 0.01),
            "ibot_loss": curve(rng, i, 4.9, 2.9, 900, 0.01),
        }
        count += 1
        for name in parts:
            sums[name] += now[name]
        lr = 0.00122 * i / 12500
        left = int((total - i) * pace)
        eta = f"{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
        both = sum(now.values()), sum(sums.values()) / count
        fields = [
            f"lr: {lr:.4f} ({lr / 2:.4f})",
            f"wd: {0.04 + 0.1 * share * share:.4f} ({0.04 + 0.03 * share * share:.4f})",
            f"mom: {0.994 + 0.006 * share * share:.4f} (0.9940)",
            f"last_layer_lr: {0.0 if i < 1250 else lr:.4f} ({0.0 if i < 1250 else lr / 9:.4f})",
            "current_batch_size: 32.0000 (32.0000)",
            f"total_loss: {both[0]:.4f} ({both[1]:.4f})",
            *(f"{name}: {now[name]:.4f} ({sums[name] / count:.4f})" for name in parts),
            f"time: {rng.gauss(pace, 0.01):.6f}",
            f"data: {abs(rng.gauss(0.0006, 0.0001)):.6f}",
            "max mem: 17412",
        ]
        say(t, f"Training  [{i:>5}/{total}]  eta: {eta}  " + "  ".join(fields))
        i += 10
        t += 10 * rng.gauss(pace, 0.006)
    lib = "/opt/venv/dinov2/lib/python3.9/site-packages"
    own = "/home/asherbakova/dinov2/dinov2"
    lines += [
        "Traceback (most recent call last):",
        f'  File "{own}/train/train.py", line 318, in <module>',
        "    main(args)",
        f'  File "{own}/train/train.py", line 313, in main',
        "    do_train(cfg, model, resume=not args.no_resume)",
        f'  File "{own}/train/train.py", line 215, in do_train',
        "    for data in metric_logger.log_every(",
        f'  File "{own}/logging/helpers.py", line 79, in log_every',
        "    for obj in iterable:",
        f'  File "{lib}/torch/utils/data/dataloader.py", line 634, in __next__',
        "    data = self._next_data()",
        f'  File "{lib}/torch/utils/data/dataloader.py", line 1346, in _next_data',
        "    return self._process_data(data)",
        f'  File "{lib}/torch/utils/data/dataloader.py", line 1372, in _process_data',
        "    data.reraise()",
        f'  File "{lib}/torch/_utils.py", line 644, in reraise',
        "    raise exception",
        "RuntimeError: Caught RuntimeError in DataLoader worker process 4.",
        "Original Traceback (most recent call last):",
        f'  File "{own}/data/datasets/extended.py", line 24, in __getitem__',
        "    image = ImageDataDecoder(image_data).decode()",
        f'  File "{own}/data/datasets/decoders.py", line 27, in decode',
        '    return Image.open(f).convert(mode="RGB")',
        f'  File "{lib}/PIL/Image.py", line 3280, in open',
        "    raise UnidentifiedImageError(msg)",
        "PIL.UnidentifiedImageError: cannot identify image file <_io.BytesIO object at 0x7f21d83f1c20>",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        f'  File "{lib}/torch/utils/data/_utils/worker.py", line 308, in _worker_loop',
        "    data = fetcher.fetch(index)",
        f'  File "{lib}/torch/utils/data/_utils/fetch.py", line 51, in fetch',
        "    data = [self.dataset[idx] for idx in possibly_batched_index]",
        f'  File "{lib}/torch/utils/data/_utils/fetch.py", line 51, in <listcomp>',
        "    data = [self.dataset[idx] for idx in possibly_batched_index]",
        f'  File "{own}/data/datasets/extended.py", line 26, in __getitem__',
        '    raise RuntimeError(f"can not read image for sample {index}") from e',
        "RuntimeError: can not read image for sample 2730416",
        "",
        *(
            f"WARNING:torch.distributed.elastic.multiprocessing.api:Sending process {one} closing signal SIGTERM"
            for one in (pid, pid + 2)
        ),
        f"ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 1 (pid: {pid + 1}) of binary: /opt/venv/dinov2/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/venv/dinov2/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "dinov2/train/train.py FAILED",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(fail, east, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}",
        "  rank      : 1 (local_rank: 1)",
        f"  exitcode  : 1 (pid: {pid + 1})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "=" * 60,
    ]
    put(place, "dino_tiles.660415.log", lines)
    end = fail + 9

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 16 <= at <= fail:
            return NOBODY
        if at < start:
            return Load(used=1100)
        return Load(0.985, 0.95, 0.66, 0.76, 18230 + 16 * g, rx=640, tx=420)

    dmon(place, f"dmon-{host}.txt", Fleet("A10G", [host], 3, load, begin - 240, end + 240, 60, 207, inlet=29), 0, east)
    b, e = clock(begin, east, ISO), clock(end, east, ISO)
    put(
        place,
        "sacct-660415.txt",
        [
            "JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList|MaxRSS",
            f"660415|dino_tiles|FAILED|1:0|{b}|{e}|{took(end - begin)}|2-00:00:00|{host}|",
            f"660415.batch|batch|FAILED|1:0|{b}|{e}|{took(end - begin)}||{host}|38811204K",
            f"660415.extern|extern|COMPLETED|0:0|{b}|{e}|{took(end - begin)}||{host}|",
        ],
    )
    kernel(place, f"dmesg-{host}.txt", quiet(rng, begin, "eth"), "dmesg -T", east)


def t08(place: Path, rng: Random) -> None:
    """G1: icefall trains its few epochs on two H20 and says Done."""
    east, host = 480, "h20-sh-07"
    begin = epoch("2026-07-16T20:11:08", east)
    epochs, batches, up = 4, 480, begin + 51
    logs: list[list[str]] = [[], []]

    def say(t: float, where: int, text: str, only: int | None = None) -> None:
        for r in range(2):
            if only in (None, r):
                logs[r].append(f"{milli(t + 0.011 * r, east)} INFO [train.py:{where}] ({r}/2) {text}")

    say(begin + 19, 967, "Training started")
    say(begin + 19.4, 977, "Device: cuda:{}")
    for r in range(2):
        logs[r][-1] = logs[r][-1].replace("{}", str(r))
    say(begin + 20, 986, "About to create model")
    say(begin + 22, 990, "Number of model parameters: 23285615")
    say(begin + 23.5, 1007, "Using DDP")
    say(begin + 25, 1074, "About to create train dataset")
    t, valids, total_loss = up, [], 0.0
    for one in range(1, epochs + 1):
        for k in range(batches):
            if k:
                t += rng.gauss(0.438, 0.004)
            if k % 50 == 0:
                at = (one - 1) * batches + k
                for r in range(2):
                    loss = curve(rng, at, 6.1, 0.31, 120, 0.03)
                    total_loss = curve(rng, at, 6.1, 0.31, 120, 0.01)
                    frames, tot = rng.gauss(15200, 900), 15200 * min(200, at + 1)
                    say(
                        t,
                        1094,
                        f"Epoch {one}, batch {k}, loss[loss={loss:.4g}, simple_loss={loss * 0.93:.4g}, pruned_loss={loss * 0.54:.4g}, over {frames:.2f} frames. ], "
                        f"tot_loss[loss={total_loss:.4g}, simple_loss={total_loss * 0.93:.4g}, pruned_loss={total_loss * 0.54:.4g}, over {tot * 1.003:.2f} frames. ], "
                        f"batch size: {rng.randint(38, 71)}, lr: {0.045 * (1 + (at / 5000) ** 2) ** -0.25 * (1 + ((one - 1) / 3.5) ** 2) ** -0.25 * min(1, 0.5 + at / 1000):.2e}, ",
                        only=r,
                    )
            if k == 0:
                say(t + 0.1, 1126, "Computing validation loss")
                valids.append((t, t + 8.3))
                t += 8.3
                value = curve(rng, (one - 1) * batches, 6.1, 0.32, 120, 0.005)
                say(
                    t,
                    1135,
                    f"Epoch {one}, validation: loss={value:.4g}, simple_loss={value * 0.95:.4g}, pruned_loss={value * 0.52:.4g}, over 944034.00 frames. ",
                )
                say(t, 1136, f"Maximum memory allocated so far is {31077 + 400 * min(one - 1, 2)}MB")
        say(t + 0.2, 75, f"Saving checkpoint to zipformer/exp-tiny/epoch-{one}.pt", only=0)
        logs[0][-1] = logs[0][-1].replace("[train.py:75] (0/2)", "[checkpoint.py:75] (0/2)")
        t += 3
    say(t, 1320, "Done!")
    last, end = t + 2, t + 7
    for r in range(2):
        put(place, f"exp-tiny/log/log-train-{clock(begin + 19, east, '%Y-%m-%d-%H-%M-%S')}-{r}", logs[r])

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 20 <= at <= last:
            return NOBODY
        if at < up:
            return Load(used=900)
        if any(a <= at < b for a, b in valids):
            return Load(0.78, 0.5, 0.1, 0.3, 36900 + 60 * g)
        return Load(0.95, 0.68, 0.2, 0.4, 36900 + 60 * g)

    smi_exporter(place, "nvidia_gpu_exporter.json", Fleet("H20", [host], 2, load, begin - 60, end + 60, 10, 208), 0)
    b, e = clock(begin, east, ISO), clock(end, east, ISO)
    span = took(end - begin)
    put(
        place,
        "sacct.out",
        [
            "JobID           JobName      State ExitCode               Start                 End    Elapsed        NodeList ",
            "------------ ---------- ---------- -------- ------------------- ------------------- ---------- --------------- ",
            f"29114        zipformer+  COMPLETED      0:0 {b} {e} {span:>10} {host:>15} ",
            f"29114.batch       batch  COMPLETED      0:0 {b} {e} {span:>10} {host:>15} ",
        ],
    )
    kernel(place, "dmesg-T.txt", quiet(rng, begin), "dmesg -T", east)


def t09(place: Path, rng: Random) -> None:
    """A2: a cache of images grows until the cgroup's limit; the kernel kills the training."""
    east, host = 0, "turing02"
    begin = epoch("2026-01-21T13:05:52", east)
    start, kill = begin + 47, begin + 23 * 60 + 49.6
    lines = [
        f"[{clock(begin + 6, east, '%H:%M:%S')}] avvio addestramento segmentazione, 2 GPU (Quadro RTX 8000)",
        f"[{clock(begin + 9, east, '%H:%M:%S')}] volumi di addestramento: 1480, di validazione: 164",
        f"[{clock(begin + 9, east, '%H:%M:%S')}] cache in RAM attiva (cache_rate=1.0), i volumi restano in memoria dopo la prima lettura",
        f"[{clock(begin + 31, east, '%H:%M:%S')}] modello UNet3D, 19.2M parametri, DataParallel su cuda:0, cuda:1",
    ]
    t, step = start, 0
    while True:
        t += 10 * rng.gauss(1.21, 0.03)
        if t > kill:
            break
        step += 10
        part = 740 - step
        loss = curve(rng, step, 1.31, 0.37, 240, 0.03)
        text = f"epoca 1/60 passo {step:4d}/2960  perdita {loss:.4f}  dice {max(0.02, 0.86 - 0.62 * loss):.3f}  {rng.gauss(1.21, 0.02):.2f} s/passo"
        lines.append(f"[{clock(t, east, '%H:%M:%S')}] {text}  cache {min(1480, step // 2)}/1480")
    del part
    lines += [
        "slurmstepd: error: Detected 1 oom_kill event in StepId=33817.0. Some of the step tasks have been OOM Killed.",
        f"srun: error: {host}: task 0: Out Of Memory",
    ]
    put(place, "seg3d_33817.log", lines)
    end = kill + 3

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 29 <= at <= kill:
            return NOBODY
        return Load(0.83 if at > start else 0, 0.6 if at > start else 0, 0, 0.4, 31240 if g == 0 else 27810)

    holes = ((begin + 240, begin + 470), (begin + 900, begin + 1085))
    fleet = Fleet("RTX8000", [host], 2, load, begin - 300, end + 240, 60, 209, gaps=holes)
    query_range(place, f"dcgm-{host}.json", series(fleet, plain(fleet), drop=PROFILED))
    put(
        place,
        "scontrol_show_job.txt",
        [
            "JobId=33817 JobName=seg3d",
            "   UserId=lferri(5123) GroupId=radio(5000) MCS_label=N/A",
            "   Priority=4294885 Nice=0 Account=radio QOS=normal",
            "   JobState=OUT_OF_MEMORY Reason=OutOfMemory Dependency=(null)",
            "   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:125",
            f"   RunTime={took(end - begin)} TimeLimit=1-00:00:00 TimeMin=N/A",
            f"   SubmitTime={clock(begin - 2, east, ISO)} EligibleTime={clock(begin - 2, east, ISO)}",
            f"   StartTime={clock(begin, east, ISO)} EndTime={clock(end, east, ISO)} Deadline=N/A",
            "   Partition=turing AllocNode:Sid=login1:20933",
            f"   NodeList={host}",
            f"   BatchHost={host}",
            "   NumNodes=1 NumCPUs=12 NumTasks=1 CPUs/Task=12 ReqB:S:C:T=0:0:*:*",
            "   TRES=cpu=12,mem=96G,node=1,billing=12,gres/gpu=2",
            "   MinCPUsNode=12 MinMemoryNode=96G MinTmpDiskNode=0",
            "   Command=/home/lferri/seg3d/lancia.sh",
            "   WorkDir=/home/lferri/seg3d",
            "   StdOut=/home/lferri/seg3d/seg3d_33817.log",
        ],
    )
    group = "/system.slice/slurmstepd.scope/job_33817/step_0/user/task_0"
    more = [
        (kill - 0.6, "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (kill - 0.6, "CPU: 9 PID: 71204 Comm: python Tainted: P           OE     5.15.0-139-generic #149-Ubuntu"),
        (kill - 0.59, "memory: usage 100663296kB, limit 100663296kB, failcnt 48122"),
        (kill - 0.59, "Memory cgroup stats for /system.slice/slurmstepd.scope/job_33817:"),
        (kill - 0.58, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"),
        (kill - 0.58, "[  71191]  5123 71191     3402     1288    61440        0             0 bash"),
        (kill - 0.58, "[  71204]  5123 71204 41870233 24911877 204611584        0             0 python"),
        (
            kill - 0.57,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=task_0,mems_allowed=0-1,oom_memcg=/system.slice/slurmstepd.scope/job_33817,task_memcg={group},task=python,pid=71204,uid=5123",
        ),
        (
            kill - 0.57,
            "Memory cgroup out of memory: Killed process 71204 (python) total-vm:167480932kB, anon-rss:99011240kB, file-rss:431972kB, shmem-rss:204296kB, UID:5123 pgtables:199816kB oom_score_adj:0",
        ),
        (
            kill + 1.4,
            "oom_reaper: reaped process 71204 (python), now anon-rss:0kB, file-rss:431740kB, shmem-rss:204296kB",
        ),
    ]
    kernel(place, "dmesg.txt", quiet(rng, begin, "eth") + more, "dmesg", east)


def t10(place: Path, rng: Random) -> None:
    """C2: rank 3 of an OpenNMT-py run hangs in a read; the others' all-reduce times out. The clock was stepped before."""
    east, host, step_s = 0, "ip-10-3-41-208", 83.418213
    begin = epoch("2026-05-06T01:14:33", east)
    stepped = begin + 7321
    stuck, last = begin + 283 * 60 + 11, begin + 293 * 60 + 22
    start, total = begin + 102, 100000
    lines = []

    def wall(t: float) -> float:
        return t - step_s if t < stepped else t

    def say(t: float, text: str) -> None:
        lines.append(f"[{milli(wall(t), east)} INFO] {text}")

    say(begin + 24, "Parsed 3 corpora from -data.")
    say(begin + 24.2, "Get special vocabs from Transforms: {'src': [], 'tgt': []}.")
    say(
        begin + 31,
        "The first 10 tokens of the vocabs are:['<unk>', '<blank>', '<s>', '</s>', ',', '.', 'de', '\u2581the', '\u2581,', 's']",
    )
    say(begin + 31, "The decoder start token is: <s>")
    say(begin + 33, "Building model...")
    say(begin + 38, "encoder: 44148736")
    say(begin + 38, "decoder: 58889088")
    say(begin + 38, "* number of parameters: 103037824")
    say(begin + 39, "Starting training on GPU: [0, 1, 2, 3]")
    say(begin + 39, "Start training loop and validate every 5000 steps...")
    t, step, valids = start, 0, []
    while True:
        dt = 100 * rng.gauss(0.523, 0.004)
        if t + dt > stuck:
            break
        t += dt
        step += 100
        xent = curve(rng, step, 8.9, 1.83, 2600, 0.008)
        acc = max(3.0, 74.5 - 8.6 * (xent - 1.6))
        lr = 0.0014 * min(step / 8000, (8000 / step) ** 0.5)
        say(
            t,
            f"Step {step}/{total}; acc: {acc:2.1f}; ppl: {2.71828**xent:5.1f}; xent: {xent:2.1f}; lr: {lr:7.5f}; sents: {rng.gauss(54900, 700):7.0f}; "
            f"bsz: {rng.gauss(3391, 20):4.0f}/{rng.gauss(3718, 22):4.0f}/{rng.gauss(137, 3):2.0f}; {3391 * 400 / dt:3.0f}/{3718 * 400 / dt:3.0f} tok/s; {t - start:6.0f} sec;",
        )
        if step % 5000 == 0:
            valids.append((t, t + 31))
            t += 31
            say(t, "valid stats calculation")
            say(t, f"                           took: {31.0 - 0.04:.6f} s.")
            say(t, f"Train perplexity: {2.71828 ** (xent * 1.21):.4g}")
            say(t, f"Validation perplexity: {2.71828 ** (xent * 1.02):.6g}")
            say(t, f"Validation accuracy: {acc + 0.4:.4f}")
            say(t, f"Saving checkpoint runs/enro_big_step_{step}.pt")
    for r in range(3):
        when = last - 2 + 0.08 * r
        head = f"[rank{r}]:[E506 {clock(when, east, '%H:%M:%S')}.{rng.randrange(10**9):09d}"
        work = f"WorkNCCL(SeqNum={step * 3 + 214}, OpType=ALLREDUCE, NumelIn=10485760, NumelOut=10485760, Timeout(ms)=600000)"
        lines += [
            f"{head} ProcessGroupNCCL.cpp:616] [Rank {r}] Watchdog caught collective operation timeout: {work} ran for {600011 + 20 * r} milliseconds before timing out.",
            f"{head} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Exception (either an error or timeout) detected by watchdog at work: {step * 3 + 214}, last enqueued NCCL work: {step * 3 + 214}, last completed NCCL work: {step * 3 + 213}.",
            f"{head} ProcessGroupNCCL.cpp:630] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head} ProcessGroupNCCL.cpp:636] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.",
            f"{head} ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with exception: [Rank {r}] Watchdog caught collective operation timeout: {work} ran for {600011 + 20 * r} milliseconds before timing out.",
        ]
    put(place, "enro-big-master-0.log", lines)

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 40 <= at <= last:
            return NOBODY
        if at < start:
            return Load(used=1500)
        if at >= stuck:
            return Load(used=19730 + 22 * g) if g == 3 else Load(1.0, 0.017, 0.0, 0.004, 19730 + 22 * g)
        if any(a <= at < b for a, b in valids):
            return Load(0.8, 0.5, 0.1, 0.3, 19730 + 22 * g)
        return Load(0.972, 0.72, 0.23, 0.44, 19730 + 22 * g, rx=3100, tx=3100)

    fleet = Fleet("A10G", [host], 4, load, begin - 120, last + 180, 15, 210, inlet=24)
    drop = ("MEM_COPY_UTIL", "PCIE_REPLAY_COUNTER", "TOTAL_ENERGY_CONSUMPTION", "FB_FREE")
    victoria(place, "export.jsonl", series(fleet, kube(fleet, "mt", ["enro-big-master-0"]), drop=drop))
    more = []
    for n in range(4):
        t = stuck + 137 + 120.8 * n
        more += [
            (t, f"INFO: task python:20418 blocked for more than {120 * (n + 1)} seconds."),
            (t, "      Tainted: P           OE     5.15.0-139-generic #149-Ubuntu"),
            (t, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
            (t, "task:python          state:D stack:    0 pid:20418 ppid: 20377 flags:0x00000002"),
            (t, "Call Trace:"),
            *(
                (t, f" {one}")
                for one in (
                    "<TASK>",
                    "__schedule+0x2cd/0x890",
                    "schedule+0x69/0x110",
                    "io_schedule+0x46/0x80",
                    "wait_on_page_bit_common+0x114/0x3e0",
                    "filemap_read+0x5d1/0xa30",
                    "nfs_file_read+0x6e/0xc0 [nfs]",
                    "new_sync_read+0x10d/0x1a0",
                    "vfs_read+0x102/0x1a0",
                    "ksys_read+0x67/0xf0",
                    "</TASK>",
                )
            ),
        ]
    kernel(place, f"dmesg-{host}.txt", quiet(rng, begin, "k8s") + more, "dmesg", east)
    stamp = clock(stepped, east, "%b %d %H:%M:%S")
    put(
        place,
        "chronyd.txt",
        [
            f"{clock(begin - 86120, east, '%b %d %H:%M:%S')} {host} chronyd[712]: Source 169.254.169.123 offline",
            f"{clock(wall(stepped - 9), east, '%b %d %H:%M:%S')} {host} chronyd[712]: Selected source 169.254.169.123",
            f"{clock(wall(stepped - 1), east, '%b %d %H:%M:%S')} {host} chronyd[712]: System clock wrong by {step_s} seconds",
            f"{stamp} {host} chronyd[712]: System clock was stepped by {step_s} seconds",
        ],
    )


def t11(place: Path, rng: Random) -> None:
    """C1: the third node never reaches the store of the first; after 75 minutes the wait is given up."""
    east, nodes = -360, ["a100-n05", "a100-n06", "a100-n11"]
    begin = epoch("2026-07-02T08:14:02", east)
    join, wait = begin + 131, 4500
    late = join + wait + 1
    end = late + 9
    lib = "/home/gorelov/venv/lib/python3.11/site-packages/torch/distributed"

    def stamp(t: float) -> str:
        return milli(t, east)

    for n, node in enumerate(nodes):
        lines = []
        for k in range(3):
            for r in (2 * n, 2 * n + 1):
                t = (begin + 58.2 + 0.217 * r, begin + 126.4 + 0.233 * r, join + 0.119 * r)[k]
                text = (
                    f"узел {node}, карта {r % 2}: NVIDIA A100-SXM4-80GB",
                    "индекс данных загружен: 18 442 107 записей",
                    f"подключаюсь к группе: tcp://{nodes[0]}:29400, WORLD_SIZE=6, таймаут 75 мин",
                )[k]
                lines.append(f"{stamp(t)} [ранг {r}] {text}")
        if n == 0:
            tail = [
                f'  File "{lib}/rendezvous.py", line 189, in _create_c10d_store',
                "    return TCPStore(",
                "           ^^^^^^^^^",
                f"torch.distributed.DistStoreError: Timed out after {wait + 1} seconds waiting for clients. 4/6 clients joined.",
            ]
            ranks = (0,)
        elif n == 1:
            tail, ranks = [], ()
        else:
            t = join
            while t < late - 140:
                t += 131 + rng.uniform(0, 3)
                for r in (4, 5):
                    mark = f"[W{clock(t + 0.02 * r, east, '%m%d').lstrip('0')} {clock(t, east, '%H:%M:%S')}.{rng.randrange(10**9):09d}"
                    lines.append(
                        f"{mark} socket.cpp:752] [c10d] The client socket has failed to connect to [{nodes[0]}.cluster.local]:29400 (errno: 110 - Connection timed out)."
                    )
            tail = [
                f'  File "{lib}/rendezvous.py", line 189, in _create_c10d_store',
                "    return TCPStore(",
                "           ^^^^^^^^^",
                f"torch.distributed.DistNetworkError: The client socket has timed out after {wait * 1000}ms while trying to connect to ({nodes[0]}, 29400).",
            ]
            ranks = (4, 5)
        for r in ranks:
            lines += [
                f"{stamp(late + 0.3 * r)} [ранг {r}] ошибка: не удалось создать группу процессов, выхожу",
                "Traceback (most recent call last):",
                '  File "/home/gorelov/lm/obuchenie.py", line 412, in <module>',
                "    main()",
                '  File "/home/gorelov/lm/obuchenie.py", line 77, in main',
                '    dist.init_process_group("nccl", init_method="env://", timeout=timedelta(minutes=75))',
                f'  File "{lib}/c10d_logger.py", line 81, in wrapper',
                "    return func(*args, **kwargs)",
                "           ^^^^^^^^^^^^^^^^^^^^^",
                f'  File "{lib}/distributed_c10d.py", line 1714, in init_process_group',
                "    store, rank, world_size = next(rendezvous_iterator)",
                "                              ^^^^^^^^^^^^^^^^^^^^^^^^^",
                f'  File "{lib}/rendezvous.py", line 274, in _env_rendezvous_handler',
                "    store = _create_c10d_store(",
                "            ^^^^^^^^^^^^^^^^^^^",
                *tail,
            ]
        if n == 1:
            for r in (2, 3):
                lines.append(f"{stamp(late + 2 + 0.1 * r)} [ранг {r}] ошибка: RuntimeError: Connection reset by peer")
        put(place, f"logs/obuchenie.{node}.log", lines)

    def load(n: int, g: int, at: float) -> Load:
        if n == 1 and at < begin - 250:
            return Load(0.99, 0.93, 0.68, 0.72, 66010 + 30 * g, rx=900, tx=900)
        return Load(used=0) if begin + 58 <= at <= end else NOBODY

    fleet = Fleet("A100", nodes, 2, load, begin - 1500, end + 300, 30, 211)
    victoria(place, "metrics/vm_export_dcgm.jsonl", series(fleet, plain(fleet)))
    for node in nodes:
        kernel(place, f"kernel/{node}.txt", quiet(rng, begin), "dmesg -T", east)


def t12(place: Path, rng: Random) -> None:
    """B2: a card of the second pod's node falls off the bus under fastai; the scrapes have holes."""
    east, nodes = 0, ["h200-k3", "h200-k7"]
    begin = epoch("2026-06-30T06:20:30", east)
    start, fail = begin + 118, begin + 88 * 60 + 12.7
    last = fail + 21
    lines = [
        "Resolved data path: /datasets/inat2021 (train 2,686,843 / valid 100,000)",
        "Training Learner...",
        "epoch     train_loss  valid_loss  accuracy  time    ",
    ]
    t, k, spans = start, 0, []
    while True:
        span = rng.gauss(911, 7)
        if t + span > fail:
            break
        train, valid = curve(rng, k, 5.41, 1.62, 2.2, 0.006), curve(rng, k, 4.62, 1.71, 2.0, 0.006)
        spans.append((t + span - 42, t + span))
        t += span
        lines.append(
            f"{k:<10}{train:<12.6f}{valid:<12.6f}{max(0.02, 0.93 - 0.19 * valid):<10.6f}{int(span) // 60:02d}:{int(span) % 60:02d}   "
        )
        k += 1
    date = clock(fail, east, "%m%d").lstrip("0")

    def mark(r: int, t: float) -> str:
        return f"[rank{r}]:[E{date} {clock(t, east, '%H:%M:%S')}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp"

    cuda = [
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
    ]
    worker = [
        f"{mark(13, fail + 1)}:1896] [PG ID 0 PG GUID 0(default_pg) Rank 13] Process group watchdog thread terminated with exception: CUDA error: unspecified launch failure",
        *cuda,
        "",
        "Exception raised from c10_cuda_check_implementation at /pytorch/c10/cuda/CUDAException.cpp:43 (most recent call first):",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x7f5b3a1785e8 in /opt/conda/lib/python3.11/site-packages/torch/lib/libc10.so)",
        "frame #1: c10::detail::torchCheckFail(char const*, char const*, unsigned int, std::string const&) + 0xe0 (0x7f5b3a10d4a2 in /opt/conda/lib/python3.11/site-packages/torch/lib/libc10.so)",
        "",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        *(
            f"W{clock(fail + 3, east, '%m%d %H:%M:%S')}.402000 61 site-packages/torch/distributed/elastic/multiprocessing/api.py:900] Sending process {one} closing signal SIGTERM"
            for one in (137, 138, 139, 140, 141, 143, 144)
        ),
    ]
    gone = "raised the following async exception: NCCL error: remote process exited or there was a network error, NCCL version 2.26.2"
    for pod, ranks in ((lines, range(8)),):
        pod += [
            f"{mark(r, fail + 14)}:556] [Rank {r}] Collective WorkNCCL(SeqNum=118742, OpType=ALLREDUCE, NumelIn=6563840, NumelOut=6563840, Timeout(ms)=600000) {gone}"
            for r in ranks
        ]
    for pod, rank, pid, node, when in ((worker, 5, 142, "worker-0", fail + 3), (lines, 2, 97, "master-0", fail + 15)):
        stamp = clock(when + 4, east, "%m%d %H:%M:%S")
        pod += [
            f"E{stamp}.713000 61 site-packages/torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -6) local_rank: {rank} (pid: {pid}) of binary: /opt/conda/bin/python",
            "Traceback (most recent call last):",
            '  File "/opt/conda/bin/accelerate", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/opt/conda/lib/python3.11/site-packages/accelerate/commands/launch.py", line 1188, in launch_command',
            "    multi_gpu_launcher(args)",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "train_inat.py FAILED",
            "-" * 60,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            "-" * 60,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {clock(when, east, '%Y-%m-%d_%H:%M:%S')}",
            f"  host      : inat-vit-{node}",
            f"  rank      : {rank if node == 'master-0' else rank + 8} (local_rank: {rank})",
            f"  exitcode  : -6 (pid: {pid})",
            "  error_file: <N/A>",
            f"  traceback : Signal 6 (SIGABRT) received by PID {pid}",
            "=" * 60,
        ]
    put(place, "logs/inat-vit-master-0.log", lines)
    put(place, "logs/inat-vit-worker-0.log", worker)
    items = []
    for n, pod in enumerate(("inat-vit-master-0", "inat-vit-worker-0")):
        done = {
            "exitCode": 1,
            "reason": "Error",
            "startedAt": clock(begin, east, ISO) + "Z",
            "finishedAt": clock(last - 4 * n, east, ISO) + "Z",
        }
        status = {"name": "pytorch", "ready": False, "restartCount": 0, "state": {"terminated": done}}
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": pod, "namespace": "bio"},
                "spec": {"nodeName": nodes[n], "restartPolicy": "Never"},
                "status": {"phase": "Failed", "containerStatuses": [status]},
            }
        )
    put(place, "pods.json", json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4) + "\n")

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 35 <= at <= last:
            return NOBODY
        if at < start:
            return Load(used=1300)
        if at > fail:
            return Load(1.0, 0.02, 0, 0.01, 88210 + 41 * g)
        if any(a <= at < b for a, b in spans):
            return Load(0.8, 0.5, 0.2, 0.3, 88210 + 41 * g)
        return Load(0.97, 0.75, 0.33, 0.42, 88210 + 41 * g)

    def alter(n: int, g: int, at: float, v: Values) -> Values:
        return {"XID_ERRORS": 79} if (n, g) == (1, 5) and at > fail else v

    holes = ((begin + 1500, begin + 1710), (begin + 3105, begin + 3460), (begin + 4600, begin + 4690))
    fleet = Fleet("H200NVL", nodes, 8, load, begin - 120, last + 300, 15, 212, alter, gaps=holes)
    drop = (*PROFILED, "MEM_COPY_UTIL", "FB_FREE", "TOTAL_ENERGY_CONSUMPTION", "MEM_CLOCK")
    pods = ["inat-vit-master-0", "inat-vit-worker-0"]
    query_range(place, "dcgm-query_range.json", series(fleet, kube(fleet, "bio", pods), drop=drop))
    pci = "0000:ba:00"
    more = [
        (fail - 0.02, "pcieport 0000:b9:01.0: DPC: containment event, status:0x1f01 source:0x0000"),
        (fail, f"NVRM: GPU at PCI:{pci}: {fleet.uuid(1, 5)}"),
        (fail, f"NVRM: Xid (PCI:{pci}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        (fail, f"NVRM: GPU {pci}.0: GPU has fallen off the bus."),
        (fail + 0.1, "NVRM: A GPU crash dump has been created. If possible, please run"),
        (fail + 0.1, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
        (fail + 0.1, "NVRM: the NVIDIA kernel module is unloaded."),
        (
            fail + 0.4,
            f"NVRM: Xid (PCI:{pci}): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
        ),
    ]
    for n, node in enumerate(nodes):
        kernel(place, f"journal/{node}.txt", quiet(rng, begin, "k8s") + (more if n else []), "journalctl", east, node)
