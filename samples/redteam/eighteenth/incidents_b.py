"""Incidents t08 to t14 of the eighteenth set, simulated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import kit
from .kit import OFF, Job, Load, Rig, falls, hms, loc, ms, put, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t08(place: Path, rng: Random) -> None:
    """Nobody can tell: status 1 in the eighth epoch, and of the two streams only the quiet one was kept."""
    zone, host, job = "+00:00", "cvgpu06", 98113
    begin = when("2026-11-18T21:44:10")
    gpus = [f"CUDA:{n} (NVIDIA A100-SXM4-80GB, 81051MiB)" for n in range(4)]
    indent = " " * 57
    out = [
        "New https://pypi.org/project/ultralytics/8.3.231 available 😃 Update with 'pip install -U ultralytics'",
        f"Ultralytics 8.3.58 🚀 Python-3.10.15 torch-2.5.1+cu121 {gpus[0]}",
        *(indent + one for one in gpus[1:]),
        "",
        "engine/trainer: task=detect, mode=train, model=yolo11m.pt, data=/data/retail/retail.yaml, epochs=150, time=None, patience=100, batch=192, imgsz=640, save=True, save_period=-1, cache=False, device=[0, 1, 2, 3], workers=12, project=runs/retail, name=y11m, exist_ok=False, pretrained=True, optimizer=auto, verbose=True, seed=0, deterministic=True, single_cls=False, rect=False, cos_lr=False, close_mosaic=10, resume=False, amp=True, fraction=1.0, profile=False, freeze=None, multi_scale=False, save_dir=runs/retail/y11m",
        "Overriding model.yaml nc=80 with nc=312",
        "Transferred 643/649 items from pretrained weights",
        "DDP: debug command /opt/conda/bin/python -m torch.distributed.run --nproc_per_node 4 --master_port 42177 /home/tkowal/.config/Ultralytics/DDP/_temp_5n0c7x1j140213987412144.py",
        f"Ultralytics 8.3.58 🚀 Python-3.10.15 torch-2.5.1+cu121 {gpus[0]}",
        *(indent + one for one in gpus[1:]),
        "Overriding model.yaml nc=80 with nc=312",
        "Transferred 643/649 items from pretrained weights",
        "Freezing layer 'model.23.dfl.conv.weight'",
        "AMP: running Automatic Mixed Precision (AMP) checks...",
        "AMP: checks passed ✅",
        "Plotting labels to runs/retail/y11m/labels.jpg... ",
        "optimizer: 'optimizer=auto' found, ignoring 'lr0=0.01' and 'momentum=0.937' and determining best 'optimizer', 'lr0' and 'momentum' automatically... ",
        "optimizer: SGD(lr=0.01, momentum=0.9) with parameter groups 106 weight(decay=0.0), 113 weight(decay=0.0015), 112 bias(decay=0.0)",
        "Image sizes 640 train, 640 val",
        "Using 48 dataloader workers",
        "Logging results to runs/retail/y11m",
        "Starting training for 150 epochs...",
    ]
    table = [
        "epoch,time,train/box_loss,train/cls_loss,train/dfl_loss,metrics/precision(B),metrics/recall(B),metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,val/dfl_loss,lr/pg0,lr/pg1,lr/pg2"
    ]
    t, spans = begin + 96.0, []
    for e in range(1, 9):
        out += ["", "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size"]
        a = t
        if e == 8:
            t += 71
            spans.append((a, t))
            break
        t += 151 * rng.gauss(1, 0.01) + (9 if e == 1 else 0)
        spans.append((a, t))
        t += 17
        m = 0.61 * (1 - math.exp(-e / 6)) + rng.gauss(0, 0.004)
        p, r = m + 0.08, m + 0.02
        out.append(f"{'all':>22}{9120:>11}{118304:>11}{p:>11.3g}{r:>11.3g}{m:>11.3g}{m * 0.68:>11.3g}")
        box, cls, dfl = (falls(rng, e, a0, b0, 3, 0.006) for a0, b0 in ((1.71, 0.9), (3.6, 0.8), (1.62, 1.05)))
        lr = 0.01 * min(1, e / 3) * (1 - 0.99 * (e - 1) / 150)
        table.append(
            f"{e},{t - begin - 96:.3f},{box:.5g},{cls:.5g},{dfl:.5g},{p:.5g},{r:.5g},{m:.5g},{m * 0.68:.5g},{box * 0.98:.5g},{cls * 0.91:.5g},{dfl * 1.02:.5g},{lr:.6g},{lr:.6g},{lr:.6g}"
        )
    end = t + 5
    put(place, f"slurm-{job}.out", out)
    put(place, "runs/retail/y11m/results.csv", table)

    def load(_node: int, _gpu: int, at: float) -> Load:
        if not begin + 20 < at < end - 4:
            return OFF
        if at < begin + 96:
            return Load(used=1300)
        if any(a <= at < b for a, b in spans):
            return Load(0.88, 0.6, 0.2, 0.44, 51800)
        return Load(0.4, 0.21, 0.07, 0.16, 53900)

    rig = Rig("A100-80", [host], 4, load, begin - 600, end + 600, 60, 808, flat={(0, 3, "XID"): 43})
    kit.prometheus(place, "metrics", [rig], split=True)
    rows = [
        ("", "y11m-retail", "FAILED", "1:0", begin, end),
        (".batch", "batch", "FAILED", "1:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end),
    ]
    Job(job, "y11m-retail", "tkowal", "cv", host, 1, 64, 4, 1440, begin - 15, zone, "sbatch train.sh", rows).columns(
        place, "sacct.txt", kit.TIMES
    )
    boot = begin - 22.4 * 86400
    xid = (
        begin - 51340,
        "NVRM: Xid (PCI:0000:4e:00): 43, pid=771204, name=pt_main_thread, Ch 00000010",
    )
    lines = [*kit.quiet(rng, boot, begin, end, "A100-80", 4), xid]
    kit.kernel(place, "dmesg.txt", "dmesg -T", zone, host, boot, lines)


def t09(place: Path, rng: Random) -> None:
    """D3: since a stranger's process shares one GPU of four, the other three wait for that one in each step."""
    zone, nodes, job = "+09:00", ["vega09", "vega12"], 117204
    begin = when("2026-11-20T15:26:40", zone)
    came, seen = begin + 655, begin + 34 * 60

    def load(node: int, gpu: int, at: float) -> Load:
        if at < begin + 15:
            return OFF
        if at < begin + 80:
            return Load(used=2100)
        if at < begin + 128:
            return Load(0.2, 0.1, 0.03, 0.06, 61000)
        if at < came:
            return Load(1.0, 0.88, 0.46, 0.52, 96300)
        if (node, gpu) == (1, 1):
            return Load(1.0, 0.97, 0.37, 0.74, 96300 + min(31400.0, 900 * (at - came)))
        return Load(1.0, 0.39, 0.19, 0.22, 96300)

    rig = Rig("H200", nodes, 2, load, begin - 60, seen, 5, 909)
    for k, host in enumerate(nodes):
        kit.smi_csv(place, f"gpu_{host}.csv", rig, k, zone)
    rows_now = rig.rows(1, 0)[-1][1], rig.rows(1, 1)[-1][1]
    bar = "+-----------------------------------------------------------------------------------------+"
    three = "|-----------------------------------------+------------------------+----------------------+"
    table = [
        loc(seen - 20, zone, "%a %b %e %H:%M:%S %Y       "),
        bar,
        "| NVIDIA-SMI 565.57.01              Driver Version: 565.57.01      CUDA Version: 12.7     |",
        three,
        "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
        "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
        "|                                         |                        |               MIG M. |",
        "|=========================================+========================+======================|",
    ]
    for gpu, row in enumerate(rows_now):
        table += [
            f"|{gpu:4d}  NVIDIA H200                    On  |   00000000:{kit.BUS[gpu]:02X}:00.0 Off |                    0 |",
            f"| N/A   {row['TEMP']:.0f}C    P0            {row['WATTS']:4.0f}W /  700W |{row['USED']:8.0f}MiB / 143771MiB |    {row['UTIL']:3.0f}%      Default |",
            "|                                         |                        |             Disabled |",
            "+-----------------------------------------+------------------------+----------------------+",
        ]
    table += [
        "                                                                                         ",
        bar,
        "| Processes:                                                                              |",
        "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |",
        "|        ID   ID                                                               Usage      |",
        "|=========================================================================================|",
        *(
            f"|{gpu:5d}   N/A  N/A {pid:11d}      C   {name:<41}{mib:6d}MiB |"
            for gpu, pid, name, mib in (
                (0, 2211872, "...envs/titan/bin/python3.11", 96770),
                (1, 2211873, "...envs/titan/bin/python3.11", 96770),
                (1, 2219340, "/usr/bin/python3", 31390),
            )
        ),
        bar,
    ]
    put(place, "vega12_nvidia-smi.txt", table)
    early = begin - 5210
    rows = [
        ("", "titan-8b-sft", "REQUEUED", "0:0", early, begin - 1330),
        (".batch", "batch", "CANCELLED", "", early, begin - 1328),
        (".extern", "extern", "COMPLETED", "0:0", early, begin - 1329),
        (".0", "torchrun", "CANCELLED", "0:15", early + 3, begin - 1328),
        ("", "titan-8b-sft", "RUNNING", "0:0", begin, None),
        (".batch", "batch", "RUNNING", "0:0", begin, None),
        (".extern", "extern", "RUNNING", "0:0", begin, None),
        (".0", "torchrun", "RUNNING", "0:0", begin + 3, None),
    ]
    Job(
        job,
        "titan-8b-sft",
        "sato",
        "h200",
        "vega09,vega12",
        2,
        64,
        4,
        1440,
        early - 300,
        zone,
        "sbatch --requeue titan.sh",
        [(a, b, c, d or "0:15", e, f) for a, b, c, d, e, f in rows],
        seen=seen,
    ).columns(place, "sacct_-D.txt", kit.TIMES)
    for host in nodes:
        boot = begin - rng.uniform(12, 50) * 86400
        kit.kernel(place, f"{host}.dmesg", "dmesg -T", zone, host, boot, kit.quiet(rng, boot, begin, seen, "H200", 2))


