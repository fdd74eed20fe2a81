"""Which kitchen a recipe comes from: a small RoBERTa of our own, with the Trainer."""

import argparse
import random
import time

import torch
from transformers import (
    PrinterCallback,
    RobertaConfig,
    RobertaForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

KITCHENS = ("nikkei", "criolla", "andina", "chifa", "amazonica")


class Notes(TrainerCallback):
    """Says what happens in words the kitchen understands."""

    def on_train_begin(self, args, state, control, **_):
        self.began = time.time()
        print(f"oven is hot: {state.max_steps} trays to bake", flush=True)

    def on_log(self, args, state, control, logs=None, **_):
        if logs and "loss" in logs:
            print(
                f"tray {state.global_step} of {state.max_steps}: still {float(logs['loss']):.3f} off, "
                f"{time.time() - self.began:.0f} s in",
                flush=True,
            )

    def on_train_end(self, args, state, control, **_):
        print(f"all baked after {state.global_step} trays", flush=True)


class Recipes(torch.utils.data.Dataset):
    """Recipes as ids."""

    def __init__(self, count, seed):
        rng = random.Random(seed)
        self.rows = []
        for _ in range(count):
            kitchen = rng.randrange(len(KITCHENS))
            self.rows.append(([5 + kitchen * 40 + rng.randrange(90) for _ in range(20)], kitchen))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        ids, kitchen = self.rows[index]
        return {"input_ids": ids, "attention_mask": [1] * len(ids), "kitchen": kitchen}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recipes", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(1)
    recipes = Recipes(args.recipes, 7)
    print(f"cookbook read: {len(recipes)} recipes from {len(KITCHENS)} kitchens", flush=True)
    config = RobertaConfig(
        vocab_size=300,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=64,
        num_labels=len(KITCHENS),
        pad_token_id=1,
    )
    model = RobertaForSequenceClassification(config)
    print(f"cook has {sum(p.numel() for p in model.parameters())} weights", flush=True)
    arguments = TrainingArguments(
        output_dir="kitchen",
        num_train_epochs=args.rounds,
        per_device_train_batch_size=32,
        learning_rate=5e-4,
        logging_steps=10,
        disable_tqdm=True,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=recipes, callbacks=[Notes()])
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    trainer.save_model("kitchen/last")
    print("recipe for recipes kept in kitchen/last", flush=True)


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN003, ANN201, ANN204
