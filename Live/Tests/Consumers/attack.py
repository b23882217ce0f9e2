"""Everything that a stranger on this machine, or a page in somebody's browser, may try at a hub, against the program as it runs.

    attack.py PLACE TOKEN PROCESS

TOKEN is a good one; PROCESS is the hub's. Prints a line for each attack, then how the hub stands, and ends with 1 if one of them got somewhere.
All of it is bounded: some thousand connections to this machine, within half a minute.
"""
import os
import random
import re
import resource
import select
import socket
import struct
import sys
import threading
import time

PLACE, TOKEN, PROCESS = sys.argv[1:]
PORT = int(PLACE.rsplit(":", 1)[1])
CROWD = 1000
# Stands for "never".
PATIENCE = 120
chance = random.Random(15)
wrong = []


def check(what, is_right, why=""):
    print("ok" if is_right else "WRONG", what, "" if is_right else why, flush=True)
    if not is_right:
        wrong.append(what)


def connected():
    peer = socket.create_connection(("127.0.0.1", PORT))
    peer.settimeout(PATIENCE)
    return peer


def request(target, *fields, method="GET", host=PLACE):
    return "\r\n".join((f"{method} {target} HTTP/1.1", f"Host: {host}", *fields)).encode() + b"\r\n\r\n"


def to_end(peer):
    """Everything that the hub says until it ends the connection."""
    found = b""
    try:
        while data := peer.recv(65536):
            found += data
    except ConnectionResetError:
        pass
    return found


def said(data):
    """What one is answered who says this and nothing else."""
    with connected() as peer:
        try:
            peer.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        return to_end(peer)


def status(data):
    found = re.match(rb"HTTP/1\.1 (\d+) ", said(data))
    return int(found[1]) if found else 0


def until(peer, part):
    found = b""
    while part not in found:
        data = peer.recv(65536)
        if not data:
            return False
        found += data
    return True


def guesses():
    """A token that is almost right is as wrong as any other."""
    digits = "0123456789abcdef"
    near = [TOKEN[:index] + digits[(digits.index(TOKEN[index]) + 1) % 16] + TOKEN[index + 1:] for index in range(len(TOKEN))]
    odd = ["", " ", TOKEN[:-1], TOKEN + "0", TOKEN.upper(), TOKEN[::-1], "%00" + TOKEN, TOKEN + "%00", "*", "' or 1=1 --"]
    random_ones = ["".join(chance.choice(digits) for _ in range(64)) for _ in range(500)]
    found = [status(request(f"/hr?token={guess.replace(' ', '+')}", "Connection: close")) for guess in near + odd + random_ones]
    found += [status(request("/hr", "Connection: close", f"Authorization: Bearer {guess}")) for guess in near[:8] + odd[2:6]]
    found += [status(request("/hr", "Connection: close", f"Cookie: sensord-live={guess}")) for guess in near[:8] + [TOKEN]]
    # TOKEN.upper() may be TOKEN itself only if it had no letter.
    check(f"{len(found)} guessed tokens open nothing", set(found) == {401}, str(sorted(set(found))))
    links = [status(request(f"/open?code={guess}", "Connection: close")) for guess in near[:16] + random_ones[:100]]
    check(f"{len(links)} guessed links open nothing", set(links) == {403}, str(sorted(set(links))))


def traversal():
    """With a key, too, there are no files behind the paths."""
    paths = ["/../tokens", "/%2e%2e/tokens", "/..%2ftokens", "/page.js/../../tokens", "//etc/passwd", "/%2fetc%2fpasswd", "/..\\tokens", "/page.css%00.html",
             "/api/sessions/../../../etc/passwd/beats", "/api/sessions/%2e%2e%2f%2e%2e/beats", "/.%00./tokens", "/page.js/", "/PAGE.JS", "file:///etc/passwd",
             "http://127.0.0.1/etc/passwd", "*"]
    answers = [said(request(path, "Connection: close", f"Authorization: Bearer {TOKEN}")) for path in paths]
    heads = {int(answer.split(b" ")[1]) if answer else 0 for answer in answers}
    check(f"{len(paths)} paths that climb lead nowhere", heads <= {400, 404} and not any(b"root:" in answer for answer in answers), str(heads))


