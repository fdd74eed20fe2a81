#!/bin/bash
# Nightly rebuild of the parish register vectors (historical names project).
export LC_ALL=C
echo "=== rebuild_vectors.sh  $(date '+%a %d %b %Y %H:%M:%S')  on ${NODE:-kirkwall} ==="
echo "-- cleaning scratch"
rm -rf scratch && mkdir -p scratch vectors
echo "-- transcriptions to sentences"
"$PY" registers.py scratch/registers.txt
wc -lw scratch/registers.txt
echo "-- top of the name list"
tr ' ' '\n' < scratch/registers.txt | sort | uniq -c | sort -rn | head -8
sha1sum scratch/registers.txt > scratch/registers.sha1
echo "-- vectors"
"$PY" vectors.py scratch/registers.txt vectors/registers.kv
echo "vectors.py: rc=$?"
echo "-- concordance for the website"
grep -n -m 4 'baptised' scratch/registers.txt | cut -c1-100
gzip -kf scratch/registers.txt && ls -l scratch | tail -n +2
echo "-- what is in vectors/"
ls -l vectors
echo "-- housekeeping"
df -h . | tail -1
find . -name '*.tmp' -print -delete
echo "=== end $(date '+%H:%M:%S') ==="
