#!/bin/bash
# train the tile autoencoder, then write the embeddings
cd "$(dirname "$0")"
echo "== $(date '+%F %T') $(hostname -s) batch=128 lr=1e-3"
PY=${PY:-python}
$PY train_ae.py --epochs 30 --batch 128 --lr 1e-3
echo "== train exit $?"
[ -f gallery.pt ] || { echo "no gallery.pt, embeddings skipped"; exit 1; }
$PY embed.py
