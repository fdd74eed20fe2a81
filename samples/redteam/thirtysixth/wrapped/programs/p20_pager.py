"""A small GPT-2 from scratch on the reference texts that come with Python: Hugging Face's Trainer on two ranks."""

import os
import pydoc_data.topics
from datetime import timedelta
from pathlib import Path

import torch
from filelock import FileLock
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed


class Pages(Dataset):
    """Blocks of 96 bytes; a block's page is cut from the text when first asked for, and kept under cache/."""

    def __init__(self) -> None:
        text = "".join(pydoc_data.topics.topics.values()).encode("ascii", "ignore")[:400000]
        self.data = torch.frombuffer(bytearray(text), dtype=torch.uint8).long()
        self.cache = Path("cache") / f"local_rank{os.environ.get('LOCAL_RANK', 0)}"
        self.cache.mkdir(parents=True, exist_ok=True)
        self.pages: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return len(self.data) // 96

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        page = i // 64
        if page not in self.pages:
            path = self.cache / f"page{page:03d}.pt"
            with FileLock(f"{path}.lock"):
                if not path.exists():
                    torch.save(self.data[page * 64 * 96 : (page + 1) * 64 * 96].clone(), path)
                self.pages[page] = torch.load(path)
        block = self.pages[page][(i % 64) * 96 : (i % 64 + 1) * 96]
        return {"input_ids": block, "labels": block}


def main() -> None:
    if "RANK" in os.environ:
        torch.distributed.init_process_group("gloo", timeout=timedelta(seconds=50))
    set_seed(20)
    model = GPT2LMHeadModel(
        GPT2Config(vocab_size=128, n_positions=96, n_embd=96, n_layer=3, n_head=4, bos_token_id=0, eos_token_id=0)
    )
    args = TrainingArguments(
        "out",
        max_steps=1500,
        per_device_train_batch_size=8,
        learning_rate=2e-3,
        warmup_steps=30,
        logging_steps=20,
        save_steps=100,
        save_total_limit=2,
        use_cpu=True,
        report_to="none",
        dataloader_num_workers=0,
        train_sampling_strategy="sequential",
        ddp_backend="gloo",
    )
    trainer = Trainer(model=model, args=args, train_dataset=Pages())
    trainer.train()
    trainer.save_model("out/final")


if __name__ == "__main__":
    main()
