"""Lichens on photographs of bark: what kind, how much of the bark, how old; three heads, one process."""

import argparse
import faulthandler
import queue
import resource
import sys
import threading
import time

import torch
from torch import nn
from tqdm import tqdm


class Bark:
    """Photographs, made up, with three answers each."""

    def __init__(self, seed: int) -> None:
        self.g = torch.Generator().manual_seed(seed)

    def batch(self, n: int) -> tuple[torch.Tensor, ...]:
        kind = torch.randint(6, (n,), generator=self.g)
        cover = torch.rand(n, generator=self.g)
        age = torch.rand(n, generator=self.g) * cover
        x = torch.randn(n, 3, 32, 32, generator=self.g)
        x[:, 0] += kind[:, None, None] * 0.3
        x[:, 1] += cover[:, None, None] * 2
        x[:, 2, :16] += age[:, None, None] * 3
        return x, kind, cover, age


class Archive:
    """Worst photographs of a while, for people to look at; a thread writes them out, newest first."""

    def __init__(self) -> None:
        self.lock, self.index = threading.Lock(), threading.Lock()
        self.todo: queue.Queue = queue.Queue()
        self.seen: dict[int, float] = {}
        threading.Thread(target=self._write, name="archive", daemon=True).start()

    def offer(self, step: int, loss: float) -> None:
        with self.index:
            if len(self.seen) > 1500:
                self._trim()
            self.seen[step] = loss
        self.todo.put(step)

    def _trim(self) -> None:
        time.sleep(0.02)  # the index file is on a share
        with self.lock:
            for step in sorted(self.seen, key=self.seen.get)[:700]:
                del self.seen[step]

    def _write(self) -> None:
        while True:
            step = self.todo.get()
            with self.lock:
                time.sleep(0.004)
                with self.index:
                    self.seen[step] = self.seen.get(step, 0.0)


def watch(state: dict) -> None:
    """Say so when no step ends for a while."""
    while True:
        time.sleep(10)
        quiet = time.time() - state["last"]
        if quiet > 10:
            use = resource.getrusage(resource.RUSAGE_SELF)
            print(
                f"\n[watch] {time.strftime('%H:%M:%S')} step {state['step']} was {quiet:.0f} s ago, "
                f"cpu {use.ru_utime + use.ru_stime:.1f} s in all, rss peak {use.ru_maxrss / 1024:.0f} MB",
                flush=True,
            )


def main() -> None:
    """Train."""
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=20000)
    p.add_argument("--batch", type=int, default=32)
    a = p.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    data, archive = Bark(2), Archive()
    body = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(), nn.Flatten())
    heads = nn.ModuleDict({"kind": nn.Linear(1568, 6), "cover": nn.Linear(1568, 1), "age": nn.Linear(1568, 1)})
    optim = torch.optim.AdamW([*body.parameters(), *heads.parameters()], lr=1e-4)
    state = {"last": time.time(), "step": 0}
    threading.Thread(target=watch, args=(state,), name="watch", daemon=True).start()
    print(
        f"lichen: {a.steps} steps of {a.batch}, heads {', '.join(heads)}, python {sys.version.split()[0]}", flush=True
    )
    bar = tqdm(total=a.steps, mininterval=1.0, ncols=110, unit="step")
    for step in range(1, a.steps + 1):
        x, kind, cover, age = data.batch(a.batch)
        h = body(x)
        l_kind = nn.functional.cross_entropy(heads["kind"](h), kind)
        l_cover = nn.functional.mse_loss(heads["cover"](h).squeeze(1), cover)
        l_age = nn.functional.smooth_l1_loss(heads["age"](h).squeeze(1), age)
        loss = l_kind + 2 * l_cover + l_age
        optim.zero_grad()
        loss.backward()
        optim.step()
        archive.offer(step, loss.item())
        state.update(last=time.time(), step=step)
        faulthandler.dump_traceback_later(20, repeat=True)
        bar.set_postfix(
            kind=f"{l_kind.item():.3f}", cover=f"{l_cover.item():.4f}", age=f"{l_age.item():.4f}", refresh=False
        )
        bar.update()
    bar.close()
    torch.save({"body": body.state_dict(), "heads": heads.state_dict()}, "lichen.pt")
    print("done, weights in lichen.pt")


if __name__ == "__main__":
    main()
