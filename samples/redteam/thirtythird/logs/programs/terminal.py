"""A real shell in a real terminal under script(1), whose keys are pressed by a program."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import tempfile
import termios
import time
from pathlib import Path

Key = tuple[str, str, float]


def session(out: Path, prompt: str, keys: list[Key], files: list[Path]) -> None:
    """Types each key's text, then waits until its pattern was printed, its seconds at most (0.3 s more in any case)."""
    home = Path(tempfile.mkdtemp(prefix="home_"))
    (home / ".bashrc").write_text(f"PS1='{prompt}'\nexport PATH=/tmp/pv/bin:$PATH PICKS=$HOME\nunset PROMPT_COMMAND\n")
    for file in files:
        shutil.copy(file, home / re.sub(r"^l\d+_", "", file.name))
    pid, terminal = pty.fork()
    if pid == 0:
        time.sleep(0.5)
        os.chdir(home)
        os.environ.update(HOME=str(home), SHELL="/bin/bash", TERM="xterm-256color", COLUMNS="120", LINES="34")
        os.execvp("script", ["script", "-f", "typescript"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 34, 120, 0, 0))
    time.sleep(1.5)
    for text, pattern, seconds in keys:
        os.write(terminal, text.encode())
        seen, end = "", time.time() + seconds
        while time.time() < end and not (pattern and re.search(pattern, seen)):
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    seen += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    break
        time.sleep(0.3)
    os.waitpid(pid, 0)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copy(home / "typescript", out / "typescript")
    shutil.rmtree(home)
