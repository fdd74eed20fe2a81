#!/bin/bash
mkdir -p minutes-bert-v2
for stage in first second; do
    echo "### $stage stage, $(ls -d minutes-bert*/checkpoint-* 2>/dev/null | wc -l) checkpoints lie in minutes-bert*"
    if [ "$stage" = first ]; then python la05_minutes.py; else python la05_minutes.py resume; fi
    echo "### $stage stage ended with $?"
done
