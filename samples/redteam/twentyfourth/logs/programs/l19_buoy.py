"""Charging of a wave energy buoy: DQN by hand, with a replay buffer that a thread sorts in the background."""

import os
import random
import threading
import time
from collections import deque

import numpy as np
import torch
from torch import nn


def tell(text: str) -> None:
    print(time.strftime("%Y-%m-%d %H:%M:%S"), f"[dqn {os.getpid()}]", text, flush=True)


class Buoy:
    """Waves come in sets; the battery ages when full; the beacon must never go dark."""

    def reset(self) -> np.ndarray:
        self.t, self.charge, self.phase = 0, 0.5, random.random() * 6.28
        return self.state()

    def state(self) -> np.ndarray:
        wave = np.sin(self.t / 9 + self.phase) + 0.3 * np.sin(self.t / 2)
        return np.array([self.charge, wave, np.cos(self.t / 9 + self.phase), self.t / 200], np.float32)

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        wave = max(0.0, float(self.state()[1]) + 0.1 * random.gauss(0, 1))
        gain = (0.0, 0.03, 0.07)[action] * wave - (0.0, 0.004, 0.02)[action]
        self.charge = min(1.0, max(0.0, self.charge + gain - 0.012))
        self.t += 1
        reward = 1.0 - abs(self.charge - 0.7) - (2.0 if self.charge == 0 else 0.0)
        return self.state(), reward, self.t >= 200 or self.charge == 0


class Replay:
    """Ring of transitions; old ones are packed by a thread now and then."""

    def __init__(self, size: int) -> None:
        self.ring: deque = deque(maxlen=size)
        self.packed: list[tuple] = []
        self.ring_lock, self.pack_lock = threading.Lock(), threading.Lock()
        threading.Thread(target=self.keep_packing, daemon=True).start()

    def add(self, item: tuple) -> None:
        with self.ring_lock:
            self.ring.append(item)

    def sample(self, n: int) -> list[tuple]:
        with self.ring_lock:
            recent = random.sample(self.ring, n - n // 4)
            with self.pack_lock:
                old = random.choices(self.packed or recent, k=n // 4)
        return recent + old

    def keep_packing(self) -> None:
        while True:
            time.sleep(0.5)
            with self.pack_lock:
                if len(self.ring) < 5_000:
                    continue
                best = sorted([*self.packed, *self.ring], key=lambda i: abs(i[2] - i[0][0]), reverse=True)[:2000]
                with self.ring_lock:
                    self.packed = best + [self.ring.popleft() for _ in range(1000)]


def main() -> None:
    random.seed(12)
    torch.manual_seed(12)
    env, replay = Buoy(), Replay(20_000)
    q, target = (
        nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3)) for _ in "ab"
    )
    target.load_state_dict(q.state_dict())
    opt = torch.optim.Adam(q.parameters(), 5e-4)
    tell("buoy, 400 episodes, gamma 0.98, batch 64, replay 20000")
    steps, returns, losses = 0, deque(maxlen=10), deque(maxlen=200)
    for episode in range(1, 401):
        s, done, total = env.reset(), False, 0.0
        eps = max(0.05, 1 - steps / 6000)
        while not done:
            with torch.no_grad():
                a = random.randrange(3) if random.random() < eps else int(q(torch.from_numpy(s)).argmax())
            s2, r, done = env.step(a)
            replay.add((s, a, r, s2, done))
            s, total, steps = s2, total + r, steps + 1
            if steps > 500:
                b = replay.sample(64)
                bs, b2 = (torch.from_numpy(np.stack([i[k] for i in b])) for k in (0, 3))
                ba = torch.tensor([i[1] for i in b])
                br = torch.tensor([i[2] for i in b])
                go = 1 - torch.tensor([i[4] for i in b], dtype=torch.float32)
                with torch.no_grad():
                    goal = br + 0.98 * go * target(b2).max(1).values
                loss = nn.functional.smooth_l1_loss(q(bs)[range(64), ba], goal)
                opt.zero_grad()
                loss.backward()
                opt.step()
                losses.append(loss.item())
                if steps % 300 == 0:
                    target.load_state_dict(q.state_dict())
        returns.append(total)
        if episode % 2 == 0:
            mean = np.mean(losses) if losses else float("nan")
            tell(f"episode {episode} steps {steps} eps {eps:.2f} return {np.mean(returns):.1f} loss {mean:.4f}")
    torch.save(q.state_dict(), "buoy.pt")
    tell("training finished, buoy.pt written")


if __name__ == "__main__":
    main()
