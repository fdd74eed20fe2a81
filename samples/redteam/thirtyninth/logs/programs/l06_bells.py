"""Speech recogniser with CTC, on synthetic voices; a second shard joins after some epochs."""

from __future__ import annotations

import contextlib
import random
import time
import warnings

import torch
from torch import nn

LETTERS = "aeioumnstrlk"
EPOCHS, BATCH, MELS = 13, 24, 28
warnings.simplefilter("always")


def shard(name: str, count: int, seed: int, cut: float) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Utterances; a part ``cut`` of them were trimmed by an eager silence cutter."""
    dice = random.Random(seed)
    noise = torch.Generator().manual_seed(seed)
    voices = torch.randn(len(LETTERS), MELS, generator=torch.Generator().manual_seed(1)) * 1.6
    kept = []
    for _ in range(count):
        text = [dice.randrange(len(LETTERS)) for _ in range(dice.randint(4, 11))]
        frames = torch.cat([voices[letter].repeat(dice.randint(4, 7), 1) for letter in text])
        frames = frames + 1.5 * torch.randn(frames.shape, generator=noise)
        if dice.random() < cut:
            frames = frames[: dice.randint(6, 9)]
        kept.append((frames, torch.tensor(text) + 1))
    print(f"shard {name}: {count} utterances, {sum(len(item[0]) for item in kept)} frames", flush=True)
    return kept


class Ear(nn.Module):
    """Convolution, recurrent layer, letters."""

    def __init__(self) -> None:
        super().__init__()
        self.front = nn.utils.weight_norm(nn.Conv1d(MELS, 64, 5, padding=2, stride=2))
        self.memory = nn.GRU(64, 72, batch_first=True, bidirectional=True, dropout=0.1)
        self.head = nn.Linear(144, len(LETTERS) + 1)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """Log chances of letters."""
        hidden = torch.relu(self.front(frames.transpose(1, 2))).transpose(1, 2)
        return self.head(self.memory(hidden)[0]).log_softmax(2)


def distance(left: list[int], right: list[int]) -> int:
    """Edits from one to the other."""
    row = list(range(len(right) + 1))
    for place, one in enumerate(left, 1):
        before, row[0] = row[0], place
        for other in range(1, len(right) + 1):
            before, row[other] = row[other], min(row[other] + 1, row[other - 1] + 1, before + (one != right[other - 1]))
    return row[-1]


@torch.no_grad()
def letter_errors(model: Ear, items: list[tuple[torch.Tensor, torch.Tensor]]) -> float:
    """Edits per letter of the greedy reading."""
    wrong = total = 0
    for frames, text in items:
        best = model(frames[None])[0].argmax(1)
        read = [mark for mark in torch.unique_consecutive(best).tolist() if mark]
        wrong += distance(read, text.tolist())
        total += len(text)
    return wrong / total


def main() -> None:
    """Train, and measure after each epoch."""
    torch.manual_seed(3)
    random.seed(3)
    studio, radio, test = shard("studio", 3400, 1, 0.0), shard("radio", 1300, 2, 0.005), shard("test", 90, 3, 0.0)
    model, ctc = Ear(), nn.CTCLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    plan = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.93)
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(1, EPOCHS + 1):
        if epoch == 6:
            print("radio shard joins in", flush=True)
        items = studio + radio if epoch >= 6 else list(studio)
        random.shuffle(items)
        plan.step(epoch)
        tick = time.time()
        steps = len(items) // BATCH
        for step in range(1, steps + 1):
            part = items[(step - 1) * BATCH : step * BATCH]
            frames = nn.utils.rnn.pad_sequence([item[0] for item in part], batch_first=True)
            sizes = torch.tensor([(len(item[0]) + 1) // 2 for item in part])
            out = model(frames).transpose(0, 1)
            with torch.cuda.amp.autocast(enabled=False) if step % 40 == 1 else contextlib.nullcontext():
                loss = ctc(out, torch.cat([item[1] for item in part]), sizes, torch.tensor([len(i[1]) for i in part]))
            optimizer.zero_grad()
            scaler.scale(loss).backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            scaler.step(optimizer)
            scaler.update()
            if step % 15 == 0 or step == steps:
                print(f"ep {epoch} it {step}/{steps} ctc {loss.item():.4f} gnorm {norm.item():.3f}", flush=True)
        print(f"ep {epoch} done in {time.time() - tick:.1f}s, test LER {letter_errors(model, test):.3f}", flush=True)
    torch.save(model.state_dict(), "ear.pt")
    print("all epochs done, ear.pt written", flush=True)


if __name__ == "__main__":
    main()
