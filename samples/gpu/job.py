"""One small training job on one GPU, and what is done to it: needs torch and nothing else.

    python samples/gpu/job.py NAME [--device cuda] [--steps N] [--work DIR] [--timings FILE]

It prints what training jobs print. ``--device cpu`` runs the same code where there is no GPU, to try it.
"""

from __future__ import annotations

import argparse
import signal
import time
from pathlib import Path

import torch

REPORT_EVERY = 10


class Job:
    """A network that learns a fixed function of random input; one method for each thing that can be done to it."""

    def __init__(self, device: str, width: int, work: Path) -> None:
        torch.manual_seed(7)
        self.device, self.width, self.work = device, width, work
        layers = [layer for _ in range(4) for layer in (torch.nn.Linear(width, width), torch.nn.GELU())]
        self.model = torch.nn.Sequential(*layers, torch.nn.Linear(width, 1)).to(device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.truth = torch.randn(width, 1, device=device) / width**0.5
        self.timings: list[float] = []

    def step(self, number: int, steps: int) -> float:
        """One step of training, timed, with the line that training jobs print of it."""
        began = time.perf_counter()
        data = torch.randn(1024 if self.device == "cuda" else 16, self.width, device=self.device)
        loss = torch.nn.functional.mse_loss(self.model(data), data @ self.truth)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        value = loss.item()  # waits for the GPU, as jobs that print their loss do
        self.timings.append(time.perf_counter() - began)
        if number % REPORT_EVERY == 0 or number == steps:
            print(f"step {number}/{steps} loss {value:.4f} lr {self.optimizer.param_groups[0]['lr']:g}", flush=True)
        return value

    def healthy(self, steps: int) -> None:
        """Learn, save, end."""
        for number in range(1, steps + 1):
            self.step(number, steps)
        torch.save(self.model.state_dict(), self.work / "final.pt")
        print(f"saved {self.work / 'final.pt'}\ntraining finished after {steps} steps", flush=True)

    launch_blocking = healthy
    """The same; CUDA_LAUNCH_BLOCKING=1 stands in its environment."""

    def out_of_memory(self, steps: int) -> None:
        """From the middle on, keep another eighth of the memory at each step."""
        room = torch.cuda.mem_get_info()[1] if self.device == "cuda" else 1 << 60
        held = []
        for number in range(1, steps + 1):
            self.step(number, steps)
            if number > steps // 2:
                held.append(torch.zeros(room // 8, dtype=torch.uint8, device=self.device))

    def starved_input(self, steps: int) -> None:
        """Wait seconds for the input of each fifth step."""
        for number in range(1, steps + 1):
            if number % 5 == 0:
                time.sleep(3.0 if self.device == "cuda" else 0.01)  # a read that does not come
            self.step(number, steps)

    def save_storm(self, steps: int) -> None:
        """Save a gigabyte at every step."""
        ballast = torch.zeros(1 << (30 if self.device == "cuda" else 10), dtype=torch.uint8, device=self.device)
        for number in range(1, steps + 1):
            self.step(number, steps)
            torch.save({"model": self.model.state_dict(), "ballast": ballast}, self.work / "step.pt")
            print(f"saved checkpoint step {number} to {self.work / 'step.pt'}", flush=True)

    def idle_hang(self, steps: int) -> None:
        """Wait in the middle for what never comes."""
        for number in range(1, steps // 2 + 1):
            self.step(number, steps)
        signal.pause()  # memory stays resident, nothing is launched any more

    def nan(self, steps: int) -> None:
        """Blow the weights up in the middle, and go on."""
        for number in range(1, steps + 1):
            if number == steps // 2:
                with torch.no_grad():
                    next(self.model.parameters()).mul_(1e30)
            self.step(number, steps)


def main() -> None:
    """Run one."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [name for name in vars(Job) if not name.startswith("_") and name != "step"]
    parser.add_argument("name", choices=names)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--work", type=Path, default=Path())
    parser.add_argument("--timings", type=Path, help="where to write the seconds of each step, one a line")
    args = parser.parse_args()
    job = Job(args.device, 2048 if args.device == "cuda" else 16, args.work)
    print(f"torch {torch.__version__} on {args.device}, {args.steps} steps", flush=True)
    getattr(job, args.name)(args.steps)
    if args.timings:
        args.timings.write_text("".join(f"{seconds:.6f}\n" for seconds in job.timings))


if __name__ == "__main__":
    main()
