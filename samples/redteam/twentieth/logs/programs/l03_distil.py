"""A small student learns the answers of a larger teacher; these are kept on disk, one file per chunk and epoch."""

import argparse
import pickle
import time
import warnings
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

warnings.simplefilter("always")


def net(width: int, depth: int) -> nn.Sequential:
    layers: list[nn.Module] = [nn.Linear(40, width), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 20))


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--scratch", type=Path, default=Path("scratch"))
    p.add_argument("--epochs", type=int, default=25)
    p.add_argument("--chunks", type=int, default=12)
    p.add_argument("--tau", type=float, default=2.0)
    args = p.parse_args()
    torch.manual_seed(5)
    print(args)
    rng = np.random.default_rng(5)
    centres = rng.normal(size=(20, 40)).astype(np.float32)
    teacher, student = net(256, 3), net(48, 1)
    print("teacher", sum(q.numel() for q in teacher.parameters()), "weights, student", end=" ")
    print(sum(q.numel() for q in student.parameters()))

    def chunk(size: int) -> tuple[torch.Tensor, torch.Tensor]:
        y = rng.integers(0, 20, size)
        return torch.from_numpy(centres[y] + rng.normal(0, 1.6, (size, 40)).astype(np.float32)), torch.from_numpy(y)

    opt = torch.optim.Adam(teacher.parameters(), 1e-3)
    for step in range(300):
        x, y = chunk(128)
        loss = F.cross_entropy(teacher(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 99:
            print(f"teacher step {step + 1} ce {loss.item():.3f}")
    opt = torch.optim.Adam(student.parameters(), 1e-3)
    for epoch in range(1, args.epochs + 1):
        t0, total, right = time.time(), 0.0, 0.0
        for c in range(args.chunks):
            x, y = chunk(2048)
            with torch.no_grad():
                soft = teacher(x)
            with (args.scratch / f"soft_{epoch:03d}_{c:02d}.pkl").open("wb") as f:
                pickle.dump({"x": x.numpy(), "soft": soft.numpy(), "y": y.numpy()}, f)
            for a, s, b in zip(x.split(128), soft.split(128), y.split(128), strict=True):
                out = student(a)
                kd = F.kl_div(F.log_softmax(out / args.tau, 1), F.softmax(s / args.tau, 1), reduction="mean")
                loss = 20 * args.tau**2 * kd + 0.3 * F.cross_entropy(out, b)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += loss.item()
                right += (out.argmax(1) == b).float().mean().item()
        n = args.chunks * 16
        print(f"epoch {epoch:3d}  kd+ce {total / n:.4f}  acc {right / n:.3f}  {time.time() - t0:.1f}s", flush=True)
    torch.save(student.state_dict(), args.scratch / "student.pt")
    print("done")


if __name__ == "__main__":
    main()
