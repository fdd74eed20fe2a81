"""t19 to t24 of the twenty-third set: incidents as a site would hand them over. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.twentyfirst.rig_incidents import FREE, Row, Work, bare, learn, milli, smi_csv, smi_exporter

from .rig_more import ISO, Rack, bar, clock, hms, job, matrix, put, quiet, sacct, torchrun_end, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t19(place: Path, rng: Random) -> None:
    """An A6000 falls off the bus in the ninth minute of a pod; no accounting."""
    begin, east = when(15, 9, 17, 41), 0
    host, pod, bad = "k8s-gpu-03", "segm-sat-train-7-kx2lq", 3
    first, dead = begin + 52, begin + 8 * 60 + 29.4
    end = dead + 9

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 14 or t > end - 2:
            return FREE
        if t < first:
            return Work(engine=0.05, mib=2210)
        if t > dead:
            return Work(engine=1.0, sm=0.05, mib=38110)
        return Work(engine=0.95, sm=0.66, tensor=0.29, dram=0.5, mib=38110 + 30 * gpu, rx=2100, tx=1700)

    def alter(_node: int, gpu: int, t: float, row: Row) -> Row | None:
        if gpu == bad and t > dead:
            return None
        return row

    rack = Rack("A6000", [host], 4, work, begin - 240, end + 240, 15, 19, alter=alter, ecc=True)
    of = bare(rack, job="nvidia-dcgm-exporter")

    def labels(node: int, gpu: int) -> dict[str, str]:
        more = {"container": "nvidia-dcgm-exporter", "namespace": "gpu-operator", "service": "nvidia-dcgm-exporter"}
        more |= {"exported_container": "train", "exported_namespace": "teledetection", "exported_pod": pod}
        more |= {"endpoint": "gpu-metrics", "pod": "nvidia-dcgm-exporter-q8w5d", "instance": "10.244.3.17:9400"}
        return of(node, gpu) | more

    matrix(place, "prometheus_export.json", rack, labels)
    bus = rack.bus(bad).lower()[:2]
    fall = [
        (dead + 0.0136, "pcieport 0000:5c:00.0: pciehp: Slot(5): Link Down"),
        (dead + 0.015617, f"NVRM: GPU at PCI:0000:{bus}:00: {rack.uuid(0, bad)}"),
        (
            dead + 0.015717,
            f"NVRM: Xid (PCI:0000:{bus}:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
        ),
        (dead + 0.015817, f"NVRM: GPU 0000:{bus}:00.0: GPU has fallen off the bus."),
        (dead + 0.044617, "NVRM: A GPU crash dump has been created. If possible, please run"),
        (dead + 0.044717, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
        (dead + 0.044817, "NVRM: the NVIDIA kernel module is unloaded."),
    ]
    quiet(place, "kern.log", rng, rack, 0, "syslog", east, fall)
    out = []

    told = [0.0]

    def say(t: float, text: str) -> None:
        t = max(t + rng.uniform(0, 0.004), told[0] + rng.uniform(2e-6, 9e-6))
        told[0] = t
        out.append(f"{clock(t, 0, ISO)}.{int(t * 1e6) % 10**6:06d}{rng.randrange(1000):03d}Z {text}".rstrip())

    say(
        begin + 3.2,
        "Lancement : torchrun --standalone --nproc_per_node=4 entrainement.py --config conf/segformer_b3.yml",
    )
    say(begin + 17.9, "[INFO] 4 processus, carte NVIDIA RTX A6000, précision bf16")
    say(begin + 18.0, "[INFO] Jeu d'entraînement : 61 440 tuiles ; validation : 7 680 tuiles")
    say(begin + 19.7, "[INFO] Poids ImageNet chargés depuis /modeles/mit_b3.pth (clés absentes : decode_head)")
    say(begin + 20.4, "[INFO] Pas de point de reprise trouvé, départ de zéro")
    step, at = 0, first
    while at + 21 < dead:
        step += 20
        at += 20 * rng.gauss(0.953, 0.011)
        loss = learn(rng, step, 2.31, 0.41, 130, 0.03)
        miou = 0.71 - 0.68 / (1 + step / 210) ** 0.9
        say(
            at,
            f"[INFO] époque 1/60 · itération {step}/960 · perte {loss:.4f} · mIoU (lot) {miou + rng.gauss(0, 0.01):.3f}"
            f" · lr {min(1.0, step / 300) * 6e-5:.2e} · {rng.gauss(67.1, 0.7):.1f} img/s",
        )
    lib = "/opt/conda/lib/python3.11/site-packages"
    for text in (
        "[rank3]: Traceback (most recent call last):",
        '[rank3]:   File "/travail/entrainement.py", line 204, in <module>',
        "[rank3]:     principal(options)",
        '[rank3]:   File "/travail/entrainement.py", line 171, in principal',
        "[rank3]:     total += perte.item()",
        "[rank3]:              ^^^^^^^^^^^^",
        "[rank3]: RuntimeError: CUDA error: unspecified launch failure",
        "[rank3]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace "
        "below might be incorrect.",
        "[rank3]: For debugging consider passing CUDA_LAUNCH_BLOCKING=1",
        "[rank3]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ):
        say(dead + 1.13, text)
    say(
        dead + 1.9,
        f"[rank3]:[W{clock(dead + 1, 0, '%m%d %H:%M:%S')}.881204117 CUDAGuardImpl.h:119] Warning: CUDA warning: "
        "unspecified launch failure (function destroyEvent)",
    )
    for text in torchrun_end(int(dead + 4), 0, pod, "entrainement.py", 3, 3, 71, 1, 1, "68 69 70"):
        say(
            dead + (4.02 if text[0] == "W" else 6.49),
            text.replace("/opt/venv/lib/python3.11/site-packages", lib).replace("/opt/venv", "/opt/conda"),
        )
    put(place, f"pod_{pod}.log", out)
    z = [clock(t, 0, ISO) + "Z" for t in (begin, end)]
    put(
        place,
        "kubectl.txt",
        [
            "$ kubectl -n teledetection get pods -l app=segm-sat-train",
            "NAME                     READY   STATUS      RESTARTS   AGE",
            "segm-sat-train-6-tz9vm   0/1     Completed   0          2d3h",
            f"{pod}   0/1     Error       0          23m",
            f"$ kubectl -n teledetection get pod {pod} -o yaml | sed -n '/^status/,$p'",
            "status:",
            "  containerStatuses:",
            "  - image: registry.lab.example/teledetection/segm:1.9.2",
            "    lastState: {}",
            "    name: train",
            "    ready: false",
            "    restartCount: 0",
            "    started: false",
            "    state:",
            "      terminated:",
            "        exitCode: 1",
            f'        finishedAt: "{z[1]}"',
            "        reason: Error",
            f'        startedAt: "{z[0]}"',
            "  phase: Failed",
            "  qosClass: Burstable",
        ],
    )


def t20(place: Path, rng: Random) -> None:
    """A detector trained as planned on two A100; hours before, another user's process had met XID 31."""
    begin, east = when(28, 2, 40, 9), 540
    host, iters, pace = "sakura05", 1466, 0.5361
    epochs, first = 12, begin + 71
    at, marks, out = first, [], []

    def say(t: float, text: str) -> None:
        out.append(f"{clock(t, east, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - {text}")

    say(begin + 22, "")
    out += [
        "------------------------------------------------------------",
        "System environment:",
        "    sys.platform: linux",
        "    Python: 3.10.14 (main, May  6 2024, 19:42:50) [GCC 11.2.0]",
        "    CUDA available: True",
        "    MUSA available: False",
        "    numpy_random_seed: 1184029311",
        "    GPU 0,1: NVIDIA A100-SXM4-80GB",
        "    CUDA_HOME: /usr/local/cuda-12.1",
        "    NVCC: Cuda compilation tools, release 12.1, V12.1.105",
        "    GCC: gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0",
        "    PyTorch: 2.1.2+cu121",
        "    TorchVision: 0.16.2+cu121",
        "    OpenCV: 4.10.0",
        "    MMEngine: 0.10.5",
        "",
        "Runtime environment:",
        "    cudnn_benchmark: False",
        "    mp_cfg: {'mp_start_method': 'fork', 'opencv_num_threads': 0}",
        "    dist_cfg: {'backend': 'nccl'}",
        "    seed: None",
        "    Distributed launcher: pytorch",
        "    Distributed training: True",
        "    GPU number: 2",
        "------------------------------------------------------------",
        "",
    ]
    say(begin + 66, "load backbone. in model from: torchvision://resnet50")
    say(
        begin + 69,
        '"FileClient" will be deprecated in future. Please use io functions in '
        "https://mmengine.readthedocs.io/en/latest/api/fileio.html#file-io",
    )
    out[-1] = out[-1].replace("INFO", "WARNING")
    say(begin + 70, "Checkpoints will be saved to /data/ohta/work_dirs/faster-rcnn_r50_fpn_1x_drone.")
    for epoch in range(1, epochs + 1):
        for i in range(50, iters + 1, 50):
            one = rng.gauss(pace, 0.005)
            at += 50 * one
            n = (epoch - 1) * iters + i
            part = min(1.0, n / 500)
            lr = 0.01 * (0.001 + 0.999 * part) * (0.1 if epoch > 8 else 1) * (0.1 if epoch > 11 else 1)
            drop = 0.9 if epoch > 8 else 1.0
            a, b, c, d = (
                learn(rng, n, s, f, p, 0.03) * drop
                for s, f, p in ((0.62, 0.031, 300), (0.14, 0.042, 900), (1.9, 0.171, 300), (0.31, 0.189, 1500))
            )
            left = (iters * epochs - n) * pace + 18 * (epochs - epoch)
            eta = f"{int(left) // 3600}:{int(left) % 3600 // 60:02d}:{int(left) % 60:02d}"
            if n // 1000 != (n - 50) // 1000:
                say(at, f"Exp name: faster-rcnn_r50_fpn_1x_drone_{clock(begin + 21, east, '%Y%m%d_%H%M%S')}")
            accuracy = 100 * (1 - 0.08 / (1 + n / 900)) - rng.uniform(0.4, 2.6)
            say(
                at,
                f"Epoch(train) {f'[{epoch}]':>5}[{i:4d}/{iters}]  lr: {lr:.4e}  eta: {eta}  time: "
                f"{one:.4f}  data_time: "
                f"{rng.uniform(0.0081, 0.0119):.4f}  memory: 21873  loss: {a + b + c + d:.4f}  loss_rpn_cls: {a:.4f}"
                f"  loss_rpn_bbox: {b:.4f}  loss_cls: {c:.4f}  acc: {accuracy:.4f}  loss_bbox: {d:.4f}",
            )
        at += (iters % 50) * pace
        say(at, f"Exp name: faster-rcnn_r50_fpn_1x_drone_{clock(begin + 21, east, '%Y%m%d_%H%M%S')}")
        say(at, f"Saving checkpoint at {epoch} epochs")
        marks.append((at, at + 63))
        for i in range(50, 251, 50):
            say(
                at + 3 + i * 0.209,
                f"Epoch(val) {f'[{epoch}]':>5}[{i:3d}/274]    eta: 0:00:{int((274 - i) * 0.209):02d}"
                f"  time: {rng.gauss(0.209, 0.003):.4f}  data_time: {rng.uniform(0.004, 0.009):.4f}  memory: 2117  ",
            )
        say(at + 60.5, "Evaluating bbox...")
        m = (0.402 if epoch > 8 else 0.362) - 0.3 / (1 + epoch) ** 1.3 + rng.gauss(0, 0.002)
        cells = [m, m + 0.211, m + 0.037, m - 0.17, m + 0.05, m + 0.131]
        say(at + 62.4, "bbox_mAP_copypaste: " + " ".join(f"{x:.3f}" for x in cells))
        names = ("mAP", "mAP_50", "mAP_75", "mAP_s", "mAP_m", "mAP_l")
        said = "  ".join(f"coco/bbox_{w}: {x:.4f}" for w, x in zip(names, cells, strict=True))
        say(at + 62.6, f"Epoch(val) [{epoch}][274/274]    {said}  data_time: 0.0061  time: 0.2091")
        at += 64
    end = at + 8
    put(place, "work_dirs/faster-rcnn_r50_fpn_1x_drone/20261028_114030.log", out)

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 20 or t > end - 4:
            return FREE
        if t < first:
            return Work(engine=0.02, mib=1270)
        if any(low <= t < high for low, high in marks):
            return Work(engine=0.52, sm=0.27, tensor=0.05, dram=0.19, mib=25320)
        return Work(engine=0.92, sm=0.61, tensor=0.19, dram=0.43, mib=25320 + 60 * gpu, rx=900, tx=60)

    rack = Rack("A100", [host], 2, work, begin - 600, end + 600, 15, 20)
    matrix(place, f"dcgm/{host}.json", rack, bare(rack))
    fault = begin - 8.3 * 3600
    said = (
        f"NVRM: Xid (PCI:0000:{rack.bus(1).lower()[:2]}:00): 31, pid=2214907, "
        "name=python3, Ch 00000013, intr 00000000. "
        "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f3c_51e00000. Fault is "
        "of type FAULT_PDE ACCESS_TYPE_READ"
    )
    quiet(place, f"dmesg_{host}.txt", rng, rack, 0, "dmesg -T", east, [(fault, said)])
    sacct(
        place,
        "sacct_63310.txt",
        [
            job(
                "63310",
                "frcnn_drone",
                "a100",
                "COMPLETED",
                "0:0",
                (begin - 340, begin, end),
                east,
                "1-00:00:00",
                (1, host),
            )
        ],
        bars=False,
    )


