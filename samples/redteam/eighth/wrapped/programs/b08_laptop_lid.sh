#!/bin/bash
# What sshd does to a session's processes when the laptop at the other end is closed.
python3 b08_laptop_lid.py &
(sleep 11; kill -HUP $!) &
wait %1
