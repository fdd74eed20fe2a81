"""Run the programs under `inquest run`: `python record.py OUT [CASE...]`, with TRAIN_BIN, a folder of torch's python."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
BIN = os.environ.get("TRAIN_BIN", str(Path(sys.executable).parent))
P = f"{BIN}/python {HERE}/programs"
RUN = f"{BIN}/torchrun --standalone --nproc-per-node"
DDP = f"{HERE}/programs/ddp.py"

CASES: dict[str, str] = {
    "w01_triage_classifier": f"{P}/triage_classifier.py",
    "w02_compare_with_failed": f"{P}/compare_with_failed.py",
    "w03_flaky_store": f"{P}/flaky_store.py",
    "w04_batch_finder": f"{P}/batch_finder.py",
    "w05_bar_only": f"{P}/bar_only.py",
    "w06_json_errors": f"{P}/json_errors.py",
    "w07_skipped_inf": f"{P}/skipped_inf.py",
    "w08_upload_after_success": f"{P}/upload_after_success.py",
    "w09_swallow_all": f"{P}/swallow_all.py",
    "w10_crash_behind_tee": f"{P}/native_crash.py 2>&1 | tee train.log; echo 'All done.'",
    "w11_supervised_twice": f"{P}/supervisor.py 3 {HERE}/programs/crash_once.py",
    "w12_supervised_in_vain": f"{P}/supervisor.py 3 {HERE}/programs/wrong_size.py",
    "w13_interrupted": f"exec {P}/long_steady.py",
    "w14_cgroup": f"echo $$ > /sys/fs/cgroup/memory/author4/tasks; exec {P}/cache_grows.py",
    "w15_ulimit": f"ulimit -v 900000; exec {P}/cache_grows.py",
    "w16_real_nan": f"{P}/real_nan.py",
    "w17_schedule_zero": f"{P}/schedule_zero.py",
    "w18_ddp_bad_key": f"{RUN} 3 {DDP} 300 badkey 1 120",
    "w19_ddp_killed": f"{RUN} 4 {DDP} 300 kill 2 150",
    "w20_ddp_extra_call": f"{RUN} 3 {DDP} 200 extra 1 90",
    "w21_spawn_slow": f"{P}/spawn_slow.py",
    "w22_half_a_world": f"{P}/half_a_world.py",
    "w23_banner_then_missing": f"{P}/banner_then_missing.py",
    "w24_torn_checkpoint": f"{P}/torn_checkpoint.py",
    "w25_lost_checkpoint": f"{P}/lost_checkpoint.py --resume auto",
    "w26_small_disk": f"mkdir -p small && mount -t tmpfs -o size=20m none small && {P}/small_disk.py small",
    "w27_starved": f"{P}/starved.py",
    "w28_stuck_queue": f"timeout 50 {P}/stuck_queue.py",
    "w29_out_of_time": f"timeout 25 {P}/long_steady.py",
    "w30_trainer_in_child": f"{P}/trainer_in_child.py",
    "w31_prefetch_dies": f"{P}/prefetch_dies.py",
    "w32_fatal_line": f"{P}/fatal_line.py",
    "w33_three_steps": f"{P}/three_steps.py",
    "w34_sweep": f"{P}/sweep.py",
    "w35_usr1": f"exec {P}/usr1_checkpoint.py",
    "w36_save_every_step": f"{P}/save_every_step.py",
    "w37_ddp_well": f"{RUN} 2 {DDP} 300",
    "w38_ddp_stuck": f"{RUN} 3 {DDP} 200 stuck 1 90",
}
OUTSIDE: dict[str, tuple[float, int]] = {"w13_interrupted": (15, signal.SIGINT), "w35_usr1": (15, signal.SIGUSR1)}


def main() -> None:
    """Record the named cases, or all."""
    out, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:]
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background job ignores it, and so would its children
    for case, line in CASES.items():
        if wanted and case not in wanted:
            continue
        room, rec = out / "rooms" / case, out / "wrapped" / case
        shutil.rmtree(room, ignore_errors=True)
        shutil.rmtree(rec, ignore_errors=True)
        room.mkdir(parents=True)
        rec.parent.mkdir(parents=True, exist_ok=True)
        shell = line if "exec " in line or "ulimit" in line or "|" in line or "&&" in line else f"exec {line}"
        with (room / "screen.txt").open("wb") as screen:
            job = subprocess.Popen(
                ["inquest", "run", "--out", str(rec), "--job-id", f"70{case[1:3]}", "--", "bash", "-c", shell],
                cwd=room,
                stdout=screen,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
            if case in OUTSIDE:
                wait, number = OUTSIDE[case]
                time.sleep(wait)
                job.send_signal(number)
            code = job.wait()
        print(case, code, flush=True)
        if (room / "small").exists():
            subprocess.run(["umount", str(room / "small")], check=False)


if __name__ == "__main__":
    main()
