"""Raman spectrum and powder pattern of the same mineral, brought together by two encoders and a bank of negatives."""

import argparse
import json
import os
import threading
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

OUT = threading.Lock()


def emit(event: str, **kv: object) -> None:
    row = {
        "ts": round(time.time(), 3),
        "event": event,
        **{k: round(v, 5) if isinstance(v, float) else v for k, v in kv.items()},
    }
    with OUT:
        print(json.dumps(row), flush=True)


class Spectra:
    """Made minerals: a latent decides peaks in both views."""

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        z = rng.normal(size=(n, 12))
        x = np.linspace(0, 1, 256)
        self.raman, self.xrd = (self._view(rng, z, x, w) for w in (0.012, 0.006))

    @staticmethod
    def _view(rng: np.random.Generator, z: np.ndarray, x: np.ndarray, width: float) -> torch.Tensor:
        pos = 1 / (1 + np.exp(-(z @ rng.normal(size=(12, 9)) * 0.5)))
        amp = np.exp(0.5 * (z @ rng.normal(size=(12, 9)) * 0.4))
        y = np.zeros((len(z), 256), dtype=np.float32)
        for k in range(9):
            y += (amp[:, k : k + 1] * np.exp(-((x[None] - pos[:, k : k + 1]) ** 2) / (2 * width**2))).astype(np.float32)
        y += rng.normal(0, 0.05, y.shape).astype(np.float32)
        return torch.from_numpy(y / y.max(1, keepdims=True))


def encoder(dim: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Unflatten(1, (1, 256)),
        nn.Conv1d(1, 24, 7, 2, 3),
        nn.GELU(),
        nn.Conv1d(24, 48, 5, 2, 2),
        nn.GELU(),
        nn.Conv1d(48, 64, 5, 2, 2),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(64 * 32, dim),
    )


class Bank:
    """Embeddings of the whole set, refreshed beside the training, to draw negatives from."""

    def __init__(self, trainer: "Trainer", every: float) -> None:
        self.trainer, self.every, self.lock = trainer, every, threading.Lock()
        self.emb, self.age = torch.zeros(0), 0
        threading.Thread(target=self._loop, daemon=True, name="bank").start()

    def _loop(self) -> None:
        while True:
            time.sleep(self.every)
            self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        with self.lock:
            parts = [F.normalize(self.trainer.b(x), dim=1) for x in self.trainer.data.xrd[:640].split(128)]
            self.emb = torch.cat(parts)
            with self.trainer.stats_lock:
                self.trainer.stats["bank_refreshes"] += 1
                self.age = self.trainer.step

    def snapshot(self) -> torch.Tensor:
        return self.emb

    def state(self) -> dict[str, object]:
        with self.lock:
            return {"bank_size": len(self.emb), "bank_age": self.trainer.step - self.age}


class Trainer:  # noqa: D101
    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.step = args, 0
        self.data = Spectra(args.items, args.seed)
        self.a, self.b = encoder(args.dim), encoder(args.dim)
        self.logit = nn.Parameter(torch.tensor(2.3))
        self.opt = torch.optim.AdamW([*self.a.parameters(), *self.b.parameters(), self.logit], lr=args.lr)
        self.stats_lock, self.stats = threading.Lock(), {"loss": 0.0, "hit": 0.0, "n": 0, "bank_refreshes": 0}
        self.bank = Bank(self, args.refresh)

    def train(self) -> None:
        gen = torch.Generator().manual_seed(self.args.seed)
        for self.step in range(1, self.args.steps + 1):  # noqa: B020
            pick = torch.randint(0, self.args.items, (self.args.batch,), generator=gen)
            u, v = F.normalize(self.a(self.data.raman[pick]), dim=1), F.normalize(self.b(self.data.xrd[pick]), dim=1)
            far = self.bank.snapshot()
            logits = self.logit.exp().clamp(max=100) * torch.cat(
                [u @ v.T, u @ far[torch.randint(0, max(len(far), 1), (128,))].T] if len(far) else [u @ v.T], dim=1
            )
            target = torch.arange(len(pick))
            loss = F.cross_entropy(logits, target)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            with self.stats_lock:
                self.stats["loss"] += loss.item()
                self.stats["hit"] += (logits.argmax(1) == target).float().mean().item()
                self.stats["n"] += 1
            if self.step % self.args.log_every == 0:
                self.report()

    def report(self) -> None:
        with self.stats_lock:
            n = max(self.stats["n"], 1)
            emit(
                "train",
                step=self.step,
                loss=self.stats["loss"] / n,
                top1=self.stats["hit"] / n,
                tau=float(1 / self.logit.exp()),
                refreshes=self.stats["bank_refreshes"],
                **self.bank.state(),
            )
            self.stats.update(loss=0.0, hit=0.0, n=0)


def watch(trainer: Trainer, every: float) -> None:
    page, cpu = os.sysconf("SC_PAGE_SIZE"), time.process_time()
    while True:
        time.sleep(every)
        with open("/proc/self/statm") as f:
            rss = int(f.read().split()[1]) * page / 2**20
        now = time.process_time()
        emit(
            "sys",
            step=trainer.step,
            rss_mb=round(rss),
            cpu_pct=round(100 * (now - cpu) / every),
            threads=threading.active_count(),
        )
        cpu = now


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=6000)
    ap.add_argument("--items", type=int, default=6000)
    ap.add_argument("--batch", type=int, default=96)
    ap.add_argument("--dim", type=int, default=96)
    ap.add_argument("--lr", type=float, default=6e-4)
    ap.add_argument("--seed", type=int, default=int(time.time()) % 1000)
    ap.add_argument("--log-every", type=int, default=25)
    ap.add_argument("--refresh", type=float, default=5.0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    emit("config", **vars(args))
    trainer = Trainer(args)
    emit(
        "data",
        items=args.items,
        channels=256,
        params=sum(p.numel() for p in [*trainer.a.parameters(), *trainer.b.parameters()]),
    )
    threading.Thread(target=watch, args=(trainer, 10.0), daemon=True, name="watch").start()
    trainer.train()
    emit("done", step=trainer.step)


if __name__ == "__main__":
    main()
