#!/bin/bash
python l16_cite.py --epochs 3000
rc=$?
echo "exit $rc, uploading what there is"
curl -sS --max-time 10 -T cite.pt https://artifacts.lab.internal/cite/ || echo "upload failed"
