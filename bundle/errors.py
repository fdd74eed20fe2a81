"""Every error a user can meet, drawn as a tree.

    InquestError (exit 1)            something we did wrong: please report it
    ├── UsageError (exit 2)          the command line or the SQL cannot mean anything
    │   └── QueryRefused (exit 2)    SQL outside the allow-list
    └── InputError (exit 5)          the input is damaged, unsafe or not what it claims
        ├── NotABundle               the file is not an inquest bundle at all
        ├── UnsupportedFormat        a bundle of a newer format than this build reads
        ├── DamagedBundle            a bundle whose bytes do not match its manifest
        └── UnsafeInput              input built to harm: path escape, bomb, overlap

A message says what is wrong, which file, and what to do, in one or two sentences. ``inquest/__main__.py`` is the one
place that turns an error into text on stderr and an exit code.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing costs milliseconds before the wrapped job may start
if TYPE_CHECKING:
    from typing import ClassVar


class InquestError(Exception):
    """Base of all our errors; ``exit_code`` is what the command line returns for it."""

    exit_code: ClassVar[int] = 1


class UsageError(InquestError):
    """The command line, or a query, asks for something that cannot be done as asked."""

    exit_code = 2


class QueryRefused(UsageError):
    """SQL that is not one SELECT over registered tables, or that ran past its limits."""


class InputError(InquestError):
    """Input that is damaged, unsafe, or not what it claims to be."""

    exit_code = 5


class NotABundle(InputError):
    """The file is not an inquest bundle."""


class UnsupportedFormat(InputError):
    """The bundle has a newer format version than this build reads."""


class DamagedBundle(InputError):
    """Bytes of the bundle do not match what its manifest says."""


class UnsafeInput(InputError):
    """Input built to harm: path escape, link, bomb, overlapping members, lying sizes."""
