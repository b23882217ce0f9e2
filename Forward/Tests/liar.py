#!/usr/bin/env python3
"""A server that lies: runs the forwarder against answers that no server gives, and asks that it ends by itself.
  liar.py PROGRAM CONFIGURATION SOCKETS RESTORED FIRST COUNT     a command for each of COUNT seeds from FIRST on
Each seed chooses a command, at which of its questions the lie begins, and which lie: columns too few or too many, numbers at the ends of 64
bits, texts for terminals, lengths up to a header that says 1 GiB, rows without end, bytes at random. An end by a signal, more than 64 MiB of
memory, more than 20 s, or a character in the output that a terminal acts upon is a failure; each is printed with its seed."""
import collections, os, random, signal, socket, struct, sys, threading, time, unicodedata

ENDS = [b'-9223372036854775808', b'9223372036854775807', b'9223372036854775808', b'-1', b'0', b'2147483647', b'-2147483648', b'8796093022207', b'1e400',
        b'NaN', b'', b' 1', b'0x10', b'99999999999999999999999999']
TEXTS = ['\x1b]0;owned\x07', '\x1b[2J', '\u009b31m', '\u202etxt', '\u2028', 'a\rb', 'x' * 300_000, '\U000e0041', '\\x0', '\\x' + 'ff' * 40, '{}',
         '00000000-0000-0000-0000-000000000000', '8f14e45f-ceea-467f-9c52-7d9c5a2b6a10', 'start', '{"id":9223372036854775807}']
HUGE = [1 << 16, 1 << 20, 50 << 20]


def message(kind, body):
    return kind + struct.pack('>I', len(body) + 4) + body


def description(count):
    return message(b'T', struct.pack('>H', count) + b''.join(b'c%d\0' % i + struct.pack('>IHIhiH', 0, 0, 25, -1, -1, 0) for i in range(count)))


def row(values):
    return message(b'D', struct.pack('>H', len(values)) + b''.join(
        struct.pack('>i', -1) if v is None else struct.pack('>I', len(v)) + v for v in values))


def columns(statement):
    """The columns between the first SELECT and its FROM."""
    if 'SELECT' not in statement.upper().split('FROM')[0] or not statement.lstrip(' (\n').upper().startswith('SELECT'):
        return 0
    text = statement.lstrip(' (\n')[6:]
    depth, count = 0, 1
    for place, character in enumerate(text):
        depth += (character == '(') - (character == ')')
        if depth < 0 or depth == 0 and text[place:place + 5].upper() == 'FROM ':
            break
        count += character == ',' and depth == 0
    return count


def truth(statement):
    """What a centre that has nothing, or the store from its start on, would say."""
    count = columns(statement)
    rows = []
    if 'FROM sensord_schema' in statement and count == 1 and 'UPDATE' not in statement:
        rows = [[b'1']]
    elif 'SELECT anchor, sent, history' in statement:
        rows = [[b'start', b'0', b'0']]
    elif 'SELECT history, anchor, sent' in statement:
        rows = [[b'0', b'start', b'2']]
    elif 'SELECT DISTINCT store' in statement:
        rows = [[b'8f14e45f-ceea-467f-9c52-7d9c5a2b6a10']]
    elif 'count(' in statement and count == 1:
        rows = [[b'0']]
    if count:
        return description(count) + b''.join(map(row, rows)) + message(b'C', b'SELECT %d\0' % len(rows))
    word = statement.split()[0].upper() if statement.split() else 'X'
    done = {'INSERT': b'INSERT 0 %d' % (statement.count('),(') + 1), 'UPDATE': b'UPDATE 1', 'DELETE': b'DELETE 0'}.get(word, word.encode())
    return message(b'n', b'') + message(b'C', done + b'\0')


