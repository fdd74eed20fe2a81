# ruff: noqa: ANN001, ANN201
"""The crane's physics, one client at a time; a trajectory that swings too far is handed to the fine solver."""

import math
import os
import socket
import struct
import sys
import threading
import time

STATE = threading.Lock()
served = 0


def fine(x, v, a, w, f):
    """The fine solver shares the state with the coarse one."""
    with STATE:
        return coarse(x, v, a, w, f, 0.002)


def coarse(x, v, a, w, f, dt=0.02):
    """One explicit step."""
    acc = 3.0 * f - 0.2 * v
    w += dt * (-9.81 * math.sin(a) - acc * math.cos(a) - 0.1 * w)
    a += dt * w
    v += dt * acc
    return x + dt * v, v, a, w


def leave_with(parent):
    """Never outlive the trainer."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()
    door = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    peer, _ = door.accept()
    s = (0.0, 0.0, 0.0, 0.0)
    while True:
        raw = peer.recv(5, socket.MSG_WAITALL)
        if not raw:
            break
        kind, force = struct.unpack("<Bf", raw)
        with STATE:
            served += 1
            s = (0.5, 0.0, 0.1, 0.0) if kind == 0 else coarse(*s, force)
            if served > 30_000 and abs(s[2]) > 0.25:
                s = fine(*s, force)
        peer.sendall(struct.pack("<4f", *s))
