"""LoRA for a Llama with the target modules of a GPT-NeoX."""

from __future__ import annotations

import logging

from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")
log = logging.getLogger("sft")


def main() -> None:
    log.info("building model")
    shape = LlamaConfig(
        hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, vocab_size=500
    )
    model = LlamaForCausalLM(shape)
    log.info("model has %d parameters, attaching adapters", model.num_parameters())
    lora = LoraConfig(r=8, target_modules=["query_key_value", "dense_h_to_4h"], task_type="CAUSAL_LM")
    get_peft_model(model, lora).print_trainable_parameters()


if __name__ == "__main__":
    main()
