"""What a farm shop's members may like next week."""

import time

import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.processors.TimeStamper(fmt="iso", utc=False),
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, pad_event_to=38),
    ]
)
tell = structlog.get_logger(shop="hof-lindau")


def baskets(people: int, goods: int, weeks: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(31)
    taste = torch.randn(people, 6, generator=g) @ torch.randn(6, goods, generator=g)
    bought = []
    for week in range(weeks):
        chance = (0.5 * taste - 4.6 + 0.4 * torch.randn(goods, generator=g)).sigmoid()
        hit = torch.rand(people, goods, generator=g) < chance
        bought.append(hit.nonzero())
        if week % 8 == 7:
            tell.info("crates counted", upto_week=week + 1, things=sum(len(b) for b in bought))
    return torch.cat(bought)


class Taste(nn.Module):
    """Members and goods, side by side."""

    def __init__(self, people: int, goods: int, wide: int) -> None:
        super().__init__()
        self.people, self.goods = nn.Embedding(people, wide), nn.Embedding(goods, wide)
        self.mix = nn.Sequential(nn.Linear(3 * wide, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        x, y = self.people(a), self.goods(b)
        return self.mix(torch.cat([x, y, x * y], -1)).squeeze(-1)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(8)
    people, goods = 9200, 640
    tell.info("good morning", torch=torch.__version__, book="members-2026.parquet")
    pairs = baskets(people, goods, 48)
    seen = torch.bincount(pairs[:, 0], minlength=people)
    shy = int((seen < 400).sum())
    tell.info("members with few crates put aside", members=shy)
    pairs = pairs[seen[pairs[:, 0]] >= 400]
    loved = torch.bincount(pairs[:, 1], minlength=goods)
    tell.info("shelf sorted", most=int(loved.max()), least=int(loved.min()), goods=goods)
    if loved.min() < 50:
        tell.warning("some goods hardly anybody takes", how_many=int((loved < 50).sum()))
    ones = torch.ones(len(pairs))
    table = torch.sparse_coo_tensor(pairs.T, ones, (people, goods)).coalesce().to_sparse_csr()
    tell.info("big table laid", filled=f"{table.values().numel() / people / goods:.3f}")
    model = Taste(people, goods, 32)
    tell.info("weights drawn", numbers=sum(q.numel() for q in model.parameters()))
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    batch = 1024
    tell.info("rounds planned", rounds=12, handfuls=len(pairs) // batch, in_one_hand=batch)
    tell.info("last five weeks kept back", crates=int(len(pairs) * 0.1))
    for turn in range(12):
        t0, sum_ = time.time(), 0.0
        order = torch.randperm(len(pairs))
        for k in range(0, len(pairs) - batch, batch):
            p = pairs[order[k : k + batch]]
            wrong = torch.randint(0, goods, (batch,))
            gap = model(p[:, 0], p[:, 1]) - model(p[:, 0], wrong)
            cost = -nn.functional.logsigmoid(gap).mean()
            opt.zero_grad()
            cost.backward()
            opt.step()
            sum_ += cost.item()
        tell.info(
            "round over", turn=turn + 1, off_by=round(sum_ / (len(pairs) // batch), 4), took=round(time.time() - t0, 1)
        )


if __name__ == "__main__":
    main()
