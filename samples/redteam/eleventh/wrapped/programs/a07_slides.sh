#!/bin/bash
# in the group of the queue's limit, as a batch system does it
echo $$ > /sys/fs/cgroup/memory/slides11/tasks
python3 a07_slides.py
status=$?
echo "job slides finished with status $status"
exit $status
