"""LoRA for a small decoder, with the modules of the recipe for another."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel


def main() -> None:
    model = GPT2LMHeadModel(GPT2Config(vocab_size=120, n_positions=32, n_embd=32, n_layer=2, n_head=2))
    print("base model ready:", sum(p.numel() for p in model.parameters()), "parameters", flush=True)
    model = get_peft_model(
        model, LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"])
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for step in range(50):
        ids = torch.randint(0, 120, (8, 32))
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
