"""Sorts short service notes into kinds; can go on from what an earlier evening left."""

import argparse
import random
from pathlib import Path

import spacy
from spacy.training import Example
from spacy.util import compounding, minibatch

KINDS = {
    "BILLING": ["invoice twice", "refund please", "charged wrong amount", "card was declined", "where is my receipt"],
    "OUTAGE": ["site is down", "cannot reach the server", "time out again", "everything is slow", "page does not load"],
    "PRAISE": ["thank you so much", "works like a charm", "great support", "very happy", "best tool we have"],
}


def notes(count: int, seed: int) -> list[tuple[str, str]]:
    pick = random.Random(seed)
    out = []
    for _ in range(count):
        kind = pick.choice(list(KINDS))
        text = f"{pick.choice(['hi', 'hello', 'dear team', ''])} {pick.choice(KINDS[kind])} {pick.choice(['today', 'since monday', '!!', ''])}"
        out.append((text.strip(), kind))
    return out


def main() -> None:
    args = argparse.ArgumentParser()
    args.add_argument("--epochs", type=int, default=4)
    args.add_argument("--resume", type=Path)
    args = args.parse_args()
    train, dev = notes(900, 1), notes(200, 2)
    first = 1
    if args.resume:
        nlp = spacy.load(args.resume)
        first = int((args.resume / "epoch").read_text()) + 1
        optimizer = nlp.resume_training()
        print(f"Resuming from {args.resume} after epoch {first - 1}", flush=True)
    else:
        nlp = spacy.blank("en")
        cat = nlp.add_pipe(
            "textcat",
            config={
                "model": {
                    "@architectures": "spacy.TextCatBOW.v3",
                    "exclusive_classes": True,
                    "ngram_size": 1,
                    "no_output_layer": False,
                }
            },
        )
        for kind in KINDS:
            cat.add_label(kind)
        optimizer = nlp.initialize()
    optimizer.learn_rate = 0.0005

    def example(text: str, kind: str) -> Example:
        return Example.from_dict(nlp.make_doc(text), {"cats": {name: float(name == kind) for name in KINDS}})

    print("epoch   textcat loss   dev acc", flush=True)
    for epoch in range(first, args.epochs + 1):
        losses: dict[str, float] = {}
        random.Random(epoch).shuffle(train)
        for batch in minibatch(train, size=compounding(4.0, 32.0, 1.02)):
            nlp.update([example(*one) for one in batch], sgd=optimizer, losses=losses, drop=0.2)
        right = sum(
            max(doc.cats, key=doc.cats.get) == kind
            for doc, (_, kind) in zip(nlp.pipe(text for text, _ in dev), dev, strict=True)
        )
        print(f"{epoch:5d}   {losses['textcat']:12.4f}   {right / len(dev):7.3f}", flush=True)
        nlp.to_disk("model-last")
        Path("model-last/epoch").write_text(str(epoch))
    print(f"Saved pipeline to model-last; final accuracy {right / len(dev):.3f}")


main()
