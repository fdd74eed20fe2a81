"""The incidents of this set, one function each; names say what happened. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulate import CONTEXT, IDLE, Fleet, Gpu, Loop, State, const, spin, work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def names(pattern: str, first: int, count: int) -> list[str]:
    """Names of nodes in a row."""
    return [pattern.format(first + i) for i in range(count)]


def busy_until(end: float, setup: float, **kw: float) -> Callable[[Fleet, Gpu, float], State]:
    """Every GPU sets up, computes, and is let go."""

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < setup * 0.4 or t > end:
            return IDLE
        if t < setup:
            return CONTEXT
        return work(sm=kw.get("sm", 0.68) * f.rng.uniform(0.9, 1.05), fb=kw.get("fb", 0.8), clock=kw.get("clock", 0.93))

    return behave


def ended(f: Fleet, t: float) -> None:
    """The job ended as it should."""
    f.acct("", f.name, "COMPLETED", "0:0", t)
    f.acct(".batch", "batch", "COMPLETED", "0:0", t, f.nodes[0])
    f.acct(".0", "python", "COMPLETED", "0:0", t - 2, begin=4)


def failed(f: Fleet, t: float, code: str = "1:0", step: str = "FAILED", step_code: str = "1:0") -> None:
    """The job ended with a failure."""
    f.acct("", f.name, "FAILED", code, t)
    f.acct(".batch", "batch", "FAILED", code, t, f.nodes[0])
    f.acct(".0", "python", step, step_code, t - 2, begin=4)


def boards(f: Fleet, node: int, t: float = -3000) -> None:
    """What the driver said long before: boot noise."""
    f.dmesg(node, t, "nvidia-nvlink: Nvlink Core is being initialized, major device number 510")
    f.dmesg(node, t + 2, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build")
    f.dmesg(node, t + 30, "mlx5_core 0000:1a:00.0 ibp26s0: Link up")


def thermal_one_node(out: Path) -> None:
    """The fans of one node fail half-way; its boards brake, and everyone waits for them."""
    f = Fleet(
        "thermal_one_node", nodes=names("dgx-h{:02d}", 11, 4), minutes=60, cadence=15, job="77120", name="llama-7b-sft"
    )
    end, hot = 3600.0, 1500.0
    loop = Loop(f, "plain", every=5, planned=1240)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 10:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < hot:
            return work(sm=0.68)
        if g.node == 2:
            s = work(sm=0.82, clock=0.42, reasons=0x48 if g.index % 3 else 0x60)
            s.heat, s.power = 36, 0.52
            return s
        return work(sm=0.36, clock=1.0, engine=0.99)

    loop.run(end - 20, lambda t: 1.9 if t < hot else 4.1)
    f.say(f"{f.stamp(end - 12)} INFO train.py: finished after {loop.step} steps, saved final checkpoint to /ckpt/final")
    ended(f, end)
    boards(f, 2)
    f.dmesg(2, hot + 20, "ipmi_si IPI0001:00: sensor FAN_SYS_3 below lower critical threshold")
    f.write(out, behave, end)


def power_brake(out: Path) -> None:
    """A rack feed trips: two of three nodes get the power brake for the last forty minutes."""
    f = Fleet(
        "power_brake", model="a100", nodes=names("rackB-n{}", 3, 3), cadence=30, zone=120, job="90331", name="gpt-neox"
    )
    end, cut = 4800.0, 2300.0
    loop = Loop(f, "megatron", every=10, planned=2000)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 10:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < cut:
            return work(sm=0.7, clock=0.98)
        if g.node >= 1:
            s = work(sm=0.88, clock=0.3, reasons=0x88)
            s.power = 0.38
            return s
        return work(sm=0.3, clock=1.0, engine=0.99)

    loop.run(end - 20, lambda t: 2.2 if t < cut else 6.4)
    f.say(f"[exiting program at iteration {loop.step}] datetime: {f.stamp(end - 8)}")
    ended(f, end)
    f.write(out, behave, end)


def soft_power_cap(out: Path) -> None:
    """Boards at their own power limit all day, as they should be: nothing is wrong."""
    f = Fleet(
        "soft_power_cap",
        model="h200",
        nodes=names("hgx{}", 201, 2),
        cadence=15,
        job="5519",
        name="vit-g",
        new_names=True,
    )
    end = 3000.0
    loop = Loop(f, "plain", every=20, planned=1600)
    loop.run(end - 40, const(1.8))
    f.say(f"{f.stamp(end - 12)} INFO train.py: step {loop.step} reached, training finished")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 30:
            return IDLE
        s = work(sm=0.8, clock=0.83, reasons=4)
        s.power = f.rng.uniform(0.97, 1.0)
        return s if t > f.setup else CONTEXT

    f.write(out, behave, end)


def xid79_bus(out: Path) -> None:
    """A board falls off the bus at step n: the job dies of it."""
    f = Fleet(
        "xid79_bus", nodes=names("ip-10-4-{}-7", 20, 4), cadence=10, job="31177", name="moe-8x7b", host_label="Hostname"
    )
    end, bad = 2460.0, 2400.0
    loop = Loop(f, "plain", every=5)
    loop.run(bad, const(2.6))

    def lost(f: Fleet, g: Gpu, t: float) -> None:
        if g.node == 1 and g.index == 5 and t > bad:
            g.seen = False

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if bad < t < end - 5:
            return spin()
        return busy_until(end - 5, f.setup)(f, g, t)

    f.on_sample.append(lost)
    boards(f, 1)
    f.dmesg(1, bad + 0.4, f"NVRM: GPU at PCI:{f.bus(5)}: {f.fleet[13].uuid}")
    f.dmesg(1, bad + 0.5, f"NVRM: Xid (PCI:{f.bus(5)}): 79, pid=288112, name=python, GPU has fallen off the bus.")
    f.dmesg(1, bad + 0.6, f"NVRM: GPU {f.bus(5)}.0: GPU has fallen off the bus.")
    f.dmesg(
        1,
        bad + 0.9,
        f"NVRM: Xid (PCI:{f.bus(5)}): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
    )
    f.say("[rank13]: Traceback (most recent call last):")
    f.say('[rank13]:   File "/work/moe/train.py", line 402, in step')
    f.say("[rank13]:     loss.backward()")
    f.say("[rank13]: torch.AcceleratorError: CUDA error: unspecified launch failure")
    f.say(
        "[rank13]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
    )
    f.say(f"srun: error: {f.nodes[1]}: task 13: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    f.say(
        f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {f.at(end - 20).strftime('%Y-%m-%dT%H:%M:%S')} ***"
    )
    for node, tasks in ((0, "0-7"), (1, "8-12,14-15"), (2, "16-23"), (3, "24-31")):
        f.say(f"srun: error: {f.nodes[node]}: tasks {tasks}: Terminated")
    failed(f, end)
    f.write(out, behave, end)


def xid31_own_bug(out: Path) -> None:
    """An index kernel of the job's own writes out of bounds: an XID 31, and no hardware at fault."""
    f = Fleet(
        "xid31_own_bug", model="a100", nodes=names("node{:03d}", 7, 2), gpus=4, cadence=15, job="6204", name="gnn"
    )
    end, bad = 1330.0, 1300.0
    loop = Loop(f, "plain", every=10)
    loop.run(bad, const(0.9))

    def mark(f: Fleet, g: Gpu, t: float) -> None:
        if g.node == 0 and g.index == 2 and t > bad:
            g.xid = 31

    f.on_sample.append(mark)
    f.dmesg(
        0,
        bad + 0.2,
        f"NVRM: Xid (PCI:{f.bus(2)}): 31, pid=71221, name=python, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f1c_4b200000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE",
    )
    f.dmesg(0, bad + 0.6, f"NVRM: Xid (PCI:{f.bus(2)}): 45, pid=71221, name=python, Ch 00000008")
    f.say("Traceback (most recent call last):")
    f.say('  File "/home/mlee/gnn/train.py", line 88, in <module>')
    f.say("    main()")
    f.say('  File "/home/mlee/gnn/ops/scatter_ext.py", line 31, in forward')
    f.say("    out = _C.scatter_add(src, index, dim_size)")
    f.say("RuntimeError: CUDA error: an illegal memory access was encountered")
    f.say(
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."
    )
    f.say(f"srun: error: {f.nodes[0]}: task 2: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    failed(f, end)
    f.write(out, busy_until(bad + 3, f.setup, fb=0.4), end)


def straggler_gpu(out: Path) -> None:
    """One board computes at half the speed from the first step (a bad power stage that sets no reason); the rest wait."""
    f = Fleet(
        "straggler_gpu", nodes=names("worker-{}", 0, 4), cadence=20, job="8812", name="pretrain-3b", reasons=False
    )
    end = 3300.0
    loop = Loop(f, "plain", every=10, planned=760)
    loop.run(end - 20, const(4.2))
    f.say(f"{f.stamp(end - 9)} INFO train.py: done: {loop.step} steps")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 12:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if (g.node, g.index) == (2, 3):
            return work(sm=0.79 * f.rng.uniform(0.95, 1.05), clock=0.55)
        return State(0.99, 0.31 * f.rng.uniform(0.9, 1.1), 0.14, 0.8, 1.0, 0, nvlink=0.2)

    f.write(out, behave, end)


def loader_starved(out: Path) -> None:
    """Every step waits seconds for the data: the boards are idle for most of the run."""
    f = Fleet(
        "loader_starved",
        model="a100-40",
        nodes=names("c{:04d}", 412, 2),
        gpus=4,
        cadence=5,
        job="1188207",
        name="video-mae",
    )
    end = 2700.0
    loop = Loop(f, "plain", every=5, planned=380)
    loop.run(end - 20, const(6.9), note=" data_time=6.31s")
    f.say(f"{f.stamp(end - 9)} INFO train.py: finished")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 12:
            return IDLE
        if t < f.setup or (t + g.node) % 6.9 > 0.7:
            return State(0.0 if f.rng.random() < 0.8 else 0.06, 0.0, 0.0, 0.55 if t > f.setup else 0.01, 0.95, 0)
        return work(sm=0.35, engine=0.45, fb=0.55)

    f.write(out, behave, end)


def freeze_watchdog(out: Path) -> None:
    """Rank 21 stops on its host in mid-run; the others wait in an all-reduce until the watchdog ends them."""
    f = Fleet("freeze_watchdog", nodes=names("gpu-a{:02d}", 1, 4), cadence=15, job="222871", name="dit-xl")
    stop = 1500.0
    end = stop + 640
    loop = Loop(f, "plain", every=10)
    loop.run(stop, const(1.4))
    seq = loop.step * 38 + 5
    for r in (3, 9, 0, 30, 14):
        s = f.at(stop + 601).strftime("%m%d %H:%M:%S")
        f.say(
            f"[rank{r}]:[E{s}.{f.rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:629] [Rank {r}] Watchdog caught collective operation timeout: "
            f"WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) ran for 600{f.rng.randrange(10, 99):03d} milliseconds before timing out."
        )
        f.say(
            f"[rank{r}]:[E{s}.{f.rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:2168] [PG ID 0 PG GUID 0(default_pg) Rank {r}]  failure detected by watchdog at work sequence id: {seq} "
            f"PG status: last enqueued work: {seq + 3}, last completed work: {seq - 1}"
        )
        f.say(
            f"[rank{r}]:[E{s}.{f.rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:683] [Rank {r}] To avoid data inconsistency, we are taking the entire process down."
        )
    for n in range(4):
        f.say(
            f"srun: error: {f.nodes[n]}: tasks {n * 8}-{n * 8 + 7}: Aborted (core dumped)"
            if n != 2
            else f"srun: error: {f.nodes[n]}: tasks 16-20,22-23: Aborted (core dumped)"
        )
    f.say(f"srun: error: {f.nodes[2]}: task 21: Killed")
    failed(f, end, "134:0", "FAILED", "0:6")

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > stop + 615:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < stop:
            return work()
        if (g.node, g.index) == (2, 5):
            return State(0, 0, 0, 0.8, 1.0, 0)
        return spin()

    f.write(out, behave, end)


def node_lost(out: Path) -> None:
    """A node dies (its metrics stop); the scheduler says so, and the others were well."""
    f = Fleet(
        "node_lost",
        model="a100",
        nodes=names("lrdn{:04d}", 1402, 6),
        gpus=4,
        cadence=30,
        job="15400127",
        name="climate-unet",
        zone=60,
    )
    dead = 4000.0
    end = dead + 330
    loop = Loop(f, "megatron", every=10)
    loop.run(dead, const(3.3))
    when = f.at(end - 20).strftime("%Y-%m-%dT%H:%M:%S")
    f.say(f"srun: error: Node failure on {f.nodes[4]}")
    f.say(
        f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    f.say(
        f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    f.acct("", f.name, "NODE_FAIL", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "NODE_FAIL", "0:0", end, begin=4)

    def gone(f: Fleet, g: Gpu, t: float) -> None:
        if g.node == 4 and t > dead:
            g.seen = False

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if dead < t < end - 15:
            return spin()
        return busy_until(end - 15, f.setup)(f, g, t)

    f.on_sample.append(gone)
    f.write(out, behave, end)


def never_met(out: Path) -> None:
    """Thirty-two ranks were started; one node's ranks could not reach the master, and nobody began."""
    f = Fleet("never_met", nodes=names("h100-{:03d}", 90, 4), cadence=15, job="660131", name="rlhf")
    end = 1905.0
    f.say(f"{f.stamp(12)} INFO launch: MASTER_ADDR={f.nodes[0]} MASTER_PORT=29500 WORLD_SIZE=32")
    f.say(f"{f.stamp(21)} INFO train.py: initializing process group (backend=nccl, timeout=1800s)")
    for r in (24, 27, 31):
        f.say(f"[rank{r}]: Traceback (most recent call last):")
        f.say(f'[rank{r}]:   File "/opt/app/train.py", line 31, in main')
        f.say(f'[rank{r}]:     dist.init_process_group("nccl", timeout=timedelta(seconds=1800))')
        f.say(
            f"[rank{r}]: torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to ({f.nodes[0]}, 29500)."
        )
    f.say(
        "[rank0]: torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 24/32 clients joined."
    )
    f.say(f"srun: error: {f.nodes[3]}: tasks 24-31: Exited with exit code 1")
    f.say(f"srun: error: {f.nodes[0]}: task 0: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    failed(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        return State(0.0, 0.0, 0.0, 0.007, 0.2, 1) if 20 < t < end - 20 else IDLE

    f.write(out, behave, end)


def healthy_checkpoints(out: Path) -> None:
    """A good run with a pause for a checkpoint now and then, and an evaluation."""
    f = Fleet(
        "healthy_checkpoints",
        nodes=names("cs-gpu-{}", 14, 8),
        cadence=30,
        job="9917",
        name="pretrain-13b",
        new_names=True,
    )
    end = 5400.0
    loop = Loop(f, "megatron", every=20, planned=1500)
    while loop.step < 1500 and loop.t < end - 120:
        loop.run(loop.t + 700, const(3.1))
        f.say(f"saving checkpoint at iteration {loop.step:7d} to /lustre/ckpt in torch_dist format")
        loop.t += 38
        f.say(f"  successfully saved checkpoint from iteration {loop.step:7d} to /lustre/ckpt [ t 1/4, p 1/1 ]")
    f.say(f"[after training is done] datetime: {f.stamp(loop.t)}")
    end = loop.t + 15
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 8:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if (t - f.setup) % 738 > 700:
            return State(0.02, 0.01, 0, 0.8, 1.0, 0)
        return work(sm=0.7 * f.rng.uniform(0.92, 1.05), clock=0.9, reasons=4 if f.rng.random() < 0.3 else 0)

    f.write(out, behave, end)


def healthy_old_xid(out: Path) -> None:
    """A good run; a node's kernel log still holds a fault of last week's tenant, and the gauge still shows it."""
    f = Fleet(
        "healthy_old_xid", model="a100", nodes=names("n{}", 31, 3), gpus=4, cadence=15, job="72001", name="segment"
    )
    end = 2600.0
    for g in f.fleet[4:5]:
        g.xid = 43
    f.dmesg(1, -600000, f"NVRM: Xid (PCI:{f.bus(0)}): 43, pid=1182, name=python3, Ch 00000010")
    f.dmesg(1, -599990, f"NVRM: Xid (PCI:{f.bus(0)}): 45, pid=1182, name=python3, Ch 00000010")
    boards(f, 1, -900000)
    loop = Loop(f, "hf", every=25, planned=2500)
    loop.run(end - 60, const(1.0))
    f.say(
        str(
            {
                "train_runtime": round(end - 130, 4),
                "train_samples_per_second": 128.1,
                "train_steps_per_second": 1.0,
                "train_loss": 3.41,
                "epoch": 1.0,
            }
        )
    )
    ended(f, end)
    f.write(out, busy_until(end - 20, f.setup), end)


def slow_fabric(out: Path) -> None:
    """Half-way the fabric drops to one rail: all ranks slow alike, collectives still complete."""
    f = Fleet("slow_fabric", nodes=names("vega{:02d}", 5, 4), cadence=15, job="40117", name="fsdp-30b")
    end, slow = 4200.0, 1400.0
    loop = Loop(f, "plain", every=5)
    loop.planned = 900
    loop.run(end - 30, lambda t: 2.4 if t < slow else 11.8)
    f.say(f"{f.stamp(end - 12)} INFO train.py: time budget of 70 min used, saving and leaving at step {loop.step}")
    ended(f, end)
    for n in range(4):
        f.dmesg(n, slow - 5 + n, "mlx5_core 0000:1a:00.0 mlx5_0: Port: 1 Link DOWN")
        f.dmesg(n, slow - 3 + n, "mlx5_core 0000:3b:00.0 mlx5_1: Port: 1 Link DOWN")

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 12:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < slow:
            return work(sm=0.66)
        return State(0.995, 0.13 * f.rng.uniform(0.85, 1.15), 0.06, 0.8, 1.0, 0, nvlink=0.06)

    f.write(out, behave, end)


def cuda_oom(out: Path) -> None:
    """A long sequence at step n, and rank 6 has no memory for it."""
    f = Fleet(
        "cuda_oom", model="l40s", nodes=names("l40-{}", 2, 2), gpus=4, cadence=15, job="2271", name="lora", prof=False
    )
    end = 1240.0
    loop = Loop(f, "hf", every=10, planned=6000)
    loop.run(end - 30, const(0.75))
    f.say("[rank6]: Traceback (most recent call last):")
    f.say('[rank6]:   File "/srv/lora/finetune.py", line 140, in <module>')
    f.say("[rank6]:     trainer.train()")
    f.say(
        "[rank6]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.35 GiB. GPU 2 has a total capacity of 44.39 GiB of which 1.07 GiB is free. "
        "Including non-PyTorch memory, this process has 43.31 GiB memory in use. Of the allocated memory 41.80 GiB is allocated by PyTorch, and 902.11 MiB is reserved by PyTorch but unallocated."
    )
    f.say(f"srun: error: {f.nodes[1]}: task 6: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    f.say(f"srun: error: {f.nodes[0]}: tasks 0-3: Terminated")
    failed(f, end)

    f.write(out, busy_until(end - 25, f.setup, fb=0.9), end)


def host_oom(out: Path) -> None:
    """A cache in host memory grows until the kernel kills rank 2 of the second node."""
    f = Fleet(
        "host_oom", model="a100", nodes=names("hpc-g{:02d}", 8, 2), gpus=8, cadence=15, job="50442", name="retriever"
    )
    end = 2205.0
    kill = end - 40
    loop = Loop(f, "plain", every=10)
    loop.run(kill, const(1.3))
    f.dmesg(1, kill, "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0")
    f.dmesg(1, kill + 0.1, "memory: usage 1048576000kB, limit 1048576000kB, failcnt 99120")
    f.dmesg(
        1,
        kill + 0.2,
        f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/slurm/uid_2001/job_{f.job}/step_0,task_memcg=/slurm/uid_2001/job_{f.job}/step_0/task_10,task=python,pid=44120,uid=2001",
    )
    f.dmesg(
        1,
        kill + 0.3,
        "Memory cgroup out of memory: Killed process 44120 (python) total-vm:912331876kB, anon-rss:702338812kB, file-rss:81220kB, shmem-rss:0kB, UID:2001 pgtables:1442000kB oom_score_adj:0",
    )
    f.say(
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job}.0. Some of the step tasks have been OOM Killed."
    )
    f.say(f"srun: error: {f.nodes[1]}: task 10: Out Of Memory")
    f.say(f"srun: Terminating StepId={f.job}.0")
    f.say(f"srun: error: {f.nodes[0]}: tasks 0-7: Terminated")
    failed(f, end, "1:0", "OUT_OF_MEMORY", "0:125")
    f.write(out, busy_until(kill + 4, f.setup), end)


CASES = {
    make.__name__: make
    for make in (
        thermal_one_node, power_brake, soft_power_cap, xid79_bus, xid31_own_bug, straggler_gpu, loader_starved, freeze_watchdog,
        node_lost, never_met, healthy_checkpoints, healthy_old_xid, slow_fabric, cuda_oom, host_oom,
    )
}  # fmt: skip
