"""Cut the scenes of this box into tiles before training, as every box does for itself."""

import logging
import socket
import sys
import time

import numpy as np

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("tiles")
total, rng, t0, kept = int(sys.argv[1]), np.random.default_rng(1), time.time(), 0
for n in range(1, total + 1):
    scene = rng.normal(size=(96, 96, 6))
    kept += int(np.abs(np.fft.fft2(scene[..., 0])).mean() > 80)
    if n % 4000 == 0:
        log.info("%s: %d of %d scenes cut, %d kept", socket.gethostname(), n, total, kept)
log.info("tiles ready in %.1f s", time.time() - t0)
