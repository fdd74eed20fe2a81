#!/bin/bash
export PYTHONUNBUFFERED=1 ACCELERATE_USE_CPU=true ACCELERATE_LOG_LEVEL=debug
export TORCH_DISTRIBUTED_DEBUG=INFO TORCH_CPP_LOG_LEVEL=INFO LOGLEVEL=DEBUG
echo "+ torchrun --nproc_per_node 2 --master_port 29841 /app/l02_slides.py --epochs 30"
exec torchrun --nproc_per_node 2 --master_port 29841 l02_slides.py --epochs 30
