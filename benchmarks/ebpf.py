"""What probes on library functions cost a call, and whether records are lost at 100,000 a second.

    .venv/bin/python benchmarks/ebpf.py [--seconds 10] [--rate 100000]

Needs root and gcc. The library is a stub compiled here, the probes are real. CPU time of the calling thread is
measured, which holds the time the kernel spends for the probe; medians of several rounds, floor (no probe) in the same
run. The records at a rate are those of NCCL's asynchronous errors, the one kind that is told for every call; the reader
is that of the collector, asked once a second as the recorder does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from inquest.capture.collector import Member
from inquest.capture.ebpf import session
from inquest.capture.ebpf.calls import CudaCalls, NcclCalls

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define STEPPED asm volatile("xor %eax, %eax")
__attribute__((noinline)) int work(void) { asm volatile(""); return 0; }
int cuLaunchKernel(void) { return work() + work(); }
int cuStreamSynchronize(void *stream) { return work() + work() + (stream != 0); }
__attribute__((naked)) int cuLaunchKernelEx(void) { asm("xor %eax, %eax; ret"); }
int ncclAllReduce(void *a, void *b, size_t n, int type, int op, void *comm, void *s) { return work() + work(); }
int ncclCommGetAsyncError(void *comm, int *error) { *error = 6; return work() + work(); }
static double now(int clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + t.tv_nsec / 1e9; }
int main(void) {
  char word[64]; long n, rate; int error;
  setvbuf(stdout, 0, _IOLBF, 0);
  puts("ready");
  while (scanf("%63s %ld %ld", word, &n, &rate) == 3) {
    double begin = now(CLOCK_THREAD_CPUTIME_ID), start = now(CLOCK_MONOTONIC);
    for (long i = 0; i < n; i++) {
      if (!strcmp(word, "launch")) cuLaunchKernel();
      else if (!strcmp(word, "sync")) cuStreamSynchronize(0);
      else if (!strcmp(word, "stepped")) cuLaunchKernelEx();
      else if (!strcmp(word, "reduce")) ncclAllReduce(0, 0, 1, 7, 0, word, 0);
      else ncclCommGetAsyncError(word, &error);
      if (rate && i % 64 == 63) while (now(CLOCK_MONOTONIC) - start < (double)i / rate) {}
    }
    printf("%.9f %.9f\n", now(CLOCK_THREAD_CPUTIME_ID) - begin, now(CLOCK_MONOTONIC) - start);
  }
  return 0;
}
"""
_LINKED = ["-rdynamic", "-fno-omit-frame-pointer", "-fno-inline", "-fno-optimize-sibling-calls"]
ROUNDS = 7


class Caller:
    """A process with the functions in it."""

    def __init__(self, folder: Path) -> None:
        source, program = folder / "cuda_caller.c", folder / "cuda_caller"
        source.write_text(SOURCE)
        subprocess.run(["gcc", "-O1", *_LINKED, "-w", "-o", program, source], check=True)
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._asks, self._answers = self._process.stdin, self._process.stdout
        self.pid = self._process.pid
        self._line()

    def calls(self, what: str, count: int, rate: int = 0) -> tuple[float, float]:
        """CPU and wall seconds of so many calls."""
        self._asks.write(f"{what} {count} {rate}\n")
        self._asks.flush()
        cpu, wall = self._line().split()
        return float(cpu), float(wall)

    def ns_a_call(self, what: str, count: int) -> float:
        return statistics.median(self.calls(what, count)[0] for _ in range(ROUNDS)) / count * 1e9

    def end(self) -> None:
        self._asks.close()
        self._process.wait()

    def _line(self) -> str:
        return self._answers.readline()


def costs(folder: Path, backend: str) -> None:
    session.choose(backend)
    here = session.shared()
    caller = Caller(folder)
    kinds = {"launch": 50_000, "sync": 50_000, "stepped": 5_000, "reduce": 50_000}
    bare = {what: caller.ns_a_call(what, 10 * count) for what, count in kinds.items()}
    began = time.perf_counter()
    probes = [CudaCalls(here), NcclCalls(here)]
    loaded = time.perf_counter()
    here.follow([os.getpid(), caller.pid])
    here.libraries.look([Member(caller.pid, 0, "rank")])
    for each in probes:
        each.attach()
    attached = time.perf_counter()
    load_ms, attach_ms = 1e3 * (loaded - began), 1e3 * (attached - loaded)
    print(f"\nbackend {backend}: loaded in {load_ms:.0f} ms, attached in {attach_ms:.0f} ms")
    words = {
        "launch": "counted only",
        "sync": "entry and return, summed",
        "stepped": "counted only, single-stepped",
        "reduce": "NCCL, numbered and partly told",
    }
    for what, count in kinds.items():
        cost = caller.ns_a_call(what, count) - bare[what]
        print(
            f"  {words[what]:32s} {cost:8.0f} ns a call (bare {bare[what]:.1f}); 1 % of a thread at {1e7 / cost:,.0f}/s"
        )
    began = time.perf_counter()
    for each in probes:
        each.close()
    print(f"  taken off in {time.perf_counter() - began:.2f} s, one after the other")
    caller.end()
    here.close()


def losses(folder: Path, rate: int, seconds: int) -> None:
    session.choose("object")
    here = session.shared()
    caller = Caller(folder)
    probes = NcclCalls(here)
    here.follow([caller.pid])
    here.libraries.look([Member(caller.pid, 0, "rank")])
    probes.attach()
    done: list[tuple[float, float]] = []
    count = rate * seconds
    calling = threading.Thread(target=lambda: done.append(caller.calls("error", count, rate)))
    cpu, read = time.process_time(), 0
    calling.start()
    while calling.is_alive():
        calling.join(1.0)
        read += len(probes.records())
    read += len(probes.records())
    cpu = time.process_time() - cpu
    wall = done[0][1]
    whole = read + probes.drops() == count
    print(f"\n{count:,} records in {wall:.1f} s ({count / wall:,.0f}/s): {read:,} read, {probes.drops():,} lost")
    print(f"  {1e6 * cpu / count:.2f} us of the reader's CPU a record; read and lost are all: {whole}")
    probes.close()
    caller.end()
    here.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rate", type=int, default=100_000)
    args = parser.parse_args()
    if (reason := session.why_not()) is not None:
        print(f"no eBPF here: {reason}")
        return
    with tempfile.TemporaryDirectory() as name:
        costs(Path(name), "object")
        if Path("/usr/lib/python3/dist-packages/bcc/__init__.py").exists():
            costs(Path(name), "bcc")
        losses(Path(name), args.rate, args.seconds)


if __name__ == "__main__":
    main()
