"""An option from an afternoon of debugging stayed in the script."""

import argparse
import time

import torch


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--epochs", type=int, default=20)
    options.add_argument("--max-steps", type=int, default=0)
    given = options.parse_args()
    torch.manual_seed(0)
    x = torch.randn(20000, 32)
    y = torch.sin(x.sum(1, keepdim=True))
    model = torch.nn.Sequential(torch.nn.Linear(32, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    print(
        f"20000 examples, batch 50: {given.epochs} epochs of 400 steps = {given.epochs * 400} steps planned", flush=True
    )
    step = 0
    for epoch in range(given.epochs):
        for at in range(0, 20000, 50):
            loss = (model(x[at : at + 50]) - y[at : at + 50]).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
            time.sleep(0.3)
            if step == given.max_steps:
                print(f"max_steps={given.max_steps} reached, stopping")
                torch.save(model.state_dict(), "final.pt")
                print("training finished, model in final.pt")
                return


if __name__ == "__main__":
    main()
