#!/bin/bash
# Entry point of the container: thumbnails beside the training.
echo "entrypoint: starting thumbd and train.py"
/tmp/pv/bin/python thumbd.py &
exec /tmp/pv/bin/python train.py
