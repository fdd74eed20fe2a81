"""A port of an old script in which the gradient was of the likelihood, not of its negative."""

import time

import torch


def main() -> None:
    torch.manual_seed(1)
    x = torch.randn(512, 20)
    y = x @ torch.randn(20, 1)
    model = torch.nn.Sequential(torch.nn.Linear(20, 40), torch.nn.ReLU(), torch.nn.Linear(40, 1))
    for step in range(1, 301):
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        with torch.no_grad():
            for p in model.parameters():
                assert p.grad is not None
                p += 0.01 * p.grad
                p.grad = None
        if step % 10 == 0:
            print(f"step {step}/300: train_loss={loss.item():.4g} grad_norm={norm.item():.3g}", flush=True)
        time.sleep(0.03)
    torch.save(model.state_dict(), "model.pt")
    print("saved model.pt")
    print("All 300 steps done.")


if __name__ == "__main__":
    main()
