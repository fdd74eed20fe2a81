#!/bin/bash
echo $$ > /sys/fs/cgroup/memory/hivenet/cgroup.procs
exec python -u train.py