def t10(place: Path, rng: Random) -> None:
    """G1: a quiet script that trained its thirty epochs on half a node; the other half is somebody else's."""
    zone, host, job = "+00:00", "dgx3", 4471902
    begin = when("2026-11-11T07:50:19")
    t = begin + 17.0
    out = [
        f"Job {job} on {host}, {loc(begin + 1, zone, '%a %b %e %H:%M:%S UTC %Y')}",
        "CUDA_VISIBLE_DEVICES=4,5,6,7",
        "Lmod: loading gcc/12.3.0, cuda/12.2, anaconda/2024.06",
        "copying /project/ecg/ptbxl_500hz.h5 -> /tmp/4471902 ... done (8.1 GB)",
        "21799 records, folds 1-8 train (17418), 9 valid (2183), 10 test (2198)",
    ]
    t += 38
    start = t
    for e in range(30):
        t += 31.6 * rng.gauss(1, 0.012)
        if (e + 1) % 5 == 0 or e == 0:
            auc = 0.931 - 0.21 * math.exp(-(e + 1) / 6) + rng.gauss(0, 0.0015)
            out.append(
                f"epoch {e + 1:3d} of 30   train {falls(rng, e, 0.412, 0.118, 4, 0.01):.4f}   valid {falls(rng, e, 0.398, 0.142, 4, 0.012):.4f}   macro AUC {auc:.4f}"
            )
    stop = t
    out += [
        "test fold: loss 0.1997, macro AUC 0.9274 (best epoch 28)",
        "wrote /project/ecg/runs/xresnet101_s3/model.pt and test_predictions.csv",
        f"done in {(t - begin - 17) / 60:.1f} min",
    ]
    end = t + 14
    put(place, f"ecg.o{job}", out)

    def load(_node: int, gpu: int, at: float) -> Load:
        if gpu < 4:
            turn = (at / 611 + gpu * 0.01) % 1
            return Load(1.0, 0.79, 0.41, 0.5, 71200) if turn < 0.94 else Load(0.31, 0.2, 0.05, 0.2, 74100)
        if not begin + 20 < at < end - 5:
            return OFF
        return Load(0.91, 0.57, 0.12, 0.43, 14900) if start <= at < stop else Load(used=700)

    rig = Rig("A100-80", [host], 8, load, begin - 120, end + 120, 5, 1010)
    kit.smi_csv(place, "smi.log", rig, 0, zone, old=True)
    rows = [
        ("", "ecg-s3", "COMPLETED", "0:0", begin, end),
        (".batch", "batch", "COMPLETED", "0:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end),
    ]
    Job(
        job,
        "ecg-s3",
        "hnakhle",
        "shared",
        host,
        1,
        32,
        4,
        120,
        begin - 4,
        zone,
        "sbatch ecg.sh",
        rows,
        account="cardio",
    ).columns(place, "sacct.txt", kit.DEFAULT)
    boot = begin - 101.7 * 86400
    kit.kernel(place, "dmesg-T.txt", "dmesg -T", zone, host, boot, kit.quiet(rng, boot, begin, end, "A100-80", 8))


def t11(place: Path, rng: Random) -> None:
    """D1: two workers decode audio for eight GPUs from a slow file system; 22 of 25 seconds are waiting for data."""
    zone, nodes, job = "+01:00", ["ng21", "ng22"], 880415
    begin = when("2026-11-23T08:41:02", zone)
    seen = begin + 158 * 60
    warn = (
        "/work/projects/asr/venv/lib/python3.11/site-packages/torchaudio/_backend/utils.py:213: UserWarning: In 2.9, this function's implementation will be changed to use torchaudio.load_with_torchcodec` under the hood. Some parameters like ``normalize``, ``format``, ``buffer_size``, and ``backend`` will be ignored. We recommend that you port your code to rely directly on TorchCodec's decoder instead: https://docs.pytorch.org/torchcodec/stable/generated/torchcodec.decoders.AudioDecoder.",
        "  warnings.warn(",
    )
    out = [
        "W1123 08:41:19.204000 1290114 torch/distributed/run.py:766] ",
        "W1123 08:41:19.204000 1290114 torch/distributed/run.py:766] *****************************************",
        "W1123 08:41:19.204000 1290114 torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "W1123 08:41:19.204000 1290114 torch/distributed/run.py:766] *****************************************",
        "Error in cpuinfo: prctl(PR_SVE_GET_VL) failed",
        f"{loc(begin + 31, zone)}.{ms(begin + 0.4)}: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:477] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered",
        f"{loc(begin + 58, zone, '%m/%d/%Y %H:%M:%S')} - WARNING - __main__ - Process rank: 0, device: cuda:0, n_gpu: 1, distributed training: True, 16-bits training: False",
        f"{loc(begin + 61, zone, '%m/%d/%Y %H:%M:%S')} - ERROR - asr.manifest - 14 of 1,208,331 utterances have no transcript, skipped",
        "Some weights of WhisperForConditionalGeneration were not initialized from the model checkpoint at openai/whisper-medium and are newly initialized: ['proj_out.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.",
        "***** Running training *****",
        "  Num examples = 1,208,317",
        "  Num Epochs = 1",
        "  Instantaneous batch size per device = 32",
        "  Total train batch size (w. parallel, distributed & accumulation) = 256",
        "  Gradient Accumulation steps = 1",
        "  Total optimization steps = 4,720",
        "  Number of trainable parameters = 762,321,920",
        "",
        f"  0%|          | 0/4720 [00:00<?, ?it/s]{warn[0]}",
        warn[1],
    ]
    t = start = begin + 104.0
    step, busy = 0, []
    while t < seen - 30:
        wait = max(3.0, rng.gauss(22.1, 3.9))
        work = 2.75 * rng.gauss(1, 0.02)
        busy.append((t + wait, t + wait + work))
        t += wait + work
        step += 1
        rate = (t - start) / step
        bar = f"\r  {100 * step // 4720}%|{' ▏▎▍▌▋▊▉'[min(7, 80 * step // 4720)]}         | {step}/4720 [{hms(t - start)}<{hms((4720 - step) * rate)}, {rate:5.2f}s/it]"
        out[-1] += bar
        if step % 5 == 0:
            loss = falls(rng, step, 2.31, 0.36, 45, 0.02)
            out += [
                "",
                f"{bar}{{'loss': {round(loss, 4)}, 'grad_norm': {4.1 * (0.3 + 20 / (step + 20)) * rng.uniform(0.85, 1.2)!r}, 'learning_rate': {1e-5 * min(1, step / 500)!r}, 'data_wait_s': {wait:.2f}, 'step_s': {wait + work:.2f}, 'epoch': {round(step / 4720, 2)}}}",
                "",
            ]
    put(place, f"whisper-{job}.log", out)

    def load(node: int, gpu: int, at: float) -> Load:
        if at < begin + 40:
            return OFF
        if at < start:
            return Load(used=6100)
        share = sum(max(0.0, min(b, at) - max(a, at - 60)) for a, b in busy if b > at - 60 and a < at) / 60
        spin = 0.012 + 0.024 * ((3 * node + gpu) % 4)
        return Load(0.94 * share + spin, 0.66 * share, 0.27 * share, 0.4 * share, 88200)

    rig = Rig("H200", nodes, 4, load, begin - 600, seen, 60, 1111)
    kit.prometheus(place, "prom_range.json", [rig], style="uuid", only=[0])
    rows = [
        ("", "whisper-ft", "RUNNING", "0:0", begin, None),
        (".batch", "batch", "RUNNING", "0:0", begin, None),
        (".extern", "extern", "RUNNING", "0:0", begin, None),
        (".0", "torchrun", "RUNNING", "0:0", begin + 4, None),
    ]
    Job(
        job,
        "whisper-ft",
        "jkeller",
        "h200",
        "ng[21-22]",
        2,
        16,
        8,
        4320,
        begin - 1907,
        zone,
        "sbatch whisper.slurm",
        rows,
        seen=seen,
    ).bars(place, "sacct.txt")
    for host in nodes:
        boot = begin - rng.uniform(5, 33) * 86400
        lines = kit.quiet(rng, boot, begin, seen, "H200", 4)
        for _ in range(3):
            at = rng.uniform(begin + 600, seen - 200)
            lines += [
                (at, "nfs: server nas-asr not responding, still trying"),
                (at + rng.uniform(4, 19), "nfs: server nas-asr OK"),
            ]
        kit.kernel(place, f"dmesg_{host}.log", "dmesg iso", zone, host, boot, lines)


