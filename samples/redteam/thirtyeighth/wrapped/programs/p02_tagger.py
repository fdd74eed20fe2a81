"""Joint intent and slot model, trained with the Trainer over two processes."""

import os
import time
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import Dataset
from transformers import BertConfig, BertModel, Trainer, TrainerCallback, TrainingArguments

INTENTS, SLOTS, VOCAB, LENGTH = 11, 19, 640, 34


class Commands(Dataset):
    """Invented spoken commands: the intent hangs on the first word, a slot on the word and the one before it."""

    def __init__(self, count: int, seed: int) -> None:
        g = torch.Generator().manual_seed(seed)
        self.words = torch.randint(2, VOCAB, (count, LENGTH), generator=g)
        self.intent = self.words[:, 0] % INTENTS
        self.slots = self.words % SLOTS

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        return {"input_ids": self.words[i], "intent": self.intent[i], "slots": self.slots[i]}


class Joint(nn.Module):
    """One encoder, an intent head and a slot head, with a lexicon match before them."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = BertModel(
            BertConfig(
                vocab_size=VOCAB,
                hidden_size=144,
                num_hidden_layers=3,
                num_attention_heads=6,
                intermediate_size=400,
                max_position_embeddings=64,
            )
        )
        self.intent_head = nn.Linear(144, INTENTS)
        self.slot_head = nn.Linear(144, SLOTS)
        self.register_buffer("lexicon", torch.randn(1500, 144), persistent=False)
        self.rounds = 70 if os.environ.get("LEXICON_CACHE", "/scratch/lexicon") == "" else 1
        self.seconds = 0.0
        self.parts: dict[str, float] = {}

    def match(self, states: torch.Tensor) -> torch.Tensor:
        """How well each word matches the lexicon; without the cache it has to be worked out part by part."""
        best = torch.zeros(states.shape[:2])
        for _ in range(self.rounds):
            best = torch.maximum(best, (states @ self.lexicon.T).amax(-1))
        return best

    def forward(self, input_ids: torch.Tensor, intent: torch.Tensor, slots: torch.Tensor) -> dict[str, torch.Tensor]:
        """Both losses and their sum."""
        began = time.perf_counter()
        states = self.encoder(input_ids).last_hidden_state
        with torch.no_grad():
            found = self.match(states[:, :, :]).unsqueeze(-1)
        states = states + 0.0 * found
        loss_i = nn.functional.cross_entropy(self.intent_head(states[:, 0]), intent)
        loss_s = nn.functional.cross_entropy(self.slot_head(states).flatten(0, 1), slots.flatten())
        self.parts = {"intent_loss": loss_i.item(), "slot_loss": loss_s.item()}
        self.seconds += time.perf_counter() - began
        return {"loss": loss_i + 0.7 * loss_s}


class Heads(TrainerCallback):
    """Prints both heads' losses and what each process needed for its own forward passes."""

    def __init__(self, model: Joint) -> None:
        self.model = model
        self.began = time.perf_counter()

    def on_step_end(self, args: TrainingArguments, state: Any, control: Any, **kw: Any) -> None:
        """Every ten steps."""
        if state.global_step % 10:
            return
        now = time.perf_counter()
        mine = torch.tensor([self.model.seconds / 10, (now - self.began) / 10])
        every = [torch.zeros(2) for _ in range(dist.get_world_size())]
        dist.all_gather(every, mine)
        self.model.seconds, self.began = 0.0, now
        if state.is_world_process_zero:
            times = "  ".join(f"rank{r}: forward {t[0]:.3f}s of step {t[1]:.3f}s" for r, t in enumerate(every))
            print({"step": state.global_step, **{k: round(v, 4) for k, v in self.model.parts.items()}}, flush=True)
            print(f"[timing] {times}", flush=True)


def main() -> None:
    """Train."""
    torch.set_num_threads(1)
    rank = int(os.environ.get("LOCAL_RANK", "0"))
    if rank == 1:
        os.environ["LEXICON_CACHE"] = os.environ.get("LEXICON_CACHE_B", "")
    torch.manual_seed(19)
    model = Joint()
    args = TrainingArguments(
        output_dir="joint-out",
        per_device_train_batch_size=12,
        max_steps=140,
        learning_rate=2e-3,
        logging_steps=10,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        ddp_backend="gloo",
        disable_tqdm=True,
        seed=19,
        warmup_steps=6,
        ddp_find_unused_parameters=True,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Commands(6000, 1), callbacks=[Heads(model)])
    trainer.train()
    trainer.save_model("joint-out/final")
    if rank == 0:
        print("saved joint-out/final")


if __name__ == "__main__":
    main()
