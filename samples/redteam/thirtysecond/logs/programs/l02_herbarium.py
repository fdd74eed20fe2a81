"""Herbarium sheets and the labels typed from them: two encoders, one contrastive loss."""

import argparse
from pathlib import Path

import torch
from torch import nn
from tqdm import tqdm


class Sheet(nn.Module):
    """A small convolutional encoder."""

    def __init__(self, dim: int) -> None:
        """Build it."""
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 24, 5, 2, 2),
            nn.GELU(),
            nn.Conv2d(24, 48, 3, 2, 1),
            nn.GELU(),
            nn.Conv2d(48, 96, 3, 2, 1),
            nn.GELU(),
            nn.AdaptiveAvgPool2d(2),
        )
        self.head = nn.Linear(384, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Unit vectors."""
        return nn.functional.normalize(self.head(self.body(x).flatten(1)), dim=-1)


class Label(nn.Module):
    """A small transformer over characters."""

    def __init__(self, dim: int) -> None:
        """Build it."""
        super().__init__()
        self.emb = nn.Embedding(96, 96)
        self.body = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(96, 4, 192, batch_first=True), 2, enable_nested_tensor=False
        )
        self.head = nn.Linear(96, dim)

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        """Unit vectors."""
        return nn.functional.normalize(self.head(self.body(self.emb(t)).mean(1)), dim=-1)


def main() -> None:
    """Prepare, train, evaluate."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--sheets", type=int, default=6144)
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--max-steps", type=int, default=-1)
    ap.add_argument("--batch-size", type=int, default=96)
    ap.add_argument("--out", type=Path, default=Path("/tmp/bu_pa/scratch/herbarium"))
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(4)
    images, labels = [], []
    for i in tqdm(range(args.sheets), desc="decode sheets", mininterval=2.0, unit="sheet"):
        g = torch.Generator().manual_seed(i)
        genus = i % 37
        big = torch.randn(3, 320, 320, generator=g) * 0.4 + torch.sin(torch.arange(320) * (genus + 3) / 60.0)
        images.append(nn.functional.interpolate(big[None], 64, mode="area")[0])
        labels.append((torch.randint(0, 96, (40,), generator=g) + genus) % 96)
    x, t = torch.stack(images), torch.stack(labels)
    sheet, label = Sheet(64), Label(64)
    scale = nn.Parameter(torch.tensor(2.659))
    params = [*sheet.parameters(), *label.parameters(), scale]
    total = args.epochs * (len(x) // args.batch_size)
    warm = max(1, total // 20)
    opt = torch.optim.AdamW(params, lr=5e-4, weight_decay=0.1)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / warm))
    if args.max_steps > 0:
        total = min(total, args.max_steps)
    bar = tqdm(total=total, desc=f"train ({args.epochs} epochs)", mininterval=0.5)
    done = 0
    while done < total:
        order = torch.randperm(len(x))
        for k in range(0, len(x) - args.batch_size + 1, args.batch_size):
            idx = order[k : k + args.batch_size]
            logits = scale.exp() * sheet(x[idx]) @ label(t[idx]).T
            target = torch.arange(len(idx))
            loss = (nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.T, target)) / 2
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            done += 1
            bar.update()
            bar.set_postfix(
                loss=f"{loss.item():.3f}",
                lr=f"{sched.get_last_lr()[0]:.1e}",
                epoch=f"{done * args.batch_size / len(x):.2f}",
            )
            if done >= total:
                break
    bar.close()
    hits = 0
    with torch.no_grad():
        bar = tqdm(range(0, 1536, 96), desc="recall@10")
        for k in bar:
            sims = sheet(x[k : k + 96]) @ label(t[k : k + 96]).T
            hits += int((sims.topk(10).indices == torch.arange(96)[:, None]).any(1).sum())
            bar.set_postfix(r10=f"{hits / (k + 96):.3f}")
    args.out.mkdir(parents=True, exist_ok=True)
    torch.save({"sheet": sheet.state_dict(), "label": label.state_dict()}, args.out / "final.pt")


if __name__ == "__main__":
    main()
