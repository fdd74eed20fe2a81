"""What an exception is worth on its own: a cause, a victim's cry, or a launcher's report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.logs.kinds import Role
    from inquest.analyze.logs.tracebacks import Traceback

_LAUNCHER: Final = re.compile(
    r"(?:^|\.)(?:ChildFailedError|CalledProcessError|ProcessExitedException|SignalException|RendezvousConnectionError"
    r"|RendezvousClosedError|RendezvousGracefulExitError)$"
)
_VICTIM: Final = re.compile(
    r"Connection closed by peer|Connection reset by peer|Broken pipe|remote process exited or there was a network error"
    r"|Watchdog caught collective operation timeout|Timed out waiting \d+ms for|Application timeout caused pair closure"
    r"|Socket Timeout|failed to pass monitoredBarrier|ncclRemoteError|Connection was likely closed"
    r"|store->get\('\S+'\) got error: Connection"
)


def role_of_exception(traceback: Traceback) -> Role:
    """``confirmation`` for a launcher's own exception, ``cascade`` for a victim of another process, else ``root``."""
    if _LAUNCHER.search(traceback.final.exc_type):
        return "confirmation"
    if any(_VICTIM.search(raised.message) for raised in traceback.chain):
        return "cascade"
    return "root"
