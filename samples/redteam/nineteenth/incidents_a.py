"""Incidents t01 to t07 of the nineteenth set. SIMULATED: every byte is written by the functions below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .incident_kit import (
    OFF,
    Load,
    Rack,
    Site,
    answer,
    bars,
    by_metric,
    clocked,
    elapsed,
    falls,
    kernel,
    put,
    quiet,
    resident,
    spins,
    torchrun,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01(place: Path, rng: Random) -> None:
    """C3: a single process in Spanish stops before validation, GPU idle with its memory, until its owner ends it."""
    site = Site(600, "AEST")
    begin = site.epoch("2026-06-11T10:02:07")
    host = "vis-gpu07"
    lines = [site.date(begin), f"Nodo: {host}   Trabajo: 88214", "Cargando módulos: cuda/12.4 python/3.11"]

    def say(t: float, text: str) -> None:
        lines.append(f"{site.at(t, '%Y-%m-%d %H:%M:%S,%L')} | entrenador | INFO | {text}")

    t = begin + 9.4
    say(t, "Dispositivo: cuda:0 (NVIDIA RTX 6000 Ada Generation), precisión mixta: fp16")
    say(
        t + 0.2,
        "Configuración: modelo=convnext_tiny, lote=256, épocas=40, lr=1e-3, trabajadores=12, abortar_si_nan=True",
    )
    t += 21
    say(t, "Imágenes de entrenamiento: 201344, de validación: 10240, clases: 412")
    per = 0.187
    stop = 0.0
    for epoch in range(1, 5):
        for batch in range(1, 787):
            t += per * rng.gauss(1, 0.04) + (2.1 if batch == 1 else 0)
            step = (epoch - 1) * 786 + batch
            if batch % 50 == 0 or batch == 786:
                loss = falls(rng, step, 6.02, 1.5, 900, 0.02)
                acc = max(0.004, 0.74 - loss / 8.1 + rng.gauss(0, 0.006))
                say(
                    t,
                    f"época {epoch}/40 · lote {batch}/786 · pérdida {loss:.4f} · precisión {acc:.3f}"
                    f" · lr {1e-3 * min(1, step / 500):.6f} · {1 / per * rng.gauss(1, 0.02):.1f} lotes/s",
                )
        if epoch == 4:
            say(t + 0.1, f"Validando época {epoch} …")
            stop = t + 0.6
            break
        say(t + 0.1, f"Validando época {epoch} …")
        t += 9.3
        loss = falls(rng, epoch * 786, 6.02, 1.55, 900)
        say(t, f"validación época {epoch}: pérdida {loss:.4f}, top-1 {max(0.02, 0.75 - loss / 8.3):.3f}")
        say(t + 0.9, f"Modelo guardado en puntos_de_control/epoca_{epoch:03d}.pt")
        t += 1
    end = begin + 25 * 60 + 12
    lines.append(f"slurmstepd: error: *** JOB 88214 ON {host} CANCELLED AT {site.at(end, '%Y-%m-%dT%H:%M:%S')} ***")
    put(place, "salida_88214.log", lines)
    begun = begin + 33

    def load(_n: int, _g: int, at: float, r: Random) -> Load:
        if at < begin + 10 or at > end + 2:
            return OFF
        if at < begun:
            return resident(900)
        if at > stop:
            return resident(21230)
        return clocked(r, 21230, 0.82)

    rack = Rack("RTX-6000-Ada", [host], 1, load, begin - 120, end + 180, 30, 101)
    answer(place, "metricas.json", rack.series("smi"))
    stamp = "%Y-%m-%dT%H:%M:%S"
    common = {
        "Start": site.at(begin, stamp),
        "End": site.at(end, stamp),
        "Elapsed": elapsed(end - begin),
        "NodeList": host,
    }
    head = ["JobID", "JobName", "User", "State", "ExitCode", "Start", "End", "Elapsed", "Timelimit", "NodeList"]
    bars(
        place,
        "sacct.txt",
        head,
        [
            {**common, "JobID": "88214", "JobName": "especies", "User": "mrojas", "State": "CANCELLED by 4117"}
            | {"ExitCode": "0:0", "Timelimit": "12:00:00"},
            {**common, "JobID": "88214.batch", "JobName": "batch", "State": "CANCELLED", "ExitCode": "0:15"},
            {**common, "JobID": "88214.extern", "JobName": "extern", "State": "COMPLETED", "ExitCode": "0:0"},
        ],
    )


def t02(place: Path, rng: Random) -> None:
    """D3: another process sits on one GPU of 16 from the eighteenth minute on; that rank computes, all others wait."""
    site = Site()
    begin = site.epoch("2026-07-02T13:20:44")
    hosts = ["nid002140", "nid002141", "nid002147", "nid002152"]
    bad, onset = (2, 1), begin + 1093
    lines: list[str] = [
        "srun: job 3310947 queued and waiting for resources",
        "srun: job 3310947 has been allocated resources",
        "{'data': {'class_path': 'litgpt.data.TextFiles',",
        "          'init_args': {'num_workers': 16, 'train_data_path': PosixPath('/capstor/scratch/lq/corpus/train')}},",
        " 'devices': 4,",
        " 'eval': EvalArgs(interval=400, max_new_tokens=None, max_iters=40, initial_validation=False, final_validation=True),",
        " 'log': LogArgs(project=None, run=None, group=None),",
        " 'logger_name': 'csv',",
        " 'num_nodes': 4,",
        " 'out_dir': PosixPath('/capstor/scratch/lq/out/pythia-2.8b'),",
        " 'precision': 'bf16-true',",
        " 'resume': False,",
        " 'seed': 42,",
        " 'train': TrainArgs(save_interval=800, log_interval=4, global_batch_size=512, micro_batch_size=8, max_norm=1.0)}",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/16",
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 16 processes",
        "-" * 100,
        "",
        "Seed set to 42",
        "Time to instantiate model: 0.03 seconds.",
        "Total parameters: 2,775,208,960",
        "Verifying settings ...",
        "Measured TFLOPs: 6390.47",
    ]
    ranks: list[str] = [
        "# patched train.py: mean over the last 100 iterations, cuda events; fwdbwd without collectives"
    ]
    t, total, val = begin + 96.0, 1288, 0.0
    for it in range(1, total + 1):
        slow = t > onset
        dt = (3.13 if slow else 1.74) * rng.gauss(1, 0.012)
        t += dt
        if it % 4 == 0:
            loss = falls(rng, it, 10.9, 3.0, 190)
            left = int((total - it) * dt)
            lines.append(
                f"Epoch 1 | iter {it} step {it // 4} | loss train: {loss:.3f}, val: {'n/a' if it <= 400 else f'{val:.3f}'} |"
                f" iter time: {dt * 1000:.2f} ms (step) remaining time: {left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
            )
        if it % 100 == 0:
            for rank in range(16):
                own = (1.49 if not slow or rank != bad[0] * 4 + bad[1] else 2.97) * rng.gauss(1, 0.008)
                mean = 3.13 if slow else 1.74
                ranks.append(
                    f"{site.at(t)} rank={rank:02d} host={hosts[rank // 4]} cuda:{rank % 4} iter={it}"
                    f" fwdbwd={own:.3f}s collective_wait={max(0.03, mean - own - 0.09):.3f}s data={rng.uniform(0.004, 0.011):.3f}s"
                )
        if it % 400 == 0:
            val = falls(rng, it, 10.9, 3.05, 190)
            took = (38.9 if slow else 22.4) * rng.gauss(1, 0.02)
            t += took
            lines += ["Validating ...", f"iter {it}: val loss {val:.4f}, val time: {took * 1000:.2f} ms"]
        if it == 800:
            lines.append("Saving checkpoint to '/capstor/scratch/lq/out/pythia-2.8b/step-00000200/lit_model.pth'")
            t += 11.6
    took = t - begin - 96
    t += 39
    val = falls(rng, total, 10.9, 3.05, 190, 0.002)
    lines += [
        "Validating ...",
        f"Final evaluation | val loss: {val:.3f} | val ppl: {2.718281828**val:.3f}",
        "Saving checkpoint to '/capstor/scratch/lq/out/pythia-2.8b/final/lit_model.pth'",
        "----------------------------------------",
        "| Performance",
        f"| - Total tokens  : {total * 8 * 16 * 2048:,}",
        f"| - Training Time : {took:.2f} s",
        f"| - Tok/sec       : {total * 8 * 16 * 2048 / took:.2f} tok/s",
        "| ----------------------------------------",
        "| Memory Usage                            ",
        "| - Memory Used   : 71.35 GB              ",
        "----------------------------------------",
    ]
    end = t + 21
    put(place, "slurm-3310947.out", lines)
    put(place, "timing_ranks.log", ranks)

    def load(node: int, gpu: int, at: float, r: Random) -> Load:
        if node > 3 or at < begin + 12 or at > end - 1:
            if (node, gpu) == bad and onset < at:
                return Load(r.uniform(99, 100), power=0.62, mem=18820)
            return OFF
        if at < begin + 90:
            return resident(9400)
        mem = 69400
        if at > onset and (node, gpu) == bad:
            return Load(r.uniform(99.3, 100), power=0.79, mem=mem + 18310, dram=0.52)
        if at > onset:
            return Load(r.uniform(98, 100), power=0.43 * r.gauss(1, 0.07), mem=mem, dram=0.21)
        return Load(r.uniform(97, 100), power=0.74, mem=mem, dram=0.4)

    rack = Rack("GH200", [*hosts, "nid002160", "nid002161"], 4, load, begin - 300, end + 300, 60, 102)
    answer(place, "gpu_query.json", rack.series("smi", only=(0, 1, 2, 4, 5)))
    stamp = "%Y-%m-%dT%H:%M:%S"
    bars(
        place,
        "sacct.txt",
        [
            "JobID",
            "JobName",
            "Partition",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "NNodes",
            "NodeList",
        ],
        [
            {
                "JobID": "3310947",
                "JobName": "litgpt-2.8b",
                "Partition": "normal",
                "State": "COMPLETED",
                "ExitCode": "0:0",
                "Start": site.at(begin, stamp),
                "End": site.at(end, stamp),
                "Elapsed": elapsed(end - begin),
                "Timelimit": "02:00:00",
                "NNodes": "4",
                "NodeList": "nid[002140-002141,002147,002152]",
            }
        ],
    )
    for node in range(4):
        kernel(place, f"syslog/{hosts[node]}.kern.log", "syslog", site, hosts[node], quiet(rng, rack, node, begin))


def t03(place: Path, rng: Random) -> None:
    """Undecidable: the pods are gone, events expired, the log stops while all is well; all GPUs are let go at once."""
    site = Site()
    begin = site.epoch("2026-07-18T06:41:30")
    hosts = [f"gh-pool-b-{one}" for one in ("5x2kd", "9mzql", "c7t4w", "rr8vn")]
    lines: list[str] = []

    def say(t: float, name: str, text: str, who: int = 0) -> None:
        lines.append(f"{site.at(t, '%Y-%m-%d %H:%M:%S.%L')}\tolmo-ablate-r7-{who}:0\t{name}\tINFO\t{text}")

    t = begin + 41.7
    say(t, "olmo_core.distributed.utils:194", "Global rank 0 of 16 initialized")
    say(
        t + 3.2,
        "olmo_core.nn.transformer.config:212",
        "Building transformer with 1,484,916,736 total params, 1,279,395,840 non-embedding params",
    )
    say(t + 9.8, "olmo_core.train.trainer:612", "Callback order:")
    for number, one in enumerate(
        ("ConfigSaverCallback", "SpeedMonitorCallback", "CheckpointerCallback", "ConsoleLoggerCallback")
    ):
        say(t + 9.8, "olmo_core.train.trainer:614", f"  - Callback {number + 1}: {one}")
    say(t + 14.1, "olmo_core.train.trainer:720", "Training for 23,842 steps")
    t += 38
    step = 0
    while True:
        dt = 2.06 * rng.gauss(1, 0.008)
        t += dt
        step += 1
        if t > begin + 118 * 60 + 17:
            break
        if step % 10 == 0:
            loss = falls(rng, step, 11.2, 2.7, 420, 0.008)
            left = (23842 - step) * 2.06
            say(
                t,
                "olmo_core.train.callbacks.console_logger:75",
                f"[step={step}/23842,epoch=1,eta={int(left // 3600)}h {int(left % 3600 // 60):02d}m]\n"
                f"    optim/LR (group 0)={4e-4 * min(1, step / 2000):.4g}\n"
                f"    optim/total grad norm={0.31 + 1.7 / (1 + step / 90) + abs(rng.gauss(0, 0.03)):.4f}\n"
                f"    throughput/device/BPS={1 / dt:.4f}\n"
                f"    throughput/device/TPS={int(32768 / dt):,d}\n"
                f"    train/CE loss={loss:.3f}\n"
                f"    train/PPL={min(99999, 2.718281828**loss):,.2f}",
            )
        if step % 1000 == 0:
            say(
                t + 0.1,
                "olmo_core.train.callbacks.checkpointer:271",
                f"Saving checkpoint for step {step} to '/weka/ckpt/ablate-r7/step{step}'...",
            )
            t += 13.4
            say(t, "olmo_core.train.callbacks.checkpointer:281", "Checkpoint saved")
    put(place, "olmo-ablate-r7-0.log", lines)
    last = begin + 118 * 60 + 19
    back = begin + 57 * 60

    def load(node: int, gpu: int, at: float, r: Random) -> Load:
        if at < begin + 25 or at > last + 11:
            return OFF
        if at < begin + 82:
            return resident(4100)
        return clocked(r, 68850, 0.76, 900, 700)

    rack = Rack(
        "GH200",
        hosts,
        4,
        load,
        begin - 240,
        begin + 124 * 60,
        60,
        103,
        gaps=[(-1, back - 190, back)],
        addresses=[f"10.64.{8 + one}.3" for one in range(4)],
    )
    old = [f"nvidia-dcgm-exporter-{one}" for one in ("4vkkx", "b2w8h", "hzt5m", "qp6n9")]
    new = [f"nvidia-dcgm-exporter-{one}" for one in ("7lq2f", "dd9xs", "mk4tz", "w5jrb")]

    def more(node: int, _gpu: int, at: float) -> dict[str, str]:
        busy = begin + 20 <= at <= last + 11
        return {
            "container": "nvidia-dcgm-exporter",
            "namespace": "gpu-operator",
            "pod": old[node] if at < back else new[node],
            "exported_namespace": "pretrain" if busy else "",
            "exported_pod": f"olmo-ablate-r7-{node}" if busy else "",
        }

    answer(place, "dcgm_range.json", rack.series("plain", only=(0, 1, 3), more=more))
    put(
        place,
        "kubectl.txt",
        [
            "$ kubectl -n pretrain get pods -o wide",
            "No resources found in pretrain namespace.",
            "$ kubectl -n pretrain get events --sort-by=.lastTimestamp",
            "No resources found in pretrain namespace.",
            "$ kubectl get nodes",
            "NAME               STATUS   ROLES    AGE    VERSION",
            *(f"{one}    Ready    <none>   61d    v1.30.4" for one in hosts),
        ],
    )
    for node in (0, 1, 3):
        kernel(place, f"journal/{hosts[node]}.txt", "journal", site, hosts[node], quiet(rng, rack, node, begin))


def t04(place: Path, rng: Random) -> None:
    """D1: the file server with the data stops answering again and again; 16 T4 wait for batches most of the time."""
    site = Site(-420, "PDT")
    begin = site.epoch("2026-08-05T19:12:10")
    end = begin + 141 * 60 + 26
    hosts = [f"g4-{one}" for one in (11, 12, 13, 16)]
    stalls: list[tuple[float, float]] = []
    t = begin + 340.0
    while t < end - 200:
        long = rng.uniform(45, 170)
        stalls.append((t, min(t + long, end - 60)))
        t += long + rng.uniform(25, 90)
    last_t = end - 25

    def waits(at: float) -> bool:
        return any(low <= at < high for low, high in stalls)

    def load(_n: int, _g: int, at: float, r: Random) -> Load:
        if at < begin + 20 or at > last_t + 12:
            return OFF
        if at < begin + 160:
            return resident(3300)
        if waits(at):
            return Load(0 if r.random() < 0.8 else r.uniform(1, 6), sm=0.004, power=0.03, mem=12410, rx=1)
        if r.random() < 0.35:
            return Load(r.uniform(8, 55), 0.2, 0.07, 0.15, 0.3, 12410, 40, 30)
        return Load(r.uniform(85, 99), 0.66, 0.24, 0.5, 0.84, 12410, 130, 60)

    def inlet(_n: int, at: float) -> float:
        return 23.5 if at > begin else 36.5 if at > begin - 3900 else 26

    rack = Rack("T4", hosts, 4, load, begin - 3600, end + 300, 15, 104, inlet=inlet)
    answer(place, "prom/dcgm.json", rack.series("plain"))
    result: list[dict[str, object]] = []
    totals = {(n, k): rng.uniform(1e6, 9e6) for n in range(4) for k in ("user", "system", "iowait", "idle")}
    nets = {(n, k): rng.uniform(2e12, 9e12) for n in range(4) for k in ("receive", "transmit")}
    rows: dict[tuple[int, str], list[list[object]]] = {}
    at = begin - 3600
    while at <= end + 300:
        stall = sum(1 for one in range(15) if waits(at - one)) / 15
        for node in range(4):
            on = begin + 160 <= at < last_t
            share = (
                {"user": 0.16 * (1 - stall) + 0.01, "system": 0.03, "iowait": 0.44 * stall + 0.06}
                if on
                else {"user": 0.01, "system": 0.005, "iowait": 0.0}
            )
            share["idle"] = 1 - sum(share.values())
            for key, value in share.items():
                totals[node, key] += value * 15 * 48 * rng.gauss(1, 0.03)
                rows.setdefault((node, key), []).append([int(at), f"{totals[node, key]:.2f}"])
            nets[node, "receive"] += 15 * (rng.gauss(1.1e8, 9e6) * (1 - stall) + 4e4 if on else 3e4)
            nets[node, "transmit"] += 15 * (rng.gauss(2.2e7, 2e6) * (1 - stall) + 5e4 if on else 3e4)
            for key in ("receive", "transmit"):
                rows.setdefault((node, key), []).append([int(at), f"{nets[node, key]:.0f}"])
        at += 15
    for (node, key), values in rows.items():
        name = {"__name__": f"node_network_{key}_bytes_total", "device": "ens5"}
        if key in ("user", "system", "iowait", "idle"):
            name = {"__name__": "node_cpu_seconds_total", "mode": key}
        result.append({"metric": {**name, "instance": f"{hosts[node]}:9100", "job": "node"}, "values": values})
    answer(place, "prom/node.json", result)
    stamp = "%Y-%m-%dT%H:%M:%S-0700"
    common = {"State": "COMPLETED", "ExitCode": "0:0", "Start": site.at(begin, stamp), "End": site.at(end, stamp)}
    common |= {"Elapsed": elapsed(end - begin), "NodeList": "g4-[11-13,16]", "NNodes": "4"}
    bars(
        place,
        "acct_55120.txt",
        [
            "JobID",
            "JobName",
            "State",
            "ExitCode",
            "Submit",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "NNodes",
            "NodeList",
        ],
        [
            {
                **common,
                "JobID": "55120",
                "JobName": "rlhf-sft",
                "Submit": site.at(begin - 4100, stamp),
                "Timelimit": "08:00:00",
            },
            {**common, "JobID": "55120.batch", "JobName": "batch", "NNodes": "1", "NodeList": "g4-11"},
            {**common, "JobID": "55120.extern", "JobName": "extern"},
            {**common, "JobID": "55120.0", "JobName": "bash"},
        ],
    )
    for node, host in enumerate(hosts):
        more = []
        for low, high in stalls:
            jit = rng.uniform(0, 1.5)
            if high - low > 60:
                more += [
                    (low + 30 + jit, "nfs: server fsx-data01 not responding, still trying"),
                    (high + jit, "nfs: server fsx-data01 OK"),
                ]
        kernel(place, f"dmesg/{host}.txt", "dmesg -T", site, host, [*quiet(rng, rack, node, begin), *more])


def t05(place: Path, rng: Random) -> None:
    """A2: after a first attempt with a misspelt dataset the second is killed for memory of the job's cgroup."""
    site = Site(600, "AEST")
    begin = site.epoch("2026-05-26T16:20:31")
    host = "bw-02"
    lines = [site.date(begin), "+ python tools/train_net.py --num-gpus 2 --config-file configs/coco_panoptic.yaml"]

    def say(t: float, name: str, text: str) -> None:
        lines.append(f"[{site.at(t, '%m/%d %H:%M:%S')} {name}]: {text}")

    t = begin + 14
    say(t, "detectron2", "Rank of current process: 0. World size: 2")
    say(
        t + 2,
        "detectron2",
        "Command line arguments: Namespace(config_file='configs/coco_panoptic.yaml', resume=False, eval_only=False, num_gpus=2, num_machines=1, machine_rank=0, dist_url='tcp://127.0.0.1:56114', opts=[])",
    )
    site_packages = "/apps/envs/d2/lib/python3.11/site-packages"

    def spawn(code: str) -> list[str]:
        return [
            "Traceback (most recent call last):",
            '  File "/home/kt9120/seg/tools/train_net.py", line 171, in <module>',
            "    launch(",
            '  File "/home/kt9120/seg/detectron2/engine/launch.py", line 69, in launch',
            "    mp.start_processes(",
            f'  File "{site_packages}/torch/multiprocessing/spawn.py", line 296, in start_processes',
            "    while not context.join():",
            "              ^^^^^^^^^^^^^^",
            f'  File "{site_packages}/torch/multiprocessing/spawn.py", line {"215" if "Raised" in code else "204"}, in join',
            f"    raise {code.split('(')[0]}(",
        ]

    lines += [
        f"W{site.at(t + 5, '%m%d %H:%M:%S')}.417000 30218 torch/multiprocessing/spawn.py:169] Terminating process 30266 via signal SIGTERM",
        *spawn("ProcessRaisedException("),
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 0 terminated with the following error:",
        "Traceback (most recent call last):",
        '  File "/home/kt9120/seg/detectron2/data/catalog.py", line 51, in get',
        "    f = self[name]",
        "        ~~~~^^^^^^",
        f'  File "{site_packages.replace("/site-packages", "")}/collections/__init__.py", line 1015, in __getitem__',
        "    raise KeyError(key)",
        "KeyError: 'coco_2017_train_panoptic_seperated'",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        f'  File "{site_packages}/torch/multiprocessing/spawn.py", line 90, in _wrap',
        "    fn(i, *args)",
        '  File "/home/kt9120/seg/detectron2/data/catalog.py", line 53, in get',
        "    raise KeyError(",
        "KeyError: \"Dataset 'coco_2017_train_panoptic_seperated' is not registered! Available registries are: coco_2014_train, coco_2014_val, coco_2017_train, coco_2017_val, coco_2017_train_panoptic_separated, coco_2017_val_panoptic_separated\"",
        "",
        "first try failed (1), falling back to configs/coco_instance.yaml",
        "+ python tools/train_net.py --num-gpus 2 --config-file configs/coco_instance.yaml",
    ]
    t = begin + 49
    say(t, "detectron2", "Rank of current process: 0. World size: 2")
    say(
        t + 29, "d2.data.datasets.coco", "Loading /data/lvis_coco/annotations/instances_train.json takes 24.31 seconds."
    )
    t += 34
    say(t, "d2.data.build", "Using training sampler TrainingSampler")
    say(t + 1, "d2.data.common", "Serializing 117266 elements to byte tensors and concatenating them all ...")
    t += 6
    say(t, "d2.data.common", "Serialized dataset takes 451.21 MiB")
    say(t, "d2.data.build", "Making batched data loader with batch_size=16")
    t += 5
    say(t, "d2.engine.train_loop", "Starting training from iteration 0")
    first = t
    for it in range(19, 3000, 20):
        t += 20 * 0.241 * rng.gauss(1, 0.02)
        if t > begin + 8 * 60 - 6:
            break
        total = falls(rng, it, 5.9, 1.3, 160, 0.03)
        a, b, c, d = (total * one for one in (0.36, 0.21, 0.33, 0.10))
        left = int((90000 - it) * 0.241)
        say(
            t,
            "d2.utils.events",
            f" eta: {left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}  iter: {it}  total_loss: {total:.4g}  loss_cls: {a:.4g}"
            f"  loss_box_reg: {b:.4g}  loss_mask: {c:.4g}  loss_rpn_cls: {d * 0.6:.4g}  loss_rpn_loc: {d * 0.4:.4g}"
            f"    time: {0.241 * rng.gauss(1, 0.01):.4f}  last_time: {0.241 * rng.gauss(1, 0.03):.4f}"
            f"  data_time: {0.0093 * rng.gauss(1, 0.1):.4f}  last_data_time: {0.0071 * rng.gauss(1, 0.2):.4f}"
            f"   lr: {0.02 * min(1, it / 1000):.5g}  max_mem: 41877M",
        )
    killed = begin + 8 * 60 - 4.2
    lines += [
        f"W{site.at(killed, '%m%d %H:%M:%S')}.902000 30511 torch/multiprocessing/spawn.py:169] Terminating process 30571 via signal SIGTERM",
        *spawn("ProcessExitedException("),
        "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL",
        "/apps/envs/d2/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 34 leaked semaphore objects to clean up at shutdown",
        "  warnings.warn('resource_tracker: There appear to be %d '",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=71003.batch. Some of the step tasks have been OOM Killed.",
    ]
    put(place, "slurm-71003.out", lines)
    end = killed + 4

    def load(_n: int, _g: int, at: float, r: Random) -> Load:
        if at < begin + 53 or at > killed:
            return OFF
        if at < first:
            return resident(560)
        return Load(r.uniform(78, 97), 0.61, 0.2, 0.3, 0.48 * r.gauss(1, 0.05), 45300, 800, 210)

    rack = Rack("B200", [host], 2, load, begin - 90, end + 120, 30, 105)
    answer(place, "gpu.json", rack.series("plain"))
    stamp = "%Y-%m-%dT%H:%M:%S"
    common = {"State": "OUT_OF_MEMORY", "ExitCode": "0:125", "Start": site.at(begin, stamp), "End": site.at(end, stamp)}
    common |= {"Elapsed": elapsed(end - begin), "NodeList": host, "AllocTRES": "cpu=16,gres/gpu=2,mem=64G,node=1"}
    bars(
        place,
        "sacct.txt",
        [
            "JobID",
            "JobName",
            "State",
            "ExitCode",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "MaxRSS",
            "AllocTRES",
            "NodeList",
        ],
        [
            {**common, "JobID": "71003", "JobName": "d2seg", "Timelimit": "1-00:00:00"},
            {**common, "JobID": "71003.batch", "JobName": "batch", "MaxRSS": "67086412K"},
            {
                **common,
                "JobID": "71003.extern",
                "JobName": "extern",
                "State": "COMPLETED",
                "ExitCode": "0:0",
                "MaxRSS": "0",
            },
        ],
    )


