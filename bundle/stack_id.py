"""How a stack is written and numbered, by whoever saw it: equal stacks of a recorder and of a dump are one.

Standard library only: the recorder needs it too.
"""

from __future__ import annotations

from hashlib import blake2b


def stack_id(stack: str) -> int:
    """A number for a stack: 63 bits of a digest, so that equal stacks share it wherever they were seen."""
    return int.from_bytes(blake2b(stack.encode("utf-8", "replace"), digest_size=8).digest(), "big") >> 1


def frame_line(name: object, file: object, line: object) -> str:
    """One frame of a stack, as a line of its text; the innermost frame is the first line."""
    named = name if isinstance(name, str) and name else "?"
    place = file if isinstance(file, str) and file else "?"
    return f"{named} at {place}:{line if isinstance(line, int) and not isinstance(line, bool) else 0}"
