"""Continue pre-training of a small causal model on statutes."""
# ruff: noqa

import argparse
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed


class Statutes(torch.utils.data.Dataset):
    def __init__(self, count):
        self.ids = torch.randint(3, 512, (count, 64), generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ddp_timeout", type=int, default=1800)
    parser.add_argument("--output_dir", default="legal-llama")
    args = parser.parse_args()
    set_seed(42)
    model = LlamaForCausalLM(
        LlamaConfig(vocab_size=512, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4)
    )
    print(f"task {os.environ['RANK']}/{os.environ['WORLD_SIZE']}: {model.num_parameters()} parameters", flush=True)
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.ddp_timeout))
    training = TrainingArguments(
        args.output_dir,
        use_cpu=True,
        ddp_backend="gloo",
        ddp_timeout=args.ddp_timeout,
        num_train_epochs=1,
        per_device_train_batch_size=8,
        logging_steps=10,
        report_to=[],
    )
    trainer = Trainer(model=model, args=training, train_dataset=Statutes(2000))
    trainer.train()
