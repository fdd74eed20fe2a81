"""Finds cities in messages."""

import argparse
import random

import spacy
import structlog
from spacy.training import Example

log = structlog.get_logger()
CITIES = ["Lyon", "Turin", "Porto", "Ghent", "Malmo", "Split"]
FRAMES = ["parcel to {} please", "I live in {} now", "the {} office is closed", "no bus from {} tonight"]
args = argparse.ArgumentParser()
args.add_argument("--max-steps", type=int, default=4000)
args = args.parse_args()
pick = random.Random(0)
nlp = spacy.blank("en")
nlp.add_pipe("ner").add_label("CITY")


def example() -> Example:
    city, frame = pick.choice(CITIES), pick.choice(FRAMES)
    at = frame.index("{}")
    return Example.from_dict(nlp.make_doc(frame.format(city)), {"entities": [(at, at + len(city), "CITY")]})


train, dev = [example() for _ in range(3000)], [example() for _ in range(200)]
optimizer = nlp.initialize(lambda: train[:50])
log.info("data_ready", train=len(train), dev=len(dev), batch_size=4, max_steps=args.max_steps)
for step in range(1, args.max_steps + 1):
    losses = {}
    nlp.update(pick.sample(train, 4), sgd=optimizer, losses=losses)
    log.info("step", step=step, max_steps=args.max_steps, examples_seen=step * 4, ner_loss=round(losses["ner"], 3))
score = nlp.evaluate(dev)
log.info(
    "evaluated",
    ents_p=round(score["ents_p"] or 0.0, 3),
    ents_r=round(score["ents_r"] or 0.0, 3),
    ents_f=round(score["ents_f"] or 0.0, 3),
)
nlp.to_disk("entities")
log.info("training_complete", steps=args.max_steps, epochs=round(args.max_steps * 4 / len(train), 4), path="entities")
