#!/bin/bash
# Fits the ice map; every run leaves a few lines at its end for the campaign's log. BOX is our group's share of the machine.
begun=$(date +%s)
last_words() {
    code=$?
    echo
    echo "---------------- icemap: end of run ----------------"
    echo "started   $(date -d @"$begun" '+%F %T')"
    echo "ended     $(date '+%F %T')  ($(( $(date +%s) - begun )) s)"
    echo "exit      $code"
    if [ -f icemap.pt ]; then echo "model     icemap.pt, $(stat -c '%s bytes, %y' icemap.pt | cut -d. -f1)"; else echo "model     none yet"; fi
    echo "swaths    $(ls swaths 2>/dev/null | wc -l) files, $(du -sh swaths 2>/dev/null | cut -f1)"
    echo "----------------------------------------------------"
}
trap last_words EXIT
echo "icemap fit on $(hostname), $(nproc) cores, share: $(( $(cat "$BOX/memory.limit_in_bytes") >> 20 )) MiB"
"$PY" icemap.py --epochs 12 &
echo $! > "$BOX/cgroup.procs"
wait $!
exit $?