def t21(place: Path, rng: Random) -> None:
    """Eight H200 wait ten seconds and more for every batch that streams from the hub."""
    begin, east = when(12, 12, 44, 18), 60
    host, total = "hgx-h200-2", 35
    first, at = begin + 82, begin + 82.0
    steps = []
    for _ in range(total):
        wait = rng.uniform(10.2, 16.9)
        steps.append((at, at + wait, at + wait + 1.31))
        at += wait + 1.31 + 0.04
    last = at
    end = last + 49
    name = f"log_{int(begin) + 61}.txt"

    def now(gpu: int, t: float) -> Work:
        for low, ready, done in steps:
            if low <= t < done:
                if t < ready - 0.35 * ((gpu * 5 + int(low)) % 7) / 7:
                    return Work(mib=88700)
                if t < ready:
                    return Work(engine=1.0, sm=0.11, mib=88700)
                return Work(engine=0.99, sm=0.78, tensor=0.5, dram=0.46, mib=88700)
        return Work(mib=88700)

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 25 or t > end - 3:
            return FREE
        if t < first:
            return Work(engine=0.02, mib=16400)
        many = [now(gpu, t - 5 + 0.25 * i) for i in range(20)]
        mean = [sum(getattr(w, one) for w in many) / 20 for one in ("engine", "sm", "tensor", "dram")]
        return Work(mean[0], mean[1], mean[2], mean[3], mib=88700 + 40 * gpu, rx=30 * mean[0], tx=30 * mean[0])

    def alter(_node: int, gpu: int, _t: float, row: Row) -> Row:
        return row | {"CORRECTABLE_REMAPPED_ROWS": 1} if gpu == 4 else row

    rack = Rack("H200", [host], 8, work, begin - 120, end + 120, 5, 21, alter=alter)
    matrix(place, "query_range.json", rack, bare(rack, job="dcgm"))
    quiet(place, "journalctl_-k.txt", rng, rack, 0, "journalctl", east)
    sacct(
        place,
        "sacct.psv",
        [
            job(
                "7710",
                "tune-qwen3-8b-medinstr",
                "h200",
                "COMPLETED",
                "0:0",
                (begin - 21, begin, end),
                east,
                "04:00:00",
                (1, host),
            )
        ],
    )
    tag = "INFO:torchtune.utils._logging:"
    out = [
        f"{tag}Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 4",
        "checkpointer:",
        "  _component_: torchtune.training.FullModelHFCheckpointer",
        "  checkpoint_dir: /models/Qwen3-8B",
        "  model_type: QWEN3",
        "  output_dir: /scratch/agruber/medinstr",
        "  recipe_checkpoint: null",
        "clip_grad_norm: 1.0",
        "compile: false",
        "dataset:",
        "  _component_: data.streaming_instruct",
        "  packed: false",
        "  source: agruber/medinstr-de-raw",
        "  streaming: true",
        "device: cuda",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 1",
        "gradient_accumulation_steps: 1",
        "log_every_n_steps: 1",
        "log_peak_memory_stats: true",
        f"max_steps_per_epoch: {total}",
        "metric_logger:",
        "  _component_: torchtune.training.metric_logging.DiskLogger",
        "  log_dir: /scratch/agruber/medinstr/logs",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  fused: true",
        "  lr: 1.0e-05",
        "resume_from_checkpoint: false",
        "seed: 42",
        "",
        f"{tag}Set intra op parallelism no. of threads to 24",
        "Writing logs to /scratch/agruber/medinstr/logs/" + name,
        f"{tag}FSDP is enabled. Instantiating model and loading checkpoint took 17.84 secs",
        f"{tag}Memory stats after model init:",
        "\tGPU peak memory active: 4.92 GiB",
        "\tGPU peak memory alloc: 4.92 GiB",
        "\tGPU peak memory reserved: 5.11 GiB",
        f"{tag}Optimizer is initialized.",
        f"{tag}Loss is initialized.",
        f"{tag}No learning rate scheduler configured. Using constant learning rate.",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
        f"{tag} Profiler config after instantiation: {{'enabled': False}}",
    ]
    disk = []
    url = "https://huggingface.co/datasets/agruber/medinstr-de-raw/resolve/0c7be51d/shards/part"
    pulls = "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. "
    pulls += '(read timeout=10)")'
    for number, (low, _, done) in enumerate(steps, 1):
        for _ in range(rng.choice((0, 1, 1, 2))):
            out.append(
                f"{pulls}, '(Request ID: "
                f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4{rng.getrandbits(12):03x}-"
                f"{0x8000 | rng.getrandbits(13):04x}-{rng.getrandbits(48):012x})')' thrown while requesting GET "
                f"{url}-{rng.randrange(512):05d}.jsonl.zst"
            )
            out.append("Retrying in 1s [Retry 1/5].")
        loss = learn(rng, number, 1.71, 1.12, 8, 0.025)
        gone = done - first
        out.append(
            f"1|{number}|Loss: {loss:.16f}: {int(100 * number / total):3d}%|{bar(number, total)}| {number}/{total} "
            f"[{hms(gone)}<{hms(gone / number * (total - number))}, {done - low:5.2f}s/it]"
        )
        speed = rng.uniform(5200, 5900) / (done - low)
        disk.append(
            f"Step {number} | loss:{loss:.16f} lr:1e-05 tokens_per_second_per_gpu:{speed:.10f} "
            f"grad_norm:{max(1.1, 6.3 / number**0.5) * rng.gauss(1, 0.06):.6f} peak_memory_active:61.84 "
            "peak_memory_alloc:61.84 peak_memory_reserved:84.71 "
        )
    out += [
        f"{tag}Saving checkpoint. This may take some time. Retrieving full model state dict...",
        f"{tag}Getting full model state dict took 6.31 secs",
        *(
            f"{tag}Model checkpoint of size {size} GiB saved to /scratch/agruber/medinstr/epoch_0/"
            f"model-{i:05d}-of-00005.safetensors"
            for i, size in enumerate(("3.71", "3.73", "3.69", "3.05", "1.16"), 1)
        ),
        f"{tag}Saving final epoch checkpoint.",
        f"{tag}The full model checkpoint, including all weights and configurations, has been saved successfully."
        "You can now use this checkpoint for further training or inference.",
        f"{tag}Saving checkpoint took 28.17 secs",
    ]
    put(place, "tune_7710.log", out)
    put(place, f"medinstr/logs/{name}", disk)


