"""Goes on from a checkpoint of a wrapped model, and is not strict about its keys."""

import sys
import time

import torch


def main() -> None:
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(10, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    weight = torch.linspace(-1, 1, 10).unsqueeze(1)
    first, last = 1, 1500
    if sys.argv[1:] == ["--resume"]:
        state = torch.load("last.pt")
        model.load_state_dict(state["model"], strict=False)
        first, last = state["step"] + 1, 1900
        print(f"=> resuming from last.pt (step {state['step']}, loss {state['loss']:.4f})", flush=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3 if first > 1 else 5e-3)
    for step in range(first, last + 1):
        x = torch.randn(64, 10)
        loss = (model(x) - x @ weight).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
        if first > 1:
            time.sleep(0.03)
    keys = {f"module.{key}": value for key, value in model.state_dict().items()}
    torch.save({"model": keys, "step": last, "loss": loss.item()}, "last.pt")
    print("saved last.pt, done", flush=True)


if __name__ == "__main__":
    main()
