"""Teach a small model to write recipes, with PEFT; what to try stands in a file of JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from peft import LoraConfig, TaskType, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("plan", type=Path)
    plan = json.loads(asked.parse_args().plan.read_text())
    torch.manual_seed(plan["seed"])
    model = GPT2LMHeadModel(GPT2Config(vocab_size=300, n_positions=64, n_embd=48, n_layer=2, n_head=4))
    print(f"base model: {model.num_parameters():,} parameters")
    print("lora:", json.dumps(plan["lora"]))
    model = get_peft_model(model, LoraConfig(task_type=TaskType.CAUSAL_LM, **plan["lora"]))
    model.print_trainable_parameters()
    adam = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=plan["lr"])
    for step in range(plan["steps"]):
        ids = torch.randint(0, 300, (8, 32)).cumsum(1) % 300
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        adam.step()
        adam.zero_grad()
        if step % 10 == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
    model.save_pretrained("recipes-lora")


if __name__ == "__main__":
    main()
