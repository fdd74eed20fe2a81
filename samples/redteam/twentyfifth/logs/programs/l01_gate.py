"""The gateway: takes packets of the probes and writes what it did with them."""

import logging
import os
import random
import time

logging.basicConfig(format="%(levelname)s gateway %(message)s", level=logging.INFO)
with open("gate.pid", "w") as file:
    file.write(str(os.getpid()))
random.seed(5)
packet = 88120
while True:
    packet += random.randint(1, 9)
    probe = random.choice(["beech-04", "beech-07", "oak-11", "oak-12", "larch-02"])
    if random.random() < 0.12:
        logging.warning("probe %s: late by %d s, kept in the queue", probe, random.randint(31, 190))
    else:
        logging.info("probe %s: packet %d, 12 readings, rssi %d dBm", probe, packet, -random.randint(61, 97))
    time.sleep(random.uniform(0.4, 1.6))
