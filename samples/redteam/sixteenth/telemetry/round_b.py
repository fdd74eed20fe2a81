"""The second half of the SIMULATED incidents: what the lots say, case by case."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from samples.redteam.sixteenth import shell
from samples.redteam.sixteenth.curves.learn import Noise, bar, falls, hms, stages
from samples.redteam.sixteenth.curves.leave import put
from samples.redteam.sixteenth.lot_data import incidents

from .lab import Phase
from .round_a import ticks
from .site import start

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS: Final = {lot.case: lot for lot in incidents()}


def t10_undecidable(place: Path, rng: Random) -> None:
    """Undecidable: what training said lies in a file that is not here; status 1."""
    lot = _LOTS["t10"]
    job = shell.Job(40418, "stages", "zeta", ("h07", "h09"), 1, "h100", "03:00:00", "/scratch/zeta", lot.card, 81559)
    site = start(rng, lot, job, "2026-11-05T22:00")
    end = site.length_s
    site.run(
        lambda _rank: [Phase(0, "off"), Phase(210, "loads", memory=0.49), Phase(end - 31, "trains"), Phase(9e9, "off")]
    )
    site.metrics(place)
    old = "NVRM: Xid (PCI:0000:0a:00): 31, pid=120331, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f12_0a000000."
    site.dmesg(place, [("h09", -51 * 3600.0, old)])
    out = shell.prologue(job, site.begin)
    for part in range(5):
        out.append(
            f"Loading checkpoint shards: {part * 25:3d}%|{bar(part / 4)}| {part}/4 [{hms(part * 21)}<{hms((4 - part) * 21)}, 21.{rng.randint(0, 9)}s/it]"
        )
    out += [
        "all ranks: logging to /scratch/zeta/runs/88/rank{0,1}.log from here on",
        "",
        *shell.seff(job, end, "FAILED", 1, "51.20 GB of 120.00 GB"),
    ]
    put(place, "stages.o40418", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "FAILED", "1:0", site.begin, site.at(end))])


def t11_a2(place: Path, rng: Random) -> None:
    """A2: its group's memory is used up; accounting alone says so."""
    lot = _LOTS["t11"]
    nodes = tuple(f"gh{number:03d}" for number in (11, 12, 13, 14, 21, 22, 23, 24))
    job = shell.Job(
        903311, "dense8b", "farid", nodes, 4, "gh", "1-00:00:00", "/p/farid", lot.card, 97871, "560.35.05", "12.6", 900
    )
    site = start(rng, lot, job, "2026-11-09T00:10")
    end = site.length_s
    site.run(
        lambda rank: [
            Phase(0, "off"),
            Phase(240, "loads", memory=0.81),
            Phase(end - (26 if rank // 4 == 6 else 14), "trains"),
            Phase(9e9, "off"),
        ],
        hot=17,
    )
    site.metrics(place)
    noise, good = Noise(rng, 0.008, 0.2), stages(11.2, 5.2, 2.7, 420, 120)
    out = shell.smi(job, site.begin, rng)
    for step, _at, took in ticks(rng, 260, end - 26, 4.4):
        if step % 5 == 0:
            out += [
                f"[batch={step}/25000]:",
                f"\t Train time/batch: {step - 1}",
                f"\t Train loss/train/total: {good(step) * noise():.4f}",
                f"\t Train throughput/device/tokens_per_sec: {32768 / took:.4f}",
            ]
    put(place, "dense8b.log", out)
    put(
        place,
        "sacct.txt",
        [shell.SACCT, *shell.sacct(job, "OUT_OF_MEMORY", "0:125", site.begin, site.at(end), used=0.9964)],
    )


def t12_healthy(place: Path, rng: Random) -> None:
    """G1, as far as cards and accounting tell: no log is there; the exporter began anew in between."""
    lot = _LOTS["t12"]
    job = shell.Job(15022, "moe-l40", "petr", ("l40-2", "l40-4"), 8, "l40", "04:00:00", "/home/petr", lot.card, 46068)
    site = start(rng, lot, job, "2026-11-03T13:00")
    end = site.length_s
    site.run(
        lambda _rank: [
            Phase(0, "off"),
            Phase(100, "loads", memory=0.69),
            Phase(end - 45, "trains"),
            Phase(end - 10, "waits"),
            Phase(9e9, "off"),
        ]
    )
    site.metrics(place, restarted_s=57 * 60)
    site.dmesg(place)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "COMPLETED", "0:0", site.begin, site.at(end))])


