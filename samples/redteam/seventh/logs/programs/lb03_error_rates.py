"""A CTC speech toy with accelerate: error rates, failures among the samples, and a clean end."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    torch.manual_seed(2)
    words = torch.randint(1, 6, (512, 4))
    sounds = nn.functional.one_hot(words.repeat_interleave(4, 1), 6).float() + 0.4 * torch.randn(512, 16, 6)
    model = nn.Sequential(nn.Conv1d(6, 48, 3, padding=1), nn.ReLU(), nn.Conv1d(48, 6, 3, padding=1))
    loader = DataLoader(TensorDataset(sounds, words), 16, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.Adam(model.parameters(), lr=3e-3), loader)
    ctc = nn.CTCLoss(zero_infinity=True)
    for epoch in range(12):
        wrong = failed = 0
        total = 0.0
        for x, y in loader:
            with accelerator.accumulate(model):
                out = model(x.transpose(1, 2)).permute(2, 0, 1).log_softmax(2)
                loss = ctc(out, y, torch.full((len(x),), 16), torch.full((len(x),), 4))
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            total += loss.item() * len(x) / 512
            for path, truth in zip(out.argmax(2).T, y, strict=True):
                said = [int(c) for c in torch.unique_consecutive(path) if c]
                failed += len(said) != 4
                wrong += said != truth.tolist()
        accelerator.print(
            f"epoch {epoch:2d} | loss {total:.4f} | sentence error rate {wrong / 5.12:.1f} | FAILED alignments: {failed} of 512",
            flush=True,
        )
    accelerator.save_state("state")
    accelerator.print("training finished; state saved")


if __name__ == "__main__":
    main()
