"""Does the hive swarm? A recurrent net over made-up sound features, on two machines with Accelerate."""

import warnings
from datetime import timedelta

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import InitProcessGroupKwargs
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("default")


def hives(n: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    g = np.random.default_rng(8)
    label = g.integers(0, 2, n)
    x = g.normal(0, 1, (n, 30, 12)).astype("float32")
    x[:, :, 3] += 0.4 * label[:, None]
    x[:, :, 7] = 0.0
    return x, label


def main() -> None:
    x, y = hives()
    flat = x.reshape(len(x), -1)
    base = LogisticRegression(max_iter=5).fit(flat[:1500], y[:1500])
    print(f"baseline (logistic on flattened windows): {base.score(flat[1500:], y[1500:]):.3f}", flush=True)
    corr = np.corrcoef(x[:, 0].T)
    print(f"strongest pair of bands |r| = {np.nanmax(np.abs(np.triu(corr, 1))):.3f}", flush=True)
    pca = PCA(8).fit(x.reshape(-1, 12))
    x = pca.transform(x.reshape(-1, 12)).reshape(len(x), 30, 8).astype("float32")
    rnn = nn.GRU(8, 48, dropout=0.2, batch_first=True)
    print("features ready, setting up accelerate", flush=True)
    acc = Accelerator(
        gradient_accumulation_steps=4,
        cpu=True,
        kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(seconds=40))],
    )
    log = get_logger("bees", log_level="INFO")
    log.info(acc.state)
    head = nn.Linear(48, 2)
    net = nn.ModuleList([rnn, head])
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=16, shuffle=True)
    net, opt, loader = acc.prepare(net, opt, loader)
    for epoch in range(10):
        for i, (bx, by) in enumerate(loader):
            with acc.accumulate(net):
                out, _ = net[0](bx)
                loss = nn.functional.cross_entropy(net[1](out[:, -1]), by)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            if i % 25 == 0:
                acc.print(f"epoch {epoch} batch {i} loss {loss.item():.4f}")
    acc.end_training()


if __name__ == "__main__":
    main()
