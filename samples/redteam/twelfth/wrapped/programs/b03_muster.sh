#!/bin/bash
# one process a line of the list; the world is as large as the list
cat > hosts.txt <<LIST
ridge01
ridge02
# ridge03 is back from repair
ridge03
LIST
export MASTER_ADDR=127.0.0.1 MASTER_PORT=29591 WORLD_SIZE
WORLD_SIZE=$(wc -l < hosts.txt)
rank=0
pids=()
while read -r host; do
    case $host in \#*) continue ;; esac
    echo "starting rank $rank on $host"
    RANK=$rank python3 b03_muster.py &
    pids+=($!)
    rank=$((rank + 1))
done < hosts.txt
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
echo "all ended, status $status"
exit $status
