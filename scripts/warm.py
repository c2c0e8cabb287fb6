"""Ask a warm process for a fork that runs a stage (`forks`), if there is one.

Every job does this first, so nothing is imported here that takes time.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
import sys

# The variable that names the socket, which is in Linux's abstract namespace: no file is left of it.
NAME = "MULTISERVER_WARM"
# What a process that serves is called with.
SERVE = "--serve"
KILLED = 137


def address(name: str) -> str:
    """The abstract address of a name."""
    return f"\0{name}"


def is_ours(peer: socket.socket) -> bool:
    """Whether the other end belongs to the same user: abstract sockets have no permissions."""
    told = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("3i", told)[1] == os.getuid()


def ask(arguments: list[str]) -> int | None:
    """The exit code of a stage that a fork ran, or None if nobody answers."""
    if not (name := os.environ.get(NAME)):
        return None
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
        try:
            asked.connect(address(name))
            if not is_ours(asked):
                return None
            words = [sys.prefix, arguments, os.getcwd(), dict(os.environ)]  # noqa: PTH109
            streams = array.array("i", (0, 1, 2))
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)]
            asked.sendmsg([json.dumps(words).encode()], ancillary)
            if asked.recv(16) != b"yes":
                return None
        except OSError:
            return None
        # A fork that was killed says nothing.
        said = asked.recv(16)
        return int(said) if said else KILLED
