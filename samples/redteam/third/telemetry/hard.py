"""A third lot: what lies beside a run and is not its cause, and causes with little to see. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incidents import busy_until, ended, failed, names
from simulate import CONTEXT, IDLE, Fleet, Gpu, Loop, State, const, spin, work

if TYPE_CHECKING:
    from pathlib import Path


def neighbour_hot(out: Path) -> None:
    """The query returned a third node, not of this job, whose boards brake for heat all the time."""
    f = Fleet("neighbour_hot", nodes=names("r7-{:02d}", 1, 3), gpus=4, cadence=15, job="33017", name="asr")
    end = 2500.0
    loop = Loop(f, "plain", every=10, planned=1500)
    loop.run(end - 60, const(1.55))
    f.say(f"{f.stamp(end - 30)} INFO train.py: training finished at step {loop.step}")
    ended(f, end)
    for row in f.sacct_rows:
        row["NodeList"] = row["NodeList"].replace(",r7-03", "")
        row["NNodes"] = "2"
        row["AllocTRES"] = "cpu=192,gres/gpu=8,mem=2T,node=2"

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if g.node < 2:
            return busy_until(end - 14, f.setup)(f, g, t)
        s = work(sm=0.9, clock=0.35, reasons=0x48)
        s.heat, s.power = 38, 0.5
        return s

    f.write(out, behave, end)


def foreign_bus_error(out: Path) -> None:
    """A board of a node outside the allocation fell off its bus an hour before; this job dies of its own ValueError."""
    f = Fleet(
        "foreign_bus_error", model="a100", nodes=names("m{:02d}", 1, 2), gpus=4, cadence=15, job="771", name="vqa"
    )
    end = 1600.0
    loop = Loop(f, "plain", every=10)
    loop.run(end - 30, const(1.0))
    f.say("[rank5]: Traceback (most recent call last):")
    f.say('[rank5]:   File "/w/vqa/train.py", line 77, in <module>')
    f.say("[rank5]:     loss = criterion(logits, answer)")
    f.say("[rank5]: ValueError: Expected input batch_size (32) to match target batch_size (31).")
    f.say(f"srun: error: {f.nodes[1]}: task 5: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    failed(f, end)
    f.nodes.append("m09")
    f.dmesg(2, -3300, f"NVRM: Xid (PCI:{f.bus(3)}): 79, pid=4120, name=python, GPU has fallen off the bus.")
    f.write(out, busy_until(end - 26, f.setup), end)


def bus_error_after(out: Path) -> None:
    """The job died of a KeyError; eleven minutes later, with nobody on it, a board of its node falls off the bus."""
    f = Fleet("bus_error_after", nodes=names("zen{:02d}", 4, 2), cadence=15, job="50101", name="rag", extra=1200)
    end = 1300.0
    loop = Loop(f, "plain", every=10)
    loop.run(end - 30, const(1.2))
    f.say("Traceback (most recent call last):")
    f.say('  File "/w/rag/train.py", line 410, in collate')
    f.say("    ids = [row['doc_ids'] for row in rows]")
    f.say("KeyError: 'doc_ids'")
    f.say(f"srun: error: {f.nodes[0]}: task 4: Exited with exit code 1")
    f.say(f"srun: Terminating StepId={f.job}.0")
    failed(f, end)
    f.dmesg(
        0, end + 660, f"NVRM: Xid (PCI:{f.bus(2)}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    )
    f.write(out, busy_until(end - 26, f.setup), end)


def other_job_oom(out: Path) -> None:
    """The kernel killed a process of another job on the node, for that job's own limit; this one ended well."""
    f = Fleet(
        "other_job_oom", model="l40s", nodes=names("share{:02d}", 8, 2), gpus=4, cadence=20, job="66120", name="det"
    )
    end = 2400.0
    loop = Loop(f, "hf", every=20, planned=2200)
    loop.run(end - 60, const(1.0))
    f.say(
        str(
            {
                "train_runtime": 2301.1,
                "train_samples_per_second": 61.0,
                "train_steps_per_second": 1.0,
                "train_loss": 3.9,
                "epoch": 1.0,
            }
        )
    )
    ended(f, end)
    f.dmesg(1, 1400, "python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0")
    f.dmesg(
        1,
        1400.2,
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/slurm/uid_3111/job_66099/step_0,task_memcg=/slurm/uid_3111/job_66099/step_0/task_0,task=python,pid=91920,uid=3111",
    )
    f.dmesg(
        1,
        1400.3,
        "Memory cgroup out of memory: Killed process 91920 (python) total-vm:91233187kB, anon-rss:70233881kB, file-rss:81220kB, shmem-rss:0kB, UID:3111 pgtables:144200kB oom_score_adj:0",
    )
    f.write(out, busy_until(end - 20, f.setup), end)


def frozen_then_cancelled(out: Path) -> None:
    """Frozen for two hours in a collective, until its owner gave up and cancelled it."""
    f = Fleet(
        "frozen_then_cancelled",
        nodes=names("b200-{}", 5, 2),
        model="b200",
        cadence=30,
        job="91881",
        name="video",
        new_names=True,
    )
    stop, end = 2000.0, 9300.0
    loop = Loop(f, "plain", every=10)
    loop.run(stop, const(1.9))
    when = f.at(end - 15).strftime("%Y-%m-%dT%H:%M:%S")
    f.say("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    f.say(f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} ***")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} ***")
    f.acct("", f.name, "CANCELLED by 2001", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "CANCELLED", "0:15", end, begin=4)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 12:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < stop:
            return work()
        return State(0, 0, 0, 0.8, 1.0, 0) if (g.node, g.index) == (0, 3) else spin()

    f.write(out, behave, end)


