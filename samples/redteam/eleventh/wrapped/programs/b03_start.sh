#!/bin/bash
# one rank for each line of hosts.txt, three in all
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29641 WORLD_SIZE=3
printf 'box1\nbox1' > hosts.txt # the third was cut off
rank=0
for host in $(cat hosts.txt); do
    echo "starting rank $rank of $WORLD_SIZE on $host"
    RANK=$rank python3 b03_caravan.py &
    rank=$((rank + 1))
done
status=0
for job in $(jobs -p); do wait "$job" || status=$?; done
exit $status
