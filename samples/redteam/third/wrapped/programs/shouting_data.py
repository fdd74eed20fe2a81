"""Healthy: a text model whose data are other people's crash reports, printed as samples while it learns."""

import logging

from tiny import Model

SAMPLES = [
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB.",
    "[rank3]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=77, OpType=ALLREDUCE, Timeout(ms)=600000)",
    "NVRM: Xid (PCI:0000:3b:00): 79, pid=912, GPU has fallen off the bus.",
    "slurmstepd: error: *** JOB 99 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
    "Segmentation fault (core dumped)",
    "Fatal Python error: Aborted",
]
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log, model = logging.getLogger("train"), Model(1)
for i in range(1, 301):
    loss = model.step()
    if i % 10 == 0:
        log.info("step %d/300 loss %.4f grad_norm %.3f", i, loss, model.norm)
    if i % 25 == 0:
        log.info("generated sample: %s", SAMPLES[i // 25 % len(SAMPLES)])
log.info("training finished: 300 steps, final loss %.4f, model saved to out/model.json", loss)
