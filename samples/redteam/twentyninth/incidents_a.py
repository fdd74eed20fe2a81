"""t01 to t08 of the twenty-ninth set: incidents as a site hands them over. SIMULATED: none of it is a real job's."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import (
    account,
    bare,
    dmon,
    learn,
    matrix,
    milli,
    smi_csv,
    took,
)
from samples.redteam.twentyfourth.rig_site import (
    FREE,
    STEP_HEAD,
    Hall,
    Work,
    boot_log,
    coarse,
    held,
    pods,
    shake,
    spin,
    still,
    ticks,
)
from samples.redteam.twentythird.rig_more import ISO, job, sacct, torchrun_end, when

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from samples.redteam.twentyfirst.rig_incidents import Row

OLD: Final = "CLOCK_THROTTLE_REASONS"


def _scontrol(pairs: Sequence[str]) -> list[str]:
    """One job as ``scontrol show job`` has it: its first line flush left, the others indented by three."""
    return [pairs[0], *(f"   {one}" for one in pairs[1:]), ""]


def t01(place: Path, rng: Random) -> None:
    """A small network for scans of lungs, trained to its last epoch."""
    east, host = 480, "hpc-v3"
    begin = when(13, 2, 4, 10)
    start, first, epochs, span = begin + 64, begin + 88, 14, 97.4
    finish = first + epochs * span + 6.243
    train = Work(engine=0.965, sm=0.74, tensor=0.27, dram=0.52, mib=17840)
    check = Work(engine=0.71, sm=0.48, tensor=0.2, dram=0.33, mib=17840)

    def work(_n: int, _g: int, t: float) -> Work:
        if t < start + 11 or t > finish + 1.5:
            return FREE
        if t < first or t > finish - 6:
            return held(1210 if t < first else 17840)
        part = (t - first) % span
        return shake(train if part < 86.5 else check if part < 96 else held(17840), f"a{t}")

    hall = Hall("V100", [host], 1, work, begin, begin + 27 * 60, 5, 4411)
    matrix(place, f"prom/{host}.json", hall, bare(hall, "dcgm"), keep=coarse, form=OLD)
    still(place, "dmesg.txt", rng, hall, 0, "dmesg", east)
    lines: list[str] = []

    def say(t: float, event: str, **more: object) -> None:
        stamp = f"{clock(t, east, ISO)}.{int(t * 1000) % 1000:03d}+08:00"
        lines.append(json.dumps({"ts": stamp, "event": event, **more}))

    say(start + 9.318, "start", run="airway-unet", host=host, torch="2.4.1+cu121", pid=88127)
    say(start + 9.377, "config", base_channels=48, patch=[96, 96, 96], batch=4, lr=0.0006, epochs=epochs, amp=True)
    say(start + 13.911, "data", train_cases=412, val_cases=46, cache_gb=31.8)
    say(start + 15.204, "device", name="Tesla V100-SXM2-32GB", mem_gib=31.7)
    say(start + 15.966, "model", params=22841203)
    best = 0.0
    for e in range(epochs):
        at = first + e * span
        for i in range(1, 7):
            step = e * 618 + i * 103
            loss = learn(rng, step, 1.21, 0.148, 420, 0.03)
            say(
                at + i * 14.35 + rng.uniform(0, 0.2),
                "train",
                epoch=e,
                step=step,
                loss=round(loss, 4),
                its=round(7.16 + rng.gauss(0, 0.03), 2),
            )
        dice = 0.931 - 0.52 * (1 + e * 1.1) ** -0.9 + rng.gauss(0, 0.003)
        say(
            at + 95.6 + rng.uniform(0, 0.2),
            "val",
            epoch=e,
            dice=round(dice, 4),
            hd95=round(3.1 + 14 * (1 + e) ** -0.8, 2),
        )
        if dice > best:
            best = dice
            say(
                at + 96.5 + rng.uniform(0, 0.2),
                "saved",
                path=f"/lustre/home/qlin/airway/runs/1013/best_e{e:02d}.pt",
                dice=round(dice, 4),
            )
    say(finish - 5.117, "saved", path="/lustre/home/qlin/airway/runs/1013/last.pt")
    say(finish, "end", epochs=epochs, best_dice=round(best, 4), wall_s=round(finish - start - 9.3, 1))
    put(place, "airway-204417.jsonl", lines)
    stop = finish + 2.1

    def shown(number: int, state: str, why: str, code: str, a: float, b: float) -> list[str]:
        when_ = [clock(x, east, ISO) for x in (a - 3, a, b)]
        return _scontrol(
            [
                f"JobId={number} JobName=airway",
                "UserId=qlin(20418) GroupId=medimg(3007) MCS_label=N/A",
                "Priority=40213 Nice=0 Account=medimg QOS=normal",
                f"JobState={state} Reason={why} Dependency=(null)",
                f"Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode={code}",
                f"RunTime={took(int(b) - int(a))} TimeLimit=02:00:00 TimeMin=N/A",
                f"SubmitTime={when_[0]} EligibleTime={when_[0]}",
                f"StartTime={when_[1]} EndTime={when_[2]} Deadline=N/A",
                "Partition=v100 AllocNode:Sid=login2:301774",
                f"NodeList={host}",
                f"BatchHost={host}",
                "NumNodes=1 NumCPUs=10 NumTasks=1 CPUs/Task=10 ReqB:S:C:T=0:0:*:*",
                "TRES=cpu=10,mem=90G,node=1,billing=10,gres/gpu=1",
                "Command=/lustre/home/qlin/airway/go.sh",
                "WorkDir=/lustre/home/qlin/airway",
                f"StdOut=/lustre/home/qlin/airway/airway-{number}.jsonl",
            ]
        )

    early = begin - 611
    shown_ = shown(204409, "FAILED", "NonZeroExitCode", "1:0", early, early + 38)
    put(place, "scontrol_show_job.txt", shown_ + shown(204417, "COMPLETED", "None", "0:0", start, stop))


def t02(place: Path, rng: Random) -> None:
    """Eight GPUs in step, one of them shared with somebody's two other processes from some moment on."""
    east, host = 60, "volta04"
    begin = when(20, 12, 31)
    start, first = begin + 58, begin + 171
    joined, quick, slow, steps = 472.0, 3.214, 9.47, 200
    ends, t = [first + 41.7], first + 41.7
    while len(ends) < steps:
        t += (quick if t < begin + joined else slow) * rng.gauss(1, 0.006)
        ends.append(t)
    finish = t + 7
    mib = 24390.0
    even = Work(engine=0.995, sm=0.76, dram=0.49, mib=mib)
    wait = Work(engine=1.0, sm=0.285, dram=0.19, mib=mib)
    other = Work(engine=1.0, sm=0.86, dram=0.44, mib=4380)
    both = Work(engine=1.0, sm=0.885, dram=0.57, mib=mib + 4380)

    def work(_n: int, g: int, t: float) -> Work:
        guest = g == 5 and t >= begin + joined
        if t < start + 16 or t > finish + 4:
            return shake(other, f"b{t}{g}") if guest else FREE
        if t < first:
            return held(mib)
        if t < ends[0]:
            return Work(engine=0.08, sm=0.03, dram=0.02, mib=mib)
        if t < begin + joined:
            return shake(even, f"b{t}{g}", 0.97)
        if t > ends[-1]:
            return shake(both if t < finish else other, f"b{t}{g}") if guest else held(mib)
        return shake(both if guest else wait, f"b{t}{g}", 0.95)

    hall = Hall("V100", [host], 8, work, begin, begin + 28 * 60, 30, 881)
    dmon(place, f"dcgmi_dmon_{host}.log", hall, 0, east, "%b %d %H:%M:%S")
    still(place, f"dmesg_{host}.txt", rng, hall, 0, "dmesg", east, flavour="rocky")
    stamp = clock(start + 19, east, "%Y-%m-%d %H:%M:%S")
    unix = [f"{start + 19.431872 + x:.6f}" for x in (0.0, 0.004713)]
    factory = "when one has already been registered"
    lines = [
        f"{stamp}.417302: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:485] Unable to register cuFFT"
        f" factory: Attempting to register factory for plugin cuFFT {factory}",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
        f"E0000 00:00:{unix[0]} 1290417 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register"
        f" factory for plugin cuDNN {factory}",
        f"E0000 00:00:{unix[1]} 1290417 cuda_blas.cc:1418] Unable to register cuBLAS factory: Attempting to register"
        f" factory for plugin cuBLAS {factory}",
        f"{stamp}.960114: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find"
        " TensorRT",
        "Running Model: default",
        "Updating following parameters in config",
        "",
        "run_name: nordic1b-fp32-a",
        "base_output_directory: /work/projects/nlp07/maxtext_out",
        "dataset_path: /work/projects/nlp07/nordic",
        "hardware: gpu",
        f"steps: {steps}",
        "per_device_batch_size: 2",
        "max_target_length: 2048",
        "dtype: float32",
        "attention: dot_product",
        "ici_fsdp_parallelism: 8",
        "enable_checkpointing: true",
        "checkpoint_period: 1000",
        "System Information: Jax Version: 0.4.35",
        "System Information: Jaxlib Version: 0.4.35",
        "System Information: Jax Backend: PJRT C API",
        "CUDA 12060",
        "Found 8 devices.",
        "Decided on mesh: [[[[[[[[[0]]]]] [[[[[1]]]]] [[[[[2]]]]] [[[[[3]]]]] [[[[[4]]]]] [[[[[5]]]]] [[[[[6]]]]]"
        " [[[[[7]]]]]]]]]",
        "Num_devices: 8, shape (1, 1, 8, 1, 1, 1, 1, 1)",
        "Creating checkpoint manager...",
        "Checkpoint manager created!",
        "Restoring checkpoint using existing checkpoint manager.",
        "No existing checkpoints found, not restoring checkpoint.",
        "number parameters: 1.104 billion",
        "Per train step:",
        " Total TFLOPs: 29.61 ",
        " split as 91.63% learnable weight flops and 8.37% attention flops",
        f"W1020 {clock(first + 21, east, '%H:%M:%S')}.118240 1290988 hlo_rematerialization.cc:3005] Can't reduce memory"
        " use below 17.22GiB (18493816422 bytes) by rematerialization; only reduced to 18.05GiB (19383113728 bytes),"
        " down from 19.61GiB (21060374528 bytes) originally",
    ]
    before = first
    for i, end in enumerate(ends):
        took_ = end - before
        before = end
        loss = learn(rng, i, 10.83, 2.9, 24, 0.008)
        lines.append(
            f"completed step: {i}, seconds: {took_:.3f}, TFLOP/s/device: {29.61 / took_:.3f}, Tokens/s/device:"
            f" {4096 / took_:.3f}, total_weights: 32768, loss: {loss:.3f}"
        )
        if i == 0:
            lines.append("To see full metrics 'tensorboard --logdir=/work/projects/nlp07/maxtext_out/tensorboard/'")
    lines += ["Memstats: After train loop:"]
    lines += [f"\tUsing (GB) 3.47 / 23.74 (14.616681%) on cuda:{g}" for g in range(8)]
    put(place, "maxtext-61882.out", lines)
    rows = [
        job("61882", "mt-nordic1b", "volta", "COMPLETED", "0:0", (start - 212, start, finish + 5), east, "01:00:00",
            (1, host)),
    ]  # fmt: skip
    sacct(place, "sacct.txt", rows)


