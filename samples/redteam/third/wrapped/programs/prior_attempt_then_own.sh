#!/bin/bash
# The log begins with the OOM of another job; this one fails for want of a file.
cd "$(dirname "$0")"
echo "--- tail of job 7781 (other user, same node) ---"
echo "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 512.00 MiB is free."
echo "srun: error: gpu07: task 3: Exited with exit code 1"
echo "--- end of tail ---"
python3 - <<'P'
import pathlib
print("rank 0: reading index", flush=True)
index = pathlib.Path("/data/corpus/shards/index.json").read_text()
P
