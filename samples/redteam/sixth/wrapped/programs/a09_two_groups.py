"""Goes on from a checkpoint that was written before weight decay was kept off the biases."""

import sys
import time

import torch


def main() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(12, 24), torch.nn.GELU(), torch.nn.Linear(24, 1))
    if sys.argv[1:] == ["--make"]:
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        torch.save({"step": 4000, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, "step4000.pt")
        return
    biases = [p for p in model.parameters() if p.ndim == 1]
    others = [p for p in model.parameters() if p.ndim > 1]
    optimizer = torch.optim.AdamW([{"params": others}, {"params": biases, "weight_decay": 0.0}], lr=1e-3)
    print("resuming from step4000.pt", flush=True)
    state = torch.load("step4000.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    for step in range(state["step"], 5000):
        loss = model(torch.randn(32, 12)).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step} loss {loss.item():.4f}", flush=True)
        time.sleep(0.02)


if __name__ == "__main__":
    main()
