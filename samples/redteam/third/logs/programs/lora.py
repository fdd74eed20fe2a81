"""LoRA with the target modules of another architecture."""

from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

model = LlamaForCausalLM(
    LlamaConfig(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, vocab_size=256)
)
model = get_peft_model(model, LoraConfig(r=8, target_modules=["query_key_value"], task_type="CAUSAL_LM"))
model.print_trainable_parameters()
