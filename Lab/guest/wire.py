"""A D-Bus client for trials: it can send what no library would, and gives answers as the bytes that came.

Source: D-Bus Specification, "Message Protocol". Little-endian, values as Python has them; a variant is (signature, value).
"""
import array, os, select, socket, struct, time

FIXED = {'y': 'B', 'n': 'h', 'q': 'H', 'i': 'i', 'u': 'I', 'x': 'q', 't': 'Q', 'd': 'd', 'b': 'I', 'h': 'I'}
ALIGNMENT = {**{code: struct.calcsize(form) for code, form in FIXED.items()}, 's': 4, 'o': 4, 'g': 1, 'v': 1, 'a': 4, '(': 8, '{': 8}
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
FIELDS = {1: ('path', 'o'), 2: ('interface', 's'), 3: ('member', 's'), 4: ('error', 's'), 5: ('reply_serial', 'u'),
          6: ('destination', 's'), 7: ('sender', 's'), 8: ('signature', 'g'), 9: ('fds', 'u')}


def first(signature):
    """The first complete type of a signature."""
    if signature[0] == 'a': return 'a' + first(signature[1:])
    if signature[0] not in '({': return signature[0]
    depth = 0
    for at, code in enumerate(signature):
        depth += (code in '({') - (code in ')}')
        if not depth: return signature[:at + 1]
    raise ValueError(signature)


def types(signature):
    while signature:
        yield first(signature)
        signature = signature[len(first(signature)):]


def put(out, kind, value):
    """Appends a value of one complete type."""
    code = kind[0]
    out.extend(bytes(-len(out) % ALIGNMENT[code]))
    if code in FIXED: out.extend(struct.pack('<' + FIXED[code], value))
    elif code in 'so':
        text = value if isinstance(value, bytes) else value.encode()
        out.extend(struct.pack('<I', len(text)) + text + b'\0')
    elif code == 'g': out.extend(bytes([len(value)]) + value.encode() + b'\0')
    elif code == 'v': put(out, 'g', value[0]); put(out, value[0], value[1])
    elif code == 'a':
        at = len(out); out.extend(bytes(4)); out.extend(bytes(-len(out) % ALIGNMENT[kind[1]])); start = len(out)
        for item in value.items() if isinstance(value, dict) else value: put(out, kind[1:], item)
        out[at:at + 4] = struct.pack('<I', len(out) - start)
    else:
        for part, item in zip(types(kind[1:-1]), value): put(out, part, item)


def take(data, at, kind):
    """A value of one complete type, and where the next one begins."""
    code = kind[0]
    at += -at % ALIGNMENT[code]
    if code in FIXED:
        value = struct.unpack_from('<' + FIXED[code], data, at)[0]
        return (bool(value) if code == 'b' else value), at + struct.calcsize(FIXED[code])
    if code in 'so':
        size = struct.unpack_from('<I', data, at)[0]
        return data[at + 4:at + 4 + size].decode(), at + 5 + size
    if code == 'g': return data[at + 1:at + 1 + data[at]].decode(), at + 2 + data[at]
    if code == 'v':
        inner, at = take(data, at, 'g')
        return take(data, at, inner)
    if code == 'a':
        size = struct.unpack_from('<I', data, at)[0]
        at += 4; at += -at % ALIGNMENT[kind[1]]
        end, items = at + size, []
        while at < end:
            item, at = take(data, at, kind[1:]); items.append(item)
        return (dict(items) if kind[1] == '{' else items), at
    items = []
    for part in types(kind[1:-1]):
        item, at = take(data, at, part); items.append(item)
    return tuple(items), at


class Message:
    """What came: its header's fields, the bytes of its body, and these as values."""

    def __init__(self, kind, fields, body, fds):
        self.kind, self.body, self.fds = kind, body, fds
        for name, _ in FIELDS.values(): setattr(self, name, fields.get(name))
        self.fds = fds

    @property
    def values(self):
        found, at = [], 0
        for kind in types(self.signature or ''):
            value, at = take(self.body, at, kind); found.append(value)
        return found


