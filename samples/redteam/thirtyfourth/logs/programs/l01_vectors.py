"""Word vectors of the registers."""

import logging
import os
import sys

from gensim.models import Word2Vec
from gensim.models.word2vec import LineSentence

logging.basicConfig(format="%(asctime)s : %(levelname)s : %(message)s", level=logging.INFO)
with open("vectors.pid", "w", encoding="ascii") as f:
    f.write(str(os.getpid()))
model = Word2Vec(
    LineSentence(sys.argv[1]), vector_size=300, window=8, min_count=3, sg=1, negative=15, workers=2, epochs=25
)
model.wv.save(sys.argv[2])
logging.info("nearest to 'weaver': %s", model.wv.most_similar("weaver", topn=5))
