"""Distil nothing yet: train the student alone, with the weights averaged for later."""

import copy

import torch
from torch import nn


def main() -> None:
    torch.manual_seed(1)
    centres = torch.randn(8, 24) * 1.5
    student = nn.Sequential(nn.Linear(24, 64), nn.SiLU(), nn.Linear(64, 8))
    average = copy.deepcopy(student)
    optimizer = torch.optim.AdamW(average.parameters(), lr=1e-3)
    total = 1200
    for step in range(1, total + 1):
        y = torch.randint(0, 8, (128,))
        loss = nn.functional.cross_entropy(student(centres[y] + torch.randn(128, 24)), y)
        student.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        if step % 25 == 0:
            print(
                f"[{step}/{total}] loss={loss.item():.4f} grad_norm={norm.item():.3f} lr={optimizer.param_groups[0]['lr']:.1e}",
                flush=True,
            )
    torch.save(student.state_dict(), "student.pt")
    print("saved student.pt")


if __name__ == "__main__":
    main()