def t22(place: Path, rng: Random) -> None:
    """Rank 2 of four stands still between two steps; the others wait in an all-reduce until the watchdog ends them."""
    begin, east = when(26, 20, 11, 3), 0
    host, pace = "node21", 0.874
    first, stuck = begin + 96, begin + 142 * 60 + 11.0
    abort = stuck + 600.2
    end = abort + 12

    def work(_node: int, gpu: int, t: float) -> Work:
        if t < begin + 20 or t > end - 3:
            return FREE
        if t < first:
            return Work(engine=0.03, mib=1420)
        if t > stuck:
            return Work(mib=43850) if gpu == 2 else Work(engine=1.0, sm=0.07, mib=43850)
        return Work(engine=0.98, sm=0.94, tensor=0.62, dram=0.8, mib=43850 + 20 * gpu, rx=5200, tx=5100)

    rack = Rack("A6000", [host], 4, work, begin - 300, end + 300, 15, 22, ecc=False)
    matrix(place, "dcgm.json", rack, bare(rack))
    quiet(place, "journal-kernel.txt", rng, rack, 0, "journalctl", east)
    out = [f"{milli(begin + 21.118, 0)} [INFO] [rank0] 実験開始: tts-vits2-multispk (GPU 4枚, DDP, backend=nccl)"]
    out += [f"{milli(begin + 21.904, 0)} [INFO] [rank0] 設定: batch=32/GPU lr=2.0e-04 総ステップ=400000 fp16=True"]
    out += [f"{milli(begin + 24.377, 0)} [INFO] [rank0] 学習データ: 184,220発話 / 検証データ: 1,024発話"]
    out += [f"{milli(begin + 62.611, 0)} [INFO] [rank0] チェックポイントなし。最初から学習します"]
    at, step = first, 0
    while True:
        at += 50 * pace * rng.gauss(1, 0.006)
        step += 50
        if at > stuck:
            break
        mel, kl = learn(rng, step, 78, 17.2, 700, 0.02), learn(rng, step, 3.9, 1.21, 500, 0.03)
        gen = learn(rng, step, 4.4, 2.2, 300, 0.04)
        out.append(
            f"{milli(at, 0)} [INFO] [rank0] エポック {step // 1440 + 1} ステップ {step} | 損失_G {mel + kl + gen:.4f} "
            f"損失_D {rng.gauss(2.35, 0.05):.4f} (mel {mel:.3f} kl {kl:.3f}) | {rng.gauss(pace, 0.006):.3f}秒/ステップ"
        )
        if step % 2000 == 0:
            out.append(f"{milli(at + 2.3, 0)} [INFO] [rank0] 保存: exp/vits2/G_{step}.pth, D_{step}.pth")
            at += 2.9
    sequence = 9 * step + 9 * 31 + 4
    t = abort
    for i, rank in enumerate((1, 0, 3)):
        stamp = clock(t + 0.01 * i, 0, "%m%d %H:%M:%S")
        ms = 600000 + rng.randrange(12, 90)
        head = f"[rank{rank}]:[E{stamp}"
        work_is = (
            f"WorkNCCL(SeqNum={sequence}, OpType=ALLREDUCE, NumelIn=6564352, NumelOut=6564352, Timeout(ms)=600000)"
        )
        out += [
            f"{head}.{211 + 13 * i}480277 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation "
            f"timeout: {work_is} ran for {ms} milliseconds before timing out.",
            f"{head}.{212 + 13 * i}007194 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID "
            f"0(default_pg) Rank {rank}]  failure "
            f"detected by watchdog at work sequence id: {sequence} PG status: last enqueued work: {sequence + 2}, last "
            f"completed work: {sequence - 1}",
            f"{head}.{212 + 13 * i}031550 ProcessGroupNCCL.cpp:670] Stack trace of the failed collective not found, "
            "potentially because FlightRecorder is disabled. You can enable it by setting "
            "TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
            f"{head}.{212 + 13 * i}199037 ProcessGroupNCCL.cpp:2103] [PG ID 0 PG GUID "
            f"0(default_pg) Rank {rank}] First PG on "
            "this rank to signal dumping.",
        ]
    stamp = clock(t + 0.4, 0, "%m%d %H:%M:%S")
    out.append(
        f"[rank2]:[E{stamp}.644190733 ProcessGroupNCCL.cpp:1682] [PG ID 0 PG GUID "
        "0(default_pg) Rank 2] Observed flight "
        "recorder dump signal from another rank via TCPStore."
    )
    out.append(
        f"[rank2]:[E{stamp}.644371020 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID "
        "0(default_pg) Rank 2] Received a dump "
        "signal due to a collective timeout from  rank 1 and we will try our best to "
        "dump the debug info. Last enqueued "
        f"NCCL work: {sequence - 1}, last completed NCCL work: {sequence - 1}.This is most likely caused by incorrect "
        "usages of collectives, e.g., wrong sizes used across ranks, the order of "
        "collectives is not same for all ranks "
        "or the scheduled collective, for some reason, didn't run. Additionally, this can be caused by GIL deadlock or "
        "other reasons such as network errors or bugs in the communications library (e.g. NCCL), etc. "
    )
    stamp = clock(t + 1.2, 0, "%m%d %H:%M:%S")
    out += [
        f"[rank1]:[E{stamp}.404118822 ProcessGroupNCCL.cpp:684] [Rank 1] Some NCCL "
        "operations have failed or timed out. Due "
        "to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"[rank1]:[E{stamp}.404150171 ProcessGroupNCCL.cpp:698] [Rank 1] To avoid data "
        "inconsistency, we are taking the "
        "entire process down.",
        f"[rank1]:[E{stamp}.406009244 ProcessGroupNCCL.cpp:1899] [PG ID 0 PG GUID 0(default_pg) Rank 1] Process group "
        "watchdog thread terminated with exception: [Rank 1] Watchdog caught collective "
        f"operation timeout: {work_is} ran "
        "for 600031 milliseconds before timing out.",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 1] Process group watchdog thread "
        "terminated with exception: [Rank 1] "
        f"Watchdog caught collective operation timeout: {work_is} ran for 600031 milliseconds before timing out.",
        "",
    ]
    out += torchrun_end(t + 4, 0, host, "train_ms.py", 1, 1, 40213, 40140, -6, "40212 40214 40215")
    put(place, "nohup_train.out", out)


