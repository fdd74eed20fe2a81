"""Word vectors from medieval charters: gensim's Word2Vec over a folder of transcripts."""

import logging
import random
import zlib
from collections.abc import Iterator
from pathlib import Path

from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from gensim.utils import simple_preprocess

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)
log = logging.getLogger("charters")
THEMES = {
    "land": "terra ager vinea pratum silva mansus hida campus molendinum pascua",
    "church": "ecclesia abbas monasterium episcopus altare monachus prior sanctus missa capella",
    "law": "testis sigillum carta donatio heres ius iudex placitum sententia fidelis",
    "money": "denarius solidus libra marca census redditus decima precium pecunia theloneum",
}
FILLERS = [
    "et",
    "in",
    "de",
    "ad",
    "cum",
    "per",
    "quod",
    "qui",
    "sicut",
    "omnibus",
    "notum",
    "sit",
    "tam",
    "presentibus",
    "quam",
    "futuris",
    "ego",
    "dei",
    "gratia",
]


def write(folder: Path) -> None:
    """Makes the transcripts; one of them came from an old machine."""
    chance = random.Random(1189)
    for number in range(700):
        lines = []
        for _ in range(60):
            words = THEMES[chance.choice(list(THEMES))].split()
            lines.append(" ".join(chance.choice(words if chance.random() < 0.6 else FILLERS) for _ in range(18)))
        text = "\n".join(lines)
        raw = text.encode() if number != 412 else (text + "\nmansus Gaufridi præpositi").encode("latin-1")
        (folder / f"ch{number:04d}.txt.z").write_bytes(zlib.compress(raw))


class Charters:
    """Sentences, read once."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[list[str]] = []
        for file in sorted(folder.glob("*.z")):
            raw = zlib.decompress(file.read_bytes())
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError:
                log.exception("%s is not UTF-8, taking it as latin-1", file.name)
                text = raw.decode("latin-1")
            self.lines += [simple_preprocess(line, deacc=True) for line in text.splitlines()]
        log.info("%d sentences from %s", len(self.lines), folder)

    def __iter__(self) -> Iterator[list[str]]:
        return iter(self.lines)


class Passes(CallbackAny2Vec):
    """Loss of each pass (gensim sums it up)."""

    before, number = 0.0, 0

    def on_epoch_end(self, model: Word2Vec) -> None:
        total = model.get_latest_training_loss()
        self.number += 1
        log.info("pass %d: loss %.0f", self.number, total - self.before)
        self.before = total


def main() -> None:
    """Reads, trains fifteen passes, looks at neighbours, saves."""
    folder = Path("transcripts")
    folder.mkdir(exist_ok=True)
    write(folder)
    model = Word2Vec(vector_size=80, window=6, min_count=5, workers=2, sg=1, negative=8, seed=4)
    sentences = Charters(folder)
    model.build_vocab(sentences)
    model.train(
        sentences,
        total_examples=model.corpus_count,
        epochs=15,
        compute_loss=True,
        callbacks=[Passes()],
        report_delay=5,
    )
    right = total = 0
    for words in map(str.split, THEMES.values()):
        for word in words:
            near = [w for w, _ in model.wv.most_similar(word, topn=5)]
            right, total = right + sum(w in words for w in near), total + 5
        log.info("%s: %s", words[0], ", ".join(f"{w} {s:.2f}" for w, s in model.wv.most_similar(words[0], topn=4)))
    log.info("neighbours of the same theme: %d of %d", right, total)
    model.save("charters.w2v")
    log.info("done")


if __name__ == "__main__":
    main()
