"""A terminal for the job's output, where inquest's own output is one.

Only the output streams are replaced. The job stays in our session and process group with the real terminal as its
standard input and controlling terminal, so that Ctrl-C, Ctrl-Z, ``fg``, ``/dev/tty`` and passwords work as they do
bare, and killing any of our processes cannot leave a terminal in raw mode. Limits: a full-screen program that sets
terminal modes on its standard *output* sets them on ours, and ``ttyname`` of the output differs.
"""

from __future__ import annotations

import fcntl
import os
import termios

_OPOST_INDEX, _LFLAG_INDEX = 1, 3


def open_like(terminal: int) -> tuple[int, int]:
    """A pseudo-terminal (master, slave) with the size and modes of ``terminal``, which changes no byte itself.

    Raises:
        OSError: There are no pseudo-terminals (no /dev/pts, or too many).
    """
    master, slave = os.openpty()
    try:
        modes = termios.tcgetattr(terminal)
        modes[_OPOST_INDEX] &= ~termios.OPOST  # the real terminal will do it, once
        modes[_LFLAG_INDEX] &= ~(termios.ECHO | termios.TOSTOP)
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        resize(master, terminal)
    except (OSError, termios.error) as error:
        os.close(master)
        os.close(slave)
        raise OSError(f"the terminal could not be copied: {error}") from error
    return master, slave


def resize(master: int, terminal: int) -> None:
    """Give the pseudo-terminal the size of ``terminal``.

    Raises:
        OSError: One of them is gone.
    """
    fcntl.ioctl(master, termios.TIOCSWINSZ, fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(8)))