def t13_b1(place: Path, rng: Random) -> None:
    """B1: the largest bucket of pictures comes late, and does not fit."""
    lot = _LOTS["t13"]
    job = shell.Job(311, "sdxl-maps", "tove", ("h200a",), 2, "h200", "08:00:00", "/home/tove", lot.card, 143771)
    site = start(rng, lot, job, "2026-11-10T19:00")
    end = site.length_s
    died = end - 35
    site.run(
        lambda _rank: [
            Phase(0, "off"),
            Phase(80, "loads", memory=0.58),
            Phase(died - 400, "trains", memory=0.81),
            Phase(died, "trains", memory=0.985),
            Phase(9e9, "off"),
        ]
    )
    site.metrics(place)
    site.dmesg(place)
    noise, good = Noise(rng, 0.08, 0.3), falls(0.41, 0.097, 60)
    out = [
        "resolution buckets: 512 640 768 896 1024 (curriculum, growing)",
        "train_batch_size: 48",
        "gradient_checkpointing: false",
        "mixed_precision: bf16",
        "PYTORCH_CUDA_ALLOC_CONF: unset",
    ]
    for step, _at, took in ticks(rng, 90, died, 1.66, 0.05):
        if step % 10 == 0:
            out.append(
                f" samples/sec: {96 / took:.3f} | iteration {step:8d}/   12000 | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: 1.000E-05 | loss: {good(step) * noise():.6E} |"
            )
    out += [
        "[rank1]: Traceback (most recent call last):",
        '[rank1]:   File "/home/tove/maps/train.py", line 402, in <module>',
        "[rank1]:     loss.backward()",
        '[rank1]:   File "/home/tove/.venv/lib/python3.12/site-packages/torch/_tensor.py", line 647, in backward',
        "[rank1]:     torch.autograd.backward(",
        "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.00 GiB. GPU 1 has a total capacity of 139.81 GiB of which 2.05 GiB is free. "
        "Including non-PyTorch memory, this process has 137.75 GiB memory in use. Of the allocated memory 131.20 GiB is allocated by PyTorch, and 5.61 GiB is reserved by PyTorch but unallocated.",
        "W torch/distributed/elastic/multiprocessing/api.py:900] Sending process 51021 closing signal SIGTERM",
        "E torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 1 (pid: 51022) of binary: /home/tove/.venv/bin/python",
        "trap: copying /tmp/maps.311 to /home/tove/maps/left",
        "trap: done",
    ]
    put(place, "maps-311.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "FAILED", "1:0", site.begin, site.at(end))])


def t14_c1(place: Path, rng: Random) -> None:
    """C1: the second node never reaches the first."""
    lot = _LOTS["t14"]
    job = shell.Job(70077, "rl-two", "ebba", ("q15", "q31"), 1, "a100", "01:00:00", "/home/ebba", lot.card)
    site = start(rng, lot, job, "2026-11-11T11:00")
    end = site.length_s
    site.run(lambda _rank: [Phase(25, "off"), Phase(end - 12, "waits", memory=0.006), Phase(9e9, "off")])
    site.metrics(place)
    old = "NVRM: Xid (PCI:0000:0a:00): 43, pid=8841, name=python3, Ch 00000010"
    site.dmesg(place, [("q31", -30 * 3600.0, old)])
    out = [
        *shell.modules("nccl/2.21.5"),
        "q15: rank 0 of 2, master q15:29400",
        "q31: rank 1 of 2, master q15:29400",
        "q15: init_process_group(backend=nccl, timeout=600 s) ...",
    ]
    out.append("q31: init_process_group(backend=nccl, timeout=600 s) ...")
    when = site.at(end - 40)
    out += [
        f"[W{when:%m%d %H:%M:%S}.118820411 socket.cpp:755] [c10d] The client socket has failed to connect to [q15]:29400 (errno: 110 - Connection timed out).",
        f"[E{when:%m%d %H:%M:%S}.202110933 socket.cpp:1011] [c10d] The client socket has timed out after 600000ms while trying to connect to (q15, 29400).",
        "Traceback (most recent call last):",
        '  File "/home/ebba/rl/main.py", line 31, in <module>',
        '    dist.init_process_group("nccl", timeout=timedelta(seconds=600))',
        "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (q15, 29400).",
        "srun: error: q31: task 1: Exited with exit code 1",
        "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 1/2 clients joined.",
        "srun: error: q15: task 0: Exited with exit code 1",
        "0 updates, 0 frames",
    ]
    put(place, "rl-two-70077.out", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "FAILED", "1:0", site.begin, site.at(end))])


