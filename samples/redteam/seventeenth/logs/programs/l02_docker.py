"""Write a command's two streams as docker's json-file driver does."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime
from typing import IO

lock = threading.Lock()


def pump(stream: IO[str], name: str) -> None:
    """Copy one stream."""
    for line in stream:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "000Z"
        with lock, open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(json.dumps({"log": line, "stream": name, "time": now}) + "\n")


child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
assert child.stdout is not None
assert child.stderr is not None
threads = [threading.Thread(target=pump, args=pair) for pair in ((child.stdout, "stdout"), (child.stderr, "stderr"))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.exit(child.wait())