def t03(place: Path, rng: Random) -> None:
    """Thirty-two ranks, one of which stops feeding itself while the others wait."""
    east = -360
    nodes = ["gn05", "gn06", "gn07", "gn08"]
    begin = when(8, 15, 2)
    start, first = begin + 310, begin + 377
    froze = begin + 61 * 60 + 17.4
    died = froze + 1800.6
    done = died + 41
    mib = 15220.0
    train = Work(engine=0.94, sm=0.61, tensor=0.17, dram=0.43, mib=mib)

    def work(n: int, g: int, t: float) -> Work:
        if t < start + 28 or t > died + (29 if (n, g) == (2, 3) else 6):
            return FREE
        if t < first:
            return held(900 if t < start + 50 else 2400)
        if t < froze:
            return shake(train, f"c{n}{g}{t}", 0.9)
        return held(mib) if (n, g) == (2, 3) else spin(mib)

    hall = Hall("V100", nodes, 8, work, begin, begin + 7200, 60, 3391)
    for n, host in enumerate(nodes):
        matrix(place, f"metrics/{host}.json", hall, bare(hall), only=[n], form=OLD)
        more: list[tuple[float, str]] = []
        if n == 2:
            more = [(froze - 21.3, "nfs: server 10.20.4.13 not responding, still trying")]
            for k, pid in enumerate((77412, 77418)):
                t = froze + 118 + k * 0.02
                more += [
                    (t, f"INFO: task pt_data_worker:{pid} blocked for more than 120 seconds."),
                    (t + 0.001, "      Tainted: P           OE     5.15.0-151-generic #161-Ubuntu"),
                    (t + 0.002, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
                    (t + 0.003, f"task:pt_data_worker  state:D stack:    0 pid:{pid} ppid: 76981 flags:0x00004002"),
                    (t + 0.004, "Call Trace:"),
                    (t + 0.005, " <TASK>"),
                    (t + 0.006, " __schedule+0x24e/0x590"),
                    (t + 0.007, " schedule+0x69/0x110"),
                    (t + 0.008, " io_schedule+0x46/0x80"),
                    (t + 0.009, " folio_wait_bit_common+0x10c/0x3d0"),
                    (t + 0.010, " filemap_read+0x5a8/0xab0"),
                    (t + 0.011, " nfs_file_read+0x6f/0xd0 [nfs]"),
                    (t + 0.012, " vfs_read+0xcd/0x1a0"),
                    (t + 0.013, " </TASK>"),
                ]
            more.append((died + 22.8, "nfs: server 10.20.4.13 OK"))
        still(place, f"kernel/{host}.log", rng, hall, n, "journalctl", east, more)
    lines: list[str] = []

    def say(t: float, who: str, words: str) -> None:
        lines.append(f"[{clock(t, east, '%m/%d %H:%M:%S')} {who}]: {words}")

    lines += [
        "Command Line Args: Namespace(config_file='configs/shelf_mask_R101.yaml', resume=False, eval_only=False,"
        f" num_gpus=8, num_machines=4, machine_rank={n}, dist_url='tcp://gn05:53117', opts=[])"
        for n in (0, 2, 1, 3)
    ]
    say(start + 44, "detectron2", "Rank of current process: 0. World size: 32")
    say(start + 45, "detectron2", "Contents of args.config_file=configs/shelf_mask_R101.yaml:")
    lines += [
        '_BASE_: "./Base-RCNN-FPN.yaml"',
        "MODEL:",
        '  WEIGHTS: "/proj/retail/weights/R-101.pkl"',
        "  MASK_ON: True",
        "  RESNETS:",
        "    DEPTH: 101",
        "SOLVER:",
        "  IMS_PER_BATCH: 64",
        "  BASE_LR: 0.08",
        "  STEPS: (15000, 20000)",
        "  MAX_ITER: 22500",
        "",
    ]
    say(start + 45, "detectron2", "Full config saved to ./output/shelf_r101/config.yaml")
    say(start + 52, "d2.data.datasets.coco", "Loading /proj/retail/shelf/annotations/train.json takes 6.88 seconds.")
    say(start + 53, "d2.data.datasets.coco", "Loaded 151204 images in COCO format from .../annotations/train.json")
    say(start + 57, "d2.data.build", "Removed 318 images with no usable annotations. 150886 images left.")
    say(start + 58, "d2.data.build", "Using training sampler TrainingSampler")
    say(start + 58, "d2.data.common", "Serializing 150886 elements to byte tensors and concatenating them all ...")
    say(start + 61, "d2.data.common", "Serialized dataset takes 402.18 MiB")
    say(start + 63, "d2.checkpoint.detection_checkpoint", "[DetectionCheckpointer] Loading from R-101.pkl ...")
    say(first, "d2.engine.train_loop", "Starting training from iteration 0")
    pace, i = 0.4171, 19
    while first + (i + 1) * pace < froze:
        t = first + (i + 1) * pace
        lr = 0.08 * min(1, 0.001 + (i + 1) / 1000)
        cls, box, mask = (learn(rng, i, a, b, 700, 0.03) for a, b in ((3.1, 0.21), (0.62, 0.26), (0.69, 0.24)))
        obj, loc = (learn(rng, i, a, b, 500, 0.04) for a, b in ((0.66, 0.05), (0.21, 0.06)))
        left = int((22500 - i) * pace)
        now = pace + rng.gauss(0, 0.006)
        say(
            t,
            "d2.utils.events",
            f" eta: {left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}  iter: {i}  total_loss:"
            f" {cls + box + mask + obj + loc:.4g}  loss_cls: {cls:.4g}  loss_box_reg: {box:.4g}  loss_mask: {mask:.4g}"
            f"  loss_rpn_cls: {obj:.4g}  loss_rpn_loc: {loc:.4g}    time: {pace:.4f}  last_time: {now:.4f}  data_time:"
            f" {0.0118 + rng.uniform(0, 0.003):.4f}  last_data_time: {0.0094 + rng.uniform(0, 0.006):.4f}"
            f"   lr: {lr:.5g}  max_mem: 12417M",
        )
        if (i + 1) % 5000 == 0:
            say(t + 0.4, "fvcore.common.checkpoint", f"Saving checkpoint to ./output/shelf_r101/model_{i:07d}.pth")
        i += 20
    seq = int((froze - first) / pace) * 9 + 1207
    order = [r for r in range(32) if r != 19]
    rng.shuffle(order)
    words = {}
    for r in order:
        late = 1800000 + rng.randrange(60, 990)
        words[r] = (
            f"[Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE,"
            f" NumelIn=6816768, NumelOut=6816768, Timeout(ms)=1800000) ran for {late} milliseconds before timing out."
        )
        lines.append(f"[E ProcessGroupNCCL.cpp:475] {words[r]}")
    for r in order[:9]:
        lines += [
            "[E ProcessGroupNCCL.cpp:489] Some NCCL operations have failed or timed out. Due to the asynchronous nature"
            " of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            "[E ProcessGroupNCCL.cpp:495] To avoid data inconsistency, we are taking the entire process down.",
            f"[E ProcessGroupNCCL.cpp:916] [Rank {r}] NCCL watchdog thread terminated with exception: {words[r]}",
            "terminate called after throwing an instance of 'std::runtime_error'",
            f"  what():  [Rank {r}] NCCL watchdog thread terminated with exception: {words[r]}",
        ]
    lib = "/proj/retail/envs/d2/lib/python3.10/site-packages"
    for task, local in ((1, 2), (0, 5), (3, 0), (2, 6)):
        lines += [
            "Traceback (most recent call last):",
            '  File "/proj/retail/shelf/train_net.py", line 171, in <module>',
            "    launch(",
            f'  File "{lib}/detectron2/engine/launch.py", line 69, in launch',
            "    mp.start_processes(",
            f'  File "{lib}/torch/multiprocessing/spawn.py", line 202, in start_processes',
            "    while not context.join():",
            f'  File "{lib}/torch/multiprocessing/spawn.py", line 145, in join',
            "    raise ProcessExitedException(",
            f"torch.multiprocessing.spawn.ProcessExitedException: process {local} terminated with signal SIGABRT",
            f"srun: error: {nodes[task]}: task {task}: Exited with exit code 1",
        ]
    put(place, "shelf_r101-73350.out", lines)
    early = start - 26 * 3600 - 741
    rows = [
        job("73128", "shelf_r101", "gpu-v100", "COMPLETED", "0:0", (early - 66, early, early + 9804), east, "06:00:00",
            (4, "gn[05-08]")),
        job("73350", "shelf_r101", "gpu-v100", "FAILED", "1:0", (start - 1207, start, done), east, "06:00:00",
            (4, "gn[05-08]")),
    ]  # fmt: skip
    sacct(place, "sacct_shelf.txt", rows, bars=False)


def _describe(
    name: str,
    space: str,
    node: str,
    ip: str,
    image: str,
    args: Sequence[str],
    gpus: int,
    times: tuple[float, float],
    east: int,
    code: int,
    labels: Sequence[str],
) -> list[str]:
    """What ``kubectl describe pod`` says of one that ended; its clock is the caller's."""  # fmt: skip
    zone = f"+{east // 60:02d}{east % 60:02d}"
    long = [clock(t, east, f"%a, %d %b %Y %H:%M:%S {zone}") for t in times]
    return [
        f"Name:             {name}",
        f"Namespace:        {space}",
        "Priority:         0",
        "Service Account:  default",
        f"Node:             {node}/{ip}",
        f"Start Time:       {long[0]}",
        f"Labels:           {labels[0]}",
        *(f"                  {one}" for one in labels[1:]),
        "Annotations:      <none>",
        "Status:           Failed" if code else "Status:           Succeeded",
        "Containers:",
        "  train:",
        f"    Image:         {image}",
        "    Port:          <none>",
        "    Command:",
        *(f"      {one}" for one in args),
        "    State:          Terminated",
        "      Reason:       Error" if code else "      Reason:       Completed",
        f"      Exit Code:    {code}",
        f"      Started:      {clock(times[0] + 3, east, f'%a, %d %b %Y %H:%M:%S {zone}')}",
        f"      Finished:     {long[1]}",
        "    Ready:          False",
        "    Restart Count:  0",
        "    Limits:",
        f"      memory:          {80 * gpus}Gi",
        f"      nvidia.com/gpu:  {gpus}",
        "    Requests:",
        f"      cpu:             {12 * gpus}",
        f"      memory:          {80 * gpus}Gi",
        f"      nvidia.com/gpu:  {gpus}",
        "Conditions:",
        "  Type              Status",
        "  Initialized       True ",
        "  Ready             False ",
        "  ContainersReady   False ",
        "  PodScheduled      True ",
        "QoS Class:                   Burstable",
        "Events:                      <none>",
    ]


def t04(place: Path, rng: Random) -> None:
    """Four pods of two ranks; the two of the last never reach the first's store."""
    east = 60
    nodes = ["kg-a100-02", "kg-a100-03", "kg-a100-07", "kg-a100-11"]
    names = ["zipf-l-0-q9dzk", "zipf-l-1-5m2vt", "zipf-l-2-x8rcb", "zipf-l-3-lw6hs"]
    begin = when(15, 18, 20)
    start = begin + 19 * 60 + 7
    joins = [start + 31.2, start + 34.9, start + 30.1, start + 33.3]
    out = joins[0] + 10801.7

    def work(_n: int, _g: int, _t: float) -> Work:
        return FREE

    errors = [begin + x for x in (1312, 4108, 4171, 7730, 11904)]
    hall = Hall("A100", nodes, 2, work, begin, begin + 238 * 60, 30, 7210, ticks({(1, 1): errors}, 212))
    for n, host in enumerate(nodes):
        matrix(place, f"dcgm/{host}.json", hall, bare(hall, "dcgm-exporter"), only=[n], form=OLD)
        more = []
        for k in range(2):
            veth = f"cali{rng.getrandbits(44):011x}"
            more.append((start - 1.2 + k * 0.1, f"IPv6: ADDRCONF(NETDEV_CHANGE): {veth}: link becomes ready"))
        still(place, f"journal/{host}.txt", rng, hall, n, "journalctl", east, more, "noble")
    app = "/workspace/icefall/egs/podcasts/ASR/zipformer/train_nodes.py"
    lib = "/opt/conda/lib/python3.10/site-packages/torch"

    def trail(local: int, deepest: Sequence[str]) -> list[str]:
        return [
            "Traceback (most recent call last):",
            f'  File "{app}", line 1402, in <module>',
            "    main()",
            f'  File "{app}", line 1395, in main',
            "    mp.spawn(run, args=(args.world_size, args), nprocs=args.gpus_per_node, join=True)",
            f'  File "{lib}/multiprocessing/spawn.py", line 240, in spawn',
            "    return start_processes(fn, args, nprocs, join, daemon, start_method='spawn')",
            f'  File "{lib}/multiprocessing/spawn.py", line 198, in start_processes',
            "    while not context.join():",
            f'  File "{lib}/multiprocessing/spawn.py", line 160, in join',
            "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
            "torch.multiprocessing.spawn.ProcessRaisedException: ",
            "",
            f"-- Process {local} terminated with the following error:",
            "Traceback (most recent call last):",
            f'  File "{lib}/multiprocessing/spawn.py", line 69, in _wrap',
            "    fn(i, *args)",
            f'  File "{app}", line 1128, in run',
            "    setup_dist(rank, world_size, params.master_port, timeout_hours=3)",
            '  File "/workspace/icefall/icefall/dist.py", line 41, in setup_dist',
            '    dist.init_process_group("nccl", rank=rank, world_size=world_size, timeout=timeout)',
            f'  File "{lib}/distributed/distributed_c10d.py", line {deepest[0]}, in init_process_group',
            *deepest[1:],
            "",
        ]

    store = [
        "754",
        "    store, rank, world_size = next(rendezvous_iterator)",
        f'  File "{lib}/distributed/rendezvous.py", line 246, in _env_rendezvous_handler',
        "    store = _create_c10d_store(master_addr, master_port, rank, world_size, timeout)",
        f'  File "{lib}/distributed/rendezvous.py", line 177, in _create_c10d_store',
        "    return TCPStore(",
    ]
    barrier = [
        "786",
        "    _store_based_barrier(rank, store, timeout)",
        f'  File "{lib}/distributed/distributed_c10d.py", line 343, in _store_based_barrier',
        "    worker_count = store.add(store_key, 0)",
        "RuntimeError: Connection reset by peer",
    ]
    port = 29611
    ends = []
    for n, host in enumerate(nodes):
        lines = [
            f"+ node={n} of 4 on {host}: $(nvidia-smi -L | wc -l)=2",
            f"+ export MASTER_ADDR=zipf-l-0.zipf-l.speech.svc.cluster.local MASTER_PORT={port}",
            "+ getent hosts zipf-l-0.zipf-l.speech.svc.cluster.local",
            f"10.244.{'12.88' if n == 3 else '7.31'}     zipf-l-0.zipf-l.speech.svc.cluster.local",
            f"{clock(start + 9.4 + n * 0.3, east)} launcher: copying manifests to /dev/shm (18 files)",
            f"{clock(start + 24.8 + n * 0.2, east)} launcher: manifests ready, 2.1G",
            f"{clock(start + 24.9 + n * 0.2, east)} launcher: python3 zipformer/train_nodes.py --world-size 8"
            f" --gpus-per-node 2 --node-rank {n} --num-epochs 30 --use-fp16 1 --max-duration 900"
            f" --exp-dir /nfs/speech/exp/zipf-l --master-port {port}",
        ]
        stop = out + 1.4 + 0.6 * n
        if n == 0:
            lines += trail(0, [*store, "RuntimeError: Timed out after 10801 seconds waiting for clients. 6/8 clients"
                               " joined."])  # fmt: skip
        elif n < 3:
            lines += trail(0 if n == 1 else 1, barrier)
        else:
            lines += trail(
                1,
                [*store, "TimeoutError: The client socket has timed out after 10800s while trying to connect to"
                 f" (zipf-l-0.zipf-l.speech.svc.cluster.local, {port})."],
            )  # fmt: skip
            stop = joins[3] + 10803
        ends.append(stop)
        put(place, f"pods/{names[n]}.log", lines)
    told: list[str] = []
    for n, host in enumerate(nodes):
        told += _describe(
            names[n], "speech", host, f"10.31.0.{41 + 3 * n}", "registry.kg.internal/speech/icefall:torch1.13.1-cu116",
            ["/bin/bash", "/nfs/speech/launch/zipf_l.sh"], 2, (start, ends[n]), east, 1,
            ["batch.kubernetes.io/job-name=zipf-l", f"batch.kubernetes.io/job-completion-index={n}"],
        )  # fmt: skip
        told += ["", ""]
    put(place, "kubectl_describe_pods.txt", told)


def t05(place: Path, rng: Random) -> None:
    """A contrastive run that trains its first epoch and falls over its own evaluation."""
    east = 0
    nodes = [f"ip-10-8-{x}.ec2.internal" for x in ("12-41", "14-203", "15-9", "15-118")]
    names = ["clip-eu-b16-master-0", *(f"clip-eu-b16-worker-{i}" for i in range(3))]
    begin = when(27, 6, 12)
    start, first = begin + 204, begin + 322
    each, per, count = 3.074, 32768, 3120
    last = first + each * count
    fell = last + 27.6
    mib = 61840.0
    train = Work(engine=0.97, sm=0.73, tensor=0.36, dram=0.46, mib=mib)

    def work(n: int, g: int, t: float) -> Work:
        if t < start + 38 or t > fell + (3 if n == 0 else 10):
            return FREE
        if t < first:
            return held(1480)
        if t < last:
            return shake(train, f"e{n}{g}{t}", 0.94)
        if (n, g) == (0, 0):
            return Work(engine=0.55, sm=0.31, tensor=0.12, dram=0.2, mib=mib)
        return spin(mib)

    def alive(n: int, _g: int, t: float, one: Row) -> Row | None:
        return one if start < t < fell + 14 + n else None

    hall = Hall("A100", nodes, 8, work, begin, begin + 176 * 60, 30, 55, alive)

    def labels(n: int, g: int) -> dict[str, str]:
        return {
            **bare(hall, "gpu-operator")(n, g),
            "container": "pytorch",
            "namespace": "vision",
            "pod": names[n],
        }

    matrix(place, "query_range.json", hall, labels, keep=coarse, form=OLD)
    for n, host in enumerate(nodes):
        still(place, f"node-logs/{host}.kernel.log", rng, hall, n, "journalctl", east)
    lines: list[str] = []

    def say(t: float, words: str, level: str = "INFO") -> None:
        lines.append(f"{clock(t, east, '%Y-%m-%d,%H:%M:%S')} | {level} | {words}")

    say(start + 44, "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0),"
        " total 32.")  # fmt: skip
    say(start + 45, "Loaded ViT-B-16 model config.")
    say(start + 52, "Model:")
    lines += ["CLIP(", "  (visual): VisionTransformer(", "    (conv1): Conv2d(3, 768, kernel_size=(16, 16), stride=(16,"
              " 16), bias=False)", "  )", "  (token_embedding): Embedding(49408, 512)", ")"]  # fmt: skip
    say(start + 52, "Params:")
    for key, value in (
        ("accum_freq", 1), ("batch_size", 1024), ("dataset_type", "webdataset"), ("epochs", 32),
        ("eval_recall_json", "/fsx/eval/recall_sets.json"), ("gather_with_grad", True), ("local_loss", True),
        ("lr", 0.001), ("model", "ViT-B-16"), ("precision", "amp_bfloat16"), ("save_frequency", 1),
        ("train_data", "/fsx/eu-pairs/{00000..11999}.tar"), ("train_num_samples", count * per), ("warmup", 2000),
        ("world_size", 32), ("zeroshot_frequency", 0),
    ):  # fmt: skip
        say(start + 52, f"  {key}: {value}")
    say(first - 41, "Start epoch 0")
    step, whole = 0, count * per
    while step < count:
        t = first + (step + 1) * each
        loss = learn(rng, step, 10.39, 2.6, 330, 0.012)
        mean = (loss * 3 + learn(rng, step * 0.8, 10.39, 2.6, 330, 0.0)) / 4
        rate = per / each * rng.gauss(1, 0.01)
        lr = 0.001 * (step + 1) / 2000 if step < 2000 else 0.001
        say(
            t,
            f"Train Epoch: 0 [{(step + 1) * per:>9}/{whole} ({100 * (step + 1) / count:.0f}%)] Data (t):"
            f" {0.061 + rng.uniform(0, 0.03):.3f} Batch (t): {each * rng.gauss(1, 0.01):.3f}, {rate:.6g}/s,"
            f" {rate / 32:.6g}/s/gpu LR: {lr:.6f} Logit Scale: {14.286 + 40 * (step / count) ** 1.4:.3f}"
            f" Contrastive_loss: {loss:.5g} ({mean:.5g}) Loss: {loss:.5g} ({mean:.5g})",
        )
        if rng.random() < 0.24:
            gone = rng.randrange(4, 60)
            say(
                t + rng.uniform(4, 147),
                rng.choice(
                    (
                        f"Handling webdataset error (OSError('image file is truncated ({gone} bytes not processed)'))."
                        " Ignoring.",
                        "Handling webdataset error (UnidentifiedImageError('cannot identify image file <_io.BytesIO"
                        f" object at 0x7f{rng.getrandbits(40):010x}>')). Ignoring.",
                    )
                ),
                "WARNING",
            )
        step += 50 if step + 50 < count or step == count - 1 else count - 1 - step
    say(last + 4, "Epoch 0 checkpoint written to /fsx/runs/clip-eu-b16/checkpoints/epoch_1.pt")
    say(last + 5, "Starting recall evaluation: 4 sets")
    say(last + 17, "recall[flickr30k-en] i2t@1 0.1184 t2i@1 0.0873 (1000 images)")
    say(last + 26, "recall[xm3600-de] 3600 images")
    lines += [
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "<frozen runpy>", line 198, in _run_module_as_main',
        '[rank0]:   File "<frozen runpy>", line 88, in _run_code',
        '[rank0]:   File "/src/open_clip/src/open_clip_train/main.py", line 552, in <module>',
        "[rank0]:     main(sys.argv[1:])",
        '[rank0]:   File "/src/open_clip/src/open_clip_train/main.py", line 497, in main',
        "[rank0]:     metrics = recall_sets.evaluate_all(unwrap_model(model), tokenizer, args, completed_epoch)",
        '[rank0]:   File "/src/open_clip/src/open_clip_train/recall_sets.py", line 88, in evaluate_all',
        "[rank0]:     captions = [pick(item['captions'][spec.lang]) for item in items]",
        '[rank0]:   File "/src/open_clip/src/open_clip_train/recall_sets.py", line 88, in <listcomp>',
        "[rank0]:     captions = [pick(item['captions'][spec.lang]) for item in items]",
        "[rank0]:                 ~~~~~~~~~~~~~~~~^^^^^^^^^^^",
        "[rank0]: KeyError: 'de-DE'",
    ]
    lines += torchrun_end(
        fell + 2, east, names[0], "open_clip_train.main", 0, 0, 71, 38, 1, " ".join(str(72 + i) for i in range(7))
    )
    put(place, f"logs/{names[0]}.log", lines)
    for n in range(1, 4):
        lead = [
            "W1027 " + clock(start + 31, east, "%H:%M:%S") + f".{310 + n}000 37 site-packages/torch/distributed/run.py"
            ":766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your"
            " system being overloaded, please further tune the variable for optimal performance in your application as"
            " needed."
        ]
        rank = n * 8
        gone = [
            f"[rank{rank}]: Traceback (most recent call last):",
            f'[rank{rank}]:   File "/src/open_clip/src/open_clip_train/main.py", line 503, in main',
            f"[rank{rank}]:     torch.distributed.barrier()",
            f"[rank{rank}]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/"
            "ProcessGroupNCCL.cpp:2027, remote process exited or there was a network error, NCCL version 2.26.2",
            f"[rank{rank}]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting"
            " prematurely.",
            f"[rank{rank}]: Last error:",
            f"[rank{rank}]: socketProgress: Connection closed by remote peer clip-eu-b16-master-0<{33210 + 7 * n}>",
        ]
        end = torchrun_end(fell + 5 + n, east, names[n], "open_clip_train.main", rank, 0, 71, 37, 1,
                           " ".join(str(72 + i) for i in range(7)))  # fmt: skip
        put(place, f"logs/{names[n]}.log", lead + gone + end)
    pods(
        place, "pods.json", "vision", "clip-eu-b16", names, nodes,
        "602401143452.dkr.ecr.eu-west-1.amazonaws.com/vision/openclip:2.32-torch2.7.1",
        ["torchrun", "--nnodes=4", "--nproc-per-node=8", "-m", "open_clip_train.main",
         "--config", "/fsx/runs/b16.args"],
        8, (start, fell + 13), 1,
    )  # fmt: skip


def t06(place: Path, rng: Random) -> None:
    """Two GPUs fine-tune, and the memory of one of them gives up."""
    east, host, pod = 60, "mlnode-3", "ds-legal-sft-7xk2p"
    begin = when(22, 9, 40, 15)
    start, first = begin + 96, begin + 187
    broke = begin + 13 * 60 + 22.418337
    gone = broke + 7.6
    mib = 27340.0
    train = Work(engine=0.96, sm=0.71, tensor=0.33, dram=0.5, mib=mib)

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 18 or t > gone:
            return FREE
        if t < first:
            return held(6100)
        return shake(train, f"f{g}{t}", 0.93) if t < broke else held(mib) if g else spin(mib)

    def alter(_n: int, g: int, t: float, one: Row) -> Row:
        hit = g == 1 and t >= broke
        one |= {"RETIRED_SBE": 0, "RETIRED_DBE": int(hit), "RETIRED_PENDING": int(hit)}
        if hit:
            one |= {"ECC_DBE_VOL_TOTAL": 1, "XID_ERRORS": 45}
        return one

    hall = Hall("V100", [host], 2, work, begin, begin + 18 * 60, 60, 6071, alter)
    matrix(place, f"metrics-{host}.json", hall, bare(hall, "dcgm"), keep=coarse, form=OLD)
    bus = f"PCI:0000:{hall.bus(1)[:2].lower()}:00"
    said = [
        *boot_log(rng, begin, hall.of.driver, "jammy"),
        (start - 2.218, "eth0: renamed from veth5c01aa7"),
        (
            broke,
            f"NVRM: Xid ({bus}): 48, pid=214077, name=python, An uncorrectable double bit error (DBE) has been detected"
            " on GPU in the framebuffer at partition 3, subpartition 1.",
        ),
        (
            broke + 0.021,
            f"NVRM: Xid ({bus}): 63, pid=214077, name=python, Dynamic Page Retirement: New page retired, reboot to"
            " activate (0x00000000004b81e2).",
        ),
        *(
            (broke + 0.034 + 0.001 * k, f"NVRM: Xid ({bus}): 45, pid=214077, name=python, Ch {8 + k:08x}")
            for k in range(8)
        ),
    ]
    lines = [
        f"{clock(t, east, ISO)},{int(t * 1e6) % 10**6:06d}+01:00 {words}"
        for t, words in sorted(said, key=lambda x: x[0])
    ]
    put(place, f"dmesg-{host}.txt", lines)
    log: list[str] = []

    def say(t: float, where: str, words: str, level: str = "INFO") -> None:
        log.append(f"[{milli(t, east)}] [{level}] [{where}] {words}")

    say(start + 8, "real_accelerator.py:203:get_accelerator", "Setting ds_accelerator to cuda (auto detect)")
    say(start + 11, "runner.py:568:main", "cmd = /opt/conda/bin/python -u -m deepspeed.launcher.launch"
        " --world_info=eyJsb2NhbGhvc3QiOiBbMCwgMV19 --master_addr=127.0.0.1 --master_port=29500"
        " --enable_each_rank_log=None sft.py --base /models/bloomz-1b7 --corpus /data/rulings.jsonl --seq 1024"
        " --deepspeed ds_z2.json")  # fmt: skip
    say(start + 14.013, "launch.py:145:main", "WORLD INFO DICT: {'localhost': [0, 1]}")
    say(start + 14.013, "launch.py:151:main", "nnodes=1, num_local_procs=2, node_rank=0")
    say(start + 14.013, "launch.py:163:main", "dist_world_size=2")
    say(start + 14.014, "launch.py:165:main", "Setting CUDA_VISIBLE_DEVICES=0,1")
    say(start + 20, "comm.py:637:init_distributed", "cdb=None")
    say(start + 20.1, "comm.py:668:init_distributed",
        "Initializing TorchBackend in DeepSpeed with backend nccl")  # fmt: skip
    log.append("loaded 38117 rulings, 31904 packed windows of 1024")
    say(start + 61, "logging.py:96:log_dist", "[Rank 0] DeepSpeed info: version=0.12.6, git-hash=unknown,"
        " git-branch=unknown")  # fmt: skip
    say(start + 69, "logging.py:96:log_dist", "[Rank 0] DeepSpeed Flops Profiler Enabled: False")
    say(start + 72, "logging.py:96:log_dist", "[Rank 0] Creating torch.float16 ZeRO stage 2 optimizer")
    say(start + 72.1, "stage_1_and_2.py:148:__init__", "Reduce bucket size 200000000")
    say(start + 72.1, "stage_1_and_2.py:149:__init__", "Allgather bucket size 200000000")
    say(start + 72.1, "stage_1_and_2.py:150:__init__", "CPU Offload: False")
    say(first - 1, "logging.py:96:log_dist", "[Rank 0] DeepSpeed Final Optimizer = FusedAdam")
    step, pace = 1, 2.93714
    for scale in (65536, 32768):
        say(first + pace * step, "loss_scaler.py:190:update_scale", "[deepspeed] OVERFLOW! Rank 0 Skipping step."
            f" Attempted loss scale: {scale}, reducing to {scale // 2}")  # fmt: skip
        step += 1
    step = 10
    while first + step * pace < broke:
        t = first + 0.0137 + step * pace + rng.gauss(0, 0.04)
        lr = 2e-05 * min(1, step / 40)
        say(t, "logging.py:96:log_dist", f"[Rank 0] step={step}, skipped=2, lr=[{lr:.6g}, {lr:.6g}], mom=[[0.9, 0.95],"
            " [0.9, 0.95]]")  # fmt: skip
        rate = 16 / pace
        say(t + 0.0011, "timer.py:260:stop", f"epoch=0/micro_step={step * 4}/global_step={step},"
            f" RunningAvgSamplesPerSec={rate * rng.gauss(1, 0.001):.14g},"
            f" CurrSamplesPerSec={rate * rng.gauss(1, 0.01):.14g}, MemAllocated=12.88GB, MaxMemAllocated=23.41GB")  # fmt: skip
        log.append(f"step {step} loss {learn(rng, step, 2.94, 1.61, 60, 0.02):.4f}")
        step += 10
    log += [
        "Traceback (most recent call last):",
        '  File "/work/sft.py", line 141, in <module>',
        "    main()",
        '  File "/work/sft.py", line 122, in main',
        "    engine.backward(out.loss)",
        '  File "/opt/conda/lib/python3.10/site-packages/deepspeed/utils/nvtx.py", line 15, in wrapped_fn',
        "    ret_val = func(*args, **kwargs)",
        '  File "/opt/conda/lib/python3.10/site-packages/deepspeed/runtime/engine.py", line 1955, in backward',
        "    self.optimizer.backward(loss, retain_graph=retain_graph)",
        '  File "/opt/conda/lib/python3.10/site-packages/deepspeed/runtime/zero/stage_1_and_2.py", line 2019, in'
        " backward",
        "    self.loss_scaler.backward(loss.float(), retain_graph=retain_graph)",
        '  File "/opt/conda/lib/python3.10/site-packages/deepspeed/runtime/fp16/loss_scaler.py", line 63, in backward',
        "    scaled_loss.backward(retain_graph=retain_graph)",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py", line 492, in backward',
        "    torch.autograd.backward(",
        '  File "/opt/conda/lib/python3.10/site-packages/torch/autograd/__init__.py", line 251, in backward',
        "    Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be"
        " incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    say(broke + 5.1, "launch.py:315:sigkill_handler", "Killing subprocess 214")
    say(broke + 5.4, "launch.py:315:sigkill_handler", "Killing subprocess 215")
    say(broke + 6.0, "launch.py:321:sigkill_handler", "['/opt/conda/bin/python', '-u', 'sft.py', '--local_rank=1',"
        " '--base', '/models/bloomz-1b7', '--corpus', '/data/rulings.jsonl', '--seq', '1024', '--deepspeed',"
        " 'ds_z2.json'] exits with return code = 1", "ERROR")  # fmt: skip
    put(place, f"{pod}.log", log)
    put(place, "kubectl_get_pods.txt", [
        f"NAME{' ' * (len(pod) - 1)}READY   STATUS   RESTARTS   AGE   IP             NODE       NOMINATED NODE"
        "   READINESS GATES",
        f"{pod}   0/1     Error    0          19m   10.244.3.118   mlnode-3   <none>           <none>",
    ])  # fmt: skip
    put(place, "kubectl_describe_pod.txt", _describe(
        pod, "legal-nlp", host, "192.168.40.13", "harbor.uni.local/nlp/deepspeed:0.12.6-cu118",
        ["deepspeed", "--num_gpus=2", "sft.py"], 2, (start, gone + 1), east, 1,
        ["app=ds-legal-sft", "batch.kubernetes.io/job-name=ds-legal-sft"],
    ))  # fmt: skip


def t07(place: Path, rng: Random) -> None:
    """Sharded training of documents of any length; one batch after five hours is too long for its GPU."""
    east, host = 0, "ada-g12"
    begin = when(5, 21, 3, 40)
    start, first = begin + 171, begin + 268
    pace = 5.83
    died = begin + 318 * 60 + 33.6
    base = 36900.0

    def peak(g: int, t: float) -> float:
        """What the allocator has kept by then: it grows by the longest batch so far."""
        seen = Random(f"g{g}")
        kept, at = base + seen.uniform(0, 500), first + 90
        while at < t:
            kept = max(kept, base + min(5150, seen.expovariate(1 / 640)))
            at += 470
        return min(kept, 41650.0)

    train = Work(engine=0.97, sm=0.69, tensor=0.34, dram=0.58)

    def work(_n: int, g: int, t: float) -> Work:
        if t < start + 22 or t > died + 5:
            return FREE
        if t < first:
            return held(2600 if t < start + 60 else 9800)
        mib = 42600.0 if g == 5 and t > died - 12 else peak(g, t)
        w = shake(train, f"h{g}{t}", 0.88)
        return Work(engine=w.engine, sm=w.sm, tensor=w.tensor, dram=w.dram, mib=mib)

    hall = Hall("L40S", [host], 8, work, begin, begin + 324 * 60, 30, 1207)
    columns = ["index", "name", "temperature.gpu", "utilization.gpu", "utilization.memory", "memory.used",
               "memory.total", "power.draw", "clocks.current.sm", "clocks_event_reasons.active",
               "ecc.errors.uncorrected.volatile.total"]  # fmt: skip
    smi_csv(place, f"gpu_{host}.csv", hall, 0, east, columns)
    table = place / f"gpu_{host}.csv"
    table.write_text(table.read_text().replace("clocks_event_reasons.active", "clocks_throttle_reasons.active", 1))
    still(place, f"dmesg_{host}.log", rng, hall, 0, "dmesg -T", east, flavour="rocky")
    lines = [
        f"[{clock(start + 31, east)}] world 8, host {host}, torch 2.7.1+cu126",
        f"[{clock(start + 34, east)}] reading index /scratch/pat/patents_v4.idx: 6120443 documents, longest 32611"
        " tokens",
        f"[{clock(start + 58, east)}] building decoder: 24 layers, d 2560, vocab 50304 -> 2.14B parameters",
        f"[{clock(start + 83, east)}] FULL_SHARD, bf16 params / fp32 reduce, no activation checkpointing",
        f"[{clock(start + 84, east)}] AdamW lr 2.0e-04, batches by bucket, at most 12288 tokens a rank",
    ]
    step = 0
    while True:
        step += 20
        t = first + step * pace + rng.uniform(-1, 1)
        if t > died - 9:
            break
        lr = 2e-4 * min(1, step / 500)
        lines.append(
            f"[{clock(t, east)}] step {step:>5} | loss {learn(rng, step, 10.86, 2.31, 260, 0.012):.4f} | gnorm"
            f" {0.42 + 2.1 / (1 + step / 80) + abs(rng.gauss(0, 0.05)):.3f}"
            f" | lr {lr:.2e} | {98304 / pace * rng.gauss(0.93, 0.02):.0f} tok/s"
        )
        if step % 1000 == 0:
            lines.append(f"[{clock(t + 11, east)}] wrote /scratch/pat/ckpt/step_{step:06d} (8 shards, 24.9 GB)")
    lib = "/home/shared/conda/envs/t27/lib/python3.11/site-packages/torch"
    trace = [
        "Traceback (most recent call last):",
        '  File "/home/ikoch/patlm/fit.py", line 233, in <module>',
        "    fit(parse())",
        '  File "/home/ikoch/patlm/fit.py", line 187, in fit',
        "    loss = model(batch.ids, batch.cu_lens, labels=batch.labels)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/nn/modules/module.py", line 1751, in _wrapped_call_impl',
        "    return self._call_impl(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/nn/modules/module.py", line 1762, in _call_impl',
        "    return forward_call(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/distributed/fsdp/fully_sharded_data_parallel.py", line 864, in forward',
        "    output = self._fsdp_wrapped_module(*args, **kwargs)",
        "             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/home/ikoch/patlm/decoder.py", line 141, in forward',
        "    loss = F.cross_entropy(logits.float().view(-1, self.vocab), labels.view(-1))",
        "                           ^^^^^^^^^^^^^^",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.30 GiB. GPU 5 has a total capacity of 44.40"
        " GiB of which 2.18 GiB is free. Including non-PyTorch memory, this process has 42.13 GiB memory in use. Of the"
        " allocated memory 38.96 GiB is allocated by PyTorch, and 2.37 GiB is reserved by PyTorch but unallocated. If"
        " reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to"
        " avoid fragmentation.  See documentation for Memory Management "
        " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    lines += [f"[rank5]: {one}" for one in trace]
    pids = [903311 + i for i in range(8)]
    ended = torchrun_end(
        died + 1.8, east, host, "fit.py", 5, 5, pids[5], 903250, 1, " ".join(str(p) for p in pids if p != pids[5])
    )
    lines += [one.replace("/opt/venv", "/home/shared/conda/envs/t27") for one in ended]
    lines.append(f"srun: error: {host}: task 0: Exited with exit code 1")
    put(place, "patlm.o118204", lines)
    rows = [job("118204", "patlm", "ada", "FAILED", "1:0", (start - 3960, start, died + 6), east, "1-00:00:00",
                (1, host))]  # fmt: skip
    sacct(place, "sacct.txt", rows, bars=False)


def t08(place: Path, rng: Random) -> None:
    """A fine-tune on one GPU that goes still with all it holds, and is still held when the files are taken."""
    east, host = 60, "galatea"
    begin = when(29, 13, 12, 5)
    start, first = begin + 41, begin + 118
    froze, asked = begin + 702, begin + 37 * 60 + 9
    mib = 58310.0
    train = Work(engine=0.985, sm=0.81, tensor=0.44, dram=0.47, mib=mib)

    def work(_n: int, _g: int, t: float) -> Work:
        if t < start + 14:
            return FREE
        if t < first:
            return held(470 if t < start + 31 else 16420)
        return shake(train, f"i{t}", 0.94) if t < froze else held(mib)

    spots = [begin + x for x in (208, 391, 977, 978.5, 1640)]
    hall = Hall("A100", [host], 1, work, begin, begin + 37 * 60, 5, 907, ticks({(0, 0): spots}, 31))
    columns = ["uuid", "pstate", "utilization.gpu", "utilization.memory", "memory.used", "memory.total",
               "temperature.gpu", "power.draw", "power.limit", "clocks.current.sm", "clocks_event_reasons.active",
               "ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total"]  # fmt: skip
    smi_csv(place, "nvidia-smi.csv", hall, 0, east, columns)
    still(place, "dmesg.txt", rng, hall, 0, "dmesg -T", east, flavour="noble")
    tres = "billing=24,cpu=16,gres/gpu=1,mem=120G,node=1"
    cut = "cpu=16,gres/gpu=1,mem=120G,node=1"

    def row(number: str, name: str, user: str, queue: str, at: float, what: str) -> list[str]:
        return [number, name, user, queue, "RUNNING", "0:0", clock(at, east, ISO), "Unknown",
                took(int(asked) - int(at)), what, host]  # fmt: skip

    rows = [
        row("55190", "tt-qwen-lora", "bdupuis", "a100", start, tres),
        row("55190.batch", "batch", "", "", start, cut),
        row("55190.extern", "extern", "", "", start, tres),
        row("55190.0", "tune", "", "", start + 3, cut),
    ]
    account(place, "sacct_55190.txt", rows, STEP_HEAD, bars=True)