def t06(place: Path, rng: Random) -> None:
    """A2: a segmentation fault of rank 6 in native code ends the run; torchrun and the kernel say so."""
    site = Site(-240, "EDT")
    begin = site.epoch("2026-07-21T14:03:38")
    hosts = ["bwgpu11", "bwgpu12"]
    crash = begin + 41 * 60 - 9.4
    t = begin + 74.0
    out: list[str] = []

    def say(t: float, text: str) -> None:
        out.append(f"{site.at(t, '%Y-%m-%d,%H:%M:%S')} | INFO | {text}")

    say(
        begin + 31,
        "Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 8.",
    )
    say(begin + 33, "Loaded ViT-L-14 model config.")
    say(begin + 46, "Model:")
    say(begin + 46, "CLIP(")
    out += [
        "  (visual): VisionTransformer(",
        "    (conv1): Conv2d(3, 1024, kernel_size=(14, 14), stride=(14, 14), bias=False)",
        "  )",
        ")",
    ]
    say(begin + 46, "Params:")
    for key, value in (
        ("accum_freq", 1),
        ("batch_size", 1024),
        ("epochs", 32),
        ("grad_clip_norm", "None"),
        ("lr", 0.0005),
        ("precision", "amp_bf16"),
        ("workers", 12),
    ):
        say(begin + 46, f"  {key}: {value}")
    say(t, "Start epoch 0")
    started = t
    batches, average = 0, 9.01
    while True:
        dt = 1.83 * rng.gauss(1, 0.01)
        t += dt
        if t > crash:
            break
        if batches % 20 == 0:
            loss = falls(rng, batches, 9.01, 2.1, 420, 0.012)
            average = loss if not batches else average * 0.93 + loss * 0.07
            done = (batches + 1) * 8192
            say(
                t,
                f"Train Epoch: 0 [{done:>9d}/100000000 ({done / 1e6:.0f}%)] Data (t): {rng.uniform(0.009, 0.021):.3f} Batch (t): {dt:.3f},"
                f" {8192 / dt:#g}/s, {1024 / dt:#g}/s/gpu LR: {5e-4 * min(1, (batches + 1) / 2000):5f}"
                f" Logit Scale: {14.286 + batches * 0.0021:.3f} Contrastive_loss: {loss:#.5g} ({average:#.5g}) Loss: {loss:#.5g} ({average:#.5g})",
            )
        batches += 1
    log = list(out)
    log += torchrun(site, crash, hosts[1], "open_clip_train.main", 2, 6, 81822, (11, "SIGSEGV"))
    log += [
        f"srun: error: {hosts[1]}: task 1: Exited with exit code 1",
        "srun: Terminating StepId=66120.0",
        f"slurmstepd: error: *** STEP 66120.0 ON {hosts[0]} CANCELLED AT {site.at(crash + 6, '%Y-%m-%dT%H:%M:%S')} ***",
        f"W{site.at(crash + 6, '%m%d %H:%M:%S')}.330000 51208 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal, shutting down workers",
        *(
            f"W{site.at(crash + 6, '%m%d %H:%M:%S')}.33{one}000 51208 torch/distributed/elastic/multiprocessing/api.py:898] Sending process {51279 + one} closing signal SIGTERM"
            for one in range(4)
        ),
        f"srun: error: {hosts[0]}: task 0: Terminated",
        "srun: Force Terminated StepId=66120.0",
    ]
    put(place, "clip-66120.log", log)
    end = crash + 13

    def load(node: int, gpu: int, at: float, r: Random) -> Load:
        if at < begin + 20 or at > crash + (1.5 if node else 8):
            return OFF
        if at < started:
            return resident(6200)
        if at > crash:
            return spins(122400, r)
        return clocked(r, 122400, 0.8, 1500, 400)

    rack = Rack("B200", hosts, 4, load, begin - 180, end + 240, 60, 106)
    answer(place, "prometheus.json", rack.series("plain"))
    stamp = "%Y-%m-%dT%H:%M:%S"
    base = {
        "Start": site.at(begin, stamp),
        "End": site.at(end, stamp),
        "Elapsed": elapsed(end - begin),
        "NodeList": "bwgpu[11-12]",
    }
    bars(
        place,
        "sacct.txt",
        ["JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "Timelimit", "NodeList"],
        [
            {
                **base,
                "JobID": "66120",
                "JobName": "clip-l14",
                "Partition": "b200",
                "State": "FAILED",
                "ExitCode": "1:0",
                "Timelimit": "3-00:00:00",
            }
        ],
    )
    crashed = [
        (
            crash - 0.3,
            "python[81822]: segfault at 10 ip 00007f81b9c7e4d2 sp 00007ffc9a3d2b60 error 4 in libtorch_python.so[7f81b9412000+9c1000] likely on CPU 77 (core 21, socket 1)",
        ),
        (
            crash - 0.3,
            "Code: 48 89 df e8 11 c2 fc ff 4c 8b 6b 10 4d 85 ed 0f 84 9a 00 00 00 <49> 8b 45 10 48 85 c0 74 12 48 8b 78 08 e8 6d b0 fc ff 4c 89 ef",
        ),
        (crash + 0.1, "systemd[1]: Started Process Core Dump (PID 83341/UID 0)."),
        (
            crash + 2.6,
            "systemd-coredump[83342]: Process 81822 (python) of user 20411 terminated abnormally with signal 11/SEGV, processing...",
        ),
    ]
    for node, host in enumerate(hosts):
        more = crashed if node else []
        kernel(place, f"journal.{host}.txt", "journal iso", site, host, [*quiet(rng, rack, node, begin), *more])


def t07(place: Path, rng: Random) -> None:
    """C3: one process, its bar stands still and its GPU idles with its memory for an hour and a half; still Running."""
    site = Site()
    begin = site.epoch("2026-06-29T08:11:19")
    now = begin + 132 * 60
    host = "nvl-worker-3"
    lines = [
        "INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeSingleDevice with resolved config:",
        "",
        "batch_size: 8",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /models/Llama-3.1-8B-Instruct",
        "compile: true",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  packed: true",
        "  source: parquet",
        "device: cuda",
        "dtype: bf16",
        "epochs: 2",
        "gradient_accumulation_steps: 4",
        "log_every_n_steps: 1",
        "seed: null",
        "",
        "DEBUG:torchtune.utils._logging:Setting manual seed to local seed 3406241790. Local seed is seed + rank = 3406241790 + 0",
        "INFO:torchtune.utils._logging:Model is initialized with precision torch.bfloat16.",
        "INFO:torchtune.utils._logging:Memory stats after model init:",
        "\tGPU peak memory allocation: 15.22 GiB",
        "\tGPU peak memory reserved: 15.38 GiB",
        "\tGPU peak memory active: 15.22 GiB",
        "INFO:torchtune.utils._logging:Tokenizer is initialized from file.",
        "INFO:torchtune.utils._logging:Compiling model layers with torch.compile...",
        "INFO:torchtune.utils._logging:Optimizer is initialized.",
        "INFO:torchtune.utils._logging:Loss is initialized.",
        "INFO:torchtune.utils._logging:Dataset and Sampler are initialized.",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
        "INFO:torchtune.utils._logging: Profiling disabled.",
        "INFO:torchtune.utils._logging: Profiler config after instantiation: {'enabled': False}",
    ]
    t, total = begin + 118.0, 1124
    began = t
    steps = []
    for step in range(1, 384):
        dt = 5.62 * rng.gauss(1, 0.015) + (48 if step == 1 else 0)
        t += dt
        loss = falls(rng, step, 1.71, 0.94, 90, 0.035)
        share = step / total
        spent, left = int(t - began), int((total - step) * 5.62)
        full = "█" * int(10 * share)
        rest = " ▏▎▍▌▋▊▉"[int(80 * share) % 8] if share < 1 else ""
        steps.append(
            f"1|{step}|Loss: {loss}: {int(100 * share):3d}%|{(full + rest).ljust(10)}| {step}/{total}"
            f" [{spent // 60:02d}:{spent % 60:02d}<{left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d},  {dt:.2f}s/it]"
        )
    put(place, "pod.log", "\n".join(lines) + "\n" + "".join("\r" + one for one in steps))
    stop = t + 3.1

    def load(node: int, _g: int, at: float, r: Random) -> Load:
        if node or at < begin + 60:
            return OFF
        if at < began + 40:
            return resident(16200)
        if at > stop:
            return resident(52310)
        return clocked(r, 52310, 0.86)

    rack = Rack(
        "H100-NVL",
        [host, "nvl-worker-1", "nvl-worker-5"],
        1,
        load,
        begin - 300,
        now,
        60,
        107,
        addresses=["10.1.7.43", "10.1.7.41", "10.1.7.45"],
    )

    def more(node: int, _gpu: int, at: float) -> dict[str, str]:
        busy = not node and at > begin + 20
        return {
            "exported_container": "tune" if busy else "",
            "exported_namespace": "nlp" if busy else "",
            "exported_pod": "llama31-lora-9h4gk" if busy else "",
        }

    by_metric(place, "metrics", rack.series("plain", more=more))
    started = site.at(begin, "%a, %d %b %Y %H:%M:%S +0000")
    put(
        place,
        "describe.txt",
        [
            f"# {site.at(now, '%Y-%m-%dT%H:%M:%SZ')} kubectl -n nlp describe pod llama31-lora-9h4gk",
            "Name:             llama31-lora-9h4gk",
            "Namespace:        nlp",
            "Priority:         0",
            "Service Account:  default",
            f"Node:             {host}/10.1.7.43",
            f"Start Time:       {started}",
            "Labels:           batch.kubernetes.io/job-name=llama31-lora",
            "Status:           Running",
            "IP:               10.244.3.118",
            "Controlled By:  Job/llama31-lora",
            "Containers:",
            "  tune:",
            "    Image:         registry.local/nlp/torchtune:0.5.0",
            "    Command:",
            "      tune",
            "      run",
            "      lora_finetune_single_device",
            "    State:          Running",
            f"      Started:      {site.at(begin + 17, '%a, %d %b %Y %H:%M:%S +0000')}",
            "    Ready:          True",
            "    Restart Count:  0",
            "    Limits:",
            "      cpu:             16",
            "      memory:          160Gi",
            "      nvidia.com/gpu:  1",
            "Conditions:",
            "  Type              Status",
            "  Initialized       True ",
            "  Ready             True ",
            "  ContainersReady   True ",
            "  PodScheduled      True ",
            "QoS Class:        Burstable",
            "Events:           <none>",
        ],
    )
    kernel(place, f"journal-{host}.txt", "journal", site, host, quiet(rng, rack, 0, begin))
