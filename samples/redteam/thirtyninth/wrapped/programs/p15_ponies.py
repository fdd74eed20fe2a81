"""Next-note model for hornpipes with the Hugging Face Trainer."""

from datetime import timedelta

import torch
import torch.distributed as dist
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Tunes(Dataset):
    def __len__(self) -> int:
        return 3000

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        ids = (torch.arange(48) * (i % 5 + 1) + i) % 61
        return {"input_ids": ids, "labels": ids.clone()}


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=47))
    args = TrainingArguments(
        output_dir="hornpipe-ckpt",
        use_cpu=True,
        ddp_backend="gloo",
        max_steps=900,
        per_device_train_batch_size=16,
        logging_steps=15,
        save_steps=300,
        learning_rate=6e-4,
        report_to="none",
        seed=8,
    )
    config = GPT2Config(vocab_size=61, n_positions=48, n_embd=64, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0)
    trainer = Trainer(model=GPT2LMHeadModel(config), args=args, train_dataset=Tunes())
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
