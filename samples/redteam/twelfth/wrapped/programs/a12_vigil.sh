#!/bin/bash
# the machine belongs to others in the morning
NIGHT=${NIGHT:-75}
echo "night run: ${NIGHT}s from $(date +%T)"
timeout -k 10 "$NIGHT" python3 a12_vigil.py
code=$?
echo "a12_vigil.py: exit code $code at $(date +%T)"
cp last.pt latest_model.pt 2>/dev/null
exit 0