def t15_healthy(place: Path, rng: Random) -> None:
    """G1: small, and done; the metrics of one node are not there."""
    lot = _LOTS["t15"]
    job = shell.Job(
        120440, "tiny-lm", "nuno", ("m1", "m2", "m5", "m8"), 8, "a100", "02:00:00", "/home/nuno", lot.card, 40960
    )
    site = start(rng, lot, job, "2026-11-02T08:00")
    end = site.length_s
    site.run(
        lambda _rank: [Phase(0, "off"), Phase(85, "loads", memory=0.19), Phase(end - 15, "trains"), Phase(9e9, "off")]
    )
    site.metrics(place, without=("m5",))
    site.dmesg(place)
    noise, good = Noise(rng, 0.011, 0.2), falls(8.9, 2.3, 260)
    rows = list(ticks(rng, 95, end - 16, 0.533))
    plan = len(rows)
    out = [*shell.prologue(job, site.begin), f"config: steps: {plan}", "Num_params: 0.021 billion"]
    for step, _at, took in rows:
        if step % 20 == 0 or step == plan:
            out.append(
                f"completed step: {step}, seconds: {took:.3f}, TFLOP/s/device: {9.4 / took:.3f}, Tokens/s/device: {8192 / took:.3f}, total_weights: 262144, loss: {good(step) * noise():.3f}"
            )
    put(place, "tiny-lm-120440.out", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "COMPLETED", "0:0", site.begin, site.at(end))])


