#!/bin/bash
# The node's owner takes the machine back; nobody writes that into the log, and what sed still had is lost.
setsid bash -c "python la20_fromage.py 2>&1 | sed 's/\x1b\[[0-9;]*m//g' > fromage.log" &
job=$!
until [ "$(stat -c %s fromage.log 2> /dev/null || echo 0)" -gt 16000 ]; do sleep 0.3; done
kill -KILL -- -$job
sleep 1