def t23(place: Path, rng: Random) -> None:
    """One of two H100 nodes goes silent in the 23rd minute; Slurm sets it down five minutes later."""
    begin, east = when(20, 3, 15, 36), 0
    nodes, gone = ["h100-06", "h100-07"], 1
    first, dead = begin + 171, begin + 22 * 60 + 41.0
    down = begin + 27 * 60 + 52
    end, pace, total = float(down), 4.83, 3750

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 30 or t > end - 1:
            return FREE
        if t < first:
            return Work(engine=0.04, mib=11200)
        if t > dead:
            return Work(engine=1.0, sm=0.09, mib=71880)
        return Work(engine=0.99, sm=0.74, tensor=0.46, dram=0.42, mib=71880 + 110 * gpu + 60 * node)

    def alter(node: int, _gpu: int, t: float, row: Row) -> Row | None:
        return None if node == gone and t > dead else row

    rack = Rack("H100", nodes, 8, work, begin - 120, end + 180, 10, 23, alter=alter)
    columns: tuple[str, ...] = (
        "index",
        "name",
        "pci.bus_id",
        "pstate",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
    )
    columns += ("memory.used", "power.draw", "clocks.current.sm", "ecc.errors.uncorrected.volatile.total")
    for node, host in enumerate(nodes):
        smi_csv(place, f"{host}/nvidia-smi.csv", rack, node, east, columns)
        quiet(place, f"{host}/kern.log", rng, rack, node, "syslog", east)
    sacct(
        place,
        "sacct_55871.txt",
        [
            job(
                "55871",
                "sft-l3-70b",
                "h100",
                "NODE_FAIL",
                "1:0",
                (begin - 511, begin, end),
                east,
                "2-00:00:00",
                (2, "h100-[06-07]"),
            )
        ],
    )
    stamp = "%Y-%m-%dT%H:%M:%S"
    put(
        place,
        "slurmctld_excerpt.log",
        [
            f"[{clock(begin, east, stamp)}.308] sched: Allocate JobId=55871 "
            "NodeList=h100-[06-07] #CPUs=192 Partition=h100",
            f"[{clock(begin + 611, east, stamp)}.014] sched: Allocate JobId=55874 "
            "NodeList=h100-11 #CPUs=24 Partition=h100",
            f"[{clock(dead + 88, east, stamp)}.771] error: Nodes h100-07 not responding",
            f"[{clock(dead + 288, east, stamp)}.772] error: Nodes h100-07 not responding",
            f"[{clock(down, east, stamp)}.119] error: Nodes h100-07 not responding, setting DOWN",
            f"[{clock(down, east, stamp)}.120] Killing JobId=55871 on failed node h100-07",
            f"[{clock(down + 40, east, stamp)}.902] cleanup_completing: JobId=55871 completion process took 40 seconds",
        ],
    )
    put(
        place,
        "sinfo_-R.txt",
        [
            "REASON               USER      TIMESTAMP           NODELIST",
            f"Not responding       slurm     {clock(down, east, stamp)} h100-07",
        ],
    )
    out = [
        f"[{clock(begin + 44, east)},118] [INFO] "
        "[real_accelerator.py:254:get_accelerator] Setting ds_accelerator to cuda "
        "(auto detect)",
        f"[{clock(begin + 51, east)},702] [INFO] [comm.py:669:init_distributed] cdb=None",
        f"[{clock(begin + 51, east)},703] [INFO] [comm.py:700:init_distributed] "
        "Initializing TorchBackend in DeepSpeed with "
        "backend nccl",
        f"[{clock(begin + 66, east)},030] [INFO] [config.py:735:__init__] Config mesh_device None world_size = 16",
        f"[{clock(begin + 71, east)},481] [INFO] [partition_parameters.py:348:__exit__] finished initializing model - "
        "num_params = 723, num_elems = 70.55B",
        "Loading checkpoint shards: 100%|██████████| 30/30 [01:12<00:00,  2.43s/it]",
        "Parameter Offload: Total persistent parameters: 1318912 in 161 params",
    ]
    at, step = first, 0
    while at + pace < dead:
        at += pace * rng.gauss(1, 0.008)
        step += 1
        done = at - first
        if step % 5 == 0:
            row = {
                "loss": round(learn(rng, step, 1.58, 1.02, 35, 0.02), 4),
                "grad_norm": rng.gauss(1.1, 0.08) if step > 30 else rng.gauss(2.4, 0.2),
                "learning_rate": 1e-5 * min(1.0, step / 113),
                "epoch": round(step / 1875, 2),
            }
            out.append(str(row))
        if step % 10 == 0:
            left = hms((total - step) * pace)
            out.append(
                f" {100 * step // total:2d}%|{bar(step, total)}| {step}/{total} [{hms(done)}<{left},  {pace:.2f}s/it]"
            )
    cut = clock(down, east, stamp)
    out += [
        "srun: error: Node failure on h100-07",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 55871.0 ON h100-06 CANCELLED AT {cut} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR "
        "DETAILS ***",
        f"slurmstepd: error: *** JOB 55871 ON h100-06 CANCELLED AT {cut} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR "
        "DETAILS ***",
    ]
    put(place, "slurm-55871.out", out)


