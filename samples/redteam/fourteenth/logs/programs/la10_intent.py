# ruff: noqa: ANN001, ANN003, D101
"""Intent of a sentence with the Trainer; workers load, structlog writes."""

import signal

import structlog
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainerCallback, TrainingArguments

log = structlog.get_logger("intent")
asked: list[bool] = []


class Sentences(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return 60000

    def __getitem__(self, i: int) -> dict:
        words = torch.randint(3, 400, (32,), generator=torch.Generator().manual_seed(i))
        return {"input_ids": words, "attention_mask": torch.ones_like(words), "labels": (words[:4].sum() > 800).long()}


class Say(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs) -> None:
        log.info(
            "progress",
            step=state.global_step,
            of=state.max_steps,
            **{key: round(float(value), 5) for key, value in logs.items()},
        )

    def on_save(self, args, state, control, **kwargs) -> None:
        log.info("checkpoint", path=f"{args.output_dir}/checkpoint-{state.global_step}")


def main() -> None:
    net = BertForSequenceClassification(
        BertConfig(
            vocab_size=400,
            hidden_size=96,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=192,
            max_position_embeddings=40,
        )
    )
    args = TrainingArguments(
        "intent",
        num_train_epochs=4,
        per_device_train_batch_size=16,
        logging_steps=20,
        save_steps=100,
        save_total_limit=2,
        report_to=[],
        use_cpu=True,
        learning_rate=5e-4,
        dataloader_num_workers=2,
        disable_tqdm=True,
    )
    # The queue asks first: finish the step, then save (the flag is read by Save, which is not written yet).
    signal.signal(signal.SIGTERM, lambda *_: asked.append(True))
    log.info("training", epochs=args.num_train_epochs, batch=args.per_device_train_batch_size)
    try:
        Trainer(net, args, train_dataset=Sentences(), callbacks=[Say()]).train()
    except Exception:
        log.exception("training failed")
        raise
    log.info("training finished")


if __name__ == "__main__":
    main()
