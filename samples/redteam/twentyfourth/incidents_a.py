"""Incidents t01 to t08 of the twenty-fourth set. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import account, bare, learn, matrix, milli, smi_csv, smi_exporter
from samples.redteam.twentyfourth.rig_site import (
    FREE,
    Hall,
    Work,
    coarse,
    held,
    mmu,
    pods,
    shake,
    spin,
    step_rows,
    still,
    ticks,
)
from samples.redteam.twentythird.rig_more import ISO, hms, job, sacct, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01(place: Path, rng: Random) -> None:
    """A training on four pods; one GPU of each second node was not asked for."""
    begin = when(6, 9, 12, 4)
    start, end = begin + 95, begin + 18 * 60 + 41
    nodes = [f"ip-10-41-7-{n}" for n in (18, 52, 77, 131)]
    full = Work(engine=0.97, sm=0.78, tensor=0.43, dram=0.52, mib=31240, rx=900, tx=410)

    def work(n: int, g: int, t: float) -> Work:
        if (n == 1 and g == 1) or t < begin + 22 or t >= end:
            return FREE
        if t < start:
            return held(2210)
        if end - 25 < t:
            return Work(engine=0.05, sm=0.01, mib=31240)
        if (t - start) % 300 > 288:
            return Work(engine=0.62, sm=0.44, tensor=0.2, dram=0.3, mib=31240)
        return shake(full, f"{n}{g}{t}")

    hall = Hall("L40S", nodes, 2, work, begin - 60, begin + 20 * 60 - 60, 5, 24011)
    names = [f"seg-unet-r3-{'master' if i == 0 else 'worker'}-{max(0, i - 1)}" for i in range(4)]
    for n in (0, 1, 3):
        matrix(place, f"metrics/{nodes[n]}.json", hall, bare(hall), only=[n])
    command = ["torchrun", "--nnodes=4", "--nproc-per-node=$(GPUS)", "-m", "satseg.fit", "conf/unet_r3.yaml"]
    pods(
        place, "pods.json", "geo", "seg-unet-r3", names, nodes, "registry.geo.lan/satseg:1.14", command, 2, (begin, end)
    )
    for n, node in enumerate(nodes):
        veth = f"veth{rng.getrandbits(32):08x}"
        more = [
            (begin - 2, f"cni0: port 9({veth}) entered blocking state"),
            (begin - 2, f"cni0: port 9({veth}) entered forwarding state"),
            (end + 3, f"cni0: port 9({veth}) entered disabled state"),
        ]
        still(place, f"dmesg/{node}.txt", rng, hall, n, "dmesg -T", 0, more)


def t02(place: Path, rng: Random) -> None:
    """The host's memory of the job's cgroup ran out after hours."""
    east, begin = -360, when(8, 14, 3, 11)
    start, end = begin + 74, begin + 169 * 60 + 12.4
    full = Work(engine=0.99, sm=0.87, tensor=0.6, dram=0.55, mib=104300, rx=400, tx=380)

    def work(_n: int, g: int, t: float) -> Work:
        if t < begin + 15 or t >= end + (4 if g != 2 else 0):
            return FREE
        return held(3900) if t < start else shake(full, f"{g}{t}", 1.0, 1.1)

    hall = Hall("H200", ["pdx-h200-03"], 4, work, begin - 120, begin + 171 * 60, 30, 24021)
    matrix(place, "prometheus.json", hall, bare(hall, "dcgm"))
    said = [
        f"W{clock(begin + 6, east, '%m%d %H:%M:%S')}.301000 40511 site-packages/torch/distributed/run.py:774] ",
        f"W{clock(begin + 6, east, '%m%d %H:%M:%S')}.301000 40511 site-packages/torch/distributed/run.py:774]"
        f" {'*' * 41}",
    ]

    def say(t: float, text: str, level: str = "INFO") -> None:
        said.append(f"[rank0]:[titan] {milli(t, east)} - root - {level} - {text}")

    for d, text in (
        (16, "Starting job: Llama 3 8B, fineweb-edu slice 7"),
        (18, "Deterministic mode is not set"),
        (18.4, "Building 1-D device mesh with ['dp_shard'], [4]"),
        (19.1, "[GC] Initial GC collection. 0.00 seconds."),
        (24.8, "Preparing fineweb_edu dataset from /data/hf/fineweb-edu-s7"),
        (
            31.7,
            "Building llama3 8B with TransformerModelArgs(_enforced='This field is used to enforce all fields"
            " have defaults.', dim=4096, n_layers=32, n_heads=32, n_kv_heads=8, vocab_size=128256)",
        ),
        (33.0, "CUDA capacity: NVIDIA H200 with 139.81GiB memory"),
        (33.9, "Model llama3 8B size: 8,030,261,248 total parameters"),
        (34.0, "Applied selective activation checkpointing to the model"),
        (34.6, "Compiling each TransformerBlock with torch.compile"),
        (34.9, "Applied FSDP to the model"),
        (36.3, "Peak FLOPS used for computing MFU: 9.890e+14"),
        (36.3, "CUDA memory usage for model: 7.49GiB(5.36%)"),
        (
            36.5,
            "Trainer is initialized with local batch size 4, global batch size 16, gradient accumulation steps 1,"
            " sequence length 8192, total steps 40000 (warmup 400).",
        ),
        (36.6, "Training starts at step 1."),
    ):
        say(begin + d, text)
    step, t = 1, start
    while t < end - 3:
        if step == 1 or step % 10 == 0:
            loss, norm = learn(rng, step, 12.2, 2.1, 260), abs(rng.gauss(0.9, 0.15)) + 6 / step
            tps = rng.randint(12080, 12240) if step > 1 else 871
            say(
                t,
                f"step: {step:2d}  loss: {loss:8.5f}  grad_norm: {norm:7.4f}  memory: 100.91GiB(72.18%)"
                f"  tps: {tps:,}  tflops: {tps * 0.05827:,.2f}  mfu: {tps * 0.05827 / 9.89:.2f}%",
            )
        if step % 50 == 0:
            say(t + 0.4, "[GC] Performing periodic GC collection. 0.04 seconds.")
        if step % 1000 == 0:
            say(t + 0.6, "Saving the checkpoint (or staging if async is enabled).")
            say(t + 9.8, f"Finished saving the checkpoint (or staging if async is enabled) in {9.2:.2f} seconds.")
            t += 9.5
        t += 32768 / 12160
        step += 1
    stamp = f"{clock(end + 1, east, '%m%d %H:%M:%S')}"
    api = "40511 site-packages/torch/distributed/elastic/multiprocessing/api.py"
    said += [
        f"W{stamp}.{117 + i}000 {api}:900] Sending process {p} closing signal SIGTERM"
        for i, p in enumerate((40588, 40589, 40591))
    ]
    said += [
        f"E{clock(end + 3, east, '%m%d %H:%M:%S')}.902000 {api}:874] failed (exitcode: -9) local_rank: 2 (pid: 40590)"
        " of binary: /opt/titan/bin/python3.12",
        "Traceback (most recent call last):",
        '  File "/opt/titan/bin/torchrun", line 10, in <module>',
        "    sys.exit(main())",
        '  File "/opt/titan/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "torchtitan.train FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(end + 1, east, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : pdx-h200-03",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : -9 (pid: 40590)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 40590",
        "=" * 60,
    ]
    put(place, "titan-llama8b.log", said)
    path = "/slurm/uid_70311/job_290417/step_batch/task_0"
    more = [
        (end - 0.91, "pt_data_worker invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0"),
        (end - 0.90, f"memory: usage 536870912kB, limit 536870912kB, failcnt {rng.randint(2000, 9000)}"),
        (
            end - 0.89,
            f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_batch,mems_allowed=0-1,"
            f"oom_memcg=/slurm/uid_70311/job_290417,task_memcg={path},task=python3.12,pid=40590,uid=70311",
        ),
        (
            end - 0.88,
            "Memory cgroup out of memory: Killed process 40590 (python3.12) total-vm:402118824kB,"
            " anon-rss:139120448kB, file-rss:401220kB, shmem-rss:118264kB, UID:70311 pgtables:290112kB oom_score_adj:0",
        ),
    ]
    still(place, "dmesg.txt", rng, hall, 0, "dmesg -T", east, more, "noble")


def t03(place: Path, rng: Random) -> None:
    """A fine-tuning met the limit of its partition."""
    begin = when(9, 1, 40, 7)
    start, end = begin + 210, begin + 370 * 60 + 21
    full = Work(engine=0.98, sm=0.81, tensor=0.52, dram=0.6, mib=118900, rx=600, tx=500)

    def work(_n: int, g: int, t: float) -> Work:
        if t < begin + 20 or t >= end:
            return FREE
        if t < start:
            return held(30200)
        return shake(full, f"{g}{t}", 0.92, 1.0)

    hall = Hall(
        "H200",
        ["gn14"],
        2,
        work,
        begin - 60,
        begin + 372 * 60,
        30,
        24031,
        alter=ticks({(0, 1): [begin + 4000, begin + 9100, begin + 9130, begin + 17222]}, 3),
    )
    matrix(place, "query_range.json", hall, bare(hall))
    said = [
        f"[{milli(begin + 14, 0)}] [INFO] [real_accelerator.py:254:get_accelerator] Setting ds_accelerator to cuda"
        " (auto detect)",
        f"[{milli(begin + 19, 0)}] [WARNING] [runner.py:220:fetch_hostfile] Unable to find hostfile, will proceed"
        " with training with local resources only.",
        f"[{milli(begin + 20, 0)}] [INFO] [launch.py:164:main] dist_world_size=2",
        f"[{milli(begin + 20, 0)}] [INFO] [launch.py:256:main] process 88714 spawned with command: ['/home/aoife/"
        "envs/med/bin/python', '-u', '--local_rank=0', 'sft.py', 'recipes/gemma27b_notes.yaml']",
        f"[{milli(begin + 31, 0)}] [INFO] [comm.py:669:init_distributed] cdb=None",
        "Loading checkpoint shards: 100%|██████████| 12/12 [01:31<00:00,  7.61s/it]",
        f"[{milli(begin + 160, 0)}] [INFO] [partition_parameters.py:366:__exit__] finished initializing model -"
        " num_params = 809, num_elems = 27.43B",
        "Parameter Offload - Persistent parameters statistics: param_count = 433, numel = 1240064",
    ]
    total, step, t = 9400, 0, start
    while t < end - 18:
        step += 1
        t += rng.gauss(3.62, 0.04)
        if step % 20 == 0:
            loss, epoch = learn(rng, step, 1.82, 0.83, 600, 0.03), step / 4700
            lr = 1e-5 * min(1, step / 280) * (1 - step / total)
            said.append(
                f"{{'loss': {loss:.4f}, 'grad_norm': {abs(rng.gauss(1.1, 0.2)):.16f}, 'learning_rate': {lr:.6e},"
                f" 'epoch': {epoch:.2f}}}"
            )
        if step % 100 == 0:
            took, left = t - start, (total - step) * 3.62
            said.append(
                f" {100 * step // total:2d}%|{'█' * (10 * step // total):<10}| {step}/{total}"
                f" [{hms(took)}<{hms(left)},  3.62s/it]"
            )
        if step % 1500 == 0:
            said.append(
                f"[{milli(t + 30, 0)}] [INFO] [logging.py:107:log_dist] [Rank 0] [Torch] Checkpoint"
                f" global_step{step} is about to be saved!"
            )
            said.append(
                f"[{milli(t + 88, 0)}] [INFO] [engine.py:3712:_save_zero_checkpoint] zero checkpoint saved"
                f" runs/notes27b/checkpoint-{step}/global_step{step}/zero_pp_rank_0_mp_rank_00_optim_states.pt"
            )
            t += 95
    said.append(
        f"slurmstepd: error: *** JOB 611902 ON gn14 CANCELLED AT {clock(end - 1, 0, ISO)} DUE TO TIME LIMIT ***"
    )
    put(place, "notes27b-611902.out", said)
    sacct(
        place,
        "sacct.txt",
        [
            job("611902", "notes27b", "h200", "TIMEOUT", "0:0", (begin - 40, begin, end), 0, "06:10:00", (1, "gn14")),
            job("611902.batch", "batch", "", "CANCELLED", "0:15", (begin, begin, end + 2), 0, "", (1, "gn14")),
            job("611902.ext+", "extern", "", "COMPLETED", "0:0", (begin, begin, end), 0, "", (1, "gn14")),
        ],
        bars=False,
    )
    still(place, "dmesg.log", rng, hall, 0, "dmesg", 0, (), "rocky")


def t04(place: Path, rng: Random) -> None:
    """A few steps of a long schedule, ended in order."""
    begin = when(12, 10, 30, 0)
    start, end = begin + 118, begin + 13 * 60 + 22
    nodes = ["a40-21", "a40-22", "a40-25"]
    full = Work(engine=0.98, sm=0.83, tensor=0.5, dram=0.62, mib=38800, rx=1900, tx=1800)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 12 or t >= end:
            return FREE
        if t < start or t > end - 34:
            return held(1900 if t < start else 38800)
        return shake(full, f"{n}{g}{t}")

    hall = Hall(
        "A40",
        nodes,
        4,
        work,
        begin - 40,
        begin + 14 * 60 + 20,
        5,
        24041,
        alter=ticks({(1, 2): [begin + 301, begin + 622], (2, 0): [begin + 455]}, 12),
    )
    matrix(place, "dcgm.json", hall, bare(hall), form="CLOCK_THROTTLE_REASONS")
    said = []

    def say(t: float, name: str, text: str, level: str = "INFO") -> None:
        stamp = milli(t, 0).replace(",", ".")
        said.append(f"{stamp}\ta40-21:0\tolmo_core.{name}\t{level}\t{text}")

    say(begin + 21, "train:98", "Multiprocessing start method set to 'spawn'")
    say(begin + 33, "nn.transformer.model:214", "Building transformer with 474,285,056 total params")
    say(begin + 41, "data.numpy_dataset:310", "Reading dataset fingerprints from /data/dolma/work")
    say(begin + 58, "train.train_module.transformer.train_module:171", "Applied FSDP to the model")
    say(begin + 66, "train.callbacks.checkpointer:209", "Saving checkpoint for step 0 to '/ckpt/olmo400m-v2/step0'...")
    say(begin + 84, "train.callbacks.checkpointer:231", "Checkpoint for step 0 saved successfully")
    say(begin + 85, "data.data_loader:512", "Epoch 1: 47,684 batches of 1,048,576 tokens")
    say(begin + 86, "train.trainer:655", "Training for 47,684 steps; hard stop at step 36")
    step, t, each = 0, start, 17.35
    for step in range(1, 37):
        t += each + rng.gauss(0, 0.12)
        loss = learn(rng, step, 11.31, 3.0, 130, 0.004)
        left = (36 - step) * each
        lines = [
            f"[step={step}/47684,epoch=1,eta={int(left // 3600)}:"
            f"{int(left // 60 % 60):02d}:{int(left % 60):02d}(hard stop)]",
            f"    optim/LR (group 0)={4e-4 * step / 2000:.3E}",
            f"    optim/total grad norm={rng.uniform(1.6, 3.4):.3f}",
            f"    train/CE loss={loss:.3f}",
            f"    train/PPL={2.718281828**loss:,.1f}",
            f"    throughput/device/TPS={87381 / each:,.0f}",
            f"    throughput/total tokens={step * 1048576:,d}",
        ]
        say(t, "train.callbacks.console_logger:79", "\n".join(lines))
    say(t + 1, "train.callbacks.checkpointer:209", "Saving checkpoint for step 36 to '/ckpt/olmo400m-v2/step36'...")
    say(t + 22, "train.callbacks.checkpointer:231", "Checkpoint for step 36 saved successfully")
    say(t + 23, "train.trainer:731", "Training complete")
    put(place, "olmo400m-v2.log", said)
    tres = "billing=48,cpu=96,gres/gpu=12,mem=1152G,node=3"
    rows = step_rows(
        "77120",
        "olmo400m-v2",
        "tsubasa",
        "a40",
        ("COMPLETED", "0:0"),
        ("COMPLETED", "0:0"),
        ("COMPLETED", "0:0"),
        (begin, end),
        0,
        tres,
        "a40-[21-22,25]",
        "a40-21",
    )
    account(
        place,
        "sacct.txt",
        [[r[0], r[1], *r[3:9], r[10]] for r in rows],
        ("JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "NodeList"),
        bars=True,
    )
    for n, node in enumerate(nodes):
        still(place, f"journal/{node}.log", rng, hall, n, "journalctl", 0)


def t05(place: Path, rng: Random) -> None:
    """A rank's host thread hung on a file system; the others waited in a collective."""
    east, begin = -360, when(13, 20, 15, 9)
    start, stuck, end = begin + 160, begin + 47 * 60 + 20, begin + 82 * 60 + 5
    nodes = ["lima03", "lima08"]
    full = Work(engine=0.98, sm=0.79, tensor=0.48, dram=0.53, mib=96400, rx=5200, tx=5100)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 18 or t >= end:
            return FREE
        if t < start:
            return held(4100)
        if t >= stuck:
            return held(96400) if (n, g) == (1, 5) else spin(96400)
        return shake(full, f"{n}{g}{t}")

    holes = [(begin + 1500, begin + 1680), (begin + 2500, begin + 2590), (begin + 3700, begin + 3910)]
    hall = Hall("H200", nodes, 8, work, begin - 90, begin + 83 * 60 + 30, 30, 24051, holes=holes)
    matrix(place, "range.json", hall, bare(hall, "dcgm-exporter"))
    rows = step_rows(
        "1830442",
        "vlm-s2",
        "pranav",
        "h200",
        ("CANCELLED by 20417", "0:0"),
        ("CANCELLED", "0:15"),
        ("CANCELLED", "0:15"),
        (begin, end),
        east,
        "billing=256,cpu=192,gres/gpu=16,mem=3000G,node=2",
        "lima[03,08]",
        "lima03",
        task="bash",
    )
    heads = (
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
    account(place, "sacct.psv", rows, heads, bars=True)
    still(place, "lima03.journal", rng, hall, 0, "journalctl", east, (), "rocky")
    more = []
    for i in range(4):
        t = stuck + 100 + 122.88 * (i + 1)
        more += [
            (t, f"INFO: task python3:71844 blocked for more than {122 + 122 * i} seconds."),
            (t + 0.001, "      Tainted: P           OE      -------  ---  5.14.0-503.40.1.el9_5.x86_64 #1"),
            (t + 0.002, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
            (t + 0.003, "task:python3         state:D stack:0     pid:71844 tgid:71844 ppid:71702 flags:0x00000002"),
            (t + 0.004, "Call Trace:"),
            (t + 0.005, " cl_sync_io_wait+0x1b4/0x3e0 [obdclass]"),
            (t + 0.006, " ll_file_read_iter+0x2f1/0x600 [lustre]"),
            (t + 0.007, " vfs_read+0x1f1/0x320"),
        ]
    more.append(
        (
            stuck + 31,
            "LustreError: 11-0: sc2-OST0017-osc-ffff9d1: operation ost_read to node 10.9.4.17@o2ib failed: rc = -107",
        )
    )
    still(place, "lima08.journal", rng, hall, 1, "journalctl", east, more, "rocky")


def t06(place: Path, rng: Random) -> None:
    """A small training on two desks, with noisy words, that finished."""
    east, begin = -360, when(14, 15, 20, 30)
    start, end = begin + 55, begin + 103 * 60 + 8
    nodes = ["desk-hopper", "desk-noether"]
    full = Work(engine=0.94, sm=0.76, tensor=0.35, dram=0.55, mib=17900, rx=900, tx=600)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 14 or t >= end:
            return FREE
        if t < start:
            return held(900)
        return shake(full, f"{n}{g}{t}", 0.85, 1.0)

    hall = Hall("4090", nodes, 1, work, begin - 45, begin + 104 * 60 + 15, 15, 24061)
    columns = (
        "index",
        "name",
        "pstate",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "memory.total",
        "power.draw",
        "clocks.current.sm",
    )
    for n, node in enumerate(nodes):
        smi_csv(place, f"{node}-smi.csv", hall, n, east, columns)
    said = [
        "The following values were not passed to `accelerate launch` and had defaults used instead:",
        "\t`--dynamo_backend` was set to a value of `'no'`",
        "To avoid this warning pass in values for each of the problematic parameters or run `accelerate config`.",
        "[rank0]:[W1014 09:21:02.118402114 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank 0]  using GPU 0 to"
        " perform barrier as devices used by this process are currently unknown. This can potentially cause a hang"
        " if this rank to GPU mapping is incorrect.",
    ]

    def say(t: float, text: str, level: str = "INFO") -> None:
        said.append(f"{clock(t, east, '%m/%d/%Y %H:%M:%S')} - {level} - __main__ - {text}")

    say(
        begin + 22,
        "Distributed environment: MULTI_GPU  Backend: nccl\nNum processes: 2\nProcess index: 0\n"
        "Local process index: 0\nDevice: cuda:0\n\nMixed precision type: bf16\n",
    )
    say(begin + 40, "could not read 3 of 41877 clips, Error: moov atom not found; skipped", "WARNING")
    say(begin + 52, "***** Running training *****")
    say(begin + 52, "  Num examples = 41874")
    say(begin + 52, "  Num epochs = 6")
    say(begin + 52, "  Total optimization steps = 7848")
    each, t = (end - 40 - start - 6 * 30) / 7848, start
    for step in range(1, 7849):
        t += each
        if step % 50 == 0:
            say(
                t,
                f"step {step}: loss={learn(rng, step, 2.9, 0.41, 900, 0.03):.4f} grad={abs(rng.gauss(0.7, 0.1)):.3f}"
                f" lr={3e-4 * (1 - step / 7848):.3e}",
            )
        if step in (911, 4402):
            say(t, "[Errno 110] Connection timed out while sending metrics, retrying in 20 s (attempt 1/5)", "ERROR")
            said += [
                "Traceback (most recent call last):",
                '  File "/home/ines/gait/hooks.py", line 61, in push',
                "    self.session.post(self.url, json=row, timeout=10)",
                "requests.exceptions.ConnectTimeout: HTTPConnectionPool(host='10.2.0.9', port=8428): Max retries"
                " exceeded with url: /api/v1/import",
            ]
            say(t + 21, "metrics sent after retry")
        if step % 1308 == 0:
            epoch = step // 1308
            t += 30
            say(
                t,
                f"epoch {epoch}: eval_loss={learn(rng, step, 2.7, 0.47, 900, 0.01):.4f}"
                f" error_rate={0.31 * 0.72**epoch:.4f} fatal_misses=0",
            )
            say(t + 2, f"Saving current state to out/gait-b/epoch_{epoch}")
    say(t + 8, "best checkpoint: epoch_6; model written to out/gait-b/final")
    say(t + 9, "done in 6128.4 s")
    put(place, "train.log", said)


def t07(place: Path, rng: Random) -> None:
    """A job in line after another began at the beginning again."""
    east, begin = -480, when(15, 18, 2, 40)
    first, start, end = begin - 8 * 3600 - 300, begin + 120, begin + 70 * 60
    nodes = ["hx-11", "hx-12"]
    full = Work(engine=0.95, sm=0.74, tensor=0.44, dram=0.5, mib=121000, rx=2100, tx=1900)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 30 or t >= end:
            return FREE
        if t < start:
            return held(121000)
        if (t - start) % 410 > 380:
            return shake(Work(engine=0.7, sm=0.5, tensor=0.3, dram=0.4, mib=121000), f"{n}{g}{t}")
        return shake(full, f"{n}{g}{t}")

    hall = Hall("H200", nodes, 2, work, begin - 60, begin + 65 * 60, 15, 24071)
    smi_exporter(place, "nvidia_smi.json", hall)

    def log(t0: float, epochs: int, total: int, stop: float | None) -> list[str]:
        out = [
            f"{clock(t0 + 20, east)}.404182: I tensorflow/core/platform/cpu_feature_guard.cc:210] This"
            " TensorFlow binary"
            " is optimized to use available CPU instructions in performance-critical operations.",
            f"I0000 00:00:{int(t0 + 28)}.118245   52110 gpu_device.cc:2020] Created device"
            " /job:worker/replica:0/task:0/"
            "device:GPU:0 with 137034 MB memory:  -> device: 0, name: NVIDIA H200, pci bus id: 0000:18:00.0,"
            " compute capability: 9.0",
            "INFO:tensorflow:MultiWorkerMirroredStrategy with cluster_spec = {'worker': ['hx-11:12345',"
            " 'hx-12:12345']},"
            " task_type = 'worker', task_id = 0, num_workers = 2, communication_options ="
            " (options: bytes_per_pack=0, timeout_seconds=None, implementation=CommunicationImplementation.NCCL)",
            f"{clock(t0 + 35, east, '%H:%M:%S')} run=/proj/asr-ctc/run42 epochs={total} batch=512 resume=auto",
        ]
        for e in range(1, epochs + 1):
            sec = rng.randint(403, 414)
            loss = learn(rng, e - 0.6, 4.9, 0.62, 2.2, 0.008)
            val = learn(rng, e, 4.4, 0.68, 2.2, 0.008)
            out.append(f"Epoch {e}/{total}")
            out.extend(
                f"{k}/2150 {'━' * int(20 * k / 2150)}{' ' * (20 - int(20 * k / 2150))}"
                f" {(2150 - k) * 188 // 60000}:{(2150 - k) * 188 // 1000 % 60:02d} 188ms/step - loss:"
                f" {loss * (1.02 + 0.25 * (1 - k / 2150) / e):.4f}"
                for k in (600, 1200, 1800)
            )
            out.append(
                f"2150/2150 {'━' * 20} {sec}s 189ms/step - loss: {loss:.4f} - val_loss: {val:.4f} -"
                " learning_rate: 5.0000e-04"
            )
        if stop:
            out += [
                f"Epoch {epochs + 1}/{total}",
                f"slurmstepd: error: *** STEP 90114.0 ON hx-11 CANCELLED AT {clock(stop, east, ISO)} DUE TO"
                " TIME LIMIT ***",
            ]
        return out

    put(place, "slurm-90114.out", log(first, 69, 100, first + 8 * 3600))
    put(place, "slurm-90115.out", [*log(begin, 9, 100, None)])
    both = "hx-[11-12]"
    rows = [
        job(
            "90098",
            "fold-gnn",
            "h200",
            "FAILED",
            "1:0",
            (first - 9000, first - 8000, first - 900),
            east,
            "1-00:00:00",
            (1, nodes[1]),
        ),
        job(
            "90114",
            "asr-ctc",
            "h200",
            "TIMEOUT",
            "0:0",
            (first - 600, first, first + 8 * 3600 + 4),
            east,
            "08:00:00",
            (2, both),
        ),
        job(
            "90114.batch",
            "batch",
            "",
            "CANCELLED",
            "0:15",
            (first, first, first + 8 * 3600 + 5),
            east,
            "",
            (1, nodes[0]),
        ),
        job(
            "90115",
            "asr-ctc",
            "h200",
            "RUNNING",
            "0:0",
            (first - 590, begin, begin + 65 * 60),
            east,
            "08:00:00",
            (2, both),
        ),
        job("90115.0", "python", "", "RUNNING", "0:0", (begin, begin + 3, begin + 65 * 60), east, "", (2, both)),
    ]
    for row in rows[-2:]:
        row[7] = "Unknown"
    sacct(place, "sacct.txt", rows)
    more = [(first - 903, mmu(hall.bus(1), 33817, "python3", rng))]
    still(place, "hx-11.dmesg", rng, hall, 0, "dmesg -T", east, (), "rocky", before=40000)
    still(place, "hx-12.dmesg", rng, hall, 1, "dmesg -T", east, more, "rocky", before=40000)


def t08(place: Path, rng: Random) -> None:
    """An end with a plain exit code and no word of it."""
    begin = when(16, 7, 25, 51)
    start, end = begin + 66, begin + 175 * 60 + 32
    nodes = ["celda4", "celda6"]
    full = Work(engine=0.98, sm=0.92, tensor=0.62, dram=0.66, mib=20350, rx=1500, tx=1300)

    def work(n: int, g: int, t: float) -> Work:
        if t < begin + 14 or t >= end:
            return FREE
        return held(1100) if t < start else shake(full, f"{n}{g}{t}", 0.99, 1.12)

    hall = Hall("4090", nodes, 2, work, begin - 60, begin + 177 * 60, 15, 24081)
    matrix(place, "gpu_celda4.json", hall, bare(hall), only=[0], keep=coarse)
    said = [
        f"[{clock(begin + 12, 0, '%d/%m %H:%M:%S')}] proceso 0 de 4 en celda4, puerto 29617",
        f"[{clock(begin + 31, 0, '%d/%m %H:%M:%S')}] corpus: 1.204.118 frases, vocabulario 32.000",
        f"[{clock(begin + 40, 0, '%d/%m %H:%M:%S')}] modelo con 211,4 M de parámetros; comienza el entrenamiento",
    ]
    step, t = 0, start
    while t < end - 22:
        step += 1
        t += 0.911
        if step % 100 == 0:
            loss = learn(rng, step, 9.6, 2.31, 700, 0.012)
            said.append(
                f"[{clock(t, 0, '%d/%m %H:%M:%S')}] paso {step:6d} | pérdida {loss:.4f} | norma"
                f" {abs(rng.gauss(0.8, 0.1)):.3f} | {rng.randint(71200, 72400)} tokens/s"
            )
        if step % 3000 == 0:
            said.append(f"[{clock(t + 5, 0, '%d/%m %H:%M:%S')}] guardado salida/mt_qu_es/paso{step:06d}.pt")
            t += 6
    put(place, "registro_rank0.txt", said)
    rows = step_rows(
        "5219",
        "mt_qu_es",
        "wcondori",
        "rtx",
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        ("FAILED", "1:0"),
        (begin, end),
        0,
        "billing=32,cpu=32,gres/gpu=4,mem=200G,node=2",
        "celda[4,6]",
        "celda4",
        task="python",
    )
    heads = (
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
    account(place, "sacct.txt", rows, heads, bars=True)
    for n, node in enumerate(nodes):
        still(place, f"{node}.dmesg", rng, hall, n, "dmesg -T", 0)
