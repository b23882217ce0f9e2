#!/usr/bin/env python3
"""A server that lies: stands between the forwarder and a real server, gives other answers than that, and asks that each command ends by itself.
  liar.py PROGRAM CONFIGURATION SERVER SOCKETS STORE FIRST COUNT     a command for each of COUNT seeds from FIRST on
Each seed chooses a command, at which of its questions the first lie comes, and which: columns too few or too many, numbers at the ends of 64
bits, texts for terminals, lengths up to a header that says 1 GiB, true rows that come again and again or altered, rows of the right kinds
without end, bytes at random. Nothing is kept at the real server, so a seed is the same each time. An end by a signal, more than 64 MiB of
memory, more than 20 s, or a character in the output or in the file of the last failure that a terminal acts upon is a failure; each is printed
with its seed."""
import collections, os, random, signal, socket, struct, sys, threading, time, unicodedata

ENDS = [b'-9223372036854775808', b'9223372036854775807', b'9223372036854775808', b'-1', b'0', b'2147483647', b'-2147483648', b'8796093022207', b'1e400',
        b'NaN', b'', b' 1', b'0x10', b'99999999999999999999999999']
TEXTS = ['\x1b]0;owned\x07', '\x1b[2J', '\u009b31m', '\u202etxt', '\u2028', 'a\rb', 'x' * 300_000, '\U000e0041', '\\x0', '\\x' + 'ff' * 40, '{}',
         '00000000-0000-0000-0000-000000000000', '8f14e45f-ceea-467f-9c52-7d9c5a2b6a10', 'start', '{"id":9223372036854775807}']
HUGE = [1 << 16, 1 << 20, 50 << 20]
# Bytes of an answer without end: so many would be seen in memory.
ENDLESS = 160 << 20
INTEGERS, UUID, BYTES = (20, 23), 2950, 17


def message(kind, body):
    return kind + struct.pack('>I', len(body) + 4) + body


def description(kinds):
    columns = b''.join(b'c\0' + struct.pack('>IhIhih', 0, 0, kind, -1, -1, 0) for kind in kinds)
    return message(b'T', struct.pack('>H', len(kinds)) + columns)


def row(values):
    return message(b'D', struct.pack('>H', len(values)) + b''.join(
        struct.pack('>i', -1) if v is None else struct.pack('>I', len(v)) + v for v in values))


def values(body):
    found, place = [], 2
    for _ in range(struct.unpack('>H', body[:2])[0]):
        length = struct.unpack('>i', body[place:place + 4])[0]
        place += 4 + max(0, length)
        found.append(None if length < 0 else body[place - length:place])
    return found


def kinds(body):
    """The types of the columns of a description."""
    found, place = [], 2
    for _ in range(struct.unpack('>H', body[:2])[0]):
        place = body.index(b'\0', place) + 1
        found.append(struct.unpack('>I', body[place + 6:place + 10])[0])
        place += 18
    return found


def unique(value, kind, number):
    """A value of a kind, another one for each number."""
    if kind in INTEGERS:
        return b'%d' % (number + 1)
    if kind == UUID:
        return b'%08x-0000-4000-8000-%012x' % (number, number)
    if kind == BYTES:
        return b'\\x%064x' % number
    return value


class Messages:
    def __init__(self, connection):
        self.reader = connection.makefile('rb')

    def next(self):
        head = self.reader.read(5)
        if len(head) < 5:
            raise EOFError
        return head[:1], self.reader.read(struct.unpack('>I', head[1:])[0] - 4)

    def answer(self):
        found = []
        while not found or found[-1][0] != b'Z':
            found.append(self.next())
        return found


