# ruff: noqa: ANN001, ANN201, ANN204, D101
"""Next recipe for a cook: two towers, one over what was cooked and one over ingredients."""

import time

import numpy as np
import structlog
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from torch import nn
from torch.utils.data import DataLoader, Dataset

structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.EventRenamer("msg"),
        structlog.processors.JSONRenderer(),
    ],
    logger_factory=structlog.PrintLoggerFactory(),
)
log = structlog.get_logger(service="recipes-rank", run="w48")
N, K = 600, 12


class Cooks(Dataset):
    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        taste = np.random.default_rng(1).normal(size=(N, 5))
        self.rows = []
        for _ in range(n):
            like = taste @ rng.normal(size=5) + rng.gumbel(size=N) * 0.6
            self.rows.append(np.argsort(-like)[: K + 1])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = np.random.permutation(self.rows[i])
        return torch.tensor(torch.as_tensor(row[:-1])), int(row[-1])


class Towers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.item = nn.Embedding(N, 48)
        layer = nn.TransformerEncoderLayer(48, 3, 96, dropout=0.1, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 1)
        self.drop = nn.GRU(48, 48, batch_first=True, dropout=0.1)

    def forward(self, past):
        h = self.enc(self.item(past))
        return self.drop(h)[1][-1] @ self.item.weight.T


def baseline(train: Cooks) -> None:
    x = np.zeros((2000, N))
    y = np.zeros(2000, int)
    for k, row in enumerate(train.rows[:2000]):
        x[k, row[:-1]] = 1
        y[k] = row[-1] % 7
    with np.errstate(divide="warn"):
        weight = np.log(x.sum(0) / x.sum(0).max() * (x.sum(0) > 8))
    lr = LogisticRegression(max_iter=15, l1_ratio=None, C=4.0).fit(x, y)
    net = MLPClassifier((32,), max_iter=4).fit(x, y)
    log.info("baseline", lr=round(lr.score(x, y), 4), mlp=round(net.score(x, y), 4), rare=int(np.isinf(weight).sum()))


def main() -> None:
    torch.manual_seed(4)
    torch.set_num_threads(1)
    train, test = Cooks(9000, 10), Cooks(1500, 11)
    log.info("data", cooks=len(train), held_out=len(test), recipes=N)
    baseline(train)
    net = Towers()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
    loader = DataLoader(train, 128, shuffle=True, num_workers=3, pin_memory=True, drop_last=True)
    step = 0
    for epoch in range(1, 12):
        t0, tot = time.time(), 0.0
        sched.step()
        for past, nxt in loader:
            loss = nn.functional.cross_entropy(net(past), nxt)
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            tot += loss.item()
            if step % 14 == 0:
                log.info("step", epoch=epoch, step=step, loss=round(loss.item(), 4), lr=sched.get_lr()[0])
        hits = n = 0
        net.eval()
        with torch.no_grad():
            for past, nxt in DataLoader(test, 250, num_workers=3):
                hits += (net(past).topk(20).indices == nxt[:, None]).any(1).sum().item()
                n += len(nxt)
        net.train()
        log.info(
            "epoch",
            epoch=epoch,
            loss=round(tot / len(loader), 4),
            hit20=round(hits / n, 4),
            sec=round(time.time() - t0, 2),
        )
    torch.jit.save(torch.jit.trace(net.eval(), past), "ranker.pt")
    log.info("exported", path="ranker.pt", hit20=round(hits / n, 4), steps=step)


if __name__ == "__main__":
    main()
