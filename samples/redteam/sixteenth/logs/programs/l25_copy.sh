#!/bin/bash
# its owner copied nohup.out while it ran; a sync of the shared disk writes there too
mkdir run backup && cp l25_valves.py run && cd run && touch ../open
script -qc 'nohup bash -c "(while sleep 7 && [ -e ../open ]; do cp -uv ./* ../backup/; du -sh ../backup; done) & exec python l25_valves.py"' /dev/null > /dev/null < /dev/null &
for _ in $(seq 400); do sleep 0.5; grep -q 'model  *2[0-9]/400' nohup.out 2> /dev/null && break; done
cp nohup.out ..
rm ../open
for p in $(ps -eo pid=,args= | awk '/python l25_valves.py/ && !/awk/ && !/bash/ && !/script/ { print $1 }'); do kill $p; done
wait
