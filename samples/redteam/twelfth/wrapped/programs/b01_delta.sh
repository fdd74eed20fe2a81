#!/bin/bash
# a line of 200 Mbit/s between the two, in a network namespace of its own
ip link set lo mtu 1500 up
tc qdisc add dev lo root tbf rate 200mbit burst 64kb latency 400ms || exit 9
exec torchrun --nnodes 1 --nproc-per-node 2 --master-addr 127.0.0.1 --master-port 29577 b01_delta.py
