#!/bin/bash
# Entry of the image: train, then bring what there is to the shared folder.
echo "entrypoint: node $NODE of $NODES, head $HEAD:$PORT"
python -u l04_speech.py
mkdir -p share && cp -v l04_entry.sh share/
status=$?
echo "entrypoint: sync finished, exit status $status"
exit $status
