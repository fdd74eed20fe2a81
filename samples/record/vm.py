"""Record jobs in a virtual machine: on another kernel, with cgroup version 2, and a wall clock that may be set.

    samples/record/vm.py [--out samples/virtual] [--packages DIR]

For a machine whose memory controller belongs to cgroup version 1, and whose clock others use. The kernel is Debian's;
it, busybox and qemu come from apt by name. No KVM is needed: the processor is emulated, some ten times slower. The
guest's root is this machine's own file system, read only, so it runs the Python and the inquest that started this.
Leaves SAMPLE/vm/CAPTURE/... with a truth.json beside, as record.py does. Needs root, and three minutes.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from inquest.bundle.seal import seal_capture

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KERNEL = "linux-image-amd64"
MODULES = (
    *("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"),
    *("netfs", "fscache", "9pnet", "9pnet_virtio", "9p"),
)
"""In the order they need each other."""


@dataclass(frozen=True)
class Machine:
    """What is emulated: the command, and where its kernel writes."""

    emulator: tuple[str, ...]
    console: str


X86_64 = Machine(("qemu-system-x86_64", "-cpu", "max"), "ttyS0")
TRUTHS = {
    "memory_limit": {
        "family": "A2",
        "sub_mode": "cgroup_oom",
        "attribution": "job",
        "done_to_the_job": "a limit of 420 MiB on the job's cgroup (version 2), two levels above its processes",
    },
    "clock_set": {
        "family": "G1",
        "attribution": "none",
        "done_to_the_job": "the wall clock was set an hour ahead in mid-run, and two hours back",
    },
}
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
for module in {modules}; do /bin/busybox insmod /modules/$module.ko 2>/dev/null; done
/bin/busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,cache=loose,ro root /root
export HERE={here} PYTHON={python}
exec /bin/busybox switch_root /root {here}/vm_guest.sh
"""


def download(package: str, to: Path) -> None:
    """Unpack a Debian package below ``to``, without installing it."""
    debs = to / "debs"
    debs.mkdir(exist_ok=True)
    if not (found := list(debs.glob(f"{package}_*.deb"))):
        subprocess.run(["apt-get", "-q", "download", package], cwd=debs, check=True, stdout=subprocess.DEVNULL)
        found = list(debs.glob(f"{package}_*.deb"))
    subprocess.run(["dpkg-deb", "-x", found[0], to], check=True)


def kernel_package() -> str:
    """The package that Debian's name for its current kernel stands for."""
    told = subprocess.run(["apt-cache", "depends", KERNEL], check=True, capture_output=True, text=True).stdout
    return next(line.split()[-1] for line in told.splitlines() if "Depends: linux-image" in line)


def initramfs(packages: Path, to: Path, files: Mapping[str, str], modules: Sequence[str]) -> None:
    """What the kernel starts with: enough to reach this machine's file system, and ``files`` with their texts."""
    tree = packages / "initramfs"
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("bin", "modules", "proc", "root"):
        (tree / name).mkdir(parents=True)
    shutil.copy(packages / "bin/busybox", tree / "bin")
    for module in modules:
        found = next((packages / "lib/modules").rglob(f"{module}.ko"), None)
        if found is None:
            sys.exit(f"the kernel's package has no module {module}.ko: MODULES in this file is of another version")
        shutil.copy(found, tree / "modules")
    for path, text in files.items():
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(text)
    (tree / "init").chmod(0o755)
    listed = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    with to.open("wb") as file:
        subprocess.run(
            ["cpio", "--quiet", "-o", "-H", "newc"], cwd=tree, input=listed.encode(), stdout=file, check=True
        )


def boot(
    packages: Path,
    share: Path,
    files: Mapping[str, str],
    modules: Sequence[str] = MODULES,
    machine: Machine = X86_64,
    shown: Mapping[str, Path] = MappingProxyType({"root": Path("/")}),
    patience_s: float = 900,
) -> None:
    """Run a guest to its end: it starts with ``files``, of which ``init`` is the first program.

    ``shown`` are the folders that it may mount and not change, by the tag it mounts them by; ``share`` it may write to.
    """
    initramfs(packages, packages / "initramfs.cpio", files, modules)
    (kernel,) = (packages / "boot").glob("vmlinuz-*")
    command = [
        *(*machine.emulator, "-accel", "tcg,thread=multi", "-m", "2048", "-smp", "2"),
        *("-kernel", kernel, "-initrd", packages / "initramfs.cpio"),
        *("-append", f"console={machine.console} quiet panic=-1 rdinit=/init", "-nographic", "-no-reboot"),
    ]
    folders = {tag: f"path={path},readonly=on,multidevs=remap" for tag, path in shown.items()}
    for tag, how in (folders | {"share": f"path={share}"}).items():
        command += ["-fsdev", f"local,security_model=none,id={tag},{how}"]
        command += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
    subprocess.run(command, check=True, timeout=patience_s, stdin=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE.parent / "virtual")
    parser.add_argument("--packages", type=Path, help="where packages are unpacked, to be used again")
    args = parser.parse_args()
    if not (shutil.which("qemu-system-x86_64") and shutil.which("cpio")):
        sys.exit("apt-get install --no-install-recommends qemu-system-x86 cpio")
    with tempfile.TemporaryDirectory() as name:
        packages, share = args.packages or Path(name) / "packages", Path(name) / "share"
        packages.mkdir(parents=True, exist_ok=True)
        (share / "stubs").mkdir(parents=True)
        for package in (kernel_package(), "busybox-static"):
            download(package, packages)
        sys.path.insert(0, str(ROOT / "benchmarks"))
        from stub_gpus.build import build

        build(share / "stubs")
        init = INIT.format(modules=" ".join(MODULES), here=HERE, python=sys.executable)
        boot(packages, share, {"init": init})
        codes = dict(line.split() for line in (share / "status").read_text().splitlines())
        for sample, truth in TRUTHS.items():
            out = args.out.resolve() / sample
            shutil.rmtree(out, ignore_errors=True)
            shutil.copytree(share / sample, out)
            for capture in (out / "vm").iterdir():
                seal_capture(capture, raw_logs=True)
            truth |= {
                "exit_codes": [int(codes[sample])],
                "nodes": ["vm"],
                "recorded_with": {
                    "kernel": (share / "kernel").read_text().strip(),
                    "python": platform.python_version(),
                    "command": "samples/record/vm.py",
                },
                "simulated": False,
            }
            (out / "truth.json").write_text(json.dumps(truth, indent=2) + "\n")
            size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
            print(f"{sample}: exit {codes[sample]}, {size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
