"""Made-up parish registers as sentences."""

import random
import sys

GIVEN = [
    "magnus",
    "thora",
    "andrew",
    "margaret",
    "harald",
    "barbara",
    "sigurd",
    "marion",
    "oliver",
    "katherine",
    "erlend",
    "janet",
]
FAMILY = [
    "flett",
    "linklater",
    "rendall",
    "clouston",
    "isbister",
    "drever",
    "marwick",
    "foubister",
    "halcro",
    "tulloch",
]
WHERE = ["stromness", "birsay", "harray", "sandwick", "evie", "orphir", "holm", "deerness", "stenness", "firth"]
WHAT = ["baptised", "married", "buried", "witnessed", "confirmed", "proclaimed"]
TRADE = ["cottar", "weaver", "fisher", "smith", "miller", "tailor", "mason", "servant", "cooper", "mariner"]

rng = random.Random(1834)
words = [f"{rng.choice('bcdfglmnprst')}{rng.choice('aeiou')}{rng.choice('lmnrst')}{k:x}" for k in range(30000)]
with open(sys.argv[1], "w", encoding="utf-8") as out:
    for _ in range(220000):
        head = [rng.choice(GIVEN), rng.choice(FAMILY), rng.choice(TRADE), "in", rng.choice(WHERE), rng.choice(WHAT)]
        tail = [words[int(len(words) * rng.random() ** 3)] for _ in range(rng.randint(4, 14))]
        out.write(" ".join(head + tail) + "\n")
