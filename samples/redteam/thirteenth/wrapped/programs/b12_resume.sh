#!/bin/bash
# goes on where the last job of the chain stopped, if there was one
LAST=$(ls -d out/checkpoint-* 2> /dev/null | sort -t- -k2 -n | tail -1)
echo "last checkpoint: ${LAST:-none}"
python3 b12_resume.py ${LAST:+--resume "$LAST"}
