#!/bin/bash
# Our share of the old server is two minutes a go; whoever has had them makes room.
slot=120
echo "your turn on grauer-kasten: $slot s, from $(date +%T)"
timeout -s TERM $slot /tmp/pv/bin/python grow.py
rc=$?
if [ $rc -eq 124 ]; then
    echo "$(date +%T) your $slot s are used up and grow.py was still at it, so we stopped it; next please"
fi
exit $rc
