"""DQN for a picker in a warehouse; layouts come as files."""

import argparse
import json
import logging
import random
from collections import deque
from pathlib import Path

import numpy as np
import torch
from torch import nn

log = logging.getLogger("picker")


class Warehouse:  # noqa: D101
    MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))

    def __init__(self, layout: dict) -> None:
        self.size, self.goal, self.shelves = (
            layout["size"],
            tuple(layout["goal"]),
            {tuple(s) for s in layout["shelves"]},
        )

    def reset(self):  # noqa: ANN201
        self.at, self.clock = (0, 0), 0
        return self.see()

    def see(self):  # noqa: ANN201
        return np.array([*self.at, *self.goal, self.clock / 60, 1], dtype=np.float32) / self.size

    def step(self, action: int):  # noqa: ANN201
        self.clock += 1
        to = tuple(a + b for a, b in zip(self.at, self.MOVES[action], strict=True))
        if to in self.shelves or not all(0 <= c < self.size for c in to):
            return self.see(), -0.1, self.clock >= 60
        self.at = to
        there = self.at == self.goal
        return self.see(), 1.0 if there else -0.02, there or self.clock >= 60


def layouts(folder: Path):  # noqa: ANN201
    for file in sorted(folder.glob("*.json")):
        for attempt in range(3):
            try:
                yield json.loads(file.read_text())
                break
            except json.JSONDecodeError as error:
                log.exception("%s: %s (attempt %d of 3)", file.name, error, attempt + 1)  # noqa: TRY401
                backup = file.with_suffix(".bak")
                if backup.exists():
                    file.write_text(backup.read_text())
                    log.info("%s restored from its backup", file.name)


def make(folder: Path, n: int) -> None:
    folder.mkdir(exist_ok=True)
    for i in range(n):
        size = random.choice([5, 6, 7])
        shelves = [[random.randrange(1, size - 1), random.randrange(1, size - 1)] for _ in range(3)]
        text = json.dumps({"size": size, "goal": [size - 1, size - 1], "shelves": shelves})
        file = folder / f"hall_{i:03d}.json"
        file.write_text(text)
        if i == 17:
            file.with_suffix(".bak").write_text(text)
            file.write_text(text[:31])


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--frames", type=int, default=400_000)
    p.add_argument("--layouts", type=Path, default=Path("halls"))
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--gamma", type=float, default=0.97)
    p.add_argument("--eps-frames", type=int, default=150_000)
    p.add_argument("--log-every", type=int, default=4)
    a = p.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s | %(message)s")
    random.seed(4)
    torch.manual_seed(4)
    make(a.layouts, 48)
    q, target = (nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
                 for _ in range(2))  # fmt: skip
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), lr=5e-4)
    memory = deque(maxlen=50_000)
    frame, returns, losses = 0, deque(maxlen=50), deque(maxlen=200)
    log.info("training for %d frames, batch %d, exploration down to 0.05 at frame %d", a.frames, a.batch, a.eps_frames)
    for episode, layout in enumerate(layouts(a.layouts), 1):
        env = Warehouse(layout)
        state, done, total = env.reset(), False, 0.0
        while not done and frame < a.frames:
            eps = max(0.05, 1 - frame / a.eps_frames)
            with torch.no_grad():
                action = random.randrange(4) if random.random() < eps else int(q(torch.from_numpy(state)).argmax())
            after, reward, done = env.step(action)
            memory.append((state, action, reward, after, float(done)))
            state, total, frame = after, total + reward, frame + 1
            if len(memory) >= 500:
                s, b, r, n, d = (
                    torch.as_tensor(np.array(c)) for c in zip(*random.sample(memory, a.batch), strict=True)
                )
                with torch.no_grad():
                    want = r.float() + a.gamma * (1 - d.float()) * target(n).max(1).values
                loss = nn.functional.smooth_l1_loss(q(s).gather(1, b[:, None]).squeeze(1), want)
                opt.zero_grad()
                loss.backward()
                opt.step()
                losses.append(loss.item())
                if frame % 500 == 0:
                    target.load_state_dict(q.state_dict())
        returns.append(total)
        if episode % a.log_every == 0:
            mean = sum(losses) / len(losses) if losses else float("nan")
            log.info("episode %d frame %d/%d eps %.3f return(50) %.3f td loss %s", episode, frame, a.frames, eps,
                     sum(returns) / len(returns), f"{mean:.5f}" if losses else "-")  # fmt: skip
    torch.save(q.state_dict(), "picker.pt")
    log.info("episode %d frame %d eps %.3f: weights written to picker.pt", episode, frame, eps)


if __name__ == "__main__":
    main()
