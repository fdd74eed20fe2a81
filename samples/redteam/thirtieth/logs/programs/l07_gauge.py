"""River stage at the lower gauge, six hours ahead, from three gauges above and rain: a GRU."""

import time

import numpy as np
import torch
from torch import nn

LENGTH, AHEAD, HOURS = 36, 6, 9000


def river(seed: int) -> np.ndarray:
    """Rain makes the upper gauges rise, which the lower one follows hours later."""
    rng = np.random.default_rng(seed)
    rain = rng.gamma(0.08, 4.0, (HOURS, 3)) * (rng.random((HOURS, 1)) < 0.25)
    up, low = np.zeros((HOURS, 3)), np.zeros(HOURS)
    for t in range(12, HOURS):
        up[t] = 0.93 * up[t - 1] + 0.35 * rain[t - 2]
        low[t] = 0.9 * low[t - 1] + 0.04 * up[t - 7, 0] + 0.05 * up[t - 9, 1] + 0.03 * up[t - 11, 2]
    return np.column_stack([up, rain, low]) + rng.normal(0, 0.01, (HOURS, 7))


class Stage(nn.Module):  # noqa: D101
    def __init__(self) -> None:
        super().__init__()
        self.gru, self.out = nn.GRU(7, 40, batch_first=True), nn.Linear(40, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, -1, 6] + self.out(self.gru(x)[0][:, -1])[:, 0]


def main() -> None:
    torch.manual_seed(8)
    torch.set_num_threads(1)
    table = river(5)
    mean, std = table[:7000].mean(0), table[:7000].std(0)
    table = torch.tensor((table - mean) / std, dtype=torch.float32)
    x = table.unfold(0, LENGTH, 1).transpose(1, 2)[:-AHEAD]
    y = table[LENGTH + AHEAD - 1 :, 6]
    print("windows", tuple(x.shape), "train up to", 6800)
    model = Stage()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    print(model)
    start = time.time()
    for epoch in range(1, 26):
        running = 0.0
        order = torch.randperm(6800)
        for i, idx in enumerate(order.split(64)):
            loss = nn.functional.huber_loss(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
            if i % 40 == 39:
                print(f"[{epoch}, {i + 1:3d}] loss: {running / 40:.5f}")
                running = 0.0
        with torch.no_grad():
            err = (model(x[6900:]) - y[6900:]) * std[6]
            hold = (x[6900:, -1, 6] - y[6900:]) * std[6]
        print(
            f"epoch {epoch} test rmse {err.pow(2).mean().sqrt():.4f} m (persistence {hold.pow(2).mean().sqrt():.4f} m), "
            f"{time.time() - start:.0f} s",
            flush=True,
        )
    torch.save(model.state_dict(), "stage_gru.pt")
    print("Finished Training")


if __name__ == "__main__":
    main()
