"""Healthy: corrupt records are skipped with ERROR lines and tracebacks; all steps are done."""

import logging

from tiny import Model

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(levelname)s - %(message)s")
model = Model(32)
for i in range(1, 301):
    try:
        if i % 37 == 0:
            raise OSError(f"corrupt record in shard-{i:05d}.tar")
    except OSError:
        logging.exception("could not decode sample %d, skipping it", i)
    loss = model.step()
    if i % 10 == 0:
        logging.info("step %d/300 loss %.4f", i, loss)
logging.info("training finished: 300 steps done, 8 samples skipped")
