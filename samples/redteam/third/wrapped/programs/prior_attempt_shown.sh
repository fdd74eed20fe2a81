#!/bin/bash
# Healthy: a launcher shows the end of the previous attempt's log, as many sites do, then the new one trains to its end.
cd "$(dirname "$0")"
echo "previous attempt of this experiment: job 4411 (FAILED). Last lines of logs/4411.out:"
cat <<'T'
[rank2]:[E1119 03:12:44.120 ProcessGroupNCCL.cpp:629] [Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9921, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600071 milliseconds before timing out.
E1119 03:12:51.551000 1182 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: -6) local_rank: 2 (pid: 1210) of binary: /usr/bin/python3
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
Root Cause (first observed failure):
  rank      : 2 (local_rank: 2)
  exitcode  : -6 (pid: 1210)  (SIGABRT)
T
echo "end of previous log. starting attempt 2"
exec python3 - <<'P'
from tiny import Model
m = Model(5)
for i in range(1, 241):
    loss = m.step()
    if i % 8 == 0:
        print(f"step={i} total=240 loss={loss:.5f} lr=2.0e-01", flush=True)
print("reached max_steps=240, stopping. final loss", round(loss, 5))
P
