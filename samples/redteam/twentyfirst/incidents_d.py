"""Incidents t19 to t24 of the twenty-first set, as the lot has them. SIMULATED: no line is from a real job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from samples.redteam.twentieth.rig import clock, epoch, milli, put

from .gear_more import (
    CARDS,
    ISO,
    NOBODY,
    Job,
    Load,
    Loss,
    Rack,
    Values,
    answer,
    as_json,
    bare,
    bars,
    by_metric,
    calm,
    dmon,
    glued,
    kernel,
    meter,
    nudge,
    scontrol,
    series,
    span,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

PROF = ("GR_ENGINE_ACTIVE", "SM_ACTIVE", "PIPE_TENSOR_ACTIVE", "DRAM_ACTIVE", "PCIE_TX_BYTES", "PCIE_RX_BYTES")


def t19(place: Path, rng: Random) -> None:
    """C3: one process on one H100 goes quiet after 36 minutes; memory stays, the GPU idles, the pod is Running."""
    east = 540
    begin = epoch("2026-11-06 13:58:02", east)
    seen = begin + 122 * 60
    pod, space, node = "segmentation-nuages-x7k2p", "teledetection", "gpu-w-114"
    first, silent = begin + 141, begin + 36 * 60 + 19
    loss = Loss(rng, 1.93, 0.31, 240, 0.025)

    def say(t: float, text: str, level: str = "INFO") -> str:
        return f"{milli(nudge(t), east)} {level} entrainement: {text}"

    log = [
        say(begin + 9, "Python 3.10.14, torch 2.4.1+cu124, 1 GPU visible (NVIDIA H100 80GB HBM3)"),
        say(begin + 10, "lecture de la configuration /app/conf/nuages_v7.toml"),
        say(begin + 58, "jeu d'entraînement : 184 220 tuiles, validation : 9 640 tuiles"),
        say(begin + 63, "modèle UNet++ / efficientnet-b7, 67,1 M de paramètres"),
        say(begin + 64, "12 processus de lecture, lots de 48, précision bf16"),
        say(first - 4, "début de l'entraînement : 40 époques de 3837 itérations"),
    ]
    t, n = first, 0
    while t < silent:
        n += 1
        t += rng.gauss(0.402, 0.01)
        now = loss.at(n) if n % 50 == 0 else 0.0
        if n % 50 == 0 and t < silent:
            log.append(
                say(
                    t,
                    f"époque {1 + n // 3837} it {n % 3837}/3837 perte {now:.4f} IoU {max(0.02, 0.94 - now / 2.1):.3f} "
                    f"lr {3e-4 * min(1, n / 500):.2e} {48 / 0.402 * rng.gauss(1, 0.01):.1f} tuiles/s",
                )
            )
        if n % 2000 == 0:
            log.append(say(t + 0.2, f"point de reprise écrit : /sortie/nuages_v7/it{n:06d}.pt"))
            t += 2.1
    put(place, f"{pod}.log", log)

    def load(_n: int, _g: int, at: float) -> Load:
        if at < begin + 31:
            return NOBODY
        if at < first or at > silent:
            return Load(used=2210 if at < first else 61380)
        return Load(0.94, 0.77, 0.26, 0.55, 61380, 2100, 120)

    def alter(_n: int, _g: int, _at: float, one: Values) -> None:
        one["CORRECTABLE_REMAPPED_ROWS"] = 2

    rack = Rack("H100", [node], 1, load, begin - 180, seen, 15, "t19", alter=alter)
    labels = {
        "DCGM_FI_DRIVER_VERSION": CARDS["H100"].driver,
        "Hostname": node,
        "UUID": rack.uuid(0, 0),
        "container": "entrainement",
        "device": "nvidia3",
        "endpoint": "metrics",
        "gpu": "3",
        "instance": "10.244.31.7:9400",
        "job": "nvidia-dcgm-exporter",
        "modelName": CARDS["H100"].model,
        "namespace": space,
        "pci_bus_id": "00000000:5D:00.0",
        "pod": pod,
    }
    answer(place, "dcgm.json", series(rack, lambda _n, _g: labels))
    zone = "+0900"
    long = "%a, %d %b %Y %H:%M:%S"
    put(
        place,
        "describe_pod.txt",
        [
            f"Name:             {pod}",
            f"Namespace:        {space}",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {node}/10.20.8.114",
            f"Start Time:       {clock(begin, east, long)} {zone}",
            "Labels:           batch.kubernetes.io/controller-uid=5b1c0e7a-8d0f-4b7e-9c55-2f6a3de0b911",
            "                  batch.kubernetes.io/job-name=segmentation-nuages",
            "                  job-name=segmentation-nuages",
            "Annotations:      <none>",
            "Status:           Running",
            "IP:               10.244.31.52",
            "Controlled By:    Job/segmentation-nuages",
            "Containers:",
            "  entrainement:",
            "    Container ID:  containerd://1c9f7e52d8a34b6f0a91c2be4477d05fe6183b9a2c50d1e8f7734a6b9c20e1d5",
            "    Image:         registry.interne/teledetection/nuages:v7.2",
            "    Command:",
            "      python",
            "      -m",
            "      nuages.entrainement",
            "    State:          Running",
            f"      Started:      {clock(begin + 4, east, long)} {zone}",
            "    Ready:          True",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             16",
            "      memory:          192Gi",
            "      nvidia.com/gpu:  1",
            "    Requests:",
            "      cpu:             16",
            "      memory:          192Gi",
            "      nvidia.com/gpu:  1",
            "Conditions:",
            "  Type                        Status",
            "  PodReadyToStartContainers   True ",
            "  Initialized                 True ",
            "  Ready                       True ",
            "  ContainersReady             True ",
            "  PodScheduled                True ",
            "QoS Class:                   Guaranteed",
            "Tolerations:                 nvidia.com/gpu:NoSchedule op=Exists",
            "Events:                      <none>",
        ],
    )


def t20(place: Path, rng: Random) -> None:
    """D3: one A100 of eight is left locked at 765 MHz; seven wait for it at each all-reduce."""
    begin = epoch("2026-11-10 14:02:05", 0)
    first, steps = begin + 104, 1000
    end_train = 0.0

    def ds(t: float, where: str, text: str) -> str:
        return f"[{milli(nudge(t), 0)}] [INFO] [{where}] {text}"

    pids = [412210 + k for k in range(8)]
    log = [
        ds(begin + 9, "real_accelerator.py:219:get_accelerator", "Setting ds_accelerator to cuda (auto detect)"),
        ds(
            begin + 13,
            "runner.py:607:main",
            "cmd = /opt/conda/bin/python3.10 -u -m deepspeed.launcher.launch --world_info="
            "eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgMywgNCwgNSwgNiwgN119 --master_addr=127.0.0.1 --master_port=29500 "
            "--enable_each_rank_log=None train_gpt.py --config conf/gpt_760m.yaml --deepspeed conf/zero2.json",
        ),
        ds(begin + 19, "launch.py:146:main", "WORLD INFO DICT: {'localhost': [0, 1, 2, 3, 4, 5, 6, 7]}"),
        ds(begin + 19, "launch.py:152:main", "nnodes=1, num_local_procs=8, node_rank=0"),
        ds(begin + 19, "launch.py:164:main", "dist_world_size=8"),
        ds(begin + 19, "launch.py:168:main", "Setting CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7"),
        *(ds(begin + 31 + 0.2 * k, "comm.py:652:init_distributed", "cdb=None") for k in range(8)),
        ds(begin + 33, "comm.py:683:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl"),
        ds(
            begin + 58,
            "logging.py:128:log_dist",
            "[Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown",
        ),
        ds(begin + 71, "logging.py:128:log_dist", "[Rank 0] DeepSpeed Flops Profiler Enabled: False"),
        ds(begin + 77, "logging.py:128:log_dist", "[Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer"),
        ds(begin + 77, "stage_1_and_2.py:149:__init__", "Reduce bucket size 500000000"),
        ds(begin + 77, "stage_1_and_2.py:150:__init__", "Allgather bucket size 500000000"),
        ds(begin + 77, "stage_1_and_2.py:151:__init__", "CPU Offload: False"),
    ]
    loss, t, spent = Loss(rng, 10.83, 3.02, 45, 0.008), first, 0.0
    for n in range(1, steps + 1):
        fwd, inner = rng.gauss(228, 3), rng.gauss(431, 4)
        wait, opt = rng.gauss(818, 11), rng.gauss(44, 1)
        each = (fwd + inner + wait + opt + 9) / 1000 + (rng.uniform(3, 5) if n == 1 else 0)
        t += each
        spent += each
        now = loss.at(n)
        if n % 10 == 0:
            lr = 2.5e-4 * min(1, n / 100)
            log += [
                ds(
                    t,
                    "logging.py:128:log_dist",
                    f"[Rank 0] step={n}, skipped=0, lr=[{lr!r}], mom=[(0.9, 0.95)]",
                ),
                f"steps: {n} loss: {now:.4f} iter time (s): {each:.3f} samples/sec: {128 / each:.3f}",
                ds(
                    t,
                    "timer.py:264:stop",
                    f"epoch=0/micro_step={n}/global_step={n}, RunningAvgSamplesPerSec={128 * n / spent!r}, "
                    f"CurrSamplesPerSec={128 / each!r}, MemAllocated=6.62GB, MaxMemAllocated=31.4GB",
                ),
                ds(
                    t,
                    "logging.py:128:log_dist",
                    f"[Rank 0] time (ms) | fwd: {fwd:.2f} | bwd: {inner + wait:.2f} | bwd_inner: {inner:.2f} | "
                    f"bwd_allreduce: {wait:.2f} | step: {opt:.2f}",
                ),
            ]
    end_train = t
    log += [
        ds(t + 1, "logging.py:128:log_dist", "[Rank 0] [Torch] Checkpoint global_step1000 is about to be saved!"),
        ds(
            t + 2,
            "torch_checkpoint_engine.py:21:save",
            "[Torch] Saving out/gpt760/global_step1000/mp_rank_00_model_states.pt...",
        ),
        ds(
            t + 7,
            "torch_checkpoint_engine.py:23:save",
            "[Torch] Saved out/gpt760/global_step1000/mp_rank_00_model_states.pt.",
        ),
        ds(t + 15, "torch_checkpoint_engine.py:33:commit", "[Torch] Checkpoint global_step1000 is ready now!"),
        "training finished: 1000 steps",
    ]
    order = pids[:]
    rng.shuffle(order)
    log += [
        ds(t + 19 + 0.4 * k, "launch.py:351:main", f"Process {one} exits successfully.") for k, one in enumerate(order)
    ]
    end = t + 26
    put(place, "gpt760_run2.log", log)

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 30 < at < end - 5:
            return NOBODY
        if at < first or at > end_train:
            return Load(used=5100 if at < first else 35210)
        if g == 5:
            return Load(0.99, 0.86, 0.37, 0.29, 35170, 1300, 1290)
        return Load(0.995, 0.49, 0.215, 0.3, 35210 + 20 * g, 1300, 1290)

    rack = Rack("A100-40", ["dgx02"], 8, load, begin - 60, end + 60, 10, "t20", slow={(0, 5): 765})
    site = {"cluster": "bme", "job": "dcgm-exporter", "prometheus": "monitoring/hpc", "receive": "true"}
    answer(place, "thanos_range.json", series(rack, bare(rack, **site)), thanos=True)
    now_job = Job(
        50288, "gpt760", "avila", 1604, "dgx", "dgx02", 1, 120, begin - 30, begin, end, "COMPLETED", "0:0", 8, 128
    )
    early = begin - 4 * 3600 - 377
    before = replace(now_job, number=50241, submit=early - 12, begin=early, end=early + 1087)
    put(
        place,
        "scontrol.txt",
        [*scontrol(before, 0, command="gpt760.sbatch"), *scontrol(now_job, 0, command="gpt760.sbatch")],
    )


def t21(place: Path, rng: Random) -> None:
    """C1: the second node cannot reach the first one's store; after 45 minutes both launchers give up, GPUs cold."""
    east = -300
    begin = epoch("2026-11-17 09:11:20", east)
    nodes = ["b200-12", "b200-15"]
    start = begin + 124
    site = "/workspace/axolotl-venv/lib/python3.11/site-packages"

    def nano(t: float) -> str:
        return f"{clock(t, east, '%m%d %H:%M:%S')}.{int(t % 1 * 1e6):06d}{rng.randrange(1000):03d}"

    def ax(t: float, where: str, text: str) -> str:
        return f"[{milli(nudge(t), east)}] [INFO] [{where}] [PID:30117] [RANK:0] {text}"

    log = [
        "pyxis: imported docker image: axolotlai/axolotl:main-py3.11-cu128-2.7.1",
        "+ axolotl preprocess qwen3-32b-fft.yaml",
        ax(begin + 61, "axolotl.utils.data.sft", "Prepared dataset found at last_run_prepared/9ac0b1e77d..."),
        ax(begin + 66, "axolotl.utils.trainer", "total_num_tokens: 412_881_920"),
        ax(begin + 71, "axolotl.utils.trainer", "Maximum number of steps set at 1574"),
        ax(
            begin + 72,
            "axolotl.cli.preprocess",
            "Success! Preprocessed data path: `dataset_prepared_path: last_run_prepared`",
        ),
        "+ srun --label torchrun --nnodes=2 --nproc_per_node=4 --node_rank=$SLURM_NODEID --rdzv_backend=static "
        "--rdzv_conf=timeout=2700 --master_addr=b200-12 --master_port=29500 -m axolotl.cli.train qwen3-32b-fft.yaml",
    ]
    timed = []
    for k, shift in ((0, 0.4), (1, 1.2)):
        stamp = f"{clock(start + shift, east, '%m%d %H:%M:%S')}.{rng.randrange(1000):03d}000"
        head = f"{k}: W{stamp} {30411 if k == 0 else 88120} torch/distributed/run.py:766]"
        timed += [
            (start + shift, f"{head} "),
            (start + shift, f"{head} *****************************************"),
            (
                start + shift,
                f"{head} Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid "
                f"your "
                "system being overloaded, please further tune the variable for optimal performance in your "
                "application as needed. ",
            ),
            (start + shift, f"{head} *****************************************"),
        ]
    t, tries, gone = start + 3, 0, start + 2703.417
    while True:
        t += rng.uniform(129.1, 133.4)
        if t > gone:
            break
        tries += 1
        timed.append(
            (
                t,
                f"1: [W{nano(t)} socket.cpp:755] [c10d] The client socket has failed to connect to [b200-12]:29500 "
                "(errno: 110 - Connection timed out).",
            )
        )
    stack = [
        "Traceback (most recent call last):",
        '  File "/workspace/axolotl-venv/bin/torchrun", line 10, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{site}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{site}/torch/distributed/run.py", line 892, in main',
        "    run(args)",
        f'  File "{site}/torch/distributed/run.py", line 883, in run',
        "    elastic_launch(",
        f'  File "{site}/torch/distributed/launcher/api.py", line 139, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{site}/torch/distributed/launcher/api.py", line 261, in launch_agent',
        "    result = agent.run()",
        f'  File "{site}/torch/distributed/elastic/metrics/api.py", line 138, in wrapper',
        "    result = f(*args, **kwargs)",
        f'  File "{site}/torch/distributed/elastic/agent/server/api.py", line 711, in run',
        "    result = self._invoke_run(role)",
        f'  File "{site}/torch/distributed/elastic/agent/server/api.py", line 864, in _invoke_run',
        "    self._initialize_workers(self._worker_group)",
        f'  File "{site}/torch/distributed/elastic/agent/server/api.py", line 683, in _initialize_workers',
        "    self._rendezvous(worker_group)",
        f'  File "{site}/torch/distributed/elastic/agent/server/api.py", line 500, in _rendezvous',
        "    rdzv_info = spec.rdzv_handler.next_rendezvous()",
        f'  File "{site}/torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py", line 67, in next_rendezvous',
        "    self._store = TCPStore(  # type: ignore[call-arg]",
        "                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]
    lost = "The client socket has timed out after 2700000ms while trying to connect to (b200-12, 29500)."
    timed += [
        (start + 2701.6, f"0: {one}")
        for one in (
            *stack,
            "torch.distributed.DistStoreError: Timed out after 2701 seconds waiting for clients. 1/2 clients joined.",
        )
    ]
    timed += [
        (gone, f"1: [E{nano(gone)} socket.cpp:1019] [c10d] {lost}"),
        (
            gone,
            f"1: [E{nano(gone)} TCPStore.cpp:328] [c10d] TCP client failed to connect/validate to host b200-12:29500 - "
            f"timed out (try={tries + 1}, timeout=2700000ms): {lost}",
        ),
        *((gone, f"1: {one}") for one in (*stack, f"torch.distributed.DistNetworkError: {lost}")),
    ]
    end = begin + 2837
    timed += [
        (gone + 3, "srun: error: b200-12: task 0: Exited with exit code 1"),
        (gone + 4, "srun: error: b200-15: task 1: Exited with exit code 1"),
    ]
    log += [one for _, one in sorted(timed, key=lambda one: one[0])]
    put(place, "slurm-77190.out", log)

    def load(_n: int, _g: int, _at: float) -> Load:
        return NOBODY

    replays: dict[tuple[int, int], int] = {}

    def alter(n: int, g: int, _at: float, one: Values) -> None:
        if (n, g) == (1, 2):
            replays[n, g] = replays.get((n, g), 1830) + (rng.random() < 0.4)
            one["PCIE_REPLAY_COUNTER"] = replays[n, g]

    rack = Rack("B200", nodes, 4, load, begin - 600 - begin % 60, end + 300, 60, "t21", alter=alter)
    site_labels = {"cluster": "east-b200", "job": "dcgm", "replica": "0"}
    answer(
        place,
        "query_range.json",
        series(rack, bare(rack, **site_labels), new=("CLOCK_THROTTLE_REASONS",)),
        thanos=True,
    )
    job = Job(
        77190,
        "q32b-fft",
        "shaw",
        70233,
        "b200",
        "b200-[12,15]",
        2,
        1440,
        begin - 5210,
        begin,
        end,
        "FAILED",
        "1:0",
        8,
        224,
    )
    steps = {
        ".batch": ("batch", "FAILED", "1:0"),
        ".extern": ("extern", "COMPLETED", "0:0"),
        ".0": ("torchrun", "FAILED", "1:0"),
    }
    bars(
        place,
        "sacct_77190.txt",
        [job],
        east,
        "JobID,JobName,User,Account,Partition,State,ExitCode,Submit,Start,End,Elapsed,Timelimit,AllocTRES,NodeList",
        steps,
    )


def t22(place: Path, rng: Random) -> None:
    """cannot_decide: sixteen H100s at work until the second it ended with code 1; what went to stderr isn't here."""
    east = 480
    begin = epoch("2026-10-15 22:10:44", east)
    nodes = [f"gpu{n:03d}" for n in (21, 22, 23, 26)]
    first, end = begin + 176, begin + 181 * 60 + 9
    per, loss = 1190, Loss(rng, 7.9, 1.9, 130, 0.015)
    text = ["Sanity Checking: |          | 0/? [00:00<?, ?it/s]"]
    text.append("\rSanity Checking DataLoader 0: 100%|██████████| 2/2 [00:03<00:00,  0.58it/s]")
    text.append("\r                                                                           \r")
    t, n, val, tests = first, 0, "", []
    over = False
    for number in range(40):
        since = t
        for at in range(0, per + 1, 20):
            if at:
                t += 20 * rng.gauss(0.861, 0.006)
            if t > end - 7:
                over = True
                break
            n = number * per + at
            each = max(0.2, (t - since) / max(1, at))
            speed = f"{1 / each:5.2f}it/s" if at else "?it/s"
            left = span(each * (per - at)) if at else "?"
            tail = f", v_num=5520118, train/loss={loss.at(n):.3f}{val}" if n else ""
            text.append(
                f"\rEpoch {number}: {100 * at // per:3d}%|{meter(at, per)}| {at}/{per} [{span(t - since)}<{left}, "
                f"{speed}{tail}]"
            )
            if at == 1180:
                t += 8.6
                text.append(
                    f"\rEpoch {number}: 100%|██████████| {per}/{per} [{span(t - since)}<00:00, "
                    f"{per / (t - since):5.2f}it/s{tail}]"
                )
        if over:
            break
        tests.append((t, t + 34))
        text += [
            f"\rValidation DataLoader 0: {100 * at // 44:3d}%|{meter(at, 44)}| {at}/44 "
            f"[{span(at * 0.77)}<{span((44 - at) * 0.77)},  1.30it/s]"
            for at in (0, 20, 40, 44)
        ]
        t += 34
        clean = loss.floor + (loss.first - loss.floor) * (1 + n / 130) ** -0.6
        val = f", val/loss={clean + 0.11 + rng.gauss(0, 0.01):.3f}"
        text.append("\n" if number % 4 == 3 else "\r" + " " * 74 + "\r")
    put(place, "logs/train_5520118.out", "".join(text))

    def load(_n: int, _g: int, at: float) -> Load:
        if not begin + 35 < at < end - 2:
            return NOBODY
        if at < first:
            return Load(used=3300)
        if any(a <= at < b for a, b in tests):
            return Load(0.9, 0.66, 0.21, 0.4, 68110, 900, 200)
        return Load(0.98, 0.86, 0.4, 0.5, 68110, 1500, 1400)

    rack = Rack("H100", nodes, 4, load, begin - 60, end + 120, 15, "t22")
    answer(place, "metrics/gpu.json", series(rack, bare(rack, job="dcgm_exporter"), drop=PROF))
    job = Job(
        5520118,
        "ldm-lightning",
        "huang_yt",
        30871,
        "gpu-h100",
        "gpu[021-023,026]",
        4,
        4320,
        begin - 90,
        begin,
        end,
        "FAILED",
        "1:0",
        16,
        256,
    )
    steps = {
        ".batch": ("batch", "FAILED", "1:0"),
        ".extern": ("extern", "COMPLETED", "0:0"),
        ".0": ("python", "FAILED", "1:0"),
    }
    bars(
        place,
        "sacct-5520118.txt",
        [job],
        east,
        "JobID,JobName,Partition,State,ExitCode,Start,End,Elapsed,Timelimit,NNodes,NodeList",
        steps,
    )
    for one in nodes:
        kernel(place, f"kernel/{one}.log", calm(rng, begin, end, "H100"), "journalctl", east, one)


def t23(place: Path, rng: Random) -> None:
    """C2: the kernel kills one of two ranks for want of memory; the other spins in its collective until a scancel."""
    begin = epoch("2026-11-13 07:31:55", 0)
    end = begin + 146 * 60 + 22
    first, died = begin + 133, begin + 49 * 60 + 8

    def load(_n: int, g: int, at: float) -> Load:
        if g == 2:
            return Load(0.93, 0.7, 0.3, 0.55, 17110, 300, 60)
        if g == 3:
            return Load(0.99, 0.8, 0.36, 0.5, 21890, 200, 50)
        if not begin + 40 < at < (died if g else end - 1):
            return NOBODY
        if at < first:
            return Load(used=1210)
        if at > died:
            return Load(1.0, 0.03, 0, 0.01, 20310)
        return Load(0.97, 0.78, 0.34, 0.58, 20310 + 60 * g, 800, 780)

    rack = Rack("4090", ["ws-rtx07"], 4, load, begin - 600, end + 600, 60, "t23")
    dmon(place, "dcgmi_dmon.log", rack, 0, 0)
    job = Job(
        18804, "pose-ddp", "mbauer", 2391, "rtx", "ws-rtx07", 1, 1440, begin - 2, begin, end, "CANCELLED", "0:0", 2, 16
    )
    as_json(
        place,
        "sacct_18804.json",
        job,
        [
            ("batch", "batch", "CANCELLED", 0, 15),
            ("extern", "extern", "COMPLETED", 0, 0),
            ("0", "python", "CANCELLED", 0, 9),
        ],
        killer="mbauer",
    )
    put(
        place,
        "scontrol_d.txt",
        scontrol(
            job,
            0,
            command="pose/run_ddp.sh",
            tasks=2,
            detail="Nodes=ws-rtx07 CPU_IDs=0-15 Mem=0 GRES=gpu:rtx4090:2(IDX:0-1)",
        ),
    )
    pid = 77813
    free = rng.randrange(90, 99)
    oom = [
        (
            died - 1.1,
            "python invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        ),
        (
            died - 1.1,
            f"CPU: 11 PID: {pid + 94} Comm: python Tainted: P           OE     5.15.0-126-generic #136-Ubuntu",
        ),
        (
            died - 1.0,
            f"Node 0 Normal free:{free}124kB min:{free}920kB low:156332kB high:221344kB reserved_highatomic:0KB",
        ),
        (died - 1.0, "Free swap  = 0kB"),
        (died - 1.0, "Total swap = 8388604kB"),
        (died - 0.9, "Tasks state (memory values in pages):"),
        (died - 0.9, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"),
        (died - 0.9, f"[ {pid - 1:6d}]  2391 {pid - 1:5d} 14811230  6120441 58212352   201934             0 python"),
        (died - 0.9, f"[ {pid:6d}]  2391 {pid:5d} 21904417 13877720 121733120  844120             0 python"),
        (died - 0.9, "[  61190]  2417 61190 11092231  4008112 40108032    66120             0 python3"),
        (
            died - 0.8,
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=step_0,mems_allowed=0,global_oom,"
            f"task_memcg=/slurm/uid_2391/job_18804/step_0/task_1,task=python,pid={pid},uid=2391",
        ),
        (
            died - 0.7,
            f"Out of memory: Killed process {pid} (python) total-vm:87617668kB, anon-rss:55292416kB, "
            f"file-rss:140128kB, "
            "shmem-rss:78336kB, UID:2391 pgtables:118880kB oom_score_adj:0",
        ),
        (
            died + 2.6,
            f"oom_reaper: reaped process {pid} (python), now anon-rss:0kB, file-rss:141204kB, shmem-rss:78336kB",
        ),
    ]
    kernel(place, "dmesg-T.txt", [*calm(rng, begin, end, "4090", ib=False), *oom], "dmesg -T", 0, "ws-rtx07")


def t24(place: Path, rng: Random) -> None:
    """F3: a half-hour partition ends diffusers' LoRA script at step 1,1xx of 15,000."""
    east = 480
    begin = epoch("2026-11-18 20:14:03", east)
    end = begin + 1811
    first = begin + 79

    def say(t: float, text: str, name: str = "__main__") -> str:
        return f"{clock(t, east, '%m/%d/%Y %H:%M:%S')} - INFO - {name} - {text}"

    log = []
    for k in (1, 0):
        log += [
            say(begin + 31, "Distributed environment: DistributedType.MULTI_GPU  Backend: nccl"),
            "Num processes: 2",
            f"Process index: {k}",
            f"Local process index: {k}",
            f"Device: cuda:{k}",
            "",
            "Mixed precision type: fp16",
            "",
        ]
    log += [
        "{'variance_type', 'clip_sample_range', 'thresholding', 'rescale_betas_zero_snr', "
        "'dynamic_thresholding_ratio'} "
        "was not found in config. "
        "Values will be initialized to default values.",
        say(first, "***** Running training *****"),
        say(first, "  Num examples = 833"),
        say(first, "  Num Epochs = 143"),
        say(first, "  Instantaneous batch size per device = 1"),
        say(first, "  Total train batch size (w. parallel, distributed & accumulation) = 8"),
        say(first, "  Gradient Accumulation steps = 4"),
        say(first, "  Total optimization steps = 15000"),
        "\rSteps:   0%|          | 0/15000 [00:00<?, ?it/s]",
    ]
    t, n = first, 0
    while True:
        each = rng.gauss(1.527, 0.02)
        t += each
        if t > end - 0.4:
            break
        n += 1
        log.append(
            f"\rSteps: {100 * n // 15000:3d}%|{meter(n, 15000)}| {n}/15000 "
            f"[{span(t - first)}<{span(1.527 * (15000 - n))}, "
            f" {each:.2f}s/it, lr=0.0001, step_loss={rng.lognormvariate(-2.6, 0.75):#.3g}]"
        )
        if n % 500 == 0:
            log += [
                say(t, f"Saving current state to sd15-lora/checkpoint-{n}", "accelerate.accelerator"),
                f"Model weights saved in sd15-lora/checkpoint-{n}/pytorch_lora_weights.safetensors",
                say(
                    t + 0.3,
                    f"Optimizer state saved in sd15-lora/checkpoint-{n}/optimizer.bin",
                    "accelerate.checkpointing",
                ),
                say(
                    t + 0.3,
                    f"Scheduler state saved in sd15-lora/checkpoint-{n}/scheduler.bin",
                    "accelerate.checkpointing",
                ),
                say(
                    t + 0.4,
                    f"Gradient scaler state saved in sd15-lora/checkpoint-{n}/scaler.pt",
                    "accelerate.checkpointing",
                ),
                say(
                    t + 0.4,
                    f"Random states saved in sd15-lora/checkpoint-{n}/random_states_0.pkl",
                    "accelerate.checkpointing",
                ),
                say(t + 0.5, f"Saved state to sd15-lora/checkpoint-{n}"),
            ]
            t += 0.8
    stamp = clock(end, east, "%m%d %H:%M:%S")
    site = "/home/zhouy/envs/diff/lib/python3.10/site-packages"
    log += [
        f"slurmstepd: error: *** JOB 390155 ON l4n2 CANCELLED AT {clock(end, east, ISO)} DUE TO TIME LIMIT ***",
        f"W{stamp}.418000 15321 torch/distributed/elastic/agent/server/api.py:704] Received Signals.SIGTERM death "
        f"signal, shutting down workers",
        f"W{stamp}.419000 15321 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 15402 closing "
        f"signal SIGTERM",
        f"W{stamp}.420000 15321 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 15403 closing "
        f"signal SIGTERM",
        "Traceback (most recent call last):",
        '  File "/home/zhouy/envs/diff/bin/accelerate", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{site}/accelerate/commands/accelerate_cli.py", line 48, in main',
        "    args.func(args)",
        f'  File "{site}/accelerate/commands/launch.py", line 1159, in launch_command',
        "    multi_gpu_launcher(args)",
        f'  File "{site}/accelerate/commands/launch.py", line 793, in multi_gpu_launcher',
        "    distrib_run.run(args)",
        f'  File "{site}/torch/distributed/run.py", line 910, in run',
        "    elastic_launch(",
        f'  File "{site}/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{site}/torch/distributed/launcher/api.py", line 260, in launch_agent',
        "    result = agent.run()",
        f'  File "{site}/torch/distributed/elastic/metrics/api.py", line 137, in wrapper',
        "    result = f(*args, **kwargs)",
        f'  File "{site}/torch/distributed/elastic/agent/server/api.py", line 696, in run',
        "    result = self._invoke_run(role)",
        f'  File "{site}/torch/distributed/elastic/agent/server/api.py", line 855, in _invoke_run',
        "    time.sleep(monitor_interval)",
        f'  File "{site}/torch/distributed/elastic/multiprocessing/api.py", line 84, in _terminate_process_handler',
        '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)',
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 15321 got signal: 15",
    ]
    put(place, "390155.out", glued(log))

    def load(_n: int, g: int, at: float) -> Load:
        if not begin + 33 < at < end + 2:
            return NOBODY
        if at < first:
            return Load(used=2900)
        return Load(0.98, 0.84, 0.38, 0.6, 15870 + 30 * g, 500, 490)

    count = {"n": 46}

    def alter(_n: int, g: int, _at: float, one: Values) -> None:
        if g == 1:
            count["n"] += rng.random() < 0.22
            one["PCIE_REPLAY_COUNTER"] = count["n"]

    rack = Rack("L4", ["l4n2"], 2, load, begin - 120, end + 120, 10, "t24", alter=alter)
    by_metric(place, "metrics", series(rack, bare(rack, job="dcgm", env="prod")))
    job = Job(
        390155, "sd15-lora", "zhouy", 4410, "short", "l4n2", 1, 30, begin - 1, begin, end, "TIMEOUT", "0:0", 2, 16
    )
    steps = {".batch": ("batch", "CANCELLED", "0:15"), ".extern": ("extern", "COMPLETED", "0:0")}
    bars(
        place,
        "sacct.txt",
        [job],
        east,
        "JobID,JobName,User,Partition,State,ExitCode,Start,End,Elapsed,Timelimit,MaxRSS,NodeList",
        steps,
    )
    kernel(place, "dmesg.iso", calm(rng, begin, end, "L4", ib=False), "dmesg iso", east, "l4n2")
