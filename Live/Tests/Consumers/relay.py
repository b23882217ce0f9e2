"""Hands bytes to and fro between a Unix socket of its own and another one: what is killed or stopped to cut somebody off.

    relay.py OWN OTHER

Prints "ready" when it listens.
"""
import os
import socket
import sys
import threading

OWN, OTHER = sys.argv[1:]


def hand_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


if os.path.exists(OWN):
    os.unlink(OWN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(OWN)
listener.listen()
print("ready", flush=True)
while True:
    near, _ = listener.accept()
    far = socket.socket(socket.AF_UNIX)
    far.connect(OTHER)
    for pair in ((near, far), (far, near)):
        threading.Thread(target=hand_on, args=pair, daemon=True).start()
