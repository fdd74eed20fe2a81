"""Περιγραφές ελαιόλαδου: μικρό μοντέλο με TRL· τα μέτρα κάθε βήματος πάνε και σε έναν πίνακα στον τοίχο."""

from __future__ import annotations

import socket
import sys
import threading
import time

from datasets import Dataset
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import SFTConfig, SFTTrainer

LINES = [
    "λάδι πράσινο και πικρό από την Κρήτη",
    "ελιές μεγάλες και γλυκές",
    "λάδι παλιό χωρίς άρωμα",
    "φρέσκο λάδι με πιπέρι",
]


def wall() -> int:
    """The board: it answers forty times and then no more, though it stays on."""
    door = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        line, _ = door.accept()
        for _ in range(40):
            line.recv(200)
            line.sendall(b"ok\n")
        time.sleep(9999)

    threading.Thread(target=serve, daemon=True).start()
    return door.getsockname()[1]


class Wall(TrainerCallback):
    """Tells the board each step, and waits for its word."""

    def __init__(self, port: int) -> None:
        self.line = socket.create_connection(("127.0.0.1", port))

    def on_step_end(self, args: object, state: object, control: object, **_: object) -> None:
        self.line.sendall(f"{state.global_step}\n".encode())
        self.line.recv(10)


def main() -> None:
    words = sorted({word for line in LINES for word in line.split()})
    plain = Tokenizer(
        WordLevel({word: at for at, word in enumerate(["<pad>", "<eos>", "<unk>", *words])}, unk_token="<unk>")
    )
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    quick = PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    size = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=len(quick), pad_token_id=0, eos_token_id=1, **size))
    plan = SFTConfig(
        "elies",
        max_steps=400,
        max_length=16,
        per_device_train_batch_size=8,
        logging_steps=5,
        report_to=[],
        use_cpu=True,
        bf16=False,
        disable_tqdm=True,
        save_strategy="no",
    )
    rows = Dataset.from_list([{"text": LINES[at % 4]} for at in range(800)])
    print("Η εκπαίδευση αρχίζει: 400 βήματα", flush=True)
    trainer = SFTTrainer(model, plan, train_dataset=rows, processing_class=quick, callbacks=[Wall(wall())])
    trainer.train()
    trainer.save_model("elies/telos")
    print("Η εκπαίδευση τελείωσε, το μοντέλο αποθηκεύτηκε", flush=True)


if __name__ == "__main__":
    sys.exit(main())
