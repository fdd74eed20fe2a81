"""What the views cost: bytes and CPU time at 4, 64 and 512 ranks, on simulated evidence of one hour.

The floor of the report is reading its rows (every table collected once); the floor of the timeline is protobuf itself
(the finished trace parsed and serialised again). CPU time, the best of three, so that a busy machine counts little.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

from inquest.bundle.schema import BY_NAME
from inquest.render import report, timeline
from tests.render import scenarios

LIMIT_REPORT_BYTES = 2_000_000
LIMIT_REPORT_SECONDS = 2.0


def best(call):
    """Least CPU seconds of three calls, and the last result."""
    least, result = float("inf"), None
    for _ in range(3):
        begin = time.process_time()
        result = call()
        least = min(least, time.process_time() - begin)
    return least, result


def main() -> int:
    within = True
    print("ranks  report KB    CPU s  rows read s   trace MB    CPU s  protobuf s  packets/s")
    for nodes, per_node in ((2, 2), (8, 8), (64, 8)):
        case = scenarios.killed(nodes=nodes, per_node=per_node, steps=1000, seconds=3600)
        read_s, _ = best(lambda case=case: [case.evidence.scan(table).collect().height for table in BY_NAME])
        report_s, page = best(lambda case=case: report.render(case.verdict, case.evidence))
        trace_s, trace = best(lambda case=case: timeline.render(case.verdict, case.evidence))
        floor_s, packets = best(lambda trace=trace: _again(trace))
        print(
            f"{nodes * per_node:5}  {len(page) / 1e3:9.0f}  {report_s:7.2f}  {read_s:11.2f}  {len(trace) / 1e6:9.1f}"
            f"  {trace_s:7.2f}  {floor_s:10.2f}  {packets / trace_s:9,.0f}"
        )
        within &= len(page) <= LIMIT_REPORT_BYTES and report_s <= LIMIT_REPORT_SECONDS
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB, evidence included")
    print(
        f"report within {LIMIT_REPORT_BYTES / 1e6:.0f} MB and {LIMIT_REPORT_SECONDS:.0f} s: {'yes' if within else 'NO'}"
    )
    return 0 if within else 1


def _again(data: bytes) -> int:
    trace = pb.Trace.FromString(data)
    trace.SerializeToString()
    return len(trace.packet)


if __name__ == "__main__":
    sys.exit(main())
