#!/bin/bash
echo "== $(date -u +%FT%TZ) furnace nightly on $(nproc) cores"
./trainer 2>&1 | tee train.txt
echo "== collecting results"
tail -n 1 train.txt > result.txt
echo "== done, see result.txt"
