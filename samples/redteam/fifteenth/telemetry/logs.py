"""SIMULATED job logs: how the job starts, counts its steps, and what libraries and Slurm say when it ends badly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .site import node_list

if TYPE_CHECKING:
    from pathlib import Path

    from .lab import Lab


class Teller:
    """The job's voice: one style of lines for the whole incident."""

    def __init__(self, made: Lab, step_s: float, plan: int) -> None:
        self.made, self.step_s, self.plan = made, step_s, plan
        self.style = made.rng.choice(("own", "megatron", "titan"))
        self.every = max(1, int(made.rng.choice((15, 25, 40)) / step_s))
        self.step = 0
        self.start_loss, self.floor = math.log(made.rng.choice((32000, 50304, 128256))), made.rng.uniform(2.3, 3.0)
        self.ranks = len(made.gpus)

    def stamp(self, t: float) -> str:
        return f"{self.made.local(t, self.made.hosts[0]):%Y-%m-%d %H:%M:%S}"

    def rank(self, host: str, index: int) -> int:
        """The global rank of a card."""
        return self.made.hosts.index(host) * self.made.lot.gpus + index

    def banner(self, t: float) -> None:
        """The first words, before any GPU has worked."""
        made = self.made
        made.say(
            t,
            f"job {made.job} nodes {node_list(made.hosts)} ({self.ranks} ranks), started {made.local(t, made.hosts[0]):%a %b %e %H:%M:%S %Y}",
        )
        made.say(t + 6, f"{self.stamp(t + 6)} INFO rank 0/{self.ranks}: torch 2.6.0+cu124, device {made.card.model}")
        if self.ranks > 1:
            made.say(t + 9, f"{self.stamp(t + 9)} INFO init_process_group(backend='nccl', world_size={self.ranks})")

    def ready(self, t: float) -> None:
        """The communicator stands and the first step is near."""
        made = self.made
        if self.ranks > 1:
            made.say(
                t,
                f"{made.hosts[0]}:{made.rng.randrange(2000, 90000)}:{made.rng.randrange(2000, 90000)} [0] NCCL INFO ncclCommInitRank comm 0x55d0c8a1e2f0 rank 0 nranks {self.ranks} cudaDev 0 nvmlDev 0 busId {made.gpus[0].bus[5:7]}000 commId 0x9be2f17d00a1c2 - Init COMPLETE",
            )
        made.say(t + 3, f"{self.stamp(t + 3)} INFO model built, 7.24 B parameters; training for {self.plan} steps")

    def steps(self, t0: float, t1: float, step_s: float | None = None, data_s: float | None = None) -> None:
        """Count steps over this span."""
        made, each = self.made, step_s or self.step_s
        rng = made.rng
        t = t0
        while t + each <= t1 + 1e-6 * each and self.step < self.plan:
            t += each
            self.step += 1
            if self.step % self.every and self.step != self.plan and each < 8:
                continue
            way = self.step / self.plan
            loss = self.floor + (self.start_loss - self.floor) * (1 + 60 * way) ** -0.8
            loss *= math.exp(rng.gauss(0, 0.011))
            took = each * rng.uniform(0.985, 1.02)
            lr = 3e-4 * min(1.0, (self.step + 1) / max(1, self.plan * 0.03)) * (0.55 + 0.45 * math.cos(math.pi * way))
            if self.style == "megatron":
                made.say(
                    t,
                    f" [{self.stamp(t)}] iteration {self.step:8d}/{self.plan:8d} | consumed samples: {self.step * 256:12d} | elapsed time per iteration (ms): {took * 1000:.1f} | learning rate: {lr:.6E} | global batch size:   256 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {rng.uniform(0.4, 0.9):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
                )
            elif self.style == "titan":
                made.say(
                    t,
                    f"[titan] {self.stamp(t)},{rng.randrange(1000):03d} - root - INFO - step: {self.step}  loss: {loss:8.5f}  grad_norm: {rng.uniform(0.4, 0.9):7.4f}  memory: {made.card.memory * 0.0007:.2f}GiB(71.80%)  tps: {16384 / took:,.0f}  tflops: {700 / took:,.2f}  mfu: {36 / took * self.step_s:.2f}%",
                )
            else:
                data = data_s * rng.uniform(0.9, 1.1) if data_s is not None else took * 0.013
                made.say(
                    t,
                    f"{self.stamp(t)} INFO step {self.step}/{self.plan} loss {loss:.4f} lr {lr:.2e} step_time {took:.3f}s data_time {data:.3f}s",
                )
            if data_s is not None and self.style != "own":
                made.say(
                    t,
                    f"{self.stamp(t)} INFO   of the last step {data_s * rng.uniform(0.9, 1.1):.2f} s were spent in next(loader)",
                )

    def saved(self, t: float, took: float) -> None:
        """A checkpoint."""
        where = f"/scratch/{self.made.user}/ckpt/step_{self.step:07d}"
        self.made.say(t, f"{self.stamp(t)} INFO saving checkpoint to {where}")
        self.made.say(t + took, f"{self.stamp(t + took)} INFO checkpoint {where} saved in {took:.1f} s")

    def tested(self, t: float, took: float) -> None:
        """An evaluation."""
        way = self.step / self.plan
        val = self.floor * 1.03 + (self.start_loss - self.floor) * (1 + 60 * way) ** -0.8
        self.made.say(t, f"{self.stamp(t)} INFO evaluating on 2048 batches")
        self.made.say(
            t + took, f"{self.stamp(t + took)} INFO evaluation at step {self.step}: loss {val:.4f}, took {took:.0f} s"
        )

    def goodbye(self, t: float) -> None:
        """The end that was planned."""
        self.made.say(t, f"{self.stamp(t)} INFO reached step {self.step} of {self.plan}, training finished")
        self.made.say(t + 4, f"{self.stamp(t + 4)} INFO exiting with code 0")

    def watchdog(self, t: float, silent: list[int], minutes: int) -> None:
        """The watchdogs of all ranks but the silent ones give up."""
        made, rng = self.made, self.made.rng
        work = self.step * 21 + rng.randrange(21)
        limit = minutes * 60000
        for rank in range(self.ranks):
            if rank in silent:
                continue
            at = made.local(t + rng.uniform(0, 0.9), made.hosts[rank // made.lot.gpus])
            head = f"[rank{rank}]:[E{at:%m%d %H:%M:%S}.{rng.randrange(10**9):09d} ProcessGroupNCCL.cpp:"
            made.say(
                t + 1,
                f"{head}632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=52428800, NumelOut=52428800, Timeout(ms)={limit}) ran for {limit + rng.randrange(3, 95)} milliseconds before timing out.",
            )
            made.say(
                t + 1,
                f"{head}2268] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {work} PG status: last enqueued work: {work + 3}, last completed work: {work - 1}",
            )
            made.say(
                t + 2, f"{head}698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down."
            )
        for rank in range(self.ranks):
            if rank not in silent:
                made.say(t + 4, f"srun: error: {made.hosts[rank // made.lot.gpus]}: task {rank}: Aborted (core dumped)")

    def cancelled(self, t: float, why: str = "", what: str = "JOB") -> None:
        """Slurm's word on its end."""
        made = self.made
        name = f"{made.job}" if what == "JOB" else f"{made.job}.0"
        made.say(
            t,
            f"slurmstepd: error: *** {what} {name} ON {made.hosts[0]} CANCELLED AT {made.local(t, made.hosts[0]):%Y-%m-%dT%H:%M:%S}{why} ***",
        )

    def raised(self, t: float, rank: int, frames: list[str], error: str) -> None:
        """A traceback of one rank."""
        mark = f"[rank{rank}]: " if self.ranks > 1 else ""
        for text in ["Traceback (most recent call last):", *frames, error]:
            self.made.say(t, mark + text)


def write(made: Lab, place: Path) -> None:
    """Write the job's log."""
    if made.lot.missing == "logs":
        return
    lines = sorted(made.log, key=lambda line: line[0])
    (place / f"slurm-{made.job}.out").write_text("\n".join(text for _, text in lines) + "\n")
