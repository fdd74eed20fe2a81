#!/bin/bash
exec accelerate launch --multi_gpu --num_machines 2 --num_processes 2 --machine_rank "$1" --main_process_ip 127.0.0.1 \
  --main_process_port "$2" --rdzv_conf timeout=60 b29_ferns.py
