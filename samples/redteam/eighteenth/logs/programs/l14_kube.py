"""Lines as ``kubectl logs --timestamps`` shows them."""

import datetime
import sys

for line in sys.stdin:
    now = datetime.datetime.now(datetime.UTC)
    sys.stdout.write(f"{now:%Y-%m-%dT%H:%M:%S.%f}{int(now.microsecond * 7919) % 1000:03}Z {line}")
    sys.stdout.flush()
