#!/bin/bash
# nightly: room on disk, clean old models, learn, then send the model home
echo "### nightly $(date '+%d.%m.%Y %H:%M:%S') ###"
echo "-- room"
df -h . | awk 'NR==2 {print $4 " free of " $2}'
echo "-- old models"
mkdir -p models; find models -name '*.zip' -mtime +14 -print -delete | wc -l
ls /opt/nightly/env.sh >/dev/null && . /opt/nightly/env.sh
echo "-- syntax"
$PYTHON -m py_compile acrobot.py && echo ok
echo "-- learn"
$PYTHON acrobot.py
echo "-- send"
sha256sum acrobot_a2c.zip
cp -v acrobot_a2c.zip models/acrobot_$(date +%Y%m%d).zip
echo "### nightly over ###"
