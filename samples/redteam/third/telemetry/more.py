"""The second half of the incidents. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incidents import boards, busy_until, ended, failed, names
from simulate import CONTEXT, IDLE, Fleet, Gpu, Loop, State, const, spin, work

if TYPE_CHECKING:
    from pathlib import Path


def double_bit(out: Path) -> None:
    """A double-bit error in mid-run, counted, in the kernel log, and the job's CUDA error."""
    f = Fleet(
        "double_bit",
        model="v100",
        nodes=names("p3-{:02d}", 40, 4),
        gpus=4,
        cadence=15,
        job="118",
        name="wav2vec",
        prof=False,
    )
    bad = 1900.0
    end = bad + 70
    loop = Loop(f, "plain", every=20)
    loop.run(bad, const(0.8))

    def count(f: Fleet, g: Gpu, t: float) -> None:
        if (g.node, g.index) == (3, 1) and t > bad:
            g.dbe, g.xid = 2, 48

    f.on_sample.append(count)
    f.dmesg(
        3,
        bad,
        f"NVRM: Xid (PCI:{f.bus(1)}): 48, pid=9120, name=python3, DBE (double bit error), located at 0x5a. Physical address 0x3fd2e1a80",
    )
    f.dmesg(3, bad + 1, f"NVRM: Xid (PCI:{f.bus(1)}): 45, pid=9120, name=python3, Ch 00000010")
    f.say("Traceback (most recent call last):")
    f.say('  File "train.py", line 220, in <module>')
    f.say("    scaler.scale(loss).backward()")
    f.say("RuntimeError: CUDA error: uncorrectable ECC error encountered")
    f.say(f"srun: error: {f.nodes[3]}: task 13: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    failed(f, end)
    f.write(out, busy_until(bad + 4, f.setup), end)


def remap_only(out: Path) -> None:
    """A row is marked for remapping after corrected errors; the run does not notice and ends well."""
    f = Fleet("remap_only", nodes=names("gpu{:02d}", 61, 2), cadence=15, job="3310", name="clip-b")
    end = 2900.0
    loop = Loop(f, "plain", every=20, planned=2500)
    loop.run(end - 40, const(1.1))
    f.say(f"{f.stamp(end - 20)} INFO train.py: reached max_steps={loop.step}; training finished")
    ended(f, end)

    def count(f: Fleet, g: Gpu, t: float) -> None:
        if (g.node, g.index) == (0, 6) and t > 1200:
            g.sbe, g.xid = 12, 63

    f.on_sample.append(count)
    f.dmesg(
        0,
        1200,
        f"NVRM: Xid (PCI:{f.bus(6)}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000001b2f3a1) marked for remapping, reset gpu to activate.",
    )
    f.write(out, busy_until(end - 15, f.setup), end)


def slow_host(out: Path) -> None:
    """Someone else's process eats the CPUs of one node: its ranks launch late, and the others wait for them in every step."""
    f = Fleet("slow_host", nodes=names("tsubame{}", 7, 4), cadence=15, job="81010", name="detr")
    end, busy = 3600.0, 1000.0
    loop = Loop(f, "plain", every=10)
    loop.planned = 1790
    loop.run(end - 40, lambda t: 1.1 if t < busy else 2.9)
    loop.step = 1790
    loop.line(2.9)
    f.say(f"{f.stamp(end - 15)} INFO train.py: finished all {loop.planned} steps")
    ended(f, end)
    for n, host in enumerate(f.nodes):
        points = [
            (float(t), (f.rng.uniform(210, 260) if n == 3 and t > busy else f.rng.uniform(9, 16)))
            for t in range(0, 3600, 15)
        ]
        f.host_metrics.append(("node_load1", {"instance": f"{host}:9100", "job": "node"}, points))

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 12:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < busy:
            return work(sm=0.62)
        if g.node == 3:
            return State(0.4 * f.rng.uniform(0.9, 1.1), 0.25, 0.12, 0.8, 1.0, 0, nvlink=0.1)
        return State(0.995, 0.27, 0.12, 0.8, 1.0, 0, nvlink=0.1)

    f.write(out, behave, end)


def freeze_to_limit(out: Path) -> None:
    """A freeze with the watchdog off: three hours of spinning boards until the time limit."""
    f = Fleet(
        "freeze_to_limit",
        model="a100",
        nodes=names("ws{:03d}", 17, 3),
        gpus=8,
        cadence=60,
        job="70993",
        name="t5-xxl",
        limit="03:00:00",
    )
    stop, end = 4100.0, 10830.0
    loop = Loop(f, "megatron", every=10)
    loop.run(stop, const(5.2))
    when = f.at(end - 30).strftime("%Y-%m-%dT%H:%M:%S")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.say("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    f.say(f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.acct("", f.name, "TIMEOUT", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "CANCELLED", "0:15", end, begin=4)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 30:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < stop:
            return work()
        return State(0, 0, 0, 0.8, 1.0, 0) if (g.node, g.index) == (1, 0) else spin()

    f.write(out, behave, end)


def limit_in_good_health(out: Path) -> None:
    """The limit was too short for a run that trained well to the last second."""
    f = Fleet(
        "limit_in_good_health",
        nodes=names("n-{}", 100, 2),
        cadence=30,
        job="514",
        name="bert-large",
        limit="01:00:00",
        zone=-300,
    )
    end = 3620.0
    loop = Loop(f, "megatron", every=10, planned=20000)
    loop.run(end - 25, const(1.7))
    when = f.at(end - 20).strftime("%Y-%m-%dT%H:%M:%S")
    f.say(f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.acct("", f.name, "TIMEOUT", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "CANCELLED", "0:15", end, begin=4)
    f.write(out, busy_until(end - 18, f.setup), end)


def preempted(out: Path) -> None:
    """A job of higher priority takes the nodes."""
    f = Fleet(
        "preempted", model="l40s", nodes=names("ada{:02d}", 3, 2), gpus=4, cadence=15, job="99281", name="ablation-4"
    )
    end = 2000.0
    loop = Loop(f, "hf", every=10, planned=20000)
    loop.run(end - 40, const(0.6))
    when = f.at(end - 32).strftime("%Y-%m-%dT%H:%M:%S")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} DUE TO PREEMPTION ***")
    f.say(f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} DUE TO PREEMPTION ***")
    f.acct("", f.name, "PREEMPTED", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "CANCELLED", "0:15", end, begin=4)
    f.write(out, busy_until(end - 30, f.setup), end)


def cancelled_by_user(out: Path) -> None:
    """Its owner cancels a run that trained well."""
    f = Fleet("cancelled_by_user", nodes=names("gpu-{}-1", 3, 2), cadence=15, job="61231", name="sweep-17")
    end = 1500.0
    loop = Loop(f, "plain", every=10)
    loop.run(end - 20, const(1.0))
    when = f.at(end - 15).strftime("%Y-%m-%dT%H:%M:%S")
    f.say("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    f.say(f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} ***")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} ***")
    f.acct("", f.name, "CANCELLED by 2001", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "CANCELLED", "0:15", end, begin=4)
    f.write(out, busy_until(end - 14, f.setup), end)


def metrics_alone(out: Path) -> None:
    """Nothing but metrics: boards work for forty minutes, then their memory is empty. Who could say why?"""
    f = Fleet("metrics_alone", nodes=names("x{:02d}", 1, 2), gpus=4, cadence=15, job="1", name="x")
    f.write(out, busy_until(2400, f.setup), 2420)


def one_gpu_asleep(out: Path) -> None:
    """A job of one GPU: the model is resident, and nothing was ever launched after the first minutes; the limit ends it."""
    f = Fleet(
        "one_gpu_asleep",
        model="a100-40",
        nodes=["shared03"],
        gpus=1,
        cadence=30,
        job="440911",
        name="notebook-batch",
        limit="02:00:00",
    )
    end = 7215.0
    f.say(f"{f.stamp(20)} INFO run.py: loading model")
    f.say(f"{f.stamp(66)} INFO run.py: model on cuda:0 (23.1 GB), waiting for feature store lock /nfs/features/.lock")
    when = f.at(end - 12).strftime("%Y-%m-%dT%H:%M:%S")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.acct("", f.name, "TIMEOUT", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 25 or t > end - 10:
            return IDLE
        return State(0.3, 0.1, 0, 0.3, 1.0, 0) if t < 66 else State(0, 0, 0, 0.58, 0.78, 1)

    f.write(out, behave, end)


def saves_every_step(out: Path) -> None:
    """Somebody set save_interval to 1: the boards wait for the disk most of the time, all alike."""
    f = Fleet("saves_every_step", nodes=names("hgx-b{}", 1, 2), cadence=10, job="7170", name="sft-70b")
    end = 3000.0
    loop = Loop(f, "plain", every=1, planned=150)
    while loop.step < 150 and loop.t < end - 45:
        loop.t += 3.0
        loop.step += 1
        loop.line(3.0)
        f.say(f"{f.stamp(loop.t)} INFO train.py: saving checkpoint checkpoint-{loop.step}")
        loop.t += 16.0
        f.say(f"{f.stamp(loop.t)} INFO train.py: saved checkpoint checkpoint-{loop.step} in 16.0 s (134.2 GB)")
    f.say(f"{f.stamp(loop.t + 1)} INFO train.py: training finished")
    end = loop.t + 15
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 8:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if (t - f.setup) % 19 < 3:
            return work(sm=0.6)
        return State(0.03, 0.01, 0, 0.8, 1.0, 0)

    f.write(out, behave, end)


def nan_at_speed(out: Path) -> None:
    """Boards in full work on numbers that are no more: nan from a third of the run on."""
    f = Fleet(
        "nan_at_speed",
        model="b200",
        nodes=names("nv-{:03d}", 330, 2),
        cadence=15,
        job="20001",
        name="moe",
        new_names=True,
    )
    end = 2700.0
    loop = Loop(f, "plain", every=10, planned=2600)
    loop.run(900, const(1.0))
    loop.floor = float("nan")
    loop.run(end - 30, const(1.0))
    f.say(f"{f.stamp(end - 15)} INFO train.py: finished {loop.step} steps")
    ended(f, end)
    f.write(out, busy_until(end - 14, f.setup), end)


def exporter_restarted(out: Path) -> None:
    """A good run; the exporter of one node was away for nine minutes."""
    f = Fleet("exporter_restarted", nodes=names("k8s-gpu-{}", 1, 3), gpus=4, cadence=15, job="8", name="nightly")
    end = 2800.0
    loop = Loop(f, "plain", every=10, planned=1800)
    loop.run(end - 60, const(1.45))
    f.say(f"{f.stamp(end - 40)} INFO train.py: training complete after {loop.step} steps, val loss 2.41")
    ended(f, end)

    def away(f: Fleet, g: Gpu, t: float) -> None:
        g.seen = not (g.node == 1 and 1000 < t < 1540)

    f.on_sample.append(away)
    f.write(out, busy_until(end - 14, f.setup), end)


def hot_but_fine(out: Path) -> None:
    """A hot hall: 80 degrees on every board, no reason set, clocks and steps as ever."""
    f = Fleet("hot_but_fine", model="a100", nodes=names("hot{:02d}", 1, 2), cadence=15, job="4040", name="summer")
    end = 2600.0
    loop = Loop(f, "megatron", every=20, planned=1400)
    loop.run(end - 60, const(1.7))
    f.say(f"[after training is done] datetime: {f.stamp(end - 40)}")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        s = busy_until(end - 14, f.setup)(f, g, t)
        s.heat = 20 if s.fb > 0.5 else 8
        return s

    f.write(out, behave, end)


def pipeline_uneven(out: Path) -> None:
    """A good run with pipeline stages of unequal weight: the last stage's boards work twice as much, by design, on every node."""
    f = Fleet("pipeline_uneven", nodes=names("pp{:02d}", 1, 4), gpus=4, cadence=15, job="90909", name="gpt-pp4")
    end = 3000.0
    loop = Loop(f, "megatron", every=10, planned=1100)
    loop.run(end - 60, const(2.6))
    f.log[0] = (
        "using world size: 16, data-parallel size: 4, tensor-model-parallel size: 1, pipeline-model-parallel size: 4"
    )
    f.say(f"[after training is done] datetime: {f.stamp(end - 40)}")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        s = busy_until(end - 14, f.setup)(f, g, t)
        if s.fb > 0.5:
            s.sm = (0.36, 0.34, 0.35, 0.62)[g.index] * f.rng.uniform(0.95, 1.05)
            s.tensor, s.engine = s.sm * 0.5, 0.98
        return s

    f.write(out, behave, end)


def import_error(out: Path) -> None:
    """A module is missing on every node: the job never began."""
    f = Fleet("import_error", nodes=names("gn{:02d}", 21, 2), gpus=4, cadence=15, job="1212", name="flash", extra=300)
    end = 24.0
    for r in range(8):
        f.say(f"{r}: Traceback (most recent call last):")
        f.say(f'{r}:   File "/proj/flash/train.py", line 4, in <module>')
        f.say(f"{r}:     from flash_attn import flash_attn_func")
        f.say(f"{r}: ModuleNotFoundError: No module named 'flash_attn'")
    f.say(f"srun: error: {f.nodes[0]}: tasks 0-3: Exited with exit code 1")
    f.say(f"srun: error: {f.nodes[1]}: tasks 4-7: Exited with exit code 1")
    failed(f, end)
    boards(f, 0)
    f.write(out, lambda f, g, t: IDLE, end)


MORE = {
    make.__name__: make
    for make in (
        double_bit, remap_only, slow_host, freeze_to_limit, limit_in_good_health, preempted, cancelled_by_user, metrics_alone,
        one_gpu_asleep, saves_every_step, nan_at_speed, exporter_restarted, hot_but_fine, pipeline_uneven, import_error,
    )
}  # fmt: skip
