"""Round B of the incidents. All of it is SIMULATED; why each answer is right stands in ``truth_data.jsonl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lab import BASE, ECC, NVLINK, PROF, REASONS, Lab, columns, sacct

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t11_preempted(place: Path, rng: Random) -> None:
    """A job of a lower partition makes room, and is queued again. Taken away: kernels, and DCGM of two nodes of four."""
    names = ["cn-0212", "cn-0213", "cn-0214", "cn-0215"]
    lab = Lab(place, rng, names, 4, "A100", "2026-03-22 11:00:00", 5400, 30, 60, saves=(1800, 45))
    lab.go(150, "load")
    lab.go(270, "train")
    lab.go(4022, "off")
    lab.dcgm((*BASE, *PROF), nodes=[0, 3])
    out = [f"{lab.comma(160)} main INFO: 16 ranks on cn-[0212-0215], from scratch"]
    for when, step, loss in lab.progress(270, 4010, 2.24, every=25):
        out.append(f"{lab.comma(when)} main INFO: step {step}/16000 loss {loss:.4f}")
    out += [
        "srun: Job step aborted: Waiting up to 62 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 90114.0 ON cn-0212 CANCELLED AT {lab.iso(4012)} DUE TO PREEMPTION ***",
        f"slurmstepd: error: *** JOB 90114 ON cn-0212 CANCELLED AT {lab.iso(4012)} DUE TO PREEMPTION ***",
    ]
    lab.write("slurm-90114.out", out)
    first = {
        "JobID": "90114",
        "JobName": "byol-r200",
        "Partition": "scavenge",
        "State": "PREEMPTED",
        "ExitCode": "0:0",
        "Submit": lab.iso(20),
        "Start": lab.iso(120),
        "End": lab.iso(4020),
        "Elapsed": "01:05:00",
        "NodeList": "cn-[0212-0215]",
    }
    part = {
        **first,
        "JobID": "90114.0",
        "JobName": "python",
        "Partition": "",
        "State": "CANCELLED",
        "ExitCode": "0:15",
        "End": lab.iso(4021),
    }
    again = {
        **first,
        "State": "PENDING",
        "Submit": lab.iso(4020),
        "Start": "Unknown",
        "End": "Unknown",
        "Elapsed": "00:00:00",
        "NodeList": "None assigned",
    }
    lab.write("sacct-D.txt", sacct([first, part, again]))


def t12_two_bits(place: Path, rng: Random) -> None:
    """A double-bit error in mid-run, told by DCGM and by the rank it struck. Taken away: all kernels."""
    names = ["dgx-21", "dgx-22"]
    lab = Lab(place, rng, names, 8, "A100", "2026-01-28 05:00:00", 4800, 15, -300)

    def struck(node: int, gpu: int) -> bool:
        return (node, gpu) == (0, 6)

    lab.go(130, "load")
    lab.go(240, "train")
    lab.go(3377, "spin")
    lab.go(3377, "held", [0], [6])
    lab.go(3420, "off")
    lab.change(ECC[1], 3377, 1e9, struck, lambda value, _when: value + 1)
    lab.change("DCGM_FI_DEV_XID_ERRORS", 3377, 1e9, struck, lambda _value, _when: 48)
    lab.change(ECC[2], 3800, 1e9, struck, lambda _value, _when: 1)
    lab.dcgm((*BASE, *ECC, PROF[1]), split="metric")
    out = []
    for when, step, loss in lab.progress(240, 3376, 0.88, every=50):
        out.append(f"[default0]:{lab.comma(when)} | INFO | step {step} | loss {loss:.4f} | lr 1.0e-04")
    out += [
        "[default6]:[rank6]: Traceback (most recent call last):",
        '[default6]:[rank6]:   File "/work/esm/train.py", line 133, in <module>',
        "[default6]:[rank6]:     scaler.scale(loss).backward()",
        '[default6]:[rank6]:   File "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py", line 522, in backward',
        "[default6]:[rank6]:     torch.autograd.backward(",
        "[default6]:[rank6]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "[default6]:[rank6]: Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        f"W{lab.glog(3391)} 31007 torch/distributed/elastic/multiprocessing/api.py:851] Sending process 31090 closing signal SIGTERM",
        f"E{lab.glog(3397)} 31007 torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: 1) local_rank: 6 (pid: 31096) of binary: /opt/conda/bin/python",
    ]
    lab.write("node0.torchrun.log", out)
    rows = [
        {
            "JobID": job,
            "JobName": name,
            "State": "FAILED",
            "ExitCode": "1:0",
            "Start": lab.iso(110),
            "End": lab.iso(3424),
            "NodeList": "dgx-[21-22]",
        }
        for job, name in (("4410", "esm-ft"), ("4410.batch", "batch"), ("4410.0", "torchrun"))
    ]
    lab.write("sacct.txt", columns(rows, (12, 10, 10, 8, 19, 19, 14)))


def t13_card_too_small(place: Path, rng: Random) -> None:
    """Memory of the GPUs creeps up until a rank's request is refused. Old exporter, old names. Taken away: all of Slurm."""
    names = ["volta1", "volta2", "volta3"]
    lab = Lab(place, rng, names, 4, "V100", "2025-11-30 20:00:00", 4500, 20, 0)
    lab.go(100, "load")
    lab.go(200, "train")
    lab.go(3611, "off", [1], [2])
    lab.go(3611, "spin", [0, 2])
    lab.go(3611, "spin", [1], [0, 1, 3])
    lab.go(3650, "off")

    def creep(value: float, when: float) -> float:
        return min(32300, round(value - 8600 + (when - 200) * 3.35 + rng.gauss(0, 120)))

    lab.change("DCGM_FI_DEV_FB_USED", 200, 3611, lambda _node, _gpu: True, creep)
    names_of = {
        "DCGM_FI_DEV_GPU_UTIL": "dcgm_gpu_utilization",
        "DCGM_FI_DEV_FB_USED": "dcgm_fb_used",
        "DCGM_FI_DEV_POWER_USAGE": "dcgm_power_usage",
        "DCGM_FI_DEV_GPU_TEMP": "dcgm_gpu_temp",
        "DCGM_FI_DEV_SM_CLOCK": "dcgm_sm_clock",
        "DCGM_FI_DEV_XID_ERRORS": "dcgm_xid_errors",
        ECC[1]: "dcgm_ecc_dbe_volatile_total",
    }
    lab.dcgm((*BASE, ECC[1]), rename=names_of.__getitem__, host="node_name")
    for node in range(3):
        lab.dmesg(node, lab.quiet(node, 4000))
        out = []
        for when, step, loss in lab.progress(200, 3610, 1.44, every=20, start=6.2, floor=1.4):
            if not node:
                out.append(f"{lab.comma(when)} - step {step} - loss {loss:.4f} - graph nodes cached {step * 31}")
        if node == 1:
            out += [
                "Traceback (most recent call last):",
                '  File "/data/gnn/main.py", line 311, in <module>',
                "    run()",
                '  File "/data/gnn/main.py", line 240, in run',
                "    out = model(batch.x, batch.edge_index)",
                '  File "/data/gnn/layers.py", line 77, in forward',
                "    msg = torch.cat([x[src], x[dst], edge_attr], dim=-1)",
                "RuntimeError: CUDA out of memory. Tried to allocate 1.14 GiB (GPU 2; 31.75 GiB total capacity; 29.60 GiB already allocated; 471.19 MiB free; 30.42 GiB reserved in total by PyTorch)",
            ]
        elif node == 2:
            out.append(
                "RuntimeError: [2] NCCL communicator was aborted on rank 8.  Original reason for failure was: NCCL error: unhandled system error, NCCL version 2.10.3"
            )
        lab.write(f"{names[node]}.log", out)


