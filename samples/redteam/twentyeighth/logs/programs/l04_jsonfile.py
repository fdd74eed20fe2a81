"""Write what two pipes say as docker's json-file driver does."""

import datetime
import json
import subprocess
import sys
import threading

run = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
lock = threading.Lock()
with open(sys.argv[1], "w") as kept:

    def pump(pipe, stream):
        """Copy one pipe."""
        for line in pipe:
            now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "417Z"
            with lock:
                kept.write(json.dumps({"log": line, "stream": stream, "time": now}, separators=(",", ":")) + "\n")

    both = [threading.Thread(target=pump, args=a) for a in ((run.stdout, "stdout"), (run.stderr, "stderr"))]
    [one.start() for one in both]
    [one.join() for one in both]
