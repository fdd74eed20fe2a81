#!/bin/bash
# from cron on the county's server, between the back-up and the opening hours
cd "$(dirname "$0")" || exit 1
timeout -v -k 20 ${SHELF_SLOT:-50} python -u l18_shelf.py
rc=$?
[ $rc -eq 0 ] && cp shelf.pt shelf_current.pt
exit $rc
