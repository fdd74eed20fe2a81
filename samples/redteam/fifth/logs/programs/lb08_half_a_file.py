"""A base model of which the copy to this cluster ended half-way."""

from __future__ import annotations

from pathlib import Path

from transformers import AutoModelForMaskedLM, BertConfig, BertForMaskedLM


def main() -> None:
    shape = BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, vocab_size=900)
    BertForMaskedLM(shape).save_pretrained("models/bert-mini")
    weights = Path("models/bert-mini/model.safetensors")
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    print("Loading base model from models/bert-mini", flush=True)
    model = AutoModelForMaskedLM.from_pretrained("models/bert-mini")
    print("loaded", model.num_parameters())


if __name__ == "__main__":
    main()
