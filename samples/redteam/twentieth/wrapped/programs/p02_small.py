"""A smaller keyword spotter from a larger one: logits from the start, hidden layers after the warm-up."""

import argparse
import time

import torch
import torch.nn.functional as F
from torch import nn


class Spotter(nn.Module):
    """Convolutions over mel frames."""

    def __init__(self, width: int, blocks: int, words: int = 12) -> None:
        super().__init__()
        self.first = nn.Conv1d(40, width, 5, padding=2)
        self.blocks = nn.ModuleList(nn.Conv1d(width, width, 3, padding=1) for _ in range(blocks))
        self.head = nn.Linear(width, words)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        x, hidden = self.first(x).relu(), []
        for block in self.blocks:
            x = x + block(x).relu()
            hidden.append(x)
        return self.head(x.mean(2)), hidden


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--teacher-width", type=int, default=96)
    p.add_argument("--student-width", type=int, default=40)
    p.add_argument("--steps", type=int, default=3000)
    p.add_argument("--warmup", type=int, default=400)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--alpha", type=float, default=0.7)
    p.add_argument("--beta", type=float, default=0.1, help="weight of the hidden layers")
    args = p.parse_args()
    torch.manual_seed(17)
    shapes = torch.randn(12, 40, 1)

    def clips(n: int) -> tuple[torch.Tensor, torch.Tensor]:
        y = torch.randint(0, 12, (n,))
        return 0.5 * shapes[y] + 1.8 * torch.randn(n, 40, 32), y

    teacher, student = Spotter(args.teacher_width, 3), Spotter(args.student_width, 3)
    opt = torch.optim.Adam(teacher.parameters(), 1e-3)
    t0 = time.time()
    for _ in range(250):
        x, y = clips(64)
        loss = F.cross_entropy(teacher(x)[0], y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"teacher ready after {time.time() - t0:.1f}s, cross entropy {loss.item():.3f}", flush=True)
    teacher.eval().requires_grad_(requires_grad=False)
    opt = torch.optim.SGD(student.parameters(), args.lr)
    plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / args.warmup) ** 3)
    print("student", sum(q.numel() for q in student.parameters()), "weights;", vars(args), flush=True)
    for step in range(args.steps):
        x, y = clips(64)
        logits, hidden = student(x)
        with torch.no_grad():
            soft, deep = teacher(x)
        kd = F.kl_div(F.log_softmax(logits / 2, 1), F.softmax(soft / 2, 1), reduction="batchmean") * 4
        loss = args.alpha * kd + (1 - args.alpha) * F.cross_entropy(logits, y)
        if step >= args.warmup:
            loss = loss + args.beta * sum(F.mse_loss(a, b) for a, b in zip(hidden, deep, strict=True))
        opt.zero_grad()
        loss.backward()
        opt.step()
        plan.step()
        if step % 25 == 0:
            acc = (logits.argmax(1) == y).float().mean().item()
            print(f"[{step:5d}/{args.steps}] loss {loss.item():.4f} acc {acc:.2f} lr {opt.param_groups[0]['lr']:.2e}")


if __name__ == "__main__":
    main()
