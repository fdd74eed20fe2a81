"""Answers to questions about gardens: fine-tune a small model with TRL; what goes wrong is told by rich."""

from __future__ import annotations

import logging

from datasets import Dataset
from rich.console import Console
from rich.logging import RichHandler
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

logging.basicConfig(
    format="%(message)s", level=logging.INFO, handlers=[RichHandler(console=Console(width=110), rich_tracebacks=True)]
)
log = logging.getLogger("advice")
ASKED = ["when do I sow peas", "why are the leaves yellow", "how deep do tulips go", "who eats my lettuce"]
SAID = ["in march when the soil is warm", "too much water", "three times their height", "snails at night"]


def tokenizer() -> PreTrainedTokenizerFast:
    words = sorted({word for line in ASKED + SAID for word in line.split()} | {"question", "answer", ":"})
    plain = Tokenizer(WordLevel({word: at for at, word in enumerate(["<pad>", "<eos>", "<unk>", *words])}, unk_token="<unk>"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")


def one(row: dict[str, str]) -> str:
    return f"question : {row['question']} answer : {row['reply']}"


def main() -> None:
    words = tokenizer()
    rows = [{"question": ASKED[at % 4], "answer": SAID[at % 4]} for at in range(400)]
    size = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(words), pad_token_id=0, eos_token_id=1, **size))
    log.info("model of %d parameters, %d questions", model.num_parameters(), len(rows))
    try:
        plan = SFTConfig("advice", num_train_epochs=2, max_length=48, report_to=[], use_cpu=True, logging_steps=5, bf16=False)
        trainer = SFTTrainer(
            model, plan, train_dataset=Dataset.from_list(rows), processing_class=words, formatting_func=one
        )
        trainer.train()
        trainer.save_model("advice/final")
        log.info("saved advice/final")
    except Exception:
        log.exception("fine-tuning did not work")
    log.info("bye")


if __name__ == "__main__":
    main()