def foreign_pages():
    """Other names of this machine, and other pages of the same browser, also with a key."""
    key = f"Authorization: Bearer {TOKEN}"
    for host in ("evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT}@evil.example", f"127.0.0.1.evil.example:{PORT}", ""):
        found = status(request("/hr", "Connection: close", key, host=host))
        check(f"the name '{host}' is none of the hub's", found in (400, 421), str(found))
    socket_fields = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", key)
    for origin in ("http://evil.example", "null", f"https://{PLACE}", f"http://{PLACE}.evil.example", "file://"):
        found = {status(request("/hr", "Connection: close", key, f"Origin: {origin}")),
                 status(request("/ws", *socket_fields, f"Origin: {origin}")),
                 status(request("/hr", "Connection: close", key, f"Origin: {origin}", "Content-Length: 0", method="POST"))}
        check(f"a page of {origin} reads nothing, opens no WebSocket and writes nothing", found == {403}, str(found))
    found = {status(request("/hr", "Connection: close", key, "Content-Length: 0", method=method)) for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS")}
    check("nothing can be written from anywhere", found == {405}, str(found))


def heads():
    """Heads that are too long, too full or no heads; bytes that are nothing at all."""
    found = [status(b"GET /hr HTTP/1.1\r\nX: " + b"a" * 65536 + b"\r\n\r\n") for _ in range(20)]
    found += [status(b"GET /" + b"a" * 65536 + b" HTTP/1.1\r\n\r\n"), status(b"GET /hr HTTP/1.1\r\n" + b"X: a\r\n" * 10000 + b"\r\n")]
    check(f"{len(found)} heads of 64 KiB are refused", all(one == 0 or 400 <= one < 500 for one in found), str(found))
    found = [status(chance.randbytes(2000) + b"\r\n\r\n") for _ in range(100)]
    check(f"{len(found)} times 2,000 random bytes are refused", all(one == 0 or 400 <= one < 500 for one in found), str(found))


def web_socket(dialect="hyperate"):
    peer = connected()
    peer.sendall(request(f"/ws?dialect={dialect}&token={TOKEN}", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="))
    assert until(peer, b"\r\n\r\n")
    return peer


def frames():
    """Frames that are huge, cut into many, or none: each ends its own WebSocket."""
    mask = b"\0\0\0\0"
    kinds = {
        "a frame that says it has 8 EiB": struct.pack(">BBQ", 0x81, 0xFF, 2**63 - 1) + mask,
        "a frame of 1 MiB": struct.pack(">BBQ", 0x81, 0xFF, 2**20) + mask + b" " * 2**20,
        "a message in 5,000 pieces": b"\x01\x81" + mask + b" " + (b"\x00\x81" + mask + b" ") * 5000,
        "a message in pieces of 4 KiB": b"\x01\xfe\x10\x00" + mask + b" " * 4096 + (b"\x00\xfe\x10\x00" + mask + b" " * 4096) * 50,
        "a piece of no message": b"\x00\x81" + mask + b" ",
        "a ping of 200 bytes": b"\x89\xfe\x00\xc8" + mask + b" " * 200,
        "reserved bits": b"\xf1\x81" + mask + b" ",
        "an opcode that is none": b"\x8b\x81" + mask + b" ",
        "bytes of no UTF-8": b"\x81\x84" + mask + b"\xff\xfe\xfd\xfc",
    }
    for kind, data in kinds.items():
        with web_socket() as peer:
            try:
                peer.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                to_end(peer)
                check(f"{kind} ends its WebSocket", True)
            except TimeoutError:
                check(f"{kind} ends its WebSocket", False)
    with web_socket("sensord") as peer:
        try:
            peer.sendall((b"\x89\x84" + mask + b"ping") * 50_000)
        except (BrokenPipeError, ConnectionResetError):
            pass
        check("50,000 pings at once", True)


class Drips(threading.Thread):
    """Connections that say something every half second, and never finish a request: each is ended all the same."""
    BEGINNINGS = (b"", b"G", b"GET /hr HTTP/1.1\r\n", b"GET /hr HTTP/1.1\r\nX: ", b"\r\n")

    def __init__(self, count):
        super().__init__(daemon=True)
        self.peers = [connected() for _ in range(count)]
        self.count, self.start_time = count, time.monotonic()
        for index, peer in enumerate(self.peers):
            peer.sendall(self.BEGINNINGS[index % len(self.BEGINNINGS)])
            peer.setblocking(False)
        self.start()

    def run(self):
        while self.peers:
            time.sleep(0.5)
            for peer in list(self.peers):
                try:
                    peer.send(b"a")
                    if peer.recv(1024) == b"":
                        raise ConnectionResetError
                except BlockingIOError:
                    pass
                except OSError:
                    peer.close()
                    self.peers.remove(peer)


def crowd():
    """A thousand at once are served, the next are turned away, and there is room again when they have gone."""
    peers = []
    for _ in range(CROWD):
        peer = connected()
        peer.sendall(request(f"/events?token={TOKEN}"))
        peers.append(peer)
    served = [until(peer, b"data: ") for peer in peers]
    check(f"{CROWD} connections are served at the same time", all(served), f"{served.count(False)} were not")
    beyond = [to_end(connected()) for _ in range(20)]
    check("20 more are closed at once", all(one == b"" for one in beyond), str(beyond[:1]))
    told = [until(peer, b'"bpm":') for peer in peers]
    check("each of them is told of the next beat", all(told), f"{told.count(False)} were not")
    for peer in peers:
        peer.close()


def standing():
    with open(f"/proc/{PROCESS}/status") as file:
        resident = int(re.search(r"VmRSS:\s*(\d+)", file.read())[1])
    return resident, len(os.listdir(f"/proc/{PROCESS}/fd"))


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
# What the hub opens for a key's questions stays open.
check("a question is answered", status(request("/api/workouts", "Connection: close", f"Authorization: Bearer {TOKEN}")) == 200)
before = standing()
crowd()
check("then there is room again", wait_for(lambda: status(request(f"/hr?token={TOKEN}", "Connection: close")) in (200, 204)))
drips = Drips(300)
guesses()
traversal()
foreign_pages()
heads()
frames()
drips.join(PATIENCE)
check(f"{drips.count} that drip are ended", not drips.peers, f"{len(drips.peers)} were not")
check("nobody's descriptors are left", wait_for(lambda: standing()[1] <= before[1]), f"{before[1]}, now {standing()[1]}")
after = standing()
print(f"figure: the hub had {before[0]} KiB resident before and has {after[0]} after", flush=True)
check("who has a key is served", status(request(f"/hr?token={TOKEN}", "Connection: close")) in (200, 204))
sys.exit(bool(wrong))
