#!/bin/sh
set -e
echo "entrypoint: image shanty-mlm:0.9, user $(id -un)"
mkdir -p out cache
echo "entrypoint: scratch has $(df -h . | tail -1 | awk '{print $4}') free"
tar czf cache/src.tgz l20_*.py && echo "entrypoint: sources kept in cache/src.tgz"
python l20_shanty.py
tar czf out/shanty.tgz -C out shanty.pt
sha256sum out/shanty.tgz
echo "entrypoint: uploading out/shanty.tgz"
cp out/shanty.tgz cache/
echo "entrypoint: upload ok, bye"