def t12(place: Path, rng: Random) -> None:
    """B2: a GPU of the third node fell off the bus, which ended the job a little later."""
    zone, nodes, job = "-05:00", ["jx1", "jx2", "jx3", "jx4"], 30551
    begin = when("2026-11-06T13:11:48", zone)
    fell = begin + 1461.0
    end = fell + 97

    def load(node: int, gpu: int, at: float) -> Load:
        if not begin + 22 < at < end - 6:
            return OFF
        if at < begin + 95:
            return Load(used=61900)
        if at < begin + 160:
            return Load(0.06, 0.02, 0.0, 0.01, 61900)
        if at < fell:
            return Load(0.99, 0.86, 0.49, 0.45, 61900)
        if node == 2:
            return Load(0.0, 0, 0, 0, 61900) if at < fell + 6 else OFF
        return Load(1.0, 0.09, 0.0, 0.006, 61900)

    rig = Rig("H100", nodes, 4, load, begin - 600, end + 1200, 30, 1212, gone={(2, 1): fell})
    rig.flat = {(0, 3, "XID"): 31}
    kit.prometheus(place, "prometheus", [rig], split=True)
    name = "maxtext-7b"
    rows = [
        ("", name, "FAILED", "134:0", begin, end),
        (".batch", "batch", "FAILED", "134:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end + 1),
        (".0", "python3", "FAILED", "0:6", begin + 5, end),
    ]
    Job(
        job, name, "dsorensen", "h100x4", "jx[1-4]", 4, 256, 16, 2880, begin - 400, zone, "sbatch maxtext_7b.sh", rows
    ).bars(place, "sacct.psv", everything=True)
    for k, host in enumerate(nodes):
        boot = begin - rng.uniform(4, 44) * 86400
        lines = kit.quiet(rng, boot, begin, end, "H100", 4)
        if k == 0:
            lines.append(
                (
                    begin - 18122,
                    "NVRM: Xid (PCI:0000:4e:00): 31, pid=880112, name=python, Ch 0000000b, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_7 faulted @ 0x7fa1_8c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE",
                )
            )
        if k == 2:
            lines += [
                (fell, "pcieport 0000:0d:01.0: pciehp: Slot(21): Link Down"),
                (fell + 0.01, "pcieport 0000:0d:01.0: pciehp: Slot(21): Card not present"),
                (
                    fell + 0.2,
                    "NVRM: Xid (PCI:0000:0f:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
                ),
                (fell + 0.21, "NVRM: GPU 0000:0f:00.0: GPU has fallen off the bus."),
                (fell + 0.3, "NVRM: A GPU crash dump has been created. If possible, please run"),
                (fell + 0.31, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
                (fell + 0.32, "NVRM: the NVIDIA kernel module is unloaded."),
                (
                    fell + 0.4,
                    "NVRM: Xid (PCI:0000:0f:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                ),
            ]
        kit.kernel(place, f"{host}/dmesg.txt", "dmesg -T", zone, host, boot, lines)


def t13(place: Path, rng: Random) -> None:
    """F2: preempted after two hours and put back into the queue, where it still waits."""
    zone, nodes, job = "-08:00", ["a40g-01", "a40g-02", "a40g-05", "a40g-06"], 612088
    begin = when("2026-11-14T01:07:22", zone)
    end = begin + 130 * 60 - 31
    out = []

    def say(t: float, where: str, text: str, level: str = "INFO") -> None:
        out.append(f"[{loc(t, zone)},{ms(t)}] [{level}] [{where}] {text}")

    for _r in range(8):
        say(
            begin + 17 + rng.uniform(0, 2),
            "real_accelerator.py:219:get_accelerator",
            "Setting ds_accelerator to cuda (auto detect)",
        )
    say(begin + 24, "comm.py:652:init_distributed", "cdb=None")
    say(begin + 24.1, "comm.py:683:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl")
    say(
        begin + 33,
        "logging.py:128:log_dist",
        "[Rank 0] DeepSpeed info: version=0.15.4, git-hash=unknown, git-branch=unknown",
    )
    say(begin + 47, "logging.py:128:log_dist", "[Rank 0] DeepSpeed Flops Profiler Enabled: False")
    say(begin + 49, "logging.py:128:log_dist", "[Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer")
    say(begin + 49.1, "stage_1_and_2.py:149:__init__", "Reduce bucket size 500000000")
    say(begin + 49.1, "stage_1_and_2.py:150:__init__", "Allgather bucket size 500000000")
    say(begin + 49.1, "stage_1_and_2.py:151:__init__", "CPU Offload: False")
    say(begin + 55, "utils.py:781:see_memory_usage", "After initializing ZeRO optimizer")
    say(
        begin + 55,
        "utils.py:782:see_memory_usage",
        "MA 8.47 GB         Max_MA 9.12 GB         CA 9.31 GB         Max_CA 9 GB ",
    )
    say(begin + 55, "utils.py:789:see_memory_usage", "CPU Virtual Memory:  used = 61.33 GB, percent = 12.2%")
    say(begin + 55.1, "logging.py:128:log_dist", "[Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer")
    t, step, saves = begin + 71.0, 0, []
    batch = 256
    while True:
        dt = 3.42 * rng.gauss(1, 0.008)
        if t + 10 * dt > end - 4:
            break
        t += 10 * dt
        step += 10
        lr = 2e-4 * min(1, step / 200)
        loss = falls(rng, step, 10.4, 2.5, 90, 0.008)
        say(
            t,
            "logging.py:128:log_dist",
            f"[Rank 0] step={step}, skipped=0, lr=[{lr!r}, {lr!r}], mom=[[0.9, 0.95], [0.9, 0.95]]",
        )
        say(
            t + 0.001,
            "timer.py:264:stop",
            f"epoch=0/micro_step={step * 4}/global_step={step}, RunningAvgSamplesPerSec={batch / 3.42 * rng.gauss(1, 0.001)!r}, CurrSamplesPerSec={batch / dt!r}, MemAllocated=8.51GB, MaxMemAllocated=31.87GB",
        )
        out.append(f"step {step} | loss {loss:.4f} | tokens {step * batch * 1024:,}")
        if step % 500 == 0:
            say(
                t + 0.8,
                "logging.py:128:log_dist",
                f"[Rank 0] [Torch] Checkpoint global_step{step} is about to be saved!",
            )
            say(
                t + 2.1,
                "torch_checkpoint_engine.py:21:save",
                f"[Torch] Saving /scratch/rlim/gpt-1b/global_step{step}/mp_rank_00_model_states.pt...",
            )
            say(
                t + 7.3,
                "torch_checkpoint_engine.py:23:save",
                f"[Torch] Saved /scratch/rlim/gpt-1b/global_step{step}/mp_rank_00_model_states.pt.",
            )
            say(t + 16, "torch_checkpoint_engine.py:33:commit", f"[Torch] Checkpoint global_step{step} is ready now!")
            saves.append((t, t + 16.4))
            t += 16.4
    iso = loc(end, zone, kit.ISO)
    out += [
        f"slurmstepd: error: *** STEP {job}.0 ON {nodes[0]} CANCELLED AT {iso} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB {job} ON {nodes[0]} CANCELLED AT {iso} DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.",
    ]
    put(place, f"gpt1b_{job}.out", out)

    def load(_node: int, gpu: int, at: float) -> Load:
        if not begin + 15 < at < end:
            return OFF
        if at < begin + 72:
            return Load(used=9500)
        if any(a <= at < b for a, b in saves):
            return Load(0.7, 0.06, 0, 0.02, 36100)
        return Load(0.99, 0.93, 0.61, 0.58 + 0.05 * gpu, 36100)

    rig = Rig("A100-40", nodes, 2, load, begin - 300, end + 600, 15, 1313)
    kit.prometheus(place, "gpu.json", [rig], style="uuid")
    name = "gpt-1b"
    seen = end + 5400
    rows = [
        ("", name, "PREEMPTED", "0:0", begin, end),
        (".batch", "batch", "CANCELLED", "0:15", begin, end + 2),
        (".extern", "extern", "COMPLETED", "0:0", begin, end + 1),
        (".0", "python", "CANCELLED", "0:15", begin + 6, end + 2),
        ("", name, "PENDING", "0:0", None, None),
    ]
    Job(
        job, name, "rlim", "lowprio", "a40g-[01-02,05-06]", 4, 128, 8, 2880, begin - 9120, zone,
        "sbatch --requeue gpt1b.sbatch", rows, seen=seen,
    ).bars(place, "sacct-D.txt", everything=True)  # fmt: skip


def t14(place: Path, rng: Random) -> None:
    """G1: the logs are gone, but the tracker's table reaches the last of 6000 steps and all three pods completed."""
    zone = "+09:00"
    nodes = ["p5en-a", "p5en-b", "p5en-c"]
    begin = when("2026-11-10T20:14:31", zone)
    start, t = begin + 171.0, begin + 171.0
    table = [
        "consumed_samples,epoch,global_batch_size,global_step,grad_norm,lr,reduced_train_loss,step,train_step_timing in s,val_loss"
    ]
    evals = []
    for step in range(9, 6000, 10):
        dt = 5.19 * rng.gauss(1, 0.006)
        t += 10 * dt
        lr = 1e-4 * min(1, (step + 1) / 300) * (0.55 + 0.45 * math.cos(math.pi * step / 6000))
        loss = falls(rng, step, 2.41, 1.36, 400, 0.009)
        grad = 0.4 * (1 + 40 / (step + 20)) * rng.uniform(0.8, 1.25)
        table.append(f"{(step + 1) * 192}.0,0,192.0,{step}.0,{grad:.7f},{lr:.10f},{loss:.7f},{step},{dt:.7f},")
        if (step + 1) % 500 == 0:
            table.append(f",0,,,,,,{step},,{falls(rng, step, 2.40, 1.39, 400, 0.003):.7f}")
            evals.append((t, t + 44))
            t += 44
    end = t + 63
    put(place, "nemo_experiments/sft_ja/lightning_logs/version_0/metrics.csv", table)
    put(
        place,
        "nemo_experiments/sft_ja/lightning_logs/version_0/hparams.yaml",
        """config:
  hidden_size: 4096
  num_layers: 32
  seq_length: 4096
data:
  global_batch_size: 192
  micro_batch_size: 2
  seq_length: 4096
optim:
  lr: 0.0001
  min_lr: 1.0e-05
  warmup_steps: 300
trainer:
  devices: 4
  num_nodes: 3
  max_epochs: null
  max_steps: 6000
  val_check_interval: 500
  precision: bf16-mixed
""",
    )

    def load(_node: int, _gpu: int, at: float) -> Load:
        if not begin + 31 < at < end - 7:
            return OFF
        if at < start:
            return Load(used=22000)
        if any(a <= at < b for a, b in evals):
            return Load(0.9, 0.6, 0.38, 0.33, 112300)
        return Load(0.99, 0.85, 0.48, 0.46, 112300) if at < t else Load(0.2, 0.03, 0, 0.02, 112300)

    rig = Rig("H200", nodes, 4, load, begin - 300, end + 300, 30, 1414)
    for k, host in enumerate(nodes):
        kit.smi_csv(place, f"{host}/nvidia-smi.csv", rig, k, zone)
        boot = begin - rng.uniform(2, 20) * 86400
        lines = kit.quiet(rng, boot, begin, end, "H200", 4)
        kit.kernel(place, f"{host}/kern.log", "syslog", zone, host, boot, lines)
        role = "master-0" if k == 0 else f"worker-{k - 1}"
        form = "%a, %d %b %Y %H:%M:%S +0900"
        put(
            place,
            f"pods/sft-ja-{role}.txt",
            f"""Name:             sft-ja-{role}
Namespace:        llm-train
Priority:         0
Service Account:  default
Node:             {host}/10.40.1.{61 + k}
Start Time:       {loc(begin - 11, zone, form)}
Labels:           training.kubeflow.org/job-name=sft-ja
                  training.kubeflow.org/operator-name=pytorchjob-controller
                  training.kubeflow.org/replica-index={max(0, k - 1)}
                  training.kubeflow.org/replica-type={role.split("-")[0]}
Annotations:      <none>
Status:           Succeeded
IP:               10.41.{k}.19
Controlled By:    PyTorchJob/sft-ja
Containers:
  pytorch:
    Container ID:  containerd://{rng.getrandbits(256):064x}
    Image:         registry.internal/nemo:25.04
    Image ID:      registry.internal/nemo@sha256:1d0c{rng.getrandbits(240):060x}
    Port:          23456/TCP
    Host Port:     0/TCP
    Command:
      torchrun
      --nnodes=3
      --nproc-per-node=4
      sft.py
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
      Started:      {loc(begin + k, zone, form)}
      Finished:     {loc(end + k, zone, form)}
    Ready:          False
    Restart Count:  0
    Limits:
      memory:          900Gi
      nvidia.com/gpu:  4
    Requests:
      cpu:             64
      memory:          900Gi
      nvidia.com/gpu:  4
Conditions:
  Type                        Status
  PodReadyToStartContainers   False
  Initialized                 True
  Ready                       False
  ContainersReady             False
  PodScheduled                True
QoS Class:                   Burstable
Node-Selectors:              <none>
Events:                      <none>
""",
        )
