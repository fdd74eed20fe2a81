"""Write the night's corpus: announcements of a concert hall, and the desk each is for."""

import json
import random

WORDS = {
    "box_office": "ticket seat refund row voucher balcony queue price exchange".split(),
    "stage": "piano riser stand light curtain rehearsal podium microphone truck".split(),
    "press": "review critic interview photo embargo portrait season quote broadcast".split(),
    "catering": "wine interval glass buffet table supper menu waiter chairs".split(),
}
FILL = "the for please of tonight on we need at evening about and a concert hall from before after".split()
rng = random.Random(20)
for name, count in (("train", 6000), ("eval", 800)):
    with open(f"{name}.jsonl", "w") as out:
        for _ in range(count):
            label = rng.randrange(4)
            own = rng.choices(list(WORDS.values())[label], k=rng.randint(1, 3))
            stray = rng.choices([w for ws in WORDS.values() for w in ws], k=rng.randint(0, 1))
            words = own + stray + rng.choices(FILL, k=rng.randint(6, 16))
            rng.shuffle(words)
            out.write(json.dumps({"text": " ".join(words), "label": label}) + "\n")
    print(f"{name}.jsonl: {count} announcements")

# ruff: noqa: SIM905
