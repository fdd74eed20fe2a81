#!/bin/bash
# second slot of the week
echo "$(date '+%F %T') slot 2 on $(hostname -s), in $(basename "$PWD")"
ls -l --time-style=long-iso kiln_state.pt
python -u l17_kiln.py --epochs 120 --no-decay-norms
rc=$?
echo "$(date '+%F %T') python gave $rc"
exit $rc