def t16_undecidable(place: Path, rng: Random) -> None:
    """Undecidable: it looks through its files, or hangs; nobody has ended it."""
    lot = _LOTS["t16"]
    nodes = ("r1", "r2", "r3", "r4")
    job = shell.Job(5230, "street-sam", "cato", nodes, 4, "rtx", "3-00:00:00", "/data/cato", lot.card, 49140)
    site = start(rng, lot, job, "2026-11-12T06:00")
    end = site.length_s
    site.run(lambda _rank: [Phase(40, "off"), Phase(9e9, "waits", memory=0.009)], around_s=0.0)
    site.metrics(place)
    site.dmesg(place)
    form = f"{site.at(44):%Y-%m-%d %H:%M:%S},118 INFO"
    out = [
        *shell.modules("opencv/4.10.0"),
        "stage.sh: copy of splits/ ended with status 0",
        f"{form} sam.data: reading splits/train.txt",
        f"{form} sam.data: 41211008 files listed, checking headers (first run only, index is cached afterwards)",
    ]
    put(place, "street-sam.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "RUNNING", "0:0", site.begin, site.at(end))])


def t17_f3(place: Path, rng: Random) -> None:
    """F3: a link of a chain goes on where the last had come to, and runs into its limit."""
    lot = _LOTS["t17"]
    job = shell.Job(
        61402,
        "ppo-hands",
        "aoife",
        ("dgx2",),
        8,
        "v100",
        "02:56:00",
        "/home/aoife",
        lot.card,
        32768,
        "535.183.01",
        "12.2",
    )
    before = shell.Job(61377, "ppo-hands", "aoife", ("dgx2",), 8, "v100", "02:56:00", "/home/aoife", lot.card)
    site = start(rng, lot, job, "2026-11-04T16:00")
    end = site.length_s
    site.run(
        lambda _rank: [Phase(0, "off"), Phase(95, "loads", memory=0.37), Phase(end - 6, "trains"), Phase(9e9, "off")]
    )
    site.metrics(place)
    site.dmesg(place)
    noise, good = Noise(rng, 0.09, 0.4), falls(2.2, 0.31, 300)
    out = [
        *shell.conda(job, "hands"),
        "prepare.sh ended with status 0",
        json.dumps({"event": "resume", "from": "ckpt/000410.pt", "iteration": 410, "of": 2000}),
    ]
    for step, at, took in ticks(rng, 104, end - 7, 21.4, 0.05):
        update = 410 + step
        out.append(
            json.dumps(
                {
                    "time": f"{site.at(at):%Y-%m-%dT%H:%M:%SZ}",
                    "iteration": update,
                    "of": 2000,
                    "reward_mean": round(412 * (1 - 2.72 ** (-update / 500)) + rng.gauss(0, 9), 2),
                    "value_loss": round(good(update) * noise(), 4),
                    "seconds": round(took, 2),
                }
            )
        )
    out += [
        f"slurmstepd: error: *** JOB 61402 ON dgx2 CANCELLED AT {site.at(end):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 61402.0 ON dgx2 CANCELLED AT {site.at(end):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***",
    ]
    put(place, "ppo-hands-61402.jsonl", out)
    rows = shell.sacct(before, "TIMEOUT", "0:0", site.at(-10900), site.at(-340), step="CANCELLED")
    put(
        place,
        "sacct.txt",
        [shell.SACCT, *rows, *shell.sacct(job, "TIMEOUT", "0:0", site.begin, site.at(end), step="CANCELLED")],
    )


def t18_undecidable(place: Path, rng: Random) -> None:
    """Undecidable: the launcher says which rank left with 1, and that its traceback was not taken."""
    lot = _LOTS["t18"]
    nodes = ("s1", "s2", "s3", "s4")
    job = shell.Job(3308, "moe-tune", "veera", nodes, 4, "l40s", "1-00:00:00", "/home/veera", lot.card, 46068)
    site = start(rng, lot, job, "2026-11-06T20:00")
    end = site.length_s
    died = end - 60
    site.run(
        lambda rank: [
            Phase(0, "off"),
            Phase(170, "loads", memory=0.74),
            Phase(died + (0 if rank == 7 else 6), "trains"),
            Phase(9e9, "off"),
        ]
    )
    site.metrics(place)
    site.dmesg(place)
    noise, good = Noise(rng, 0.04, 0.2), falls(2.4, 1.21, 190)
    out = [
        "batch_size: 4",
        "epochs: 1",
        "log_every_n_steps: 5",
        "optimizer: {_component_: torch.optim.AdamW, lr: 1e-5}",
        "output_dir: /home/veera/moe",
    ]
    for step, at, took in ticks(rng, 185, died, 7.7):
        if step % 5 == 0:
            out.append(
                f"1|{step}|Loss: {good(step) * noise()}: {step * 100 // 4000:3d}%|{bar(step / 4000)}| {step}/4000 [{hms(at - 185)}<{hms((4000 - step) * 7.7)},  {took:.2f}s/it]"
            )
    when = site.at(died + 9)
    out += [
        f"E{when:%m%d %H:%M:%S}.118000 40321 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 3 (pid: 40417) of binary: /opt/tune/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/tune/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/opt/tune/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 264, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "full_finetune_distributed.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {when:%Y-%m-%d_%H:%M:%S}",
        "  host      : s2",
        "  rank      : 7 (local_rank: 3)",
        "  exitcode  : 1 (pid: 40417)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        *shell.wandb("veera", "moe", "p3xx81ya", {"loss": "1.29", "tokens_per_second_per_gpu": "1811.4"}),
    ]
    put(place, "moe-tune-3308.log", out)
    put(place, "sacct.txt", [shell.SACCT, *shell.sacct(job, "FAILED", "1:0", site.begin, site.at(end))])
    put(
        place,
        "sinfo.txt",
        [
            "NODELIST  AVAIL  STATE    REASON",
            "s[1-4]    up     idle     none",
            "s5        up     drained  DIMM B3, ordered",
        ],
    )
