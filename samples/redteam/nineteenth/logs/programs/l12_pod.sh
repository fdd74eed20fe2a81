#!/bin/sh
export PYTHONUNBUFFERED=1 KERAS_BACKEND=torch
exec python l12_roofs.py --epochs 4 --tiles tiles
