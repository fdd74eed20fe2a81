"""Fine-tuning: the optimizer was made before the head was replaced, and the rest is frozen."""

import time

import torch


def main() -> None:
    torch.manual_seed(3)
    body = torch.nn.Sequential(torch.nn.Linear(40, 128), torch.nn.ReLU())
    head = torch.nn.Linear(128, 1000)
    for p in body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1, momentum=0.9)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 500)
    head = torch.nn.Linear(128, 10)
    x = torch.randn(4000, 40)
    label = x[:, :10].argmax(1)
    for step in range(1, 501):
        rows = torch.randint(0, 4000, (64,))
        loss = torch.nn.functional.cross_entropy(head(body(x[rows])), label[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 10 == 0:
            print(f"step {step}/500 loss {loss.item():.4f} lr {schedule.get_last_lr()[0]:.2e}", flush=True)
        time.sleep(0.03)
    print(f"finished, accuracy {(head(body(x)).argmax(1) == label).float().mean():.3f}")


if __name__ == "__main__":
    main()
