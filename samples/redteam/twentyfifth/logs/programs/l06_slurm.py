"""What slurmd does with a job of one minute: starts it, and ends it at its limit."""

import datetime
import os
import signal
import subprocess
import time

env = {**os.environ, "SLURM_JOB_ID": "731844", "SLURMD_NODENAME": "cn07"}
with open("folksong-731844.out", "w") as out:
    job = subprocess.Popen(["bash", "l06_job.sh"], stdout=out, stderr=out, env=env, start_new_session=True)
    time.sleep(66)
    if job.poll() is None:
        moment = datetime.datetime.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
        os.write(out.fileno(), f"slurmstepd: error: *** JOB 731844 ON cn07 CANCELLED AT {moment} DUE TO TIME LIMIT ***\n"
                 .encode())  # fmt: skip
        os.killpg(job.pid, signal.SIGTERM)
        job.wait()