def t14_one_rail(place: Path, rng: Random) -> None:
    """A rail at a quarter of its speed: all ranks wait in every exchange alike, none computes long. DCGM without profiling."""
    names = ["ib-01", "ib-02", "ib-03", "ib-04"]
    lab = Lab(place, rng, names, 8, "H100", "2026-04-11 06:00:00", 7200, 30, 120)
    lab.go(140, "load")
    lab.go(260, "wire")
    lab.go(6885, "off")
    lab.dcgm((*BASE, PROF[0], PROF[1]), split="node")
    for node in range(4):
        rows = lab.quiet(node, 6000)
        if node == 2:
            rows += [
                (
                    61,
                    "mlx5_core 0000:5c:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at 0000:5b:01.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)",
                ),
            ]
        lab.dmesg(node, rows, "iso")
    for rank in (0, 8, 16, 24):
        out = []
        for when, step, loss in lab.progress(260, 6872, 5.42, every=5):
            own, wire = rng.gauss(0.78, 0.01), rng.gauss(4.58, 0.06)
            out.append(
                f"{lab.comma(when)} [rank {rank}] step {step}/1200 loss {loss:.4f} | fwd+bwd {own:.2f}s | grad allreduce {wire:.2f}s | opt 0.06s"
            )
        out.append(f"{lab.comma(6879)} [rank {rank}] all 1200 steps done")
        lab.write(f"rank{rank:02}.log", out)
    rows_ = [
        {
            "JobID": "2270",
            "JobName": "llm-3b",
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "Start": lab.iso(120),
            "End": lab.iso(6890),
            "NodeList": "ib-[01-04]",
        },
        {
            "JobID": "2270.0",
            "JobName": "python",
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "Start": lab.iso(121),
            "End": lab.iso(6889),
            "NodeList": "ib-[01-04]",
        },
    ]
    lab.write("sacct.txt", sacct(rows_))


