#!/bin/bash
# A colleague asks for the log while the job still prepares its data; what is there is copied and sent.
setsid python la08_schicken.py > /dev/null 2>&1 &
until grep -q "im Voraus" protokoll/*_0_log.out 2> /dev/null; do sleep 0.5; done
sleep 3
cp protokoll/*_0_log.out ziegel_0_log.out
kill -KILL -- -$!
