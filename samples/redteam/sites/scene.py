"""A job's story as lines of its ranks, and the folder that is left of it. SIMULATED."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..field.talk import SPEAKERS, Plain, Speaker, Step, wall

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable
    from pathlib import Path


@dataclass
class Truth:
    """What is right, written down with the incident; ``also`` names answers that are right too."""

    family: str | None
    outcome: str = "decided"
    also: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    why: str = ""


def undecidable(why: str, *also: str) -> Truth:
    return Truth(None, "cannot_decide", list(also), why=why)


def outside(why: str, *also: str) -> Truth:
    return Truth(None, "outside_families", list(also), why=why)


_DAY = datetime(2025, 11, 20, tzinfo=UTC)


class Fairseq(Plain):
    """fairseq's simple format."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [
            f"{wall(t, zone):%Y-%m-%d %H:%M:%S} | INFO | fairseq_cli.train | training on {world} devices (GPUs/TPUs)"
        ]

    def step(self, s: Step, zone: int) -> list[str]:
        loss = float("nan") if s.loss is None else s.loss
        return [
            f"{wall(s.t, zone):%Y-%m-%d %H:%M:%S} | INFO | train_inner | epoch 001: {s.n:6d} / {s.total} loss={loss:.3f},"
            f" ppl={2 ** min(loss, 20) if loss == loss else loss:.2f}, wps=41233.1, ups={1 / s.took_s:.2f}, wpb=65536,"
            f" bsz=128, num_updates={s.n}, lr={s.lr:.6g}, gnorm={s.grad:.3f}, loss_scale=8, train_wall={s.took_s * 10:.0f},"
            f" gb_free=11.2, wall={s.t - s.since:.0f}"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [
            f"{wall(t, zone):%Y-%m-%d %H:%M:%S} | INFO | fairseq.checkpoint_utils | Saved checkpoint ckpt/checkpoint_1_{n}.pt"
            f" (epoch 1 @ {n} updates, score None) (writing took 9.12 seconds)"
        ]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [f"{wall(t, zone):%Y-%m-%d %H:%M:%S} | INFO | fairseq_cli.train | done training in 3127.4 seconds"]


class Paddle(Plain):
    """PaddleNLP's and PaddleClas' manner."""

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [f"LAUNCH INFO {wall(t, zone):%Y-%m-%d %H:%M:%S},101 Run Pod: qxgrpd, replicas {world}, status ready"]

    def step(self, s: Step, zone: int) -> list[str]:
        loss = float("nan") if s.loss is None else s.loss
        return [
            f"[{wall(s.t, zone):%Y-%m-%d %H:%M:%S},412] [    INFO] - global step {s.n}, epoch: 0, batch: {s.n}, loss: {loss:.9f},"
            f" avg_reader_cost: 0.00041 sec, avg_batch_cost: {s.took_s:.5f} sec, avg_samples: 8.00000, ips: {8 / s.took_s:.5f}"
            f" sequences/sec, learning rate: {s.lr:.5e}"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [f"[{wall(t, zone):%Y-%m-%d %H:%M:%S},873] [    INFO] - Saving checkpoint to ./output/model_{n}"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [f"[{wall(t, zone):%Y-%m-%d %H:%M:%S},003] [    INFO] - The training process is complete."]


class Levanter(Plain):
    """A JAX loop with absl's logging."""

    def _w(self, t: float, zone: int) -> str:
        return f"I{wall(t, zone):%m%d %H:%M:%S.%f} 140231 "

    def head(self, t: float, zone: int, world: int, total: int) -> list[str]:
        return [self._w(t, zone) + f"train.py:88] devices: {world} x gpu, num_train_steps={total}"]

    def step(self, s: Step, zone: int) -> list[str]:
        loss = float("nan") if s.loss is None else s.loss
        return [
            self._w(s.t, zone)
            + f"train.py:141] [step {s.n}/{s.total}] loss={loss:.5f}, steps_per_sec={1 / s.took_s:.4f}"
        ]

    def save(self, t: float, zone: int, n: int) -> list[str]:
        return [self._w(t, zone) + f"checkpoint.py:301] Saved checkpoint for step {n} to gs://runs/a/{n}"]

    def end(self, t: float, zone: int, n: int) -> list[str]:
        return [self._w(t, zone) + f"train.py:160] Training finished at step {n}."]


ALL: dict[str, Speaker] = {**SPEAKERS, "fairseq": Fairseq(), "paddle": Paddle(), "levanter": Levanter()}
CLOCKED = ("plain", "megatron", "mmengine", "titan", "fairseq", "paddle", "levanter")
"""Those that print a clock, and so can be judged without a wrapper's."""


class Scene:
    """Builder of one incident; ``t`` counts seconds of epoch."""

    def __init__(
        self,
        name: str,
        rng: random.Random,
        *,
        speaker: str | None = None,
        nodes: int = 2,
        gpus: int = 4,
        wrap: str = "bare",
    ) -> None:
        self.name, self.rng, self.wrap = name, rng, wrap
        self.n, self.g = nodes, gpus
        self.framework = speaker or rng.choice(CLOCKED)
        self.speaker = ALL[self.framework]
        self.start = self.t = 86400 * rng.randint(20336, 20410) + rng.uniform(8, 13) * 3600  # no run passes midnight
        self.job = rng.randint(1000, 999_999)
        tail = "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5))
        self.run = f"{rng.choice(['llama-sft', 'vit-l', 'gpt-neo', 'asr', 'ranker'])}-{tail}"
        self.nodes = [
            {
                0: f"ip-10-2-{rng.randint(1, 250)}-{rng.randint(4, 250)}",
                1: f"gke-a3-pool-{tail}-{k}",
                2: f"worker{k + 11}",
            }[rng.randint(0, 2)]
            for k in range(nodes)
        ]
        self.namespace = rng.choice(["ml", "team-nlp", "research"])
        self.container = rng.choice(["pytorch", "trainer", "main"])
        self.uids = [self._uid() for _ in range(nodes + 1)]
        self.step_s = rng.uniform(0.7, 4.0)
        self.every = rng.choice([5, 10, 10, 20])
        self.done, self.total = 0, 0
        self.first, self.last = rng.uniform(3, 10), rng.uniform(0.8, 2.2)
        self.curve: Callable[[int], float | None] = self.falling
        self.lines: list[tuple[float, int | None, str]] = []
        self.files: dict[str, str] = {}

    def _uid(self) -> str:
        h = f"{self.rng.getrandbits(128):032x}"
        return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    @property
    def world(self) -> int:
        return self.n * self.g

    def pod(self, node: int) -> str:
        return f"{self.run}-worker-{node}"

    def node_of(self, rank: int | None) -> int:
        return 0 if rank is None else rank // self.g

    def falling(self, n: int) -> float:
        share = (1 + n / (0.06 * max(self.total, 60))) ** -0.8
        return (self.last + (self.first - self.last) * share) * (1 + self.rng.gauss(0, 0.012))

    # --- what happens -------------------------------------------------------------------------------------------
    def say(self, text: str, rank: int | None = None, after: float = 0.01) -> None:
        self.t += after
        self.lines.extend((self.t, rank, line) for line in self.dated(text).split("\n"))

    def dated(self, text: str) -> str:
        """``text`` written for a run of 20 November 2025, 10:03 to 11:12, with this run's own times."""
        begun, now = (datetime.fromtimestamp(t, UTC) for t in (self.start, self.t))
        for form in (
            "%a, %d %b %Y",
            "%Y-%m-%d",
            "%a %b %d",
            "%m/%d ",
            "%m-%d ",
            "I%m%d ",
            "E%m%d ",
            "W%m%d ",
            "F%m%d ",
        ):
            text = text.replace(_DAY.strftime(form), now.strftime(form))
        text = re.sub(r"\b10:03:(?=\d\d)", begun.strftime("%H:%M:"), text)
        return re.sub(r"\b11:1[23]:(?=\d\d)", now.strftime("%H:%M:"), text)

    def begin(self, total: int) -> None:
        self.total = total
        self.t += self.rng.uniform(6, 40)
        for line in self.speaker.head(self.t, 0, self.world, total):
            self.say(line)
        self.t += self.rng.uniform(5, 50)

    def train(self, steps: int, data_s: float = 0.0) -> None:
        for _ in range(steps):
            took = self.step_s * max(0.9, self.rng.gauss(1, 0.02)) + data_s
            self.t += took
            self.done += 1
            if self.done % self.every == 0:
                grad = math.exp(self.rng.gauss(0, 0.25)) * 0.8
                lr = 3e-4 * max(0.05, 1 - self.done / max(self.total, 1))
                step = Step(self.t, self.done, self.total, took, data_s, self.curve(self.done), grad, lr, self.start)
                for line in self.speaker.step(step, 0):
                    self.say(line)

    def save(self) -> None:
        self.t += self.rng.uniform(4, 30)
        for line in self.speaker.save(self.t, 0, self.done):
            self.say(line)

    def under_way(self, share: float = 0.4) -> None:
        """Start and train for a part of the plan, with a checkpoint."""
        self.begin(self.every * self.rng.randint(60, 120))
        self.train(int(self.total * share * 0.6))
        self.save()
        self.train(int(self.total * share * 0.4))

    def whole(self) -> None:
        """A run to its planned end."""
        self.begin(self.every * self.rng.randint(40, 80))
        self.train(self.total // 2)
        self.save()
        self.train(self.total - self.done)
        self.save()
        for line in self.speaker.end(self.t, 0, self.done):
            self.say(line)

    def trace(
        self, error: str, ranks: Iterable[int] = (0,), frames: list[tuple[str, int, str, str]] | None = None
    ) -> None:
        frames = frames or [
            ("/workspace/train.py", 311, "<module>", "main()"),
            ("/workspace/train.py", 204, "main", "loss = step(batch)"),
        ]
        for r in ranks:
            p = f"[rank{r}]: " if self.world > 1 and self.wrap not in ("mpi", "sagemaker", "determined") else ""
            text = [f"{p}Traceback (most recent call last):"]
            for file, line, function, code in frames:
                text += [f'{p}  File "{file}", line {line}, in {function}', f"{p}    {code}"]
            self.say("\n".join([*text, *(p + line for line in error.split("\n"))]), r)

    def iso(self, t: float | None = None) -> str:
        return f"{datetime.fromtimestamp(self.t if t is None else t, UTC):%Y-%m-%dT%H:%M:%SZ}"

    # --- the folder ---------------------------------------------------------------------------------------------
    def write(self, parent: Path) -> None:
        from .wraps import WRAPS

        base = parent / self.name
        base.mkdir(parents=True)
        files = dict(WRAPS[self.wrap](self)) if self.lines else {}
        beside = {name: text if name.endswith("csv") else self.dated(text) for name, text in self.files.items()}
        for name, text in {**files, **beside}.items():
            path = base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


def truth_json(scene: Scene, truth: Truth) -> dict[str, object]:
    """What the scorer reads."""
    return {
        "name": scene.name,
        "twin": "",
        "framework": scene.framework,
        "family": truth.family,
        "outcome": truth.outcome,
        "also": truth.also,
        "nodes": truth.nodes,
        "gpus": [],
        "ranks": truth.ranks,
        "why": truth.why,
    }
