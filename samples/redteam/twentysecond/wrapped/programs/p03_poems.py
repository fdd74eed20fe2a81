"""Train a small causal model on the poems corpus."""
# ruff: noqa

import argparse
import json
from pathlib import Path

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed


class Poems(torch.utils.data.Dataset):
    def __init__(self, path, vocab, block):
        ids = []
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            ids += [vocab[ch] for ch in line] + [vocab["\n"]]
        self.blocks = [torch.tensor(ids[i : i + block]) for i in range(0, len(ids) - block, block)]

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, index):
        return {"input_ids": self.blocks[index], "labels": self.blocks[index]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="data")
    parser.add_argument("--out", default="poems-gpt")
    parser.add_argument("--block", type=int, default=64)
    parser.add_argument("--epochs", type=float, default=4)
    args = parser.parse_args()
    set_seed(11)
    vocab = json.loads(Path(args.data, "vocab.json").read_text())
    train = Poems(f"{args.data}/train.txt", vocab, args.block)
    valid = Poems(f"{args.data}/valid.txt", vocab, args.block)
    print(f"vocabulary: {len(vocab)} characters; {len(train)} training blocks, {len(valid)} validation blocks")
    config = GPT2Config(
        vocab_size=len(set(vocab) - {"\n"}),
        n_positions=args.block,
        n_embd=96,
        n_layer=3,
        n_head=4,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = GPT2LMHeadModel(config)
    print(f"model has {model.num_parameters() / 1e6:.2f}M parameters")
    trainer = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=args.out,
            num_train_epochs=args.epochs,
            per_device_train_batch_size=16,
            logging_steps=20,
            eval_strategy="epoch",
            save_strategy="epoch",
            learning_rate=1e-3,
            report_to=[],
            use_cpu=True,
        ),
        train_dataset=train,
        eval_dataset=valid,
    )
    trainer.train()
    trainer.save_model(args.out)


if __name__ == "__main__":
    main()
