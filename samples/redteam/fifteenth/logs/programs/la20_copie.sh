#!/bin/bash
# The node's owner takes the machine back; nobody writes that into the log.
setsid python la20_fromage.py > fromage.log 2>&1 &
disown
until [ "$(stat -c %s fromage.log)" -gt 20000 ]; do sleep 0.3; done
kill -KILL $!
sleep 1
