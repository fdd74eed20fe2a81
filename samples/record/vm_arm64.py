"""Run the tests of the probes, and record a job, on arm64: in a virtual machine with a processor of that kind.

    samples/record/vm_arm64.py [--out samples/virtual/arm64] [--packages DIR]

As vm.py, from which the way in comes; the guest's root is a Debian of its own that debootstrap unpacks, with the wheels
that PyPI has for arm64, and inquest is this tree. Leaves the recording with a truth.json, and what pytest said in
tests.txt. Needs root, the Debian and PyPI registries, 3 GB of disk and a quarter of an hour.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from vm import HERE, MODULES, ROOT, Machine, boot

from inquest.bundle.seal import seal_capture

ARM64 = Machine(("qemu-system-aarch64", "-M", "virt", "-cpu", "neoverse-n1", "-nic", "none"), "ttyAMA0")
BUILT_IN = {"virtio_ring", "virtio"}
SUITE = "bookworm"
PACKAGES = ("busybox-static", "gcc", "iproute2", "libc6-dev", "linux-image-arm64", "procps", "python3", "python3-venv")
WHEELS = ("hypothesis", "jinja2", "nvidia-ml-py", "polars", "pyarrow", "pytest", "pytest-timeout", "sqlglot", "typer")
PYTHON = "3.11"
INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
for module in {modules}; do $b insmod /modules/$module.ko 2>/dev/null; done
how=trans=virtio,version=9p2000.L,msize=512000,cache=loose,ro
$b mount -t 9p -o $how root /root
$b mount -t 9p -o $how inquest /root/inquest
export HERE=/inquest/samples/record PYTHONDONTWRITEBYTECODE=1
exec $b switch_root /root /inquest/samples/record/vm_arm64.sh
"""


def unpack(root: Path) -> None:
    """A Debian for arm64 that nothing has configured: its programs run, and that is all that is asked of it."""
    shutil.rmtree(root, ignore_errors=True)
    wanted = f"--include={','.join(PACKAGES)}"
    subprocess.run(["debootstrap", "--arch=arm64", "--foreign", "--variant=minbase", wanted, SUITE, root], check=True)
    for deb in (root / "var/cache/apt/archives").glob("*.deb"):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
            subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", root], stdin=tar.stdout, check=True)
    (root / "proc").unlink()  # debootstrap leaves a link to this machine's own
    for name in ("proc", "inquest"):
        (root / name).mkdir()
    (root / "etc/ld.so.cache").touch()
    packages = root / f"usr/local/lib/python{PYTHON}/dist-packages"
    platforms = [f"--platform=manylinux_2_{glibc}_aarch64" for glibc in (17, 28)]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--only-binary=:all:", f"--python-version={PYTHON}"]
    subprocess.run([*pip, *platforms, "--target", packages, *WHEELS], check=True)
    (packages / "inquest.pth").write_text("/inquest\n")


def main() -> None:
    """Boot, let it test and record, and keep what it left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE.parent / "virtual" / "arm64")
    parser.add_argument("--packages", type=Path, help="where packages are unpacked, to be used again")
    args = parser.parse_args()
    if not all(map(shutil.which, ("qemu-system-aarch64", "cpio", "debootstrap"))):
        sys.exit("apt-get install --no-install-recommends qemu-system-arm cpio debootstrap")
    with tempfile.TemporaryDirectory() as name:
        root, share = (args.packages or Path(name) / "packages").absolute() / "root", Path(name) / "share"
        share.mkdir()
        if not (root / "inquest").exists():
            unpack(root)
        modules = [module for module in MODULES if module not in BUILT_IN]
        init = INIT.format(modules=" ".join(modules))
        boot(root, share, {"init": init}, modules, ARM64, {"root": root, "inquest": ROOT}, patience_s=3600)
        told = (share / "tests.txt").read_text()
        print(told)
        out = args.out.resolve()
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(share / "recorded", out)
        for capture in (out / "vm").iterdir():
            seal_capture(capture, raw_logs=True)
        truth = {
            "family": "G1",
            "attribution": "none",
            "done_to_the_job": "nothing",
            "exit_codes": [int((share / "status").read_text().split()[1])],
            "nodes": ["vm"],
            "recorded_with": {
                "kernel": (share / "kernel").read_text().strip(),
                "python": PYTHON,
                "command": "samples/record/vm_arm64.py",
                "tests": told.strip().splitlines()[-1],
            },
            "simulated": False,
        }
        (out / "truth.json").write_text(json.dumps(truth, indent=2) + "\n")


if __name__ == "__main__":
    main()
