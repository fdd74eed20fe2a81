"""Longer and longer texts for a small model, on a machine with little memory."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel


def main() -> None:
    """Some steps at each length."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=300, n_positions=8192, n_embd=64, n_layer=2, n_head=8, attn_implementation="eager", use_cache=False
    )
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for length in (64, 256, 512, 8192):
        for step in range(1, 6):
            text = (torch.arange(length) * 7 + step).remainder(300).repeat(4, 1)
            loss = model(input_ids=text, labels=text).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            print(f"length {length} step {step} loss {loss.item():.4f}", flush=True)
    model.save_pretrained("longer")


if __name__ == "__main__":
    main()
