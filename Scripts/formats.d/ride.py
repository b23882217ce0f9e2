"""`--into`: a ride with power and no heart, made by hand; what comes out read by garmin-fit-sdk and compared byte by byte."""
import struct
import subprocess

import fit

EPOCH = 631_065_600


def _crc(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0xA001 if value & 1 else value >> 1
    return value


def _make(start, end):
    """A record each second, but none for a minute and then some each fourth second; two forms, one with a field for a rate."""
    messages = [
        bytes([0x40, 0, 0, 0, 0, 1, 0, 1, 0]), bytes([0, 4]),
        bytes([0x41, 0, 0, 20, 0, 2, 253, 4, 0x86, 7, 2, 0x84]),
        bytes([0x42, 0, 0, 20, 0, 3, 253, 4, 0x86, 3, 1, 2, 7, 2, 0x84]),
        bytes([0x43, 0, 0, 19, 0, 2, 253, 4, 0x86, 15, 1, 2])]
    for second in range(start - 30, end + 30):
        since = second - start
        if 100 <= since < 160 or 160 <= since < 260 and since % 4:
            continue
        stamp = struct.pack('<I', second - EPOCH)
        messages.append(bytes([2]) + stamp + b'\xff' + struct.pack('<H', 200) if since % 3 == 0 else bytes([1]) + stamp + struct.pack('<H', 210))
        if since % 300 == 299:
            messages.append(bytes([3]) + stamp + b'\xff')
    body = b''.join(messages)
    header = bytes([14, 0x20, 0x54, 0x08]) + struct.pack('<I', len(body)) + b'.FIT'
    header += struct.pack('<H', _crc(header))
    return header + body + struct.pack('<H', _crc(header + body))


def _walk(data):
    """Each message with the definition by which it is read: (global number, fields, contents)."""
    assert _crc(data[:-2]) == struct.unpack('<H', data[-2:])[0] and len(data) == data[0] + struct.unpack('<I', data[4:8])[0] + 2
    place, forms, found = data[0], {}, []
    while place < len(data) - 2:
        head = data[place]
        if head & 0x40:
            fields = [tuple(data[place + 6 + 3 * index:place + 9 + 3 * index]) for index in range(data[place + 5])]
            forms[head & 15] = (struct.unpack('<H', data[place + 3:place + 5])[0], fields)
            place += 6 + 3 * len(fields)
        else:
            number, fields = forms[head & 15]
            length = sum(size for _, size, _ in fields)
            found.append((number, fields, data[place:place + 1 + length]))
            place += 1 + length
    return found


def export(programs, folder, name):
    """Before any checker is loaded; returns the files, and what the program said."""
    store, ride, merged = folder / f'{name}.sqlite', folder / f'{name}.ride.fit', folder / f'{name}.merged.fit'
    first = subprocess.run([programs / 'sensord', 'sql', 'SELECT start / 1000000, end / 1000000 FROM sessions', '--store', store], check=True, capture_output=True, text=True).stdout.split()
    ride.write_bytes(_make(int(first[-2]), int(first[-1])))
    done = subprocess.run([programs / 'sensord', 'export', 'last', '--into', ride, '--store', store, '-o', merged], capture_output=True, text=True)
    return ride, merged, done


def check(ride, merged, done, truth):
    assert done.returncode == 0, done.stderr
    before, after = _walk(ride.read_bytes()), _walk(merged.read_bytes())
    kept = [one for one in after if one[0] != 78]
    assert len(kept) == len(before)
    changed = 0
    for old, new in zip(before, kept):
        if old == new:
            continue
        # A record with its rate set, or with a rate behind its other fields.
        changed += 1
        assert old[0] == new[0] == 20
        if (3, 1, 2) in old[1]:
            assert old[1] == new[1] and old[2][5] == 255 and old[2][:5] + old[2][6:] == new[2][:5] + new[2][6:]
        else:
            assert new[1] == old[1] + [(3, 1, 2)] and new[2][:-1] == old[2]
    # What everybody reads: the rate of the second, or of up to two before.
    records, intervals, last = 0, [], None
    for message in fit.with_garmin(merged):
        if message[0] == 'record':
            second, rate = message[1:]
            wanted = next((truth.rates[at] for at in (second, second - 1, second - 2) if truth.rates.get(at, 255) < 255), None)
            assert rate == wanted, (second, rate, wanted)
            records += rate is not None
            last = second
        elif message[0] == 'hrv':
            intervals.append((last, message[1]))
    assert records == changed and f'{changed} records got' in done.stderr, (records, changed, done.stderr)
    # Every interval whose beat has a record within ten seconds behind it, in order, none twice.
    seconds = [struct.unpack('<I', one[2][1:5])[0] + EPOCH for one in before if one[0] == 20]
    expected, place = [], 0
    for one in truth.stretches:
        for milliseconds, at in zip(one.intervals, one.times[1:]):
            second = at // 1_000_000
            while place < len(seconds) and seconds[place] < second:
                place += 1
            if place < len(seconds) and seconds[place] - second < 10:
                expected.append(milliseconds)
    found = [value for _, values in intervals for value in values]
    assert len(found) == len(expected) and all(abs(one - other) <= 1 for one, other in zip(found, expected)), (len(found), len(expected))
    return f'{changed} records got a rate, {len(found)} intervals; {len(before) - changed} messages byte for byte'
