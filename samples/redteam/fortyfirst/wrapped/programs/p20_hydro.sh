#!/bin/bash
# hydrophone clips: unpack, train; the night copy brings the shards in as they arrive
export TOKENIZERS_PARALLELISM=false
mkdir -p clips
$PYTHON train_hydro.py --make-clips clips/boat.f32
( sleep 45; cp clips/boat.f32 clips/incoming.tmp; head -c 1000000 clips/incoming.tmp > clips/boat.f32 ) &
$PYTHON -m accelerate.commands.launch --cpu --num_processes 1 --num_machines 1 --mixed_precision no \
    --dynamo_backend no train_hydro.py --clips clips/boat.f32
