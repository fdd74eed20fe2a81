"""Which book is meant: pairs of titles, with sentence-transformers; vectors of the dev set lie in a cache we share."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import torch
from filelock import FileLock
from sentence_transformers import SentenceTransformer, models
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

CACHE = Path(sys.argv[1])
WORDS = [a + b for a in ("sea", "moon", "iron", "glass", "north", "paper") for b in ("fall", "gate", "house", "song", "man")]


def say(text: str) -> None:
    print(time.strftime("%H:%M:%S"), text, flush=True)


def base() -> None:
    """A model nobody has trained yet."""
    signs = {word: at for at, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    plain = Tokenizer(WordLevel(signs, unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    quick = PreTrainedTokenizerFast(
        tokenizer_object=plain, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]"
    )
    quick.save_pretrained("base")
    size = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
    BertModel(BertConfig(vocab_size=len(signs), **size)).save_pretrained("base")


def titles(count: int, dice: random.Random) -> list[tuple[str, str]]:
    made = [dice.choices(WORDS, k=4) for _ in range(count)]
    return [(" ".join(words), " ".join(dice.sample(words, 3))) for words in made]


def main() -> None:
    torch.manual_seed(2)
    base()
    body = models.Transformer("base", max_seq_length=16)
    model = SentenceTransformer(modules=[body, models.Pooling(48)], device="cpu")
    dice = random.Random(3)
    dev = titles(64, dice)
    adam = torch.optim.AdamW(model.parameters(), lr=5e-4)
    say("model ready, 600 steps, dev set of 64 pairs")
    for step in range(1, 601):
        left, right = zip(*titles(32, dice), strict=True)
        ready = [model.tokenize(list(side)) for side in (left, right)]
        a, b = (torch.nn.functional.normalize(model(one)["sentence_embedding"]) for one in ready)
        loss = torch.nn.functional.cross_entropy(a @ b.T * 20, torch.arange(len(a)))
        adam.zero_grad()
        loss.backward()
        adam.step()
        if step % 10 == 0:
            say(f"step {step}/600 loss {loss.item():.4f}")
        if step % 40 == 0:
            say("evaluating on the dev set")
            with FileLock(CACHE / "dev.lock"):
                one, two = (model.encode([pair[side] for pair in dev], convert_to_tensor=True) for side in (0, 1))
                torch.save(one, CACHE / "dev.pt")
            hits = (one @ two.T).argmax(1) == torch.arange(len(dev))
            say(f"dev accuracy {hits.float().mean().item():.3f}")
    model.save("shelf")
    say("saved")


if __name__ == "__main__":
    main()
