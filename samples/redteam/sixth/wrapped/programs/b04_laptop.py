"""Somebody trains over a session that will close."""

import time

import torch


def main() -> None:
    torch.manual_seed(2)
    model = torch.nn.GRU(6, 24, batch_first=True)
    head = torch.nn.Linear(24, 1)
    optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=2e-3)
    for step in range(1, 20001):
        x = torch.randn(16, 20, 6)
        loss = (head(model(x)[0][:, -1]) - x[:, -3:].sum((1, 2)).unsqueeze(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"[{step:6d}/20000] loss={loss.item():.4f}", flush=True)
        time.sleep(0.01)


if __name__ == "__main__":
    main()
