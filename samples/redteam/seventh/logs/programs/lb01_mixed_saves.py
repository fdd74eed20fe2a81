"""Keep the best of a run that saves now and evaluates then."""

import torch
from torch.utils.data import TensorDataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


def rows(batch: list[tuple[torch.Tensor]]) -> dict[str, torch.Tensor]:
    ids = torch.stack([one[0] for one in batch])
    return {"input_ids": ids, "labels": ids}


def main() -> None:
    model = GPT2LMHeadModel(GPT2Config(vocab_size=100, n_positions=32, n_embd=32, n_layer=2, n_head=2))
    data = TensorDataset(torch.randint(0, 100, (400, 32)))
    print(f"model of {model.num_parameters()} parameters, {len(data)} rows", flush=True)
    arguments = TrainingArguments(
        "out",
        num_train_epochs=2,
        save_strategy="steps",
        save_steps=20,
        eval_strategy="epoch",
        load_best_model_at_end=True,
        report_to=[],
        use_cpu=True,
    )
    trainer = Trainer(model, arguments, train_dataset=data, eval_dataset=data, data_collator=rows)
    trainer.train()


if __name__ == "__main__":
    main()
