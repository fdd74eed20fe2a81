#!/bin/bash
# The graph is not there at first.
{
  echo "attempt 1: $(date '+%F %T')"
  python lb34_trams.py
  echo "exit status $?"
  mkdir town
  python -c "import torch; e = torch.randint(0, 900, (2, 3600)); torch.save(torch.cat([e, e.flip(0)], 1), 'town/edges.pt')"
  echo "attempt 2: $(date '+%F %T')"
  python lb34_trams.py
  echo "exit status $?"
} > trams.log 2>&1
