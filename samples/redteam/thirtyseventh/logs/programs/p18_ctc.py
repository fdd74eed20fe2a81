"""A real speech recogniser with CTC (made-up utterances) that writes its whole state and syncs it after each step."""

import argparse
import logging
import os
import time
from pathlib import Path

import torch
from torch import nn

ALPHABET = "_abcdefghijklmnopqrstuvwxyz '"

logging.basicConfig(
    level=logging.INFO,
    format="%(asctime)s,%(msecs)03d %(levelname)s [%(filename)s:%(lineno)d] %(message)s",
    datefmt="%Y-%m-%d %H:%M:%S",
)


class Recogniser(nn.Module):
    """A convolution, a GRU and the letters."""

    def __init__(self) -> None:
        super().__init__()
        self.sub = nn.Conv1d(40, 192, 5, stride=2, padding=2)
        self.rnn = nn.GRU(192, 192, 1, bidirectional=True, batch_first=True)
        self.out = nn.Linear(384, len(ALPHABET))
        # the language model's table goes along in the checkpoint, it is trained later
        self.lm = nn.Embedding(100_000, 768)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.sub(x.transpose(1, 2))).transpose(1, 2)
        return self.out(self.rnn(h)[0]).log_softmax(-1)


def batch(n: int, g: torch.Generator, code: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    text = torch.randint(1, len(ALPHABET), (n, 12), generator=g)
    feats = code[text].repeat_interleave(6, dim=1)
    return feats + 1.2 * torch.randn(feats.shape, generator=g), text


def save(path: str, net: nn.Module, opt: torch.optim.Optimizer, step: int) -> float:
    t0 = time.perf_counter()
    with open(path + ".tmp", "wb") as f:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, f)
        f.flush()
        os.fsync(f.fileno())
    Path(path + ".tmp").replace(path)
    return time.perf_counter() - t0


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--exp", default="exp/ctc_bigru")
    ap.add_argument("--max-steps", type=int, default=120)
    ap.add_argument("--log-every", type=int, default=20)
    ap.add_argument("--save-every", type=int, default=1)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(2)
    Path(args.exp).mkdir(parents=True, exist_ok=True)
    net = Recogniser()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    logging.info("%s", vars(args))
    size = sum(p.numel() for p in net.parameters())
    logging.info("vocabulary %d, parameters %.1fM, device cpu", len(ALPHABET), size / 1e6)
    g = torch.Generator().manual_seed(4)
    code = torch.randn(len(ALPHABET), 40, generator=g)
    lens = torch.full((16,), 36), torch.full((16,), 12)
    began, compute, io, seen = time.time(), 0.0, 0.0, 0.0
    for step in range(1, args.max_steps + 1):
        t0 = time.perf_counter()
        x, y = batch(16, g, code)
        loss = nn.functional.ctc_loss(net(x).transpose(0, 1), y, *lens)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        compute += time.perf_counter() - t0
        seen += loss.item()
        if step % args.save_every == 0:
            io += save(f"{args.exp}/last.pt", net, opt, step)
        if step % args.log_every == 0:
            n = args.log_every
            size = Path(f"{args.exp}/last.pt").stat().st_size / 2**20
            logging.info(
                "step %d/%d ctc %.3f | train %.2fs ckpt %.2fs per step (last.pt %.0f MiB) | %.1f utt/s",
                step,
                args.max_steps,
                seen / n,
                compute / n,
                io / n,
                size,
                16 * step / (time.time() - began),
            )
            compute = io = seen = 0.0
    logging.info("done in %.1f s", time.time() - began)


if __name__ == "__main__":
    main()