def t24(place: Path, rng: Random) -> None:
    """The cooling of a rack fails in the second hour; 16 A100 run hot and slow for seven hours; no logs."""
    begin, east = when(16, 21, 30, 44), 0
    nodes = ["r14-a100-1", "r14-a100-2"]
    end = begin + 508 * 60 + 19
    fail = begin + 74 * 60

    def air(t: float) -> float:
        return 24.5 if t < fail else 24.5 + 36 * min(1.0, (t - fail) / 2400)

    def work(node: int, gpu: int, t: float) -> Work:
        if t < begin + 35 or t > end - 5:
            return FREE
        if t < begin + 190:
            return Work(engine=0.03, mib=78200)
        return Work(engine=0.97, sm=0.77, tensor=0.44, dram=0.56, mib=78200 + 8 * gpu + 3 * node)

    def alter(_node: int, _gpu: int, _t: float, row: Row) -> Row:
        if int(row["CLOCKS_EVENT_REASONS"]) & 0x20:
            row["SM_CLOCK"] += 15 * rng.choice((-3, -2, -1, -1, 0, 0, 0, 1, 1, 2))
        return row

    rack = Rack("A100", nodes, 8, work, begin - 600, end + 600, 15, 24, alter=alter, air=air, hot=84.0)
    smi_exporter(place, "vm_export/nvidia_gpu_exporter.json", rack)
    for node, host in enumerate(nodes):
        more, events = [], 1
        t = fail + 1700 + 211 * node
        while t < end:
            cpu = rng.randrange(0, 64)
            more.append(
                (
                    t,
                    f"mce: CPU{cpu}: Package temperature above threshold, cpu clock throttled (total "
                    f"events = {events})",
                )
            )
            more.append((t + rng.uniform(0.9, 3.1), f"mce: CPU{cpu}: Package temperature/speed normal"))
            events += rng.randrange(40, 900)
            t += rng.uniform(1500, 5200)
        quiet(place, f"syslog/{host}.kern.log", rng, rack, node, "syslog", east, more)
    old, old_end = begin - 5.2 * 86400, begin - 5.2 * 86400 + 345 * 60 + 40
    name, two = "effnetv2l-in21k-keras", "r14-a100-[1-2]"
    rows = []
    for number, low, high, where in ((39120, old, old_end, "r09-a100-[3-4]"), (39588, begin, end, two)):
        rows.append(
            job(str(number), name, "a100", "COMPLETED", "0:0", (low - 75, low, high), east, "16:00:00", (2, where))
        )
        for step, n in (("batch", 1), ("extern", 2), ("0", 2)):
            at = where if n > 1 else where.split("[")[0] + where.split("[")[1][0]
            title = step if step != "0" else "python"
            rows.append(job(f"{number}.{step}", title, "", "COMPLETED", "0:0", (low, low, high), east, "", (n, at)))
    sacct(place, "sacct_effnet.txt", rows)
