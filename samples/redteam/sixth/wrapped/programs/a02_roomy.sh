#!/bin/bash
# Interactive nodes allow 1.2 GB of address space a user.
ulimit -v 1200000
exec python3 a02_roomy.py
