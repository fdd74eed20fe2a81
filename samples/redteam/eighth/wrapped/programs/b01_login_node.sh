#!/bin/bash
ulimit -S -t 11   # as /etc/security/limits.conf has it on login nodes
python3 b01_login_node.py
echo "exit status $?"
