"""Keeping a fault of ours in one place: a parser that fails costs its own facts and some trust, not the verdict."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from inquest.bundle.errors import InquestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)


class Troubles:
    """What went wrong in reading evidence, in words for the verdict's warnings.

    Args:
        strict: Let a fault surface as an exception (tests).
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict
        self._told: dict[str, None] = {}
        self.faulty = False
        """Whether a fault of ours kept something from being read."""

    def contain(self, what: str, otherwise: T, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What ``work`` gives; where it fails, ``otherwise``, and the fault is remembered as one of reading ``what``.

        Raises:
            InquestError: The input is at fault, which is for the caller to say.
        """
        try:
            return work(*args, **kwargs)
        except InquestError:
            raise
        except Exception as error:
            if self._strict:
                raise
            _log.debug("reading %s failed", what, exc_info=True)
            self.faulty = True
            self._told[
                f"Some {what} could not be read: a fault in inquest ({type(error).__name__}). Please report it."
            ] = None
            return otherwise

    def note(self, sentence: str) -> None:
        """Remember what the reader of a verdict should know of how evidence was read."""
        self._told[sentence] = None

    def each(self, what: str, work: Callable[P, Iterable[T]], *args: P.args, **kwargs: P.kwargs) -> list[T]:
        """All that ``work`` gives; nothing where it fails. See ``contain``."""
        empty: list[T] = []
        return self.contain(what, empty, lambda: list(work(*args, **kwargs)))

    @property
    def told(self) -> tuple[str, ...]:
        """One sentence a kind of fault, in the order they came."""
        return tuple(self._told)
