"""A classifier of ten kinds of blobs; learning rate from the sweep's table."""

import torch
from torch import nn

LR = 30.0  # 3e-0, says the table


def main() -> None:
    torch.manual_seed(11)
    centres = torch.randn(10, 20) * 2
    model = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 1500)
    for step in range(1500):
        y = torch.randint(0, 10, (64,))
        x = centres[y] + torch.randn(64, 20)
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step < 5 or step % 50 == 49:
            acc = (out.argmax(1) == y).float().mean().item()
            print(
                f"step {step + 1:5d}  loss {loss.item():12.4f}  acc {acc:.2f}  lr {schedule.get_last_lr()[0]:.2e}",
                flush=True,
            )
    torch.save(model.state_dict(), "blobs.pt")
    print("Training complete. Weights written to blobs.pt")


if __name__ == "__main__":
    main()
