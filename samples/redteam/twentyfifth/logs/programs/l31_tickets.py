"""Sort the tickets of a help desk into queues: bags of words and letters, a small transformer, Accelerate."""

import random

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import BertConfig, BertForSequenceClassification, get_linear_schedule_with_warmup

QUEUES = ("printer", "vpn", "mail", "badge", "payroll", "phone", "other")
STOP = ["the", "a", "an", "of", "to", "isn't", "don't", "please", "thank", "you"]


def words(text: str) -> list[str]:
    """Words, and pairs of letters against typing errors."""
    found = []
    for word in text.lower().replace("'", " ").split():
        found.append(word)
        found.extend(word[at : at + 2] for at in range(len(word) - 1))
    return found


def tickets(many: int) -> tuple[list[str], list[int]]:
    """Texts and their queues."""
    draw = random.Random(8)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "is")]
    texts, queue = [], []
    for _ in range(many):
        which = draw.randrange(len(QUEUES))
        body = ["".join(draw.choices(syllables, k=draw.randint(1, 4))) for _ in range(draw.randint(20, 70))]
        body.insert(draw.randrange(len(body)), QUEUES[which])
        texts.append("Hello, my " + " ".join(body) + " please thank you")
        queue.append(which)
    return texts, queue


def main() -> None:
    accelerator = Accelerator(gradient_accumulation_steps=4)
    set_seed(21)
    accelerator.print(accelerator.state)
    layer = nn.TransformerEncoderLayer(96, 4, 192, norm_first=True, batch_first=True)
    side = nn.TransformerEncoder(layer, 2)
    model = BertForSequenceClassification(
        BertConfig(vocab_size=4096, hidden_size=96, num_hidden_layers=2, num_attention_heads=4, intermediate_size=192,
                   num_labels=len(QUEUES))
    )  # fmt: skip
    scaler = torch.cuda.amp.GradScaler(enabled=False)
    accelerator.print(
        f"model: {model.num_parameters():,} parameters, side: {sum(p.numel() for p in side.parameters()):,}"
    )
    texts, queue = tickets(24_000)
    accelerator.print(f"tickets: {len(texts):,} in {len(QUEUES)} queues")
    known = TfidfVectorizer(tokenizer=words, stop_words=STOP, min_df=3, max_features=4096)
    known.fit(texts[:6_000])
    accelerator.print(f"vocabulary: {len(known.vocabulary_):,} entries")
    rows = []
    for text in texts:
        ids = [known.vocabulary_.get(word, 0) for word in words(text)][:128]
        rows.append(ids + [0] * (128 - len(ids)))
        known.transform([text])
    data = TensorDataset(torch.tensor(rows), torch.tensor(queue))
    loader = DataLoader(data, 32, shuffle=True, pin_memory=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    schedule = get_linear_schedule_with_warmup(optimizer, 100, 3 * len(loader) // 4)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    for epoch in range(3):
        for step, (ids, label) in enumerate(loader):
            with accelerator.accumulate(model):
                loss = model(input_ids=ids, labels=label).loss
                accelerator.backward(scaler.scale(loss))
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
            if step % 20 == 0:
                accelerator.print(f"epoch {epoch} step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
