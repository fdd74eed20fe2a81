"""Round A of the incidents. All of it is SIMULATED; why each answer is right stands in ``truth_data.jsonl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lab import BASE, ECC, NVLINK, PROF, REASONS, Lab, columns, sacct

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01_fell_off_the_bus(place: Path, rng: Random) -> None:
    """XID 79 on one GPU of 32 in mid-run. Taken away: everything of Slurm."""
    names = ["hgx-011", "hgx-012", "hgx-013", "hgx-016"]
    lab = Lab(place, rng, names, 8, "H100", "2026-03-02 08:00:00", 5400, 30, 60, saves=(1500, 40))
    lab.go(180, "load")
    lab.go(300, "train")
    lab.go(4213, "gone", [2], [5])
    for node in range(4):
        lab.go(4213, "spin", [node], [gpu for gpu in range(8) if (node, gpu) != (2, 5)])
        lab.go(4290, "off", [node], [gpu for gpu in range(8) if (node, gpu) != (2, 5)])
    lab.dcgm((*BASE, *PROF, *ECC), split="node")
    for node in range(4):
        rows = lab.quiet(node, 4000)
        if node == 2:
            rows += [
                (4212.6, "NVRM: GPU at PCI:0000:b7:00: " + lab.uuid[2, 5]),
                (4212.6, "NVRM: GPU Board Serial Number: 1654923011822"),
                (4212.6, "NVRM: Xid (PCI:0000:b7:00): 79, pid=412233, name=python, GPU has fallen off the bus."),
                (4212.61, "NVRM: GPU 0000:b7:00.0: GPU has fallen off the bus."),
                (4212.9, "pcieport 0000:b5:01.0: pciehp: Slot(7): Link Down"),
                (
                    4213.4,
                    "NVRM: A GPU crash dump has been created. If possible, please run nvidia-bug-report.sh as root",
                ),
            ]
        lab.dmesg(node, rows)
    out = [f"[{lab.comma(182)}][INFO] world 32, nodes {' '.join(names)}, 24000 steps"]
    for when, step, loss in lab.progress(300, 4212, 1.93):
        out.append(f"[{lab.comma(when)}][INFO] step {step}/24000 loss {loss:.4f} lr 2.9e-04 dt 1.93s")
    out += [
        "[rank21]: Traceback (most recent call last):",
        '[rank21]:   File "/srv/llm/pretrain.py", line 402, in <module>',
        "[rank21]:     main()",
        '[rank21]:   File "/srv/llm/pretrain.py", line 371, in main',
        "[rank21]:     loss = step(batch)",
        '[rank21]:   File "/srv/llm/pretrain.py", line 288, in step',
        "[rank21]:     loss.backward()",
        "[rank21]: RuntimeError: CUDA error: unspecified launch failure",
        "[rank21]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        f"W{lab.glog(4231)} 411980 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 412230 closing signal SIGTERM",
        f"E{lab.glog(4236)} 411980 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 5 (pid: 412233) of binary: /opt/venv/bin/python",
        f"[rank3]:[E{lab.glog(4243)} ProcessGroupNCCL.cpp:542] [Rank 3] Collective WorkNCCL(SeqNum=40622, OpType=ALLREDUCE) raised the following async exception: NCCL error: remote process exited or there was a network error",
    ]
    lab.write("pretrain-0302.out", out)


def t02_hot_gpu(place: Path, rng: Random) -> None:
    """One GPU of 16 slows down at 91 degrees and all wait for it. Taken away: every kernel's log."""
    names = ["a100-07", "a100-08"]
    lab = Lab(place, rng, names, 8, "A100", "2026-01-15 21:00:00", 7800, 15, 0)

    def hot(node: int, gpu: int) -> bool:
        return (node, gpu) == (1, 3)

    lab.go(120, "load")
    lab.go(240, "train")
    lab.go(3120, "waits")
    lab.go(3120, "slow", [1], [3])
    lab.go(7260, "off")
    lab.change("DCGM_FI_DEV_SM_CLOCK", 3120, 7260, hot, lambda _value, _when: 15 * round(rng.gauss(615, 45) / 15))
    lab.change("DCGM_FI_DEV_GPU_TEMP", 2400, 3120, hot, lambda value, when: round(value + (when - 2400) / 720 * 27))
    lab.change("DCGM_FI_DEV_GPU_TEMP", 3120, 7260, hot, lambda _value, _when: round(rng.gauss(91.5, 0.8)))
    lab.change(REASONS, 3120, 7260, hot, lambda _value, _when: 0x48)
    lab.dcgm((*BASE, *PROF[:2], REASONS), split="metric", host="node")
    rows = [
        {
            "JobID": job,
            "JobName": "clip-b16" if job == "88120" else "bash",
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "Start": lab.iso(100),
            "End": lab.iso(7270),
            "NNodes": "2",
            "NodeList": "a100-[07-08]",
        }
        for job in ("88120", "88120.batch", "88120.0")
    ]
    lab.write("sacct.txt", sacct(rows))
    out = [f"{lab.comma(130)} [0] INFO: 16 ranks, planned iterations 2300"]
    for when, step, loss in lab.progress(240, 3120, 2.02, start=8.2, floor=0.9):
        out.append(f"{lab.comma(when)} [0] INFO: it {step}/2300 loss {loss:.4f} time/it {rng.gauss(2.03, 0.01):.3f}")
    last = 1410
    for when, step, loss in lab.progress(3120, 7230, 4.56, last, start=8.2, floor=0.9):
        out.append(f"{lab.comma(when)} [0] INFO: it {step}/2300 loss {loss:.4f} time/it {rng.gauss(4.57, 0.04):.3f}")
    out.append(f"{lab.comma(7250)} [0] INFO: training finished, 2300 iterations")
    lab.write("rank0.log", out)