def t15_link_down(place: Path, rng: Random) -> None:
    """A port goes down in mid-run; peers' requests run out of retries. Taken away: the logs of all ranks but eight."""
    names = ["hpc-n081", "hpc-n082", "hpc-n083", "hpc-n084"]
    lab = Lab(place, rng, names, 8, "H200", "2026-03-05 22:00:00", 4800, 15, 540)
    lab.go(150, "load")
    lab.go(280, "train")
    lab.go(3722, "spin")
    lab.go(3880, "off")
    lab.dcgm((*BASE, *PROF))
    for node in range(4):
        rows = lab.quiet(node, 3600)
        if node == 1:
            rows += [
                (3721.4, "mlx5_core 0000:9a:00.0 ib4: Link down"),
                (3721.5, "mlx5_core 0000:9a:00.0: Port module event: module 0, Cable unplugged"),
            ]
        lab.dmesg(node, rows, "journal")
    addresses = {node: f"10.64.2.{81 + node}" for node in range(4)}
    for rank in range(16, 24):
        out = []
        for when, step, loss in lab.progress(280, 3720, 1.77, every=10):
            out.append(f"{lab.comma(when)} rank{rank} step {step} loss {loss:.4f}")
        if rank in (20, 21):
            out.append(
                f"hpc-n083:55{rank}0:55{rank}9 [{rank - 16}] NCCL WARN NET/IB: Got completion from peer {addresses[1]}<48122> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid fe80::a288:c203:f5:11 remoteGids fe80::a288:c203:f5:40 hca mlx5_4"
            )
            out.append(
                f"[rank{rank}]:[E{lab.glog(3745)} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL error: remote process exited or there was a network error, NCCL version 2.25.1"
            )
        else:
            out.append(
                f"[rank{rank}]:[E{lab.glog(3866 + rng.random())} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: NCCL communicator was aborted on rank {rank}."
            )
        out.append("terminate called after throwing an instance of 'c10::DistBackendError'")
        lab.write(f"{names[2]}/rank{rank}.log", out)
    rows_ = [
        {
            "JobID": job,
            "JobName": name,
            "State": "FAILED",
            "ExitCode": "6:0",
            "Start": lab.iso(130),
            "End": lab.iso(3884),
            "NodeList": "hpc-n[081-084]",
        }
        for job, name in (("51933", "dit-xl"), ("51933.batch", "batch"), ("51933.0", "python"))
    ]
    lab.write("sacct.txt", sacct(rows_))


