"""The share of the print room: an object store that takes 6 MB a second from each client."""

import socket
import sys
import time

RATE = 6_000_000
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
server.settimeout(120)
while True:
    client, _ = server.accept()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    with client:
        while block := client.recv(65536):
            time.sleep(len(block) / RATE)
        client.sendall(b"ok")