class Liar:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.questions = 0
        self.first = self.random.choice([0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40])
        self.lies = 0

    def value(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.random.choice(ENDS)
        if kind < 0.6:
            return None
        if kind < 0.9:
            return self.random.choice(TEXTS).encode()
        return self.random.randbytes(self.random.randrange(40))

    def lie(self, true):
        """Pieces of another answer than the true one, without its end."""
        r = self.random
        self.lies += 1
        columns = next((kinds(body) for kind, body in true if kind == b'T'), [])
        count = len(columns)
        rows = [values(body) for kind, body in true if kind == b'D']
        before = b''.join(message(*m) for m in true if m[0] in b'123') + (description(columns) if count else b'')
        one = list(r.choice(rows)) if rows else [unique(b'start', kind, 0) for kind in columns]
        kind = r.randrange(18)
        if kind == 0:
            wrong = r.choice([0, 1, max(0, count - 1), count + 1, 1600])
            yield description([25] * wrong) + row([self.value() for _ in range(wrong)]) + message(b'C', b'SELECT 1\0')
        elif kind in (1, 2, 3):
            # One value of a true row.
            for other in rows or [one]:
                other = list(other)
                if other and r.random() < 0.7:
                    other[r.randrange(len(other))] = self.value()
                before += row(other)
            yield before + message(b'C', b'SELECT 1\0')
        elif kind == 4:
            yield before + b'D' + struct.pack('>I', r.choice([1 << 30, (1 << 30) + 5, 0x7fffffff, 0xffffffff, 0, 3, 100 << 20])) + b'x' * 100
        elif kind == 5:
            yield before + b'D' + struct.pack('>I', 1 << 30) + struct.pack('>H', count)
            for _ in range(ENDLESS >> 20):
                yield b'\x00' * (1 << 20)
        elif kind == 6:
            place = r.randrange(count) if count else 0
            digits = r.choice([b'9', b'a', b' ', b'\\', '\u202e'.encode()]) * r.choice(HUGE)
            if count:
                one[place] = b'\\x' + b'ab' * (len(digits) // 2) if columns[place] == BYTES else digits
            yield before + row(one) + message(b'C', b'SELECT 1\0')
        elif kind == 7:
            # A true row without end.
            many = row(one) * 1000
            yield before
            for _ in range(min(200_000, ENDLESS // len(many))):
                yield many
        elif kind in (8, 9):
            # Rows of the right kinds without end, each another.
            yield before
            sent, number = 0, r.choice([0, 1 << 31, 1 << 40]) if kind == 9 else 0
            while sent < ENDLESS // 4:
                piece = b''.join(row([unique(v, k, number + n) for v, k in zip(one, columns)]) for n in range(500))
                number += 500
                sent += len(piece)
                yield piece
        elif kind == 10:
            fields = {b'S': b'ERROR', b'V': b'ERROR', b'C': r.choice([b'42P01', b'08006', b'28P01', b'\x1b[2J!', '\u202e123'.encode(), b'', b'X' * 5000]),
                      b'M': r.choice(TEXTS).encode(), b'D': r.choice(TEXTS).encode(), b'H': b'x' * r.choice([1, 1 << 20])}
            yield message(b'E', b''.join(k + v + b'\0' for k, v in fields.items()) + b'\0')
        elif kind == 11:
            yield r.randbytes(r.choice([1, 5, 100, 10_000]))
        elif kind == 12:
            yield r.choice([message(b'G', b'\0\0\0'), message(b'H', b'\0\0\0'), message(b'W', b'\0\0\0'), message(b'I', b''), message(b'Z', b'Q'),
                            message(b'C', b'SELECT 99999999999999999999\0'), message(b'C', b'UPDATE -9223372036854775808\0'), message(b'n', b'')])
        elif kind == 13:
            for _ in range(2000):
                yield (message(b'A', struct.pack('>I', 1) + b'channel\0' + b'p' * 2000 + b'\0')
                       + message(b'S', b'p%d\0%s\0' % (r.randrange(1 << 40), b'v' * 2000)) + message(b'N', b'M' + b'n' * 2000 + b'\0\0')) * 8
        elif kind == 14:
            yield message(b'C', b'SELECT 0\0') * r.choice([2, 10_000])
        elif kind == 15:
            # True rows, but not all, or in another order.
            r.shuffle(rows)
            yield before + b''.join(map(row, rows[:r.randrange(len(rows) + 1)])) + message(b'C', b'SELECT 0\0')
        elif kind == 16:
            whole = b''.join(message(*m) for m in true)
            yield whole[:r.randrange(len(whole))]
        else:
            yield before + b''.join(map(row, rows)) + message(b'C', b'UPDATE %d\0' % r.choice([0, 2, 1 << 62]))

    def converse(self, connection, server):
        upstream = socket.socket(socket.AF_UNIX)
        upstream.connect(server)
        for one in (connection, upstream):
            one.settimeout(5)
        client, centre = Messages(connection), Messages(upstream)
        head = client.reader.read(4)
        upstream.sendall(head + client.reader.read(struct.unpack('>I', head)[0] - 4))
        beginning = centre.answer()
        if not self.send(connection, beginning):
            return
        # All is one transaction, which nobody ends.
        upstream.sendall(message(b'Q', b'BEGIN\0'))
        centre.answer()
        question = b''
        while True:
            kind, body = client.next()
            if kind == b'X':
                return
            if kind in b'PQ':
                text = body.split(b'\0')[1 if kind == b'P' else 0]
                other = {b'BEGIN': b'SAVEPOINT part', b'COMMIT': b'RELEASE SAVEPOINT part', b'ROLLBACK': b'ROLLBACK TO SAVEPOINT part'}.get(text.split()[0])
                if other:
                    body = body.replace(text, other, 1)
            question += message(kind, body)
            if kind not in b'SQ':
                continue
            upstream.sendall(question)
            question = b''
            if not self.send(connection, centre.answer()):
                return

    def send(self, connection, true):
        isLie = self.questions == self.first or self.questions > self.first and self.random.random() < 0.3
        self.questions += 1
        if not isLie:
            connection.sendall(b''.join(message(*m) for m in true))
            return True
        for piece in self.lie(true):
            connection.sendall(piece)
        connection.sendall(message(b'Z', b'T'))
        # A program that waits for the rest of a message waits in vain.
        if self.random.random() < 0.7:
            connection.shutdown(socket.SHUT_WR)
            return False
        return True


def serve(listener, server, orders, answers):
    """A process of its own: what it holds counts for no program that is started."""
    current = []

    def accept():
        while True:
            connection, _ = listener.accept()
            try:
                current[-1].converse(connection, server)
            except (OSError, EOFError, struct.error, IndexError, ValueError):
                pass
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    for line in orders:
        answers.write(f'{current[-1].lies if current else 0}\n')
        current[:] = [Liar(int(line))]
        answers.flush()


def is_raw(character):
    return character != '\n' and unicodedata.category(character) in ('Cc', 'Cf', 'Zl', 'Zp', 'Cs')


def main():
    program, configuration, server, sockets, store, first, count = sys.argv[1:6] + [int(n) for n in sys.argv[6:8]]
    restored = f'{sockets}/restored'
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f'{sockets}/.s.PGSQL.5432')
    listener.listen(8)
    orders, answers = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(orders[1])
        serve(listener, server, os.fdopen(orders[0]), os.fdopen(answers[1], 'w'))
        os._exit(0)
    os.close(answers[1])
    orders, answers = os.fdopen(orders[1], 'w', buffering=1), os.fdopen(answers[0])
    statuses, lies, most, failed, longest = collections.Counter(), 0, 0, 0, 0
    for seed in range(first, first + count):
        print(seed, file=orders)
        lies += int(answers.readline())
        words = [['status', '--json'], ['status'], ['verify'], ['verify', '--json'], ['restore', '--store', store, '--to', restored], ['restore', '--all', '--to', restored],
                 ['run', '--once', '--attempts', '1'], ['run', '--once', '--again', '--attempts', '1'],
                 ['forget', '--person', 'p001']][random.Random(-1 - seed).randrange(9)]
        reading, writing = os.pipe()
        begun = time.monotonic()
        child = os.posix_spawn(program, [program, *words, '--config', configuration], {'PATH': '/usr/bin:/bin', 'HOME': '/nonexistent'},
                               file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_DUP2, writing, 2), (os.POSIX_SPAWN_CLOSE, reading)])
        os.close(writing)
        late = threading.Timer(20, os.kill, (child, signal.SIGKILL))
        late.start()
        output = bytearray()
        while piece := os.read(reading, 65536):
            output += piece[:max(0, (1 << 20) - len(output))]
        _, status, usage = os.wait4(child, 0)
        late.cancel()
        os.close(reading)
        for name in (restored, f'{sockets}/failure'):
            if os.path.exists(name):
                if name != restored:
                    output += open(name, 'rb').read(1 << 20)
                os.unlink(name)
        code, text = os.waitstatus_to_exitcode(status), output.decode(errors='replace')
        statuses[code] += 1
        most = max(most, usage.ru_maxrss)
        longest = max(longest, time.monotonic() - begun)
        raw = sorted({hex(ord(c)) for c in text if is_raw(c)})
        if code < 0 or code not in (0, 1, 65, 66, 70, 74, 75, 76, 77, 78) or usage.ru_maxrss > 64 << 10 or raw or len(output) > 65536:
            failed += 1
            print(f'seed {seed}: {" ".join(words[:2])}: status {code}, {usage.ru_maxrss} KiB, raw {raw}: {ascii(text[:300])}', flush=True)
    print(0, file=orders)
    lies += int(answers.readline())
    print(f'{count} commands, {lies} lies; statuses {dict(sorted(statuses.items()))}; at most {most >> 10} MiB, {longest:.1f} s; {failed} failed')
    sys.exit(1 if failed else 0)


main()
