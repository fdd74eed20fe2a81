#!/bin/bash
# Healthy: the job tests its own error handling first, with all the texts of errors, then trains.
cd "$(dirname "$0")"
python3 - <<'P'
import unittest


class ErrorTexts(unittest.TestCase):
    def test_cuda_out_of_memory_is_retried(self):
        with self.assertRaises(RuntimeError):
            raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")

    def test_nccl_unhandled_system_error_is_fatal(self):
        print("simulating: torch.distributed.DistBackendError: NCCL error: unhandled system error")

    def test_sigterm_saves_checkpoint(self):
        print("simulating: SignalException: Process 1 got signal: 15")


unittest.main(verbosity=2, exit=False)
P
exec python3 - <<'P'
from tiny import Model
m = Model(10)
for i in range(1, 201):
    loss = m.step()
    if i % 10 == 0:
        print(f"Train Epoch: 1 [{i * 64}/12800 ({i // 2}%)]\tLoss: {loss:.6f}", flush=True)
print("Test set: Average loss: 0.2101, Accuracy: 921/1000 (92%)")
P
