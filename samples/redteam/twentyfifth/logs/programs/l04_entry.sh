#!/bin/bash
# entry of the pod: lays out the working folder, fits, packs what there is
echo "== entry: $(date -u +%FT%TZ) on pod recipes-fit-7c9f6 (python $(python -V 2>&1 | cut -d' ' -f2))"
mkdir -p scratch/in scratch/kept
echo "== free space"; df -h . | tail -1
for part in dishes cooks ratings; do head -c 200000 /dev/urandom > scratch/in/$part.bin; done
sha256sum scratch/in/*.bin | cut -c1-16,65-
echo "== rotate old results"; ls scratch/kept | wc -l
python -u l04_recipes.py
code=$?
echo "== fit returned $code"
echo "== pack"; tar czf scratch/kept/part.tgz scratch/in && ls -s scratch/kept
rm -r scratch/in
echo "== entry: end $(date -u +%FT%TZ)"
exit $code