def t16_called_off(place: Path, rng: Random) -> None:
    """The user cancels a run that is well. Taken away: kernels, and all logs but the first rank's."""
    names = ["g2-17", "g2-18", "g2-19"]
    lab = Lab(place, rng, names, 4, "A40", "2026-02-04 13:00:00", 5000, 30, 60)
    lab.go(120, "load")
    lab.go(220, "train")
    lab.go(3910, "off")
    lab.dcgm(BASE)
    out = []
    for when, step, loss in lab.progress(220, 3904, 0.61, every=100, start=5.5, floor=1.2):
        out.append(f"{lab.comma(when)} step {step:6d} of 60000  loss {loss:.4f}  acc {max(0, 71 - 11 * loss):.1f}")
    out.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    out.append(f"slurmstepd: error: *** STEP 7781.0 ON g2-17 CANCELLED AT {lab.iso(3906)} ***")
    lab.write("train.out", out)
    rows = [
        {
            "JobID": "7781",
            "JobName": "wav2vec",
            "User": "huang",
            "State": "CANCELLED by 5012",
            "ExitCode": "0:0",
            "Timelimit": "2-00:00:00",
            "Start": lab.iso(100),
            "End": lab.iso(3906),
        },
        {
            "JobID": "7781.batch",
            "JobName": "batch",
            "User": "",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "Timelimit": "",
            "Start": lab.iso(100),
            "End": lab.iso(3908),
        },
        {
            "JobID": "7781.0",
            "JobName": "python",
            "User": "",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "Timelimit": "",
            "Start": lab.iso(101),
            "End": lab.iso(3908),
        },
    ]
    lab.write("sacct.txt", sacct(rows))


def t17_storage_stalls(place: Path, rng: Random) -> None:
    """From 1500 s on the file server hardly answers: all GPUs wait for data. Taken away: all of Slurm."""
    names = ["vis-01", "vis-02", "vis-03"]
    lab = Lab(place, rng, names, 8, "H100", "2026-03-13 17:00:00", 8400, 15, 330)
    lab.go(110, "load")
    lab.go(210, "train")
    lab.go(1500, "starve")
    lab.go(8070, "off")
    lab.dcgm((*BASE, *PROF))
    for node in range(3):
        rows = lab.quiet(node, 8000)
        for turn in range(36):
            at = 1495 + turn * 178 + rng.uniform(0, 40)
            rows += [
                (at, "nfs: server filer3.vis.local not responding, still trying"),
                (at + rng.uniform(4, 30), "nfs: server filer3.vis.local OK"),
            ]
        lab.dmesg(node, rows, "journal")
        for rank in (node * 8, node * 8 + 5):
            out = [f"{lab.comma(115)} rank {rank}: 1500 iterations planned"]
            for begin, end, took, first, wait in ((210, 1500, 1.62, 0, 0.02), (1500, 8060, 9.05, 785, 7.4)):
                for when, step, loss in lab.progress(begin, end, took, first, every=5):
                    waited = wait * rng.lognormvariate(0, 0.3)
                    out.append(
                        f"{lab.comma(when)} rank {rank}: iter {step}/1500 loss {loss:.4f} (data {waited:.2f}s, compute {rng.gauss(1.59, 0.01):.2f}s)"
                    )
            out.append(f"{lab.comma(8064)} rank {rank}: finished")
            lab.write(f"{names[node]}/rank{rank}.txt", out)


def t18_and_then_nothing(place: Path, rng: Random) -> None:
    """Steps, and no more; GPUs at work, and then free. Taken away: Slurm, kernels, all logs but one, half of DCGM."""
    names = ["p-101", "p-102", "p-103", "p-104"]
    lab = Lab(place, rng, names, 8, "A100", "2026-02-23 02:00:00", 5400, 60, 0)
    lab.go(150, "load")
    lab.go(280, "train")
    lab.go(3333, "off")
    lab.dcgm(("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_FB_USED"), nodes=[1, 3])
    out = [f"{lab.comma(160)} INFO start"]
    for when, step, loss in lab.progress(280, 3331, 1.05, every=10):
        out.append(f"{lab.comma(when)} INFO step {step} loss {loss:.4f}")
    lab.write("rank0.log", out)


