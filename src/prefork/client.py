"""Ask a warm process for a fork that runs a script (`prefork.server`), if there is one.

Every job does this first, so nothing is imported here that takes time.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
import sys

# The variable that names the socket, which is in Linux's abstract namespace: it leaves no file.
NAME = "MULTISERVER_WARM"
# The option that starts a server process.
SERVE = "--serve"
KILLED = 137


def address(name: str) -> str:
    """The abstract address of a name."""
    return f"\0{name}"


def is_ours(peer: socket.socket) -> bool:
    """Whether the other end belongs to the same user: abstract sockets have no permissions."""
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("3i", credentials)[1] == os.getuid()


def ask(arguments: list[str]) -> int | None:
    """Run a script in a fork; its exit code, or None if no server answers."""
    if not (name := os.environ.get(NAME)):
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        folder = os.getcwd()  # noqa: PTH109
        started = request(connection, name, arguments, folder, dict(os.environ), (0, 1, 2))
        return None if started is None else await_end(connection)


def request(
    connection: socket.socket,
    name: str,
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    streams: tuple[int, int, int],
) -> int | None:
    """Ask the server of this name for a fork; its process id, or None if no server answers."""
    try:
        connection.connect(address(name))
        if not is_ours(connection):
            return None
        words = json.dumps([sys.prefix, arguments, folder, environment])
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", streams))]
        connection.sendmsg([words.encode()], ancillary)
        return int(connection.recv(16) or 0) or None
    except OSError:
        return None


def await_end(connection: socket.socket) -> int:
    """Wait for a fork to end; its exit code, or `KILLED` if it closed the socket without one."""
    code = connection.recv(16)
    return int(code) if code else KILLED