class Bus:
    """A connection of the calling user."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(address.removeprefix('unix:path='))
        self.socket.sendall(b'\0AUTH EXTERNAL ' + str(os.getuid()).encode().hex().encode() + b'\r\n')
        self.line(); self.socket.sendall(b'NEGOTIATE_UNIX_FD\r\n')
        self.line(); self.socket.sendall(b'BEGIN\r\n')
        self.serial, self.data, self.fds, self.waiting = 0, b'', [], []
        self.name = self.call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'Hello').values[0]

    def line(self):
        text = b''
        while not text.endswith(b'\r\n'):
            byte = self.socket.recv(1)
            if not byte: raise EOFError(f'the bus refuses user {os.getuid()}: {text}')
            text += byte
        return text

    def send(self, kind, fields, signature='', body=(), fds=(), flags=0, raw=None):
        """Sends a message; `raw` is a body as bytes instead of values. Returns its serial."""
        self.serial += 1
        content = bytearray(raw or b'')
        if raw is None:
            for part, value in zip(types(signature), body): put(content, part, value)
        fields = {**fields, **({'signature': signature} if signature else {}), **({'fds': len(fds)} if fds else {})}
        head = [(code, (form, fields[name])) for code, (name, form) in FIELDS.items() if fields.get(name) is not None]
        out = bytearray(struct.pack('<cBBBII', b'l', kind, flags, 1, len(content), self.serial))
        put(out, 'a(yv)', head)
        out.extend(bytes(-len(out) % 8))
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', fds))] if fds else []
        data = bytes(out + content)
        sent = self.socket.sendmsg([data], rights)
        self.socket.sendall(data[sent:])
        return self.serial

    def receive(self, seconds):
        """The next message; None where none comes in the time."""
        if self.waiting: return self.waiting.pop(0)
        return self.read(time.monotonic() + seconds)

    def read(self, end):
        while True:
            message = self.parse()
            if message and message.kind == CALL:
                # Of the calls that come here all are pings.
                self.send(RETURN, {'reply_serial': message.serial, 'destination': message.sender}, flags=1)
            elif message: return message
            elif not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]: return None
            else:
                data, rights, _, _ = self.socket.recvmsg(1 << 20, socket.CMSG_SPACE(64))
                if not data: raise EOFError('the bus has closed the connection')
                self.data += data
                for _, _, numbers in rights: self.fds += array.array('i', numbers[:len(numbers) // 4 * 4])

    def parse(self):
        if len(self.data) < 16: return None
        _, kind, _, _, size, serial, fields = struct.unpack_from('<cBBBIII', self.data)
        start = 16 + fields + -fields % 8
        if len(self.data) < start + size: return None
        head, _ = take(self.data, 12, 'a(yv)')
        found = {FIELDS[code][0]: value for code, value in head if code in FIELDS}
        count = found.get('fds') or 0
        message = Message(kind, found, self.data[start:start + size], self.fds[:count])
        message.serial, self.data, self.fds = serial, self.data[start + size:], self.fds[count:]
        return message

    def answer(self, serial, seconds=30):
        """The answer to a call; signals that come before it wait for `receive`."""
        end = time.monotonic() + seconds
        while message := self.read(end):
            if message.kind in (RETURN, ERROR) and message.reply_serial == serial: return message
            if message.kind == SIGNAL: self.waiting.append(message)
        raise TimeoutError('no answer')

    def call(self, destination, path, interface, member, signature='', *body, seconds=30, fds=()):
        fields = {'destination': destination, 'path': path, 'interface': interface, 'member': member}
        return self.answer(self.send(CALL, fields, signature, body, fds), seconds)

    def signals(self, seconds):
        """The signals that come within the time."""
        end, found = time.monotonic() + seconds, []
        while message := self.receive(end - time.monotonic()):
            if message.kind == SIGNAL and (message.interface or '').startswith('org.sensord.'): found.append(message)
        return found