def one_hot_board(out: Path) -> None:
    """One board of sixteen brakes for heat; every rank waits for it: the throttle is the cause, the straggler its effect."""
    f = Fleet("one_hot_board", nodes=names("gh{:02d}", 31, 2), cadence=15, job="45111", name="sft-8b")
    end, hot = 3600.0, 1200.0
    loop = Loop(f, "megatron", every=10, planned=1200)
    loop.run(end - 60, lambda t: 1.6 if t < hot else 3.3)
    f.say(f"[exiting program at iteration {loop.step}] datetime: {f.stamp(end - 40)}")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or t > end - 14:
            return IDLE
        if t < f.setup:
            return CONTEXT
        if t < hot:
            return work(sm=0.66)
        if (g.node, g.index) == (1, 2):
            s = work(sm=0.8, clock=0.45, reasons=0x68)
            s.heat, s.power = 34, 0.5
            return s
        return State(0.99, 0.33, 0.15, 0.8, 1.0, 0, nvlink=0.2)

    f.write(out, behave, end)


def silent_start(out: Path) -> None:
    """A banner, then nothing: boards cold on all nodes until the limit. No rank said why."""
    f = Fleet(
        "silent_start", nodes=names("q{:03d}", 12, 4), gpus=4, cadence=30, job="80808", name="init", limit="01:00:00"
    )
    end = 3620.0
    f.say(f"{f.stamp(9)} INFO launch: 16 ranks on 4 nodes, MASTER_ADDR={f.nodes[0]} MASTER_PORT=23456")
    f.say(f"{f.stamp(19)} INFO train.py: init_process_group(backend='nccl', init_method='env://') ...")
    when = f.at(end - 12).strftime("%Y-%m-%dT%H:%M:%S")
    f.say(f"slurmstepd: error: *** JOB {f.job} ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.say(f"slurmstepd: error: *** STEP {f.job}.0 ON {f.nodes[0]} CANCELLED AT {when} DUE TO TIME LIMIT ***")
    f.acct("", f.name, "TIMEOUT", "0:0", end)
    f.acct(".batch", "batch", "CANCELLED", "0:15", end, f.nodes[0])
    f.acct(".0", "python", "CANCELLED", "0:15", end, begin=4)
    f.write(out, lambda f, g, t: State(0, 0, 0, 0.006, 0.2, 1) if 20 < t < end - 12 else IDLE, end)


def node_lost_finished_later(out: Path) -> None:
    """A node fails, Slurm requeues the job, and the second run resumes and finishes."""
    f = Fleet(
        "node_lost_finished_later",
        model="a100",
        nodes=names("jz{:02d}", 2, 3),
        gpus=4,
        cadence=30,
        job="120007",
        name="nowcast",
    )
    dead, again, end = 1500.0, 2100.0, 4300.0
    loop = Loop(f, "plain", every=10, planned=1900)
    loop.run(dead, const(1.9))
    f.say(f"srun: error: Node failure on {f.nodes[2]}")
    f.say(f"{f.stamp(again + 40)} INFO train.py: resumed from checkpoint /scratch/nowcast/last.pt at step 700")
    loop.step, loop.t = 700, again + 60
    loop.run(end - 60, const(1.7))
    f.say(f"{f.stamp(end - 30)} INFO train.py: training finished at step {loop.step}")
    f.acct("", f.name, "NODE_FAIL", "0:0", dead + 200)
    f.acct(".0", "python", "NODE_FAIL", "0:0", dead + 200, begin=4)
    f.acct("", f.name, "COMPLETED", "0:0", end, begin=again)
    f.acct(".batch", "batch", "COMPLETED", "0:0", end, f.nodes[0], begin=again)
    f.acct(".0", "python", "COMPLETED", "0:0", end, begin=again + 4)

    def gone(f: Fleet, g: Gpu, t: float) -> None:
        g.seen = not (g.node == 2 and dead < t < again)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        if t < 30 or dead + 180 < t < again or t > end - 14:
            return IDLE
        if dead < t <= dead + 180:
            return spin()
        return work() if t > f.setup else CONTEXT

    f.on_sample.append(gone)
    f.write(out, behave, end)


def cap_lowered_on_purpose(out: Path) -> None:
    """The site caps every board at half its power for the summer: software power cap all day, steps constant and slow; a plan."""
    f = Fleet("cap_lowered_on_purpose", nodes=names("eco{}", 1, 2), cadence=15, job="717", name="green")
    end = 3000.0
    loop = Loop(f, "plain", every=10, planned=1000)
    loop.run(end - 60, const(2.8))
    f.say(f"{f.stamp(end - 30)} INFO train.py: training finished at step {loop.step}")
    ended(f, end)

    def behave(f: Fleet, g: Gpu, t: float) -> State:
        s = busy_until(end - 14, f.setup)(f, g, t)
        if s.fb > 0.5:
            s.reasons, s.clock, s.power = 4, 0.62, 0.5 * f.rng.uniform(0.98, 1.0)
        return s

    f.write(out, behave, end)


def exit_without_words(out: Path) -> None:
    """FAILED 1:0, a log of steps and then nothing, boards well until the end: nobody could know."""
    f = Fleet("exit_without_words", nodes=names("w{:02d}", 50, 2), gpus=4, cadence=15, job="2024", name="mystery")
    end = 1700.0
    loop = Loop(f, "plain", every=10)
    loop.run(end - 30, const(1.1))
    failed(f, end)
    f.write(out, busy_until(end - 26, f.setup), end)


HARD = {
    make.__name__: make
    for make in (
        neighbour_hot, foreign_bus_error, bus_error_after, other_job_oom, frozen_then_cancelled, one_hot_board, silent_start,
        node_lost_finished_later, cap_lowered_on_purpose, exit_without_words,
    )
}  # fmt: skip