def t19_corrected_errors(place: Path, rng: Random) -> None:
    """XID 92, many corrected errors, a hot and power-capped row of GPUs, and a run that is well. Taken away: all of Slurm."""
    names = ["sol-a", "sol-b"]
    lab = Lab(place, rng, names, 4, "L40S", "2026-01-19 09:00:00", 6600, 30, -180, saves=(1500, 30))

    def weak(node: int, gpu: int) -> bool:
        return (node, gpu) == (1, 0)

    lab.go(140, "load")
    lab.go(250, "train")
    lab.go(6210, "off")
    lab.change(ECC[0], 0, 1e9, weak, lambda _value, when: 118 + int(when / 41))
    lab.change("DCGM_FI_DEV_XID_ERRORS", 2000, 1e9, weak, lambda _value, _when: 92)
    lab.change(REASONS, 250, 6210, lambda _node, _gpu: True, lambda value, _when: 4 if rng.random() < 0.6 else value)
    lab.change("DCGM_FI_DEV_GPU_TEMP", 600, 6210, lambda _node, gpu: gpu == 3, lambda value, _when: value + 11)
    lab.dcgm((*BASE, *PROF[:2], *ECC, REASONS), host="exported_host")
    for node in range(2):
        rows = lab.quiet(node, 6000)
        if node:
            rows.append(
                (
                    1994.2,
                    "NVRM: Xid (PCI:0000:21:00): 92, pid='<unknown>', name=<unknown>, High single-bit ECC error rate",
                )
            )
            rows.append(
                (
                    4020.0,
                    "python[20311]: segfault at 0 ip 00007f31aa812e01 sp 00007ffd0f1a2f48 error 4 in libtinfo.so.6.3[7f31aa80e000+d000]",
                )
            )
        lab.dmesg(node, rows, "iso")
    out = [
        f"{lab.comma(150)} INFO world 8, 5 epochs, 5700 steps",
        f"{lab.comma(151)} WARNING wandb: Network error (ConnectionError), entering retry loop.",
    ]
    for when, step, loss in lab.progress(250, 6190, 1.02, every=20, start=4.1, floor=0.6):
        if step > 5700:
            break
        out.append(f"{lab.comma(when)} INFO epoch {step // 1141} step {step} loss {loss:.4f}")
        if step == 3600:
            out.append(
                f"{lab.comma(when + 2)} ERROR htop-helper on sol-b died with SIGSEGV, restarted; training not affected"
            )
    out += [
        f"{lab.comma(6196)} INFO eval accuracy 0.874",
        f"{lab.comma(6199)} INFO saved model to /models/doc-cls",
        f"{lab.comma(6200)} INFO training complete",
    ]
    lab.write("out.txt", out)


def t20_power_brake(place: Path, rng: Random) -> None:
    """A power supply fails: its node's GPUs are braked to half of their clock, and all wait for them. Clock of that node 190 s behind."""
    names = ["hot-1", "hot-2", "hot-3", "hot-4"]
    lab = Lab(place, rng, names, 8, "H100", "2026-05-02 12:00:00", 7000, 30, 120)

    def braked(node: int, _gpu: int) -> bool:
        return node == 2

    lab.go(150, "load")
    lab.go(280, "train")
    lab.go(2710, "waits", [0, 1, 3])
    lab.go(2710, "slow", [2])
    lab.go(6500, "off")
    lab.change("DCGM_FI_DEV_SM_CLOCK", 2710, 6500, braked, lambda _value, _when: 15 * round(rng.gauss(885, 12) / 15))
    lab.change("DCGM_FI_DEV_POWER_USAGE", 2710, 6500, braked, lambda _value, _when: round(rng.gauss(334, 7), 3))
    lab.change(REASONS, 2710, 6500, braked, lambda _value, _when: 0x88)
    lab.dcgm(
        (*BASE, *PROF[:2], NVLINK, REASONS),
        split="node",
        rename=lambda name: name.replace("CLOCK_THROTTLE", "CLOCKS_EVENT"),
    )
    for node in range(4):
        rows = lab.quiet(node, 6000)
        if node == 2:
            rows.append((2706.0, "ipmi_si IPI0001:00: PSU2 status: failure detected, redundancy lost"))
            rows.append((2708.0, "ACPI: \\_SB_.PMI0: Power meter notify: hardware limit enforced"))
        lab.dmesg(node, rows, off=-190 if node == 2 else 0)
    out = []
    for begin, end, took, first in ((280, 2710, 1.48, 0), (2710, 6480, 3.02, 1620)):
        for when, step, loss in lab.progress(begin, end, took, first):
            out.append(
                f"{lab.comma(when)} [hot-1:0] it={step} loss={loss:.4f} sec_per_it={took + rng.gauss(0, 0.01):.3f}"
            )
    out.append(f"{lab.comma(6484)} [hot-1:0] stopping after 2853 iterations as configured (max_iters=2853)")
    lab.write("hot-1.out", out)
    rows_ = [
        {
            "JobID": job,
            "JobName": name,
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "Start": lab.iso(140),
            "End": lab.iso(6501),
            "NodeList": "hot-[1-4]",
        }
        for job, name in (("640", "sd3-ft"), ("640.0", "python"))
    ]
    lab.write("sacct.txt", sacct(rows_))