class Liar:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.questions = 0
        self.first = self.random.choice([0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5, 6, 8, 10])
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

    def lie(self, statement):
        """Pieces of an answer."""
        r, count = self.random, max(1, columns(statement))
        self.lies += 1
        kind = r.randrange(14)
        if kind == 0:
            wrong = r.choice([0, 1, count - 1, count + 1, 1600])
            yield description(wrong) + row([self.value() for _ in range(wrong)]) + message(b'C', b'SELECT 1\0')
        elif kind in (1, 2, 3):
            some = [[self.value() for _ in range(count)] for _ in range(r.choice([1, 1, 2, 100]))]
            yield description(count) + b''.join(map(row, some)) + message(b'C', b'SELECT 1\0')
        elif kind == 4:
            yield description(count) + b'D' + struct.pack('>I', r.choice([1 << 30, (1 << 30) + 5, 0x7fffffff, 0xffffffff, 0, 3, 100 << 20])) + b'x' * 100
        elif kind == 5:
            yield description(count) + b'D' + struct.pack('>I', 1 << 30) + struct.pack('>H', count)
            for _ in range(100):
                yield b'\x00' * (1 << 20)
        elif kind == 6:
            big = b'9' * r.choice(HUGE)
            yield description(count) + row([big] + [b'0'] * (count - 1)) + message(b'C', b'SELECT 1\0')
        elif kind == 7:
            yield description(count)
            one = row([r.choice([b'1', b'0', b'8f14e45f-ceea-467f-9c52-7d9c5a2b6a10', b'start', None]) for _ in range(count)]) * 1000
            for _ in range(3000):
                yield one
        elif kind == 8:
            # Rows of the right kinds without end, each another.
            yield description(count)
            for piece in range(100):
                yield b''.join(row([self.unique(i, piece * 1000 + n) for i in range(count)]) for n in range(1000))
        elif kind == 9:
            fields = {b'S': b'ERROR', b'V': b'ERROR', b'C': r.choice([b'42P01', b'08006', b'28P01', b'\x1b[2J!', '\u202e123'.encode(), b'', b'X' * 5000]),
                      b'M': r.choice(TEXTS).encode(), b'D': r.choice(TEXTS).encode(), b'H': b'x' * r.choice([1, 1 << 20])}
            yield message(b'E', b''.join(k + v + b'\0' for k, v in fields.items()) + b'\0')
        elif kind == 10:
            yield r.randbytes(r.choice([1, 5, 100, 10_000]))
        elif kind == 11:
            yield r.choice([message(b'G', b'\0\0\0'), message(b'H', b'\0\0\0'), message(b'W', b'\0\0\0'), message(b'I', b''), message(b'Z', b'Q'),
                            message(b'C', b'SELECT 99999999999999999999\0'), message(b'C', b'UPDATE -9223372036854775808\0'), message(b'n', b'')])
        elif kind == 12:
            for _ in range(2000):
                yield (message(b'A', struct.pack('>I', 1) + b'channel\0' + b'p' * 2000 + b'\0')
                       + message(b'S', b'p%d\0%s\0' % (r.randrange(1 << 40), b'v' * 2000)) + message(b'N', b'M' + b'n' * 2000 + b'\0\0')) * 8
        else:
            yield message(b'C', b'SELECT 0\0') * r.choice([2, 10_000])

    def unique(self, column, number):
        return [b'%d' % (number + 1), b'%08x-0000-4000-8000-%012x' % (number, number), b'\\x' + b'%064x' % number][(column + self.questions) % 3]

    def converse(self, connection):
        connection.settimeout(3)
        reader = connection.makefile('rb')
        reader.read(struct.unpack('>I', reader.read(4))[0] - 4)
        connection.sendall(message(b'R', struct.pack('>I', 0)) + b''.join(
            message(b'S', k + b'\0' + v + b'\0') for k, v in [(b'server_version', b'15.0'), (b'client_encoding', b'UTF8'), (b'standard_conforming_strings', b'on'),
                                                             (b'default_transaction_read_only', b'off'), (b'in_hot_standby', b'off')])
            + message(b'K', struct.pack('>II', 1, 1)) + message(b'Z', b'I'))
        statement = ''
        while True:
            head = reader.read(5)
            if len(head) < 5 or head[:1] == b'X':
                return
            body = reader.read(struct.unpack('>I', head[1:])[0] - 4)
            if head[:1] == b'P':
                statement = body.split(b'\0')[1].decode()
                connection.sendall(b'')
            elif head[:1] == b'Q':
                statement = body.rstrip(b'\0').decode()
            if head[:1] not in (b'S', b'Q'):
                continue
            if head[:1] == b'S':
                connection.sendall(message(b'1', b'') + message(b'2', b''))
            isLie = self.questions == self.first or self.questions > self.first and self.random.random() < 0.3
            self.questions += 1
            if isLie:
                for piece in self.lie(statement):
                    connection.sendall(piece)
            else:
                connection.sendall(truth(statement))
            connection.sendall(message(b'Z', b'T'))
            # Who waits for the rest of a message waits for what does not come.
            if isLie and self.random.random() < 0.7:
                connection.shutdown(socket.SHUT_WR)
                return


def serve(listener, orders, answers):
    """A process of its own: what it holds counts for no program that is started."""
    current = []

    def accept():
        while True:
            connection, _ = listener.accept()
            try:
                current[-1].converse(connection)
            except (OSError, struct.error, IndexError, UnicodeDecodeError):
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
    program, configuration, sockets, restored, first, count = sys.argv[1:5] + [int(n) for n in sys.argv[5:7]]
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f'{sockets}/.s.PGSQL.5432')
    listener.listen(8)
    orders, answers = os.pipe(), os.pipe()
    if os.fork() == 0:
        os.close(orders[1])
        serve(listener, os.fdopen(orders[0]), os.fdopen(answers[1], 'w'))
        os._exit(0)
    os.close(answers[1])
    orders, answers = os.fdopen(orders[1], 'w', buffering=1), os.fdopen(answers[0])
    statuses, lies, most, failed, longest = collections.Counter(), 0, 0, 0, 0
    for seed in range(first, first + count):
        print(seed, file=orders)
        lies += int(answers.readline())
        words = [['status', '--json'], ['status'], ['verify'], ['verify', '--json'], ['restore', '--to', restored], ['run', '--once', '--attempts', '1'],
                 ['run', '--once', '--again', '--attempts', '1'], ['forget', '--person', 'p001']][random.Random(-1 - seed).randrange(8)]
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
        if os.path.exists(restored):
            os.unlink(restored)
        code, text = os.waitstatus_to_exitcode(status), output.decode(errors='replace')
        statuses[code] += 1
        most = max(most, usage.ru_maxrss)
        longest = max(longest, time.monotonic() - begun)
        raw = sorted({hex(ord(c)) for c in text if is_raw(c)})
        if code < 0 or code not in (0, 1, 65, 66, 70, 74, 75, 76, 77, 78) or usage.ru_maxrss > 64 << 10 or raw or len(output) > 65536:
            failed += 1
            print(f'seed {seed}: {" ".join(words[:2])}: status {code}, {usage.ru_maxrss} KiB, raw {raw}: {ascii(text[:300])}')
    print(f'{count} commands, {lies} lies; statuses {dict(sorted(statuses.items()))}; at most {most >> 10} MiB, {longest:.1f} s; {failed} failed')
    sys.exit(1 if failed else 0)


main()
