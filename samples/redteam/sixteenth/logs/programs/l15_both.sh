#!/bin/bash
# in a terminal, as nohup wants it; the scratch that is to be tidied up is a mount
mkdir -p scratch/keep && mount -t tmpfs none scratch/keep
script -qc 'nohup bash -c "python l15_rivers.py 0 & python l15_rivers.py 1; wait; cp scratch/river.npy .; rm -r scratch; echo tidied up: \$?"; true' /dev/null > /dev/null < /dev/null
umount scratch/keep
