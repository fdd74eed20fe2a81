"""Part one: the data."""

import logging

import torch
from l26_common import sums

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s prepare: %(message)s")
torch.save(sums(20000, 1), "train.pt")
torch.save(sums(2000, 2), "test.pt")
logging.info("20000 sums to learn, 2000 to test, written")
