"""What ``nvidia-smi -L`` printed on many hosts, each line behind the name of its own (``pdsh``, ``clush``).

``gn07: GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)``. Readings that tell nothing but a UUID are of the node that has
it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_LINE: Final = re.compile(
    r"(?P<host>[A-Za-z0-9][\w.-]{0,252})(?:\s*[:|]\s*|\s+)GPU (?P<index>\d{1,4}): (?P<model>.{1,100}?)"
    r" \(UUID: (?P<uuid>GPU-[0-9a-fA-F-]{8,40})\)\s*"
)
_SAMPLED: Final = 200
_LINE_CAP: Final = 1024
_MOST: Final = 4096
"""GPUs of a node that are kept."""


class _GpuInventory:
    name = "gpu-inventory"
    title = "GPUs of several hosts (nvidia-smi -L behind their names)"
    tables = ("node_info",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """Every line names a host and a GPU of it."""
        lines = [line for line in source.head.decode("utf-8", "replace").splitlines() if line.strip()][:_SAMPLED]
        whole = lines if len(source.head) < _LINE_CAP or len(lines) < _SAMPLED else lines[:-1]
        return bool(whole) and all(_LINE.fullmatch(line[:_LINE_CAP]) or line.startswith(("#", "---")) for line in whole)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """A row a host."""
        found: dict[str, dict[int, tuple[str, str]]] = {}
        for line in source.lines(_LINE_CAP):
            if (told := _LINE.fullmatch(line)) is None:
                if line.strip():
                    context.refuse("lines that name no GPU of a host")
                continue
            gpus = found.setdefault(told["host"], {})
            if len(gpus) < _MOST:
                gpus[int(told["index"])] = (told["uuid"], told["model"].replace(",", " "))
        for host, gpus in found.items():
            in_order = [gpus[index] for index in sorted(gpus)]
            yield (
                "node_info",
                [
                    {
                        "node": host,
                        "gpus": len(in_order),
                        "gpu_uuids": ",".join(uuid for uuid, _ in in_order),
                        "gpu_models": ",".join(model for _, model in in_order),
                    }
                ],
            )


KIND = _GpuInventory()
