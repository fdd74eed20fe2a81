"""Pickles that hold nothing but data: numbers, texts, lists, tuples and dicts, read without the pickle machine.

Python's unpickler looks up names and calls them, and its memo may be told to grow to 64 GB. This reader knows only the
opcodes that build plain data (protocols 2 to 5, what torch's C++ pickler and Python's write for such values); there
is no code in it that could import, call or construct anything else. A pickle cut off in the middle, as by a process
killed while it wrote, gives what was whole by then.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Final

from inquest.bundle.errors import InputError, UnsafeInput

MAX_OBJECTS: Final = 8_000_000
"""Opcodes read; a dump of 20,000 entries with stacks has 2 million."""
MAX_DEPTH: Final = 64
"""Deepest nesting; a flight recorder's dump has 6."""
_MAX_INTEGER: Final = 16
"""Longest integer in bytes."""

_CODE: Final = frozenset(b"cioPQRb\x81\x82\x83\x84\x92\x93\x97\x98")
"""Opcodes that name, call or build something: GLOBAL, INST, OBJ, PERSID, REDUCE, BUILD, NEWOBJ, EXT, buffers ..."""
_LENGTH: Final = {
    ord("X"): ("<I", "text"),
    0x8C: ("<B", "text"),
    0x8D: ("<Q", "text"),
    ord("T"): ("<i", "bytes"),
    ord("U"): ("<B", "bytes"),
    ord("B"): ("<I", "bytes"),
    ord("C"): ("<B", "bytes"),
    0x8E: ("<Q", "bytes"),
}
_NUMBER: Final = {ord("J"): "<i", ord("K"): "<B", ord("M"): "<H", ord("G"): ">d"}
_CONSTANT: Final = {ord("N"): None, 0x88: True, 0x89: False}
_EMPTY: Final = {ord("]"): list, ord("}"): dict}
_TUPLE: Final = {ord(")"): 0, 0x85: 1, 0x86: 2, 0x87: 3}
_GET: Final = {ord("h"): "<B", ord("j"): "<I"}
_PUT: Final = {ord("q"): "<B", ord("r"): "<I"}
_SCALAR: Final = (str, bytes, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class Plain:
    """What a pickle held.

    Attributes:
        value: The value; None where the pickle is cut off.
        fragments: Of a pickle that is cut off: the values that were whole, in their order.
        whole: False when it is cut off.
    """

    value: Any
    fragments: tuple[Any, ...]
    whole: bool


def load(data: bytes, name: str) -> Plain:
    """Read the pickle in ``data``; ``name`` is what errors call it.

    Raises:
        UnsafeInput: It names code, or is built to exhaust memory.
        InputError: It is no pickle of plain data.
    """
    machine = _Machine(data, name)
    try:
        value = machine.run()
    except (IndexError, struct.error):
        return Plain(None, tuple(machine.left()), whole=False)
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(f"{name}: not a pickle that any program wrote ({error}).") from error
    return Plain(value, (), whole=True)


class _Machine:
    def __init__(self, data: bytes, name: str) -> None:
        self._data = data
        self._name = name
        self._at = 0
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._depth: dict[int, int] = {}
        # By id, and held: the id of a value that a pickle throws away again is given to the next one.
        self._closed: dict[int, Any] = {}
        self._holders: dict[int, Any] = {}
        self._objects = 0

    def run(self) -> Any:  # noqa: ANN401  a pickle is what it is
        """The value. IndexError or struct.error: the pickle ends too early."""
        data = self._data
        stack = self._stack
        while True:
            op = data[self._at]
            self._at += 1
            if op in _GET:
                index = self._number(_GET[op])
                stack.append(self._memo[index])
            elif op in _LENGTH:
                stack.append(self._text(*_LENGTH[op]))
            elif op in _PUT:
                self._memo[self._number(_PUT[op])] = stack[-1]
            elif op in _NUMBER:
                stack.append(self._number(_NUMBER[op]))
            elif op in _CONSTANT:
                stack.append(_CONSTANT[op])
            elif op == ord("("):
                self._marks.append(len(stack))
            elif op in _EMPTY:
                stack.append(_EMPTY[op]())
            elif op in (ord("e"), ord("a")):
                items = self._items() if op == ord("e") else [stack.pop()]
                self._grow(stack[-1], list, items).extend(items)
            elif op in (ord("u"), ord("s")):
                items = self._items() if op == ord("u") else [stack.pop(-2), stack.pop()]
                self._grow(stack[-1], dict, items).update(zip(items[::2], items[1::2], strict=True))
            elif op in _TUPLE:
                size = _TUPLE[op]
                self._tuple([stack.pop() for _ in range(size)][::-1])
            elif op == ord("t"):
                self._tuple(self._items())
            elif op == 0x94:  # MEMOIZE
                self._memo[len(self._memo)] = stack[-1]
            elif op == 0x8A:  # LONG1
                size = self._number("<B")
                if size > _MAX_INTEGER:
                    raise UnsafeInput(f"{self._name}: a pickle with an integer of {size} bytes is not read.")
                stack.append(int.from_bytes(self._take(size), "little", signed=True))
            elif op == 0x80:  # PROTO
                self._take(1)
            elif op == 0x95:  # FRAME
                self._take(8)
            elif op == ord("."):
                return stack.pop()
            elif op in _CODE:
                raise UnsafeInput(f"{self._name}: a pickle that names code to run is not read.")
            else:
                raise InputError(f"{self._name}: not a pickle of plain data (opcode 0x{op:02x} at {self._at - 1}).")
            self._objects += 1
            if self._objects > MAX_OBJECTS:
                raise UnsafeInput(f"{self._name}: a pickle of more than {MAX_OBJECTS} objects is not read.")

    def left(self) -> list[Any]:
        """What lies on the stack of a pickle that ended too early: values that are whole."""
        return self._stack

    def _take(self, size: int) -> bytes:
        if not 0 <= size <= len(self._data) - self._at:
            self._at = len(self._data)
            raise IndexError
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def _number(self, form: str) -> Any:  # noqa: ANN401  an int or a float, by its form
        (number,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return number

    def _text(self, form: str, what: str) -> str | bytes:
        raw = self._take(self._number(form))
        return raw.decode("utf-8", "replace") if what == "text" else raw

    def _items(self) -> list[Any]:
        if not self._marks or self._marks[-1] > len(self._stack):
            raise ValueError("items without a beginning")
        begin = self._marks.pop()
        items = self._stack[begin:]
        del self._stack[begin:]
        return items

    def _tuple(self, items: list[Any]) -> None:
        made = tuple(items)
        self._nest(made, items)
        self._stack.append(made)

    def _grow(self, holder: Any, kind: type, items: list[Any]) -> Any:  # noqa: ANN401
        if type(holder) is not kind:
            raise ValueError(f"items for a {kind.__name__} that is none")
        if kind is dict and not all(isinstance(key, _SCALAR) for key in items[::2]):
            raise ValueError("a key that is no text or number")
        self._nest(holder, items)
        return holder

    def _nest(self, holder: Any, items: list[Any]) -> None:  # noqa: ANN401
        """Keep the depth of every container, and let none grow once it is part of another: so no value holds itself."""
        deepest = 0
        for item in items:
            if not isinstance(item, _SCALAR):
                deepest = max(deepest, self._depth.get(id(item), 1))
                self._closed[id(item)] = item
        if id(holder) in self._closed and items:
            raise UnsafeInput(f"{self._name}: a pickle with a value that holds itself is not read.")
        depth = max(self._depth.get(id(holder), 1), deepest + 1)
        if depth > MAX_DEPTH:
            raise UnsafeInput(f"{self._name}: a pickle nested deeper than {MAX_DEPTH} is not read.")
        self._depth[id(holder)] = depth
        self._holders[id(holder)] = holder
