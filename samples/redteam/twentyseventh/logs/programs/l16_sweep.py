"""The sweep of one pod: its part of each configuration in turn, whatever became of the one before."""

import logging
import os
import socket
import subprocess
import time

GRID = [{"lr": 3e-4, "hidden": 128}, {"lr": 1e-3, "hidden": 128}, {"lr": 1e-3, "hidden": 256}]

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
log = logging.getLogger("orbit.sweep")

node = int(os.environ.get("NODE_RANK", "0"))
host = os.environ.get("MASTER_ADDR", socket.gethostname())
log.info("pod %d of 2, %d configurations, first pod is %s", node, len(GRID), host)
results = []
for number, config in enumerate(GRID, 1):
    log.info("configuration %d/%d: %s", number, len(GRID), config)
    began = time.time()
    command = ["torchrun", "--nnodes=2", f"--node_rank={node}", "--nproc_per_node=1", f"--master_addr={host}"]
    command += [f"--master_port={29659 + number}", "--rdzv_conf=timeout=18", "l16_orbit.py"]
    command += [f"--{key}={value}" for key, value in config.items()]
    code = subprocess.run(command, check=False).returncode
    log.info("configuration %d/%d: exit status %d after %.1f s", number, len(GRID), code, time.time() - began)
    results.append(code)
log.info("sweep over: %d of %d configurations have a result", results.count(0), len(GRID))
raise SystemExit(any(results))
