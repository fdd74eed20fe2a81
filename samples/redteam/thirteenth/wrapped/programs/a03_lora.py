"""LoRA on a small Llama, after a recipe we had for Falcon."""

from __future__ import annotations

import torch
from accelerate import Accelerator
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM, get_linear_schedule_with_warmup


def main() -> None:
    accelerator = Accelerator(gradient_accumulation_steps=2)
    accelerator.print(accelerator.state)
    config = LlamaConfig(
        vocab_size=384,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = LlamaForCausalLM(config)
    accelerator.print(f"base model: {model.num_parameters() / 1e6:.2f} M parameters")
    lora = LoraConfig(
        r=8,
        lora_alpha=16,
        lora_dropout=0.05,
        bias="none",
        task_type="CAUSAL_LM",
        target_modules=["query_key_value", "dense"],
    )
    model = get_peft_model(model, lora)
    model.print_trainable_parameters()
    data = torch.utils.data.DataLoader(torch.randint(3, 384, (512, 64)), batch_size=8, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    model, optimizer, data = accelerator.prepare(model, optimizer, data)
    schedule = get_linear_schedule_with_warmup(optimizer, 10, 200)
    for step, batch in enumerate(data):
        with accelerator.accumulate(model):
            loss = model(input_ids=batch, labels=batch).loss
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        if step % 10 == 0:
            accelerator.print(f"step {step} loss {loss.item():.4f}")
    accelerator.wait_for_everyone()


if __name__ == "__main__":
    main()
