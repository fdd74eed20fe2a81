"""Bird songs and their field notes: two encoders, one space. Prints bars and nothing else."""

import torch
from torch import nn
from tqdm import tqdm

torch.set_num_threads(1)
EPOCHS, KINDS = 12, 60


def pairs(n: int, seed: int, songs: torch.Tensor, notes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A song as a 64-band spectrum, its note as a bag of 120 words; kin by a hidden species and place."""
    g = torch.Generator().manual_seed(seed)
    z = torch.cat([nn.functional.one_hot(torch.randint(KINDS, (n,), generator=g), KINDS).float() * 2], 1)
    z = torch.cat([z, torch.randn(n, 12, generator=g)], 1)
    return z @ songs + 2.2 * torch.randn(n, 64, generator=g), z @ notes + 2.2 * torch.randn(n, 120, generator=g)


def tower(inputs: int) -> nn.Sequential:
    """An encoder."""
    return nn.Sequential(nn.Linear(inputs, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 64))


def main() -> None:
    """Trains with InfoNCE in both directions; recall is that of the held-out pairs."""
    torch.manual_seed(1)
    songs, notes = torch.randn(KINDS + 12, 64), torch.randn(KINDS + 12, 120)
    a, b = pairs(25600, 1, songs, notes)
    va, vb = pairs(500, 2, songs, notes)
    ear, eye = tower(64), tower(120)
    scale = nn.Parameter(torch.tensor(2.0))
    optimizer = torch.optim.AdamW([*ear.parameters(), *eye.parameters(), scale], lr=5e-4)
    norm = nn.functional.normalize
    recall = 0.0
    for epoch in range(EPOCHS):
        mean = 0.0
        with tqdm(torch.randperm(len(a)).split(128), desc=f"epoch {epoch + 1:2d}/{EPOCHS}", mininterval=1.0) as bar:
            for i, part in enumerate(bar):
                logits = scale.exp() * norm(ear(a[part])) @ norm(eye(b[part])).T
                target = torch.arange(len(part))
                loss = (nn.functional.cross_entropy(logits, target) + nn.functional.cross_entropy(logits.T, target)) / 2
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                mean += (loss.item() - mean) / (i + 1)
                if i == 199:
                    with torch.no_grad():
                        near = (norm(ear(va)) @ norm(eye(vb)).T).argmax(1)
                    recall = (near == torch.arange(500)).float().mean().item()
                bar.set_postfix(loss=f"{mean:.3f}", recall=f"{recall:.3f}", refresh=False)
    torch.save({"ear": ear.state_dict(), "eye": eye.state_dict()}, "songs.pt")


if __name__ == "__main__":
    main()
