"""What NCCL's numbers mean."""

from __future__ import annotations

from typing import Final

TYPES: Final = (
    ("int8", 1),
    ("uint8", 1),
    ("int32", 4),
    ("uint32", 4),
    ("int64", 8),
    ("uint64", 8),
    ("float16", 2),
    ("float32", 4),
    ("float64", 8),
    ("bfloat16", 2),
    ("float8e4m3", 1),
    ("float8e5m2", 1),
)
"""``ncclDataType_t`` by number: its name, and bytes an element (nccl.h)."""
