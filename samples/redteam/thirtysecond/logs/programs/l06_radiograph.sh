#!/bin/bash
# nightly: tidy up, train, pack; started with nohup ./nightly.sh &
set -u
W=/tmp/bu_pa/scratch/weld
mkdir -p $W/archive $W/run_0418
echo "== nightly.sh $(date '+%a %d %b %H:%M')"
df -h /tmp | sed 's/^/   /'
echo "== old runs"
for d in $W/run_04*; do [ -d "$d" ] && du -sh "$d"; done
echo "== fetch plates"
head -c 30000000 /dev/urandom > $W/plates.bin
sha256sum $W/plates.bin | cut -c1-24
rm $W/archive/latest.tar.gz
ls -la $W/plates_2025.lst
echo "== train"
"${PY:-/tmp/pv/bin/python}" l06_radiograph.py
rc=$?
echo "== train returned $rc"
echo "== pack"
tar -C $W -czvf $W/archive/latest.tar.gz run_0419
gzip -kf $W/plates.bin && ls -l --time-style=+%H:%M $W | tail -n +2
rm -f $W/plates.bin $W/plates.bin.gz
echo "== rsync to the NAS"
rsync -a $W/archive/ /mnt/nas/weld/ || cp -v $W/archive/latest.tar.gz $W/latest_copy.tar.gz
echo "== nightly.sh end $(date '+%a %d %b %H:%M')"
