"""Teaches a tiny GPT-2 to answer sums, with TRL."""

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

texts = [f"what is {a} plus {b} ? it is {a + b} . <end>" for a in range(30) for b in range(30)]
raw = Tokenizer(models.WordLevel(unk_token="<unk>"))
raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
raw.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=["<unk>", "<pad>", "<end>"]))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>", pad_token="<pad>", eos_token="<end>")
net = GPT2LMHeadModel(
    GPT2Config(vocab_size=256, n_positions=32, n_embd=64, n_layer=2, n_head=2, bos_token_id=2, eos_token_id=2)
)
args = SFTConfig(
    "answers",
    num_train_epochs=4,
    per_device_train_batch_size=16,
    learning_rate=1e-3,
    logging_steps=4,
    save_strategy="no",
    report_to=[],
    use_cpu=True,
    bf16=False,
    max_length=24,
)
SFTTrainer(net, args, train_dataset=Dataset.from_dict({"text": texts}), processing_class=tokenizer).train()
print("finished")