def t03_loud_and_well(place: Path, rng: Random) -> None:
    """All stores are there, all of them complain, and the run is well."""
    names = ["n1", "n2", "n3", "n4"]
    lab = Lab(place, rng, names, 4, "A100", "2026-02-18 10:00:00", 6600, 30, 330, saves=(1200, 35))
    lab.go(200, "load")
    lab.go(330, "train")
    lab.go(6150, "off")
    lab.change(ECC[2], 0, 1e9, lambda node, gpu: (node, gpu) == (2, 1), lambda _value, _when: 2)
    lab.change(
        ECC[0], 0, 1e9, lambda node, gpu: (node, gpu) == (0, 3), lambda _value, when: 3 + (when > 2000) + (when > 4100)
    )
    lab.change(REASONS, 330, 6150, lambda _node, gpu: gpu == 2, lambda value, _when: 4 if rng.random() < 0.3 else value)
    lab.dcgm((*BASE, *PROF, *ECC, REASONS))
    for node in range(4):
        rows = lab.quiet(node, 6000)
        rows += [
            (3.0, "mlx5_core 0000:12:00.0 ib0: Link down"),
            (9.0, "mlx5_core 0000:12:00.0 ib0: Link up"),
            (11, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  550.90.07"),
        ]
        if node == 1:
            rows.append((2830, "mce: [Hardware Error]: Machine check events logged"))
            rows.append(
                (
                    2830,
                    "EDAC MC1: 1 CE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x3a1f syndrome:0x0)",
                )
            )
            rows.append((4410, "nfs: server stor02 not responding, still trying"))
            rows.append((4412, "nfs: server stor02 OK"))
        lab.dmesg(node, rows, "iso")
    out = [
        f"{lab.comma(190)} WARNING launcher: OMP_NUM_THREADS is not set, setting it to 1 to avoid overloading the system",
        "n3:77123:77410 [1] NCCL INFO NET/IB : Got async event : client reregistration event",
        "n2:65002:65219 [0] NCCL INFO Call to connect returned Connection refused, retrying",
        f"{lab.comma(320)} INFO train: start, 3000 steps",
    ]
    for when, step, loss in lab.progress(330, 6120, 1.90, every=20):
        if step > 2980:
            break
        out.append(
            f"{lab.comma(when)} INFO train: step {step}/3000 loss {loss:.4f} gnorm {abs(rng.gauss(0.5, 0.08)):.3f}"
        )
        if step == 900:
            out += [
                f"{lab.comma(when + 1)} ERROR data: read of s3://corpus/shard-00871.tar failed, retry 1/5",
                "Traceback (most recent call last):",
                '  File "/app/data/s3.py", line 61, in fetch',
                "    body = client.get_object(Bucket=bucket, Key=key)['Body'].read()",
                "ConnectionResetError: [Errno 104] Connection reset by peer",
                f"{lab.comma(when + 3)} INFO data: shard-00871.tar read after 1 retry",
            ]
        if step % 600 == 0:
            out.append(f"{lab.comma(when + 1)} INFO train: checkpoint written /ckpt/step{step}")
    out += [
        f"{lab.comma(6096)} INFO train: step 3000/3000 loss 2.9712 gnorm 0.481",
        f"{lab.comma(6109)} INFO train: checkpoint written /ckpt/final",
        f"{lab.comma(6109)} INFO train: done, 3000 steps",
        "Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f31b2c0d5e0>",
        "AssertionError: can only test a child process",
    ]
    lab.write("slurm-40511.out", out)
    rows_ = [
        {
            "JobID": job,
            "JobName": name,
            "Partition": "gpu",
            "AllocCPUS": "256",
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "Start": lab.iso(180),
            "End": lab.iso(6152),
        }
        for job, name in (
            ("40511", "moe-ablation"),
            ("40511.batch", "batch"),
            ("40511.extern", "extern"),
            ("40511.0", "python"),
        )
    ]
    lab.write("sacct.txt", columns(rows_, (12, 10, 10, 10, 10, 8, 19, 19)))


def t04_nobody_meets(place: Path, rng: Random) -> None:
    """64 ranks, of which one node's never reach the store. Taken away: DCGM of three nodes of eight."""
    names = [f"gpu-a17-{number:02}" for number in range(1, 9)]
    lab = Lab(place, rng, names, 8, "H100", "2026-02-26 13:00:00", 2700, 30, -480)
    lab.go(100, "cold")
    lab.go(2012, "off")
    lab.dcgm((*BASE, *PROF[:2]), nodes=[0, 2, 3, 5, 7])
    for node, name in enumerate(names):
        for local in range(8):
            rank, out = node * 8 + local, []
            out.append(
                f"{lab.comma(112 + rng.random())} rank {rank} init_process_group(nccl, env://) MASTER_ADDR={names[0]} MASTER_PORT=29500 WORLD_SIZE=64"
            )
            if node == 6:
                out += [
                    f"[W{lab.glog(112 + 133 * turn)} socket.cpp:697] [c10d] The client socket has failed to connect to [{names[0]}.hpc.local]:29500 (errno: 110 - Connection timed out)."
                    for turn in range(1, 15)
                ]
                out.append(
                    f"[E{lab.glog(1990)} socket.cpp:1011] [c10d] The client socket has timed out after 1800s while trying to connect to ({names[0]}, 29500)."
                )
                last = f"torch.distributed.DistNetworkError: The client socket has timed out after 1800s while trying to connect to ({names[0]}, 29500)."
            else:
                last = "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 56/64 clients joined."
            out += [
                "Traceback (most recent call last):",
                '  File "/home/ruiz/train/main.py", line 44, in <module>',
                '    dist.init_process_group("nccl", timeout=timedelta(minutes=30))',
                '  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/rendezvous.py", line 258, in _env_rendezvous_handler',
                "    store = _create_c10d_store(",
                last,
            ]
            lab.write(f"{name}/rank{rank}.err", out)
    rows = [
        {
            "JobID": job,
            "JobName": name,
            "State": "FAILED",
            "ExitCode": "1:0",
            "Submit": lab.iso(20),
            "Start": lab.iso(95),
            "End": lab.iso(2011),
            "NodeList": "gpu-a17-[01-08]",
        }
        for job, name in (("1200433", "pretrain"), ("1200433.batch", "batch"), ("1200433.0", "python"))
    ]
    lab.write("accounting.txt", sacct(rows))


def t05_host_memory(place: Path, rng: Random) -> None:
    """The kernel of one node kills a rank for the host's memory. Taken away: everything of Slurm."""
    names = ["lisa-gpu3", "lisa-gpu4", "lisa-gpu9"]
    lab = Lab(place, rng, names, 4, "L40S", "2025-12-04 02:00:00", 6000, 15, 60)
    lab.go(150, "load")
    lab.go(260, "train")
    lab.go(4807, "off", [1], [2])
    lab.go(4807, "spin", [0, 2])
    lab.go(4807, "spin", [1], [0, 1, 3])
    lab.go(4850, "off")
    lab.dcgm((*BASE, "DCGM_FI_DEV_FB_FREE", *PROF[:1]))
    for node in range(3):
        rows = lab.quiet(node, 4500)
        if node == 1:
            rows += [
                (
                    4806.1,
                    "python invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
                ),
                (4806.2, "CPU: 41 PID: 90311 Comm: python Tainted: P           OE     5.15.0-118-generic #128-Ubuntu"),
                (4806.3, "Mem-Info:"),
                (4806.4, "active_anon:1204411 inactive_anon:127411223 isolated_anon:0"),
                (
                    4806.7,
                    "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice,task=python,pid=90311,uid=21044",
                ),
                (
                    4806.8,
                    "Out of memory: Killed process 90311 (python) total-vm:311204992kB, anon-rss:246110208kB, file-rss:71420kB, shmem-rss:1048580kB, UID:21044 pgtables:487120kB oom_score_adj:0",
                ),
            ]
        lab.dmesg(node, rows, "journal")
    for node in range(3):
        out = []
        for when, step, loss in lab.progress(260, 4806, 1.21, every=50, start=7.1, floor=1.0):
            if not node:
                out.append(f"{lab.comma(when)} step={step} loss={loss:.4f} host_rss_gb={118 + 0.0268 * when:.1f}")
        if node == 1:
            out += [
                f"W{lab.glog(4809)} 90144 torch/distributed/elastic/multiprocessing/api.py:897] Sending process 90309 closing signal SIGTERM",
                f"E{lab.glog(4812)} 90144 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -9) local_rank: 2 (pid: 90311) of binary: /home/dekker/venv/bin/python",
                "============================================================",
                "train.py FAILED",
                "------------------------------------------------------------",
                "Root Cause (first observed failure):",
                "[0]:",
                f"  time      : {lab.local(4809):%Y-%m-%d_%H:%M:%S}",
                "  host      : lisa-gpu4",
                "  rank      : 6 (local_rank: 2)",
                "  exitcode  : -9 (pid: 90311)",
                "  error_file: <N/A>",
                "  traceback : Signal 9 (SIGKILL) received by PID 90311",
                "============================================================",
            ]
        else:
            out.append(
                f"[rank{node * 4}]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2006, remote process exited or there was a network error, NCCL version 2.21.5"
            )
            out.append(
                f"[rank{node * 4}]: Last error: socketProgress: Connection closed by remote peer lisa-gpu4<42117>"
            )
            out.append(
                f"W{lab.glog(4840)} 77120 torch/distributed/elastic/agent/server/api.py:741] Received Signals.SIGTERM death signal, shutting down workers"
            )
        lab.write(f"{names[node]}/torchrun.log", out)


def t06_out_of_time(place: Path, rng: Random) -> None:
    """A run that is well and slow to its limit of four hours. Taken away: kernels, and all ranks' logs but the first's."""
    names = ["v100-2", "v100-5"]
    lab = Lab(place, rng, names, 4, "V100", "2026-03-09 04:00:00", 14800, 60, 60, saves=(3600, 110))
    lab.go(180, "load")
    lab.go(300, "train")
    lab.go(14502, "off")
    lab.dcgm(BASE)
    out = [
        f"{lab.comma(200)} - root - INFO - epochs: 90, resume: False",
        f"{lab.comma(205)} - root - INFO - train 1281167 val 50000",
    ]
    for when, step, loss in lab.progress(300, 14500, 0.83, every=250, start=6.9, floor=1.1):
        epoch, inner = divmod(step, 5005)
        out.append(
            f"{lab.comma(when)} - root - INFO - Epoch: [{epoch}][{inner}/5005] Loss {loss:.4f} Acc@1 {max(0.1, 62 - 9 * loss):.2f}"
        )
    lab.write("rank_0.txt", out)
    rows = [
        {
            "JobID": "5520",
            "JobName": "r152",
            "User": "meyer",
            "State": "TIMEOUT",
            "ExitCode": "0:0",
            "Timelimit": "04:00:00",
            "Elapsed": "04:00:22",
            "Start": lab.iso(120),
            "End": lab.iso(14542),
        },
        {
            "JobID": "5520.batch",
            "JobName": "batch",
            "User": "",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "Timelimit": "",
            "Elapsed": "04:00:24",
            "Start": lab.iso(120),
            "End": lab.iso(14544),
        },
        {
            "JobID": "5520.0",
            "JobName": "python3",
            "User": "",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "Timelimit": "",
            "Elapsed": "04:00:22",
            "Start": lab.iso(121),
            "End": lab.iso(14543),
        },
    ]
    lab.write("sacct-5520.txt", sacct(rows))


def t07_node_gone(place: Path, rng: Random) -> None:
    """A node stops answering in mid-run. Taken away: the logs and the kernel of that node, and the kernels of all."""
    names = ["kea-1", "kea-2", "kea-3", "kea-4"]
    lab = Lab(place, rng, names, 8, "H200", "2026-04-01 00:00:00", 6000, 15, 720)
    lab.go(140, "load")
    lab.go(280, "train")
    lab.go(4444, "gone", [3])
    lab.go(4444, "spin", [0, 1, 2])
    lab.go(4770, "off", [0, 1, 2])
    lab.dcgm((*BASE, *PROF[:3]), split="node")
    for node in range(3):
        out = [
            f"{node * 8}: {lab.comma(when)} iter {step:6d} | lm loss {loss:.5E} | grad norm {abs(rng.gauss(0.4, 0.05)):.3f}"
            for when, step, loss in lab.progress(280, 4443, 3.1, every=5)
        ]
        if node == 0:
            out.append(
                "0: slurmstepd: error: *** STEP 30071.0 ON kea-1 CANCELLED AT "
                + lab.iso(4768)
                + " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
            )
            out.append("0: srun: error: Node failure on kea-4")
        lab.write(f"{names[node]}.out", out)
    rows = [
        {
            "JobID": "30071",
            "JobName": "gpt-13b",
            "State": "NODE_FAIL",
            "ExitCode": "0:0",
            "DerivedExitCode": "0:0",
            "Start": lab.iso(90),
            "End": lab.iso(4768),
            "NodeList": "kea-[1-4]",
        },
        {
            "JobID": "30071.batch",
            "JobName": "batch",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "DerivedExitCode": "",
            "Start": lab.iso(90),
            "End": lab.iso(4771),
            "NodeList": "kea-1",
        },
        {
            "JobID": "30071.0",
            "JobName": "python",
            "State": "CANCELLED",
            "ExitCode": "0:15",
            "DerivedExitCode": "",
            "Start": lab.iso(95),
            "End": lab.iso(4770),
            "NodeList": "kea-[1-4]",
        },
    ]
    lab.write("sacct.psv", sacct(rows))
    lab.write(
        "sinfo-R.txt",
        [
            f"{'REASON':20} {'USER':9} {'TIMESTAMP':19} NODELIST",
            f"{'Not responding':20} {'slurm':9} {lab.iso(4767):19} kea-4",
        ],
    )


def t08_slow_host(place: Path, rng: Random) -> None:
    """One node's processors are throttled, so that its GPUs wait for launches and all others for them. Its clock is 260 s ahead."""
    names = ["ord-c01", "ord-c02", "ord-c03"]
    lab = Lab(place, rng, names, 8, "H100", "2026-02-09 15:00:00", 7500, 30, -360)
    lab.go(160, "load")
    lab.go(290, "train")
    lab.go(1900, "waits")
    lab.go(1900, "host", [1])
    lab.go(7000, "off")
    lab.dcgm((*BASE, *PROF, NVLINK))
    for node in range(3):
        rows = lab.quiet(node, 6500)
        if node == 1:
            for turn in range(9):
                core = rng.randrange(96)
                rows.append(
                    (
                        1890 + turn * 540,
                        f"mce: CPU{core}: Core temperature is above threshold, cpu clock is throttled (total events = {4000 + turn * 31177})",
                    )
                )
                rows.append(
                    (
                        1891 + turn * 540,
                        f"mce: CPU{core}: Package temperature is above threshold, cpu clock is throttled (total events = {9000 + turn * 60211})",
                    )
                )
        lab.dmesg(node, rows, off=260 if node == 1 else 0)
    for rank in (0, 3, 8, 11, 15, 16, 22):
        node, out = rank // 8, []
        off = 260 if node == 1 else 0
        spans = ((290, 1900, 1.31, 0), (1900, 6990, 2.55, 1220))
        for begin, end, took, first in spans:
            for when, step, loss in lab.progress(begin, end, took, first):
                own = rng.gauss(1.22, 0.01) if took < 2 or node != 1 else rng.gauss(2.44, 0.05)
                out.append(
                    f"{lab.comma(when + off)} rank={rank} step={step}/3200 loss={loss:.4f} compute={own:.3f}s sync={max(0.05, took - own):.3f}s"
                )
        out.append(f"{lab.comma(6992 + off)} rank={rank} finished")
        lab.write(f"{names[node]}/rank{rank}.log", out)
    rows_ = [
        {
            "JobID": job,
            "JobName": name,
            "State": "COMPLETED",
            "ExitCode": "0:0",
            "Start": lab.iso(150),
            "End": lab.iso(7001),
            "NodeList": "ord-c[01-03]",
        }
        for job, name in (("9981", "t5-xl"), ("9981.0", "python"))
    ]
    lab.write("sacct.txt", sacct(rows_))


def t09_one_rank_absent(place: Path, rng: Random) -> None:
    """Rank 11 stands still on its host and 31 ranks spin until the watchdog's half hour is over. DCGM only every minute."""
    names = ["bw-301", "bw-302", "bw-305", "bw-306"]
    lab = Lab(place, rng, names, 8, "A100", "2026-01-05 18:00:00", 6000, 60, 60)
    lab.go(150, "load")
    lab.go(300, "train")
    lab.go(3301, "spin")
    lab.go(3301, "held", [1], [3])
    lab.go(5130, "off")
    lab.dcgm((*BASE, *PROF[:2]))
    for rank in range(32):
        node, local, out = rank // 8, rank % 8, []
        out.append(f"{lab.comma(160)} [rank {rank}] dataset: 4096 shards, this rank reads {rank}::32")
        for when, step, loss in lab.progress(300, 3300, 1.52, every=20):
            out.append(f"{lab.comma(when)} [rank {rank}] step {step} loss {loss:.3f}")
        if rank == 11:
            out.append(f"{lab.comma(3300.4)} [rank 11] dataset: opening shard 2315")
        else:
            out += [
                f"[rank{rank}]:[E{lab.glog(5101 + rng.random())} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=59181, OpType=ALLREDUCE, NumelIn=26222592, NumelOut=26222592, Timeout(ms)=1800000) ran for 1800{rng.randrange(10, 99):03} milliseconds before timing out.",
                f"[rank{rank}]:[E{lab.glog(5103)} ProcessGroupNCCL.cpp:681] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
                "terminate called after throwing an instance of 'c10::DistBackendError'",
            ]
        lab.write(f"logs/{names[node]}/attempt_0/{local}/stderr.log", out)
    for node in range(4):
        lab.dmesg(node, lab.quiet(node, 5000), "iso")
    rows = [
        {
            "JobID": "77015",
            "JobName": "audio-lm",
            "State": "FAILED",
            "ExitCode": "6:0",
            "Start": lab.iso(120),
            "End": lab.iso(5133),
            "NodeList": "bw-[301-302,305-306]",
        },
        {
            "JobID": "77015.batch",
            "JobName": "batch",
            "State": "FAILED",
            "ExitCode": "6:0",
            "Start": lab.iso(120),
            "End": lab.iso(5133),
            "NodeList": "bw-301",
        },
    ]
    lab.write("sacct.txt", sacct(rows))


def t10_no_library(place: Path, rng: Random) -> None:
    """Every rank dies at an import. Taken away: DCGM, of which nothing is there."""
    names = ["l40-11", "l40-12"]
    lab = Lab(place, rng, names, 8, "L40S", "2026-03-17 09:30:00", 600, 15, 60)
    for rank in range(16):
        node = rank // 8
        out = [
            f"{lab.comma(31 + rng.random())} l40 launcher: rank {rank} of 16 on {names[node]}",
            "Traceback (most recent call last):",
            '  File "/proj/nlp/sft/train.py", line 14, in <module>',
            "    from flash_attn import flash_attn_varlen_func",
            '  File "/proj/nlp/env/lib/python3.10/site-packages/flash_attn/__init__.py", line 3, in <module>',
            "    from flash_attn.flash_attn_interface import (",
            '  File "/proj/nlp/env/lib/python3.10/site-packages/flash_attn/flash_attn_interface.py", line 10, in <module>',
            "    import flash_attn_2_cuda as flash_attn_cuda",
            "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.32' not found (required by /proj/nlp/env/lib/python3.10/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so)",
        ]
        lab.write(f"out/rank_{rank:02}.err", out)
    for node in range(2):
        lab.dmesg(node, lab.quiet(node, 500))
    rows = [
        {
            "JobID": job,
            "JobName": name,
            "State": "FAILED",
            "ExitCode": "1:0",
            "Start": lab.iso(12),
            "End": lab.iso(53),
            "Elapsed": "00:00:41",
        }
        for job, name in (
            ("61002", "sft-8b"),
            ("61002.batch", "batch"),
            ("61002.extern", "extern"),
            ("61002.0", "python"),
        )
    ]
    rows[2]["State"], rows[2]["ExitCode"] = "COMPLETED", "0:0"
    lab.write("sacct.txt", columns(rows, (12, 10, 10, 8, 19, 19, 10)))
